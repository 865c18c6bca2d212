/* short_gaps.h - gaps that are the cost of the launches themselves. */
#ifndef ANALYSIS_SYSTEM_SHORT_GAPS_H
#define ANALYSIS_SYSTEM_SHORT_GAPS_H

#include "analysis/system/idle_gaps.h"

/* A gap of less than 1 ms before a launch that the device waited for. The launches of
 * a graph's kernels are one, and not of this kind. */
bool gap_is_launch(const struct trace_view *v, const struct gap_row *gap);

/* Fifty; as few as twenty where they hold a third of idle time; as few as eight where
 * those of less than 200 us hold nearly all of it. */
bool short_gaps_are_many(const struct trace_view *v, const struct idle_gaps *g);

#endif
