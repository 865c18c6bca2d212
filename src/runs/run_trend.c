#include "runs/run_trend.h"

#include "compare/judgement.h"

#include <math.h>

static const double LEAST_SHARE = 0.005;

/* What a run is held against: the known values from..to but those that were odd. */
struct history {
    double at[TREND_HISTORY];
    int n;
    double median;
};

static struct history history_of(const double *values, const bool *odd, int from,
                                 int to)
{
    struct history h = {.n = 0};
    for (int i = to; i-- > from && h.n < TREND_HISTORY;)
        if (isfinite(values[i]) && !odd[i])
            h.at[h.n++] = values[i];
    h.median = median_of(h.at, h.n); /* and in order */
    return h;
}

/* The noise of a single capture, or of time on the clock that was measured often
 * enough: half the range of what was seen. */
static double floor_of(const struct history *h, enum trend_kind kind)
{
    const struct noise_floors f = NOISE_FLOORS;
    bool enough = h->n >= TREND_ENOUGH;
    double pct = kind == TREND_ROW ? f.row_pct : f.device_pct;
    double least = fabs(h->median) * pct / 100;
    if (kind != TREND_WALL)
        return least;
    double seen =
        enough ? (h->at[h->n - 1] - h->at[0]) / 2 : fabs(h->median) * f.wall_pct / 100;
    return seen > least ? seen : least;
}

static double half_band(const struct history *h, enum trend_kind kind)
{
    double away[TREND_HISTORY], half = floor_of(h, kind);
    if (h->n < TREND_ENOUGH)
        return half;
    for (int i = 0; i < h->n; i++)
        away[i] = fabs(h->at[i] - h->median);
    double scatter = 4 * 1.4826 * median_of(away, h->n) * sqrt(1 + 1.0 / h->n);
    return scatter > half ? scatter : half;
}

static struct trend_point judge_one(double value, const struct history *h, double whole,
                                    enum trend_kind kind)
{
    const double NONE = (double)NAN;
    struct trend_point p = {value, NONE, NONE, NONE, false};
    if (!h->n || !isfinite(value))
        return p;
    double half = half_band(h, kind), by = fabs(value - h->median);
    p.low = h->median - half;
    p.high = h->median + half;
    p.diff_pct = h->median != 0 ? 100 * (value - h->median) / h->median : NONE;
    p.changed = by > half && by > LEAST_SHARE * whole;
    return p;
}

/* What is new is what the next are held against once a second run is like it; until
 * then it may have been that one run. */
struct trend_point *trend_of(struct arena *perm, const double *values,
                             const double *whole, int n, enum trend_kind kind)
{
    struct trend_point *points = arena_new(perm, struct trend_point, n);
    bool *odd = arena_new(perm, bool, n);
    int from = 0;
    for (int i = 0; i < n; i++) {
        struct history before = history_of(values, odd, from, i);
        points[i] = judge_one(values[i], &before, whole[i], kind);
        if (points[i].changed && i > 0 && odd[i - 1] &&
            (points[i].diff_pct > 0) == (points[i - 1].diff_pct > 0)) {
            from = i - 1;
            odd[from] = false;
            before = history_of(values, odd, from, i);
            points[i] = judge_one(values[i], &before, whole[i], kind);
        }
        odd[i] = points[i].changed;
    }
    return points;
}
