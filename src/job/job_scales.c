/* What the segments of ranks are multiplied with if every rank kept pace with the
 * median rank.
 *
 * Where communication is exposed, each segment has that of the same place on the other
 * ranks beside it. Where much of it is hidden, segments of ranks do not lie side by
 * side, but what a rank does in a step does: then computation changes everywhere alike,
 * and idle time and copies change by as much as they differ in the step, first where a
 * segment has more of them than those at its place. So does the computation of experts
 * where some get more than their share: there the mean counts, not the middle. */
#include "base/int_map.h"
#include "base/sort.h"
#include "job/job_parts.h"

#include <math.h>

/* Ranks whose experts do work of each other. */
static bool shares(const struct job *j, int32_t rank)
{
    return j->is_uneven && !isnan(j->ranks[rank].load_frac);
}

/* What each would take if all did as much. */
static int64_t mean_of(const int64_t *ns, int32_t n)
{
    double sum = 0;
    for (int32_t i = 0; i < n; i++)
        sum += (double)ns[i];
    return n ? llround(sum / n) : 0;
}

/* The middle of two ranks is none of them; there, the shorter one counts. */
static int64_t middle_of(int64_t *ns, int32_t n, bool shared)
{
    return shared ? mean_of(ns, n) : n == 2 ? nth_ns(ns, n, 0) : median_ns(ns, n);
}

static void scale_pool(struct job_scales *s, const struct job *j,
                       const int32_t *first_row, const struct member_ref *all,
                       int32_t n, int64_t *ns)
{
    for (int32_t i = 0; i < n; i++)
        ns[i] = member_segment_ns(&j->ranks[all[i].rank].rows[all[i].row]);
    int64_t middle_ns = middle_of(ns, n, n && shares(j, all[0].rank));
    for (int32_t i = 0; i < n; i++) {
        int64_t own_ns = member_segment_ns(&j->ranks[all[i].rank].rows[all[i].row]);
        int64_t at = first_row[all[i].rank] + all[i].row;
        if (own_ns > 0) {
            s->middle[at] = (float)((double)middle_ns / (double)own_ns);
            s->fixed[at] = s->middle[at] < 1 ? s->middle[at] : 1;
        } else if (middle_ns > 0) {
            s->middle[at] = -(float)middle_ns;
        }
    }
}

/* How much more of a part each row has than the middle of those at its place. */
static double *more_than_others(struct arena *a, const struct job *j,
                                const int32_t *first_row, int64_t n_rows,
                                enum segment_part part)
{
    double *more = arena_new(a, double, n_rows);
    struct arena tmp = *a;
    struct pool_list pools = pools_list(&tmp, j);
    struct member_ref *all = arena_new(&tmp, struct member_ref, pools.most);
    int64_t *ns = arena_new(&tmp, int64_t, pools.most);
    for (int32_t p = 0; p < j->n_pools; p++) {
        int32_t n = pool_members(j, &pools, p, all);
        for (int32_t i = 0; i < n; i++)
            ns[i] = j->ranks[all[i].rank].rows[all[i].row].part_ns[part];
        int64_t middle_ns = n ? nth_ns(ns, n, (n - 1) / 2) : 0;
        for (int32_t i = 0; i < n; i++) {
            const struct job_member *m = &j->ranks[all[i].rank].rows[all[i].row];
            more[first_row[all[i].rank] + all[i].row] =
                (double)(m->part_ns[part] - middle_ns);
        }
    }
    return more;
}

/* One rank in one period: by how much each part changes. */
struct change {
    int64_t own_ns[SEGMENT_PARTS], by_ns[SEGMENT_PARTS];
};

static struct change change_of(const struct job *j, int32_t rank, int32_t ref,
                               int period, const double *even_ns)
{
    const struct job_period *own = &j->periods[(ptrdiff_t)rank * j->n_periods + period],
                            *other =
                                &j->periods[(ptrdiff_t)ref * j->n_periods + period];
    bool compare = periods_compare(j, rank, ref, period);
    struct change c;
    for (int k = 0; k < SEGMENT_PARTS; k++) {
        c.own_ns[k] = own->part_ns[k];
        c.by_ns[k] = compare ? other->part_ns[k] - own->part_ns[k] : 0;
    }
    if (shares(j, rank))
        c.by_ns[SEGMENT_COMPUTE] =
            llround(even_ns[(ptrdiff_t)rank * j->n_periods + period]) -
            own->part_ns[SEGMENT_COMPUTE];
    return c;
}

