/* split_load.h - how unevenly an all-to-all spreads over its ranks, by the split sizes
 * that are recorded of each call. */
#ifndef ANALYSIS_SYSTEM_SPLIT_LOAD_H
#define ANALYSIS_SYSTEM_SPLIT_LOAD_H

#include "ops/collective_table.h"

struct split_load {
    double low, high; /* the largest split of a call beside its mean, least and most */
    double ratio;     /* its mean over all calls; 0: no splits are recorded */
    int64_t rank;     /* that has the largest most often */
    double rank_pct;  /* of the calls */
};

struct split_load split_load_of(struct arena tmp, const struct collective_table *t);

#endif
