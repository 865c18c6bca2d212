#include "base/name_pool.h"

#include <stdlib.h>

struct name_slot {
    uint32_t hash;
    name_id id; /* plus one; 0: free */
};

struct name_chunk {
    struct name_chunk *next;
};

enum {
    SLOTS_FIRST = 1 << 8,
    SLOTS_LARGE = 1 << 12,
    CHUNK_BYTES = 1 << 12,
    NAME_BYTES = 32
};

static struct name_slot *slots_new(int64_t n)
{
    struct name_slot *slots = calloc((size_t)n, sizeof *slots);
    if (!slots)
        arena_full();
    return slots;
}

void pool_open(struct name_pool *p)
{
    *p = (struct name_pool){.cap = SLOTS_FIRST, .slots = slots_new(SLOTS_FIRST)};
}

void pool_open_large(struct name_pool *p)
{
    ptrdiff_t machine = arena_machine_bytes();
    *p = (struct name_pool){.cap = SLOTS_LARGE, .slots = slots_new(SLOTS_LARGE)};
    p->name_cap = machine / 16 / (ptrdiff_t)sizeof *p->name;
    p->name = pages_reserve(p->name_cap * (ptrdiff_t)sizeof *p->name);
    p->text = arena_reserve(machine / 4);
    p->text_start = p->text.at;
}

void pool_close(struct name_pool *p)
{
    if (p->text_start) {
        arena_release(p->text_start, &p->text);
        pages_release(p->name, p->name_cap * (ptrdiff_t)sizeof *p->name);
    } else {
        free(p->name);
    }
    for (struct name_chunk *c = p->chunks, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    free(p->slots);
    *p = (struct name_pool){0};
}

/* Makes room for one more name and its text. */
static void make_room(struct name_pool *p, ptrdiff_t bytes)
{
    if (p->n == p->name_cap) {
        p->name_cap = p->name_cap ? 2 * p->name_cap : SLOTS_FIRST / 2;
        p->name = p->text_start
                      ? NULL /* the reservation was as large as the machine's memory */
                      : realloc(p->name, (size_t)p->name_cap * sizeof *p->name);
        if (!p->name)
            arena_full();
    }
    if (p->text.at && (p->text_start || bytes <= p->text.end - p->text.at))
        return;
    /* Large blocks go back to the system when they are freed, small ones do not. */
    ptrdiff_t size = CHUNK_BYTES + NAME_BYTES * (ptrdiff_t)p->n;
    size = bytes < size ? size : bytes;
    struct name_chunk *c = malloc(sizeof *c + (size_t)size);
    if (!c)
        arena_full();
    c->next = p->chunks;
    p->chunks = c;
    p->text = (struct arena){.at = (char *)(c + 1), .end = (char *)(c + 1) + size};
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
    p->slots = slots_new(p->cap);
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
    make_room(p, text.n);
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
