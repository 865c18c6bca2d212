/* report.h - everything said about one trace, in no format at all: the narrow waist.
 *
 * Built once from the tables and the analysis; HTML, markdown, JSON, CSV, XLSX and PNG
 * writers read this and nothing else. Everything lives in the run's arena. Texts called
 * `name` come from the trace and are hostile; all others are ours. Names of times end
 * in their unit, percentages are 0 to 100, NaN means "unknown". Ids are stable between
 * runs. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "analysis/facts/model_use.h"
#include "analysis/model/finding.h"
#include "ops/duration_bins.h"
#include "ops/host_profile.h"
#include "ops/trace_steps.h"
#include "ops/trace_window.h"
#include "perf/step_annotation.h"
#include "report/figure/report_figure.h"
#include "report/report_table.h"

#include <stdbool.h>

struct report_meta {
    struct str run_label;    /* file name without endings, or the user's title */
    struct str trace_file;   /* file name alone */
    struct str tool_version; /* "tracefolio 1.0.0" */
    struct str report_id;    /* 16 hex: input, version and options */
    struct str input_digest; /* 12 hex of the input's bytes */
    struct str captured;     /* "2025-07-27 10:11:12 UTC", or "not recorded" */
    struct str platform;     /* "MI300X"; empty: none given */
    struct str share_level;  /* "internal", "partner" or "public" */
    struct str model;        /* "Qwen2ForCausalLM", or "Workload" */
    struct str device_name;  /* as the trace names it; may be empty */
    struct str vendor;       /* of a device that is no GPU: "Ascend NPU" */
    int64_t n_events, trace_bytes;
    int64_t n_steps; /* that are marked; 0: none is */
    bool has_shapes, has_frames, has_graphs, has_steps, has_cpu_op, has_gpu;
    bool shapes_hidden;                 /* on request: has_shapes is false */
    bool names_callers;                 /* operators do: has_frames is false */
    const struct source_abilities *how; /* what is missing is recorded; NULL: torch's */
};

struct report_fact { /* what was measured: one line of a list */
    struct str label, value;
    struct str origin; /* "recorded", "given by the user", "inferred" */
};

/* A part of the recording that figures are of; times from where percentages begin. */
struct report_window {
    struct str of, begins, ends; /* "Percentages, ...", "first step" */
    double from_ms, to_ms;
    double total_ms;
    struct str without; /* what of that span it does not count; empty: nothing */
};

/* Where wall time goes. The four parts add up to total_ms. */
struct report_timeline {
    double total_ms, computation_ms, exposed_comm_ms, exposed_memcpy_ms, idle_ms;
    double busy_ms, total_comm_ms, total_memcpy_ms;
    double computation_pct, exposed_comm_pct, exposed_memcpy_pct, idle_pct, busy_pct;
    int64_t unlinked_events;  /* device events without a launch call, but the backlog */
    double unlinked_ms;       /* time when only they keep the device busy */
    double unlinked_busy_pct; /* of the busy time of all device events */
    bool unlinked_included;
    int64_t backlog_events; /* work of the step before the recording: trace_window.h */
    double backlog_ms, backlog_busy_pct;
    bool backlog_included;
    enum window_begin begin; /* what total_ms begins with: window_edges.h */
    double lead_ms, tail_ms; /* of it, before the first device event and behind the
                                last, as the host has them */
    double device_ms;        /* without these: the tables of the reference */
    struct str span;         /* "from the first step to the last device event" */
    double recording_ms;     /* device_ms with the backlog and the artefact */
    double artefact_ms;      /* a leading artefact: trace_window.h; 0: none */
    double artefact_from_ms, artefact_to_ms; /* from the beginning of total_ms */
    double skew_ms; /* of the first collective, in no total: start_skew.h */
    double queued_ms;
    struct report_window windows[2]; /* of percentages, and of the reference's tables */
    int n_windows;                   /* 0: they are the same */
};

