/* counters_build.h - finds what counters of a trace say (analysis/model/counters.h). */
#ifndef ANALYSIS_SYSTEM_COUNTERS_BUILD_H
#define ANALYSIS_SYSTEM_COUNTERS_BUILD_H

#include "analysis/model/counters.h"

struct arena;
struct trace_view;

/* NULL: the trace has no counters of devices that work, nor of the host. */
struct counters *counters_of(struct arena *perm, struct arena tmp,
                             const struct trace_view *v);

/* The sum of a step function over [from, to), and how much of it is known, in ns. */
double counter_sum(const struct counter_series *s, int64_t from_ns, int64_t to_ns,
                   int64_t *known_ns);

/* Energy of all devices in [from, to), in J; NaN: less than half of it is recorded. */
double counters_energy_j(const struct counters *c, int64_t from_ns, int64_t to_ns);

/* class: of each device event by its place in launch.all, 0 to n_classes - 1, or -1. */
struct counter_lines counter_lines_of(struct arena *perm, struct arena tmp,
                                      const struct trace_view *v,
                                      const struct counters *c, const int8_t *class,
                                      const struct str *class_names, int n_classes);

#endif
