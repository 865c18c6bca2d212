/* cost_gemm.h - dense matrix products of frameworks: D[m,n] = A[m,k] B[k,n] (+ bias).
 *
 * Every operand moves once; a multiply-add is two FLOP. Quantised products of vendor
 * libraries are in cost_gemm_quant.h and share what is below. */
#ifndef PERF_COST_GEMM_H
#define PERF_COST_GEMM_H

#include "perf/cost.h"

/* One product, or `batch` equal ones. Widths in bytes per element, NaN when unknown. */
struct gemm {
    double batch, m, n, k;
    bool bias;
    double a_bytes, b_bytes, bias_bytes, out_bytes;
};

/* 2mnk, and mn for the bias; operands in and out once; both times the batch. */
double gemm_flop(const struct gemm *g);
double gemm_byte(const struct gemm *g);

/* Same width for all four. */
void gemm_one_width(struct gemm *g, double bytes);

/* FLOP and bytes into `c`; parameter B is added unless `batch_first` did so already,
 * and `transpose` where a kernel name tells it. */
void gemm_params(struct cost *c, const struct gemm *g, bool batch_first);
void gemm_finish(const struct op_args *a, struct cost *c, const struct gemm *g);

void cost_gemm_dense(struct op_args *a, struct cost *c);
void cost_gemm_scaled(struct op_args *a, struct cost *c);
void cost_gemm_te(struct op_args *a, struct cost *c);
void cost_gemm_te_pseudo(struct op_args *a, struct cost *c);
void cost_gemm_vllm_dynamic(struct op_args *a, struct cost *c);
void cost_gemm_vllm_rocm(struct op_args *a, struct cost *c);
void cost_gemm_a16w16(struct op_args *a, struct cost *c);

#endif