/* What the recording is, in one sentence of facts; empty without device work. Before
 * the window, the window with a leading artefact, and behind it are its length. */
struct report_recording {
    struct str says; /* "One cold batch: GPU active for 0.8% of the 2.69 s recorded." */
    struct str
        beside; /* the same without the share where that of the window is beside */
    double length_ms, before_ms, window_ms, after_ms;
    double busy_pct; /* of its length: any device work */
};

/* How several devices of one process share the time; n == 0: there are not several. */
struct report_gpu {
    struct str name; /* as the trace numbers it */
    double busy_ms, busy_pct, idle_pct, alone_ms, waits_ms;
    int64_t n_events;
    double computation_pct, exposed_comm_pct, exposed_memcpy_pct; /* of it alone */
    const struct idle_result *idle; /* NULL: unknown, as is what follows */
    const struct timeline_data *over_time;
    int64_t **computed_ns; /* as those of the report */
    struct str why; /* "waits for GPU 1 50.0%, for the host 1.2%"; empty: unknown */
};

struct report_at_once { /* so many devices are active */
    int64_t devices;
    double time_ms;
};

struct report_gpus {
    struct report_gpu *list;
    int n;
    bool take_turns;
    double one_ms, several_ms; /* one works alone; two or more at once */
    int64_t turns, n_copies;
    double copies_ms;
    int decides; /* the busiest, which the verdict is about; -1: that of all */
    struct report_at_once *at_once; /* from one device to all */
    struct str headline;            /* "2 GPUs take turns: each is idle for 52.0%." */
};

/* Steps, and what a steady one consists of: one of the two windows that percentages are
 * of. The other is the recording, struct report_timeline. */
struct report_steps {
    enum step_source source;
    bool by_device;      /* a step begins where the device begins its work */
    int64_t n, n_steady; /* n_steady: 0 if they are too few or too uneven */
    double median_ms, least_ms, most_ms;
    double after_first_ms; /* the median with the first finding fixed; NaN: unknown,
                            * or no steps are marked */
    double mean_ms, idle_ms, comm_ms, copy_ms; /* per steady step; the latter exposed */
    double idle_pct, comm_pct, copy_pct;       /* of the steady steps */
    /* How far the others are from the median, shorter or longer; NaN: there are none.
     */
    double off_low_pct, off_high_pct;
    struct str headline; /* "A step takes 95.6 ms (median of 4; step 101 ...)." */
    struct str inside;   /* the same of its parts; empty without steady steps */
};

struct report_amount { /* of the steps that name it; NaN: none does */
    double least, most, mean;
};

struct report_phase_part { /* of the device work that begins in a phase */
    struct str name;
    int index; /* of report.categories, or of report.kernels; -1: a copy or memset */
    int64_t count; /* of kernels */
    double total_ms, share_pct;
};

/* Steps that read prompts, that generate, or that do both; or what is of neither. */
struct report_phase {
    enum step_phase phase;
    struct str id, label; /* "decode", "Decode" */
    struct str load;      /* "batch 16, 512 tokens of context each"; or empty */
    int64_t n_steps;
    struct report_amount requests[2], tokens[2], seen[2]; /* prompts, generation */
    double wall_ms, wall_pct;           /* of the window; with what is of neither 100 */
    double busy_ms, idle_ms, idle_pct;  /* of its wall time */
    double mean_ms, least_ms, most_ms;  /* of a step; NaN: of neither */
    double apart_ms;                    /* from step to step, mean; NaN: no two */
    double between_ms, between_idle_ms; /* between two of its steps; of neither */
    double waits_pct;                   /* idle in its steps and between, of both */
    double work_ms;                     /* durations of its device work, summed */
    struct report_phase_part *categories, *kernels; /* longest first */
    int n_categories, n_kernels;
};

