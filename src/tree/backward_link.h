/* backward_link.h - forward operator <-> the backward node that autograd runs for it.
 *
 * Joined by "Sequence number", taken as one series for the whole file, as the reference
 * does: the first autograd::engine::evaluate_function of a number is the backward, the
 * latest event of that number on another thread the forward. */
#ifndef TREE_BACKWARD_LINK_H
#define TREE_BACKWARD_LINK_H

#include "tree/call_tree.h"

struct backward_node {    /* an event at either end of a link; -1: none */
    event_id forward;     /* of a backward node */
    event_id first, next; /* backward nodes of a forward event: a list through `next` */
};

struct backward_link {
    struct bit_rows *has; /* by event: whether it has a node; NULL: none has */
    struct backward_node *node;
    int32_t n_links;
};

static inline struct backward_node backward_node_of(const struct backward_link *b,
                                                    event_id i)
{
    int32_t row = b->has ? bit_row(b->has, i) : -1;
    return row < 0 ? (struct backward_node){-1, -1, -1} : b->node[row];
}

/* The forward operator of a backward node, or -1. */
static inline event_id backward_forward(const struct backward_link *b, event_id i)
{
    return backward_node_of(b, i).forward;
}

/* The first backward node of a forward event, or -1; then the next, from one of them.
 */
static inline event_id backward_first(const struct backward_link *b, event_id i)
{
    return backward_node_of(b, i).first;
}

static inline event_id backward_next(const struct backward_link *b, event_id node)
{
    return backward_node_of(b, node).next;
}

struct backward_link backward_link_build(struct arena *perm, struct arena tmp,
                                         const struct event_store *s);

#endif
