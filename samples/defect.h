/* defect.h - the mistakes a sample can contain, and what each of them costs.
 *
 * A defect is one bit of a mask. While a trace is made, whatever launches a defective
 * kernel adds its time to the tally, next to the time the same purpose would have
 * taken. */
#ifndef SAMPLE_DEFECT_H
#define SAMPLE_DEFECT_H

#include <stdbool.h>
#include <stdint.h>

enum workload_kind {
    KIND_LLM_PREFILL,
    KIND_LLM_DECODE,
    KIND_CNN_TRAINING,
    KIND_MOE,
    KIND_HEALTHY,
    KIND_SERVING, /* llm-prefill and llm-decode by turns */
    WORKLOAD_KINDS
};

enum defect {
    DEFECT_TINY_BATCHED_GEMM,
    DEFECT_UNFUSED_ATTENTION,
    DEFECT_SKINNY_GEMM,
    DEFECT_FEW_TILES_GEMM,
    DEFECT_CONV_TRANSPOSES,
    DEFECT_ITEM_SYNC,
    DEFECT_EXPOSED_ALLREDUCE,
    DEFECT_SLOW_BATCH_NORM,
    DEFECT_MANY_SMALL_COPIES,
    DEFECT_HOST_BOUND,
    DEFECT_UNFUSED_ELEMENTWISE,
    DEFECT_MOE_FEW_TOKENS,
    DEFECT_SLOW_SOFTMAX,
    DEFECT_SLOW_REDUCE,
    DEFECT_ALLOC_IN_STEP,
    DEFECT_CPU_PREPROCESSING,
    DEFECT_INPUT_LOOP,
    DEFECT_CPU_ATTENTION,
    DEFECT_HOST_PAUSE,
    DEFECT_HOST_SAMPLER,
    DEFECT_FIRST_LAUNCH,
    DEFECT_PAGEABLE_COPIES,
    DEFECT_ALLREDUCE_PER_PARAMETER,
    DEFECT_FP32_GEMM,
    DEFECT_ALIGN1_GEMM,
    DEFECT_SLOW_SMALL_KERNELS,
    DEFECT_SLOW_CLOCKS,
    DEFECT_FEW_BLOCKS,
    DEFECT_FEW_BLOCKS_BRIEF,
    DEFECT_OTHER_PROCESS,
    DEFECT_LEADING_ARTEFACT,
    DEFECT_PINNED_COPIES,
    DEFECT_GPU_GRAPH,
    DEFECT_SILENT_GRAPHS,
    DEFECT_PARTIAL_GRAPHS,
    DEFECT_UNRECORDED_WAIT,
    DEFECT_START_SKEW,
    DEFECT_DEFERRED_STAMPS,
    DEFECT_COMPILED,
    DEFECTS,
    DEFECT_NONE = -1
};

/* What the saving of a defect is measured on. MEASURE_NOTHING: no mistake, but
 * something that must not be taken for one; it saves nothing. */
enum defect_measure {
    MEASURE_KERNELS,
    MEASURE_IDLE,
    MEASURE_EXPOSED_COMM,
    MEASURE_NOTHING
};

struct defect_info {
    const char *name;
    const char *op;       /* as the trace spells it */
    const char *category; /* of the analysis that should find it */
    unsigned kinds;       /* bit per workload_kind */
    enum defect_measure measure;
    const char *note; /* one line for --help */
    bool cuda_only;   /* a HIP trace does not show it */
    const char *near; /* how it is just not one, by --near; NULL: no such */
};

extern const struct defect_info defect_infos[DEFECTS];
extern const char *const workload_names[WORKLOAD_KINDS];

struct defect_tally {
    int64_t count;   /* occurrences */
    int64_t time_ns; /* of the kernels that are wrong */
    double ideal_ns; /* what would have been enough */
};

/* Enumerators by name; -1 when unknown. */
int defect_find(const char *name);
int workload_find(const char *name);

#endif
