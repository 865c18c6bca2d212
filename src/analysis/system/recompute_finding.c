#include "analysis/system/recompute_finding.h"

#include "analysis/lua/pattern_host.h"
#include "analysis/model/number_text.h"
#include "analysis/model/work_facts.h"
#include "analysis/stack/memory_peak.h"
#include "analysis/system/memory_finding.h"
#include "analysis/system/system_advice.h"
#include "analysis/system/system_parts.h"
#include "base/duration.h"

double recompute_ms(const struct analysis *a)
{
    const struct trace_view *v = a->tables->view;
    int64_t ns = 0;
    for (int32_t k = 0; a->recomputed && k < v->n_counted; k++) {
        event_id call = launch_call(&v->launch, v->counted[k]);
        ns += call >= 0 && a->recomputed[call] ? view_own_ns(v, v->counted[k]) : 0;
    }
    return ms_of(ns);
}

static double gib(double bytes)
{
    return number_rounded(bytes / (double)(1 << 30), 2);
}

void recompute_finding(struct arena *perm, struct analysis *a)
{
    double ms = recompute_ms(a);
    int n;
    if (!a->patterns || !(ms > 0))
        return;
    double device = trace_device(a->tables->facts.machine).bytes;
    double held = a->memory && a->memory->reserved_most > 0
                      ? (double)a->memory->reserved_most
                      : 0;
    const struct work_fact facts[] = {
        FACT("again_ms", ms), FACT("share_pct", pct_of(ms, a->total_ms)),
        FACT("free_pct", memory_free_pct(a)), FACT("reserved_gib", gib(held)),
        FACT("device_gib", gib(device))};
    const struct pattern_hit *hits =
        pattern_host_about(a->patterns, perm, a, S("recompute"), facts,
                           (int)(sizeof facts / sizeof *facts), &n);
    if (n == 0)
        return;
    struct finding *to = advised_finding(perm, a, hits, n, S("recomputation"), ms);
    to->impact = to->impact_kernel = impact_of_ms(
        a, 0, ms, S("from none to all of the recomputation, as memory allows"));
}
