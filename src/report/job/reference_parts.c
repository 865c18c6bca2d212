#include "report/job/reference_parts.h"

#include "base/duration.h"
#include "base/int_map.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool reference_says(const struct job_signature *s)
{
    return s->kind_source == FACT_KERNEL;
}

const struct job_signature *reference_signature(const struct reference *m,
                                                const struct job_member *x)
{
    return &m->j->signatures[x->signature];
}

struct str reference_group(const struct reference *m, const struct job_signature *s)
{
    struct str name = reference_says(s) ? m->j->groups[s->group].name : S("");
    if (m->simplified)
        return S("all");
    return name.n ? name : S("Unknown_Group");
}

int64_t reference_ns(const struct job_rank *r, const struct job_member *x)
{
    return rank_trace_ns(r, x->start_ns);
}

static void find_mode(struct reference *m)
{
    m->simplified = m->whole_us = true;
    for (int i = 0; i < m->j->n_ranks; i++) {
        const struct job_rank *r = &m->j->ranks[i];
        for (int32_t k = 0; k < r->n_rows && (m->simplified || m->whole_us); k++) {
            const struct job_member *x = &r->rows[k];
            const struct job_signature *s = reference_signature(m, x);
            m->simplified &= !(reference_says(s) && m->j->groups[s->group].name.n) &&
                             x->stream == r->rows[0].stream;
            m->whole_us &= reference_ns(r, x) % 1000 == 0 && x->dur_ns % 1000 == 0;
        }
    }
}

/* The k-th of a group name on each rank is one. */
static void find_places(struct reference *m)
{
    const struct job *j = m->j;
    struct int_map at = int_map_make(&m->tmp, 1024);
    name_id *name_of = arena_new(&m->tmp, name_id, j->n_signatures); /* less 1 */
    int64_t n_rows = 0;
    for (int i = 0; i < j->n_ranks; i++)
        n_rows += j->ranks[i].n_rows;
    m->place_of = arena_new(&m->tmp, int32_t, n_rows);
    m->first_row = arena_new(&m->tmp, int32_t, j->n_ranks);
    int64_t row = 0;
    for (int i = 0; i < j->n_ranks; i++) {
        const struct job_rank *r = &j->ranks[i];
        struct arena tmp = m->tmp;
        int32_t *count = arena_new(&tmp, int32_t, j->n_groups + 2);
        m->tmp = tmp;
        m->first_row[i] = (int32_t)row;
        for (int32_t k = 0; k < r->n_rows; k++) {
            const struct job_signature *s = reference_signature(m, &r->rows[k]);
            name_id *known = &name_of[r->rows[k].signature];
            if (!*known)
                *known = pool_add(&m->names, reference_group(m, s)) + 1;
            name_id g = *known - 1;
            int32_t *place = int_map_at(&at, &m->tmp, (int64_t)g << 32 | count[g]);
            if (*place < 0) {
                *place = m->n_places;
                arena_grow(&m->tmp, m->places, m->n_places);
                m->places[m->n_places++] = (struct place){g, count[g], s};
            }
            m->place_of[row++] = *place;
            count[g]++;
        }
    }
}

static void find_rows(struct reference *m)
{
    const struct job *j = m->j;
    ptrdiff_t n = (ptrdiff_t)m->n_places * j->n_ranks;
    m->rows = arena_take_raw(&m->tmp, sizeof *m->rows, 4, n);
    memset(m->rows, -1, (size_t)n * sizeof *m->rows);
    for (int i = 0; i < j->n_ranks; i++)
        for (int32_t k = 0; k < j->ranks[i].n_rows; k++)
            m->rows[(ptrdiff_t)m->place_of[m->first_row[i] + k] * j->n_ranks + i] = k;
}

const struct job_member *reference_member(const struct reference *m, int32_t place,
                                          int rank)
{
    int32_t row = m->rows[(ptrdiff_t)place * m->j->n_ranks + rank];
    return row < 0 ? NULL : &m->j->ranks[rank].rows[row];
}

void put_known(struct table_build *b, bool known, int64_t v)
{
    if (known && v >= 0)
        put_int(b, v);
    else
        put_none(b);
}

void put_some(struct table_build *b, bool known, struct str v)
{
    if (known && v.n)
        put_name(b, v);
    else
        put_none(b);
}

double reference_mib(int64_t elements, struct str dtype)
{
    int bytes = collective_element_bytes(dtype);
    return elements < 0 || !bytes ? (double)NAN
                                  : (double)elements * bytes / (1024.0 * 1024.0);
}

enum { RANK_TEXT = 13 }; /* ", " and a number */

static struct str ranks_text(struct arena *a, const struct job_group *g)
{
    if (!g->n_ranks || g->n_ranks > RANKS_WIDE_MAX)
        return S("");
    ptrdiff_t size = (ptrdiff_t)RANK_TEXT * g->n_ranks + 3, at = 1;
    char *text = arena_new(a, char, size);
    text[0] = '[';
    for (int i = 0; i < g->n_ranks; i++)
        at += snprintf(text + at, (size_t)(size - at), "%s%d", i ? ", " : "",
                       g->ranks[i]);
    text[at++] = ']';
    return (struct str){text, at};
}

/* Each is in thousands of rows. */
static void find_texts(struct reference *m)
{
    m->ranks_of = arena_new(m->perm, struct str, m->j->n_groups);
    for (int i = 0; i < m->j->n_groups; i++)
        m->ranks_of[i] = ranks_text(m->perm, &m->j->groups[i]);
}

