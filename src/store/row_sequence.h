/* row_sequence.h - which row came after each one, last time.
 *
 * Events come in the order of loops and calls, so that in two of three cases it comes
 * again, and no hash is needed. Whoever uses a row sets `last`. On the heap. */
#ifndef STORE_ROW_SEQUENCE_H
#define STORE_ROW_SEQUENCE_H

#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct row_sequence {
    int32_t *next, last;
    ptrdiff_t n;
};

static inline void sequence_grow(struct row_sequence *q)
{
    enum { FIRST = 1 << 10 };
    ptrdiff_t n = 2 * (ptrdiff_t)q->last + FIRST;
    q->next = realloc(q->next, (size_t)n * sizeof *q->next);
    if (!q->next)
        arena_full();
    memset(q->next + q->n, 0xff, (size_t)(n - q->n) * sizeof *q->next);
    q->n = n;
}

/* Where the row that followed the last one is kept; -1: none has. */
static inline int32_t *sequence_next(struct row_sequence *q)
{
    if (q->last >= q->n)
        sequence_grow(q);
    return &q->next[q->last];
}

#endif