struct report_phases {
    struct report_phase *list; /* the last: what is of neither; n == 0: not told */
    int n;
    bool several;           /* beside what is of neither */
    struct str unit, units; /* "step"; "stretch" where that may be a whole loop */
    struct str source;      /* "annotations of the serving engine" */
    struct str headline;    /* one sentence */
    struct str contrast;    /* only one of the two waits for the host; or empty */
};

struct report_peak {
    struct str spec; /* "matrix_bf16" */
    double tflop_per_s;
};

struct report_device {
    bool known;
    struct str name;
    double memory_tb_per_s, memory_gb;
    struct report_peak *peaks;
    int n_peaks;
    struct str peaks_are;          /* "achievable", "data sheet", or empty: not known */
    double sheet_bf16_tflop_per_s; /* where they are achievable; NaN: not known */
    struct str misfit;  /* a sentence where the trace is of another device; or empty */
    struct str missing; /* where no peaks are known: a sentence on of what; or empty */
    struct str
        no_peaks; /* what that means for a reader who did not ask for it; or empty */
};

struct report_part { /* a category's share of the calls of one kernel or copy */
    int kernel;      /* of report.kernels; -1: a copy or memset, which has no row */
    struct str name, op;
    int64_t count;
    double total_ms, share_pct, mean_us, p95_us; /* share of the category's time */
};

/* A category of the analysis that has device time. */
struct report_category {
    struct str id, label; /* "sdpa_fwd", "SDPA" */
    struct str page;      /* "category-attention.html" */
    enum figure_slot slot;
    double time_ms, compute_pct, total_pct;
    double share_pct;             /* of the time of all categories: they total 100 */
    int64_t operations, launches; /* distinct operations; calls */
    double efficiency_pct;        /* weighted by time */
    double unmodelled_ms;
    int *ops; /* rows of report.ops, longest first */
    int n_ops;
    struct report_part *kernels; /* its device work, by time, longest first */
    int n_kernels;
    struct duration_bins durations; /* of its kernels */
};

/* One operation with one set of arguments: a row of unified_perf_summary. */
struct report_op {
    struct str id;                    /* "op-1a2b3c4d" */
    const struct work_row *row;       /* the analysis's result for it */
    const struct op_group *group;     /* its calls: row->group */
    int category;                     /* of report.categories; -1: communication */
    double share_pct, cumulative_pct; /* of device time of all operations, never NaN */
    double p95_us;
    int finding;    /* of report.findings; -1 */
    struct str kit; /* replay package path, or empty */
};

/* Rows that pages and documents list one by one: the costliest. The rest is counted
 * there, and whole in the CSV files. */
enum { REPORT_LISTED_MOST = 1200 };
static inline int report_listed(int n)
{
    return n < REPORT_LISTED_MOST ? n : REPORT_LISTED_MOST;
}

/* Standard deviation of its calls in % of their mean; NaN where there is none. */
double report_op_spread_pct(const struct report_op *op);

struct report_kernel {
    struct str id;       /* "k-1a2b3c4d" */
    struct str name, op; /* op: what launched it; may be empty */
    /* Of the row that counts its first call; else what its name says. */
    enum work_category work;
    enum figure_slot slot; /* of that category */
    bool backlog;          /* of the step before the recording: share_pct is NaN */
    int64_t stream, count;
    double total_ms, share_pct, mean_us, min_us, max_us, p95_us, std_us;
};

/* How well a kernel fills the device; device_fill.h. */
struct fill_sum;
struct report_fill_row {
    const struct report_kernel *kernel;
    const struct fill_sum *fill;
    struct str precision,
        matrix; /* "bf16"; "yes", "no"; empty: the name does not tell */
};

struct device_fill;
struct report_fill {
    const struct device_fill *of; /* NULL: nothing is recorded, and n == 0 */
    struct str unit, units;       /* "SM", "SMs" */
    struct str headline;          /* one sentence */
    struct report_fill_row *rows; /* longest first */
    int n;
};

/* Model FLOP utilisation; says is empty where it is not known. */
struct report_mfu {
    struct model_use of;
    struct str says;
};

