#include "report/report_system.h"

#include "analysis/system_results.h"
#include "base/arena.h"
#include "base/out.h"

#include <math.h>

enum report_status report_status_of(enum analyser_status s)
{
    return s == ANALYSER_OK ? REPORT_OK
                            : (s == ANALYSER_ERROR ? REPORT_ERROR : REPORT_NO_DATA);
}

/* Severity that says what it rates where there is none to speak of. */
static struct str rated(enum severity s, struct str none)
{
    return s == SEVERITY_NONE ? none : severity_word(s);
}

static struct report_pattern *patterns_of(struct arena *perm,
                                          const struct system_pattern *from, int n)
{
    struct report_pattern *to = arena_new(perm, struct report_pattern, n);
    for (int i = 0; i < n; i++)
        to[i] =
            (struct report_pattern){from[i].name, severity_word(from[i].severity),
                                    from[i].evidence, from[i].impact, from[i].solution};
    return to;
}

static struct report_share *shares_of(struct arena *perm, const struct op_share *from,
                                      int n)
{
    struct report_share *to = arena_new(perm, struct report_share, n);
    for (int i = 0; i < n; i++)
        to[i] = (struct report_share){from[i].name, from[i].caller, from[i].count,
                                      from[i].total_us};
    return to;
}

/* ---- idle time ------------------------------------------------------------------- */

static void fill_causes(struct arena *perm, const struct analysis *a,
                        const struct idle_result *from, struct report_idle *to)
{
    static const char *const labels[IDLE_CAUSES] = {
        [IDLE_SYNC] = "the host waited for the device, then launched again",
        [IDLE_COPY] = "a blocking memory copy held the host",
        [IDLE_HOST] = "the host launched the next kernel too late",
        [IDLE_CALL] = "a launch call itself took 0.1 ms or more",
        [IDLE_DEVICE] = "launched in time, started late",
        [IDLE_UNKNOWN] = "no launch call is recorded"};
    if (!from->host_known)
        return;
    to->causes = arena_new(perm, struct report_idle_cause, IDLE_CAUSES);
    for (int i = 0; i < IDLE_CAUSES; i++) {
        const struct idle_cause_total *c = &from->causes[i];
        if (c->count == 0)
            continue;
        struct report_idle_cause row = {str_of(labels[i]), c->count, c->total_us / 1e3,
                                        a->idle_ms > 0 ? c->total_us / 10 / a->idle_ms
                                                       : 0};
        int at = to->n_causes++;
        for (; at > 0 && to->causes[at - 1].total_ms < row.total_ms; at--)
            to->causes[at] = to->causes[at - 1];
        to->causes[at] = row;
    }
}

static void fill_idle(struct arena *perm, const struct analysis *a,
                      const struct idle_result *from, struct report_idle *to)
{
    *to = (struct report_idle){
        .status = report_status_of(from->status),
        .error = from->error,
        .severity = rated(from->severity, S("ACCEPTABLE")),
        .kernel_count = from->kernel_count,
        .short_kernel_count = from->short_kernel_count,
        .gap_count = from->gap_count,
        .sync_point_count = from->sync_point_count,
        .stream_count = from->stream_count,
        .graph_launch_count = from->graph_launch_count,
        .avg_kernel_us = from->avg_kernel_us,
        .avg_gap_us = from->avg_gap_us,
        .max_gap_us = from->max_gap_us,
        .after_sync_pct = from->idle_after_sync_pct,
        .in_long_gaps_pct = from->idle_in_long_gaps_pct,
        .potential_speedup = from->potential_speedup,
        .recoverable_low_ms = from->recoverable_low_ms,
        .recoverable_high_ms = from->recoverable_high_ms,
        .sync_ops = shares_of(perm, from->sync_ops, from->n_sync_ops),
        .n_sync_ops = from->n_sync_ops,
        .waited_ops = shares_of(perm, from->waited_ops, from->n_waited_ops),
        .n_waited_ops = from->n_waited_ops,
        .gaps = arena_new(perm, struct report_gap, from->n_top_gaps),
        .n_gaps = from->n_top_gaps,
        .patterns = patterns_of(perm, from->patterns, from->n_patterns),
        .n_patterns = from->n_patterns,
    };
    for (int i = 0; i < from->n_top_gaps; i++) {
        const struct idle_gap *g = &from->top_gaps[i];
        to->gaps[i] = (struct report_gap){g->start_us, g->duration_us, g->before,
                                          g->after,    g->cause,       S("")};
    }
    fill_causes(perm, a, from, to);
}

