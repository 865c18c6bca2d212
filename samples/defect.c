#include "defect.h"

#include <string.h>

const char *const workload_names[WORKLOAD_KINDS] = {
    [KIND_LLM_PREFILL] = "llm-prefill",   [KIND_LLM_DECODE] = "llm-decode",
    [KIND_CNN_TRAINING] = "cnn-training", [KIND_MOE] = "moe",
    [KIND_HEALTHY] = "healthy",           [KIND_SERVING] = "serving",
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
        PREFILL | DECODE, MEASURE_KERNELS, "a product of 100 000 tiny matrices in each layer", false},
    [DEFECT_UNFUSED_ATTENTION] = {"unfused-attention", "aten::_softmax", "sdpa_fwd",
        PREFILL, MEASURE_KERNELS, "scores, mask, softmax and values as separate kernels", false},
    [DEFECT_SKINNY_GEMM] = {"skinny-gemm", "aten::mm", "gemm",
        PREFILL, MEASURE_KERNELS, "tall products with 64 columns, far below the bandwidth", false},
    [DEFECT_FEW_TILES_GEMM] = {"few-tiles-gemm", "aten::mm", "gemm",
        PREFILL, MEASURE_KERNELS, "512 x 512 results of a very long sum: 8 tiles of work", false},
    [DEFECT_CONV_TRANSPOSES] = {"conv-transposes", "aten::convolution", "convolution",
        CNN, MEASURE_KERNELS, "layout conversion around every convolution", false},
    [DEFECT_ITEM_SYNC] = {"item-sync", "aten::_local_scalar_dense", "cpu_idle",
        PREFILL | DECODE | CNN, MEASURE_IDLE, "a scalar read in each layer, and the host thinks", false},
    [DEFECT_EXPOSED_ALLREDUCE] = {"exposed-allreduce", "record_param_comms", "multi_kernel",
        CNN, MEASURE_EXPOSED_COMM, "gradients are reduced after the backward pass, not during it", false},
    [DEFECT_SLOW_BATCH_NORM] = {"slow-batch-norm", "aten::batch_norm", "batchnorm",
        CNN, MEASURE_KERNELS, "batch norm at a few per cent of the bandwidth", false},
    [DEFECT_MANY_SMALL_COPIES] = {"many-small-copies", "aten::copy_", "multi_kernel",
        PREFILL | DECODE | CNN, MEASURE_KERNELS, "many small copies to and from the host", false},
    [DEFECT_HOST_BOUND] = {"host-bound", "aten::linear", "cpu_idle",
        PREFILL | DECODE | CNN, MEASURE_IDLE, "short kernels, launched slower than they run", false},
    [DEFECT_UNFUSED_ELEMENTWISE] = {"unfused-elementwise", "aten::mul", "elementwise",
        PREFILL, MEASURE_KERNELS, "activation and rotation as chains of slow single steps", false},
    [DEFECT_MOE_FEW_TOKENS] = {"moe-few-tokens", "vllm::rocm_aiter_fused_moe", "moe_fused",
        MOE, MEASURE_KERNELS, "four tokens for each expert: all weights for little work", false},
    [DEFECT_SLOW_SOFTMAX] = {"slow-softmax", "aten::_softmax", "reduce",
        PREFILL, MEASURE_KERNELS, "a softmax outside attention at 2 % of the bandwidth", false},
    [DEFECT_SLOW_REDUCE] = {"slow-reduce", "aten::mean", "reduce",
        PREFILL | CNN, MEASURE_KERNELS, "a mean over a whole activation at 2 % of the bandwidth", false},
    [DEFECT_ALLOC_IN_STEP] = {"alloc-in-step", "", "cpu_idle",
        PREFILL | CNN, MEASURE_IDLE, "memory of the device is returned to the driver in each layer", false},
    [DEFECT_CPU_PREPROCESSING] = {"cpu-preprocessing", "", "cpu_idle",
        PREFILL | DECODE | CNN, MEASURE_IDLE, "images are resized in Python between two steps", false},
    [DEFECT_FIRST_LAUNCH] = {"first-launch", "", "cpu_idle",
        PREFILL | CNN, MEASURE_IDLE, "the first launch of each function loads its code", false},
    [DEFECT_PAGEABLE_COPIES] = {"pageable-copies", "aten::copy_", "multi_kernel",
        CNN, MEASURE_KERNELS, "the batch is copied from pageable memory; mended: pinned", true},
    [DEFECT_ALLREDUCE_PER_PARAMETER] = {"allreduce-per-parameter", "record_param_comms",
        "multi_kernel", CNN, MEASURE_EXPOSED_COMM,
        "after the backward pass each gradient is reduced by a call of its own", false},
    [DEFECT_FP32_GEMM] = {"fp32-gemm", "aten::mm", "gemm",
        PREFILL, MEASURE_KERNELS, "two products of each layer in fp32; mended: bf16", false},
    [DEFECT_ALIGN1_GEMM] = {"align1-gemm", "aten::mm", "gemm",
        PREFILL, MEASURE_KERNELS, "a product with 10001 columns; mended: 10008", true},
    [DEFECT_SLOW_SMALL_KERNELS] = {"slow-small-kernels", "aten::_softmax", "reduce",
        PREFILL, MEASURE_KERNELS, "slow among the short kernels of host-bound: the host hides them", false},
    [DEFECT_LEADING_ARTEFACT] = {"leading-artefact", "", "",
        PREFILL | CNN, MEASURE_NOTHING, "no mistake: the device is busy with older work at first", false},
    [DEFECT_PINNED_COPIES] = {"pinned-copies", "aten::copy_", "",
        CNN, MEASURE_NOTHING, "no mistake: the batch is copied from pinned memory", true},
    [DEFECT_GPU_GRAPH] = {"gpu-graph", "", "",
        DECODE, MEASURE_NOTHING, "no mistake: the layers run as one GPU graph", false},
    [DEFECT_COMPILED] = {"compiled", "", "",
        PREFILL, MEASURE_NOTHING, "no mistake: the layers are compiled", false},
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