/* For each period of each rank: what computation takes if those of its role that share
 * work do as much. */
static double *even_work(struct arena *a, const struct job *j)
{
    ptrdiff_t n = (ptrdiff_t)j->n_ranks * j->n_periods;
    double *even_ns = arena_new(a, double, n);
    struct arena tmp = *a;
    struct int_map roles = int_map_make(&tmp, j->n_ranks);
    int32_t *first = arena_new(&tmp, int32_t, j->n_ranks);
    int32_t *count = arena_new(&tmp, int32_t, j->n_ranks);
    double *sum_ns = arena_new(&tmp, double, n);
    for (int32_t i = 0; i < j->n_ranks; i++) {
        if (!shares(j, i))
            continue;
        int32_t *at = int_map_at(&roles, &tmp, j->ranks[i].role);
        first[i] = *at = *at < 0 ? i : *at;
        count[first[i]]++;
        for (int p = 0; p < j->n_periods; p++)
            sum_ns[(ptrdiff_t)first[i] * j->n_periods + p] +=
                (double)j->periods[(ptrdiff_t)i * j->n_periods + p]
                    .part_ns[SEGMENT_COMPUTE];
    }
    for (int32_t i = 0; i < j->n_ranks; i++)
        for (int p = 0; p < j->n_periods && shares(j, i); p++)
            even_ns[(ptrdiff_t)i * j->n_periods + p] =
                sum_ns[(ptrdiff_t)first[i] * j->n_periods + p] / count[first[i]];
    return even_ns;
}

/* The rows of a rank in a period, and what is to be done to them. */
struct rows {
    const struct job_member *rows;
    const int32_t *of; /* places in `rows` */
    int32_t n;
    double *ns; /* new lengths, by place */
};

/* Adds `by_ns` to the rows: in proportion to what they have more (or less) than others,
 * up to that, and the rest in proportion to what they have. */
static void spread(const struct rows *r, enum segment_part part, const double *more,
                   double by_ns)
{
    double sum = 0, left = 0, sign = by_ns < 0 ? 1 : -1;
    for (int32_t i = 0; i < r->n; i++)
        sum += sign * more[r->of[i]] > 0 ? sign * more[r->of[i]] : 0;
    double located_ns = sum < -sign * by_ns ? sum : -sign * by_ns;
    double by = sum > 0 ? located_ns / sum : 0;
    for (int32_t i = 0; i < r->n; i++) {
        double own = sign * more[r->of[i]] > 0 ? by * more[r->of[i]] : 0;
        r->ns[r->of[i]] -= own;
        left += (double)r->rows[r->of[i]].part_ns[part] - own;
    }
    double rest_ns = by_ns + sign * located_ns;
    double stretch = left > 0 ? rest_ns / left : 0;
    stretch = stretch > -1 ? stretch : -1;
    for (int32_t i = 0; i < r->n; i++) {
        double own = sign * more[r->of[i]] > 0 ? by * more[r->of[i]] : 0;
        r->ns[r->of[i]] += stretch * ((double)r->rows[r->of[i]].part_ns[part] - own);
    }
}

static double at_work_ns(const struct job_member *m)
{
    return (double)(m->part_ns[SEGMENT_COMPUTE] + m->part_ns[SEGMENT_COPY] +
                    m->part_ns[SEGMENT_IDLE]);
}

static float ratio(double a, double b)
{
    return a < 0 ? 0 : b > 0 ? (float)(a / b) : 1;
}

struct hidden {
    const struct job *j;
    int cause; /* the only one that is fixed; -1: all are */
    struct job_scales *s;
    const int32_t *first_row, *ref;
    double *even_ns, *more[SEGMENT_PARTS];
    int64_t n_rows;
};

/* Of the change what undoes one cause, where the rank is late. */
static void keep_cause(const struct hidden *h, int32_t rank, int32_t ref, int period,
                       struct change *c)
{
    enum segment_part part = cause_part(h->cause);
    int64_t late_ns = 0, ns = cause_in_period(h->j, h->cause, rank, ref, period,
                                              -c->by_ns[SEGMENT_COMPUTE]);
    for (int k = 0; k < SEGMENT_PARTS; k++) {
        late_ns -= c->by_ns[k];
        c->by_ns[k] = 0;
    }
    ns = ns < late_ns ? ns : late_ns;
    c->by_ns[part] = ns > 0 ? -ns : 0;
}

