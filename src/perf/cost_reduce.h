/* cost_reduce.h - sums, extrema, norms and scans over the elements of one tensor. */
#ifndef PERF_COST_REDUCE_H
#define PERF_COST_REDUCE_H

#include "perf/cost.h"

void cost_reduce(struct op_args *a, struct cost *c);

#endif