void reference_columns(struct table_build *b, const char *titles)
{
    struct str rest = str_of(titles);
    while (rest.n)
        add_column(b, str_take(&rest, S("|")), UNIT_NONE,
                   "As the reference defines it");
}

void put_group(struct table_build *b, struct reference *m,
               const struct job_signature *s)
{
    put_name(b, reference_group(m, s));
    put_some(b, reference_says(s), reference_says(s) ? m->ranks_of[s->group] : S(""));
    put_some(b, reference_says(s), s->name);
    put_known(b, reference_says(s), m->j->groups[s->group].size);
    put_some(b, reference_says(s), s->dtype);
}

static bool is_gather(const struct job_signature *s)
{
    return s->kind == COLLECTIVE_ALL_GATHER;
}

static void add_times(struct sync *y, int32_t rank, int64_t ns, int64_t dur_ns)
{
    int64_t end_ns = ns + dur_ns;
    y->n++;
    y->latency_ns = dur_ns < y->latency_ns ? dur_ns : y->latency_ns;
    y->last_end_ns = end_ns > y->last_end_ns ? end_ns : y->last_end_ns;
    y->first_end_ns = end_ns < y->first_end_ns ? end_ns : y->first_end_ns;
    if (ns > y->last_ns) {
        y->last_ns = ns;
        y->latest = rank;
    }
    if (ns <= y->first_ns) {
        y->first_ns = ns;
        y->earliest = rank;
    }
}

static void add_rates(const struct reference *m, const struct job_signature *s,
                      struct sync *y)
{
    int n = m->j->groups[s->group].size;
    y->full_mib =
        reference_mib(is_gather(s) ? s->out_elements : s->in_elements, s->dtype);
    if (y->latency_ns > 0)
        y->algorithm = y->full_mib / 1024 / ((double)y->latency_ns / 1e9);
    double share = n ? (double)(n - 1) / n : (double)NAN;
    y->bus = y->algorithm * (s->kind == COLLECTIVE_ALL_REDUCE ? 2 * share : share);
}

/* Of all places, rank after rank: as the rows are in memory. */
static void find_syncs(struct reference *m)
{
    const struct job *j = m->j;
    m->syncs = arena_take_raw(&m->tmp, sizeof *m->syncs, 8, m->n_places);
    for (int32_t p = 0; p < m->n_places; p++)
        m->syncs[p] = (struct sync){INT64_MAX, INT64_MIN,   INT64_MAX,   INT64_MIN,
                                    INT64_MAX, 0,           0,           -1,
                                    -1,        (double)NAN, (double)NAN, (double)NAN};
    for (int i = 0; i < j->n_ranks; i++) {
        const struct job_rank *r = &j->ranks[i];
        const int32_t *place_of = m->place_of + m->first_row[i];
        for (int32_t k = 0; k < r->n_rows; k++)
            add_times(&m->syncs[place_of[k]], i, reference_ns(r, &r->rows[k]),
                      r->rows[k].dur_ns);
    }
    for (int i = 0; i < j->n_ranks; i++) {
        const struct job_rank *r = &j->ranks[i];
        const int32_t *place_of = m->place_of + m->first_row[i];
        for (int32_t k = 0; k < r->n_rows; k++) {
            struct sync *y = &m->syncs[place_of[k]];
            add_ns(&y->wait_ns, y->last_ns - reference_ns(r, &r->rows[k]));
        }
    }
    for (int32_t p = 0; p < m->n_places; p++)
        if (reference_says(m->places[p].s))
            add_rates(m, m->places[p].s, &m->syncs[p]);
}

const struct sync *reference_sync(const struct reference *m, int32_t place)
{
    return &m->syncs[place];
}

struct reference reference_open(struct arena *perm, struct arena tmp,
                                const struct job *j)
{
    struct reference m = {.perm = perm, .tmp = tmp, .j = j};
    pool_open(&m.names);
    find_mode(&m);
    find_places(&m);
    find_rows(&m);
    find_texts(&m);
    find_syncs(&m);
    return m;
}

void reference_close(struct reference *m)
{
    pool_close(&m->names);
}

/* What its digits, "1700000000000000.125", would be read as: the nearest double. A
 * quotient of whole numbers below 2^53 is. Above, whole us are at least 2^43, where
 * halves between doubles are multiples of 2^-10: no thousandth but those that are one
 * is as near to them as its own rounding, so the sum is, too. */
double reference_us(int64_t ns)
{
    return llabs(ns) < INT64_C(1) << 53
               ? (double)ns / 1000
               : (double)(ns / 1000) + (double)(ns % 1000) / 1000;
}

/* Times in us as the trace has them. */
void put_us(struct table_build *b, const struct reference *m, int64_t ns)
{
    if (m->whole_us)
        put_int(b, ns / 1000);
    else
        put_real(b, reference_us(ns));
}

static struct str id_of(const struct reference *m, const struct place *p)
{
    return str_printf(m->perm, "%.*s_%d", STRF(pool_text(&m->names, p->group)),
                      p->index);
}

void put_id(struct table_build *b, const struct reference *m, const struct place *p)
{
    if (m->simplified)
        put_int(b, p->index);
    else
        put_name(b, id_of(m, p));
}

void put_mib(struct table_build *b, bool known, int64_t elements, struct str dtype)
{
    if (known)
        put_real(b, reference_mib(elements, dtype));
    else
        put_none(b);
}

void put_span(struct table_build *b, const struct reference *m,
              const struct job_signature *s)
{
    const struct job_group *g = &m->j->groups[s->group];
    bool known = reference_says(s) && g->n_ranks > 0;
    put_text(b, !known             ? S("unknown")
                : g->crosses_nodes ? S("inter_node")
                                   : S("intra_node"));
}
