/* finding_order.h - the one order of findings, by what they save: their priorities, then
 * their numbers. */
#ifndef ANALYSIS_FINDING_ORDER_H
#define ANALYSIS_FINDING_ORDER_H

#include "analysis/model/finding.h"

/* Sets priorities by the share of the run, leaves out what is told twice, sorts, numbers, and
 * gives ids. Claims of rows and `until` follow. */
void finding_order(struct arena *perm, struct arena tmp, struct analysis *a);

#endif
