#include "base/value.h"

const struct value *value_get(const struct value *map, const char *key)
{
    for (int i = 0; value_is(map, VALUE_MAP) && i + 1 < map->n; i += 2)
        if (str_eq(value_text(&map->items[i]), str_of(key)))
            return &map->items[i + 1];
    return NULL;
}

bool value_truth(const struct value *v)
{
    if (value_is(v, VALUE_BOOL) || value_is(v, VALUE_NUMBER))
        return v->number != 0;
    return v && v->n > 0;
}
