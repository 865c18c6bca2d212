/* name_pool.h - each distinct text once.
 *
 * Owns its texts until pool_free; an id is good for the run and ids count up from 0 in
 * the order of first appearance. */
#ifndef STORE_NAME_POOL_H
#define STORE_NAME_POOL_H

#include "base/arena.h"
#include "base/str.h"

typedef int32_t name_id; /* -1: no text */

struct name_pool {
    struct str *name;
    int32_t n;
    struct name_slot *slots;
    int64_t cap; /* slots, a power of two */
    struct arena text;
    ptrdiff_t name_cap;        /* names there is room for */
    struct name_chunk *chunks; /* a small pool: texts in pieces of the heap */
    char *text_start;          /* a large one: in a reservation */
};

/* Texts of one stage, some hundreds perhaps: on the heap, because mapping memory for
 * each of a hundred pools, and making all threads wait when it is unmapped, cost more
 * than the pools themselves. */
void pool_open(struct name_pool *p);

/* Texts of a whole trace: as much as the machine has, and nothing is copied to grow. */
void pool_open_large(struct name_pool *p);
void pool_close(struct name_pool *p);

/* The id of a text, copied when it is new. */
name_id pool_add(struct name_pool *p, struct str text);

/* The id of a text, or -1. */
name_id pool_find(const struct name_pool *p, struct str text);

/* Memory that its texts take, the index of them too. */
ptrdiff_t pool_memory_bytes(const struct name_pool *p);

/* The text of an id; the empty text for -1. */
static inline struct str pool_text(const struct name_pool *p, name_id id)
{
    return id < 0 ? S("") : p->name[id];
}

#endif
