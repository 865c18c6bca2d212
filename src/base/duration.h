/* duration.h - spans of time in whole ns: what two share, and one in ms. */
#ifndef BASE_DURATION_H
#define BASE_DURATION_H

#include <stdint.h>

static inline double ms_of(int64_t ns)
{
    return (double)ns / 1e6;
}

/* Of [from_a, to_a) and [from_b, to_b). */
static inline int64_t shared_ns(int64_t from_a, int64_t to_a, int64_t from_b,
                                int64_t to_b)
{
    int64_t from = from_a > from_b ? from_a : from_b, to = to_a < to_b ? to_a : to_b;
    return to > from ? to - from : 0;
}

#endif
