#include "analysis/system/idle_pool.h"

#include "analysis/model/name_match.h"

void idle_spans_place(struct arena *perm, struct idle_result *r,
                      const struct idle_span_row *spans, int32_t n)
{
    struct idle_span *all = arena_take_raw(perm, sizeof *all, 8, n);
    for (int32_t k = 0; k < n; k++)
        r->groups[spans[k].group].n_spans++;
    for (int32_t g = 0; g < r->n_groups; g++) {
        r->groups[g].spans = all;
        all += r->groups[g].n_spans;
        r->groups[g].n_spans = 0;
    }
    for (int32_t k = 0; k < n; k++) {
        struct idle_group *g = &r->groups[spans[k].group];
        g->spans[g->n_spans++] = spans[k].span;
    }
}

enum idle_pool idle_pool_of(enum idle_class class, int64_t ns, bool in_graph,
                            bool before_input)
{
    switch (class) {
    case IDLE_QUEUED:
        return in_graph ? POOL_GRAPH : POOL_QUEUED;
    case IDLE_LATENCY:
        return ns >= LATE_START_NS ? POOL_QUEUED : POOL_HOST;
    case IDLE_SYNC:
    case IDLE_MEMORY:
        return POOL_CALLS;
    case IDLE_LOAD:
    case IDLE_GRAPH:
    case IDLE_FIRST_LAUNCH:
        return POOL_ONCE;
    case IDLE_HIDDEN:
        return POOL_HIDDEN;
    case IDLE_UNLINKED:
        return POOL_UNKNOWN;
    case IDLE_PEER:
        return POOL_PEER;
    default:
        return before_input ? POOL_INPUT : POOL_HOST;
    }
}

bool group_is_of_loader(const struct idle_group *g)
{
    bool most = g->leaf_us * 1e3 >= 0.4 * (double)g->total_ns;
    return name_has(g->blame, "dataloader") || name_has(g->around, "dataloader") ||
           (most && name_has(g->leaf, "dataloader"));
}

void idle_pools_fill(struct idle_result *r)
{
    for (int32_t k = 0; k < r->n_groups; k++) {
        struct idle_group *g = &r->groups[k];
        if (name_has(g->blame, "aclopCompile")) { /* for every new shape, not once */
            g->pool_ns[POOL_HOST] += g->pool_ns[POOL_ONCE];
            g->pool_ns[POOL_ONCE] = 0;
        }
        if (group_is_of_loader(g)) {
            g->pool_ns[POOL_INPUT] += g->pool_ns[POOL_HOST];
            g->pool_ns[POOL_HOST] = 0;
        }
        for (int p = 0; p < IDLE_POOLS; p++)
            r->pool_ns[p] += g->pool_ns[p];
    }
}
