/* idle_late.h - idle time that a wait of the host leaves behind.
 *
 * A host that waits for the device falls behind by as long as the device works
 * meanwhile: without the wait it would be so much further ahead. Until that time is
 * used up, or it waits in another operator for kernels that it launched since, gaps
 * behind the wait are its work, be it the first alone or several between short kernels.
 * What the host does for a millisecond and longer has causes of its own: the wait is
 * only why nothing hides it. */
#ifndef ANALYSIS_SYSTEM_IDLE_LATE_H
#define ANALYSIS_SYSTEM_IDLE_LATE_H

#include "analysis/system/idle_gaps.h"
#include "base/duration.h"

struct late_part { /* of a gap: in a wait, or behind it */
    int32_t sync;  /* the point at which the host waits; -1: none */
    bool hides; /* long work behind the wait, which the device worked through: without
                   it the host would be so far ahead that all were hidden */
    int64_t from_ns, to_ns;
};

/* By gap. */
struct late_part *idle_late_find(struct arena *perm, struct arena tmp,
                                 const struct trace_view *v, const struct idle_gaps *g);

#endif
