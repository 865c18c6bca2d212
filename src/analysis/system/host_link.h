/* host_link.h - how long copies between host and device take from pinned memory.
 *
 * Large pinned copies of the trace say how fast the link is; else the platform's figure
 * does, of which 75 to 90 % are reached; else it is taken to be PCIe 3.0 x16, so that
 * no more is claimed than any server gives. A copy also takes a start of 2 us, and
 * never longer than it did. */
#ifndef ANALYSIS_SYSTEM_HOST_LINK_H
#define ANALYSIS_SYSTEM_HOST_LINK_H

#include "analysis/model/system_results.h"
#include "ops/trace_view.h"

struct device_spec;

/* `device` may be NULL. */
struct host_link host_link_of(const struct trace_view *v,
                              const struct device_spec *device);

/* Adds to slow_us and fast_us of its direction; `bytes` below 0: not recorded. */
void host_link_add(const struct host_link *l, int64_t bytes, double us,
                   struct copy_result *to);

#endif
