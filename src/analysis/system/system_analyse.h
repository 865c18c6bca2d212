/* system_analyse.h - the system tier: idle time, copies, collectives, fusion
 * candidates, and the findings made from them. */
#ifndef ANALYSIS_SYSTEM_SYSTEM_ANALYSE_H
#define ANALYSIS_SYSTEM_SYSTEM_ANALYSE_H

#include "analysis/model/finding.h"

struct tree_index;

/* Fills a->system and adds its findings; idle time above the threshold makes one
 * whatever its severity. */
void system_analyse(struct arena *perm, struct arena tmp, struct analysis *a,
                    const struct tree_index *tree, double idle_threshold_pct);

#endif
