/* bit_rows.h - which rows have some property, and how many of those precede a given
 * row.
 *
 * A column that only these rows have is indexed by bit_row; a row without it costs two
 * bits. Rows are stored in words of 32 next to their count, so each lookup reads one
 * place in memory. The caller owns the words: BIT_WORDS(n) for n rows. */
#ifndef STORE_BIT_ROWS_H
#define STORE_BIT_ROWS_H

#include <stdbool.h>
#include <stdint.h>

struct bit_rows {
    uint32_t bits;
    int32_t before; /* set bits in all words before this one */
};

enum { BIT_ROWS = 32 }; /* of a word */
#define BIT_WORDS(n) ((ptrdiff_t)(n) / BIT_ROWS + 1)

/* Counts bits fast even on x86-64 machines without a popcount instruction. */
static inline int32_t bit_count(uint32_t x)
{
    x -= (x >> 1) & 0x55555555u;
    x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u);
    return (int32_t)(((x + (x >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24);
}

/* Sets row i; call bit_finish after the last one. */
static inline void bit_set(struct bit_rows *b, int32_t i)
{
    b[i / BIT_ROWS].bits |= 1u << (i % BIT_ROWS);
}

static inline void bit_finish(struct bit_rows *b, int32_t n)
{
    b[0].before = 0;
    for (int32_t w = 1; w <= n / BIT_ROWS; w++)
        b[w].before = b[w - 1].before + bit_count(b[w - 1].bits);
}

/* Alternatively, appends row i after all earlier rows; the counts are always valid. */
static inline void bit_append(struct bit_rows *b, int32_t i, bool has)
{
    struct bit_rows *w = &b[i / BIT_ROWS];
    if (i % BIT_ROWS == 0)
        *w = (struct bit_rows){0, i ? w[-1].before + bit_count(w[-1].bits) : 0};
    w->bits |= (uint32_t)has << (i % BIT_ROWS);
}

/* How many rows before i are set. */
static inline int32_t bit_before(const struct bit_rows *b, int32_t i)
{
    struct bit_rows w = b[i / BIT_ROWS];
    return w.before + bit_count(w.bits & ((1u << (i % BIT_ROWS)) - 1));
}

/* Whether any row of [from, to) is set; faster than two counts. */
static inline bool bit_any(const struct bit_rows *b, int32_t from, int32_t to)
{
    const struct bit_rows *first = &b[from / BIT_ROWS], *last = &b[to / BIT_ROWS];
    uint32_t low = ~0u << (from % BIT_ROWS), high = (1u << (to % BIT_ROWS)) - 1;
    if (first == last)
        return first->bits & low & high;
    return first->bits & low || last->bits & high || first[1].before != last->before;
}

/* The index of i among the rows that are set, or -1. */
static inline int32_t bit_row(const struct bit_rows *b, int32_t i)
{
    struct bit_rows w = b[i / BIT_ROWS];
    uint32_t bit = 1u << (i % BIT_ROWS);
    return w.bits & bit ? w.before + bit_count(w.bits & (bit - 1)) : -1;
}

#endif
