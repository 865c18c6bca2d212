/* counter_clock.h - whether the clock of the device stays while kernels run, and what
 * it costs where it does not. */
#ifndef ANALYSIS_SYSTEM_COUNTER_CLOCK_H
#define ANALYSIS_SYSTEM_COUNTER_CLOCK_H

#include "analysis/system/counters_build.h"

struct analysis;

/* start: of the window. low_pct NaN: no clock is recorded. */
struct counter_clock counter_clock_of(struct arena tmp, const struct counters *c,
                                      const struct analysis *a, int64_t start_ns);

#endif
