/* counter_clock.h - whether the clock of the device stays while kernels run. */
#ifndef ANALYSIS_SYSTEM_COUNTER_CLOCK_H
#define ANALYSIS_SYSTEM_COUNTER_CLOCK_H

#include "analysis/system/counters.h"
#include "timeline/interval_set.h"

/* busy: when kernels run; start: of the window. low_pct NaN: not recorded. */
struct counter_clock counter_clock_of(struct arena tmp, const struct counters *c,
                                      struct interval_set busy, int64_t start_ns);

/* Energy of all devices in [from, to), in J; NaN: less than half of it is recorded. */
double counter_step_j(const struct counters *c, int64_t from_ns, int64_t to_ns);

#endif