struct memory_peak;
struct memory_owner;
struct report_memory_kind {
    struct str kind; /* "activation" */
    int64_t bytes;
    double share_pct; /* of the peak */
};

/* What holds the device's memory at its peak. */
struct report_memory {
    const struct memory_peak *of; /* NULL: not recorded */
    struct str says;              /* one or two sentences */
    double device_bytes;          /* NaN: not known */
    double room_bytes;            /* beside what is reserved; NaN: not known */
    double unused_pct; /* of what is reserved at the peak: not allocated; NaN */
    struct report_memory_kind *kinds; /* the most first, empty ones left out */
    int n_kinds;
};

struct report_top_op {
    const struct top_operation *of;
    enum figure_slot slot;
    int op; /* longest row of report.ops with this name; -1 */
};

/* A finding of the analysis and what the report adds: its names and its subject. */
struct report_finding {
    const struct finding *of;
    struct str anchor; /* "f-1a2b3c4d" */
    struct str rank;   /* "K1", "F1", "S1": its position in its tier */
    enum figure_slot slot;
    int *ops; /* rows of report.ops it is based on */
    int n_ops;
    struct str kit,
        no_kit;         /* its package; or why it cannot have one. Both may be empty */
    struct str *frames; /* "models/vit.py(210): forward": the Python code that starts
                         * its work, or that the device waits for, innermost first */
    int n_frames;       /* 0: not recorded */
    struct str waived_until, waived_why; /* "2026-12-31"; empty: it is not waived */
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
    CHECK_NOT_EVALUATED,
    CHECK_RESULTS
};

struct str check_result_word(enum report_check_result result); /* "not_evaluated" */

struct report_check {
    struct str id, name, value, limit, affects, what_to_do; /* sentences */
    enum report_check_result result;
    struct str title; /* what it found: its name if it passed */
};

/* What writers of text know about a chart that they show. */
struct report_chart {
    struct str file;    /* from the root of the folder: "charts/time.png" */
    struct str caption; /* what it shows, one sentence */
};

struct report_charts {
    const struct report_chart *at; /* in the order of the pages */
    int n;
};

struct report_detail; /* report_detail.h: rows, stacks, for long reports */
struct timeline_data; /* timeline_data.h: the run over time */
struct path_tree;     /* path_tree.h: call trees */
struct run_lanes;     /* run_lanes.h: streams and threads as boxes */
struct layers;        /* what else a trace says: more_shown.h */
struct comm_sizes;
struct compiled;
struct critical_path;
struct gate_result;
struct idle_result; /* system_results.h */

/* The Warnings section of the reports, in order: failures first. */
struct report_warning {
    struct str source; /* category id, or check id */
    struct str text;   /* one sentence */
    bool failure;      /* an analyser or a pattern failed and is left out */
};

/* What kind of model ran; unknown: "Cannot be inferred from trace". */
struct report_model {
    struct str model, architecture, scale, precision;
};

/* What a run waits for most. */
enum verdict_kind {
    VERDICT_UNJUDGED, /* there is no GPU time */
    VERDICT_DEVICE,
    VERDICT_HOST,
    VERDICT_INPUT,
    VERDICT_NO_WORK,
    VERDICT_COMMUNICATION,
    VERDICT_COPIES,
    VERDICT_WARM_UP,
    VERDICT_CALLS,   /* synchronising, memory management */
    VERDICT_QUEUED,  /* work was queued: a dependency, or the device was held up */
    VERDICT_GRAPH,   /* between nodes of GPU graphs */
    VERDICT_HIDDEN,  /* device work is missing from the trace */
    VERDICT_UNKNOWN, /* no launch call tells why the device is idle */
    VERDICT_TURNS,   /* several devices work one after the other */
    VERDICT_PEERS,   /* the busiest of them waits for others */
    VERDICT_KINDS
};

struct str verdict_word(enum verdict_kind kind); /* "host-bound" */

