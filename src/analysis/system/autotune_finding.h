/* autotune_finding.h - time in which a compiler benchmarks its kernels. */
#ifndef ANALYSIS_SYSTEM_AUTOTUNE_FINDING_H
#define ANALYSIS_SYSTEM_AUTOTUNE_FINDING_H

#include "analysis/system/launched_within.h"

struct analysis;

/* What Triton's autotuner and Inductor's launch to compare configurations, by the
 * frames of their benchmarks. */
struct launched autotune_kernels_find(struct arena *a, const struct trace_view *v);

/* In every step, or once. */
void autotune_finding(struct arena *perm, struct arena tmp, struct analysis *a);

#endif
