#include "analysis/analysis_run.h"

#include "analysis/stack/tree_index.h"
#include "analysis/system/system_analyse.h"
#include "ops/op_tables.h"

struct analysis analysis_run(struct arena *perm, struct arena tmp,
                             const struct op_tables *t, const struct tree_index *tree,
                             struct pattern_host *patterns, struct analysis_options o)
{
    const struct gpu_timeline *l = &t->view->timeline;
    struct analysis a = {.tables = t,
                         .patterns = patterns,
                         .no_system_impact = o.no_system_impact,
                         .total_ms = (double)l->total_ns / 1e6,
                         .computation_ms = (double)l->computation_ns / 1e6,
                         .idle_ms = (double)l->idle_ns / 1e6,
                         .exposed_comm_ms = (double)l->exposed_comm_ns / 1e6,
                         .exposed_memcpy_ms = (double)l->exposed_memcpy_ns / 1e6};
    analysis_rows(perm, tmp, &a, tree);
    system_analyse(perm, tmp, &a, tree, o.idle_threshold_pct);
    analysis_findings(perm, tmp, &a, patterns);
    return a;
}
