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

/* What pools are asked for; places of pools are apart, so threads write side by side.
 */
struct scaled {
    const struct job *j;
    const int32_t *first_row;
    struct job_scales s;
    const int *causes; /* of which each has its own `fixed` */
    int n_causes;
    float **fixed;
};

static void scale_pool(void *context, int member, struct arena tmp, int32_t pool,
                       const struct member_ref *all, int32_t n)
{
    struct scaled *x = context;
    const struct job *j = x->j;
    struct job_scales *s = &x->s;
    const int32_t *first_row = x->first_row;
    int64_t *ns = arena_take_raw(&tmp, sizeof *ns, 8, n);
    int64_t *segment_ns = arena_take_raw(&tmp, sizeof *segment_ns, 8, n);
    (void)member;
    (void)pool;
    for (int32_t i = 0; i < n; i++) {
        segment_soon(j, all, i, n);
        ns[i] = segment_ns[i] =
            member_segment_ns(&j->ranks[all[i].rank].rows[all[i].row]);
    }
    int64_t middle_ns = middle_of(ns, n, shares(j, all[0].rank));
    for (int32_t i = 0; i < n; i++) {
        int64_t own_ns = segment_ns[i];
        int64_t at = first_row[all[i].rank] + all[i].row;
        if (own_ns > 0) {
            s->middle[at] = (float)((double)middle_ns / (double)own_ns);
            s->fixed[at] = s->middle[at] < 1 ? s->middle[at] : 1;
        } else if (middle_ns > 0) {
            s->middle[at] = -(float)middle_ns;
        }
    }
}

/* What a row has of a part; of computation, if `work` is given, that. */
static int64_t part_of_row(const struct job *j, const struct job_places *p,
                           const double *work, enum segment_part part,
                           const struct member_ref *m)
{
    return work ? llround(work[p->first_row[m->rank] + m->row])
                : j->ranks[m->rank].rows[m->row].part_ns[part];
}

/* The median of a part of the rows at the same place, by pool. */
static double *pool_medians(struct arena *a, const struct job *j,
                            const struct job_places *p, const double *work,
                            enum segment_part part)
{
    double *middle = arena_new(a, double, j->n_pools);
    struct arena tmp = *a;
    struct pool_list pools = pools_list(&tmp, j);
    struct member_ref *all = arena_new(&tmp, struct member_ref, pools.most);
    int64_t *ns = arena_new(&tmp, int64_t, pools.most);
    for (int32_t k = 0; k < j->n_pools; k++) {
        int32_t n = pool_members(j, &pools, k, all);
        for (int32_t i = 0; i < n; i++)
            ns[i] = part_of_row(j, p, work, part, &all[i]);
        middle[k] = n ? (double)nth_ns(ns, n, (n - 1) / 2) : 0;
    }
    return middle;
}

/* What a rank computes from the start of one collective to that of the next, beside
 * communication too: where in a step it does, by the place of the next. Runs of work
 * have the short waits for the host. */
static double *work_by_row(struct arena *a, const struct job *j,
                           const struct job_places *p)
{
    double *work = arena_new(a, double, p->n_rows);
    for (int32_t i = 0; i < j->n_ranks; i++) {
        const struct job_rank *r = &j->ranks[i];
        double *own = work + p->first_row[i];
        for (int32_t k = 0; !p->n_blocks && k < r->n_rows; k++)
            own[k] = (double)r->rows[k].part_ns[SEGMENT_COMPUTE];
        for (int32_t k = 0, row = 0; p->n_blocks && k < r->n_blocks; k++) {
            row = row_behind(r, row, r->blocks[k].start_ns);
            if (row < r->n_rows)
                own[row] += (double)r->blocks[k].dur_ns;
        }
        for (int32_t k = 0; p->n_blocks && r->held && k < r->n_rows; k++)
            own[k] = fmax(own[k] - (double)r->held[k].short_ns, 0);
    }
    return work;
}

