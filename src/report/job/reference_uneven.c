#include "report/job/reference_parts.h"

#include "report/job/job_pairs.h"

#include <math.h>
#include <stdlib.h>

/* One all-to-all-v over the ranks that have it; sizes in MiB. */
struct exchange {
    int32_t place;
    int n;
    int64_t elements, wall_ns, most_ns, least_ns, sum_ns, start_skew_ns, end_skew_ns;
    int64_t first_ns, last_end_ns;
    double mib, fastest, slowest, imbalance;
};

static double gib_s(double mib, int64_t ns)
{
    return ns > 0 ? mib / 1024 / ((double)ns / 1e9) : (double)NAN;
}

static struct exchange exchange_of(const struct reference *m, int32_t place)
{
    const struct sync y = *reference_sync(m, place);
    struct exchange x = {.place = place,
                         .n = y.n,
                         .wall_ns = y.last_end_ns - y.first_ns,
                         .least_ns = y.latency_ns,
                         .start_skew_ns = y.last_ns - y.first_ns,
                         .end_skew_ns = y.last_end_ns - y.first_end_ns,
                         .first_ns = y.first_ns,
                         .last_end_ns = y.last_end_ns,
                         .fastest = (double)NAN,
                         .slowest = (double)NAN};
    double most = 0;
    for (int i = 0; i < m->j->n_ranks; i++) {
        const struct job_member *r = reference_member(m, place, i);
        if (!r)
            continue;
        const struct job_signature *s = reference_signature(m, r);
        double mib = reference_mib(s->in_elements, s->dtype);
        x.elements += s->in_elements > 0 ? s->in_elements : 0;
        x.mib += mib;
        most = fmax(most, mib);
        x.sum_ns += r->dur_ns;
        x.most_ns = r->dur_ns > x.most_ns ? r->dur_ns : x.most_ns;
        if (mib > 0 && r->dur_ns > 0) {
            x.fastest = fmax(x.fastest, gib_s(mib, r->dur_ns));
            x.slowest = fmin(x.slowest, gib_s(mib, r->dur_ns));
        }
    }
    x.imbalance = x.mib > 0 ? most * x.n / x.mib : (double)NAN;
    return x;
}

static int by_data(const void *a, const void *b)
{
    const struct exchange *x = a, *y = b;
    if (x->mib != y->mib)
        return x->mib > y->mib ? -1 : 1;
    return x->place - y->place;
}

static struct exchange *exchanges_of(struct reference *m, int32_t *n)
{
    struct exchange *made = NULL;
    *n = 0;
    for (int32_t i = 0; i < m->n_places; i++) {
        const struct job_signature *s = m->places[i].s;
        if (!reference_says(s) || !str_eq(s->name, S("all_to_allv")))
            continue;
        arena_grow(m->perm, made, *n);
        made[(*n)++] = exchange_of(m, i);
    }
    if (*n)
        qsort(made, (size_t)*n, sizeof *made, by_data);
    return made;
}

static void put_rank(struct table_build *b, const struct reference *m, int rank,
                     const struct job_member *x)
{
    for (int i = 0; !x && i < 8; i++)
        put_none(b);
    if (!x)
        return;
    const struct job_signature *s = reference_signature(m, x);
    put_us(b, m, reference_ns(&m->j->ranks[rank], x));
    put_us(b, m, x->dur_ns);
    put_known(b, true, s->in_elements);
    put_known(b, true, s->out_elements);
    put_mib(b, true, s->in_elements, s->dtype);
    put_mib(b, true, s->out_elements, s->dtype);
    put_some(b, true, s->in_split);
    put_some(b, true, s->out_split);
}

static void put_skews(struct table_build *b, const struct reference *m, int rank,
                      const struct exchange *x)
{
    const struct job_member *r = reference_member(m, x->place, rank);
    if (!r) {
        put_none(b);
        put_none(b);
        return;
    }
    int64_t ns = reference_ns(&m->j->ranks[rank], r);
    put_us(b, m, ns - x->first_ns);
    put_us(b, m, x->last_end_ns - ns - r->dur_ns);
}

