#include "analysis/system/read_loops.h"

#include "analysis/model/name_match.h"
#include "base/int_map.h"

enum { FEWEST = 16, APART_NS = 100000 };

/* Operators that no other one calls, in the order of the tree. */
struct outer {
    const struct tree_index *t;
    uint8_t *kind; /* by name: 0 not asked, 1 another, 2 reads a value */
    int32_t at;    /* position of the next */
};

static event_id next_outer(struct outer *o)
{
    const struct event_store *s = o->t->v->s;
    const struct call_tree *tree = &o->t->v->tree;
    while (o->at < tree->n_order) {
        event_id i = tree->order[o->at];
        bool is_op = s->cat[i] == CAT_CPU_OP && s->name[i] >= 0;
        o->at = is_op ? tree->after[o->at] : o->at + 1;
        if (is_op)
            return i;
    }
    return -1;
}

/* A tensor of the host is read without a copy. */
static bool reads_value(struct outer *o, event_id i)
{
    const struct event_store *s = o->t->v->s;
    uint8_t *kind = &o->kind[s->name[i]];
    int32_t n = 0;
    if (!*kind)
        *kind = name_is(store_name(s, i), "aten::item|aten::_local_scalar_dense|"
                                          "aten::is_nonzero")
                    ? 2
                    : 1;
    const event_id *gpu = *kind == 2 ? tree_gpu_below(o->t, i, &n) : NULL;
    return n > 0 && role_way(store_role(s, gpu[n - 1])) == COPY_D2H;
}

static void find_loops(struct arena *perm, struct outer o, struct read_loops *l)
{
    const struct event_store *s = o.t->v->s;
    for (event_id i = next_outer(&o); i >= 0; i = next_outer(&o)) {
        struct loop_span *last = l->n ? &l->spans[l->n - 1] : NULL;
        if (!reads_value(&o, i))
            continue;
        if (last && last->lane == s->lane[i] &&
            s->start_ns[i] - last->end_ns <= APART_NS) {
            last->end_ns = store_end_ns(s, i);
            last->turns++;
            continue;
        }
        l->n -= last && last->turns < FEWEST;
        arena_grow(perm, l->spans, l->n);
        l->spans[l->n++] =
            (struct loop_span){s->lane[i], 1, s->start_ns[i], store_end_ns(s, i), 0};
    }
    l->n -= l->n && l->spans[l->n - 1].turns < FEWEST;
}

/* By the code that reads: how often. */
static void count_read(struct arena *tmp, struct int_map *by_code, struct read_loops *l,
                       const struct tree_index *t, event_id i)
{
    name_id code = pool_find(&t->v->s->names, tree_user_path(t, i));
    int32_t *n = int_map_at(by_code, tmp, code + 1);
    *n = *n < 0 ? 1 : *n + 1;
    l->reads++;
    if (*n > l->here) {
        l->here = *n;
        l->most = i;
    }
}

/* What the loops hold, but for their first reads. */
static void find_gone(struct arena *perm, struct arena *tmp, struct outer o,
                      struct read_loops *l)
{
    const struct event_store *s = o.t->v->s;
    struct int_map by_code = int_map_make(tmp, 16);
    int32_t k = 0;
    for (event_id i = next_outer(&o); i >= 0 && k < l->n; i = next_outer(&o)) {
        const struct loop_span *x = &l->spans[k];
        if (s->lane[i] != x->lane || s->start_ns[i] < x->start_ns)
            continue;
        if (reads_value(&o, i))
            count_read(tmp, &by_code, l, o.t, i);
        if (s->start_ns[i] > x->start_ns) {
            arena_grow(perm, l->gone, l->n_gone);
            l->gone[l->n_gone++] =
                (struct host_span){x->lane, s->start_ns[i], store_end_ns(s, i)};
        }
        k += store_end_ns(s, i) >= x->end_ns;
    }
}

struct read_loops read_loops_find(struct arena *perm, struct arena tmp,
                                  const struct tree_index *t)
{
    struct read_loops l = {.most = -1};
    struct outer o = {.t = t, .kind = arena_new(&tmp, uint8_t, t->v->s->names.n + 1)};
    find_loops(perm, o, &l);
    if (l.n)
        find_gone(perm, &tmp, o, &l);
    return l;
}
