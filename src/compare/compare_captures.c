#include "compare/compare_captures.h"

#include "capture/call_durations.h"
#include "compare/assumed_noise.h"
#include "compare/class_change.h"
#include "compare/parity.h"
#include "compare/row_means.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct capture_row *row_of(const struct match *m, const struct capture *c,
                                        int side)
{
    return m->first_row[side] >= 0 ? &c->rows[m->first_row[side]] : NULL;
}

/* Work of both sides: count and speed, each symmetric, so that swapped sides negate.
 * No more than most_ns of a row, so that rows can be added up. */
static void split_difference(struct compared_row *r, double most_ns)
{
    const struct match *m = r->match;
    int64_t diff_ns = m->ns[1] - m->ns[0];
    if (m->level == MATCH_ONLY_REFERENCE || m->level == MATCH_ONLY_CANDIDATE) {
        r->only_ns = diff_ns;
        return;
    }
    double mean[2];
    for (int side = 0; side < 2; side++)
        mean[side] = m->n[side] ? (double)m->ns[side] / (double)m->n[side] : 0;
    if (!match_is_recast(m))
        r->count_ns =
            llround(fmax(-most_ns, fmin(most_ns, (double)(m->n[1] - m->n[0]) *
                                                     (mean[0] + mean[1]) / 2)));
    r->speed_ns = diff_ns - r->count_ns;
}

static int64_t size_of(const struct match *m)
{
    return llabs(m->ns[1] - m->ns[0]);
}

static int by_difference(const void *a, const void *b)
{
    const struct match *x = ((const struct compared_row *)a)->match,
                       *y = ((const struct compared_row *)b)->match;
    if (size_of(x) != size_of(y))
        return size_of(x) > size_of(y) ? -1 : 1;
    return (x > y) - (x < y);
}

static void make_rows(struct arena *perm, struct comparison *c)
{
    const struct device_spec *devices[2] = {c->of[0]->device, c->of[1]->device};
    c->rows = arena_new(perm, struct compared_row, c->matches.n);
    c->n_rows = c->matches.n;
    for (int32_t i = 0; i < c->n_rows; i++) {
        struct compared_row *r = &c->rows[i];
        struct match *m = r->match = &c->matches.rows[i];
        for (int side = 0; side < 2; side++)
            r->of[side] = row_of(m, c->of[side], side);
        split_difference(r, 0x1p61 / c->n_rows);
        r->expected = expected_of(m, r->of, devices);
        c->level_rows[m->level]++;
        for (int side = 0; side < 2; side++) {
            c->level_ns[m->level][side] += m->ns[side];
            c->device_ns[side] += m->ns[side];
        }
    }
    if (c->n_rows)
        qsort(c->rows, (size_t)c->n_rows, sizeof *c->rows, by_difference);
}

/* Floor of a row in %: a share, or a time per call where that is more. */
static double row_floor_pct(const struct match *m, const struct noise_floors *f)
{
    if (m->n[0] <= 0 || m->ns[0] <= 0)
        return f->row_pct;
    double call_us = (double)m->ns[0] / (double)m->n[0] / 1e3;
    double pct = 100 * f->row_us / call_us;
    return pct > f->row_pct ? pct : f->row_pct;
}

/* Of each side: the rows of its further captures. */
struct further {
    struct row_index *of[2];
    int n[2];
};

static struct further index_captures(struct arena *a, const struct comparison *c)
{
    struct further f;
    for (int side = 0; side < 2; side++) {
        f.n[side] = c->n_captures[side] - 1;
        f.of[side] = arena_new(a, struct row_index, f.n[side]);
        for (int i = 0; i < f.n[side]; i++)
            f.of[side][i] = row_index_make(a, &c->captures[side][i + 1]);
    }
    return f;
}

