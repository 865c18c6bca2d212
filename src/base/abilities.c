#include "base/abilities.h"

/* `DEVICE`: the activity that records its work. */
#define TORCH(NAMESPACE, DEVICE)                                                       \
    .shapes = S_INIT("record_shapes=True"), .stacks = S_INIT("with_stack=True"),       \
    .host = S_INIT(NAMESPACE "ProfilerActivity.CPU"),                                  \
    .device = S_INIT(NAMESPACE "ProfilerActivity." DEVICE),                            \
    .both = S_INIT(NAMESPACE "ProfilerActivity.CPU and " NAMESPACE                     \
                             "ProfilerActivity." DEVICE),                              \
    .activities = S_INIT("activities=[" NAMESPACE "ProfilerActivity.CPU, " NAMESPACE   \
                         "ProfilerActivity." DEVICE "]"),                              \
    .steps = S_INIT("call step() of the profiler after each one"), .has_shapes = true, \
    .slows_by_shapes = true

#define TORCH_OWN                                                                      \
    .profiler = S_INIT("the PyTorch profiler"),                                        \
    .memory = S_INIT("profile_memory=True"),                                           \
    .sizes = S_INIT("a newer PyTorch, which writes them"), .is_torch = true

const struct source_abilities torch_abilities = {TORCH_OWN, TORCH("", "CUDA")};
static const struct source_abilities xpu_abilities = {TORCH_OWN, TORCH("", "XPU")};
static const struct source_abilities hpu_abilities = {TORCH_OWN, TORCH("", "HPU")};

/* Allocations are in files of their own, which are not read. */
static const struct source_abilities npu_abilities = {
    .profiler = S_INIT("torch_npu"), TORCH("torch_npu.profiler.", "NPU")};

const struct source_abilities *abilities_on(const struct source_abilities *of,
                                            struct str vendor)
{
    if (abilities_of(of) != &torch_abilities)
        return of;
    return str_has(vendor, S("NPU"))   ? &npu_abilities
           : str_has(vendor, S("XPU")) ? &xpu_abilities
           : str_has(vendor, S("HPU")) ? &hpu_abilities
                                       : of;
}

/* Ranges of NVTX and rocTX hold PyTorch's operators and their sizes, but no frames. */
#define OPERATORS_ARE_RANGES(API)                                                      \
    .steps = S_INIT("put each into a range of " API                                    \
                    " called ProfilerStep#1, ProfilerStep#2 and so on"),               \
    .shapes = S_INIT("emit_nvtx, record_shapes=True"),                                 \
    .stacks = S_INIT("torch.profiler, with_stack=True"),                               \
    .sizes = S_INIT("torch.profiler, if the program is PyTorch's"),                    \
    .has_shapes = true, .slows_by_shapes = true

const struct source_abilities nsys_abilities = {
    .profiler = S_INIT("Nsight Systems"),
    .host = S_INIT("nsys profile --trace=cuda,nvtx"),
    .device = S_INIT("nsys profile --trace=cuda"),
    .both = S_INIT("nsys profile --trace=cuda,nvtx"),
    .activities = S_INIT("nsys profile --trace=cuda,nvtx"),
    OPERATORS_ARE_RANGES("NVTX"),
};

/* The same in each of its formats: rocpd, JSON and Perfetto. */
const struct source_abilities rocprof_abilities = {
    .profiler = S_INIT("rocprofv3"),
    .host = S_INIT("rocprofv3 --hip-trace --marker-trace"),
    .device = S_INIT("rocprofv3 --kernel-trace --memory-copy-trace"),
    .both = S_INIT("rocprofv3 --sys-trace"),
    .activities = S_INIT("rocprofv3 --sys-trace"),
    OPERATORS_ARE_RANGES("rocTX"),
};

const struct source_abilities rpd_abilities = {
    .profiler = S_INIT("rocmProfileData"),
    .host = S_INIT("runTracer.sh"),
    .device = S_INIT("runTracer.sh"),
    .both = S_INIT("runTracer.sh"),
    .activities = S_INIT("runTracer.sh"),
    OPERATORS_ARE_RANGES("rocTX"),
};

const struct source_abilities jax_abilities = {
    .profiler = S_INIT("the JAX profiler"),
    .shapes = S_INIT("XLA_FLAGS=--xla_dump_to=DIR"),
    .stacks = S_INIT("ProfileOptions.python_tracer_level = 1"),
    .host = S_INIT("ProfileOptions.host_tracer_level = 2"),
    .device = S_INIT("jax.profiler.trace"),
    .both = S_INIT("jax.profiler.trace"),
    .activities = S_INIT("ProfileOptions.host_tracer_level = 2"),
    .steps = S_INIT("put each into jax.profiler.StepTraceAnnotation, with step_num"),
};
