/* unknown_kernel.h - the kernel with most of the time for which no row has a model:
 * what a trace tells of it, and the command that measures the rest. */
#ifndef ANALYSIS_FACTS_UNKNOWN_KERNEL_H
#define ANALYSIS_FACTS_UNKNOWN_KERNEL_H

#include "base/arena.h"

struct analysis;

/* Facts of the trace, once its rows have theirs. */
void unknown_kernel_facts(struct arena *perm, struct arena tmp, struct analysis *a);

#endif
