/* sort.h - rows by a 64-bit key.
 *
 * Stable, and fast on what is sorted already or in a few runs, as the events of a trace
 * are: natural merge sort. */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include "base/arena.h"

#include <stdint.h>

struct sort_row {
    int64_t key;
    int32_t row;
};

/* Ascending by key; equal keys keep their order. */
void sort_rows(struct arena tmp, struct sort_row *rows, ptrdiff_t n);

#endif
