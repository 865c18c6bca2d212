#include "defect.h"

#include <string.h>

const char *const workload_names[WORKLOAD_KINDS] = {
    [KIND_LLM_PREFILL] = "llm-prefill",   [KIND_LLM_DECODE] = "llm-decode",
    [KIND_CNN_TRAINING] = "cnn-training", [KIND_MOE] = "moe",
    [KIND_HEALTHY] = "healthy",
};

enum {
    PREFILL = 1 << KIND_LLM_PREFILL | 1 << KIND_HEALTHY | 1 << KIND_MOE,
    DECODE = 1 << KIND_LLM_DECODE,
    CNN = 1 << KIND_CNN_TRAINING,
    MOE = 1 << KIND_MOE
};

/* clang-format off */
const struct defect_info defect_infos[DEFECTS] = {
    [DEFECT_TINY_BATCHED_GEMM] = {"tiny-batched-gemm", "aten::bmm", "gemm",
        PREFILL | DECODE, MEASURE_KERNELS, "a product of 100 000 tiny matrices in each layer"},
    [DEFECT_UNFUSED_ATTENTION] = {"unfused-attention", "aten::_softmax", "sdpa_fwd",
        PREFILL, MEASURE_KERNELS, "scores, mask, softmax and values as separate kernels"},
    [DEFECT_SKINNY_GEMM] = {"skinny-gemm", "aten::mm", "gemm",
        PREFILL, MEASURE_KERNELS, "tall products with 64 columns, far below the bandwidth"},
    [DEFECT_FEW_TILES_GEMM] = {"few-tiles-gemm", "aten::mm", "gemm",
        PREFILL, MEASURE_KERNELS, "512 x 512 results of a very long sum: 8 tiles of work"},
    [DEFECT_CONV_TRANSPOSES] = {"conv-transposes", "aten::convolution", "convolution",
        CNN, MEASURE_KERNELS, "layout conversion around every convolution"},
    [DEFECT_ITEM_SYNC] = {"item-sync", "aten::_local_scalar_dense", "cpu_idle",
        PREFILL | DECODE | CNN, MEASURE_IDLE, "a scalar read in each layer, and the host thinks"},
    [DEFECT_EXPOSED_ALLREDUCE] = {"exposed-allreduce", "record_param_comms", "multi_kernel",
        CNN, MEASURE_EXPOSED_COMM, "gradients are reduced after the backward pass, not during it"},
    [DEFECT_SLOW_BATCH_NORM] = {"slow-batch-norm", "aten::batch_norm", "batchnorm",
        CNN, MEASURE_KERNELS, "batch norm at a few per cent of the bandwidth"},
    [DEFECT_MANY_SMALL_COPIES] = {"many-small-copies", "aten::copy_", "multi_kernel",
        PREFILL | DECODE | CNN, MEASURE_KERNELS, "many small copies to and from the host"},
    [DEFECT_HOST_BOUND] = {"host-bound", "aten::linear", "cpu_idle",
        PREFILL | DECODE | CNN, MEASURE_IDLE, "short kernels, launched slower than they run"},
    [DEFECT_UNFUSED_ELEMENTWISE] = {"unfused-elementwise", "aten::mul", "elementwise",
        PREFILL, MEASURE_KERNELS, "activation and rotation as chains of slow single steps"},
    [DEFECT_MOE_FEW_TOKENS] = {"moe-few-tokens", "vllm::rocm_aiter_fused_moe", "moe_fused",
        MOE, MEASURE_KERNELS, "four tokens for each expert: all weights for little work"},
    [DEFECT_SLOW_SOFTMAX] = {"slow-softmax", "aten::_softmax", "reduce",
        PREFILL, MEASURE_KERNELS, "a softmax outside attention at 2 % of the bandwidth"},
    [DEFECT_SLOW_REDUCE] = {"slow-reduce", "aten::mean", "reduce",
        PREFILL | CNN, MEASURE_KERNELS, "a mean over a whole activation at 2 % of the bandwidth"},
};
/* clang-format on */

int defect_find(const char *name)
{
    for (int i = 0; i < DEFECTS; i++)
        if (strcmp(defect_infos[i].name, name) == 0)
            return i;
    return -1;
}

int workload_find(const char *name)
{
    for (int i = 0; i < WORKLOAD_KINDS; i++)
        if (strcmp(workload_names[i], name) == 0)
            return i;
    return -1;
}
