/* recompute_finding.h - activations that the backward pass computes again although memory
 * is free (torch.utils.checkpoint). */
#ifndef ANALYSIS_SYSTEM_RECOMPUTE_FINDING_H
#define ANALYSIS_SYSTEM_RECOMPUTE_FINDING_H

#include "analysis/model/finding.h"
#include "analysis/stack/tree_index.h"

/* Kernel time launched by the recomputation itself, without the backward pass that its
 * older form runs inside; 0: none, or no frames are recorded. */
double recompute_ms(struct arena tmp, const struct tree_index *t);

void recompute_finding(struct arena *perm, struct arena tmp, struct analysis *a,
                       const struct tree_index *t);

#endif
