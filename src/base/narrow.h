/* narrow.h - numbers of 64 bits in columns of 32.
 *
 * Durations and identifiers of a trace are below 2^31 nearly always, and may be
 * anything. One that is not stands in a column of its own, and the 32 bits say where.
 * Place 0 is taken by the number that means "none", so that it costs nothing however
 * often it comes. */
#ifndef BASE_NARROW_H
#define BASE_NARROW_H

#include "base/arena.h"

#include <stdint.h>

typedef uint32_t narrow_num;
#define NARROW_WIDE                                                                    \
    ((narrow_num)1 << 31) /* from here on: a place in the wide column                  \
                           */

struct wide_column {
    int64_t *at;
    int32_t n, cap;
};

static inline struct wide_column wide_open(int32_t cap, int64_t none)
{
    struct wide_column w = {pages_reserve(cap * (ptrdiff_t)sizeof *w.at), 1, cap};
    w.at[0] = none;
    return w;
}

static inline void wide_close(struct wide_column *w)
{
    pages_release(w->at, w->cap * (ptrdiff_t)sizeof *w->at);
    *w = (struct wide_column){0};
}

static inline narrow_num narrow_of(struct wide_column *w, int64_t v)
{
    if (v >= 0 && v < (int64_t)NARROW_WIDE)
        return (narrow_num)v;
    if (v == w->at[0])
        return NARROW_WIDE;
    if (w->n >= w->cap)
        arena_full();
    w->at[w->n] = v;
    return NARROW_WIDE + (narrow_num)w->n++;
}

static inline int64_t narrow_value(const struct wide_column *w, narrow_num x)
{
    return x < NARROW_WIDE ? (int64_t)x : w->at[x - NARROW_WIDE];
}

#endif
