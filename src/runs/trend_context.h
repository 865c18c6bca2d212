/* trend_context.h - the trends of one series as templates/runs/trend.html reads them.
 */
#ifndef RUNS_TREND_CONTEXT_H
#define RUNS_TREND_CONTEXT_H

#include "runs/run_scan.h"

/* Runs first to first + n - 1 are the series, newest first. */
struct cJSON *trend_context(struct arena *perm, const struct run_row *first, int n,
                            int number);

#endif
