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
        PREFILL | DECODE, MEASURE_KERNELS, "a product of 100 000 tiny matrices in each layer", false, NULL},
    [DEFECT_UNFUSED_ATTENTION] = {"unfused-attention", "aten::_softmax", "sdpa_fwd",
        PREFILL, MEASURE_KERNELS, "scores, mask, softmax and values as separate kernels", false, NULL},
    [DEFECT_SKINNY_GEMM] = {"skinny-gemm", "aten::mm", "gemm",
        PREFILL, MEASURE_KERNELS, "tall products with 64 columns, far below the bandwidth", false, NULL},
    [DEFECT_FEW_TILES_GEMM] = {"few-tiles-gemm", "aten::mm", "gemm",
        PREFILL, MEASURE_KERNELS, "512 x 512 results of a very long sum: 8 tiles of work", false, NULL},
    [DEFECT_CONV_TRANSPOSES] = {"conv-transposes", "aten::convolution", "convolution",
        CNN, MEASURE_KERNELS, "layout conversion around every convolution", false, NULL},
    [DEFECT_ITEM_SYNC] = {"item-sync", "aten::_local_scalar_dense", "cpu_idle",
        PREFILL | DECODE | CNN, MEASURE_IDLE, "a scalar read in each layer, and the host thinks", false, NULL},
    [DEFECT_EXPOSED_ALLREDUCE] = {"exposed-allreduce", "record_param_comms", "multi_kernel",
        CNN, MEASURE_EXPOSED_COMM, "gradients are reduced after the backward pass, not during it", false, NULL},
    [DEFECT_SLOW_BATCH_NORM] = {"slow-batch-norm", "aten::batch_norm", "batchnorm",
        CNN, MEASURE_KERNELS, "batch norm at a few per cent of the bandwidth", false, NULL},
    [DEFECT_MANY_SMALL_COPIES] = {"many-small-copies", "aten::copy_", "multi_kernel",
        PREFILL | DECODE | CNN, MEASURE_KERNELS, "many small copies to and from the host", false, NULL},
    [DEFECT_HOST_BOUND] = {"host-bound", "aten::linear", "cpu_idle",
        PREFILL | DECODE | CNN, MEASURE_IDLE, "short kernels, launched slower than they run", false, NULL},
    [DEFECT_UNFUSED_ELEMENTWISE] = {"unfused-elementwise", "aten::mul", "elementwise",
        PREFILL, MEASURE_KERNELS, "activation and rotation as chains of slow single steps", false, NULL},
    [DEFECT_MOE_FEW_TOKENS] = {"moe-few-tokens", "vllm::rocm_aiter_fused_moe", "moe_fused",
        MOE, MEASURE_KERNELS, "four tokens for each expert: all weights for little work", false, NULL},
    [DEFECT_SLOW_SOFTMAX] = {"slow-softmax", "aten::_softmax", "reduce",
        PREFILL, MEASURE_KERNELS, "a softmax outside attention at 2 % of the bandwidth", false, NULL},
    [DEFECT_SLOW_REDUCE] = {"slow-reduce", "aten::mean", "reduce",
        PREFILL | CNN, MEASURE_KERNELS, "a mean over a whole activation at 2 % of the bandwidth", false, NULL},
    [DEFECT_ALLOC_IN_STEP] = {"alloc-in-step", "", "cpu_idle",
        PREFILL | CNN, MEASURE_IDLE, "memory of the device is returned to the driver in each layer", false, NULL},
    [DEFECT_CPU_PREPROCESSING] = {"cpu-preprocessing", "", "cpu_idle",
        PREFILL | DECODE | CNN, MEASURE_IDLE, "images are resized in Python between two steps", false, NULL},
    [DEFECT_INPUT_LOOP] = {"input-loop", "", "cpu_idle",
        PREFILL, MEASURE_IDLE, "before each step the host prepares an input and copies it to the device, without a data loader", false,
        "nothing is copied"},
    [DEFECT_CPU_ATTENTION] = {"cpu-attention", "aten::bmm", "cpu_idle",
        PREFILL | DECODE, MEASURE_IDLE, "attention over an offloaded cache is computed on the CPU", false,
        "it launches what computes it"},
    [DEFECT_HOST_PAUSE] = {"host-pause", "", "cpu_idle",
        PREFILL, MEASURE_IDLE, "in every third step the host stands still for 60 ms in a function that is short otherwise", false,
        "the function is not called otherwise"},
    [DEFECT_HOST_SAMPLER] = {"host-sampler", "", "cpu_idle",
        PREFILL | DECODE, MEASURE_IDLE, "logits are copied to the host, and tokens are chosen there for 30 ms", false,
        "another function copies them, and this one makes the next input"},
    [DEFECT_FIRST_LAUNCH] = {"first-launch", "", "cpu_idle",
        PREFILL | CNN, MEASURE_IDLE, "the first launch of each function loads its code", false, NULL},
    [DEFECT_PAGEABLE_COPIES] = {"pageable-copies", "aten::copy_", "multi_kernel",
        CNN, MEASURE_KERNELS, "the batch is copied from pageable memory; fixed: pinned", true, NULL},
    [DEFECT_ALLREDUCE_PER_PARAMETER] = {"allreduce-per-parameter", "record_param_comms",
        "multi_kernel", CNN, MEASURE_EXPOSED_COMM,
        "after the backward pass each gradient is reduced by a call of its own", false, NULL},
    [DEFECT_FP32_GEMM] = {"fp32-gemm", "aten::mm", "gemm",
        PREFILL, MEASURE_KERNELS, "two products of each layer in fp32; fixed: bf16", false, NULL},
    [DEFECT_ALIGN1_GEMM] = {"align1-gemm", "aten::mm", "gemm",
        PREFILL, MEASURE_KERNELS, "a product with 10001 columns; fixed: 10008", true, NULL},
    [DEFECT_SLOW_SMALL_KERNELS] = {"slow-small-kernels", "aten::_softmax", "reduce",
        PREFILL, MEASURE_KERNELS, "slow among the short kernels of host-bound: the host hides them", false, NULL},
    [DEFECT_SLOW_CLOCKS] = {"slow-clocks", "", "multi_kernel",
        PREFILL | CNN, MEASURE_KERNELS, "in the second half of the steps kernels take 1.4 times as long", false,
        "1.08 times"},
    [DEFECT_FEW_BLOCKS] = {"few-blocks", "fastwalk::step", "other",
        PREFILL | DECODE, MEASURE_KERNELS, "a kernel of one block in each layer, of an operator nobody models", false,
        "a quarter of the compute units"},
    [DEFECT_FEW_BLOCKS_BRIEF] = {"few-blocks-brief", "fastwalk::step", "other",
        PREFILL, MEASURE_KERNELS, "few-blocks, for 5.4 % of the time of all kernels", false,
        "4.4 %"},
    [DEFECT_OTHER_PROCESS] = {"other-process", "", "cpu_idle",
        PREFILL | DECODE | CNN, MEASURE_IDLE, "another process has the device for 4 of every 10 ms", false,
        "2 of every 10 ms"},
    [DEFECT_LEADING_ARTEFACT] = {"leading-artefact", "", "",
        PREFILL | CNN, MEASURE_NOTHING, "no mistake: the device is busy with older work at first", false, NULL},
    [DEFECT_PINNED_COPIES] = {"pinned-copies", "aten::copy_", "",
        CNN, MEASURE_NOTHING, "no mistake: the batch is copied from pinned memory", true, NULL},
    [DEFECT_GPU_GRAPH] = {"gpu-graph", "", "",
        DECODE, MEASURE_NOTHING, "no mistake: the layers run as one GPU graph", false, NULL},
    [DEFECT_SILENT_GRAPHS] = {"silent-graphs", "", "",
        DECODE, MEASURE_NOTHING, "no mistake: of GPU graphs, only the first has its kernels recorded", false, NULL},
    [DEFECT_PARTIAL_GRAPHS] = {"partial-graphs", "", "",
        DECODE, MEASURE_NOTHING, "no mistake: of GPU graphs, the first 40 % of the kernels are recorded", false,
        "60 %"},
    [DEFECT_UNRECORDED_WAIT] = {"unrecorded-wait", "", "",
        PREFILL | DECODE, MEASURE_NOTHING, "no mistake: in each layer the host waits for 0.6 ms of work that is not recorded", false,
        "0.4 ms"},
    [DEFECT_START_SKEW] = {"start-skew", "", "",
        CNN, MEASURE_NOTHING, "no mistake: the first all-reduce waits 400 ms for the recordings of other ranks", false,
        "it takes 8 times as long as others of its size"},
    [DEFECT_DEFERRED_STAMPS] = {"deferred-stamps", "", "",
        PREFILL, MEASURE_NOTHING, "no mistake: kernels get the time of a flush every 5 ms, 0.8 us apart", false,
        "1.2 us apart"},
    [DEFECT_COMPILED] = {"compiled", "", "",
        PREFILL, MEASURE_NOTHING, "no mistake: the layers are compiled", false, NULL},
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