/* ---- copies and communication ---------------------------------------------------- */

static void fill_copies(struct arena *perm, const struct analysis *a,
                        const struct multi_kernel_result *from,
                        struct report_multi_kernel *to)
{
    static const struct str words[COPY_DIRECTIONS] = {
        [COPY_D2H] = S_INIT("D2H"),
        [COPY_H2D] = S_INIT("H2D"),
        [COPY_D2D] = S_INIT("D2D"),
        [COPY_OTHER] = S_INIT("other"),
    };
    _Static_assert(COPY_DIRECTIONS == sizeof to->copies / sizeof to->copies[0],
                   "report_detail.h has room for every direction");
    _Static_assert((int)COPY_SIZES == (int)REPORT_COPY_SIZES,
                   "report_detail.h has room for every range of sizes");
    for (int i = 0; i < COPY_DIRECTIONS; i++) {
        const struct copy_result *c = &from->copies[i];
        double pct = a->total_ms > 0 ? c->total_us / 10 / a->total_ms : 0;
        to->copies[i] = (struct report_copies){
            .direction = words[i],
            .severity = severity_word(c->severity),
            .count = c->count,
            .bytes = c->bytes,
            .total_ms = c->total_us / 1e3,
            .max_us = c->max_us,
            .total_pct = pct,
            .exposed_ms = c->exposed_us / 1e3,
            .ops = shares_of(perm, c->ops, c->n_ops),
            .n_ops = c->n_ops,
        };
        to->applies = to->applies || c->count > 0;
        for (int k = 0; k < COPY_SIZES; k++)
            to->copies[i].sizes[k] = (struct report_copy_size){
                copy_size_word(k), c->sizes[k].count, c->sizes[k].bytes,
                c->sizes[k].total_us / 1e3};
    }
}

static void fill_multi_kernel(struct arena *perm, const struct analysis *a,
                              const struct multi_kernel_result *from,
                              struct report_multi_kernel *to)
{
    bool comm = from->comm_count > 0;
    *to = (struct report_multi_kernel){
        .status = report_status_of(from->status),
        .error = from->error,
        .applies = comm || a->exposed_comm_ms > 0 || a->exposed_memcpy_ms > 0,
        .memcpy_severity = severity_word(from->memcpy_severity),
        .blocking_severity =
            rated(from->blocking_severity, comm ? S("ACCEPTABLE") : S("NONE")),
        .overlap_severity =
            rated(from->overlap_severity,
                  comm && isfinite(from->comm_overlap_frac) ? S("GOOD") : S("NONE")),
        .comm_count = from->comm_count,
        .step_count = from->step_count,
        .comm_total_ms = from->comm_total_us / 1e3,
        .comm_max_us = from->comm_max_us,
        .comm_overlap_pct = 100 * from->comm_overlap_frac,
        .memcpy_overlap_pct = 100 * from->memcpy_overlap_frac,
        .top_comm = arena_new(perm, struct report_comm_op, from->n_top_comm),
        .n_top_comm = from->n_top_comm,
        .patterns = patterns_of(perm, from->patterns, from->n_patterns),
        .n_patterns = from->n_patterns,
        .training = from->training,
    };
    for (int i = 0; i < from->n_top_comm; i++)
        to->top_comm[i] = (struct report_comm_op){from->top_comm[i].name,
                                                  from->top_comm[i].duration_us,
                                                  from->top_comm[i].stream};
    _Static_assert((int)GPU_CLASSES == (int)REPORT_CLASSES,
                   "report_detail.h has room for every class");
    for (int x = 0; x < GPU_CLASSES; x++)
        for (int y = 0; y < GPU_CLASSES; y++)
            to->overlap_ms[x][y] = from->overlap_us[x][y] / 1e3;
    fill_copies(perm, a, from, to);
}

