#include "base/int_map.h"

#include "base/arena.h"
#include "base/table_seed.h"

struct int_map_slot {
    int64_t key;
    int32_t value, used;
};

struct int_map int_map_make(struct arena *a, ptrdiff_t keys_expected)
{
    ptrdiff_t cap = 16;
    while (cap < 2 * keys_expected)
        cap *= 2;
    return (struct int_map){arena_new(a, struct int_map_slot, cap), 0, cap};
}

static struct int_map_slot *find(const struct int_map *m, int64_t key)
{
    uint64_t h =
        hash_fold((uint64_t)key ^ table_seed, 0x9e3779b97f4a7c15u ^ table_seed << 1);
    for (ptrdiff_t i = (ptrdiff_t)(h >> 20) & (m->cap - 1);; i = (i + 1) & (m->cap - 1))
        if (!m->slots[i].used || m->slots[i].key == key)
            return &m->slots[i];
}

int32_t *int_map_at(struct int_map *m, struct arena *a, int64_t key)
{
    struct int_map_slot *s = find(m, key);
    if (s->used)
        return &s->value;
    if (2 * (m->n + 1) > m->cap) {
        struct int_map bigger = int_map_make(a, m->cap);
        for (ptrdiff_t i = 0; i < m->cap; i++)
            if (m->slots[i].used)
                *find(&bigger, m->slots[i].key) = m->slots[i];
        bigger.n = m->n;
        *m = bigger;
        s = find(m, key);
    }
    m->n++;
    *s = (struct int_map_slot){key, -1, 1};
    return &s->value;
}

int32_t int_map_get(const struct int_map *m, int64_t key)
{
    const struct int_map_slot *s = m->cap ? find(m, key) : NULL;
    return s && s->used ? s->value : -1;
}
