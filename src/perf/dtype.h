/* dtype.h - the size of a recorded element type, and its compute precision.
 *
 * Works on names alone. Three byte tables, because the reference has three that
 * disagree: a name missing from one of them has another size there, or none. */
#ifndef PERF_DTYPE_H
#define PERF_DTYPE_H

#include "base/str.h"

/* Bytes of one element, the name in any case; NaN when unknown. */
double dtype_bytes(struct str name);

/* The same for the mixture-of-experts models: case matters, unknown gives `otherwise`.
 */
double dtype_moe_bytes(struct str name, double otherwise);

/* The same for compiled Triton kernels: case matters, unknown weighs nothing. */
double dtype_triton_bytes(struct str name);

/* "bf16", "fp32", ... or empty. */
struct str dtype_precision(struct str name);

/* "vector_bf16" of "vector_bfloat16", as the reference calls that of Triton kernels;
 * any other spec as it is. */
struct str dtype_spec(struct str compute_spec);

#endif
