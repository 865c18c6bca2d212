/* memory_finding.h - device memory that is nearly full, or fragmented. */
#ifndef ANALYSIS_SYSTEM_MEMORY_FINDING_H
#define ANALYSIS_SYSTEM_MEMORY_FINDING_H

struct analysis;
struct arena;

void memory_finding(struct arena *perm, struct analysis *a);

/* What the allocator never holds of the device; 0: not known. */
double memory_free_pct(const struct analysis *a);

#endif
