/* report_detail.h - what the long reports tell beyond the page: every row with its
 * figures, the system tier, call stacks, warnings.
 *
 * Filled after the report from the same analysis (report_detail.c, report_system.c), in
 * the arena of the run; read by the markdown writers. Texts called name, args, kernels,
 * modules, launcher, before, after, stack and subtree come from the trace and are
 * hostile; sentences are ours but may quote such names. Units and NaN as in report.h.
 */
#ifndef REPORT_REPORT_DETAIL_H
#define REPORT_REPORT_DETAIL_H

#include "report/report.h"

enum report_status { REPORT_OK, REPORT_NO_DATA, REPORT_ERROR };

struct report_named { /* a fact by key: M, K, softmax_count, transpose_overhead_pct */
    const char *key;
    double number;   /* NaN when text */
    struct str text; /* n == 0 when number */
};

struct report_work_kernel {
    struct str name;
    int64_t stream, count;
    double total_us, mean_us, min_us, max_us;
};

/* One row of a category: an operator with one set of arguments. */
struct report_work {
    struct str name, args; /* args: "(96,64) bf16, (64,96) bf16" */
    int64_t uid;           /* of its first call */
    int64_t count;
    double time_ms, mean_us, std_us, min_us, max_us, cov;
    double category_pct, compute_pct, total_pct;
    double efficiency_pct, tflop_per_s, tb_per_s, flop_per_byte;
    double peak_tflop_per_s, peak_tb_per_s; /* 0: not known */
    struct str compute_spec;
    int bound; /* as report_op.bound */
    bool has_model, peak_fallback, warning, anomaly, high_variance;
    int top_rank;      /* 0: not in the list */
    struct str type;   /* "memory", "flash", "softmax": one word for a table */
    struct str kernel; /* the longest kernel, cut to 75 bytes */
    struct report_work_kernel *kernels; /* in launch order */
    int n_kernels;
    struct str *modules; /* outermost first */
    int n_modules;
    struct str launcher;
    struct str *patterns; /* ids that hit */
    int n_patterns;
    struct report_named *facts;
    int n_facts;
    int finding; /* of report.findings; -1 */
};

/* Where a large row sits in the call tree; of its first call. */
struct report_call {
    struct str name, args;
    int64_t uid, instances;
    struct str stack;   /* lines, root first */
    struct str subtree; /* lines, with the device time of each node */
    struct str *modules;
    int n_modules;
    struct str launcher, notes;
    struct report_call_sibling {
        struct str name;
        double gpu_us;
        struct str kernel; /* the first of them */
        int n_kernels;
    } * siblings;
    int n_siblings;
};

/* A category of the compute tier (and communication), analysed. */
struct report_section {
    struct str id, label;
    bool communication; /* rows only: the system tier speaks of it */
    enum report_status status;
    struct str error;
    double time_ms, compute_pct, total_pct, efficiency_pct, efficiency_plain_pct;
    int64_t operation_count;
    struct report_work *rows; /* by time, longest first */
    int n_rows;
    int missing_models, anomalies, high_variance;
    struct str *notes;
    int n_notes;
    struct report_named *facts;
    int n_facts;
    struct report_call *calls; /* tree data of its large rows */
    int n_calls;
};

struct report_pattern {
    struct str name, severity, evidence, impact, solution;
};

struct report_gap {
    double start_us, duration_us;
    struct str before, after, cause;
    struct str cut; /* "cuts/gap-1.json.gz"; empty: none is written */
};

/* An operation and what is counted for it. */
struct report_share {
    struct str name, caller; /* operator; Python place, or empty */
    int64_t count;
    double total_us;
};

struct report_idle_cause {
    struct str label; /* "host was late" */
    int64_t count;
    double total_ms, idle_pct; /* of idle time */
};

