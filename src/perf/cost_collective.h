/* cost_collective.h - collectives that a library launches as ordinary operators.
 *
 * Bytes are those of local memory; the wire is not counted. */
#ifndef PERF_COST_COLLECTIVE_H
#define PERF_COST_COLLECTIVE_H

#include "perf/cost.h"

void cost_allreduce_rmsnorm(struct op_args *a, struct cost *c);
void cost_all_reduce(struct op_args *a, struct cost *c);
void cost_scatter_gather(struct op_args *a, struct cost *c);
void cost_gather_into(struct op_args *a, struct cost *c);

#endif
