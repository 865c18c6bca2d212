/* sort.h - rows by a 64-bit key, and ids by the key of each.
 *
 * Stable, and fast on what is sorted already or in a few runs, as the events of a trace
 * are: natural merge sort. Scratch is needed for the parts of two runs that overlap. */
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

/* Ascending by key[id]: a quarter of the memory, where the keys are a column. */
void sort_ids(struct arena tmp, int32_t *ids, ptrdiff_t n, const int64_t *key);

#endif
