/* loop_findings.h - loops that one call could replace, and what that saves: over the
 * experts of a layer (expert_loop.h), over the time steps of a recurrent network, over
 * turns whose results are joined (turn_loops.h), over the tensors of a moving average
 * (average_loops.h), over values that are read one by one (read_loops.h). */
#ifndef ANALYSIS_SYSTEM_LOOP_FINDINGS_H
#define ANALYSIS_SYSTEM_LOOP_FINDINGS_H

#include "analysis/model/finding.h"
#include "analysis/stack/tree_index.h"

/* After the findings of idle time, one of which is that of experts. */
void loop_findings(struct arena *perm, struct arena tmp, struct analysis *a,
                   const struct tree_index *t);

#endif
