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

#define ANY_COUNTERS                                                                   \
    .counters = S_INIT("Nsight Systems (--gpu-metrics-devices=all)"),                  \
    .counters_of_amd = S_INIT("rocmProfileData")

#define TORCH_OWN                                                                      \
    .profiler = S_INIT("the PyTorch profiler"),                                        \
    .memory = S_INIT("profile_memory=True"),                                           \
    .sizes = S_INIT("a newer PyTorch, which writes them"), ANY_COUNTERS,               \
    .is_torch = true

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

/* Ranges of NVTX and rocTX hold PyTorch's operators and their sizes, but no frames.
 * `IF`: of a program that may be of anything. */
#define OPERATORS_ARE_RANGES(API, SHAPES, IF)                                          \
    .steps = S_INIT("put each into a range of " API                                    \
                    " called ProfilerStep#1, ProfilerStep#2 and so on"),               \
    .shapes = S_INIT("emit_nvtx, record_shapes=True" SHAPES IF),                       \
    .stacks = S_INIT("torch.profiler, with_stack=True" IF), .has_shapes = true,        \
    .slows_by_shapes = true

#define IF_PYTORCH         ", if the program is PyTorch's"
#define SIZES_BY_TORCH(IF) .sizes = S_INIT("torch.profiler" IF)

#define NSYS(IF)                                                                       \
    .profiler = S_INIT("Nsight Systems"),                                              \
    .host = S_INIT("nsys profile --trace=cuda,nvtx"),                                  \
    .device = S_INIT("nsys profile --trace=cuda"),                                     \
    .both = S_INIT("nsys profile --trace=cuda,nvtx"),                                  \
    .activities = S_INIT("nsys profile --trace=cuda,nvtx"),                            \
    .sizes = S_INIT("nsys profile --trace=cuda,nvtx and export with "                  \
                    "--include-blobs=true"),                                           \
    .counters = S_INIT("nsys profile --gpu-metrics-devices=all"),                      \
    OPERATORS_ARE_RANGES("NVTX", "", IF)

/* The same in each of its formats: rocpd, JSON and Perfetto. */
#define ROCPROF(IF)                                                                    \
    .profiler = S_INIT("rocprofv3"),                                                   \
    .host = S_INIT("rocprofv3 --hip-trace --marker-trace"),                            \
    .device = S_INIT("rocprofv3 --kernel-trace --memory-copy-trace"),                  \
    .both = S_INIT("rocprofv3 --sys-trace"),                                           \
    .activities = S_INIT("rocprofv3 --sys-trace"), SIZES_BY_TORCH(IF),                 \
    .counters = S_INIT("rocmProfileData"), OPERATORS_ARE_RANGES("rocTX", "", IF)

#define RPD(SHAPES, IF)                                                                \
    .profiler = S_INIT("rocmProfileData"), .host = S_INIT("runTracer.sh"),             \
    .device = S_INIT("runTracer.sh"), .both = S_INIT("runTracer.sh"),                  \
    .activities = S_INIT("runTracer.sh"), SIZES_BY_TORCH(IF),                          \
    OPERATORS_ARE_RANGES("rocTX", SHAPES, IF)

static const struct source_abilities nsys_native = {NSYS(IF_PYTORCH)};
static const struct source_abilities rocprof_native = {ROCPROF(IF_PYTORCH)};
static const struct source_abilities rpd_native = {RPD("", IF_PYTORCH)};
const struct source_abilities nsys_abilities = {NSYS(""), .native = &nsys_native};
const struct source_abilities rocprof_abilities = {ROCPROF(""),
                                                   .native = &rocprof_native};
const struct source_abilities rpd_abilities = {RPD("", ""), .native = &rpd_native};

/* What rpd2tracing writes of it has no shapes. */
const struct source_abilities rpd_json_abilities = {
    RPD(", and name the .rpd file", "")};

const struct source_abilities jax_abilities = {
    .profiler = S_INIT("the JAX profiler"),
    ANY_COUNTERS,
    .shapes = S_INIT("XLA_FLAGS=--xla_dump_to=DIR"),
    .stacks = S_INIT("ProfileOptions.python_tracer_level = 1"),
    .host = S_INIT("ProfileOptions.host_tracer_level = 2"),
    .device = S_INIT("jax.profiler.trace"),
    .both = S_INIT("jax.profiler.trace"),
    .activities = S_INIT("ProfileOptions.host_tracer_level = 2"),
    .steps = S_INIT("put each into jax.profiler.StepTraceAnnotation, with step_num"),
};
