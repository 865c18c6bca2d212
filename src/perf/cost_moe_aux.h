/* cost_moe_aux.h - choosing the experts of a token, and sorting tokens by expert. */
#ifndef PERF_COST_MOE_AUX_H
#define PERF_COST_MOE_AUX_H

#include "perf/cost.h"

void cost_moe_sort(struct op_args *a, struct cost *c);
void cost_topk_softplus(struct op_args *a, struct cost *c);

#endif
