/* cost_moe.h - the two products of a mixture of experts, together or apart.
 *
 * Routing is taken to be uniform: of e experts, k drawn for each of m tokens touch
 * e (1 - ((e - k) / e)^m) on average, and only their weights are read. */
#ifndef PERF_COST_MOE_H
#define PERF_COST_MOE_H

#include "perf/cost.h"

void cost_moe_whole(struct op_args *a, struct cost *c);
void cost_moe_cktile(struct op_args *a, struct cost *c);
void cost_moe_ck(struct op_args *a, struct cost *c);
void cost_moe_triton(struct op_args *a, struct cost *c);
void cost_moe_gptq(struct op_args *a, struct cost *c);
void cost_moe_invoke(struct op_args *a, struct cost *c);

#endif
