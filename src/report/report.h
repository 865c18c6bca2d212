/* report.h - what is said of one trace, in no format at all: the narrow waist.
 *
 * Built once from the tables and the analysis; HTML, markdown, JSON, CSV, XLSX and PNG
 * writers read this and nothing else. Everything lies in the arena of the run. Texts
 * called `name` come from the trace and are hostile; all others are ours. Times carry
 * their unit, percentages are 0 to 100, NaN is "not known". Ids are stable between
 * runs. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "report/report_figure.h"
#include "report/report_table.h"

#include <stdbool.h>

struct report_meta {
    struct str run_label;    /* file name without endings, or what the user said */
    struct str trace_file;   /* file name alone */
    struct str tool_version; /* "tracefolio 0.1.0" */
    struct str report_id;    /* 16 hex: input, version and options */
    struct str input_digest; /* 12 hex of the input's bytes */
    struct str captured;     /* "2025-07-27 10:11:12 UTC", or "not recorded" */
    struct str platform;     /* "MI300X"; empty: none given */
    struct str model;        /* "Qwen2ForCausalLM", or "Workload" */
    struct str device_name;  /* as the trace names it; may be empty */
    int64_t n_events, trace_bytes;
    bool has_shapes, has_frames, has_graphs, has_steps, has_cpu_op, has_gpu;
};

struct report_fact { /* what was measured: one line of a list */
    struct str label, value;
    struct str origin; /* "recorded", "given by the user", "inferred" */
};

/* Where wall time goes. The four parts add up to total_ms. */
struct report_timeline {
    double total_ms, computation_ms, exposed_comm_ms, exposed_memcpy_ms, idle_ms;
    double busy_ms, total_comm_ms, total_memcpy_ms;
    double computation_pct, exposed_comm_pct, exposed_memcpy_pct, idle_pct, busy_pct;
    int64_t unlinked_events;  /* device events without a launch call */
    double unlinked_ms;       /* time only they keep the device busy */
    double unlinked_busy_pct; /* of the busy time with them */
    bool unlinked_included;
};

struct report_device {
    bool known;
    struct str name;
    double memory_tb_per_s, memory_gb;
    struct {
        struct str spec; /* "matrix_bf16" */
        double tflop_per_s;
    } * peaks;
    int n_peaks;
};

/* How long kernels run: counts and times in fixed bins, eight a decade from 0.1 us to 1
 * s. What is shorter or longer is in the first or the last. */
enum { REPORT_DURATION_BINS = 56 };
struct report_durations {
    int64_t count[REPORT_DURATION_BINS];
    int64_t total_ns[REPORT_DURATION_BINS];
};

/* Where bin k begins and bin k - 1 ends; k may be REPORT_DURATION_BINS. */
double report_duration_edge_us(int k);

/* A category of the analysis that has device time. */
struct report_category {
    struct str id, label; /* "sdpa_fwd", "SDPA" */
    struct str page;      /* "category-attention.html" */
    enum figure_slot slot;
    double time_ms, compute_pct, total_pct;
    int64_t operations, launches; /* distinct operations; calls */
    double efficiency_pct;        /* weighted by time */
    double unmodelled_ms;
    int *ops; /* rows of report.ops, longest first */
    int n_ops;
    struct report_durations durations; /* of its kernels */
};

/* One operation with one set of arguments: a row of unified_perf_summary. */
struct report_op {
    struct str id;         /* "op-1a2b3c4d" */
    struct str name, args; /* args: shapes and types, or empty */
    int category;          /* of report.categories; -1: communication */
    int64_t count;
    double total_ms, share_pct, cumulative_pct; /* of device time of all operations */
    double mean_us, median_us, p95_us, min_us, max_us, spread_pct; /* std over mean */
    double gflop, mib, flop_per_byte, tflop_per_s, tb_per_s, efficiency_pct;
    struct str compute_spec;
    enum { REPORT_BOUND_NONE, REPORT_BOUND_COMPUTE, REPORT_BOUND_MEMORY } bound;
    bool has_model, anomaly;
    bool high_variance;  /* timings of a large operation vary strongly */
    struct str *kernels; /* names, longest first */
    double *kernel_us;   /* mean of each */
    int n_kernels;
    struct str *modules; /* outermost first */
    int n_modules;
    int finding;    /* of report.findings; -1 */
    struct str kit; /* replay package path, or empty */
};

struct report_kernel {
    struct str id;       /* "k-1a2b3c4d" */
    struct str name, op; /* op: what launched it; may be empty */
    struct str category; /* op category of the reference, or "graph", "runtime" */
    enum figure_slot slot;
    int64_t stream, count;
    double total_ms, share_pct, mean_us, min_us, max_us, p95_us, std_us;
};