static void put_exchange(struct table_build *b, struct reference *m,
                         const struct exchange *x)
{
    const struct job *j = m->j;
    const struct place *p = &m->places[x->place];
    int first = 0;
    while (!reference_member(m, x->place, first))
        first++;
    put_id(b, m, p);
    put_group(b, m, p->s);
    put_int(b, reference_member(m, x->place, first)->stream);
    put_real(b, x->mib);
    put_int(b, x->elements);
    put_us(b, m, x->wall_ns);
    put_us(b, m, x->most_ns);
    put_us(b, m, x->least_ns);
    put_real(b, (double)x->sum_ns / 1e3 / x->n);
    put_real(b, gib_s(x->mib, x->wall_ns));
    put_real(b, x->fastest);
    put_real(b, x->slowest);
    put_real(b, x->imbalance);
    put_us(b, m, x->start_skew_ns);
    put_us(b, m, x->end_skew_ns);
    for (int i = 0; j->n_ranks <= RANKS_WIDE_MAX && i < j->n_ranks; i++)
        put_rank(b, m, i, reference_member(m, x->place, i));
    for (int i = 0; j->n_ranks <= RANKS_WIDE_MAX && i < j->n_ranks; i++)
        put_skews(b, m, i, x);
    put_span(b, m, p->s);
}

static void rank_columns(struct table_build *b, struct reference *m, const char *titles)
{
    const struct job *j = m->j;
    for (int i = 0; j->n_ranks <= RANKS_WIDE_MAX && i < j->n_ranks; i++)
        for (struct str rest = str_of(titles); rest.n;) {
            struct str title = str_take(&rest, S("|"));
            add_column(
                b, str_printf(m->perm, "rank_%d_%.*s", j->ranks[i].rank, STRF(title)),
                UNIT_NONE, "Of this rank, as the reference defines it");
        }
}

static struct report_table exchange_table(struct reference *m, const struct exchange *x,
                                          int32_t n)
{
    struct table_build b =
        table_begin(m->perm, S("nccl_all2allv"),
                    "All-to-all-v, in which each rank has its own sizes", n);
    reference_columns(
        &b, "collective_id|Process Group Name|Process Group Ranks|Collective name|"
            "Group size|dtype|stream|total data communicated (MB)|"
            "total nelems communicated|wall_time (us)|max_rank_dur (us)|"
            "min_rank_dur (us)|avg_rank_dur (us)|throughput (GB/s)|"
            "max_rank_throughput (GB/s)|min_rank_throughput (GB/s)|size_imbalance|"
            "skew in start time|skew in end time");
    rank_columns(&b, m,
                 "ts|dur|In msg nelems|Out msg nelems|In msg size (MB)|Out msg size "
                 "(MB)|In split size|Out split size");
    rank_columns(&b, m, "skew in start time|skew in end time");
    reference_columns(&b, "node_span");
    for (int32_t i = 0; i < n; i++)
        put_exchange(&b, m, &x[i]);
    return table_done(&b);
}

/* Exchanges of a group name and type. */
struct total {
    const struct job_signature *s;
    int32_t n;
    int64_t wall_ns;
};

static bool same_total(const struct reference *m, const struct job_signature *a,
                       const struct job_signature *b)
{
    return str_eq(reference_group(m, a), reference_group(m, b)) &&
           str_eq(a->dtype, b->dtype);
}

static int by_wall(const void *a, const void *b)
{
    const struct total *x = a, *y = b;
    return (x->wall_ns < y->wall_ns) - (x->wall_ns > y->wall_ns);
}

enum { EXCHANGE_MEASURES = 7, WITH_STATS = 3 };

