/* like_work.h - work that is the same from call to call, so that its times compare.
 *
 * Calls with the same recorded shapes are; where none are recorded, launches of one
 * kernel with the same grid, block and other launch figures. Without either, nobody
 * knows what a call does. Calls of a kind are in the order of their row or of time. */
#ifndef ANALYSIS_SYSTEM_LIKE_WORK_H
#define ANALYSIS_SYSTEM_LIKE_WORK_H

#include "analysis/model/finding.h"

struct like_call {
    double at_ms, us; /* after the start of the timeline; us 0: it launched nothing */
};

struct like_kind {
    const struct like_call *calls;
    int32_t n;
    double median_us, sum_us;
};

struct like_work {
    struct like_kind *kinds;
    int32_t n;
    double shapes_us, grids_us; /* of kinds told by shapes, and by launches */
};

/* Kinds of six calls and more that take 5 us and longer, in `a`. */
struct like_work like_work_find(struct arena *a, const struct analysis *of);

/* Launches of one kernel with the same launch figures, each behind the same one on its
 * stream: so a grid that stands for several sizes has mostly one. Uneven kinds too. */
struct like_work like_work_in_sequence(struct arena *a, const struct analysis *of);

#endif
