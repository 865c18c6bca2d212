/* backward_link.h - forward operator <-> the backward node that autograd runs for it.
 *
 * Joined by "Sequence number", taken as one series for the whole file, as the reference
 * does: the first autograd::engine::evaluate_function of a number is the backward, the
 * latest event of that number on another thread the forward. */
#ifndef TREE_BACKWARD_LINK_H
#define TREE_BACKWARD_LINK_H

#include "tree/call_tree.h"

struct backward_link {
    event_id *forward_of; /* by event: forward of a backward node; -1 */
    /* Backward nodes of a forward event: a list through `next`. */
    event_id *first_backward, *next_backward; /* by event; -1: none, the end */
    int32_t n_links;
};

struct backward_link backward_link_build(struct arena *perm, struct arena tmp,
                                         const struct event_store *s);

#endif
