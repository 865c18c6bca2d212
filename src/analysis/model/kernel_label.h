/* kernel_label.h - what a kernel does, judged by its name alone (analysis.md 2.4).
 *
 * Rules carry a weight and the heaviest match wins: a name such as
 * "batched_gemm_softmax_scale" is several things, and the most specific part decides.
 *  */
#ifndef ANALYSIS_MODEL_KERNEL_LABEL_H
#define ANALYSIS_MODEL_KERNEL_LABEL_H

#include "analysis/model/finding.h"

#define KERNEL_LABELS_LIST(X)                                                          \
    X(UNKNOWN, "unknown")                                                              \
    X(GEMM, "gemm")                                                                    \
    X(ATTENTION, "attention")                                                          \
    X(CONVOLUTION, "convolution")                                                      \
    X(NORMALIZATION, "norm")                                                           \
    X(SOFTMAX, "softmax")                                                              \
    X(REDUCE, "reduce")                                                                \
    X(ELEMENTWISE, "elementwise")                                                      \
    X(TRANSPOSE, "transpose")                                                          \
    X(CACHE_STORE, "cache_store")                                                      \
    X(ROTARY, "rotary")                                                                \
    X(MOE_GEMM, "moe_gemm")                                                            \
    X(MOE_ROUTING, "moe_routing")                                                      \
    X(QUANTIZATION, "quantization")                                                    \
    X(COMMUNICATION, "communication")                                                  \
    X(MEMCPY, "memcpy")                                                                \
    X(MEMSET, "memset")                                                                \
    X(TRITON_POINTWISE, "triton_pointwise")                                            \
    X(TRITON_REDUCTION, "triton_reduction")                                            \
    X(TRITON_PERSISTENT, "triton_persistent")                                          \
    X(EMBEDDING, "embedding")                                                          \
    X(OPTIMIZER, "optimizer")

enum kernel_label {
#define X(id, word) KERNEL_##id,
    KERNEL_LABELS_LIST(X)
#undef X
        KERNEL_LABELS
};

enum kernel_label kernel_label_of(struct str kernel_name);
struct str kernel_label_word(enum kernel_label l);

/* The category of work that this name alone decides; WORK_CATEGORIES: it says nothing.
 */
enum work_category kernel_label_category(struct str kernel_name);

/* A matrix product: dense, or of experts. */
bool kernel_label_is_matrix(enum kernel_label l);

/* Copies, masks, scaling, dropout: what may come between products and softmax. */
bool kernel_label_is_light(enum kernel_label l);

#endif
