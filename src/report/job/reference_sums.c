#include "report/job/reference_parts.h"

#include "base/duration.h"
#include "base/int_map.h"
#include "base/name_pool.h"
#include "base/out.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Mean, median, least and most of n values. */
static void put_stats(struct table_build *b, const struct reference *m, double *v,
                      int32_t n, bool us)
{
    double sum = 0;
    qsort(v, (size_t)n, sizeof *v, by_value);
    for (int32_t i = 0; i < n; i++)
        sum += v[i];
    put_real(b, sum / n);
    put_real(b, n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2);
    for (int end = 0; end < 2; end++) {
        double x = v[end ? n - 1 : 0];
        if (us && m->whole_us)
            put_int(b, llround(x));
        else
            put_real(b, x);
    }
}

struct summary_key {
    struct str name, dtype;
    int64_t in;
};

static struct summary_key key_of(const struct job_signature *s)
{
    bool known = reference_says(s);
    return (struct summary_key){known && s->name.n ? s->name : S("Unknown"),
                                known && s->dtype.n ? s->dtype : S("Unknown"),
                                known ? s->in_elements : -1};
}

/* Places with one key, in their order. */
struct summary {
    struct summary_key key;
    int32_t first, n;
    const int32_t *places;
    int64_t latency_ns;
};

static int by_latency(const void *a, const void *b)
{
    const struct summary *x = a, *y = b;
    if (x->latency_ns != y->latency_ns)
        return x->latency_ns > y->latency_ns ? -1 : 1;
    return x->first - y->first;
}

/* The number of a key, from 0 in the order of their first place. */
static name_id key_number(struct name_pool *keys, struct out *text,
                          const struct summary_key *key)
{
    text->n = 0;
    out_str(text, key->name);
    out_char(text, '\0');
    out_str(text, key->dtype);
    out_char(text, '\0');
    out_i64(text, key->in);
    return pool_add(keys, out_view(text));
}

/* Gives each its own places, by a counting sort. */
static void divide_places(struct reference *m, struct summary *made, int32_t n_made,
                          const int32_t *places, const int32_t *of, int32_t n)
{
    int32_t *sorted = arena_take_raw(m->perm, sizeof *sorted, 4, n);
    int32_t *end = arena_take_raw(&m->tmp, sizeof *end, 4, n_made);
    for (int32_t k = 0, at = 0; k < n_made; at += made[k++].n) {
        made[k].places = sorted + at;
        end[k] = at;
    }
    for (int32_t i = 0; i < n; i++)
        sorted[end[of[i]]++] = places[i];
}

static struct summary *summaries_of(struct reference *m, const int32_t *places,
                                    int32_t n, int *n_made)
{
    struct summary *made = NULL;
    struct name_pool keys;
    struct out text;
    int32_t *of = arena_take_raw(&m->tmp, sizeof *of, 4, n);
    pool_open(&keys);
    out_memory(&text);
    *n_made = 0;
    for (int32_t i = 0; i < n; i++) {
        struct summary_key key = key_of(m->places[places[i]].s);
        of[i] = key_number(&keys, &text, &key);
        if (of[i] == *n_made) {
            arena_grow(m->perm, made, *n_made);
            made[(*n_made)++] = (struct summary){.key = key, .first = places[i]};
        }
        made[of[i]].n++;
        made[of[i]].latency_ns += reference_sync(m, places[i])->latency_ns;
    }
    out_free(&text);
    pool_close(&keys);
    divide_places(m, made, *n_made, places, of, n);
    if (*n_made)
        qsort(made, (size_t)*n_made, sizeof *made, by_latency);
    return made;
}

static void put_summary(struct table_build *b, struct reference *m,
                        const struct summary *s, bool speeds)
{
    enum { MEASURES = 5 };
    struct arena tmp = m->tmp;
    double *v[MEASURES];
    for (int k = 0; k < MEASURES; k++)
        v[k] = arena_new(&tmp, double, s->n);
    for (int32_t i = 0; i < s->n; i++) {
        const struct sync *y = reference_sync(m, s->places[i]);
        v[0][i] = (double)y->latency_ns / 1e3;
        v[1][i] = (double)(y->last_ns - y->first_ns) / 1e3;
        v[2][i] = (double)(y->last_end_ns - y->first_end_ns) / 1e3;
        v[3][i] = y->algorithm;
        v[4][i] = y->bus;
    }
    const struct job_signature *first = m->places[s->first].s;
    put_name(b, s->key.name);
    put_name(b, s->key.dtype);
    if (s->key.in >= 0)
        put_int(b, s->key.in);
    else
        put_text(b, S("Unknown"));
    put_name(b, reference_group(m, first));
    put_known(b, reference_says(first), m->j->groups[first->group].size);
    put_real(b, reference_sync(m, s->first)->full_mib);
    for (int k = 0; k < (speeds ? MEASURES : 3); k++)
        put_stats(b, m, v[k], s->n, k < 3);
    put_int(b, s->n);
    put_real(b, (double)s->latency_ns / 1e6);
}

