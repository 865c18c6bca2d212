/* checkpoint_frames.h - a checkpoint that is written in the step: what the host writes
 * and the copies that bring it there, which one frame holds, as one finding. */
#ifndef ANALYSIS_SYSTEM_CHECKPOINT_FRAMES_H
#define ANALYSIS_SYSTEM_CHECKPOINT_FRAMES_H

#include "analysis/model/finding.h"
#include "analysis/stack/tree_index.h"

/* After the findings of idle time and of copies. Without Python frames nothing changes.
 */
void checkpoint_finding(struct arena *perm, struct analysis *a,
                        const struct tree_index *t);

#endif
