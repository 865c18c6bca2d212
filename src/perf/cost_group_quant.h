/* cost_group_quant.h - activations scaled and rounded to 8 or 4 bits, in groups. */
#ifndef PERF_COST_GROUP_QUANT_H
#define PERF_COST_GROUP_QUANT_H

#include "perf/cost.h"

void cost_quantize_fp8(struct op_args *a, struct cost *c);
void cost_quantize_mxfp4_dual(struct op_args *a, struct cost *c);
void cost_mxfp4_quant(struct op_args *a, struct cost *c);
void cost_per_group_quant(struct op_args *a, struct cost *c);
void cost_token_group_quant(struct op_args *a, struct cost *c);
void cost_append_shared_experts(struct op_args *a, struct cost *c);

#endif
