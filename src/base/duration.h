/* duration.h - spans of time in whole ns: what two share, one in ms, and sums. */
#ifndef BASE_DURATION_H
#define BASE_DURATION_H

#include <stdint.h>

static inline double ms_of(int64_t ns)
{
    return (double)ns / 1e6;
}

/* For sums that nothing bounds, such as those of distances: one that does not fit stays
 * at the largest, or least, number there is. */
static inline void add_ns(int64_t *sum, int64_t ns)
{
    if (__builtin_add_overflow(*sum, ns, sum))
        *sum = ns < 0 ? INT64_MIN : INT64_MAX;
}

/* Of [from_a, to_a) and [from_b, to_b). */
static inline int64_t shared_ns(int64_t from_a, int64_t to_a, int64_t from_b,
                                int64_t to_b)
{
    int64_t from = from_a > from_b ? from_a : from_b, to = to_a < to_b ? to_a : to_b;
    return to > from ? to - from : 0;
}

static inline int64_t later(int64_t a_ns, int64_t b_ns)
{
    return a_ns > b_ns ? a_ns : b_ns;
}

static inline int64_t sooner(int64_t a_ns, int64_t b_ns)
{
    return a_ns < b_ns ? a_ns : b_ns;
}

#endif
