/* int_map.h - 64-bit keys to 32-bit values: identifiers in a trace to row numbers.
 *
 * Open addressing in an arena; growing leaves the old table behind, so pass the number
 * of keys if it is known. */
#ifndef BASE_INT_MAP_H
#define BASE_INT_MAP_H

#include <stddef.h>
#include <stdint.h>

struct arena;

struct int_map {
    struct int_map_slot *slots;
    ptrdiff_t n, cap; /* keys held; slots, a power of two */
};

struct int_map int_map_make(struct arena *a, ptrdiff_t keys_expected);

/* The value of `key`, -1 if the key is new. Valid until the next call. */
int32_t *int_map_at(struct int_map *m, struct arena *a, int64_t key);

/* The value of `key`, or -1. */
int32_t int_map_get(const struct int_map *m, int64_t key);

#endif