struct report_top_op { /* operators by name, as the reference's ops_summary */
    int rank;
    struct str name, category; /* category: label of most of its time */
    bool mixed;                /* other categories have a tenth of it or more */
    enum figure_slot slot;
    double time_ms, compute_pct, total_pct;
    int64_t count;
    int op; /* longest row of report.ops with this name; -1 */
};

enum report_tier { REPORT_COMPUTE, REPORT_FUSION, REPORT_SYSTEM };
enum report_priority { REPORT_LOW, REPORT_MEDIUM, REPORT_HIGH, REPORT_CRITICAL };

struct report_range {
    double low_pct, high_pct, low_ms, high_ms; /* of wall time */
    struct str basis;
};

struct report_projection {
    double target_pct, time_ms, e2e_pct, op_pct;
};

struct report_finding {
    struct str id;     /* analysis id: "gemm.tiny_batched_gemm.aten_bmm.memory" */
    struct str anchor; /* "f-1a2b3c4d" */
    enum report_tier tier;
    struct str rank; /* "K1", "F1", "S1": place in its tier */
    int tier_number, global_rank;
    struct str category, category_label, kind, pattern, title,
        name; /* name: operator */
    enum figure_slot slot;
    enum report_priority priority;
    struct str priority_basis, issue, algorithmic, kernel, confidence;
    int64_t count;
    double time_ms, compute_pct, total_pct, category_pct, efficiency_pct;
    int bound; /* as report_op.bound */
    struct str peak, achieved;
    struct report_range impact, impact_kernel;
    struct report_projection *projection;
    int n_projection;
    struct str *evidence;
    int n_evidence;
    int *ops; /* rows of report.ops it stands on */
    int n_ops;
    bool replay_recommended, informational;
    struct str kit,
        no_kit; /* its package; or why it cannot have one. Both may be empty */
};

struct report_kit {  /* a replay package */
    struct str file; /* "replay_packages/aten_mm_replay_package.zip" */
    int sets;        /* of arguments, each once */
    double time_ms;
};

/* An operation that cannot be replayed: asked for, or of a finding. */
struct report_no_kit {
    struct str name, reason;
};

enum report_check_result {
    CHECK_PASSED,
    CHECK_WARNING,
    CHECK_FAILED,
    CHECK_NOT_EVALUATED
};

struct report_check {
    struct str id, name, value, limit, affects, what_to_do; /* sentences */
    enum report_check_result result;
};

struct report_chart {              /* a figure that also lies in charts/ */
    struct str id;                 /* "c1" */
    struct str file_svg, file_png; /* from the root of the folder: "charts/time.png" */
    struct str caption;            /* what it shows, one sentence */
};

struct report_detail; /* report_detail.h: rows, system tier, stacks, for long reports */
struct report_timeline_data; /* report_timeline_data.h: the run over time */
struct report_tree;          /* report_tree.h: call trees */

/* What the Warnings section of the reports says, in its order: failures first. */
struct report_warning {
    struct str source; /* category id, or check id */
    struct str text;   /* one sentence */
    bool failure;      /* an analyser or a pattern failed and is left out */
};

/* What kind of model ran; unknown: "Cannot be inferred from trace". */
struct report_model {
    struct str model, architecture, scale, precision;
};

struct report {
    struct report_meta meta;
    struct report_model model;
    struct report_timeline timeline;
    struct report_device device;
    struct str verdict, lead; /* the two sentences on top of everything */
    struct report_fact *measured;
    int n_measured;
    struct report_category *categories; /* by time, longest first */
    int n_categories;
    struct report_op *ops; /* by time, longest first */
    int n_ops;
    struct report_kernel *kernels;
    int n_kernels;
    struct report_top_op *top;
    int n_top;
    struct report_finding *findings; /* final order */
    int n_findings;
    struct report_check *checks; /* heaviest first */
    int n_checks, n_warnings, n_failed;
    struct report_warning *warnings;
    int n_warning_list;
    struct report_durations durations; /* of all kernels */
    const struct report_table *tables; /* the sheets */
    ptrdiff_t n_tables;
    const struct report_detail *detail;           /* NULL until report_detail_fill */
    const struct report_timeline_data *over_time; /* NULL: not built */
    const struct report_tree *tree;               /* NULL: not built */
    struct report_chart *charts;                  /* in the order of the pages */
    int n_charts;
    struct report_no_kit *no_kits;
    int n_no_kits;
    struct report_kit *kits;
    int n_kits, n_refused; /* replay packages, and operations that cannot have one */
};

#endif
