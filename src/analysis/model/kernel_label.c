#include "analysis/model/kernel_label.h"

enum work_category kernel_label_category(struct str kernel)
{
    struct kernel_name says = kernel_name_of(kernel);
    if (says.marks & MARK_GENERATED) /* its name has the operators that it replaces */
        return WORK_TRITON;
    switch ((enum kernel_label)says.label) {
    case KERNEL_TRITON_POINTWISE:
    case KERNEL_TRITON_REDUCTION:
    case KERNEL_TRITON_PERSISTENT:
        return WORK_TRITON;
    case KERNEL_GEMM:
        return WORK_GEMM;
    case KERNEL_ATTENTION:
        return says.marks & MARK_BACKWARD ? WORK_SDPA_BWD : WORK_SDPA_FWD;
    case KERNEL_MOE_GEMM:
    case KERNEL_MOE_ROUTING:
        return WORK_MOE_FUSED;
    case KERNEL_CONVOLUTION:
        return WORK_CONVOLUTION;
    case KERNEL_NORMALIZATION:
        return says.marks & MARK_BATCH_NORM ? WORK_BATCHNORM : WORK_NORM;
    case KERNEL_SOFTMAX:
    case KERNEL_REDUCE:
        return WORK_REDUCE;
    case KERNEL_ELEMENTWISE:
    case KERNEL_TRANSPOSE:
        return WORK_ELEMENTWISE;
    case KERNEL_MEMCPY:
    case KERNEL_MEMSET:
        return WORK_COPY;
    case KERNEL_COMMUNICATION:
        return WORK_COMMUNICATION;
    case KERNEL_CACHE_STORE: /* it writes what attention reads, and attends to nothing
                              */
    case KERNEL_EMBEDDING:
    case KERNEL_OPTIMIZER:
    case KERNEL_ROTARY:
    case KERNEL_QUANTIZATION:
        return WORK_OTHER;
    default:
        return says.marks & MARK_TRITON ? WORK_TRITON : WORK_CATEGORIES;
    }
}