/* Means of a row in the captures of a side that have it, the first one first. */
static int row_values(const struct comparison *c, const struct further *f,
                      const struct match *m, int side, double *values)
{
    int n = 0, steps = c->selection.n_steps ? c->selection.n_steps : 1;
    values[n++] =
        (double)m->ns[side] / (match_is_recast(m) ? steps : (double)m->n[side]);
    for (int i = 0; i < f->n[side]; i++) {
        double mean = row_index_mean(&f->of[side][i], m, side, c->of[side]);
        if (!isnan(mean))
            values[n++] = mean;
    }
    return n;
}

static void judge_rows(struct arena tmp, struct comparison *c,
                       const struct noise_floors *floors)
{
    struct further f = index_captures(&tmp, c);
    double *values[2];
    for (int side = 0; side < 2; side++)
        values[side] = arena_new(&tmp, double, c->n_captures[side]);
    for (int32_t i = 0; i < c->n_rows; i++) {
        struct compared_row *r = &c->rows[i];
        const struct match *m = r->match;
        int n[2];
        if (!m->n[0] || !m->n[1])
            continue;
        for (int side = 0; side < 2; side++)
            n[side] = row_values(c, &f, m, side, values[side]);
        r->judged = judge_row((const double *const[2]){values[0], values[1]}, n,
                              row_floor_pct(m, floors));
    }
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < f.n[side]; i++)
            row_index_close(&f.of[side][i]);
}

/* Quantiles of the calls of each row, whatever its captures kept of them. */
static void find_quantiles(struct arena tmp, struct comparison *c)
{
    int64_t *counts = arena_new(&tmp, int64_t, CALL_BINS);
    struct arena far = arena_first_half(&tmp);
    for (int side = 0; side < 2; side++) {
        struct arena own = tmp;
        struct selection *s = &c->selection;
        struct call_durations d =
            call_durations_of(&own, far, c->of[side], s->spans[side], s->n_spans[side]);
        for (int32_t i = 0; i < c->n_rows; i++) {
            const struct match *m = c->rows[i].match;
            memset(counts, 0, CALL_BINS * sizeof *counts);
            for (int32_t k = 0; k < m->n_rows[side]; k++)
                for (int32_t b = d.first[m->rows[side][k]];
                     b < d.first[m->rows[side][k] + 1]; b++)
                    counts[d.bins[b].bin] += d.bins[b].n;
            c->rows[i].median_ns[side] = call_quantile(counts, 0.5);
            c->rows[i].p90_ns[side] = call_quantile(counts, 0.9);
        }
    }
}

/* Length or kernel time of each step. */
static struct sample sample_in(struct arena *a, const struct capture *c,
                               const struct step_span *steps, int n, enum judged what)
{
    double *v = arena_new(a, double, n);
    for (int i = 0; i < n && what == JUDGE_WALL; i++)
        v[i] = (double)(steps[i].end_ns - steps[i].start_ns);
    for (int32_t k = 0; k < c->n_events && what == JUDGE_DEVICE; k++) {
        const struct capture_event *e = &c->events[k];
        for (int i = span_from(steps, n, e->start_ns);
             i < n && steps[i].start_ns < e->end_ns; i++)
            v[i] += (double)span_overlap_ns(&steps[i], 1, e->start_ns, e->end_ns);
    }
    for (int32_t k = 0; k < c->n_rows && what == JUDGE_DEVICE && !c->n_events; k++)
        v[0] += (double)c->rows[k].kernel_ns;
    return (struct sample){v, n};
}

static struct sample sample_of(struct arena *a, const struct capture *c,
                               enum judged what)
{
    int n;
    const struct step_span *steps = steady_spans(a, c, &n);
    return sample_in(a, c, steps, n, what);
}

/* Steps of a further capture that are compared with the first one of the other side. */
static struct selection select_beside(struct arena *a, const struct comparison *c,
                                      int side, int i, const struct step_choice *steps)
{
    const struct capture *of[2] = {c->of[0], c->of[1]};
    struct selection s;
    struct err none = {0};
    of[side] = &c->captures[side][i];
    if (!selection_make(a, *a, of, steps, &s, &none)) /* no step of those numbers */
        s.spans[side] = steady_spans(a, of[side], &s.n_spans[side]);
    return s;
}