static void scale_period(struct arena tmp, const struct hidden *h, int32_t rank,
                         int period, const int32_t *rows, int32_t n)
{
    const struct job_rank *r = &h->j->ranks[rank];
    ptrdiff_t at = (ptrdiff_t)rank * h->j->n_periods + period;
    struct change c = change_of(h->j, rank, h->ref[at], period, h->even_ns);
    bool located = shares(h->j, rank);
    if (h->cause >= 0)
        keep_cause(h, rank, h->ref[at], period, &c);
    double *ns = arena_take_raw(&tmp, sizeof *ns, 8, r->n_rows);
    struct rows in = {r->rows, rows, n, ns};
    double compute = (double)c.own_ns[SEGMENT_COMPUTE];
    float factor = ratio(compute + (double)c.by_ns[SEGMENT_COMPUTE], compute);
    int64_t by_ns = 0;
    for (int k = 0; k < SEGMENT_PARTS; k++)
        by_ns += c.by_ns[k];
    for (int32_t i = 0; i < n; i++)
        ns[rows[i]] = at_work_ns(&r->rows[rows[i]]) +
                      (located ? 0 : (double)factor - 1) *
                          (double)r->rows[rows[i]].part_ns[SEGMENT_COMPUTE];
    int32_t first = h->first_row[rank];
    if (located)
        spread(&in, SEGMENT_COMPUTE, h->more[SEGMENT_COMPUTE] + first,
               (double)c.by_ns[SEGMENT_COMPUTE]);
    spread(&in, SEGMENT_COPY, h->more[SEGMENT_COPY] + first,
           (double)c.by_ns[SEGMENT_COPY]);
    spread(&in, SEGMENT_IDLE, h->more[SEGMENT_IDLE] + first,
           (double)c.by_ns[SEGMENT_IDLE]);
    h->s->middle[h->n_rows + at] = factor;
    h->s->fixed[h->n_rows + at] = by_ns < 0 ? factor : 1;
    for (int32_t i = 0; i < n; i++) {
        float own = ratio(ns[rows[i]], at_work_ns(&r->rows[rows[i]]));
        h->s->middle[first + rows[i]] = own;
        h->s->fixed[first + rows[i]] = by_ns < 0 ? own : 1;
    }
}

static void scale_hidden(struct arena tmp, struct job_scales *s, const struct job *j,
                         const int32_t *first_row, int64_t n_rows, int cause)
{
    struct hidden h = {
        .j = j, .cause = cause, .s = s, .first_row = first_row, .n_rows = n_rows};
    h.ref = periods_middle(&tmp, j);
    h.even_ns = even_work(&tmp, j);
    for (int part = 0; part < SEGMENT_PARTS; part++)
        h.more[part] =
            more_than_others(&tmp, j, first_row, n_rows, (enum segment_part)part);
    for (int32_t i = 0; i < j->n_ranks; i++) {
        const struct job_rank *r = &j->ranks[i];
        struct arena own = tmp;
        struct sort_row *by = arena_new(&own, struct sort_row, r->n_rows);
        int32_t *rows = arena_new(&own, int32_t, r->n_rows), n = 0;
        for (int32_t k = 0; k < r->n_rows; k++)
            by[k] = (struct sort_row){period_of(j, r, r->rows[k].start_ns), k};
        sort_rows(own, by, r->n_rows);
        for (int32_t k = 0; k < r->n_rows; k++)
            rows[k] = by[k].row;
        for (int p = 0; p < j->n_periods; p++) {
            int32_t from = n;
            while (n < r->n_rows && by[n].key == p)
                n++;
            scale_period(own, &h, i, p, rows + from, n - from);
        }
    }
}

static struct job_scales unscaled(struct arena *a, int64_t n)
{
    struct job_scales s = {arena_take_raw(a, sizeof(float), 4, n),
                           arena_take_raw(a, sizeof(float), 4, n)};
    for (int64_t i = 0; i < n; i++)
        s.fixed[i] = s.middle[i] = 1;
    return s;
}

