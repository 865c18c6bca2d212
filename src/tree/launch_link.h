/* launch_link.h - host call -> device work.
 *
 * Knows the profiler's flow arrows and correlation ids. A device event has at most one
 * launch call; without one it is unlinked: launched before the window opened, or by a
 * call the profiler drew no arrow for. */
#ifndef TREE_LAUNCH_LINK_H
#define TREE_LAUNCH_LINK_H

#include "tree/call_tree.h"

struct launch_link {
    event_id *launch; /* by event: the call that started a device event; -1 */

    /* Linked device events by the rank of their launch call; those of the subtree of an
     * operator are one range. Equal ranks stand in the order of the file. */
    event_id *gpu;
    int32_t n_gpu;  /* linked and launched by a call that is in the tree */
    int32_t *first; /* by position in tree order: range starts; n_order + 1 of them */

    event_id *all; /* every device event, in the order of the file */
    int32_t n_all, n_linked;
    int32_t n_duplicates; /* same stream and correlation: the last one is linked */
};

struct launch_link launch_link_build(struct arena *perm, struct arena tmp,
                                     const struct event_store *s,
                                     const struct call_tree *t);

/* Device events under a host event: a range of `gpu`. */
static inline event_id *launch_range(const struct launch_link *l,
                                     const struct call_tree *t, event_id i, int32_t *n)
{
    int32_t rank = t->rank[i];
    if (rank < 0) {
        *n = 0;
        return NULL;
    }
    *n = l->first[t->after[rank]] - l->first[rank];
    return l->gpu + l->first[rank];
}

/* cudaGraphLaunch and its kin: one call, many device events. */
bool launch_is_graph(struct str call_name);

#endif
