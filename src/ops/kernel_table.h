/* kernel_table.h - kernels by who launched them, and the short ones.
 *
 * Holds every kernel event of the file, linked or not, as the reference does: its sum
 * may exceed the timeline's. Copies and memsets are not in it. */
#ifndef OPS_KERNEL_TABLE_H
#define OPS_KERNEL_TABLE_H

#include "ops/op_calls.h"
#include "ops/sample_stats.h"

struct kernel_row {
    struct str
        category;  /* of the operator; "graph", "runtime"; n == 0: no launch call */
    struct str op; /* operator, else launch call; n == 0: none */
    struct str kernel;
    int64_t stream;
    struct sample_stats us;
    double kernels_pct, total_pct; /* of all kernel time; of the timeline's total */
};

struct short_kernel_row {
    struct str op; /* n == 0 in a table by kernel name alone */
    const struct op_texts *texts;
    struct str kernel;
    int64_t n;
    double sum_us, mean_us, total_pct;
};

struct kernel_tables {
    struct kernel_row *rows; /* by time, longest first */
    int32_t n;

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