/* One rank in one period: by how much each part changes. */
struct change {
    int64_t own_ns[SEGMENT_PARTS], by_ns[SEGMENT_PARTS];
    int64_t held_by_ns; /* of idle time: beside communication, between its kernels */
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
    c.held_by_ns = compare ? other->held_ns - own->held_ns : 0;
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

/* Adds `by_ns` to n lengths `ns`, which have `own` of a part: in proportion to what
 * they have more (or less) of it than others, up to that, and the rest in proportion to
 * what they have. */
static void spread(int32_t n, const double *own, const double *more, double by_ns,
                   double *ns)
{
    double sum = 0, left = 0, sign = by_ns < 0 ? 1 : -1;
    for (int32_t i = 0; i < n; i++)
        sum += fmax(sign * more[i], 0);
    double located_ns = sum < -sign * by_ns ? sum : -sign * by_ns;
    double by = sum > 0 ? sign * located_ns / sum : 0;
    for (int32_t i = 0; i < n; i++) {
        ns[i] -= by * fmax(sign * more[i], 0);
        left += own[i] - by * fmax(sign * more[i], 0);
    }
    double rest_ns = by_ns + sign * located_ns;
    double stretch = left > 0 ? fmax(rest_ns / left, -1) : 0;
    for (int32_t i = 0; i < n; i++)
        ns[i] += stretch * (own[i] - by * fmax(sign * more[i], 0));
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

static struct job_scales unscaled(struct arena *a, int64_t n)
{
    struct job_scales s = {arena_take_raw(a, sizeof(float), 4, n),
                           arena_take_raw(a, sizeof(float), 4, n)};
    for (int64_t i = 0; i < n; i++)
        s.fixed[i] = s.middle[i] = 1;
    return s;
}

struct hidden {
    const struct job *j;
    int cause; /* the only one that is fixed; -1: all are */
    struct job_scales *s;
    const struct job_places *places;
    const int32_t *ref;
    double *even_ns, *work;
    double *middle[SEGMENT_PARTS]; /* by pool; of computation that of `work` */
    double *middle_between;        /* of computation between collectives alone */
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
    c->held_by_ns = cause_is_held(h->cause) ? c->held_by_ns : 0;
}

/* Of a change of idle time, what is beside communication: as far as both are of one
 * sign. */
static int64_t held_change(const struct change *c)
{
    int64_t idle_ns = c->by_ns[SEGMENT_IDLE], held_ns = c->held_by_ns;
    if ((idle_ns < 0) != (held_ns < 0))
        return 0;
    return idle_ns < 0 ? (held_ns > idle_ns ? held_ns : idle_ns)
                       : (held_ns < idle_ns ? held_ns : idle_ns);
}

#define LITTLE_FRAC 0.25 /* of the mean: a phase that has no more work than others */

/* A rank that comes to a collective later than others has done more until then and does
 * less behind it, while others went on as they waited; and of two collectives another
 * may be the first. So what is more (sign 1) or less (-1) is known to an eighth of the
 * work, and only if some eighth has little of it: else all of the work has. */
static void even_out(int32_t n, const double *own, double sign, double *more)
{
    enum { PHASES = 8 };
    double all = 0, more_of_all = 0, left, work = 0, sum = 0, least = (double)INFINITY;
    for (int32_t i = 0; i < n; i++) {
        all += own[i];
        more_of_all += sign * more[i];
    }
    left = all;
    for (int32_t i = 0, from = 0; i < n; i++) {
        left -= own[i];
        work += own[i];
        sum += more[i];
        bool last = i == n - 1;
        if (!last && (work < all / PHASES || left < all / PHASES / 2))
            continue;
        double frac = work > 0 ? sum / work : 0;
        for (int32_t k = from; k <= i; k++)
            more[k] = frac * own[k];
        least = work > 0 ? fmin(least, sign * frac) : least;
        work = sum = 0;
        from = i + 1;
    }
    for (int32_t i = 0; i < n && least * all >= LITTLE_FRAC * more_of_all; i++)
        more[i] = 0;
}

/* What a row has more of something than the median of those at its place. */
static double more_of(const double *middle, int32_t pool, double own)
{
    return pool < 0 ? own : own - middle[pool];
}

static double held_ns_of(const struct job_rank *r, int32_t row)
{
    return r->held ? (double)r->held[row].ns : 0;
}

/* What computation before each of n rows of a rank is multiplied with, and its waits
 * for the host, if they change by `by_ns` and `held_ns` in their period. Computation
 * first where the rank has more of it than others there; all alike in a pipeline, whose
 * stages have another order of forward and backward each. Fewer waits where it has
 * them. */
static void change_work(struct arena tmp, const struct hidden *h, int32_t rank,
                        const int32_t *rows, const int32_t *pools, int32_t n,
                        double by_ns, double held_ns, double *by)
{
    const struct job_rank *r = &h->j->ranks[rank];
    const double *work = h->work + h->places->first_row[rank];
    double *own = arena_take_raw(&tmp, sizeof *own, 8, n);
    double *more = arena_take_raw(&tmp, sizeof *more, 8, n), all_held = 0;
    for (int32_t i = 0; i < n; i++) {
        own[i] = by[i] = work[rows[i]];
        more[i] = r->peers ? 0 : more_of(h->middle[SEGMENT_COMPUTE], pools[i], own[i]);
        all_held += held_ns_of(r, rows[i]);
    }
    by_ns += held_ns > 0 ? held_ns : 0;
    double left = held_ns < 0 && all_held > 0 ? fmax(1 + held_ns / all_held, 0) : 1;
    even_out(n, own, by_ns < 0 ? 1 : -1, more);
    spread(n, own, more, by_ns, by);
    for (int32_t i = 0; i < n; i++) {
        double held = held_ns_of(r, rows[i]), all = own[i] + held;
        by[i] = all > 0 ? (fmax(by[i], 0) + left * held) / all : 1;
    }
}

/* `scale`: of computation before each row; of its rank. */
static void scale_period(struct arena tmp, const struct hidden *h, int32_t rank,
                         int period, const int32_t *rows, int32_t n,
                         struct job_scales scale)
{
    const struct job_rank *r = &h->j->ranks[rank];
    ptrdiff_t at = (ptrdiff_t)rank * h->j->n_periods + period;
    struct change c = change_of(h->j, rank, h->ref[at], period, h->even_ns);
    if (h->cause >= 0)
        keep_cause(h, rank, h->ref[at], period, &c);
    double *by = arena_take_raw(&tmp, sizeof *by, 8, n);
    double *ns = arena_take_raw(&tmp, sizeof *ns, 8, n);
    double *own = arena_take_raw(&tmp, sizeof *own, 8, n);
    double *more = arena_take_raw(&tmp, sizeof *more, 8, n);
    int32_t first = h->places->first_row[rank];
    int32_t *pools = arena_take_raw(&tmp, sizeof *pools, 4, n);
    int64_t by_ns = 0;
    for (int32_t i = 0; i < n; i++)
        pools[i] = pool_of_row(h->j, &r->rows[rows[i]]);
    for (int k = 0; k < SEGMENT_PARTS; k++)
        by_ns += c.by_ns[k];
    bool located = shares(h->j, rank);
    int64_t held_ns = located ? 0 : held_change(&c);
    c.by_ns[SEGMENT_IDLE] -= held_ns;
    double compute = (double)c.own_ns[SEGMENT_COMPUTE];
    double alike = (double)ratio(compute + (double)c.by_ns[SEGMENT_COMPUTE], compute);
    if (!located)
        change_work(tmp, h, rank, rows, pools, n, (double)c.by_ns[SEGMENT_COMPUTE],
                    (double)held_ns, by);
    for (int32_t i = 0; i < n; i++) {
        const struct job_member *m = &r->rows[rows[i]];
        by[i] = located ? alike : by[i];
        ns[i] = at_work_ns(m) +
                (located ? 0 : by[i] - 1) * (double)m->part_ns[SEGMENT_COMPUTE];
        scale.middle[rows[i]] = (float)by[i];
        scale.fixed[rows[i]] = by_ns < 0 ? (float)by[i] : 1;
    }
    /* The work of experts is between collectives that others wait for. */
    for (int k = 0; k < SEGMENT_PARTS; k++) {
        if (k == SEGMENT_OTHER || (k == SEGMENT_COMPUTE && !located))
            continue;
        const double *middle = k == SEGMENT_COMPUTE ? h->middle_between : h->middle[k];
        for (int32_t i = 0; i < n; i++) {
            own[i] = (double)r->rows[rows[i]].part_ns[k];
            more[i] = more_of(middle, pools[i], own[i]);
        }
        spread(n, own, more, (double)c.by_ns[k], ns);
    }
    for (int32_t i = 0; i < n; i++) {
        float own_by = ratio(ns[i], at_work_ns(&r->rows[rows[i]]));
        h->s->middle[first + rows[i]] = own_by;
        h->s->fixed[first + rows[i]] = by_ns < 0 ? own_by : 1;
    }
}

/* As the computation that they are part of. */
static void scale_blocks(const struct hidden *h, int32_t rank, struct job_scales scale)
{
    const struct job_rank *r = &h->j->ranks[rank];
    int64_t first = h->places->n_rows + h->places->first_block[rank];
    for (int32_t k = 0, row = 0; k < r->n_blocks; k++) {
        row = row_behind(r, row, r->blocks[k].start_ns);
        if (row == r->n_rows)
            break;
        h->s->middle[first + k] = scale.middle[row];
        h->s->fixed[first + k] = scale.fixed[row];
    }
}

/* What does not depend on the cause. */
static struct hidden hidden_find(struct arena *a, const struct job *j,
                                 const struct job_places *p)
{
    struct hidden h = {.j = j, .cause = -1, .places = p};
    h.ref = periods_middle(a, j);
    h.even_ns = even_work(a, j);
    h.work = work_by_row(a, j, p);
    h.middle[SEGMENT_COPY] = pool_medians(a, j, p, NULL, SEGMENT_COPY);
    h.middle[SEGMENT_IDLE] = pool_medians(a, j, p, NULL, SEGMENT_IDLE);
    h.middle[SEGMENT_COMPUTE] = pool_medians(a, j, p, h.work, SEGMENT_COMPUTE);
    if (j->is_uneven)
        h.middle_between = pool_medians(a, j, p, NULL, SEGMENT_COMPUTE);
    return h;
}

static void scale_hidden(struct arena tmp, const struct hidden *h)
{
    const struct job *j = h->j;
    const struct job_places *p = h->places;
    for (int32_t i = 0; i < j->n_ranks; i++) {
        const struct job_rank *r = &j->ranks[i];
        struct arena own = tmp;
        struct job_scales scale = unscaled(&own, r->n_rows);
        struct sort_row *by = arena_new(&own, struct sort_row, r->n_rows);
        int32_t *rows = arena_new(&own, int32_t, r->n_rows), n = 0;
        for (int32_t k = 0; k < r->n_rows; k++)
            by[k] = (struct sort_row){period_of(j, r, r->rows[k].start_ns), k};
        sort_rows(own, by, r->n_rows);
        for (int32_t k = 0; k < r->n_rows; k++)
            rows[k] = by[k].row;
        for (int period = 0; period < j->n_periods; period++) {
            int32_t from = n;
            while (n < r->n_rows && by[n].key == period)
                n++;
            scale_period(own, h, i, period, rows + from, n - from, scale);
        }
        if (p->n_blocks)
            scale_blocks(h, i, scale);
    }
}

/* Causes: what the rank in the middle has less of each, where a member is late. */
static void scale_causes(void *context, int member, struct arena tmp, int32_t pool,
                         const struct member_ref *all, int32_t n)
{
    struct scaled *x = context;
    const struct job *j = x->j;
    const struct member_ref *ref = &j->middles[pool];
    int64_t middle_ns = member_segment_ns(&j->ranks[ref->rank].rows[ref->row]);
    (void)member;
    (void)tmp;
    for (int32_t i = 0; i < n; i++) {
        const struct job_member *m = &j->ranks[all[i].rank].rows[all[i].row];
        int64_t own_ns = member_segment_ns(m), late_ns = own_ns - middle_ns;
        int step = j->instances[m->instance].step;
        step = step < 0 ? j->n_steps : step;
        members_soon(j, all, i, n, step);
        if (late_ns <= 0 || own_ns <= 0)
            continue;
        int64_t by_ns[JOB_CAUSES];
        causes_between(j, x->causes, x->n_causes, &all[i], ref, step, by_ns);
        for (int k = 0; k < x->n_causes; k++) {
            int64_t ns = by_ns[k] < late_ns ? by_ns[k] : late_ns;
            if (ns > 0)
                x->fixed[k][x->first_row[all[i].rank] + all[i].row] =
                    (float)((double)(own_ns - ns) / (double)own_ns);
        }
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

static void scale_tails(struct arena tmp, struct job_scales *s, const struct job *j,
                        int64_t first)
{
    int64_t *middle_ns = median_tails(&tmp, j);
    for (int i = 0; i < j->n_ranks; i++) {
        float by = ratio((double)middle_ns[i], (double)rank_tail_ns(&j->ranks[i]));
        s->middle[first + i] = by;
        s->fixed[first + i] = by < 1 ? by : 1;
    }
}

struct job_scales job_find_scales(struct arena *a, const struct job *j,
                                  const struct job_places *p)
{
    struct job_scales s = unscaled(a, p->n_rows + p->n_blocks + j->n_ranks);
    struct arena tmp = *a;
    if (j->is_hidden) {
        scale_tails(tmp, &s, j, p->n_rows + p->n_blocks);
        struct hidden h = hidden_find(&tmp, j, p);
        h.s = &s;
        scale_hidden(tmp, &h);
        return s;
    }
    struct scaled x = {.j = j, .first_row = p->first_row, .s = s};
    pools_each(tmp, j, scale_pool, &x);
    return s;
}

static float *unfixed(struct arena *a, const struct job *j, const struct job_places *p)
{
    int64_t n = p->n_rows + p->n_blocks + j->n_ranks;
    float *fixed = arena_take_raw(a, sizeof *fixed, 4, n);
    for (int64_t k = 0; k < n; k++)
        fixed[k] = 1;
    return fixed;
}

void job_causes_scales(struct arena tmp, const struct job *j,
                       const struct job_places *p, const int *causes, int n,
                       void (*one)(void *context, struct arena tmp, int place,
                                   const float *fixed),
                       void *context)
{
    if (j->is_hidden) {
        struct hidden h = hidden_find(&tmp, j, p);
        for (int i = 0; i < n; i++) {
            struct arena own = tmp;
            float *fixed = unfixed(&own, j, p);
            struct job_scales s = {fixed, fixed}; /* `fixed` is what is written last */
            h.cause = causes[i];
            h.s = &s;
            scale_hidden(own, &h);
            one(context, own, i, fixed);
        }
        return;
    }
    /* Where each member is looked at once, all causes are told of it. */
    float *fixed[JOB_CAUSES];
    struct scaled x = {.j = j,
                       .first_row = p->first_row,
                       .causes = causes,
                       .n_causes = n,
                       .fixed = fixed};
    for (int i = 0; i < n; i++)
        fixed[i] = unfixed(&tmp, j, p);
    pools_each(tmp, j, scale_causes, &x);
    for (int i = 0; i < n; i++)
        one(context, tmp, i, fixed[i]);
}