struct report_idle {
    enum report_status status;
    struct str error, severity; /* "CRITICAL" ... "LOW", "ACCEPTABLE", "UNKNOWN" */
    int64_t kernel_count, short_kernel_count, gap_count, sync_point_count, stream_count,
        graph_launch_count;
    double avg_kernel_us, avg_gap_us, max_gap_us, after_sync_pct, in_long_gaps_pct;
    double potential_speedup, recoverable_low_ms, recoverable_high_ms;
    struct report_idle_cause *causes; /* by time; empty where calls are not recorded */
    int n_causes;
    struct report_share *sync_ops, *waited_ops; /* idle time behind, or before, them */
    int n_sync_ops, n_waited_ops;
    struct report_gap *gaps;
    int n_gaps;
    struct report_pattern *patterns;
    int n_patterns;
};

enum { REPORT_COPY_SIZES = 5, REPORT_CLASSES = 3 };

struct report_copy_size { /* copies of one direction within a range of sizes */
    struct str label;     /* "4 KiB to 64 KiB" */
    int64_t count, bytes;
    double total_ms;
};

struct report_copies {              /* one direction */
    struct str direction, severity; /* "D2H" */
    int64_t count, bytes;           /* bytes: -1 not recorded */
    double total_ms, max_us, total_pct;
    double exposed_ms;
    struct report_copy_size sizes[REPORT_COPY_SIZES]; /* those with a recorded size */
    struct report_share *ops;                         /* that started most of them */
    int n_ops;
};

struct report_comm_op {
    struct str name;
    double duration_us;
    int64_t stream;
};

struct report_multi_kernel {
    enum report_status status;
    struct str error;
    bool applies;                   /* there are copies or communication */
    struct report_copies copies[4]; /* D2H, H2D, D2D, other */
    struct str memcpy_severity, blocking_severity, overlap_severity;
    int64_t comm_count, step_count;
    double comm_total_ms, comm_max_us;
    double comm_overlap_pct, memcpy_overlap_pct; /* NaN: nothing to overlap */
    struct report_comm_op *top_comm;
    int n_top_comm;
    struct report_pattern *patterns;
    int n_patterns;
    bool training;
    /* Time in which work of two classes runs at once: computation, communication,
     * copies; the diagonal is the time of the class. */
    double overlap_ms[REPORT_CLASSES][REPORT_CLASSES];
};

struct report_fusion_kernel {
    struct str name, label;
    double mean_us;
    bool has_model;
};

struct report_fusion {
    struct str module, pattern, confidence; /* confidence: "high", "medium", "low" */
    struct str place;  /* the module's class or the function, for reading */
    struct str action; /* of its finding; empty when it was not accepted */
    struct str chain;  /* parents, outermost first */
    int64_t instances;
    struct report_fusion_kernel *kernels; /* of one instance */
    int n_kernels, n_products; /* products stay, what is around them is fused */
    double total_ms, saving_ms, gross_ms, moved_mb, fused_us;
    struct report_range impact;
    bool accepted, informational;
    struct str reason; /* why it was not accepted */
    int finding;       /* of report.findings; -1 */
};

/* Roll-up of a category's findings: a row of priority_data.json's `priorities`. */
struct report_priority_row {
    int rank;
    struct str category, label;
    double low_pct, mid_pct, high_pct; /* NaN: large, but without a finding */
};

/* What a finding stands on, by the index of report.findings. */
struct report_finding_rows {
    const struct report_work **rows; /* longest first */
    int n_rows;
};

struct report_detail {
    struct str
        attention_use; /* "Yes", "No (unfused attention detected)", "Partial" ... */
    struct report_section *sections; /* by time; those that failed last */
    int n_sections;
    struct report_idle idle;
    struct report_multi_kernel multi_kernel;
    enum report_status fusion_status;
    struct str fusion_error;
    struct report_fusion *fusion; /* accepted first, by saving */
    int n_fusion, n_fusion_accepted;
    struct report_priority_row *priorities;
    int n_priorities;
    struct report_finding_rows *finding_rows; /* one for each finding */
    struct report_fact *inputs;               /* what was asked for: label, value */
    int n_inputs;
};

struct analysis;
struct tree_index;
struct arena;

/* Fill r->detail. `t` may be NULL: no call stacks. */
void report_detail_fill(struct arena *perm, struct arena tmp, struct report *r,
                        const struct analysis *a, const struct tree_index *t);

#endif
