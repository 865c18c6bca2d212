/* host_profile_build.h - the profile of a host from its events and their trees. */
#ifndef ANALYSIS_STACK_HOST_PROFILE_BUILD_H
#define ANALYSIS_STACK_HOST_PROFILE_BUILD_H

#include "ops/host_profile.h"

struct arena;
struct tree_index;

/* In perm. Linear in events. */
struct host_profile *host_profile_build(struct arena *perm, struct arena tmp,
                                        const struct tree_index *t);

#endif
