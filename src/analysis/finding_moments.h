/* finding_moments.h - when in the run a finding is: the parts of the window that hold
 * its device work or its idle time. */
#ifndef ANALYSIS_FINDING_MOMENTS_H
#define ANALYSIS_FINDING_MOMENTS_H

#include "analysis/model/finding.h"

struct arena;

/* Of the first findings, as many as a page may draw, in their final order. Idle time of
 * which no span is known has none. */
void finding_moments(struct arena tmp, struct analysis *a);

#endif