/* One cause: what the rank in the middle has less of it, where a member is late. */
static void scale_cause(struct arena tmp, float *fixed, const struct job *j,
                        const int32_t *first_row, const struct member_ref *all,
                        int32_t n, int cause)
{
    struct member_ref ref = pool_middle(tmp, j, all, n);
    int64_t middle_ns = member_segment_ns(&j->ranks[ref.rank].rows[ref.row]);
    for (int32_t i = 0; i < n; i++) {
        const struct job_member *m = &j->ranks[all[i].rank].rows[all[i].row];
        int64_t own_ns = member_segment_ns(m), late_ns = own_ns - middle_ns;
        int step = j->instances[m->instance].step;
        if (late_ns <= 0 || own_ns <= 0)
            continue;
        int64_t ns =
            cause_between(j, cause, &all[i], &ref, step < 0 ? j->n_steps : step);
        ns = ns < late_ns ? ns : late_ns;
        if (ns > 0)
            fixed[first_row[all[i].rank] + all[i].row] =
                (float)((double)(own_ns - ns) / (double)own_ns);
    }
}

int64_t rank_tail_ns(const struct job_rank *r)
{
    int64_t last_ns = r->start_ns;
    for (int32_t i = 0; i < r->n_rows; i++)
        if (r->rows[i].start_ns + r->rows[i].dur_ns > last_ns)
            last_ns = r->rows[i].start_ns + r->rows[i].dur_ns;
    return r->end_ns > last_ns ? r->end_ns - last_ns : 0;
}

int64_t *median_tails(struct arena *a, const struct job *j)
{
    int64_t *median_ns = arena_new(a, int64_t, j->n_ranks);
    struct arena tmp = *a;
    struct sort_row *rows = arena_new(&tmp, struct sort_row, j->n_ranks);
    int64_t *ns = arena_new(&tmp, int64_t, j->n_ranks);
    for (int i = 0; i < j->n_ranks; i++) {
        int64_t key = (int64_t)j->ranks[i].role << 32 | j->ranks[i].n_steps;
        rows[i] = (struct sort_row){key, i};
    }
    sort_rows(tmp, rows, j->n_ranks);
    for (int from = 0, to; from < j->n_ranks; from = to) {
        for (to = from; to < j->n_ranks && rows[to].key == rows[from].key; to++)
            ns[to - from] = rank_tail_ns(&j->ranks[rows[to].row]);
        int64_t middle_ns = nth_ns(ns, to - from, (to - from - 1) / 2);
        for (int i = from; i < to; i++)
            median_ns[rows[i].row] = middle_ns;
    }
    return median_ns;
}

static void scale_tails(struct arena tmp, struct job_scales *s, const struct job *j)
{
    int64_t *middle_ns = median_tails(&tmp, j);
    ptrdiff_t first = (ptrdiff_t)j->n_ranks * j->n_periods;
    for (int i = 0; i < j->n_ranks; i++)
        first += j->ranks[i].n_rows;
    for (int i = 0; i < j->n_ranks; i++) {
        float by = ratio((double)middle_ns[i], (double)rank_tail_ns(&j->ranks[i]));
        s->middle[first + i] = by;
        s->fixed[first + i] = by < 1 ? by : 1;
    }
}

struct job_scales job_find_scales(struct arena *a, const struct job *j,
                                  const int32_t *first_row, int64_t n_rows)
{
    struct job_scales s =
        unscaled(a, n_rows + (int64_t)j->n_ranks * (j->n_periods + 1));
    struct arena tmp = *a;
    if (j->is_hidden) {
        scale_tails(tmp, &s, j);
        scale_hidden(tmp, &s, j, first_row, n_rows, -1);
        return s;
    }
    struct pool_list pools = pools_list(&tmp, j);
    struct member_ref *all = arena_new(&tmp, struct member_ref, pools.most);
    int64_t *ns = arena_new(&tmp, int64_t, pools.most);
    for (int32_t p = 0; p < j->n_pools; p++)
        scale_pool(&s, j, first_row, all, pool_members(j, &pools, p, all), ns);
    return s;
}

float *job_cause_scales(struct arena *a, const struct job *j, const int32_t *first_row,
                        int64_t n_rows, int cause)
{
    struct job_scales s =
        unscaled(a, n_rows + (int64_t)j->n_ranks * (j->n_periods + 1));
    struct arena tmp = *a;
    if (j->is_hidden) {
        scale_hidden(tmp, &s, j, first_row, n_rows, cause);
        return s.fixed;
    }
    struct pool_list pools = pools_list(&tmp, j);
    struct member_ref *all = arena_new(&tmp, struct member_ref, pools.most);
    for (int32_t p = 0; p < j->n_pools; p++) {
        int32_t n = pool_members(j, &pools, p, all);
        if (n)
            scale_cause(tmp, s.fixed, j, first_row, all, n, cause);
    }
    return s.fixed;
}
