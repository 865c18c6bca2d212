/* recompute_finding.h - activations that the backward pass computes again although
 * memory is free (torch.utils.checkpoint). */
#ifndef ANALYSIS_SYSTEM_RECOMPUTE_FINDING_H
#define ANALYSIS_SYSTEM_RECOMPUTE_FINDING_H

#include "analysis/model/finding.h"

/* Kernel time launched by the recomputation itself (recomputed.h). */
struct recomputed_work {
    double ms, dear_ms; /* dear: of matmuls, attention and convolutions, whose results
                           selective checkpointing keeps */
};
struct recomputed_work recompute_work(struct arena tmp, const struct analysis *a);

void recompute_finding(struct arena *perm, struct arena tmp, struct analysis *a);

#endif
