#include "analysis/system/recompute_finding.h"

#include "analysis/lua/pattern_host.h"
#include "analysis/model/number_text.h"
#include "analysis/model/work_facts.h"
#include "analysis/stack/memory_peak.h"
#include "analysis/system/memory_finding.h"
#include "analysis/system/system_advice.h"
#include "analysis/system/system_parts.h"
#include "base/duration.h"
#include "kernels/kernel_name.h"

/* Work that is not cheap to compute again. */
static bool is_dear(struct str kernel)
{
    enum kernel_label l = kernel_label_of(kernel);
    return kernel_label_is_matrix(l) || l == KERNEL_ATTENTION ||
           l == KERNEL_CONVOLUTION;
}

struct recomputed_work recompute_work(struct arena tmp, const struct analysis *a)
{
    const struct trace_view *v = a->tables->view;
    struct recomputed_work w = {0};
    uint8_t *known = /* by name: 1 cheap, 2 dear */
        a->recomputed ? arena_new(&tmp, uint8_t, v->s->names.n + 1) : NULL;
    for (int32_t k = 0; known && k < v->n_counted; k++) {
        event_id gpu = v->counted[k], call = launch_call(&v->launch, gpu);
        if (call < 0 || !a->recomputed[call])
            continue;
        uint8_t *kind = &known[v->s->name[gpu] + 1]; /* -1: it has none */
        if (!*kind)
            *kind = is_dear(store_name(v->s, gpu)) ? 2 : 1;
        double ms = ms_of(view_own_ns(v, gpu));
        w.ms += ms;
        w.dear_ms += *kind == 2 ? ms : 0;
    }
    return w;
}

static double gib(double bytes)
{
    return number_rounded(bytes / (double)(1 << 30), 2);
}

void recompute_finding(struct arena *perm, struct arena tmp, struct analysis *a)
{
    struct recomputed_work w = recompute_work(tmp, a);
    double ms = w.ms;
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
        a, w.dear_ms, ms,
        S("from the matmuls and attention of the recomputation to all of it, as memory "
          "allows"));
}
