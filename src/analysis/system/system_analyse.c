#include "analysis/system/system_analyse.h"
#include "analysis/system/host_time.h"

/* The three analysers of the system tier, one after the other. One whose figures
 * contradict the timeline is marked, named in the warnings, and gives no finding. */
#include "analysis/model/number_text.h"
#include "analysis/system/pace.h"
#include "analysis/system/system_parts.h"

#include <math.h>

static void failed(struct arena *perm, struct analysis *a, enum work_category c,
                   enum analyser_status *status, struct str *error, struct str text)
{
    *status = ANALYSER_ERROR;
    *error = text;
    analysis_warn(perm, a, (struct warning){work_category_name(c), text, true, false});
}

/* Gaps and idle time are computed from the same events in different ways. */
static void check_idle(struct arena *perm, struct analysis *a,
                       const struct idle_gaps *g, int64_t idle_ns,
                       struct idle_result *r)
{
    int64_t gaps_ns = 0, classes_ns = 0, groups_ns = 0;
    for (int32_t k = 0; k < g->n; k++)
        gaps_ns += g->rows[k].dur_ns;
    for (int c = 0; c < IDLE_CLASSES; c++)
        classes_ns += r->class_ns[c];
    for (int32_t k = 0; k < r->n_groups; k++)
        groups_ns += r->groups[k].total_ns;
    if (r->status == ANALYSER_OK && gaps_ns != idle_ns)
        failed(perm, a, WORK_CPU_IDLE, &r->status, &r->error,
               say(perm, "the gaps add up to {} ns, idle time is {} ns (check_idle)",
                   said(gaps_ns), said(idle_ns)));
    if (r->status == ANALYSER_OK && (classes_ns != idle_ns || groups_ns != idle_ns))
        failed(perm, a, WORK_CPU_IDLE, &r->status, &r->error,
               say(perm,
                   "classes add up to {} ns, groups to {} ns, idle time is {} ns "
                   "(check_idle)",
                   said(classes_ns), said(groups_ns), said(idle_ns)));
}

static void check_multi_kernel(struct arena *perm, struct analysis *a,
                               const struct gpu_timeline *l,
                               struct multi_kernel_result *r)
{
    double comm_us = r->overlap_us[GPU_COMMUNICATION][GPU_COMMUNICATION];
    double hidden_us = r->overlap_us[GPU_COMMUNICATION][GPU_COMPUTE];
    double exposed_us = (double)l->exposed_comm_ns / 1e3;
    if (r->status == ANALYSER_OK && fabs(comm_us - hidden_us - exposed_us) > 0.01)
        failed(perm, a, WORK_MULTI_KERNEL, &r->status, &r->error,
               say(perm,
                   "{} us of communication of which {} us are hidden do not leave {} "
                   "us (check_multi_kernel)",
                   said_fixed(comm_us, 2), said_fixed(hidden_us, 2),
                   said_fixed(exposed_us, 2)));
}

struct idle_gaps system_idle(struct arena *perm, struct arena tmp,
                             const struct analysis *a, struct host_time *host,
                             struct idle_result *r)
{
    struct idle_gaps gaps = idle_gaps_find(perm, tmp, host->t);
    idle_analyse(perm, tmp, a, host, &gaps, r);
    return gaps;
}

void system_beside_idle(struct arena *perm, struct arena tmp, struct analysis *a,
                        const struct tree_index *tree, struct system_results *r)
{
    idle_count(tmp, a, tree->v, &r->idle);
    fusion_analyse(perm, tmp, a, tree, &r->fusion);
}

void system_analyse(struct arena *perm, struct arena tmp, struct analysis *a,
                    struct system_results *r, const struct tree_index *tree,
                    const struct idle_gaps *gaps, double idle_threshold_pct)
{
    check_idle(perm, a, gaps, view_idle_ns(tree->v), &r->idle);
    multi_kernel_analyse(perm, tmp, a, tree, gaps, &r->multi_kernel);
    check_multi_kernel(perm, a, &tree->v->timeline, &r->multi_kernel);

    idle_findings(perm, a, tree, &r->idle, idle_threshold_pct);
    multi_kernel_findings(perm, a, &r->multi_kernel);
    pace_finding(perm, tmp, a);
    fusion_findings(perm, a, &r->fusion);
    if (a->no_system_impact)
        r->idle.potential_speedup = r->idle.recoverable_low_ms =
            r->idle.recoverable_high_ms = (double)NAN;
}
