/* idle_groups.h - groups of idle time, once all gaps are followed: their names and
 * order.
 *
 * A group says what it is in (blame), what takes most of it (leaf), which wait comes
 * before it, and the code of the user's that it is in. */
#ifndef ANALYSIS_SYSTEM_IDLE_GROUPS_H
#define ANALYSIS_SYSTEM_IDLE_GROUPS_H

#include "analysis/model/system_results.h"
#include "analysis/system/host_time.h"
#include "analysis/system/idle_tally.h"

struct group_names {
    struct arena *perm;
    const struct tree_index *t;
    struct host_time *host;
    struct idle_group *groups;
    const int32_t *notes_of; /* annotations by name; NULL: frames tell places */
};

/* By what was counted in each of the `n` groups. */
void idle_groups_name(const struct group_names *f, struct arena *tmp,
                      const struct tallies *all, int32_t n);

/* By the event that is blamed (-1: none), or by a name that no event has. */
void idle_group_blame(const struct group_names *f, struct idle_group *g, event_id blame,
                      struct str fixed);

/* By time, without those of none; equal times keep the order in which they were found.
 */
void idle_groups_sort(struct arena *perm, struct arena tmp, struct idle_result *r);

#endif
