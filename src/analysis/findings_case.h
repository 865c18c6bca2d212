/* findings_case.h - for tests only: a trace of operators to its findings, on a device
 * of 708 TFLOPS and 5.3 TB/s, with the shipped patterns or without any. */
#ifndef ANALYSIS_FINDINGS_CASE_H
#define ANALYSIS_FINDINGS_CASE_H

#include "analysis/analysis_run.h"
#include "analysis/library_case.h"
#include "analysis/trace_case.h"

static struct device_peak peaks[] = {{S_INIT("matrix_bf16"), 708},
                                     {S_INIT("vector_bf16"), 163}};
static const struct device_spec device = {
    .memory_gb_per_s = 5300, .peaks = peaks, .n_peaks = 2, .compute_units = 304};

static inline void op(struct trace_case *c, const char *name, const char *dims,
                      double at, const char *kernel, double start_us, double us,
                      int correlation)
{
    char more[300];
    snprintf(more, sizeof more,
             "\"Input Dims\":[%s],\"Input type\":[\"c10::BFloat16\",\"c10::BFloat16\"]",
             dims);
    case_event(c, "cpu_op", name, 1, at, 8, more);
    case_launch(c, kernel, at + 1, start_us, us, correlation);
}

static inline struct analysis analyse_on(struct trace_case *c, struct pattern_host *h,
                                         const struct device_spec *on)
{
    case_open(c, on);
    struct tree_index t = tree_index_build(&c->perm, c->tmp, &c->view);
    return analysis_run(
        &c->perm, c->tmp, &c->tables, &t, h,
        (struct analysis_options){.idle_threshold_pct = IDLE_THRESHOLD_PCT});
}

static inline struct analysis analyse_with(struct trace_case *c, struct pattern_host *h)
{
    return analyse_on(c, h, &device);
}

static inline struct analysis analyse(struct trace_case *c)
{
    return analyse_with(c, NULL);
}

static inline const struct finding *compute_finding(const struct analysis *a,
                                                    const char *op_name)
{
    for (int i = 0; i < a->n_findings; i++)
        if (a->findings[i].tier == TIER_COMPUTE &&
            str_eq(a->findings[i].op, str_of(op_name)))
            return &a->findings[i];
    return NULL;
}

static inline const struct finding *of_pattern(const struct analysis *a,
                                               const char *pattern)
{
    for (int i = 0; i < a->n_findings; i++)
        if (str_eq(a->findings[i].pattern, str_of(pattern)))
            return &a->findings[i];
    return NULL;
}

/* The library's patterns, without which idle time has no finding. */
static struct arena library_perm;
static char *library_start;
static struct pattern_host *library;

static inline int open_library(void **state)
{
    (void)state;
    library_perm = arena_reserve(256 << 20);
    library_start = library_perm.at;
    library = library_open(&library_perm, NULL, 0);
    return 0;
}

static inline int close_library(void **state)
{
    (void)state;
    pattern_host_close(library);
    arena_release(library_start, &library_perm);
    return 0;
}

#endif
