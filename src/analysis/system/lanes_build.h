/* lanes_build.h - the lanes of a run, from its events and the calls of the host. */
#ifndef ANALYSIS_SYSTEM_LANES_BUILD_H
#define ANALYSIS_SYSTEM_LANES_BUILD_H

#include "analysis/model/run_lanes.h"

struct arena;
struct op_tables;
struct timeline_data;
struct tree_index;

/* class_of: of each row of t->unified, or -1. Without device work, no lanes; without
 * `tree` (NULL), none of the host. */
struct run_lanes *run_lanes_build(struct arena *perm, struct arena tmp,
                                  const struct op_tables *t,
                                  const struct tree_index *tree,
                                  const struct timeline_data *d,
                                  const int8_t *class_of);

#endif
