/* counters_finding.h - what counters say of the device while it works: a clock that
 * falls, SMs without work. */
#ifndef ANALYSIS_SYSTEM_COUNTERS_FINDING_H
#define ANALYSIS_SYSTEM_COUNTERS_FINDING_H

#include "analysis/system/counters_build.h"

struct analysis;

void counters_finding(struct arena *perm, struct arena tmp, struct analysis *a);

#endif
