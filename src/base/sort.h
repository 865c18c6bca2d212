/* sort.h - rows by a 64-bit key, and ids by the key of each.
 *
 * A natural merge sort: stable, and fast on input that is sorted or made of a few
 * sorted runs, like the events of a trace. Scratch holds the overlapping part of two
 * runs. */
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

/* Ascending by key[id]: takes a quarter of the memory if the keys are a column. */
void sort_ids(struct arena tmp, int32_t *ids, ptrdiff_t n, const int64_t *key);

#endif
