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
    char *text_start;
    ptrdiff_t name_bytes; /* reserved for `name` */
};

void pool_open(struct name_pool *p);
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
