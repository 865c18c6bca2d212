/* system_results.h - what lies between kernels: idle time, copies, communication, fusion.
 *
 * Built from the timeline and the tree, before the findings of the system tier are made
 * from it. Severities as analysis.md 4.1 and 4.2 name them. */
#ifndef ANALYSIS_SYSTEM_RESULTS_H
#define ANALYSIS_SYSTEM_RESULTS_H

#include "analysis/finding.h"

enum severity {
    SEVERITY_NONE, /* "NONE", "ACCEPTABLE" or "GOOD", by what it rates */
    SEVERITY_LOW,
    SEVERITY_MEDIUM,
    SEVERITY_HIGH,
    SEVERITY_CRITICAL,
    SEVERITY_UNKNOWN
};

struct idle_gap {
    double start_us, duration_us; /* from the start of the timeline */
    struct str before, after;     /* device events at both ends */
    struct str cause;             /* sync, copy, host, launch ...: one clause, or empty */
};

struct system_pattern {
    struct str name, evidence, impact, solution;
    enum severity severity;
};

struct idle_result {
    enum analyser_status status;
    struct str error;
    enum severity severity;
    bool flagged, critical; /* above 15 %, above 50 % */
    int64_t kernel_count, short_kernel_count, gap_count, sync_point_count, stream_count,
        graph_launch_count;
    double avg_kernel_us, avg_gap_us, max_gap_us;
    double idle_after_sync_pct, idle_in_long_gaps_pct; /* of idle time */
    struct idle_gap top_gaps[10];
    int n_top_gaps;
    struct system_pattern *patterns;
    int n_patterns;
    double potential_speedup, recoverable_low_ms, recoverable_high_ms;
};

enum copy_direction { COPY_D2H, COPY_H2D, COPY_D2D, COPY_OTHER, COPY_DIRECTIONS };

struct copy_result {
    int64_t count, bytes; /* bytes: -1 not recorded */
    double total_us, max_us;
    enum severity severity, time_severity, count_severity;
};

struct comm_op {
    struct str name;
    double duration_us;
    int64_t stream;
};

struct multi_kernel_result {
    enum analyser_status status;
    struct str error;
    struct copy_result copies[COPY_DIRECTIONS];
    enum severity memcpy_severity, blocking_severity, overlap_severity;
    int64_t comm_count;
    double comm_total_us, comm_max_us;
    struct comm_op top_comm[10];
    int n_top_comm;
    double comm_overlap_frac, memcpy_overlap_frac; /* 0 to 1; NaN: nothing to overlap */
    int64_t unlinked_count;
    double unlinked_us;
    int64_t step_count; /* ProfilerStep annotations; 0: none */
    bool training;      /* backward operators are there */
    struct system_pattern *patterns;
    int n_patterns;
};

struct fusion_kernel {
    struct str name, label;
    double mean_us, in_mb, out_mb; /* NaN: no model */
};

struct fusion_candidate {
    struct str module, base, pattern;
    struct str *parent_chain;
    int n_parents;
    int64_t instances;
    struct fusion_kernel *kernels; /* of one instance */
    int n_kernels, n_eligible;
    double total_ms;     /* over all instances, summed */
    double saving_ms, gross_ms; /* over all instances; NaN: not estimated */
    double moved_mb, fused_us;
    struct impact_range impact;
    enum confidence confidence;
    bool accepted, informational;
    struct str reason; /* why not */
    struct str input_dims, source;
    const struct work_row **rows; /* rows it covers */
    int n_rows;
};

struct fusion_result {
    enum analyser_status status;
    struct str error;
    struct fusion_candidate *candidates; /* accepted first, by saving */
    int n_candidates, n_accepted;
};

struct system_results {
    struct idle_result idle;
    struct multi_kernel_result multi_kernel;
    struct fusion_result fusion;
};

struct str severity_word(enum severity s); /* "CRITICAL" ... "LOW", "NONE", "UNKNOWN" */

#endif
