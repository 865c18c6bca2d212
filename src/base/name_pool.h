/* name_pool.h - each distinct text, stored once.
 *
 * Owns its texts until pool_free. Ids count up from 0 in order of first appearance and
 * stay valid for the run. */
#ifndef BASE_NAME_POOL_H
#define BASE_NAME_POOL_H

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
    struct name_chunk *chunks; /* small pool: texts in heap blocks */
    char *text_start;          /* large pool: texts in a reservation */
};

/* For the texts of one stage, perhaps some hundreds. On the heap: mapping memory for
 * each of a hundred pools, and stalling all threads when it is unmapped, cost more than
 * the pools themselves. */
void pool_open(struct name_pool *p);

/* For the texts of a whole trace: reserves as much as the machine's memory, so growing
 * copies nothing. */
void pool_open_large(struct name_pool *p);
void pool_close(struct name_pool *p);

/* The id of a text, which is copied if it is new. */
name_id pool_add(struct name_pool *p, struct str text);

/* The id of a text, or -1. */
name_id pool_find(const struct name_pool *p, struct str text);

/* Memory used by the texts and their index. */
ptrdiff_t pool_memory_bytes(const struct name_pool *p);

/* The text of an id; the empty text for -1. */
static inline struct str pool_text(const struct name_pool *p, name_id id)
{
    return id < 0 ? S("") : p->name[id];
}

#endif
