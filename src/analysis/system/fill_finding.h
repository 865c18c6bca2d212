/* fill_finding.h - kernels that leave much of the device without a block. */
#ifndef ANALYSIS_SYSTEM_FILL_FINDING_H
#define ANALYSIS_SYSTEM_FILL_FINDING_H

struct analysis;
struct arena;

void fill_finding(struct arena *perm, struct analysis *a);

#endif
