/* time_slices.h - kernels that another process on the device interrupts.
 *
 * Processes that share a device without MPS take turns in slices of a fixed length. A
 * kernel that is interrupted takes one slice of the other process longer, or a few of
 * them, whatever it does: what calls take beyond the fastest of their kind is then a
 * multiple of one length. */
#ifndef ANALYSIS_SYSTEM_TIME_SLICES_H
#define ANALYSIS_SYSTEM_TIME_SLICES_H

#include "analysis/system/like_work.h"

struct time_slices {
    double slice_ms; /* 0: there are none */
    int32_t calls;   /* that are interrupted */
    int32_t kinds;   /* of these calls */
    double excess_ms;
    double share;  /* of the time of all work: that of these kinds */
    double spread; /* of kinds that one slice interrupts: longest to shortest */
};

struct time_slices time_slices_find(struct arena tmp, const struct like_work *w);

#endif
