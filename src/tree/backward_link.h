/* backward_link.h - forward operator <-> the backward node that autograd runs for it.
 *
 * Joined by "Sequence number", taken as one series for the whole file, as the reference
 * does: the first autograd::engine::evaluate_function of a number is the backward, the
 * latest event of that number on another thread the forward. */
#ifndef TREE_BACKWARD_LINK_H
#define TREE_BACKWARD_LINK_H

#include "tree/call_tree.h"

/* An event has one number and a number joins two events, so each event is an end of at
 * most one link. */
struct backward_end {
    event_id other;
    bool is_backward;
};

struct backward_link {
    struct bit_rows *has; /* by event: whether it is an end; NULL: there are no links */
    struct backward_end *end;
    int32_t n_links;
};

static inline event_id backward_other(const struct backward_link *b, event_id i,
                                      bool is_backward)
{
    int32_t row = b->has ? bit_row(b->has, i) : -1;
    return row >= 0 && b->end[row].is_backward == is_backward ? b->end[row].other : -1;
}

/* The forward operator of a backward node, or -1. */
static inline event_id backward_forward(const struct backward_link *b, event_id i)
{
    return backward_other(b, i, true);
}

/* The backward node of a forward operator, or -1. */
static inline event_id backward_node(const struct backward_link *b, event_id i)
{
    return backward_other(b, i, false);
}

struct backward_link backward_link_build(struct arena *perm, struct arena tmp,
                                         const struct event_store *s);

#endif