struct report_stage {
    const struct report_finding *of;
    double after_ms;
    double added_ms; /* what it saves on top of those before it */
};

/* What compiling a run that is eager would do of its first findings. */
struct report_compile {
    struct str what;  /* "Qwen2Model", "the model" */
    struct str ranks; /* "F1, F2 and S1" */
    int n;            /* 2 or more; 0: not so, or not replayed */
    double after_ms;  /* the run with all of them fixed */
};

struct report {
    struct report_meta meta;
    struct report_model model;
    struct report_timeline timeline;
    struct report_recording recording;
    struct report_gpus gpus;
    struct report_steps steps;
    struct report_phases phases;
    struct report_device device;
    enum verdict_kind verdict_kind;
    struct str verdict, lead; /* what kind of run it is; what to do first */
    struct str verdict_alone; /* without phases.contrast, which ends the verdict */
    struct str tuned;      /* "Well tuned: no finding would save ...", empty: not so */
    double after_first_ms; /* the run with the first finding fixed; NaN: unknown */
    double after_together_ms;    /* with the first ones, of one replay; NaN: unknown */
    const struct finding *first; /* what to do first; NULL: nothing is worth it */
    const struct report_finding *leads; /* whose saving opens the report; NULL: none */
    struct str leads_title;             /* its title, as part of a sentence */
    struct report_stage *stages; /* the run with the first findings fixed, one more
                                  * each; after the last after_together_ms */
    int n_stages;                /* 0, or 2 to 5 */
    double *sets_ms;             /* the run with any of these fixed: bit k is stage k */
    int n_sets;                  /* 0: not replayed; else 2 to the power of n_stages */
    struct report_compile compile;
    struct report_fact *measured;
    int n_measured;
    struct report_category *categories; /* by time, longest first */
    int n_categories;
    struct report_op *ops; /* by time, longest first */
    int n_ops;
    int n_distinct_ops; /* of thousands, a row of ops may stand for several */
    struct report_kernel *kernels;
    int n_kernels;
    struct report_fill fill;
    struct report_mfu mfu;
    struct report_memory memory;
    const struct model_use *mfu_steps; /* these NULL: the trace does not tell */
    const struct layers *layers;
    const struct modules *modules;
    const struct comm_sizes *comm_sizes;
    const struct compiled *compiled;
    const struct critical_path *path;
    const struct counters *counters;
    const struct counter_lines *counter_lines;
    struct report_top_op *top;
    int n_top;
    struct report_finding *findings; /* final order */
    int n_findings;
    struct report_check *checks;            /* heaviest first */
    int n_checks, n_checked[CHECK_RESULTS]; /* all; how many of each result */
    struct report_warning *warnings;
    int n_warning_list;
    struct duration_bins durations;    /* of all kernels */
    const struct report_table *tables; /* the sheets */
    ptrdiff_t n_tables;
    const struct analysis *analysis;
    const struct report_detail *detail;
    const struct str
        *excerpts; /* by idle gap, its excerpt's file or empty; NULL: none */
    const struct timeline_data *over_time;
    int64_t **computed_ns; /* by category, then by bin of over_time; then the rest */
    const struct run_lanes *lanes;   /* what runs when, to look into; NULL: not built */
    const struct path_tree *tree;    /* NULL: not built */
    const struct host_profile *host; /* of a trace without device work; else NULL */
    struct report_no_kit *no_kits;
    int n_no_kits;
    struct report_kit *kits;
    int n_kits, n_refused; /* replay packages, and operations that cannot have one */
};

/* NULL: the trace does not tell such a phase. */
const struct report_phase *report_phase_of(const struct report *r, enum step_phase p);

/* The note that most of kernel time has no performance model, or NULL. */
const struct finding *report_unjudged(const struct report *r);
double report_unjudged_pct(const struct report *r); /* of kernel time; NaN: little */
/* "96.1% of kernel time has no performance model", or empty. */
struct str report_unjudged_text(struct arena *a, const struct report *r);

#endif
