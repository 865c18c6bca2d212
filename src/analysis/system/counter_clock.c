#include "analysis/system/counter_clock.h"

#include "analysis/system/like_work.h"
#include "base/sort.h"
#include "timeline/interval_set.h"

#include <math.h>

static const double HIGH = 0.9; /* of the time: at most at the high clock */
static const double LOW = 0.9;  /* of that clock: a tenth below */

/* By sample: how long kernels run while it holds. */
static int64_t *weights(struct arena *tmp, const struct counter_series *s,
                        const struct span *busy, ptrdiff_t n)
{
    int64_t *ns = arena_new(tmp, int64_t, s->n);
    ptrdiff_t k = 0;
    for (int32_t i = 0; i < s->n; i++) {
        int64_t from = s->at_ns[i], end = i + 1 < s->n ? s->at_ns[i + 1] : s->end_ns;
        while (k < n && busy[k].end_ns <= from)
            k++;
        for (ptrdiff_t j = k; j < n && busy[j].start_ns < end; j++) {
            const struct span *b = &busy[j];
            ns[i] += (b->end_ns < end ? b->end_ns : end) -
                     (b->start_ns > from ? b->start_ns : from);
        }
    }
    return ns;
}

static double high_of(struct arena tmp, const struct counter_series *s,
                      const int64_t *weight, int64_t all_ns)
{
    struct sort_row *order = arena_take_raw(&tmp, sizeof *order, 8, s->n);
    double passed = 0;
    for (int32_t i = 0; i < s->n; i++)
        order[i] = (struct sort_row){llround(1e3 * fmin(fmax(s->value[i], 0), 1e9)), i};
    sort_rows(tmp, order, s->n);
    for (int32_t i = 0; i < s->n; i++) {
        passed += (double)weight[order[i].row];
        if (passed >= HIGH * (double)all_ns)
            return s->value[order[i].row];
    }
    return (double)NAN;
}

/* Means of another counter while the clock is low, and while it is not. */
static void add_beside(const struct counter_row *r, const struct counter_series *clock,
                       const int64_t *weight, double limit, double *low, double *high)
{
    double sum[2] = {0, 0};
    int64_t ns[2] = {0, 0};
    *low = *high = (double)NAN;
    for (int32_t i = 0; r && i < clock->n; i++) {
        int64_t end = i + 1 < clock->n ? clock->at_ns[i + 1] : clock->end_ns, known_ns;
        bool is_low = clock->value[i] < limit;
        if (!weight[i])
            continue;
        sum[is_low] += counter_sum(&r->series, clock->at_ns[i], end, &known_ns);
        ns[is_low] += known_ns;
    }
    if (ns[true])
        *low = sum[true] / (double)ns[true];
    if (ns[false])
        *high = sum[false] / (double)ns[false];
}

/* Time of calls in the part where the clock is low, and what as many take elsewhere. */
struct compared {
    double low_us, usual_us;
};

static void compare_kind(struct compared *to, const struct counter_series *clock,
                         double limit, int64_t start_ns, const struct like_kind *kind)
{
    enum { FEWEST = 3 };
    double us[2] = {0, 0};
    int n[2] = {0, 0};
    for (int32_t i = 0; i < kind->n; i++) {
        int64_t at_ns = start_ns + llround(kind->calls[i].at_ms * 1e6), known_ns;
        double mhz = counter_sum(clock, at_ns, at_ns + 1, &known_ns);
        if (!known_ns || !(kind->calls[i].us > 0))
            continue;
        us[mhz < limit] += kind->calls[i].us;
        n[mhz < limit]++;
    }
    if (n[true] < FEWEST || n[false] < FEWEST)
        return;
    to->low_us += us[true];
    to->usual_us += us[false] / n[false] * n[true];
}

/* How many times as long the same work takes; NaN: none is in both parts. */
static double slower(struct arena tmp, const struct counter_series *clock, double limit,
                     const struct analysis *a, int64_t start_ns)
{
    struct compared sum = {0, 0};
    struct like_work w = like_work_find(&tmp, a);
    for (int32_t k = 0; k < w.n; k++)
        compare_kind(&sum, clock, limit, start_ns, &w.kinds[k]);
    return sum.usual_us > 0 ? sum.low_us / sum.usual_us : (double)NAN;
}

struct counter_clock counter_clock_of(struct arena tmp, const struct counters *c,
                                      const struct analysis *a, int64_t start_ns)
{
    const struct counter_row *r = c->main[COUNTER_CLOCK];
    double none = (double)NAN, sum = 0, unused;
    struct counter_clock o = {none,  none, none, none, none,
                              false, none, none, none, none};
    if (!r)
        return o;
    const struct counter_series *s = &r->series;
    int64_t *weight = weights(&tmp, s, c->busy, c->n_busy), all_ns = 0, low_ns = 0;
    for (int32_t i = 0; i < s->n; i++)
        all_ns += weight[i];
    if (!all_ns)
        return o;
    o.high_mhz = high_of(tmp, s, weight, all_ns);
    double limit = LOW * o.high_mhz;
    int32_t first_high = -1, last_low = -1;
    for (int32_t i = 0; i < s->n; i++) {
        if (!weight[i])
            continue;
        if (s->value[i] >= limit) {
            first_high = first_high < 0 ? i : first_high;
            continue;
        }
        int64_t end = i + 1 < s->n ? s->at_ns[i + 1] : s->end_ns;
        last_low = i;
        low_ns += weight[i];
        sum += s->value[i] * (double)weight[i];
        if (isnan(o.from_ms))
            o.from_ms = fmax(0, (double)(s->at_ns[i] - start_ns) / 1e6);
        o.to_ms = (double)(end - start_ns) / 1e6;
    }
    o.low_pct = 100.0 * (double)low_ns / (double)all_ns;
    o.low_mhz = low_ns ? sum / (double)low_ns : none;
    o.rises = low_ns && first_high > last_low;
    add_beside(c->main[COUNTER_POWER], s, weight, limit, &o.low_w, &o.high_w);
    add_beside(c->main[COUNTER_TEMPERATURE], s, weight, limit, &o.low_c, &unused);
    o.slower = low_ns ? slower(tmp, s, limit, a, start_ns) : none;
    return o;
}
