/* graph_cover.h - how much of the time that graph launches take their kernels cover.
 *
 * A graph runs from its first kernel until the device takes the next work that was
 * queued meanwhile, or until a wait of the host for it is over. Nodes start within a
 * few us of each other: where longer gaps without device work are more than what the
 * kernels take, most nodes are not recorded, and those gaps are neither idle time nor
 * work for certain. */
#ifndef ANALYSIS_SYSTEM_GRAPH_COVER_H
#define ANALYSIS_SYSTEM_GRAPH_COVER_H

#include "analysis/system/idle_gaps.h"

struct graph_cover {
    int64_t n;                  /* launches whose kernels cover less than half */
    int64_t kernels_ns, gap_ns; /* of those */
    uint8_t *of_gap; /* by gap: 1 inside or behind one of those; NULL: no such */
};

struct graph_cover graph_cover_find(struct arena *perm, struct arena tmp,
                                    const struct trace_view *v,
                                    const struct idle_gaps *g);

#endif
