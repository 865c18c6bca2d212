/* thread_twin.h - two lines of a trace that are one thread of the host.
 *
 * XLA's profiles have the runtime calls of a thread on one line, and what XLA itself
 * says of the thread on another. Each operation is on both, by the same name and around
 * its calls. */
#ifndef ANALYSIS_SYSTEM_THREAD_TWIN_H
#define ANALYSIS_SYSTEM_THREAD_TWIN_H

#include "ops/trace_view.h"

/* By lane that has calls: the other line of its thread, or -1. NULL: there are no such
 * lines. */
int32_t *thread_twins_find(struct arena *a, struct arena tmp,
                           const struct trace_view *v);

#endif
