/* Several devices of one process: what each does while the others work. */
#include "report/report_detail.h"
#include "report/report_parts.h"

#include "analysis/model/number_text.h"
#include "analysis/model/system_results.h"
#include "base/duration.h"
#include "ops/device_bins.h"
#include "ops/device_use.h"

#include <math.h>

static struct str range_pct(struct arena *a, const struct report_gpus *g)
{
    double low = (double)INFINITY, high = 0;
    for (int k = 0; k < g->n; k++) {
        low = fmin(low, g->list[k].idle_pct);
        high = fmax(high, g->list[k].idle_pct);
    }
    return high - low < 0.1 ? number_pct(a, high)
                            : say(a, "{} to {}", said(number_pct(a, low)),
                                  said(number_pct(a, high)));
}

static struct str headline(struct arena *a, const struct report_gpus *g,
                           const struct device_uses *d)
{
    const double MATTERS_PCT = 2; /* of the run; less is not what it is about */
    int busiest, behind = device_behind(d, &busiest);
    if (behind >= 0 &&
        g->list[behind].idle_pct - g->list[busiest].idle_pct < MATTERS_PCT)
        behind = -1;
    if (g->take_turns)
        return say(a, "{} GPUs take turns: each is idle for {}%.", said((int64_t)g->n),
                   said(range_pct(a, g)));
    if (behind >= 0)
        return say(
            a, "GPU {} waits {} for others: it is active for {}, GPU {} for {}.",
            said(g->list[behind].name), said(number_time(a, g->list[behind].waits_ms)),
            said(number_time(a, g->list[behind].busy_ms)), said(g->list[busiest].name),
            said(number_time(a, g->list[busiest].busy_ms)));
    return say(a, "{} GPUs share the work: each is idle for {}%.", said((int64_t)g->n),
               said(range_pct(a, g)));
}

/* Who would have to act, as the verdict has it; what it waits for by name is named. */
static struct str pool_words(struct arena *a, const struct idle_result *r,
                             enum idle_pool p)
{
    static const struct str words[IDLE_POOLS] = {
        [POOL_HOST] = S_INIT("waits for the host"),
        [POOL_INPUT] = S_INIT("waits for data"),
        [POOL_CALLS] = S_INIT("waits for synchronising or memory calls"),
        [POOL_ONCE] = S_INIT("waits for one-time set-up"),
        [POOL_QUEUED] = S_INIT("starts queued kernels late"),
        [POOL_GRAPH] = S_INIT("waits inside GPU graphs"),
        [POOL_HIDDEN] = S_INIT("may have work that is not recorded"),
        [POOL_UNKNOWN] = S_INIT("waits for work without a launch call"),
        [POOL_START] =
            S_INIT("waits for the first launches of the only step recorded")};
    if (p != POOL_PEER)
        return words[p];
    struct str peers = S("");
    for (int32_t k = 0; k < r->n_groups; k++)
        if (r->groups[k].class == IDLE_PEER)
            peers = say(a, "{}{}{}", said(peers), said(peers.n ? ", " : ""),
                        said(r->groups[k].blame));
    return say(a, "waits for {}", said(peers));
}

/* "waits for GPU 1 50.0%, for the host 1.2%": what is a hundredth of the time. */
static struct str why_idle(struct arena *a, const struct idle_result *r,
                           double total_ms)
{
    bool told[IDLE_POOLS] = {false};
    struct str why = S("");
    for (int n = 0; n < IDLE_POOLS; n++) {
        int most = -1;
        for (int p = 0; p < IDLE_POOLS; p++)
            if (!told[p] && (most < 0 || r->pool_ns[p] > r->pool_ns[most]))
                most = p;
        double pct = 100 * ms_of(r->pool_ns[most]) / total_ms;
        told[most] = true;
        if (pct < 1)
            break;
        why =
            say(a, "{}{}{} {}%", said(why), said(why.n ? ", " : ""),
                said(pool_words(a, r, (enum idle_pool)most)), said(number_pct(a, pct)));
    }
    return why;
}

/* What is known of each by its own idle time. */
static void judge(const struct report_source *from, struct arena tmp,
                  const int8_t *category, const struct report *r,
                  struct report_gpus *to)
{
    struct arena *a = from->perm;
    const struct system_results *s = report_system(r);
    double total_ms = r->timeline.total_ms;
    to->decides = s->n_devices == to->n ? s->decides : -1;
    for (int k = 0; k < to->n && to->decides >= 0; k++) {
        const struct device_idle *of = &s->devices[k];
        struct report_gpu *one = &to->list[k];
        one->computation_pct = 100 * ms_of(of->computation_ns) / total_ms;
        one->exposed_comm_pct = 100 * ms_of(of->exposed_comm_ns) / total_ms;
        one->exposed_memcpy_pct = 100 * ms_of(of->exposed_memcpy_ns) / total_ms;
        struct device_bins bins =
            device_bins_build(a, tmp, from->t->view, k, category, r->n_categories);
        one->over_time = bins.over_time;
        one->computed_ns = bins.computed_ns;
        one->idle = &of->idle;
        one->why = why_idle(a, &of->idle, total_ms);
    }
}

void report_gpus_fill(const struct report_source *s, struct arena tmp,
                      const int8_t *category, struct report *r)
{
    const struct device_uses *d = s->t->facts.devices;
    struct report_gpus *to = &r->gpus;
    if (!d || !d->n || !(r->timeline.total_ms > 0))
        return;
    *to = (struct report_gpus){.list = arena_new(s->perm, struct report_gpu, d->n),
                               .n = d->n,
                               .take_turns = devices_take_turns(d),
                               .one_ms = ms_of(d->at_once_ns[0]),
                               .several_ms = ms_of(d->busy_ns - d->at_once_ns[0]),
                               .turns = d->turns,
                               .n_copies = d->n_copies,
                               .copies_ms = ms_of(d->copies_ns),
                               .at_once =
                                   arena_new(s->perm, struct report_at_once, d->n)};
    for (int k = 0; k < d->n; k++) {
        const struct device_use *of = &d->of[k];
        double pct = 100 * ms_of(of->busy_ns) / r->timeline.total_ms;
        to->list[k] = (struct report_gpu){.name = str_head(of->name, 40),
                                          .busy_ms = ms_of(of->busy_ns),
                                          .busy_pct = pct,
                                          .idle_pct = 100 - pct,
                                          .alone_ms = ms_of(of->alone_ns),
                                          .waits_ms = ms_of(of->waits_ns),
                                          .n_events = of->n_events};
    }
    for (int k = 0; k < d->n; k++)
        to->at_once[k] = (struct report_at_once){k + 1, ms_of(d->at_once_ns[k])};
    judge(s, tmp, category, r, to);
    to->headline = headline(s->perm, to, d);
}

struct report_subject report_subject(const struct report *r)
{
    const struct report_timeline *t = &r->timeline;
    const struct report_gpus *g = &r->gpus;
    if (!g->n || g->decides < 0)
        return (struct report_subject){.computation_pct = t->computation_pct,
                                       .exposed_comm_pct = t->exposed_comm_pct,
                                       .exposed_memcpy_pct = t->exposed_memcpy_pct,
                                       .idle_pct = t->idle_pct,
                                       .idle_ms = t->idle_ms};
    const struct report_gpu *of = &g->list[g->decides];
    return (struct report_subject){
        of->name,
        of->computation_pct,
        of->exposed_comm_pct,
        of->exposed_memcpy_pct,
        of->idle_pct,
        ms_of(report_system(r)->devices[g->decides].idle_ns)};
}
