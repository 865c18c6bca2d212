/* idle_merge.h - idle time of several groups that one action ends: one finding. And
 * groups of one cause, whatever else is around it. */
#ifndef ANALYSIS_SYSTEM_IDLE_MERGE_H
#define ANALYSIS_SYSTEM_IDLE_MERGE_H

#include "analysis/model/finding.h"

struct idle_group;
struct idle_result;

/* The finding among those from `first` on that asks for the same, and to which this
 * group can be added; NULL: none. Waits are told one by one: each is a place of its
 * own. */
struct finding *idle_same_action(struct arena *perm, const struct analysis *a,
                                 int first, const struct idle_group *g,
                                 struct str title);

/* The times, gaps and spans of both. */
struct idle_group *idle_groups_joined(struct arena *perm, const struct idle_group *x,
                                      const struct idle_group *y);

/* Of Python, most of which is in calls of one function from one place: one group,
 * although what covers nearly all of a gap differs from gap to gap. The group that is
 * joined to another is left without time. */
void idle_groups_join_leaves(struct arena *perm, struct idle_result *r);

#endif
