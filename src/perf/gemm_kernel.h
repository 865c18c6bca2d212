/* gemm_kernel.h - what the name of a matrix kernel says about its operands. */
#ifndef PERF_GEMM_KERNEL_H
#define PERF_GEMM_KERNEL_H

#include "base/str.h"

enum gemm_transpose { GEMM_PLAIN, GEMM_TRANSPOSED, GEMM_UNKNOWN };

/* Transposition of A and B from a Tensile ("Cijk_Alik_Bljk_...") or cuBLAS
 * ("nvjet_..._TNT") name. False: another kind of kernel. */
bool gemm_kernel_transpose(struct str kernel, enum gemm_transpose *a,
                           enum gemm_transpose *b);

#endif
