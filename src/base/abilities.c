#include "base/abilities.h"

const struct source_abilities torch_abilities = {
    .profiler = S_INIT("the PyTorch profiler"),
    .shapes = S_INIT("record_shapes=True"),
    .stacks = S_INIT("with_stack=True"),
    .host = S_INIT("ProfilerActivity.CPU"),
    .device = S_INIT("ProfilerActivity.CUDA"),
    .both = S_INIT("ProfilerActivity.CPU and ProfilerActivity.CUDA"),
    .activities = S_INIT("activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]"),
    .memory = S_INIT("profile_memory=True"),
    .has_shapes = true,
};

/* Ranges of NVTX and rocTX hold PyTorch's operators and their sizes, but no frames. */
#define OPERATORS_ARE_RANGES                                                           \
    .shapes = S_INIT("emit_nvtx, record_shapes=True"),                                 \
    .stacks = S_INIT("torch.profiler, with_stack=True"), .has_shapes = true

const struct source_abilities nsys_abilities = {
    .profiler = S_INIT("Nsight Systems"),
    .host = S_INIT("nsys profile --trace=cuda,nvtx"),
    .device = S_INIT("nsys profile --trace=cuda"),
    .both = S_INIT("nsys profile --trace=cuda,nvtx"),
    .activities = S_INIT("nsys profile --trace=cuda,nvtx"),
    OPERATORS_ARE_RANGES,
};

/* The same in each of its formats: rocpd, JSON and Perfetto. */
const struct source_abilities rocprof_abilities = {
    .profiler = S_INIT("rocprofv3"),
    .host = S_INIT("rocprofv3 --hip-trace --marker-trace"),
    .device = S_INIT("rocprofv3 --kernel-trace --memory-copy-trace"),
    .both = S_INIT("rocprofv3 --sys-trace"),
    .activities = S_INIT("rocprofv3 --sys-trace"),
    OPERATORS_ARE_RANGES,
};

const struct source_abilities rpd_abilities = {
    .profiler = S_INIT("rocmProfileData"),
    .host = S_INIT("runTracer.sh"),
    .device = S_INIT("runTracer.sh"),
    .both = S_INIT("runTracer.sh"),
    .activities = S_INIT("runTracer.sh"),
    OPERATORS_ARE_RANGES,
};

const struct source_abilities jax_abilities = {
    .profiler = S_INIT("the JAX profiler"),
    .shapes = S_INIT("XLA_FLAGS=--xla_dump_to=DIR"),
    .stacks = S_INIT("ProfileOptions.python_tracer_level = 1"),
    .host = S_INIT("ProfileOptions.host_tracer_level = 2"),
    .device = S_INIT("jax.profiler.trace"),
    .both = S_INIT("jax.profiler.trace"),
    .activities = S_INIT("ProfileOptions.host_tracer_level = 2"),
};
