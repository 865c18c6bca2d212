/* recompute_finding.h - activations that the backward pass computes again although
 * memory is free (torch.utils.checkpoint). */
#ifndef ANALYSIS_SYSTEM_RECOMPUTE_FINDING_H
#define ANALYSIS_SYSTEM_RECOMPUTE_FINDING_H

#include "analysis/model/finding.h"

/* Kernel time launched by the recomputation itself (recomputed.h). */
double recompute_ms(const struct analysis *a);

void recompute_finding(struct arena *perm, struct analysis *a);

#endif