static struct judgement judge_totals(struct arena tmp, const struct comparison *c,
                                     enum judged what, const struct step_choice *steps,
                                     const struct noise_assumed *f)
{
    struct sample *samples[2];
    uint64_t seed = 0;
    const struct selection *s = &c->selection;
    for (int side = 0; side < 2; side++) {
        samples[side] = arena_new(&tmp, struct sample, c->n_captures[side]);
        for (int i = 0; i < c->n_captures[side]; i++) {
            struct selection own = i ? select_beside(&tmp, c, side, i, steps) : *s;
            samples[side][i] = sample_in(&tmp, &c->captures[side][i], own.spans[side],
                                         own.n_spans[side], what);
            for (int k = 0; k < samples[side][i].n; k++)
                seed = seed * 31 + (uint64_t)samples[side][i].steps[k];
        }
    }
    return judge(tmp, (const struct sample *const[2]){samples[0], samples[1]},
                 c->n_captures, f, what, seed);
}

/* Kernel time of each category in a step of a capture. */
static double *class_means(struct arena *a, const struct capture *c,
                           const struct selection *s, int side)
{
    double *ns = arena_new(a, double, WORK_CATEGORIES + 1);
    struct row_figures *f = selection_figures(a, c, s->spans[side], s->n_spans[side]);
    for (int32_t i = 0; i < c->n_rows; i++)
        if (c->rows[i].part == DEVICE_COMPUTE)
            ns[c->rows[i].category] +=
                (double)f[i].ns / (s->n_spans[side] ? s->n_spans[side] : 1);
    return ns;
}

static struct judgement judge_class(struct arena tmp, const struct comparison *c,
                                    const struct compared_bar *b,
                                    double **const means[2],
                                    const struct noise_floors *floors)
{
    struct sample *samples[2];
    int steps = c->selection.n_steps ? c->selection.n_steps : 1;
    double first[2];
    for (int side = 0; side < 2; side++) {
        samples[side] = arena_new(&tmp, struct sample, c->n_captures[side]);
        first[side] = (double)b->kernel_ns[side] / steps;
        samples[side][0] = (struct sample){&first[side], 1};
        for (int i = 1; i < c->n_captures[side]; i++)
            samples[side][i] = (struct sample){&means[side][i][b->category], 1};
    }
    struct noise_assumed f = assumed_of_class(tmp, c, b, floors);
    return judge(tmp, (const struct sample *const[2]){samples[0], samples[1]},
                 c->n_captures, &f, JUDGE_DEVICE, 1);
}

static void judge_classes(struct arena tmp, struct comparison *c,
                          const struct comparison_options *o)
{
    double **means[2];
    for (int side = 0; side < 2; side++) {
        means[side] = arena_new(&tmp, double *, c->n_captures[side]);
        for (int i = 1; i < c->n_captures[side]; i++) {
            struct selection s = select_beside(&tmp, c, side, i, &o->steps);
            means[side][i] = class_means(&tmp, &c->captures[side][i], &s, side);
        }
    }
    for (int k = 0; k < c->n_bars; k++) {
        struct compared_bar *b = &c->bars[k];
        if (b->kind == BAR_CLASS && b->category < WORK_CATEGORIES)
            b->judged = judge_class(tmp, c, b, means, &o->floors);
    }
}

/* Earlier captures decide, where there are enough. */
static void judge_history(struct arena tmp, struct comparison *c,
                          const struct comparison_options *o)
{
    double *device = arena_new(&tmp, double, o->n_history);
    double *wall = arena_new(&tmp, double, o->n_history);
    for (int i = 0; i < o->n_history; i++)
        for (int what = JUDGE_DEVICE; what <= JUDGE_WALL; what++) {
            struct sample s = sample_of(&tmp, &o->history[i], (enum judged)what);
            (what == JUDGE_DEVICE ? device : wall)[i] = sample_mean(&s);
        }
    const struct noise_floors *f = &o->floors;
    if (judge_by_history(tmp, &c->device, device, o->n_history, f->device_pct) &&
        judge_by_history(tmp, &c->wall, wall, o->n_history,
                         f->wall_given ? f->wall_pct : WALL_SEEN_PCT))
        c->n_history = o->n_history;
}

