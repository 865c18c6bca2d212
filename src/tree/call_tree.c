#include "tree/call_tree.h"

#include "base/sort.h"

#include <string.h>

/* Like the reference, accept an event that ends after its caller if it began this close
 * to the caller's end: the caller is then taken to have ended before it. */
enum { BLEED_NS = 1000 };

/* A bit for each category. */
enum { CALLS = 1 << CAT_CPU_OP | 1 << CAT_RUNTIME | 1 << CAT_DRIVER };
static const unsigned wanted[] = {[TREE_OPS] = CALLS,
                                  [TREE_FRAMES] = CALLS | 1 << CAT_PYTHON,
                                  [TREE_ANNOTATIONS] = 1 << CAT_ANNOTATION};

/* Wanted events of each lane by start, equal starts in the order of the file:
 * ids[first[l] .. first[l+1]). */
static event_id *by_lane(struct arena *perm, struct arena tmp,
                         const struct event_store *s, enum tree_kind kind,
                         int32_t *first)
{
    const unsigned cats = wanted[kind];
    for (event_id i = 0; i < s->n; i++)
        if (cats >> s->cat[i] & 1)
            first[s->lane[i] + 1]++;
    for (int32_t l = 0; l < s->n_lanes; l++)
        first[l + 1] += first[l];
    event_id *ids = arena_take_raw(perm, sizeof *ids, 4, first[s->n_lanes]);
    int32_t *at = arena_new(&tmp, int32_t, s->n_lanes + 1);
    memcpy(at, first, (size_t)s->n_lanes * sizeof *at);
    for (event_id i = 0; i < s->n; i++)
        if (cats >> s->cat[i] & 1)
            ids[at[s->lane[i]]++] = i;
    for (int32_t l = 0; l < s->n_lanes; l++)
        sort_ids(tmp, ids + first[l], first[l + 1] - first[l], s->start_ns);
    return ids;
}

struct open_call {
    int64_t end_ns;
    event_id event;
    int32_t rank;
};

/* Nests one lane. `open` has room for all its events, which are in t->order at or after
 * the place where the next one goes. */
static void nest_lane(struct call_tree *t, const struct event_store *s,
                      const event_id *ids, int32_t n, struct open_call *open)
{
    int32_t depth = 0, n_ops = 0; /* open events; operators among them */
    for (int32_t k = 0; k < n; k++) {
        event_id e = ids[k];
        int64_t start = s->start_ns[e], end = store_end_ns(s, e);
#define POP()                                                                          \
    (t->after[open[--depth].rank] = t->n_order,                                        \
     n_ops -= s->cat[open[depth].event] == CAT_CPU_OP)
        while (depth && open[depth - 1].end_ns <= start)
            POP();
        while (depth && end > open[depth - 1].end_ns &&
               open[depth - 1].end_ns - start <= ROUNDING_NS)
            POP(); /* a sibling */
        if (depth && end > open[depth - 1].end_ns) {
            if (end - open[depth - 1].end_ns <= ROUNDING_NS) {
                end = open[depth - 1].end_ns;
            } else if (depth < 2 || open[depth - 1].end_ns - start >= BLEED_NS) {
                t->n_dropped++;
                continue;
            } else {
                POP();
            }
        }
        bool is_op = s->cat[e] == CAT_CPU_OP;
        int32_t row = tree_row(t, e);
        t->parent[row] = depth ? open[depth - 1].event : -1;
        t->rank[row] = t->n_order;
        open[depth++] = (struct open_call){end, e, t->n_order};
        t->order[t->n_order++] = e;
        if (is_op && !n_ops)
            t->roots[t->n_roots++] = e;
        n_ops += is_op;
    }
    while (depth)
        POP();
#undef POP
}

static const struct bit_rows *rows_of(struct arena *perm, const struct event_store *s,
                                      const event_id *events, int32_t n)
{
    struct bit_rows *rows = arena_new(perm, struct bit_rows, BIT_WORDS(s->n));
    for (int32_t k = 0; k < n; k++)
        bit_set(rows, events[k]);
    bit_finish(rows, s->n);
    return rows;
}

struct call_tree tree_build(struct arena *perm, struct arena tmp,
                            const struct event_store *s, enum tree_kind kind)
{
    struct call_tree t = {.rows = kind == TREE_FRAMES ? NULL : s->has_detail,
                          .n_rows = kind == TREE_FRAMES ? s->n : s->n_details};
    int32_t *first = arena_new(&tmp, int32_t, s->n_lanes + 1);
    t.order = by_lane(perm, tmp, s, kind, first);
    int32_t n = first[s->n_lanes];
    if (kind == TREE_ANNOTATIONS) { /* few */
        t.rows = rows_of(perm, s, t.order, n);
        t.n_rows = n;
    }
    t.parent = arena_take_raw(perm, sizeof *t.parent, 4, t.n_rows);
    t.rank = arena_take_raw(perm, sizeof *t.rank, 4, t.n_rows);
    memset(t.parent, 0xff, (size_t)t.n_rows * sizeof *t.parent);
    memset(t.rank, 0xff, (size_t)t.n_rows * sizeof *t.rank);
    t.after = arena_take_raw(perm, sizeof *t.after, 4, n);
    t.roots = arena_take_raw(&tmp, sizeof *t.roots, 4, n);
    struct open_call *open = arena_take_raw(&tmp, sizeof *open, 8, n);
    for (int32_t l = 0; l < s->n_lanes; l++)
        nest_lane(&t, s, t.order + first[l], first[l + 1] - first[l], open);
    event_id *roots = arena_take_raw(perm, sizeof *roots, 4, t.n_roots);
    if (t.n_roots)
        memcpy(roots, t.roots, (size_t)t.n_roots * sizeof *roots);
    t.roots = roots;
    sort_ids(tmp, t.roots, t.n_roots, s->start_ns);
    return t;
}

ptrdiff_t tree_memory_bytes(const struct call_tree *t)
{
    return t->n_rows * (ptrdiff_t)(sizeof *t->parent + sizeof *t->rank) +
           t->n_order * (ptrdiff_t)(sizeof *t->order + sizeof *t->after) +
           t->n_roots * (ptrdiff_t)sizeof *t->roots;
}

event_id tree_operator(const struct event_store *s, const struct call_tree *t,
                       event_id i)
{
    for (int k = 0; i >= 0 && k < TREE_LEVELS_MAX; k++, i = tree_parent(t, i))
        if (s->cat[i] == CAT_CPU_OP)
            return i;
    return -1;
}
