/* search_waits.h - idle time inside a library's own trials of kernels: it goes with the
 * search, whatever the host does there (it waits, launches, loads modules), and not
 * with a finding about the user's code. */
#ifndef ANALYSIS_SEARCH_WAITS_H
#define ANALYSIS_SEARCH_WAITS_H

#include "analysis/model/finding.h"

/* Before savings: the finding about trials takes in the idle time inside its calls, and
 * findings about idle time go of which most is there. */
void search_waits_join(struct arena *perm, struct arena tmp, struct analysis *a);

#endif