struct report_table reference_summary(struct reference *m, const int32_t *places,
                                      int32_t n)
{
    static const char *const measures[] = {"comm_latency", "skew in start time",
                                           "skew in end time", "algo bw (GB/s)",
                                           "bus bw (GB/s)"};
    static const char *const stats[] = {"mean", "median", "min", "max"};
    int n_made;
    struct summary *made = summaries_of(m, places, n, &n_made);
    bool speeds = false;
    for (int32_t i = 0; i < n; i++)
        speeds |= !isnan(reference_sync(m, places[i])->algorithm);
    struct table_build b = table_begin(m->perm, S("nccl_summary_implicit_sync"),
                                       "The same by kind, type and size", n_made);
    reference_columns(
        &b, "Collective name|dtype|In msg nelems|Process Group Name|Group size|"
            "Full msg size (MB)");
    for (int k = 0; k < (speeds ? 5 : 3); k++)
        for (int i = 0; i < 4; i++)
            add_column(&b, str_printf(m->perm, "%s_%s", measures[k], stats[i]),
                       UNIT_NONE, "As the reference defines it");
    add_column(&b, S("count"), UNIT_COUNT, "Collectives");
    add_column(&b, S("Total comm latency (ms)"), UNIT_MS, "Sum of the shortest stays");
    for (int i = 0; i < n_made; i++)
        put_summary(&b, m, &made[i], speeds);
    return table_done(&b);
}

/* Rows of the reference lack a key unless the kernel has all of them. */
static bool has_keys(const struct reference *m, const struct job_member *x)
{
    const struct job_signature *s = reference_signature(m, x);
    return reference_says(s) && m->j->groups[s->group].name.n && s->name.n &&
           s->dtype.n && s->in_elements >= 0 && s->out_elements >= 0 &&
           m->j->groups[s->group].n_ranks > 0;
}

struct long_sum {
    int32_t rank, signature, stream;
    double sum_us, squares, least, most;
    int64_t n;
};

static int by_sum(const void *a, const void *b)
{
    const struct long_sum *x = a, *y = b;
    if (x->sum_us != y->sum_us)
        return x->sum_us > y->sum_us ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank - y->rank;
    if (x->signature != y->signature)
        return x->signature - y->signature;
    return (x->stream > y->stream) - (x->stream < y->stream);
}

static struct long_sum *long_sums(struct reference *m, int32_t *n)
{
    struct long_sum *made = NULL;
    *n = 0;
    for (int32_t i = 0; i < m->j->n_ranks; i++) {
        struct arena tmp = m->tmp;
        struct int_map at = int_map_make(&tmp, 64);
        for (int32_t k = 0; k < m->j->ranks[i].n_rows; k++) {
            const struct job_member *x = &m->j->ranks[i].rows[k];
            if (!has_keys(m, x))
                continue;
            int64_t key = (int64_t)x->signature << 32 | (uint32_t)x->stream;
            int32_t *place = int_map_at(&at, &tmp, key);
            if (*place < 0) {
                *place = *n;
                arena_grow(m->perm, made, *n);
                made[(*n)++] = (struct long_sum){i, x->signature,     x->stream, 0,
                                                 0, (double)INFINITY, 0,         0};
            }
            struct long_sum *s = &made[*place];
            double us = (double)x->dur_ns / 1e3;
            s->n++;
            s->sum_us += us;
            s->squares += us * us;
            s->least = us < s->least ? us : s->least;
            s->most = us > s->most ? us : s->most;
        }
    }
    if (*n)
        qsort(made, (size_t)*n, sizeof *made, by_sum);
    return made;
}

