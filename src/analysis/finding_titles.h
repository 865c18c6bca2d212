/* finding_titles.h - one title for one finding.
 *
 * Findings of different operators may ask for the same: then each title ends with what
 * tells it from the others, its operator, else its arguments, else a number. */
#ifndef ANALYSIS_FINDING_TITLES_H
#define ANALYSIS_FINDING_TITLES_H

#include "analysis/model/finding.h"

void finding_titles_part(struct arena *perm, struct arena tmp, struct analysis *a);

#endif
