#include "formats/perfetto_intern.h"

#include <stdlib.h>

void intern_open(struct perfetto_intern *in, struct name_pool *texts)
{
    *in = (struct perfetto_intern){.texts = texts};
    pool_open(&in->keys);
}

void intern_close(struct perfetto_intern *in)
{
    pool_close(&in->keys);
    free(in->text);
}

static struct str bytes_of(const struct intern_key *key)
{
    return (struct str){(const char *)key, sizeof *key};
}

static ptrdiff_t recent_of(struct intern_key key)
{
    return (ptrdiff_t)((key.iid * INTERN_KINDS + key.kind) % INTERN_RECENT);
}

static bool same_key(struct intern_key a, struct intern_key b)
{
    return a.iid == b.iid && a.sequence == b.sequence && a.kind == b.kind;
}

void intern_set(struct perfetto_intern *in, struct intern_key key, struct str text)
{
    name_id k = pool_add(&in->keys, bytes_of(&key));
    if (k >= in->max) {
        in->max = in->max ? 2 * in->max : INTERN_RECENT;
        in->text = realloc(in->text, (size_t)in->max * sizeof *in->text);
        if (!in->text)
            arena_full();
    }
    in->text[k] = pool_add(in->texts, text);
    if (same_key(in->recent[recent_of(key)].key, key))
        in->recent[recent_of(key)].text = in->text[k];
}

name_id intern_get(struct perfetto_intern *in, struct intern_key key)
{
    if (!key.iid)
        return -1;
    ptrdiff_t r = recent_of(key);
    if (same_key(in->recent[r].key, key))
        return in->recent[r].text;
    name_id k = pool_find(&in->keys, bytes_of(&key));
    if (k < 0)
        return -1;
    in->recent[r].key = key;
    return in->recent[r].text = in->text[k];
}
