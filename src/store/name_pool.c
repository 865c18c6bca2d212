#include "store/name_pool.h"

#include <stdlib.h>

struct name_slot {
    uint32_t hash;
    name_id id; /* plus one; 0: free */
};

void pool_open(struct name_pool *p)
{
    ptrdiff_t machine = arena_machine_bytes();
    *p = (struct name_pool){.cap = 1 << 12, .name_bytes = machine / 16};
    p->text = arena_reserve(machine / 4);
    p->text_start = p->text.at;
    p->name = pages_reserve(p->name_bytes);
    p->slots = calloc((size_t)p->cap, sizeof *p->slots);
    if (!p->slots)
        arena_full();
}

void pool_close(struct name_pool *p)
{
    arena_release(p->text_start, &p->text);
    pages_release(p->name, p->name_bytes);
    free(p->slots);
    *p = (struct name_pool){0};
}

static struct name_slot *find(const struct name_pool *p, struct str text, uint32_t hash)
{
    for (int64_t i = hash & (p->cap - 1);; i = (i + 1) & (p->cap - 1)) {
        struct name_slot *s = &p->slots[i];
        if (!s->id || (s->hash == hash && str_eq(p->name[s->id - 1], text)))
            return s;
    }
}

static void grow(struct name_pool *p)
{
    struct name_slot *old = p->slots;
    int64_t old_cap = p->cap;
    p->cap *= 2;
    p->slots = calloc((size_t)p->cap, sizeof *p->slots);
    if (!p->slots)
        arena_full();
    for (int64_t k = 0; k < old_cap; k++) {
        if (!old[k].id)
            continue;
        int64_t i = old[k].hash & (p->cap - 1);
        while (p->slots[i].id)
            i = (i + 1) & (p->cap - 1);
        p->slots[i] = old[k];
    }
    free(old);
}

name_id pool_add(struct name_pool *p, struct str text)
{
    uint32_t hash = (uint32_t)str_table_hash(text);
    struct name_slot *s = find(p, text, hash);
    if (s->id)
        return s->id - 1;
    if (2 * ((int64_t)p->n + 1) > p->cap) {
        grow(p);
        s = find(p, text, hash);
    }
    if ((p->n + 1) * (ptrdiff_t)sizeof *p->name > p->name_bytes)
        arena_full();
    p->name[p->n] = str_copy(&p->text, text);
    *s = (struct name_slot){hash, ++p->n};
    return p->n - 1;
}

name_id pool_find(const struct name_pool *p, struct str text)
{
    return find(p, text, (uint32_t)str_table_hash(text))->id - 1;
}

ptrdiff_t pool_memory_bytes(const struct name_pool *p)
{
    return p->text.at - p->text_start + p->n * (ptrdiff_t)sizeof *p->name +
           p->cap * (ptrdiff_t)sizeof *p->slots;
}