static double measure_of(const struct exchange *x, int k)
{
    const double of[EXCHANGE_MEASURES] = {x->mib,
                                          (double)x->wall_ns / 1e3,
                                          gib_s(x->mib, x->wall_ns),
                                          x->imbalance,
                                          (double)x->most_ns / 1e3,
                                          (double)x->start_skew_ns / 1e3,
                                          (double)x->end_skew_ns / 1e3};
    return of[k];
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void put_total(struct table_build *b, struct reference *m, const struct total *t,
                      const struct exchange *x, int32_t n)
{
    struct arena tmp = m->tmp;
    double *v = arena_new(&tmp, double, t->n);
    put_name(b, reference_group(m, t->s));
    put_some(b, true, t->s->dtype);
    for (int k = 0; k < EXCHANGE_MEASURES; k++) {
        double sum = 0;
        int32_t at = 0;
        for (int32_t i = 0; i < n; i++)
            if (same_total(m, m->places[x[i].place].s, t->s))
                sum += v[at++] = measure_of(&x[i], k);
        qsort(v, (size_t)at, sizeof *v, by_value);
        put_real(b, sum / at);
        if (k < WITH_STATS) {
            put_real(b, at % 2 ? v[at / 2] : (v[at / 2 - 1] + v[at / 2]) / 2);
            put_real(b, v[0]);
        }
        put_real(b, v[at - 1]);
        if (k == 1)
            put_real(b, (double)t->wall_ns / 1e3);
    }
    put_int(b, t->n);
    put_some(b, true, m->ranks_of[t->s->group]);
    put_name(b, t->s->name);
    put_known(b, true, m->j->groups[t->s->group].size);
    put_real(b, (double)t->wall_ns / 1e6);
    put_span(b, m, t->s);
}

static struct report_table total_table(struct reference *m, const struct exchange *x,
                                       int32_t n)
{
    static const char *const measures[EXCHANGE_MEASURES] = {
        "total data communicated (MB)",
        "wall_time (us)",
        "throughput (GB/s)",
        "size_imbalance",
        "max_rank_dur (us)",
        "skew in start time",
        "skew in end time"};
    static const char *const stats[] = {"mean", "median", "min", "max"};
    struct total *made = NULL;
    int n_made = 0;
    for (int32_t i = 0; i < n; i++) {
        const struct job_signature *s = m->places[x[i].place].s;
        int k = 0;
        while (k < n_made && !same_total(m, made[k].s, s))
            k++;
        if (k == n_made) {
            arena_grow(m->perm, made, n_made);
            made[n_made++] = (struct total){s, 0, 0};
        }
        made[k].n++;
        made[k].wall_ns += x[i].wall_ns;
    }
    qsort(made, (size_t)n_made, sizeof *made, by_wall);
    struct table_build b = table_begin(m->perm, S("nccl_summary_all2allv"),
                                       "All-to-all-v by group and type", n_made);
    reference_columns(&b, "Process Group Name|dtype");
    for (int k = 0; k < EXCHANGE_MEASURES; k++) {
        for (int i = 0; i < 4; i++)
            if (k < WITH_STATS || i == 0 || i == 3)
                add_column(&b, str_printf(m->perm, "%s_%s", measures[k], stats[i]),
                           UNIT_NONE, "As the reference defines it");
        if (k == 1)
            reference_columns(&b, "Total wall_time (us)");
    }
    reference_columns(&b, "count|Process Group Ranks|Collective name|Group size|"
                          "Total wall_time (ms)|node_span");
    for (int k = 0; k < n_made; k++)
        put_total(&b, m, &made[k], x, n);
    return table_done(&b);
}

static bool heatmap_table(struct reference *m, const struct exchange *x, int32_t n,
                          struct report_table *to)
{
    struct job_pairs p = {.j = m->j};
    if (m->j->n_expected > RANKS_WIDE_MAX)
        return false;
    for (int32_t i = 0; i < n; i++)
        for (int k = 0; k < m->j->n_ranks; k++) {
            const struct job_member *r = reference_member(m, x[i].place, k);
            if (r)
                (void)job_pairs_add(m->perm, &p, m->j->ranks[k].rank,
                                    reference_signature(m, r));
        }
    if (!p.n)
        return false;
    job_pairs_sort(&p);
    struct table_build b = table_begin(m->perm, S("nccl_all2allv_heatmap"),
                                       "What each rank sent to each other", p.n);
    reference_columns(&b, "src_rank|dst_rank|total_sent_MB|avg_sent_MB|count");
    for (int i = 0; i < p.n; i++) {
        double mib = p.all[i].bytes / (1024.0 * 1024.0);
        put_int(&b, p.all[i].from);
        put_int(&b, p.all[i].to);
        put_real(&b, mib);
        put_real(&b, mib / (double)p.all[i].n);
        put_int(&b, p.all[i].n);
    }
    *to = table_done(&b);
    return true;
}

int reference_uneven(struct reference *m, struct report_table to[UNEVEN_TABLES])
{
    int32_t n;
    struct exchange *x = exchanges_of(m, &n);
    if (!n)
        return 0;
    to[0] = exchange_table(m, x, n);
    to[1] = total_table(m, x, n);
    return 2 + heatmap_table(m, x, n, &to[2]);
}
