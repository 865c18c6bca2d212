/* idle_start.h - idle time with which the recording of one step begins.
 *
 * A profiler starts with an empty queue. Where the device still works long after the
 * host has launched its last, the host would prepare the next step meanwhile: idle time
 * before the first launch is then of the recording, and nothing shows whether it
 * recurs. With GPU graphs the step begins with the first of them, not with the few
 * kernels that prepare it. */
#ifndef ANALYSIS_SYSTEM_IDLE_START_H
#define ANALYSIS_SYSTEM_IDLE_START_H

#include "analysis/system/idle_gaps.h"

struct idle_start {
    int32_t n; /* of the first gaps; 0 where the recording has several steps, or the host
                  is no further ahead at its end than these gaps are long */
    int64_t ahead_ns; /* how long the device works behind the last launch */
};

struct idle_start idle_start_find(struct arena tmp, const struct trace_view *v,
                                  const struct idle_gaps *g);


#endif
