/* workload.h - what a whole trace does, step by step.
 *
 * A run is the plan carried out on a simulator; with a writer that discards, it only
 * counts. */
#ifndef SAMPLE_WORKLOAD_H
#define SAMPLE_WORKLOAD_H

#include "sample_plan.h"

enum { FIRST_STEP = 5, DEVICES = 8 };

struct run_result {
    int64_t events, kernels; /* kernels: with copies */
    struct device_times times;
    struct defect_tally tally[DEFECTS];
};

/* Write the trace of `p` to `path`, or to nowhere when that is NULL. */
MUST_CHECK bool workload_run(const struct sample_plan *p, const char *path,
                             struct run_result *r, struct err *e);

/* The end of an export: the names of processes, threads and streams. */
void write_export_names(struct simulator *s, int64_t ts_ns);

/* One profiler step of each family; `step` counts from 0. */
void llm_step(struct simulator *s, const struct sample_plan *p, int64_t step);
void cnn_step(struct simulator *s, const struct sample_plan *p, int64_t step);

#endif
