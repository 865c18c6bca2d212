/* cost_elementwise.h - one or two tensors in, one out, an operation for each element.
 */
#ifndef PERF_COST_ELEMENTWISE_H
#define PERF_COST_ELEMENTWISE_H

#include "perf/cost.h"

/* op_shape, dtype_in_out and both strides; an output type without text is None. */
void unary_params(struct cost *c, const struct shape *s, struct str in, struct str out,
                  const struct cJSON *in_strides, const struct cJSON *out_strides);

/* The shape both broadcast to, aligned at the right; false if they do not fit. */
bool broadcast(const struct shape *x, const struct shape *y, struct shape *out);

void cost_unary(struct op_args *a, struct cost *c);
void cost_binary(struct op_args *a, struct cost *c);
void cost_replication_pad(struct op_args *a, struct cost *c);
void cost_upsample_nearest(struct op_args *a, struct cost *c);
void cost_act_and_mul(struct op_args *a, struct cost *c);
void cost_outer_exponential(struct op_args *a, struct cost *c);

#endif
