/* op_groups.h - calls with the same name and arguments, as one row of a table.
 *
 * Groups lie in the arena of the builder; the calls they stand for are lent. */
#ifndef OPS_OP_GROUPS_H
#define OPS_OP_GROUPS_H

#include "ops/op_calls.h"
#include "ops/sample_stats.h"
#include "perf/device_spec.h"

/* Statistics of the kernels at one position of a group's calls, in us. */
struct kernel_detail {
    struct str name;
    int64_t stream;
    int64_t n;
    double total_us, mean_us, median_us, std_us, min_us, max_us; /* std: population */
};

struct op_group {
    const struct op_call_row *first;
    const struct op_texts *texts; /* arguments; NULL: none */
    const struct lane *lane;
    const int32_t *members; /* rows of the calls */
    int32_t n;
    struct sample_stats direct_us, subtree_us, host_us;
    double share_pct, cumulative_pct; /* of direct_us.sum over all groups */
    struct kernel_detail *kernels;
    int32_t n_kernels;

    /* What a performance model says; NaN or empty where none does. */
    double gflop, byte, flop_per_byte;
    struct str compute_spec;
    const struct perf_cost *cost; /* of the first call that has one, or NULL */
    struct sample_stats tb_per_s, tflop_per_s, roofline_pct;
    double roofline_us;
    enum roofline_bound bound;
    bool has_model;
};

struct op_groups {
    struct op_group *rows; /* by time, longest first, then by UID */
    int32_t n;
    struct op_calls calls; /* what members count; its rows are lent */
};

enum group_by {
    BY_ARGUMENTS, /* name, category, lane, dims, types, strides, concrete inputs */
    BY_PARAMETERS /* name and model parameters; every row has a cost */
};

/* `device` may be NULL: no roofline. */
struct op_groups groups_build(struct arena *perm, struct arena tmp,
                              const struct trace_view *v, const struct op_calls *calls,
                              enum group_by by, const struct device_spec *device);

/* Kernel statistics by position over lists of device events; lists of another length
 * than the first one that is not empty are skipped. */
struct kernel_detail *kernel_details(struct arena *perm, struct arena tmp,
                                     const struct event_store *s,
                                     const event_id *const *lists,
                                     const int32_t *lengths, int32_t n,
                                     int32_t *n_details);

/* Figures of one evaluated call over a busy time. */
struct call_rates {
    double tb_per_s, tflop_per_s, roofline_pct; /* NaN: not known */
};
struct call_rates call_rates_of(const struct perf_cost *cost, int64_t busy_ns,
                                const struct roofline *roof);

#endif
