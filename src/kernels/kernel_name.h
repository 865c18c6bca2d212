/* kernel_name.h - what the name of a kernel or a copy tells: what it does, in which
 * precision, for which generation, from which library, between devices or not.
 *
 * All rules are in kernel_names.def; nothing else in the program searches such names to
 * find out what they are. A name is examined once and then remembered, by each thread.
 */
#ifndef KERNELS_KERNEL_NAME_H
#define KERNELS_KERNEL_NAME_H

#include "base/str.h"

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

/* Of operands. */
#define KERNEL_PRECISIONS_LIST(X)                                                      \
    X(UNKNOWN, "")                                                                     \
    X(FP64, "fp64")                                                                    \
    X(FP32, "fp32")                                                                    \
    X(TF32, "tf32")                                                                    \
    X(FP16, "fp16")                                                                    \
    X(BF16, "bf16")                                                                    \
    X(FP8, "fp8")                                                                      \
    X(FP4, "fp4")                                                                      \
    X(INT8, "int8")

enum kernel_precision {
#define X(id, word) PRECISION_##id,
    KERNEL_PRECISIONS_LIST(X)
#undef X
        PRECISIONS
};

#define KERNEL_MARKS_LIST(X)                                                           \
    X(COMMUNICATES) /* with other devices, by its name or by what the user told */     \
    X(NCCL)         /* of NCCL or RCCL */                                              \
    X(GENERATED)    /* by Inductor */                                                  \
    X(TRITON)                                                                          \
    X(BACKWARD)                                                                        \
    X(BATCH_NORM)                                                                      \
    X(FUSED_ATTENTION)                                                                 \
    X(FUSED_EXPERTS)                                                                   \
    X(PAGED_ATTENTION)                                                                 \
    X(COMPILED) /* also of a host event: what runs below it is */                      \
    X(RUNS_ANYTHING)                                                                   \
    X(LAYOUT) /* converts one for a convolution */                                     \
    X(PINNED)                                                                          \
    X(PAGEABLE)

enum kernel_mark_place {
#define X(id) AT_##id,
    KERNEL_MARKS_LIST(X)
#undef X
};

enum kernel_mark {
#define X(id) MARK_##id = 1 << AT_##id,
    KERNEL_MARKS_LIST(X)
#undef X
};

struct kernel_name {
    uint8_t label;      /* enum kernel_label */
    uint8_t precision;  /* enum kernel_precision */
    uint8_t generation; /* 80 of "sm80_xmma" and of "ampere_sgemm"; 0: not said */
    uint8_t library;    /* read by kernel_library */
    uint16_t marks;     /* a set of enum kernel_mark */
};

struct kernel_name kernel_name_of(struct str name);

static inline enum kernel_label kernel_label_of(struct str name)
{
    return (enum kernel_label)kernel_name_of(name).label;
}
static inline bool kernel_has(struct str name, enum kernel_mark m)
{
    return kernel_name_of(name).marks & m;
}

struct str_pairs;

/* A compiled region or what it generates, by the name of a host event as well. */
bool kernel_name_is_compiled(const struct str_pairs *name);

struct str kernel_label_word(enum kernel_label l);
struct str kernel_precision_word(enum kernel_precision p); /* "bf16"; empty: unknown */

/* A matrix product: dense, or of experts. */
bool kernel_label_is_matrix(enum kernel_label l);

/* Copies, masks, scaling, dropout: what may come between products and softmax. */
bool kernel_label_is_light(enum kernel_label l);

/* A copy or a memset. */
bool kernel_label_is_copy(enum kernel_label l);

/* The library, on an AMD device or another; empty: the name does not tell. */
struct str kernel_library(struct str name, bool amd);

/* Libraries as the tables of categories name them, the first counting for a row with
 * kernels of several. */
#define KERNEL_FAMILIES_LIST(X)                                                        \
    X(AITER, "AITER")                                                                  \
    X(CK, "CK")                                                                        \
    X(TENSILE, "Tensile")                                                              \
    X(ROCBLAS, "rocBLAS")                                                              \
    X(ROCPRIM, "rocPRIM")                                                              \
    X(TRITON, "Triton")                                                                \
    X(VENDOR_GEMM, "vendor GEMM")                                                      \
    X(VENDOR_DNN, "vendor DNN")                                                        \
    X(PYTORCH, "PyTorch Native")                                                       \
    X(NONE, "")

enum kernel_family {
#define X(id, word) FAMILY_##id,
    KERNEL_FAMILIES_LIST(X)
#undef X
};

enum kernel_family kernel_family_of(struct str name);
struct str kernel_family_word(enum kernel_family f);

/* Digits behind the first `word` of a name, at most four; 0: no such word, or no digits
 * there. */
int kernel_number_behind(struct str name, struct str word);

#endif