/* Of other work, what was matched without its arguments may be anything, and what
 * takes a tenth or ten times as long is hardly the same. */
static void rate_less(struct comparison *c)
{
    static const double ALIKE = 10;
    for (int32_t i = 0; i < c->n_rows && parity_is_other_work(c->parity); i++) {
        struct expected_ratio *x = &c->rows[i].expected;
        enum match_level level = c->rows[i].match->level;
        if (x->class == EXPLAINED_NOT_RATED)
            continue;
        if (level == MATCH_NAME || level == MATCH_CATEGORY)
            expected_withdraw(x, S("different work"));
        else if (x->ratio > ALIKE || x->ratio < 1 / ALIKE)
            expected_withdraw(x, S("too different to be the same work"));
    }
}

static void find_figures(struct arena *perm, struct comparison *c,
                         struct match_side sides[2])
{
    for (int side = 0; side < 2; side++) {
        struct selection *s = &c->selection;
        sides[side] = (struct match_side){
            c->of[side],
            selection_figures(perm, c->of[side], s->spans[side], s->n_spans[side]),
            s->spans[side], s->n_spans[side]};
        c->window_ns[side] = selection_window_ns(s->spans[side], s->n_spans[side]);
        double flop = 0;
        for (int32_t i = 0; i < c->of[side]->n_rows; i++)
            if (c->of[side]->rows[i].flop > 0)
                flop += c->of[side]->rows[i].flop * (double)sides[side].rows[i].n_calls;
        c->gflop[side] = flop / 1e9 / (s->n_steps ? s->n_steps : 1);
    }
}

bool comparison_make(struct arena *perm, struct arena tmp,
                     const struct capture *const captures[2], const int n_captures[2],
                     const struct comparison_options *o, struct comparison *c,
                     struct err *e)
{
    struct match_side sides[2];
    *c = (struct comparison){.of = {captures[0], captures[1]},
                             .captures = {captures[0], captures[1]},
                             .n_captures = {n_captures[0], n_captures[1]}};
    if (!selection_make(perm, tmp, c->of, &o->steps, &c->selection, e))
        return false;
    find_figures(perm, c, sides);
    c->matches = match_rows(perm, tmp, sides, &o->match);
    make_rows(perm, c);
    class_changes(perm, tmp, c, sides);
    judge_rows(tmp, c, &o->floors);
    find_quantiles(tmp, c);
    struct noise_assumed device = assumed_of_device(tmp, c, &o->floors), wall;
    c->device = judge_totals(tmp, c, JUDGE_DEVICE, &o->steps, &device);
    judge_classes(tmp, c, o);
    wall = assumed_of_wall(c, &o->floors);
    c->wall = judge_totals(tmp, c, JUDGE_WALL, &o->steps, &wall);
    judge_history(tmp, c, o);
    parity_find(perm, c, o->allowed_setup);
    rate_less(c);
    if (c->parity == PARITY_SAME || c->parity == PARITY_OTHER_WORK)
        c->drift = drift_find(tmp, c);
    return true;
}

int capture_median(struct arena tmp, const struct capture *const *of, int n)
{
    double *value = arena_new(&tmp, double, n), *sorted = arena_new(&tmp, double, n);
    for (int i = 0; i < n; i++) {
        struct sample s = sample_of(&tmp, of[i], JUDGE_WALL);
        value[i] = sorted[i] = sample_mean(&s);
    }
    median_of(sorted, n); /* sorts */
    int at = 0;
    while (at < n - 1 && value[at] != sorted[(n - 1) / 2])
        at++;
    return at;
}
