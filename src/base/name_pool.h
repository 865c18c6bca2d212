/* name_pool.h - each distinct text, stored once.
 *
 * Owns its texts until pool_free. Ids count up from 0 in order of first appearance and
 * stay valid for the run. */
#ifndef BASE_NAME_POOL_H
#define BASE_NAME_POOL_H

#include "base/arena.h"
#include "base/str.h"

typedef int32_t name_id; /* -1: no text */

/* Of texts that last: what was said of those asked for last, by their addresses. */
enum { POOL_RECENT_BITS = 6 };
struct recent_text {
    struct str text;
    name_id id; /* plus one; 0: free */
};

struct name_pool {
    struct str *name;
    int32_t n;
    struct name_slot *slots;
    int64_t cap; /* slots, a power of two */
    struct arena text;
    ptrdiff_t name_cap;        /* names there is room for */
    struct name_chunk *chunks; /* small pool: texts in heap blocks */
    char *text_start;          /* large pool: texts in a reservation */
    struct recent_text recent[1 << POOL_RECENT_BITS];
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

/* The same of a text that stays where it is, unchanged, for as long as the pool is
 * open: most are those of another pool, and the same few again and again. */
static inline name_id pool_add_lasting(struct name_pool *p, struct str text)
{
    uint64_t mixed = (uint64_t)(uintptr_t)text.p * 0x9e3779b97f4a7c15u;
    struct recent_text *r = &p->recent[mixed >> (64 - POOL_RECENT_BITS)];
    if (!r->id || r->text.p != text.p || r->text.n != text.n)
        *r = (struct recent_text){text, pool_add(p, text) + 1};
    return r->id - 1;
}

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
