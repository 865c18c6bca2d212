/* pools.h - members that are at the same place of the same work: of one instance, and
 * of the instances at that place in all groups that do the same. */
#ifndef JOB_POOLS_H
#define JOB_POOLS_H

#include "base/arena.h"
#include "job/job.h"

struct pool_list {
    int32_t *first, *instances; /* of each pool */
    int32_t most;               /* members of the largest */
};

struct pool_list pools_list(struct arena *a, const struct job *j);

/* The members of a pool whose instances count, and their number. */
int32_t pool_members(const struct job *j, const struct pool_list *l, int32_t pool,
                     struct member_ref *to);

/* The one in the middle by the length of its segment, the lower of two; of equal ones
 * that of the lowest rank. */
struct member_ref pool_middle(struct arena tmp, const struct job *j,
                              const struct member_ref *all, int32_t n);

/* Groups that do the same, and the pools of their instances. */
void pools_find(struct arena tmp, struct job *j);

#endif
