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

/* A of [m, k] in slot 0; n in dimension `n` of slot 1. */
struct gemm gemm_plain(struct op_args *a, int n);

/* FLOP and bytes into `c`; parameter B is added unless `batch_first` did so already,
 * and `transpose` if a kernel name reveals it. */
void gemm_params(struct cost *c, const struct gemm *g, bool batch_first);
void gemm_finish(const struct op_args *a, struct cost *c, const struct gemm *g);

enum gemm_transpose { GEMM_PLAIN, GEMM_TRANSPOSED, GEMM_UNKNOWN };

/* Transposition of A and B from a Tensile ("Cijk_Alik_Bljk_...") or cuBLAS
 * ("nvjet_..._TNT") name. False: another kind of kernel. */
bool gemm_kernel_transpose(struct str kernel, enum gemm_transpose *a,
                           enum gemm_transpose *b);

#endif
