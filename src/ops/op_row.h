/* op_row.h - a call, and a row of calls, as tables, analysis and pages read them.
 *
 * Only values; op_calls.h and op_groups.h build them. Events are ids of the store. */
#ifndef OPS_OP_ROW_H
#define OPS_OP_ROW_H

#include "base/str.h"
#include "base/value.h"
#include "ops/sample_stats.h"
#include "perf/device_spec.h"

struct perf_cost;

/* One call with its device work. */
struct op_call_row {
    int32_t event; /* the operator or runtime call; of a synthetic row its parent; of an
                      unlinked one the device event itself */
    int32_t uid;   /* the reference's UID; synthetic rows count on after the file */
    struct str name;
    struct str category;
    int64_t direct_ns;      /* union of the row's kernels: its time in every table */
    int64_t subtree_ns;     /* union of all device work below, communication too */
    const int32_t *kernels; /* its device work */
    const struct perf_cost *cost; /* NULL: no model, or the model failed */
    int32_t n_kernels;
    bool has_model : 1; /* in the reference: its own, or that of the forward operator */
    bool synthetic : 1, backward : 1, recompute : 1;
    bool part : 1;     /* of a call that is of no one kind: op_parts.h; synthetic */
    bool in_op : 1;    /* synthetic, and its parent is an operator */
    bool unlinked : 1; /* device work that no recorded call launched: named by its
                          kernel */
};

/* Statistics of the kernels at one position of a group's calls, or of one name, in us.
 */
struct kernel_detail {
    struct str name;
    int64_t stream;
    int64_t n;
    double total_us, mean_us, median_us, std_us, min_us, max_us; /* std: population */
};

/* Arguments as the trace has them. Equal texts are equal values, at one address. */
struct args_text {
    bool any; /* else the call has no arguments at all, not even empty ones */
    struct str dims, types, strides, concrete;
};

/* Where a call ran; "Unknown" where the trace does not name it. */
struct lane_names {
    struct str process, label, thread;
};

/* Calls with the same name and arguments. */
struct op_group {
    const struct op_call_row *first;
    struct call_args args;
    const struct lane_names *lane; /* of the first */
    const int32_t *members;        /* rows of the calls */
    int32_t n;
    int32_t n_kernels, n_placed;
    int32_t n_folded; /* argument sets that this row stands for, while `args` is empty;
                         0: it has one of its own */
    struct kernel_detail *kernels; /* by what they are called */
    struct kernel_detail *placed;  /* by position, as the reference has them; the same
                                      if all calls launch the same */
    struct sample_stats direct_us;
    double direct_p95_us, host_us;    /* host: of all calls */
    double share_pct, cumulative_pct; /* of direct_us.sum over all groups */

    /* From the performance model; NaN or empty without one. */
    double gflop, byte, flop_per_byte;
    struct str compute_spec;
    const struct perf_cost *cost; /* of the first call that has one, or NULL; the
                                     reference's before ours */
    double tb_per_s, tflop_per_s, roofline_pct; /* mean of the calls */
    double roofline_us;
    enum roofline_bound bound;
    bool has_model;
    bool copies;   /* part of its first call copies memory */
    bool computes; /* and most of the time of all its calls is kernels all the same */
};

/* A row of a table: what only tables say of a group, too. */
struct op_group_row {
    struct op_group group;
    struct sample_stats subtree_us, host_us, tb_per_s, tflop_per_s, roofline_pct;
};

#endif
