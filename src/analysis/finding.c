#include "analysis/finding.h"

#include "analysis/work_facts.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- categories -------------------------------------------------------------------
 */

static const struct {
    struct str name, display;
} categories[WORK_CATEGORIES] = {
#define X(id, name, display) {S_INIT(name), S_INIT(display)},
    WORK_CATEGORIES_LIST(X)
#undef X
};

struct str work_category_name(enum work_category c)
{
    assert(c < WORK_CATEGORIES);
    return categories[c].name;
}

struct str work_category_display(enum work_category c)
{
    assert(c < WORK_CATEGORIES);
    return categories[c].display;
}

/* ---- lists that grow
 * ------------------------------------------------------------------
 */

/* Growing leaves the old array behind in the arena: a few kilobytes in all. */
static void *grown(struct arena *perm, void *old, ptrdiff_t size, int n, int *cap)
{
    if (n < *cap)
        return old;
    *cap = *cap ? 2 * *cap : 32;
    char *p = arena_take(perm, size, 16, *cap);
    if (n > 0)
        memcpy(p, old, (size_t)(n * size));
    return p;
}

struct finding *analysis_add_finding(struct arena *perm, struct analysis *a)
{
    a->findings =
        grown(perm, a->findings, sizeof *a->findings, a->n_findings, &a->cap_findings);
    struct finding *f = &a->findings[a->n_findings++];
    const struct impact_range none = {(double)NAN, (double)NAN, (double)NAN,
                                      (double)NAN, S_INIT("")};
    *f = (struct finding){.time_ms = (double)NAN,
                          .compute_pct = (double)NAN,
                          .total_pct = (double)NAN,
                          .category_pct = (double)NAN,
                          .efficiency_pct = (double)NAN,
                          .impact = none,
                          .impact_kernel = none};
    return f;
}

void analysis_warn(struct arena *perm, struct analysis *a, struct str source,
                   struct str text, bool failure)
{
    a->warnings =
        grown(perm, a->warnings, sizeof *a->warnings, a->n_warnings, &a->cap_warnings);
    a->warnings[a->n_warnings++] = (struct warning){source, text, failure};
}

/* ---- facts --------------------------------------------------------------------------
 */

struct fact_key {
    struct str key;
    enum fact_kind kind;
};

static const struct fact_key row_keys[] = {
#define X(key, kind, meaning) {S_INIT(#key), FACT_##kind},
    WORK_ROW_FACTS_LIST(X)};
static const struct fact_key category_keys[] = {WORK_CATEGORY_FACTS_LIST(X)
#undef X
};

enum {
    N_ROW_KEYS = sizeof row_keys / sizeof *row_keys,
    N_CATEGORY_KEYS = sizeof category_keys / sizeof *category_keys
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

static struct work_fact *find(struct work_fact *f, int n, const char *key)
{
    for (int i = 0; i < n; i++)
        if (strcmp(f[i].key, key) == 0)
            return &f[i];
    return NULL;
}

/* All keys may be set, so the array is taken whole with the first one. */
static void set(struct arena *perm, struct work_fact **facts, int *n, int cap,
                struct work_fact fact)
{
    struct work_fact *f = find(*facts, *n, fact.key);
    if (!*facts)
        *facts = arena_new(perm, struct work_fact, cap);
    if (!f)
        f = &(*facts)[(*n)++];
    assert(*n <= cap);
    *f = fact;
}

double work_number(const struct work_row *r, const char *key)
{
    assert(work_row_fact_kind(str_of(key)) == FACT_NUMBER);
    const struct work_fact *f = find(r->facts, r->n_facts, key);
    return f ? f->number : (double)NAN;
}

struct str work_text(const struct work_row *r, const char *key)
{
    assert(work_row_fact_kind(str_of(key)) == FACT_TEXT);
    const struct work_fact *f = find(r->facts, r->n_facts, key);
    return f ? f->text : S("");
}

double work_category_number(const struct category_result *c, const char *key)
{
    assert(work_category_fact_kind(str_of(key)) == FACT_NUMBER);
    const struct work_fact *f = find(c->facts, c->n_facts, key);
    return f ? f->number : (double)NAN;
}

struct str work_category_text(const struct category_result *c, const char *key)
{
    assert(work_category_fact_kind(str_of(key)) == FACT_TEXT);
    const struct work_fact *f = find(c->facts, c->n_facts, key);
    return f ? f->text : S("");
}

void work_set_number(struct arena *perm, struct work_row *r, const char *key,
                     double number)
{
    assert(work_row_fact_kind(str_of(key)) == FACT_NUMBER);
    if (!isnan(number))
        set(perm, &r->facts, &r->n_facts, N_ROW_KEYS,
            (struct work_fact){key, number, S("")});
}

void work_set_text(struct arena *perm, struct work_row *r, const char *key,
                   struct str text)
{
    assert(work_row_fact_kind(str_of(key)) == FACT_TEXT);
    if (text.n > 0)
        set(perm, &r->facts, &r->n_facts, N_ROW_KEYS,
            (struct work_fact){key, (double)NAN, text});
}

void work_category_set_number(struct arena *perm, struct category_result *c,
                              const char *key, double number)
{
    assert(work_category_fact_kind(str_of(key)) == FACT_NUMBER);
    if (!isnan(number))
        set(perm, &c->facts, &c->n_facts, N_CATEGORY_KEYS,
            (struct work_fact){key, number, S("")});
}

void work_category_set_text(struct arena *perm, struct category_result *c,
                            const char *key, struct str text)
{
    assert(work_category_fact_kind(str_of(key)) == FACT_TEXT);
    if (text.n > 0)
        set(perm, &c->facts, &c->n_facts, N_CATEGORY_KEYS,
            (struct work_fact){key, (double)NAN, text});
}
