/* search_waits.h - waits inside a library's own trials of kernels: they go with the
 * search, and not with a finding about a wait in the user's code. */
#ifndef ANALYSIS_SEARCH_WAITS_H
#define ANALYSIS_SEARCH_WAITS_H

#include "analysis/model/finding.h"

/* Before savings: the finding about trials takes in the idle time of waits of which
 * most are inside its calls, and that finding goes. */
void search_waits_join(struct arena *perm, struct arena tmp, struct analysis *a);

#endif
