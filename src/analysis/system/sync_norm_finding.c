#include "analysis/system/sync_norm_finding.h"

#include "analysis/lua/pattern_host.h"
#include "analysis/model/number_text.h"
#include "analysis/model/system_results.h"
#include "analysis/model/work_facts.h"
#include "analysis/system/sync_norm.h"
#include "analysis/system/system_advice.h"
#include "base/duration.h"

struct sharing {
    struct loop_work work;
    int32_t copies; /* to the host */
    bool leads;     /* most of the exposed communication is of it */
};

static bool waits_inside(const struct finding *f, const struct loop_work *w)
{
    const double MOST = 0.8;
    const struct idle_group *g = f->idle;
    return g && g->class == IDLE_SYNC && g->n_waits &&
           loop_work_waits(w, g) >= MOST * g->n_waits;
}

static bool is_of_it(const struct finding *f, const struct sharing *x)
{
    bool communicates = str_eq(f->pattern, S("nccl_blocking_compute")) ||
                        str_eq(f->pattern, S("poor_comm_compute_overlap"));
    return (communicates && x->leads) || waits_inside(f, &x->work) ||
           (f->copies == 1u << COPY_D2H && 2 * (int64_t)x->copies >= f->count);
}

static double idle_ms_of(const struct analysis *a, const struct sharing *x)
{
    double ms = 0;
    for (int k = 0; k < a->n_findings; k++)
        if (waits_inside(&a->findings[k], &x->work))
            ms += ms_of(a->findings[k].idle->total_ns);
    return ms;
}

static void drop_told(struct analysis *a, const struct sharing *x)
{
    int n = 0;
    for (int k = 0; k < a->n_findings; k++)
        if (!is_of_it(&a->findings[k], x))
            a->findings[n++] = a->findings[k];
    a->n_findings = n;
}

void sync_norm_finding(struct arena *perm, struct arena tmp, struct analysis *a,
                       const struct tree_index *t)
{
    const struct sync_norm *norm = &a->system->multi_kernel.sync_norm;
    struct sharing x;
    if (!a->patterns || !t->v || !norm->count)
        return;
    x.work = sync_norm_work(perm, tmp, a, t->v, &x.copies);
    x.leads = norm->exposed_us / 1e3 > 0.5 * a->exposed_comm_ms;
    double exposed_ms = norm->exposed_us / 1e3, idle_ms = idle_ms_of(a, &x);
    int n = 0;
    const struct work_fact facts[] = {
        FACT("norm_count", (double)norm->count),
        FACT("norm_samples", (double)norm->samples),
        FACT("norm_exposed_ms", exposed_ms),
        FACT("norm_waits", (double)x.copies),
        FACT("norm_idle_ms", idle_ms),
        FACT("norm_kernels", (double)x.work.n_gpu),
        FACT("share_pct", pct_of(exposed_ms + idle_ms, a->total_ms))};
    const struct pattern_hit *hits =
        pattern_host_about(a->patterns, perm, a, S("norms"), facts,
                           (int)(sizeof facts / sizeof *facts), &n);
    if (!n || !x.work.n_gone)
        return;
    drop_told(a, &x);
    struct finding *f =
        advised_finding(perm, a, hits, n, S("normalisation"), exposed_ms + idle_ms);
    f->count = norm->count;
    f->confidence = CONFIDENCE_HIGH;
    finding_ends_loops(
        f, a, &x.work,
        S("the host's calls between gathering statistics and normalising, "
          "and what they launch, of collectives 80% to all"));
}
