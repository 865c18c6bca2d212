#include "analysis/system/system_analyse.h"
#include "analysis/system/autotune_finding.h"
#include "analysis/system/host_time.h"

/* The three analysers of the system tier, one after the other. One whose figures
 * contradict the timeline is marked, named in the warnings, and gives no finding. */
#include "analysis/model/number_text.h"
#include "analysis/stack/memory_peak.h"
#include "analysis/stack/recomputed.h"
#include "analysis/system/checkpoint_frames.h"
#include "analysis/system/counters_finding.h"
#include "analysis/system/devices_finding.h"
#include "analysis/system/fill_finding.h"
#include "analysis/system/graph_breaks.h"
#include "analysis/system/loop_findings.h"
#include "analysis/system/memory_finding.h"
#include "analysis/system/module_passes.h"
#include "analysis/system/optimizer_kernels.h"
#include "analysis/system/pace.h"
#include "analysis/system/recompute_finding.h"
#include "analysis/system/stream_turns.h"
#include "analysis/system/sync_norm_finding.h"
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
static void check_idle(struct arena *perm, struct analysis *a, int64_t gaps_ns,
                       int64_t idle_ns, struct idle_result *r)
{
    int64_t classes_ns = 0, groups_ns = 0;
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

static void check_devices(struct arena *perm, struct analysis *a,
                          struct system_results *r)
{
    for (int k = 0; k < r->n_devices; k++)
        check_idle(perm, a, r->devices[k].gaps_ns, r->devices[k].idle_ns,
                   &r->devices[k].idle);
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
                   "{} µs of communication of which {} µs are hidden do not leave {} "
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
    struct idle_result *idle = r->n_devices ? &r->devices[r->decides].idle : &r->idle;
    a->recomputed = recomputed_calls(perm, tmp, tree);
    a->counters = counters_of(perm, tmp, tree->v);
    check_idle(perm, a, idle_gaps_ns(gaps), view_idle_ns(tree->v), &r->idle);
    check_devices(perm, a, r);
    multi_kernel_analyse(perm, tmp, a, tree, gaps, &r->multi_kernel);
    check_multi_kernel(perm, a, &tree->v->timeline, &r->multi_kernel);

    if (r->n_devices)
        idle->device = str_head(tree->v->devices->of[r->decides].name, 40);
    idle_findings(perm, a, tree, idle, idle_threshold_pct);
    graph_breaks_join(perm, tmp, a, tree);
    multi_kernel_findings(perm, tmp, a, tree, &r->multi_kernel);
    checkpoint_finding(perm, a, tree);
    sync_norm_finding(perm, tmp, a, tree);
    devices_finding(perm, tmp, a, tree);
    stream_turns_finding(perm, tmp, a);
    pace_finding(perm, tmp, a);
    fill_finding(perm, a);
    memory_finding(perm, a);
    counters_finding(perm, tmp, a);
    recompute_finding(perm, tmp, a);
    zeroed_gradients_finding(perm, tmp, a);
    autotune_finding(perm, tmp, a);
    module_passes_findings(perm, tmp, a, tree);
    loop_findings(perm, tmp, a, tree);
    fusion_findings(perm, a, &r->fusion);
    optimizer_loop_finding(perm, tmp, a);
    optimizer_claim_kernels(perm, tmp, a);
    if (a->no_system_impact)
        idle->potential_speedup = idle->recoverable_low_ms = idle->recoverable_high_ms =
            (double)NAN;
}
