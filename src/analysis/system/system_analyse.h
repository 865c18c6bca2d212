/* system_analyse.h - the system tier: idle time, copies, collectives, fusion
 * candidates, and the findings made from them. */
#ifndef ANALYSIS_SYSTEM_SYSTEM_ANALYSE_H
#define ANALYSIS_SYSTEM_SYSTEM_ANALYSE_H

#include "analysis/model/system_results.h"
#include "analysis/system/idle_gaps.h"

struct host_time;

/* Idle time, from events and times of the parts alone: it may run on a thread of its
 * own while rows are made. */
struct idle_gaps system_idle(struct arena *perm, struct arena tmp,
                             const struct analysis *a, struct host_time *host,
                             struct idle_result *r);

/* The same of each device, where there are several; `all`: the gaps of all. */
void system_idle_of_devices(struct arena *perm, struct arena tmp,
                            const struct analysis *a, const struct host_time *host,
                            const struct idle_gaps *all, struct system_results *r);

/* Meanwhile: kernels and launches counted, and fusion candidates, from the rows alone.
 */
void system_beside_idle(struct arena *perm, struct arena tmp, struct analysis *a,
                        const struct tree_index *tree, struct system_results *r);

/* Then the rest of `r`, which is a->system, and the findings; idle time above the
 * threshold makes one whatever its severity. */
void system_analyse(struct arena *perm, struct arena tmp, struct analysis *a,
                    struct system_results *r, const struct tree_index *tree,
                    const struct idle_gaps *gaps, double idle_threshold_pct);

#endif
