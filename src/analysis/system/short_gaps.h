/* short_gaps.h - gaps that are the cost of the launches themselves. */
#ifndef ANALYSIS_SYSTEM_SHORT_GAPS_H
#define ANALYSIS_SYSTEM_SHORT_GAPS_H

#include "analysis/system/idle_gaps.h"

/* A gap of less than 1 ms before a launch that the device waited for. The launches of
 * a graph's kernels are one, and not of this kind. */
bool gap_is_launch(const struct trace_view *v, const struct gap_row *gap);

/* Fifty, or as few as twenty where they hold a third of idle time. */
bool short_gaps_are_many(const struct trace_view *v, const struct idle_gaps *g);

/* Of a device with fewer: eight or more of less than 200 us hold nearly all of its idle
 * time, so that no single host call explains it. */
bool brief_gaps_are_most(const struct trace_view *v, const struct idle_gaps *g);

#endif
