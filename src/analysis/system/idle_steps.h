/* idle_steps.h - the steps that idle time with one explanation is in: in every one, in
 * every n-th, or in some. */
#ifndef ANALYSIS_SYSTEM_IDLE_STEPS_H
#define ANALYSIS_SYSTEM_IDLE_STEPS_H

#include "analysis/model/system_results.h"
#include "ops/trace_steps.h"

struct idle_steps {
    int32_t n;      /* steps that have a tenth of what the one with most has, or more */
    int32_t every;  /* each of them is so many behind the one before; 0: irregular */
    int64_t first;  /* number of the first, as its mark says; -1: unknown */
    double each_ms; /* the mean of these steps; 0: unknown */
};

struct idle_steps idle_steps_of(struct arena tmp, const struct trace_steps *steps,
                                const struct idle_group *g);

#endif
