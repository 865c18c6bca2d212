#include "analysis/system/sharded_units.h"

#include "analysis/model/name_match.h"
#include "analysis/model/system_results.h"
#include "analysis/system/launched_within.h"
#include "base/duration.h"
#include "base/sort.h"
#include "ops/collective_table.h"

#include <math.h>

enum { LEAST_UNITS = 3, MOST_UNITS = 64 };

/* Of both generations of the wrapper. */
static const char *const hooks[] = {
    "fullyshardeddataparallel._pre_forward|fsdp::pre_forward",
    "fullyshardeddataparallel._post_forward|fsdp::post_forward",
    "fullyshardeddataparallel._pre_backward|fsdp::pre_backward",
    "fullyshardeddataparallel._post_backward|fsdp::post_backward"};
enum { HOOKS = sizeof hooks / sizeof *hooks };

/* Sizes of n calls in a row: whether four in five recur after so many. */
static bool repeats(const double *mib, int32_t n, int32_t period)
{
    int32_t same = 0;
    for (int32_t k = period; k < n; k++)
        same += mib[k] == mib[k - period];
    return 5 * same >= 4 * (n - period);
}

int32_t sharded_units_period(struct arena tmp, const struct trace_view *v,
                             const uint8_t *kind)
{
    struct sort_row *rows = arena_take_raw(&tmp, sizeof *rows, 8, v->n_counted);
    int32_t n = 0, period = 1;
    for (int32_t k = 0; k < v->n_counted; k++)
        if (kind[k] == COMM_ALL_GATHER && collective_in_mib(v, v->counted[k]) > 0)
            rows[n++] = (struct sort_row){v->s->start_ns[v->counted[k]], v->counted[k]};
    if (n < 4 * LEAST_UNITS || !named_spans_of(&tmp, v->s, CAT_ANNOTATION, hooks[0]).n)
        return 0;
    sort_rows(tmp, rows, n);
    double *mib = arena_take_raw(&tmp, sizeof *mib, 8, n);
    for (int32_t k = 0; k < n; k++)
        mib[k] = collective_in_mib(v, rows[k].row);
    while (period <= MOST_UNITS && 4 * period <= n && !repeats(mib, n, period))
        period++;
    bool found = period <= MOST_UNITS && 4 * period <= n;
    return found && period >= LEAST_UNITS ? period : 0;
}

/* All of one hook but the first of each round. */
static void add_hooks(struct arena *perm, struct arena tmp, const struct trace_view *v,
                      const char *names, int32_t period, struct loop_work *w)
{
    const struct event_store *s = v->s;
    struct named_spans x = named_spans_of(&tmp, s, CAT_ANNOTATION, names);
    int64_t until_ns = INT64_MIN; /* one may have parts that are annotated, too */
    for (int32_t k = 0, n = 0; k < x.n; k++) {
        event_id i = x.at[k];
        if (s->start_ns[i] < until_ns || n++ % period == 0)
            continue;
        until_ns = store_end_ns(s, i);
        arena_grow(perm, w->gone, w->n_gone);
        w->gone[w->n_gone++] = (struct host_span){s->lane[i], s->start_ns[i], until_ns};
        w->host_ms += ms_of(store_dur_ns(s, i));
    }
}

/* Messages that differ take longer by the rate of the link; the rest is latency, us. */
struct line {
    double small_mib, small_us, large_mib, large_us;
};

static double latency_us(const struct line *x)
{
    double us_per_mib = (x->large_us - x->small_us) / (x->large_mib - x->small_mib);
    return fmax(0, x->small_us - fmax(0, us_per_mib) * x->small_mib);
}

static void add_call(struct line *x, double mib, double us)
{
    bool smaller = x->small_us == 0 || mib < x->small_mib;
    bool larger = mib > x->large_mib;
    if (smaller || (mib == x->small_mib && us < x->small_us)) {
        x->small_mib = mib;
        x->small_us = us;
    }
    if (larger || (mib == x->large_mib && us < x->large_us)) {
        x->large_mib = mib;
        x->large_us = us;
    }
}

struct loop_work sharded_units_work(struct arena *perm, struct arena tmp,
                                    const struct trace_view *v, int32_t period)
{
    struct loop_work w = {0};
    struct line x = {0};
    for (int k = 0; k < HOOKS; k++)
        add_hooks(perm, tmp, v, hooks[k], period, &w);
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id gpu = v->counted[k];
        double mib = collective_in_mib(v, gpu), ms = ms_of(view_own_ns(v, gpu));
        if (view_class(v, gpu) != GPU_COMMUNICATION || !(mib > 0))
            continue;
        arena_grow(perm, w.gpu, w.n_gpu);
        w.gpu[w.n_gpu++] = gpu;
        w.device_ms += ms;
        if (collective_kind(v, gpu) == COLLECTIVE_ALL_GATHER)
            add_call(&x, mib, 1e3 * ms);
    }
    double merged = w.n_gpu * (1 - 1.0 / period);
    w.saved_most_ms = fmin(w.device_ms, merged * latency_us(&x) / 1e3);
    w.saved_least_ms = 0.8 * w.saved_most_ms;
    return w;
}
