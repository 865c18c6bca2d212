#include "analysis/system/idle_tally.h"

#include "analysis/system/host_name.h"

struct known_name {
    uint64_t key;        /* 0: not made yet */
    int32_t group_after; /* the group that it was last a leaf of, and 1 */
    int32_t row;         /* of that */
};

struct tallies tallies_make(struct arena *tmp, const struct event_store *s)
{
    return (struct tallies){.tmp = tmp,
                            .s = s,
                            .names = arena_new(tmp, struct known_name, s->names.n + 1),
                            .of = int_map_make(tmp, 256)};
}

static struct known_name *name_of(struct tallies *t, event_id i)
{
    struct known_name *n = &t->names[i < 0 ? t->s->names.n : t->s->name[i]];
    if (!n->key)
        n->key = i < 0 ? 1 : host_name_key(*t->tmp, store_name(t->s, i)) | 2;
    return n;
}

uint64_t tally_name_key(struct tallies *t, event_id i)
{
    return name_of(t, i)->key;
}

static int32_t row_at(struct tallies *t, uint64_t name, struct tally like)
{
    uint64_t key = key_mix(key_mix(name, (uint64_t)like.group), like.kind);
    int32_t *at = int_map_at(&t->of, t->tmp, (int64_t)key);
    if (*at < 0) {
        *at = t->n;
        arena_grow(t->tmp, t->rows, t->n);
        t->rows[t->n++] =
            (struct tally){like.group, like.kind, like.example, like.name, 0, 0};
    }
    return *at;
}

static void count(struct tally *row, int64_t ns)
{
    row->count++;
    row->ns += ns;
}

static int32_t row_like(struct tallies *t, struct tally like)
{
    uint64_t name = like.kind >= TALLY_WHERE ? str_hash(like.name)
                                             : tally_name_key(t, like.example);
    return row_at(t, name, like);
}

int32_t tally_add(struct tallies *t, struct tally like, int64_t ns)
{
    int32_t row = row_like(t, like);
    count(&t->rows[row], ns);
    return row;
}

int32_t tally_more(struct tallies *t, struct tally like, int64_t ns)
{
    int32_t row = row_like(t, like);
    t->rows[row].ns += ns;
    return row;
}

/* The next leaf of that name is nearly always in the same group. */
void tally_leaf(struct tallies *t, int32_t group, event_id leaf, int64_t ns)
{
    struct known_name *n = name_of(t, leaf);
    if (n->group_after != group + 1) {
        struct tally like = {.group = group, .kind = TALLY_LEAF, .example = leaf};
        n->row = row_at(t, n->key, like);
        n->group_after = group + 1;
    }
    count(&t->rows[n->row], ns);
}
