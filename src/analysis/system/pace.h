/* pace.h - how fast the device runs the same work, over the recording.
 *
 * Calls of one row do the same, so that their time over the row's median is the
 * device's pace. Where rows of every kind are slow at once, or slow down together, the
 * device is the cause: its clock, its power limit, or another process. */
#ifndef ANALYSIS_SYSTEM_PACE_H
#define ANALYSIS_SYSTEM_PACE_H

#include "analysis/model/finding.h"

struct pace {
    bool slows_down; /* from the beginning to the end; else a stretch is slow */
    double ratio;    /* to what is usual, or to the beginning; 0: the pace is even */
    double from_ms, to_ms; /* of the stretch, after the start of the timeline */
    double excess_ms;      /* device time beyond that of the usual pace */
    int n_rows;            /* kinds of calls that are slow */
};

struct pace pace_measure(struct arena tmp, const struct analysis *a);

/* The finding, if this costs a twentieth of the run or more. */
void pace_finding(struct arena *perm, struct arena tmp, struct analysis *a);

#endif
