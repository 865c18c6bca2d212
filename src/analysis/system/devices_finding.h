/* devices_finding.h - several devices of one process that wait for each other. */
#ifndef ANALYSIS_SYSTEM_DEVICES_FINDING_H
#define ANALYSIS_SYSTEM_DEVICES_FINDING_H

#include "analysis/model/finding.h"
#include "base/arena.h"

struct tree_index;

/* The finding, if they take turns or one has much less to do than another. */
void devices_finding(struct arena *perm, struct arena tmp, struct analysis *a,
                     const struct tree_index *tree);

#endif
