/* launch_link.h - host call -> device work.
 *
 * Knows the profiler's flow arrows and correlation ids. A device event has at most one
 * launch call; without one it is unlinked: launched before the window opened, or by a
 * call that is not in the trace. The profiler draws no arrow for some calls, such as
 * fills: their identifier links them, unless only arrows are to. */
#ifndef TREE_LAUNCH_LINK_H
#define TREE_LAUNCH_LINK_H

#include "tree/call_tree.h"

/* Device events by the position of their launch in the order of a tree, so that those
 * of a subtree are one range. Equal positions keep the order of the file. */
struct launch_order {
    event_id *gpu;
    struct bit_rows *launches; /* by position: whether device work was launched there */
    int32_t *start; /* of those positions: where theirs starts in `gpu`; and the end */
};

/* Index in `gpu` of the first event launched at `pos` or later: the start or end of a
 * range. */
static inline int32_t launch_start(const struct launch_order *o, int32_t pos)
{
    return o->start[bit_before(o->launches, pos)];
}

/* What is launched at `pos` itself. */
static inline const event_id *launch_own(const struct launch_order *o, int32_t pos,
                                         int32_t *n)
{
    int32_t row = bit_row(o->launches, pos);
    *n = row < 0 ? 0 : o->start[row + 1] - o->start[row];
    return row < 0 ? o->gpu : o->gpu + o->start[row];
}

/* Of n device events, at[k] being the position of the launch of all[k]; -1: left out.
 */
struct launch_order launch_order_build(struct arena *perm, const event_id *all,
                                       const int32_t *at, int32_t n, int32_t n_order);

enum link_by {
    LINK_BY_ARROWS, /* as the reference does */
    LINK_BY_IDS_TOO
};

struct launch_link {
    event_id *all;              /* every device event, in the order of the file */
    event_id *call;             /* of each of them: the call that started it, or -1 */
    struct bit_rows *is_device; /* by event; read by launch_place */
    struct launch_order order;  /* by call tree: of those whose call is in it */
    int32_t n_all, n_linked;
    int32_t n_duplicates; /* same stream and correlation: the last one is linked */
};

struct launch_link launch_link_build(struct arena *perm, struct arena tmp,
                                     const struct event_store *s,
                                     const struct call_tree *t, enum link_by by);

/* Index of a device event in `all` and its parallel columns; -1 for other events. */
static inline int32_t launch_place(const struct launch_link *l, event_id gpu)
{
    return bit_row(l->is_device, gpu);
}

/* The call that started a device event; -1 if unknown, or not a device event. */
static inline event_id launch_call(const struct launch_link *l, event_id gpu)
{
    int32_t k = launch_place(l, gpu);
    return k < 0 ? -1 : l->call[k];
}

/* The call that the host made for a device event: where its operator is lent (see
 * lend_plan.h), the graph launch that replayed it, else launch_call. */
event_id launch_issue(const struct event_store *s, const struct call_tree *t,
                      const struct launch_link *l, event_id gpu);

/* Device events of the subtree at a position: a range of `gpu`. */
static inline event_id *launch_range_at(const struct launch_order *o,
                                        const struct call_tree *t, int32_t pos,
                                        int32_t *n)
{
    *n = 0;
    if (!bit_any(o->launches, pos, t->after[pos])) /* as of most frames */
        return o->gpu;
    int32_t start = launch_start(o, pos);
    *n = launch_start(o, t->after[pos]) - start;
    return o->gpu + start;
}

/* Device events under a host event. */
static inline event_id *launch_range(const struct launch_link *l,
                                     const struct call_tree *t, event_id i, int32_t *n)
{
    int32_t rank = tree_rank(t, i);
    *n = 0;
    return rank < 0 ? NULL : launch_range_at(&l->order, t, rank, n);
}

/* cudaGraphLaunch and its kin: one call, many device events. */
static inline bool launch_is_graph(const struct event_store *s, event_id call)
{
    return store_role(s, call) & ROLE_LAUNCHES_GRAPH;
}

#endif
