#include "analysis/model/work_facts.h"

#include "base/arena.h"

#include <assert.h>
#include <math.h>
#include <string.h>

struct fact_key {
    struct str key;
    enum fact_kind kind;
};

static const struct fact_key row_keys[] = {
#define X(key, kind, meaning) {S_INIT(#key), FACT_##kind},
    WORK_ROW_FACTS_LIST(X)};
static const struct fact_key category_keys[] = {WORK_CATEGORY_FACTS_LIST(X)};
static const struct fact_key trace_keys[] = {WORK_TRACE_FACTS_LIST(X)
#undef X
};

enum {
    N_ROW_KEYS = sizeof row_keys / sizeof *row_keys,
    N_CATEGORY_KEYS = sizeof category_keys / sizeof *category_keys,
    N_TRACE_KEYS = sizeof trace_keys / sizeof *trace_keys
};

/* Keys are asked again and again: where one like it was found last is tried first. */
static int place_in(const struct fact_key *keys, int n, struct str key)
{
    enum { SLOTS = 256 };
    static _Thread_local uint8_t last[SLOTS];
    unsigned like = key.n ? (unsigned char)key.p[0] * 7u +
                                (unsigned char)key.p[key.n / 2] * 5u +
                                (unsigned char)key.p[key.n - 1] * 3u + (unsigned)key.n
                          : 0;
    uint8_t *place = &last[like % SLOTS];
    if (*place < n && str_eq(keys[*place].key, key))
        return *place;
    for (int i = 0; i < n; i++)
        if (str_eq(keys[i].key, key))
            return *place = (uint8_t)i;
    return -1;
}

static enum fact_kind kind_in(const struct fact_key *keys, int n, struct str key)
{
    int place = place_in(keys, n, key);
    return place < 0 ? FACT_NONE : keys[place].kind;
}

enum fact_kind work_row_fact_kind(struct str key)
{
    return kind_in(row_keys, N_ROW_KEYS, key);
}

enum fact_kind work_category_fact_kind(struct str key)
{
    return kind_in(category_keys, N_CATEGORY_KEYS, key);
}

enum fact_kind work_trace_fact_kind(struct str key)
{
    return kind_in(trace_keys, N_TRACE_KEYS, key);
}

static struct work_fact *find(struct work_fact *f, int n, const char *key)
{
    for (int i = 0; i < n; i++)
        if (strcmp(f[i].key, key) == 0)
            return &f[i];
    return NULL;
}

static struct row_fact *find_in_row(const struct work_row *r, int place)
{
    for (int i = 0; i < r->n_facts; i++)
        if (r->facts[i].key == place)
            return &r->facts[i];
    return NULL;
}

/* NULL: the row has none. */
static const struct row_fact *fact_of(const struct work_row *r, const char *key,
                                      enum fact_kind kind)
{
    int place = place_in(row_keys, N_ROW_KEYS, str_of(key));
    assert(place >= 0 && row_keys[place].kind == kind);
    return find_in_row(r, place);
}

double work_number(const struct work_row *r, const char *key)
{
    const struct row_fact *f = fact_of(r, key, FACT_NUMBER);
    return f ? f->number : (double)NAN;
}

struct str work_text(const struct work_row *r, const char *key)
{
    const struct row_fact *f = fact_of(r, key, FACT_TEXT);
    return f ? (struct str){f->text, f->n} : S("");
}

struct work_fact work_row_fact(const struct work_row *r, int i)
{
    const struct row_fact *f = &r->facts[i];
    const char *key = row_keys[f->key].key.p;
    return f->n < 0 ? work_fact_number(key, f->number)
                    : work_fact_text(key, (struct str){f->text, f->n});
}

double work_category_number(const struct category_result *c, const char *key)
{
    assert(work_category_fact_kind(str_of(key)) == FACT_NUMBER);
    const struct work_fact *f = find(c->facts, c->n_facts, key);
    return f ? work_fact_real(f) : (double)NAN;
}

double work_trace_number(const struct analysis *a, const char *key)
{
    assert(work_trace_fact_kind(str_of(key)) == FACT_NUMBER);
    const struct work_fact *f = find(a->facts, a->n_facts, key);
    return f ? work_fact_real(f) : (double)NAN;
}

static void set(struct work_fact *facts, int *n, const struct fact_key *keys,
                int n_keys, struct work_fact fact)
{
    assert(kind_in(keys, n_keys, str_of(fact.key)) ==
           (fact.text ? FACT_TEXT : FACT_NUMBER));
    struct work_fact *f = find(facts, *n, fact.key);
    if (!f)
        f = &facts[(*n)++];
    *f = fact;
}

static bool says_nothing(struct work_fact f)
{
    return f.text ? f.n == 0 : isnan(f.number);
}

static void move_facts(struct arena *perm, struct work_row *r, int room)
{
    struct row_fact *to = arena_new(perm, struct row_fact, room);
    if (r->n_facts > 0)
        memcpy(to, r->facts, (size_t)r->n_facts * sizeof *to);
    r->facts = to;
    r->facts_room = room;
}

static struct row_fact kept(const struct work_fact *fact)
{
    int place = place_in(row_keys, N_ROW_KEYS, str_of(fact->key));
    assert(place >= 0 &&
           row_keys[place].kind == (fact->text ? FACT_TEXT : FACT_NUMBER));
    assert(!fact->text || fact->n <= INT32_MAX);
    if (fact->text)
        return (struct row_fact){
            .text = fact->text, .n = (int32_t)fact->n, .key = place};
    return (struct row_fact){.number = fact->number, .n = -1, .key = place};
}

void work_row_set(struct arena *perm, struct work_row *r, const struct work_fact *facts,
                  int n)
{
    enum { STEP = 8 };
    for (int i = 0; i < n; i++) {
        if (says_nothing(facts[i]))
            continue;
        struct row_fact fact = kept(&facts[i]), *to = find_in_row(r, fact.key);
        if (!to && r->n_facts >= r->facts_room)
            move_facts(perm, r, r->n_facts + STEP);
        if (!to)
            to = &r->facts[r->n_facts++];
        *to = fact;
    }
}

void work_row_set_all_of(struct arena *perm, struct work_row *r,
                         const struct work_row *from)
{
    for (int i = 0; i < from->n_facts; i++) {
        struct work_fact fact = work_row_fact(from, i);
        work_row_set(perm, r, &fact, 1);
    }
}

void work_row_begin(struct arena *tmp, struct work_row *r)
{
    r->n_facts = 0;
    move_facts(tmp, r, N_ROW_KEYS);
}

void work_row_keep(struct arena *perm, struct work_row *r)
{
    enum { OF_CATEGORY = 9 }; /* that facts_of_category adds to most rows */
    move_facts(perm, r, r->n_facts + OF_CATEGORY);
}

void work_category_set(struct arena *perm, struct category_result *c,
                       const struct work_fact *facts, int n)
{
    if (!c->facts)
        c->facts = arena_new(perm, struct work_fact, N_CATEGORY_KEYS);
    for (int i = 0; i < n; i++)
        if (!says_nothing(facts[i]))
            set(c->facts, &c->n_facts, category_keys, N_CATEGORY_KEYS, facts[i]);
}

void work_trace_set(struct arena *perm, struct analysis *a,
                    const struct work_fact *facts, int n)
{
    if (!a->facts)
        a->facts = arena_new(perm, struct work_fact, N_TRACE_KEYS);
    for (int i = 0; i < n; i++)
        if (!says_nothing(facts[i]))
            set(a->facts, &a->n_facts, trace_keys, N_TRACE_KEYS, facts[i]);
}