struct report_table reference_long_summary(struct reference *m)
{
    int32_t n;
    struct long_sum *sums = long_sums(m, &n);
    struct table_build b = table_begin(m->perm, S("nccl_summary_long"),
                                       "Collectives of each rank by kind and size", n);
    reference_columns(
        &b, "rank|Process Group Name|Process Group Ranks|Collective name|Group size|"
            "dtype|In msg nelems|Out msg nelems|In split size|Out split size|stream|"
            "In msg size (MB)_first|Out msg size (MB)_first|dur_sum|dur_mean|dur_std|"
            "dur_min|dur_max|operation_count");
    for (int32_t i = 0; i < n; i++) {
        const struct long_sum *x = &sums[i];
        const struct job_signature *s = &m->j->signatures[x->signature];
        double mean = x->sum_us / (double)x->n;
        double spread = x->squares - (double)x->n * mean * mean;
        put_int(&b, m->j->ranks[x->rank].rank);
        put_group(&b, m, s);
        put_int(&b, s->in_elements);
        put_int(&b, s->out_elements);
        put_some(&b, true, s->in_split);
        put_some(&b, true, s->out_split);
        put_int(&b, x->stream);
        put_real(&b, reference_mib(s->in_elements, s->dtype));
        put_real(&b, reference_mib(s->out_elements, s->dtype));
        put_real(&b, x->sum_us);
        put_real(&b, mean);
        put_real(&b,
                 x->n > 1 ? sqrt(fmax(spread, 0) / (double)(x->n - 1)) : (double)NAN);
        put_real(&b, x->least);
        put_real(&b, x->most);
        put_int(&b, x->n);
    }
    return table_done(&b);
}

struct straggler {
    int place;
    int64_t wait_ns, dur_ns, last, first, n;
};

static int by_wait(const void *a, const void *b)
{
    const struct straggler *x = a, *y = b;
    if (x->wait_ns != y->wait_ns)
        return x->wait_ns < y->wait_ns ? -1 : 1;
    return x->place - y->place;
}

static double one_place(double v)
{
    char text[64];
    snprintf(text, sizeof text, "%.1f", v);
    return strtod(text, NULL);
}

static void put_tenths(struct table_build *b, const struct reference *m, int64_t ns)
{
    if (m->whole_us)
        put_int(b, ns / 1000);
    else
        put_real(b, one_place((double)ns / 1e3));
}

struct report_table reference_stragglers(struct reference *m, const int32_t *places,
                                         int32_t n)
{
    const struct job *j = m->j;
    struct straggler *all = arena_new(&m->tmp, struct straggler, j->n_ranks);
    bool *counts = arena_new(&m->tmp, bool, m->n_places);
    for (int32_t p = 0; p < n; p++) {
        const struct sync *y = reference_sync(m, places[p]);
        counts[places[p]] = true;
        all[y->latest].last++;
        all[y->earliest].first++;
    }
    for (int i = 0; i < j->n_ranks; i++) {
        const struct job_rank *r = &j->ranks[i];
        const int32_t *place_of = m->place_of + m->first_row[i];
        struct straggler *s = &all[i];
        s->place = i;
        for (int32_t k = 0; k < r->n_rows; k++) {
            add_ns(&s->dur_ns, r->rows[k].dur_ns);
            if (!counts[place_of[k]])
                continue;
            s->n++;
            add_ns(&s->wait_ns, reference_sync(m, place_of[k])->last_ns -
                                    reference_ns(r, &r->rows[k]));
        }
    }
    qsort(all, (size_t)j->n_ranks, sizeof *all, by_wait);
    struct table_build b =
        table_begin(m->perm, S("straggler_summary"),
                    "Ranks by how long they waited, the shortest first", j->n_ranks);
    reference_columns(
        &b, "rank|total_wait_time_us|mean_wait_time_us|times_arrived_last|"
            "times_arrived_first|pct_arrived_last|num_collectives|total_nccl_dur_us|"
            "node_id");
    for (int i = 0; i < j->n_ranks; i++) {
        const struct straggler *s = &all[i];
        put_int(&b, j->ranks[s->place].rank);
        put_tenths(&b, m, s->wait_ns);
        put_real(&b, s->n ? one_place((double)s->wait_ns / 1e3 / (double)s->n)
                          : (double)NAN);
        put_int(&b, s->last);
        put_int(&b, s->first);
        put_real(&b, n ? one_place(100.0 * (double)s->last / n) : (double)NAN);
        put_int(&b, s->n);
        put_tenths(&b, m, s->dur_ns);
        put_int(&b, j->ranks[s->place].node);
    }
    return table_done(&b);
}
