/* narrow.h - 64-bit numbers in 32-bit columns.
 *
 * Durations and identifiers in a trace are nearly always below 2^31, but may be
 * anything. Larger ones go into a wide column, and the 32 bits hold their index there.
 * Index 0 is the number that means "none", which therefore never adds to it. */
#ifndef STORE_NARROW_H
#define STORE_NARROW_H

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

static inline void wide_grow(struct wide_column *w)
{
    const ptrdiff_t row = sizeof *w->at;
    if (w->cap > INT32_MAX / 2)
        arena_full();
    w->at = pages_grow(w->at, w->cap * row, 2 * w->cap * row);
    w->cap *= 2;
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
    if (w->n == w->cap)
        wide_grow(w);
    w->at[w->n] = v;
    return NARROW_WIDE + (narrow_num)w->n++;
}

static inline int64_t narrow_value(const struct wide_column *w, narrow_num x)
{
    return x < NARROW_WIDE ? (int64_t)x : w->at[x - NARROW_WIDE];
}

#endif
