#include "base/stable_id.h"

#include "base/arena.h"

struct id_set id_set_make(struct arena *a, ptrdiff_t n)
{
    return (struct id_set){a, int_map_make(a, n)};
}

struct str id_take(struct id_set *s, const char *prefix, struct str identity)
{
    uint64_t hash = str_hash(identity);
    uint32_t id = (uint32_t)(hash >> 32 ^ hash);
    uint32_t first = id;
    int32_t *taken;
    while (*(taken = int_map_at(&s->used, s->arena, id)) >= 0)
        id += (uint32_t)*taken;
    *taken = 1;
    if (id != first) /* so that many that collide do not all walk past each other */
        *int_map_at(&s->used, s->arena, first) = (int32_t)(id - first + 1);
    return str_printf(s->arena, "%s-%08x", prefix, (unsigned)id);
}
