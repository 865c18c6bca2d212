#include "tree/call_tree.h"

#include "base/sort.h"

#include <string.h>

/* The reference forgives an event that ends after its caller if it began this close to
 * the caller's end: then the caller is taken to have ended before. */
enum { BLEED_NS = 1000 };

static bool wanted(int cat, enum tree_kind kind)
{
    return cat == CAT_CPU_OP || cat_is_runtime(cat) ||
           (kind == TREE_FRAMES && cat == CAT_PYTHON);
}

/* Wanted events of each lane by start, equal starts in the order of the file:
 * rows[first[l]
 * .. first[l+1]). */
static struct sort_row *by_lane(struct arena *tmp, const struct event_store *s,
                                enum tree_kind kind, int32_t *first)
{
    for (event_id i = 0; i < s->n; i++)
        if (wanted(s->cat[i], kind))
            first[s->lane[i] + 1]++;
    for (int32_t l = 0; l < s->n_lanes; l++)
        first[l + 1] += first[l];
    int32_t n = first[s->n_lanes];
    struct sort_row *rows = arena_take_raw(tmp, sizeof *rows, 8, n);
    int32_t *at = arena_new(tmp, int32_t, s->n_lanes + 1);
    memcpy(at, first, (size_t)s->n_lanes * sizeof *at);
    for (event_id i = 0; i < s->n; i++)
        if (wanted(s->cat[i], kind))
            rows[at[s->lane[i]]++] = (struct sort_row){s->start_ns[i], i};
    for (int32_t l = 0; l < s->n_lanes; l++)
        sort_rows(*tmp, rows + first[l], first[l + 1] - first[l]);
    return rows;
}

/* Nest one lane. `stack` has room for all its events. */
static void nest_lane(struct call_tree *t, const struct event_store *s,
                      const struct sort_row *rows, int32_t n, event_id *stack)
{
    int32_t depth = 0, n_ops = 0; /* open events; operators among them */
    for (int32_t k = 0; k < n; k++) {
        event_id e = rows[k].row;
        int64_t start = s->start_ns[e], end = store_end_ns(s, e);
#define POP()                                                                          \
    (t->after[t->rank[stack[--depth]]] = t->n_order,                                   \
     n_ops -= s->cat[stack[depth]] == CAT_CPU_OP)
        while (depth && store_end_ns(s, stack[depth - 1]) <= start)
            POP();
        if (depth && end > store_end_ns(s, stack[depth - 1])) {
            if (depth < 2 || store_end_ns(s, stack[depth - 1]) - start >= BLEED_NS) {
                t->n_dropped++;
                continue;
            }
            POP();
        }
        bool is_op = s->cat[e] == CAT_CPU_OP;
        t->parent[e] = depth ? stack[depth - 1] : -1;
        t->rank[e] = t->n_order;
        t->order[t->n_order++] = e;
        if (is_op && !n_ops)
            t->roots[t->n_roots++] = e;
        n_ops += is_op;
        stack[depth++] = e;
    }
    while (depth)
        POP();
#undef POP
}

static void sort_roots(struct arena tmp, struct call_tree *t,
                       const struct event_store *s)
{
    struct sort_row *rows = arena_take_raw(&tmp, sizeof *rows, 8, t->n_roots);
    for (int32_t k = 0; k < t->n_roots; k++)
        rows[k] = (struct sort_row){s->start_ns[t->roots[k]], t->roots[k]};
    sort_rows(tmp, rows, t->n_roots);
    for (int32_t k = 0; k < t->n_roots; k++)
        t->roots[k] = rows[k].row;
}

struct call_tree tree_build(struct arena *perm, struct arena tmp,
                            const struct event_store *s, enum tree_kind kind)
{
    struct call_tree t = {0};
    int32_t *first = arena_new(&tmp, int32_t, s->n_lanes + 1);
    struct sort_row *rows = by_lane(&tmp, s, kind, first);
    int32_t n = first[s->n_lanes];
    t.parent = arena_take_raw(perm, sizeof *t.parent, 4, s->n);
    t.rank = arena_take_raw(perm, sizeof *t.rank, 4, s->n);
    memset(t.parent, 0xff, (size_t)s->n * sizeof *t.parent);
    memset(t.rank, 0xff, (size_t)s->n * sizeof *t.rank);
    t.order = arena_take_raw(perm, sizeof *t.order, 4, n);
    t.after = arena_take_raw(perm, sizeof *t.after, 4, n);
    t.roots = arena_take_raw(perm, sizeof *t.roots, 4, n);
    event_id *stack = arena_take_raw(&tmp, sizeof *stack, 4, n);
    for (int32_t l = 0; l < s->n_lanes; l++)
        nest_lane(&t, s, rows + first[l], first[l + 1] - first[l], stack);
    sort_roots(tmp, &t, s);
    return t;
}

event_id tree_operator(const struct event_store *s, const struct call_tree *t,
                       event_id i)
{
    while (i >= 0 && s->cat[i] != CAT_CPU_OP)
        i = t->parent[i];
    return i;
}
