#include "analysis/analysis_run.h"

#include "analysis/stack/tree_index.h"
#include "analysis/system/system_analyse.h"
#include "ops/op_tables.h"
#include "ops/trace_view.h"
#include "whatif/schedule.h"

/* Half of the scratch, for what lasts as long as the analysis. */
static struct arena half_of(struct arena *tmp)
{
    struct arena half = *tmp;
    half.end = tmp->at + (tmp->end - tmp->at) / 2;
    tmp->at = half.end;
    return half;
}

struct analysis analysis_run(struct arena *perm, struct arena tmp,
                             const struct op_tables *t, const struct tree_index *tree,
                             struct pattern_host *patterns, struct analysis_options o)
{
    const struct gpu_timeline *l = &t->view->timeline;
    struct analysis a = {.tables = t,
                         .patterns = patterns,
                         .no_system_impact = o.no_system_impact,
                         .total_ms = (double)view_total_ns(t->view) / 1e6,
                         .computation_ms = (double)l->computation_ns / 1e6,
                         .idle_ms = (double)view_idle_ns(t->view) / 1e6,
                         .exposed_comm_ms = (double)l->exposed_comm_ns / 1e6,
                         .exposed_memcpy_ms = (double)l->exposed_memcpy_ns / 1e6};
    struct arena run = half_of(&tmp);
    struct schedule schedule = schedule_build(&run, tmp, t->view);
    a.replay = schedule.facts;
    analysis_rows(perm, tmp, &a, tree);
    system_analyse(perm, tmp, &a, tree, o.idle_threshold_pct);
    analysis_findings(perm, tmp, &a, patterns, &schedule);
    return a;
}
