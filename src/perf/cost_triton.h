/* cost_triton.h - kernels that Inductor compiled, whose name lists what they fuse. */
#ifndef PERF_COST_TRITON_H
#define PERF_COST_TRITON_H

#include "perf/cost.h"

/* Does the name belong to such a kernel, and do the arguments give its sizes? */
bool triton_applies(const struct op_call *call);

void cost_triton(struct op_args *a, struct cost *c);

#endif
