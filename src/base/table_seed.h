/* table_seed.h - what no trace can know of the hashes in memory.
 *
 * Names and identifiers of a trace are chosen by whoever made it: hashed in a way they
 * know, a hundred thousand of them would share one slot. Drawn once per run; nothing
 * that is written may depend on it. */
#ifndef BASE_TABLE_SEED_H
#define BASE_TABLE_SEED_H

#include <stdint.h>

extern uint64_t table_seed; /* odd */

/* Folds both halves of the product: each bit of a and b affects most of it. */
static inline uint64_t hash_fold(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 u128;
    u128 product = (u128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

#endif
