#include "analysis/system/devices_finding.h"

#include "analysis/lua/pattern_host.h"
#include "analysis/model/number_text.h"
#include "analysis/model/work_facts.h"
#include "analysis/system/device_ahead.h"
#include "analysis/system/host_name.h"
#include "analysis/system/system_advice.h"
#include "analysis/system/system_parts.h"
#include "base/duration.h"
#include "ops/op_tables.h"
#include "ops/trace_view.h"

#include <math.h>

static const double LEAST_PCT = 5, /* of the run */
    LEAST_FRAC = 0.8;              /* of collectives: overlapped at least */

static struct str number_of(const struct device_use *d)
{
    return str_head(d->name, 40);
}

/* At best all work all the time: what the busiest, or an equal share, leaves. */
static double room_ms(const struct device_uses *d, bool turns, int behind, int busiest)
{
    int64_t work_ns = 0;
    for (int k = 0; k < d->n; k++)
        work_ns += d->of[k].busy_ns;
    double even_ms = ms_of(work_ns) / d->n;
    return turns ? ms_of(d->busy_ns) - even_ms
                 : ms_of(d->of[busiest].busy_ns - d->of[behind].busy_ns) / 2;
}

/* Without what DataParallel moves while nothing is computed, an equal share of the
 * rest. */
static double replicas_room_ms(const struct device_uses *d, double moves_ms, int behind,
                               int busiest)
{
    double rest_ms =
        ms_of(d->of[busiest].busy_ns) - moves_ms - ms_of(d->of[behind].busy_ns);
    return moves_ms + fmax(0, rest_ms / 2);
}

static void idle_pcts(const struct device_uses *d, double total_ms, double pct[2])
{
    for (int k = 0; k < d->n; k++) {
        double idle = 100 - pct_of(ms_of(d->of[k].busy_ns), total_ms);
        pct[0] = k ? fmin(pct[0], idle) : idle;
        pct[1] = k ? fmax(pct[1], idle) : idle;
    }
}

/* Of devices that copies leave alone, the one that only a wait of the host holds up. */
static struct device_ahead ahead_of(struct arena tmp, const struct analysis *a)
{
    struct device_ahead x =
        device_ahead_of(tmp, a->tables->view, a->tables->traits.training);
    if (pct_of(ms_of(x.saved_ns), a->total_ms) < LEAST_PCT)
        x.device = -1;
    return x;
}

/* The operator that waits: `aten::item`. */
static struct str wait_name(struct arena *perm, const struct tree_index *t,
                            event_id wait)
{
    return wait < 0
               ? S("")
               : host_name_of(perm, store_name(t->v->s, launched_operation(t, wait)))
                     .name;
}

static struct impact_range devices_impact(const struct analysis *a, double moves_ms,
                                          double room_ms, bool copies_model, bool ahead)
{
    if (ahead)
        return impact_of_ms(a, LEAST_FRAC * room_ms, room_ms,
                            S("80% to all of the work that would run beside the other "
                              "GPU"));
    return impact_of_ms(a, LEAST_FRAC * moves_ms, room_ms,
                        copies_model
                            ? S("from 80% of the exposed collectives to all of them, "
                                "with equal work on all GPUs")
                            : S("up to what equal work on all GPUs at once saves"));
}

void devices_finding(struct arena *perm, struct arena tmp, struct analysis *a,
                     const struct tree_index *tree)
{
    const struct device_uses *d = a->tables->view ? a->tables->view->devices : NULL;
    int busiest = 0, behind = d ? device_behind(d, &busiest) : -1, n;
    bool turns = d && devices_take_turns(d);
    bool copies_model = d && d->data_parallel;
    if (!a->patterns || !(a->total_ms > 0) || (!turns && behind < 0 && !copies_model))
        return;
    behind = behind < 0 ? (busiest ? 0 : 1) : behind;
    double moves = copies_model ? a->exposed_comm_ms : 0, idle[2] = {0, 0};
    double room = copies_model ? replicas_room_ms(d, moves, behind, busiest)
                               : room_ms(d, turns, behind, busiest);
    if (pct_of(room, a->total_ms) < LEAST_PCT)
        return;
    struct device_ahead ahead = ahead_of(tmp, a);
    bool is_ahead = ahead.device >= 0;
    if (is_ahead)
        room = ms_of(ahead.saved_ns);
    idle_pcts(d, a->total_ms, idle);
    const struct work_fact facts[] = {
        FACT("take_turns", turns),
        FACT("devices", (double)d->n),
        FACT("turns", (double)d->turns),
        FACT("idle_low_pct", idle[0]),
        FACT("idle_high_pct", idle[1]),
        FACT("one_ms", ms_of(d->at_once_ns[0])),
        FACT("copies", (double)d->n_copies),
        FACT("copies_ms", ms_of(d->copies_ns)),
        FACT("behind", number_of(&d->of[behind])),
        FACT("busiest", number_of(&d->of[busiest])),
        FACT("behind_ms", ms_of(d->of[behind].busy_ns)),
        FACT("busiest_ms", ms_of(d->of[busiest].busy_ns)),
        FACT("data_parallel", copies_model),
        FACT("ahead_ms", is_ahead ? room : 0),
        FACT("ahead", is_ahead ? number_of(&d->of[ahead.device]) : S("")),
        FACT("ahead_wait", wait_name(perm, tree, ahead.wait)),
        FACT("ahead_waits", (double)ahead.waits),
        FACT("exposed_ms", moves),
        FACT("exposed_pct", pct_of(moves, a->total_ms)),
        FACT("waits_ms", ms_of(d->of[behind].waits_ns))};
    const struct pattern_hit *hits =
        pattern_host_about(a->patterns, perm, a, S("devices"), facts,
                           (int)(sizeof facts / sizeof *facts), &n);
    if (n == 0)
        return;
    struct finding *f = advised_finding(perm, a, hits, n, S("devices"), room);
    f->count = d->n;
    f->impact = f->impact_kernel =
        devices_impact(a, moves, room, copies_model, is_ahead);
    for (int k = 0; k < d->n; k++)
        evidence(perm, f, "GPU {} works for {} ms, {} ms of that alone.",
                 said(number_of(&d->of[k])), said_ms(ms_of(d->of[k].busy_ns)),
                 said_ms(ms_of(d->of[k].alone_ns)));
}
