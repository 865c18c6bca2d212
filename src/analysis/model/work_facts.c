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

static enum fact_kind kind_in(const struct fact_key *keys, int n, struct str key)
{
    for (int i = 0; i < n; i++)
        if (str_eq(keys[i].key, key))
            return keys[i].kind;
    return FACT_NONE;
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

double work_number(const struct work_row *r, const char *key)
{
    assert(work_row_fact_kind(str_of(key)) == FACT_NUMBER);
    const struct work_fact *f = find(r->facts, r->n_facts, key);
    return f ? work_fact_real(f) : (double)NAN;
}

struct str work_text(const struct work_row *r, const char *key)
{
    assert(work_row_fact_kind(str_of(key)) == FACT_TEXT);
    const struct work_fact *f = find(r->facts, r->n_facts, key);
    return f ? work_fact_str(f) : S("");
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
    struct work_fact *to = arena_new(perm, struct work_fact, room);
    if (r->n_facts > 0)
        memcpy(to, r->facts, (size_t)r->n_facts * sizeof *to);
    r->facts = to;
    r->facts_room = room;
}

void work_row_set(struct arena *perm, struct work_row *r, const struct work_fact *facts,
                  int n)
{
    enum { STEP = 8 };
    for (int i = 0; i < n; i++) {
        if (says_nothing(facts[i]))
            continue;
        if (r->n_facts >= r->facts_room)
            move_facts(perm, r, r->n_facts + STEP);
        set(r->facts, &r->n_facts, row_keys, N_ROW_KEYS, facts[i]);
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
