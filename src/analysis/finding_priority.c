#include "analysis/finding_priority.h"

#include "analysis/model/number_text.h"
#include "base/arena.h"

#include <math.h>

enum priority priority_of_share(double run_pct)
{
    return run_pct >= 25  ? PRIORITY_CRITICAL
           : run_pct >= 5 ? PRIORITY_HIGH
           : run_pct >= 1 ? PRIORITY_MEDIUM
                          : PRIORITY_LOW;
}

/* Time a group needs at `target` percent of peak. */
static double time_at(double time_ms, double efficiency_pct, double target_pct)
{
    return target_pct > efficiency_pct ? time_ms * efficiency_pct / target_pct
                                       : time_ms;
}

struct impact_range impact_of_saving(double low_ms, double high_ms, double total_ms,
                                     struct str basis)
{
    struct impact_range r = {(double)NAN, (double)NAN, low_ms, high_ms, basis};
    if (total_ms > 0) {
        r.low_pct = 100 * low_ms / total_ms;
        r.high_pct = 100 * high_ms / total_ms;
    }
    return r;
}

static double raised(double target_pct, double efficiency_pct)
{
    return fmin(100, fmax(target_pct, efficiency_pct + 5));
}

struct impact_range impact_of_efficiency(struct arena *perm, double time_ms,
                                         double efficiency_pct, struct expectation x,
                                         double total_ms)
{
    double lo = raised(x.lo, efficiency_pct), hi = raised(x.hi, efficiency_pct);
    struct str lo_text = text_pct(perm, lo), hi_text = text_pct(perm, hi);
    struct str basis =
        say(perm, "from {}% of peak to {}", said_pct(efficiency_pct), said(lo_text));
    basis = str_eq(lo_text, hi_text) ? say(perm, "{}%", said(basis))
                                     : say(perm, "{}-{}%", said(basis), said(hi_text));
    return impact_of_saving(time_ms - time_at(time_ms, efficiency_pct, lo),
                            time_ms - time_at(time_ms, efficiency_pct, hi), total_ms,
                            basis);
}

static void insert_target(double *targets, int *n, double v)
{
    int at = *n;
    for (int i = 0; i < *n; i++)
        if (targets[i] == v)
            return;
    for (; at > 0 && targets[at - 1] > v; at--)
        targets[at] = targets[at - 1];
    targets[at] = v;
    (*n)++;
}

struct projection_row *projection_of(struct arena *perm, double time_ms,
                                     double efficiency_pct, struct expectation x,
                                     double total_ms, int *n)
{
    enum { MOST = 4 };
    const double wanted[] = {20, 50, 80, x.lo, x.hi};
    double targets[5];
    int n_targets = 0;
    *n = 0;
    if (isnan(efficiency_pct) || !(total_ms > 0) || !(time_ms > 0))
        return NULL;
    for (int i = 0; i < 5; i++)
        if (wanted[i] >= efficiency_pct + 5)
            insert_target(targets, &n_targets, wanted[i]);
    if (n_targets == 0)
        targets[n_targets++] = 100;
    struct projection_row *rows = arena_new(perm, struct projection_row, MOST);
    for (int i = 0; i < n_targets && *n < MOST; i++) {
        double at = time_at(time_ms, efficiency_pct, targets[i]);
        rows[(*n)++] =
            (struct projection_row){targets[i], at, 100 * (time_ms - at) / total_ms,
                                    100 * (time_ms - at) / time_ms};
    }
    return rows;
}
