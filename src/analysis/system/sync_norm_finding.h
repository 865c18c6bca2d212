/* sync_norm_finding.h - what sharing the statistics of batch normalisation costs: its
 * collectives, the waits of the host and the kernels around them, as one finding. */
#ifndef ANALYSIS_SYSTEM_SYNC_NORM_FINDING_H
#define ANALYSIS_SYSTEM_SYNC_NORM_FINDING_H

#include "analysis/model/finding.h"
#include "analysis/stack/tree_index.h"

/* After the findings of idle time, copies and communication: those that are about
 * nothing else go. */
void sync_norm_finding(struct arena *perm, struct arena tmp, struct analysis *a,
                       const struct tree_index *t);

#endif
