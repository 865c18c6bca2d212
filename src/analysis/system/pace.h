/* pace.h - how fast the device runs the same work, over the recording.
 *
 * Calls of one row do the same, so that their time over the row's median is the
 * device's pace. Where rows of every kind are slow at once, or slow down together, the
 * device is the cause: its clock, its power limit, or another process. */
#ifndef ANALYSIS_SYSTEM_PACE_H
#define ANALYSIS_SYSTEM_PACE_H

#include "analysis/model/finding.h"

/* The finding, if this costs a twentieth of the run or more. */
void pace_finding(struct arena *perm, struct arena tmp, struct analysis *a);

#endif
