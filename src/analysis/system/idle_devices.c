/* Idle time of each of several devices: its own gaps, followed like those of all. */
#include "analysis/system/host_time.h"
#include "analysis/system/idle_peers.h"
#include "analysis/system/system_analyse.h"
#include "analysis/system/system_parts.h"
#include "base/duration.h"
#include "ops/device_view.h"

/* The union of what all but one do. */
static struct interval_set others_of(struct arena *a, const struct interval_set *busy,
                                     int n, int self)
{
    ptrdiff_t most = 0, at = 0;
    for (int k = 0; k < n; k++)
        most += k == self ? 0 : busy[k].n;
    struct span *spans = arena_take_raw(a, sizeof *spans, 8, most);
    for (int k = 0; k < n; k++)
        for (ptrdiff_t i = 0; k != self && i < busy[k].n; i++)
            spans[at++] = busy[k].spans[i];
    return interval_union(*a, spans, most);
}

static struct span hole_of(const struct trace_window *w)
{
    struct span none = {0, 0},
                hole = {w->artefact_from_ns, w->artefact_from_ns + w->artefact_ns};
    return w->artefact_ns ? hole : none;
}

static void follow_device(struct arena *perm, struct arena tmp,
                          const struct analysis *all, const struct host_time *host,
                          const struct trace_view *v, const struct idle_gaps *all_gaps,
                          const struct idle_peers *peers, struct device_idle *to)
{
    int64_t hole_ns = peers->hole.end_ns - peers->hole.start_ns;
    struct tree_index t = *host->t;
    struct host_time own = *host;
    struct analysis a = *all;
    own.t = &t;
    t.v = v;
    to->computation_ns = v->timeline.computation_ns;
    to->exposed_comm_ns = v->timeline.exposed_comm_ns;
    to->exposed_memcpy_ns = v->timeline.exposed_memcpy_ns;
    to->busy_ns = v->timeline.busy_ns;
    to->idle_ns = v->timeline.idle_ns - hole_ns;
    a.idle_ms = ms_of(to->idle_ns);
    idle_count(tmp, &a, v, &to->idle);
    struct idle_gaps gaps = idle_gaps_of_device(perm, tmp, &t, all_gaps, peers);
    to->gaps_ns = idle_gaps_ns(&gaps) - hole_ns;
    idle_analyse(perm, tmp, &a, &own, &gaps, &to->idle);
}

/* Of those that wait least for others the busiest: what it does and awaits is as long
 * as the run. Less than an eighth of the time makes no difference. */
static int that_decides(const struct trace_view *v, const struct system_results *r)
{
    int best = -1;
    int64_t least_ns = INT64_MAX;
    for (int k = 0; k < r->n_devices; k++)
        least_ns = sooner(least_ns, r->devices[k].idle.pool_ns[POOL_PEER]);
    for (int k = 0; k < r->n_devices; k++) {
        int64_t more_ns = r->devices[k].idle.pool_ns[POOL_PEER] - least_ns;
        if (more_ns <= view_total_ns(v) / 8 &&
            (best < 0 || r->devices[k].busy_ns > r->devices[best].busy_ns))
            best = k;
    }
    return best;
}

void system_idle_of_devices(struct arena *perm, struct arena tmp,
                            const struct analysis *a, const struct host_time *host,
                            const struct idle_gaps *all, struct system_results *r)
{
    const struct trace_view *v = host->t->v;
    const struct device_uses *d = v->devices;
    /* A first collective of seconds lies on one device: of another it is no gap. */
    if (!d->n || v->skew.ns || !(a->total_ms > 0))
        return;
    struct trace_view views[DEVICES_MOST];
    struct interval_set busy[DEVICES_MOST];
    struct str names[DEVICES_MOST];
    for (int k = 0; k < d->n; k++) {
        views[k] = device_view(perm, tmp, v, k);
        busy[k] = views[k].device.busy;
        names[k] = say(perm, "GPU {}", said(str_head(d->of[k].name, 40)));
    }
    r->devices = arena_new(perm, struct device_idle, d->n);
    const struct late_part *late = idle_late_find(&tmp, *perm, v, all);
    for (int k = 0; k < d->n; k++) {
        struct arena scratch = tmp;
        struct idle_peers peers = {names,
                                   busy,
                                   d->n,
                                   k,
                                   others_of(&scratch, busy, d->n, k),
                                   all,
                                   late,
                                   hole_of(&v->window)};
        follow_device(perm, scratch, a, host, &views[k], all, &peers, &r->devices[k]);
    }
    r->n_devices = d->n;
    r->decides = that_decides(v, r);
}
