#include "compare/assumed_noise.h"

#include <math.h>
#include <stdlib.h>

/* Of device work, if all kernels moved alike; as far as two runs of a program differ.
 */
static const double ALIKE_PCT = 7.5;
/* Of idle time, and of exposed communication and copies, the larger of both sides: two
 * recordings of one job were seen to wait 284 ms and 164 ms. */
static const double WAITING_FRAC = 0.5;
/* A gate waits for more than what counts as large. */
static const double WALL_SPREAD = 1.2;
/* Of the floor of wall time: parts that may hide more say no more than it does. */
static const double BOUNDED_FRAC = 0.5;
/* Of the difference: what tells why. */
static const double MOST = 0.5;

static int by_ratio(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (x[0] > y[0]) - (x[0] < y[0]);
}

/* The ratio below which `frac` of the weight lies. */
static double weighted_quantile(const double (*v)[2], int n, double total, double frac)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        if ((sum += v[i][1]) >= frac * total)
            return v[i][0];
    return n ? v[n - 1][0] : (double)NAN;
}

struct drift drift_find(struct arena tmp, const struct comparison *c)
{
    enum { ROWS_MIN = 5 };
    double(*v)[2] = arena_take(&tmp, sizeof *v, 8, c->n_rows), total = 0, same = 0;
    double alike = 0;
    int n = 0;
    for (int32_t i = 0; i < c->n_rows; i++) {
        const struct match *m = c->rows[i].match;
        const struct capture_row *of = c->rows[i].of[0];
        if ((of && of->part == DEVICE_COMM) || /* whose length is others' as well */
            m->level > MATCH_TYPES || !m->n[0] || !m->n[1] || m->ns[0] <= 0 ||
            m->ns[1] <= 0 || !str_eq(m->kernel[0], m->kernel[1]))
            continue;
        v[n][0] =
            (double)m->ns[1] / (double)m->n[1] / ((double)m->ns[0] / (double)m->n[0]);
        total += v[n++][1] = (double)m->ns[0];
    }
    if (n < ROWS_MIN)
        return (struct drift){0};
    qsort(v, (size_t)n, sizeof *v, by_ratio);
    double middle = weighted_quantile((const double(*)[2])v, n, total, 0.5);
    double spread = weighted_quantile((const double(*)[2])v, n, total, 0.75) -
                    weighted_quantile((const double(*)[2])v, n, total, 0.25);
    for (int i = 0; i < n; i++)
        same += (v[i][0] > 1) == (middle > 1) && v[i][0] != 1;
    for (int i = 0; i < n;
         i++) /* one family that moved by more is a cause of its own */
        alike += fabs(v[i][0] - middle) < fabs(middle - 1) / 2 ? v[i][1] : 0;
    return (struct drift){fabs(middle - 1) > 0.01 && same / n >= 0.8 &&
                              alike >= 0.8 * total && spread < fabs(middle - 1),
                          middle, n, same / n};
}

/* Candidate / reference per call, of half of the time that both sides have; of one
 * category, or of WORK_CATEGORIES: all. */
static double factor_of_most(struct arena tmp, const struct comparison *c,
                             enum work_category of)
{
    double(*v)[2] = arena_take(&tmp, sizeof *v, 8, c->n_rows), total = 0;
    int n = 0;
    for (int32_t i = 0; i < c->n_rows; i++) {
        const struct match *m = c->rows[i].match;
        if (m->n[0] <= 0 || m->n[1] <= 0 || m->ns[0] <= 0 || match_is_recast(m) ||
            (of != WORK_CATEGORIES && m->category != of))
            continue;
        v[n][0] =
            (double)m->ns[1] / (double)m->n[1] / ((double)m->ns[0] / (double)m->n[0]);
        total += v[n++][1] = (double)m->ns[0];
    }
    if (n)
        qsort(v, (size_t)n, sizeof *v, by_ratio);
    return n ? weighted_quantile((const double(*)[2])v, n, total, 0.5) : 1;
}

/* Most of a difference, and the same way. */
static bool is_most(double part, double diff)
{
    return part * diff > 0 && fabs(part) >= MOST * fabs(diff);
}

/* Of kernel times: what is left of the difference where all kernels moved alike. */
static struct noise_assumed assumed_of(const double ns[2], double factor,
                                       double chance_pct, const struct noise_floors *f)
{
    double diff = ns[1] - ns[0], own = diff - (factor - 1) * ns[0];
    bool shown = is_most(own, diff) && fabs(own) > f->device_pct / 100 * ns[0];
    return (struct noise_assumed){.floor_pct = f->device_pct,
                                  .chance_pct = shown ? 0 : chance_pct,
                                  .given = f->device_given,
                                  .shown = shown};
}

struct noise_assumed assumed_of_device(struct arena tmp, const struct comparison *c,
                                       const struct noise_floors *f)
{
    return assumed_of((double[]){(double)c->device_ns[0], (double)c->device_ns[1]},
                      factor_of_most(tmp, c, WORK_CATEGORIES), ALIKE_PCT, f);
}

struct noise_assumed assumed_of_class(struct arena tmp, const struct comparison *c,
                                      const struct compared_bar *b,
                                      const struct noise_floors *f)
{
    return assumed_of((double[]){(double)b->kernel_ns[0], (double)b->kernel_ns[1]},
                      factor_of_most(tmp, c, b->category), PART_CHANCE_PCT, f);
}

/* What the parts of wall time may hide of a difference, in % of it: the noise of device
 * work, and what waiting and exposed copies may vary by without a cause. */
static double hidden_pct(const double part[3][2], double wall_ns, double device_pct)
{
    double waiting = fmax(part[1][0], part[1][1]) + fmax(part[2][0], part[2][1]);
    return wall_ns > 0 ? device_pct + 100 * WAITING_FRAC * waiting / wall_ns
                       : (double)INFINITY;
}

struct noise_assumed assumed_of_wall(const struct comparison *c,
                                     const struct noise_floors *f)
{
    double part[3][2] = {{0}}, diff = (double)(c->window_ns[1] - c->window_ns[0]),
           shown = 0;
    for (int i = 0; i < c->n_bars; i++) {
        const struct compared_bar *b = &c->bars[i];
        int k = b->kind == BAR_CLASS ? 0 : b->kind == BAR_IDLE ? 1 : 2;
        for (int side = 0; side < 2; side++)
            part[k][side] += (double)b->ns[side];
    }
    if (verdict_is_difference(c->device.verdict) &&
        fabs(c->device.diff_pct) > c->device.chance_pct)
        shown += part[0][1] - part[0][0];
    for (int k = 1; k < 3; k++) {
        double more = part[k][1] - part[k][0];
        if (fabs(more) > WAITING_FRAC * fmax(part[k][0], part[k][1]))
            shown += more;
    }
    bool is_shown = is_most(shown, diff);
    double hidden =
        hidden_pct((const double(*)[2])part, (double)c->window_ns[0], f->device_pct);
    bool bounded = !f->wall_given && hidden < BOUNDED_FRAC * f->wall_pct;
    double floor = bounded ? hidden : f->wall_pct;
    double chance = fmin(WALL_SPREAD * f->wall_pct, ALIKE_PCT + WALL_SPREAD * floor);
    return (struct noise_assumed){.floor_pct = floor,
                                  .chance_pct = is_shown ? 0 : chance,
                                  .given = f->wall_given,
                                  .shown = is_shown,
                                  .bounded = bounded};
}
