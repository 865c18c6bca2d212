/* finding_order.h - the one order of findings: by what they save, then their numbers.
 */
#ifndef ANALYSIS_FINDING_ORDER_H
#define ANALYSIS_FINDING_ORDER_H

#include "analysis/model/finding.h"

/* Caps priorities by the saving, leaves out what is told twice, sorts, numbers, and
 * gives ids. Claims of rows and `until` follow. */
void finding_order(struct arena *perm, struct arena tmp, struct analysis *a);

#endif
