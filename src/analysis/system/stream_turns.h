/* stream_turns.h - streams that run one after the other although the device has room.
 *
 * A kernel that was queued on a free stream before another kernel began, starts right
 * behind that one, and would have fitted beside it: something made it wait, most often
 * an event of the other stream. */
#ifndef ANALYSIS_SYSTEM_STREAM_TURNS_H
#define ANALYSIS_SYSTEM_STREAM_TURNS_H

#include "analysis/model/finding.h"

/* The finding, if such pairs could save enough of the run. */
void stream_turns_finding(struct arena *perm, struct arena tmp, struct analysis *a);

#endif
