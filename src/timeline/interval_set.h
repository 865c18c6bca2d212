/* interval_set.h - unions and differences of times.
 *
 * An interval set is sorted, disjoint, and touching spans are one. Times are whole
 * nanoseconds, so sums are exact. */
#ifndef TIMELINE_INTERVAL_SET_H
#define TIMELINE_INTERVAL_SET_H

#include "base/arena.h"

#include <stdint.h>

struct span {
    int64_t start_ns, end_ns;
};

struct interval_set {
    struct span *spans;
    ptrdiff_t n;
};

/* Merge n spans into a set; they are sorted in place. */
struct interval_set interval_union(struct arena tmp, struct span *spans, ptrdiff_t n);

/* What is in a but not in b; the result is in the arena. */
struct interval_set interval_minus(struct arena *a, struct interval_set x,
                                   struct interval_set y);

int64_t interval_length_ns(struct interval_set x);

#endif
