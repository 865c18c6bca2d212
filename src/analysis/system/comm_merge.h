/* comm_merge.h - what merging many small collectives saves: their calls, which the
 * replay takes away, and their latencies; what they move still has to cross the link,
 * beside the backward pass if there is one. */
#ifndef ANALYSIS_SYSTEM_COMM_MERGE_H
#define ANALYSIS_SYSTEM_COMM_MERGE_H

#include "analysis/model/system_results.h"

struct pattern_hit;

/* Sets merged_part and impact of a finding whose advice is to merge; else nothing. */
void comm_merge(struct arena *perm, struct arena tmp, const struct analysis *a,
                const struct multi_kernel_result *r, const struct pattern_hit *hits,
                int n, struct finding *f);

#endif
