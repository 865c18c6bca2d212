#include "analysis/analysis_run.h"

#include "analysis/stack/tree_index.h"
#include "analysis/system/system_analyse.h"
#include "ops/op_tables.h"
#include "ops/trace_view.h"
#include "whatif/schedule.h"

/* At the beginning of the scratch, whose pages the tables have touched; the far half is
 * scratch meanwhile. */
static struct schedule build_schedule(struct arena *tmp, const struct trace_view *v)
{
    struct arena to = *tmp, far = *tmp;
    to.end = far.at = tmp->at + (tmp->end - tmp->at) / 2;
    struct schedule o = schedule_build(&to, far, v);
    tmp->at = to.at;
    return o;
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
    struct schedule schedule = build_schedule(&tmp, t->view);
    a.replay = schedule.facts;
    analysis_rows(perm, tmp, &a, tree);
    system_analyse(perm, tmp, &a, tree, o.idle_threshold_pct);
    analysis_findings(perm, tmp, &a, patterns, &schedule);
    return a;
}
