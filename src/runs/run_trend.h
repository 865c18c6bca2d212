/* run_trend.h - one figure of a series of runs over time, and where it changed.
 *
 * Each run is held against the runs before it, back to the last change that stayed, at
 * most TREND_HISTORY of them, by the rules of noise that compare has: with eight or
 * more it is a change if it is further from their median than four times their scatter
 * (1.4826 MAD, widened for one new value) and than the floor; with fewer, only beyond
 * the floor of a single capture. What is below half a per cent of the run is never one.
 */
#ifndef RUNS_RUN_TREND_H
#define RUNS_RUN_TREND_H

#include "base/arena.h"

#include <stdbool.h>

enum { TREND_HISTORY = 20, TREND_ENOUGH = 8, TREND_POINTS = 60 };

struct trend_point {
    double value;     /* NaN: not known */
    double low, high; /* the band it is held against; NaN: there is none yet */
    double diff_pct;  /* of the median before it; NaN */
    bool changed;
};

enum trend_kind { TREND_WALL, TREND_DEVICE, TREND_ROW };

/* `values` oldest first; `whole` of each run, that half a per cent is of. */
struct trend_point *trend_of(struct arena *perm, const double *values,
                             const double *whole, int n, enum trend_kind kind);

#endif
