/* kernel_table.h - kernels by launcher, and the short ones.
 *
 * Like the reference, holds every kernel event of the file, linked or not, so its sum
 * may exceed the timeline's. Rows of copies and memsets follow those of kernels. */
#ifndef OPS_KERNEL_TABLE_H
#define OPS_KERNEL_TABLE_H

#include "ops/duration_bins.h"
#include "ops/op_calls.h"
#include "ops/sample_stats.h"

struct kernel_row {
    struct str
        category;  /* of the operator; or "graph", "runtime"; n == 0: no launch call */
    struct str op; /* operator, else launch call; n == 0: none */
    struct str kernel;
    int64_t stream;
    struct sample_stats us;
    double p95_us;
    double kernels_pct, total_pct; /* of all kernel time; of view_device_ns */
    double window_pct;             /* of kernel time without the backlog; NaN: of it */
    bool is_kernel, communicates;  /* communicates: by its name */
    bool backlog;                  /* left out of the window: trace_window.h */
    int32_t group;                 /* by first appearance */
};

struct short_kernel_row {
    struct str op;         /* n == 0 in a table by kernel name alone */
    struct call_args args; /* of the operator */
    struct str kernel;
    int64_t n;
    double sum_us, mean_us, total_pct;
};

struct kernel_tables {
    struct kernel_row *rows; /* by time, longest first; the backlog behind, and behind
                                all kernels copies and memsets */
    int32_t n, n_all;        /* kernels; and with copies and memsets */
    int32_t *row_of;         /* of each device event, by its place in launch.all */
    struct duration_bins durations; /* of kernels, but those of the backlog */

    /* Kernels shorter than the threshold. */
    double threshold_us;
    int n_bins;
    double *edges; /* n_bins + 1; n_bins == 0: no short kernel */
    int64_t *counts;
    struct short_kernel_row *short_rows;
    int32_t n_short;
    bool short_by_name; /* no short kernel has an operator with shapes and strides */
};

struct kernel_tables kernel_tables_build(struct arena *perm, struct arena tmp,
                                         const struct trace_view *v,
                                         const struct op_calls *launchers);

#endif
