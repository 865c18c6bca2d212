/* cost_elementwise.h - one or two tensors in, one out, an operation for each element.
 */
#ifndef PERF_COST_ELEMENTWISE_H
#define PERF_COST_ELEMENTWISE_H

#include "perf/cost.h"

/* op_shape, dtype_in_out and both strides; an output type without text is None. */
void unary_params(struct cost *c, const struct shape *s, struct str in, struct str out,
                  const struct value *in_strides, const struct value *out_strides);

/* The same of two in, and of `out` unless that is NULL; strides in the order of types.
 */
void binary_params(struct cost *c, const struct shape *x, const struct shape *y,
                   const struct shape *out, const struct str types[3],
                   const struct value *const strides[3]);

/* The shape both broadcast to, aligned at the right; false if they do not fit. */
bool broadcast(const struct shape *x, const struct shape *y, struct shape *out);

#endif
