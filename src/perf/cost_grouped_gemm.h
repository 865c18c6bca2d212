/* cost_grouped_gemm.h - many products of one weight stack, the tokens sorted by expert.
 */
#ifndef PERF_COST_GROUPED_GEMM_H
#define PERF_COST_GROUPED_GEMM_H

#include "perf/cost.h"

void cost_grouped_gemm(struct op_args *a, struct cost *c);
void cost_grouped_gemm_variable_k(struct op_args *a, struct cost *c);

#endif