/* ---- fusion ---------------------------------------------------------------------- */

static struct str chain_text(struct arena *perm, const struct str *parents, int n)
{
    struct out o;
    out_memory(&o);
    for (int i = n - 1; i >= 0; i--) { /* nearest first in the analysis */
        out_str(&o, parents[i]);
        out_c(&o, i ? " > " : "");
    }
    return out_text(&o, perm);
}

/* The fusion finding that was made of the candidate, or -1: told by what both count. */
static int finding_of(const struct report *r, const struct fusion_candidate *c)
{
    for (int i = 0; i < r->n_findings; i++) {
        if (r->findings[i].tier != REPORT_FUSION)
            continue;
        bool same_time = fabs(r->findings[i].time_ms - c->total_ms) < 1e-6;
        if (same_time && r->findings[i].count == c->instances)
            return i;
    }
    return -1;
}

static void fill_candidate(struct arena *perm, const struct report *r,
                           const struct fusion_candidate *c, struct report_fusion *to)
{
    static const struct str confidence[] = {
        [CONFIDENCE_LOW] = S_INIT("low"),
        [CONFIDENCE_MEDIUM] = S_INIT("medium"),
        [CONFIDENCE_HIGH] = S_INIT("high"),
    };
    *to = (struct report_fusion){
        .module = c->module,
        .place = c->base.n ? c->base : c->module,
        .pattern = c->pattern,
        .confidence = confidence[c->confidence],
        .chain = chain_text(perm, c->parent_chain, c->n_parents),
        .instances = c->instances,
        .kernels = arena_new(perm, struct report_fusion_kernel, c->n_kernels),
        .n_kernels = c->n_kernels,
        .n_products = c->n_products,
        .total_ms = c->total_ms,
        .saving_ms = c->saving_ms,
        .gross_ms = c->gross_ms,
        .moved_mb = c->moved_mb,
        .fused_us = c->fused_us,
        .impact = {c->impact.low_pct, c->impact.high_pct, c->impact.low_ms,
                   c->impact.high_ms, c->impact.basis},
        .accepted = c->accepted,
        .informational = c->informational,
        .reason = c->reason,
        .finding = c->accepted ? finding_of(r, c) : -1,
    };
    if (to->finding >= 0)
        to->action = r->findings[to->finding].algorithmic;
    for (int i = 0; i < c->n_kernels; i++)
        to->kernels[i] = (struct report_fusion_kernel){
            c->kernels[i].name, c->kernels[i].label, c->kernels[i].mean_us,
            isfinite(c->kernels[i].in_mb)};
}

void report_system_fill(struct arena *perm, const struct report *r,
                        const struct analysis *a, struct report_detail *d)
{
    const struct system_results *s = a->system;
    if (!s)
        return;
    fill_idle(perm, a, &s->idle, &d->idle);
    fill_multi_kernel(perm, a, &s->multi_kernel, &d->multi_kernel);
    d->fusion_status = report_status_of(s->fusion.status);
    d->fusion_error = s->fusion.error;
    d->fusion = arena_new(perm, struct report_fusion, s->fusion.n_candidates);
    d->n_fusion = s->fusion.n_candidates;
    d->n_fusion_accepted = s->fusion.n_accepted;
    for (int i = 0; i < d->n_fusion; i++)
        fill_candidate(perm, r, &s->fusion.candidates[i], &d->fusion[i]);
}
