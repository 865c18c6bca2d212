#include "store/value_pool.h"

#include "base/arena.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct value_pool {
    const struct name_pool *names;
    value_decode *decode;
    _Atomic(const struct value *) *at; /* by name_id; NULL: not decoded yet */
    int32_t n;
    pthread_mutex_t lock; /* of what follows */
    struct arena arena;
    char *start;
    struct collectives {
        const struct collective **at; /* by name_id; NULL: none is read yet */
        struct arena arena;
        char *start;
    } collectives;
};

/* A value takes 24 bytes, and at least one byte where it was recorded. The reservation
 * uses memory only as it is written. */
enum { BYTES_PER_BYTE = 32, BYTES_PER_TEXT = 64 };

static ptrdiff_t bytes_at_most(const struct name_pool *names, ptrdiff_t per_text)
{
    ptrdiff_t bytes = 0;
    for (int32_t i = 0; i < names->n; i++)
        bytes += names->name[i].n;
    ptrdiff_t machine = arena_machine_bytes();
    return bytes < machine / BYTES_PER_BYTE
               ? BYTES_PER_BYTE * bytes + per_text * ((ptrdiff_t)names->n + 1)
               : machine;
}

struct value_pool *values_open(const struct name_pool *names, value_decode *decode)
{
    struct value_pool *p = calloc(1, sizeof *p);
    if (!p || !(p->at = calloc((size_t)names->n + 1, sizeof *p->at)))
        arena_full();
    p->names = names;
    p->decode = decode;
    p->n = names->n;
    pthread_mutex_init(&p->lock, NULL);
    p->arena = arena_reserve(bytes_at_most(names, BYTES_PER_TEXT));
    p->start = p->arena.at;
    return p;
}

void values_close(struct value_pool *p)
{
    if (!p)
        return;
    arena_release(p->start, &p->arena);
    if (p->collectives.at)
        arena_release(p->collectives.start, &p->collectives.arena);
    free(p->collectives.at);
    pthread_mutex_destroy(&p->lock);
    free(p->at);
    free(p);
}

const struct value *values_get(struct value_pool *p, name_id id)
{
    if (!p || id < 0)
        return NULL;
    assert(id < p->n);
    const struct value *v = atomic_load_explicit(&p->at[id], memory_order_acquire);
    if (v)
        return v;
    pthread_mutex_lock(&p->lock);
    v = atomic_load_explicit(&p->at[id], memory_order_relaxed);
    if (!v) {
        v = p->decode(&p->arena, pool_text(p->names, id));
        atomic_store_explicit(&p->at[id], v, memory_order_release);
    }
    pthread_mutex_unlock(&p->lock);
    return v;
}

const struct value *values_apart(const struct value_pool *p, name_id id,
                                 struct arena *a)
{
    return p && id >= 0 ? p->decode(a, p->names->name[id]) : NULL;
}

static void open_collectives(const struct value_pool *p, struct collectives *c)
{
    c->at = calloc((size_t)p->n, sizeof *c->at);
    if (!c->at)
        arena_full();
    c->arena = arena_reserve(bytes_at_most(p->names, sizeof(struct collective)));
    c->start = c->arena.at;
}

const struct collective *values_collective(struct value_pool *p, name_id id,
                                           collective_read *read)
{
    const struct value *v = read ? values_get(p, id) : NULL;
    if (!v)
        return &no_collective;
    struct collectives *c = &p->collectives;
    pthread_mutex_lock(&p->lock);
    if (!c->at)
        open_collectives(p, c);
    const struct collective *known = c->at[id];
    if (!known) {
        struct collective *made = arena_new(&c->arena, struct collective, 1);
        *made = no_collective;
        read(&c->arena, v, made);
        known = c->at[id] = made;
    }
    pthread_mutex_unlock(&p->lock);
    return known;
}
