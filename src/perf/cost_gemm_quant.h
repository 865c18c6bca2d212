/* cost_gemm_quant.h - products of quantised operands: vendor libraries, 4 and 8 bits.
 *
 * Scales are counted for the 4-bit block formats only, as the reference does. */
#ifndef PERF_COST_GEMM_QUANT_H
#define PERF_COST_GEMM_QUANT_H

#include "perf/cost.h"

void cost_gemm_hipblaslt(struct op_args *a, struct cost *c);
void cost_gemm_a4w4(struct op_args *a, struct cost *c);
void cost_gemm_blockscale(struct op_args *a, struct cost *c);
void cost_gemm_batched_wfp4(struct op_args *a, struct cost *c);
void cost_gemm_batched_a8w8(struct op_args *a, struct cost *c);
void cost_gemm_afp4wfp4(struct op_args *a, struct cost *c);

#endif
