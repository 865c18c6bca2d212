/* range_union.h - how long the spans of each of many ranges of one list last together.
 *
 * For the calls of a tree, whose device work is a range of one list: calls in calls
 * without end need not go through the same spans again. O((n + ranges) log n). */
#ifndef TIMELINE_RANGE_UNION_H
#define TIMELINE_RANGE_UNION_H

#include "timeline/interval_set.h"

struct span_range {
    int32_t from, n; /* of the list */
    int64_t ns;      /* out: what they cover, overlap counted once */
};

void range_unions(struct arena tmp, const struct span *spans, int32_t n,
                  struct span_range *ranges, int32_t n_ranges);

#endif
