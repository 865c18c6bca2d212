#include "analysis/system/autotune_finding.h"

#include "analysis/lua/pattern_host.h"
#include "analysis/model/number_text.h"
#include "analysis/model/work_facts.h"
#include "analysis/system/system_advice.h"
#include "analysis/system/system_parts.h"
#include "ops/op_tables.h"

struct launched autotune_kernels_find(struct arena *a, const struct trace_view *v)
{
    return launched_within(a, v, CAT_PYTHON,
                           "do_bench|benchmark_gpu|benchmark_all_configs", true);
}

/* Its kernels run in more than one step. */
static bool recurs(const struct analysis *a, const struct launched *k)
{
    const struct trace_steps *steps = &a->tables->facts.steps;
    const struct event_store *s = a->tables->view->s;
    int32_t first = trace_step_at(steps, s->start_ns[k->at[0]]);
    for (int32_t i = 1; i < k->n; i++)
        if (trace_step_at(steps, s->start_ns[k->at[i]]) != first)
            return true;
    return false;
}

void autotune_finding(struct arena *perm, struct arena tmp, struct analysis *a)
{
    const struct trace_view *v = a->tables->view;
    if (!a->patterns || !v)
        return;
    struct launched k = autotune_kernels_find(&tmp, v);
    if (!k.n)
        return;
    double ms = (double)k.total_ns / 1e6;
    bool again = recurs(a, &k);
    const struct work_fact facts[] = {FACT("runs", k.n), FACT("runs_ms", ms),
                                      FACT("share_pct", pct_of(ms, a->total_ms)),
                                      FACT("recurs", again)};
    int n = 0;
    const struct pattern_hit *hits =
        pattern_host_about(a->patterns, perm, a, S("autotune"), facts,
                           (int)(sizeof facts / sizeof *facts), &n);
    if (!n)
        return;
    struct finding *f = advised_finding(perm, a, hits, n, S("autotuner"), ms);
    f->about = ABOUT_AUTOTUNE;
    f->confidence = CONFIDENCE_HIGH;
    f->count = k.n;
    f->whole_ms = ms;
    f->recording = !again;
    f->impact = f->impact_kernel =
        again ? impact_of_ms(a, 0.95 * ms, ms, S("the benchmark's kernels are gone"))
              : impact_of_ms(a, 0, 0, S("warm steps do not have this time"));
}
