/* host_beside.h - host work beside the GPU graphs that its thread has launched.
 *
 * A loop that prepares the next batch while the GPU runs this one works there; one that
 * does not waits for the GPU first. */
#ifndef ANALYSIS_SYSTEM_HOST_BESIDE_H
#define ANALYSIS_SYSTEM_HOST_BESIDE_H

#include "analysis/system/host_time.h"

/* In all, neither waiting nor without a recorded event. */
int64_t host_beside_graphs_ns(struct arena tmp, const struct host_time *h);

#endif
