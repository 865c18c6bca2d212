/* conv_ops.h - operators of a convolutional network in training, forward and backward.
 *
 * Tensors are NCHW and square. A forward call with `graph` takes a place in the graph
 * of autograd and starts the flow that the backward call ends; without, it is a
 * recomputation. */
#ifndef SAMPLE_CONV_OPS_H
#define SAMPLE_CONV_OPS_H

#include "kernel_name.h"
#include "sample_plan.h"

struct conv_shape {
    int64_t n, c, h; /* input */
    int64_t out;     /* channels */
    int64_t k, stride;
};

struct map_shape { /* an activation */
    int64_t n, c, h;
};

struct map_shape conv_output(struct conv_shape c);
int64_t conv_weights(struct conv_shape c);

struct graph_node conv_forward(struct simulator *s, const struct sample_plan *p,
                               int64_t instance, struct conv_shape c, bool graph);
struct graph_node batch_norm_forward(struct simulator *s, const struct sample_plan *p,
                                     int64_t instance, struct map_shape x, bool graph);
struct graph_node relu_forward(struct simulator *s, const struct sample_plan *p,
                               int64_t instance, struct map_shape x, bool graph);
struct graph_node residual_forward(struct simulator *s, const struct sample_plan *p,
                                   struct map_shape x, bool graph);
struct graph_node max_pool_forward(struct simulator *s, const struct sample_plan *p,
                                   struct map_shape x);

/* `stem`: the gradient of the input is not needed. */
void conv_backward(struct simulator *s, const struct sample_plan *p,
                   struct conv_shape c, struct graph_node node, bool stem);
void batch_norm_backward(struct simulator *s, const struct sample_plan *p,
                         struct map_shape x, struct graph_node node);
void max_pool_backward(struct simulator *s, const struct sample_plan *p,
                       struct map_shape x, struct graph_node node);
void residual_backward(struct simulator *s, struct map_shape x, struct graph_node node);

/* Two halves, since saved tensors may have to be recomputed between them. */
void relu_backward_begin(struct simulator *s, struct map_shape x,
                         struct graph_node node);
void relu_backward_end(struct simulator *s, const struct sample_plan *p,
                       struct map_shape x);

#endif
