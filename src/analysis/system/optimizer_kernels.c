#include "analysis/system/optimizer_kernels.h"

#include "analysis/model/finding.h"
#include "analysis/model/name_match.h"
#include "analysis/model/number_text.h"
#include "analysis/model/work_facts.h"
#include "analysis/system/system_advice.h"
#include "analysis/system/system_parts.h"
#include "ops/op_tables.h"

#include <math.h>

struct launched optimizer_kernels_find(struct arena *a, const struct trace_view *v,
                                       enum optimizer_part part)
{
    bool zeros = part == OPTIMIZER_ZERO_GRAD;
    return launched_within(a, v, CAT_ANNOTATION,
                           zeros ? "optimizer.zero_grad" : "optimizer.step", zeros);
}

/* "Lamb" of "Optimizer.step#Lamb.step". */
static struct str optimizer_name(struct str step)
{
    ptrdiff_t at = str_find(step, S("#"));
    struct str name = at < 0 ? S("the optimizer") : str_skip(step, at + 1);
    return str_ends(name, S(".step")) ? str_head(name, name.n - 5) : name;
}

struct optimizer_calls optimizer_calls_of(struct arena tmp, const struct trace_view *v)
{
    const struct event_store *s = v->s;
    struct named_spans steps =
        named_spans_of(&tmp, s, CAT_ANNOTATION, "optimizer.step");
    struct optimizer_calls to = {.steps = steps.n};
    if (steps.n)
        to.name = optimizer_name(store_name(s, steps.at[0]));
    for (event_id i = 0; i < s->n && steps.n; i++) {
        event_id up = s->cat[i] == CAT_CPU_OP ? tree_parent(&v->tree, i) : -1;
        bool is_call = s->cat[i] == CAT_CPU_OP && named_spans_hold(&steps, s, i);
        struct str name = is_call ? store_name(s, i) : S("");
        if (str_eq(name, S("aten::result_type"))) {
            to.checks++;
            continue;
        }
        if (!is_call || (up >= 0 && s->cat[up] == CAT_CPU_OP))
            continue; /* what an operator calls is its own */
        int32_t launched = 0;
        launch_range(&v->launch, &v->tree, i, &launched);
        bool is_foreach = str_starts(name, S("aten::_foreach_"));
        to.foreach += is_foreach;
        to.single += !is_foreach && launched > 0;
        to.sparse += str_eq(name, S("aten::coalesce")) && launched > 0;
    }
    return to;
}

void optimizer_parts(int32_t n, double total_ms, double *low, double *high)
{
    const double SHORT_MS = 0.010;
    bool is_short = n && total_ms < SHORT_MS * n;
    *low = is_short ? 0.5 : 0.35;
    *high = is_short ? 0.9 : 0.67;
}

/* Idle time between launches that set gradients to zero. */
static bool is_late_zeros(const struct finding *f)
{
    return f->idle && name_is(f->pattern, "host_bound_optimizer|host_optimizer") &&
           str_starts(f->title, S("Set gradients to None"));
}

/* The idle time between the same launches has a finding that says so. */
static bool is_told(const struct analysis *a)
{
    for (int i = 0; i < a->n_findings; i++)
        if (is_late_zeros(&a->findings[i]))
            return true;
    return false;
}

/* What would go with these kernels, and the calls that launch them. */
static struct finding *launched_finding(struct arena *perm, struct analysis *a,
                                        const struct pattern_hit *hits, int n,
                                        struct str subject, const struct launched *k,
                                        enum finding_about about)
{
    double ms = (double)k->total_ns / 1e6;
    struct finding *f = advised_finding(perm, a, hits, n, subject, ms);
    f->about = about;
    f->count = k->n;
    f->whole_ms = ms;
    f->merged_part = 1;
    return f;
}

void zeroed_gradients_finding(struct arena *perm, struct arena tmp, struct analysis *a)
{
    const struct trace_view *v = a->tables->view;
    if (!a->patterns || !v || is_told(a))
        return;
    struct launched k = optimizer_kernels_find(&tmp, v, OPTIMIZER_ZERO_GRAD);
    double ms = (double)k.total_ns / 1e6;
    const struct work_fact facts[] = {FACT("zeros", k.n), FACT("zeros_ms", ms),
                                      FACT("share_pct", pct_of(ms, a->total_ms))};
    int n = 0;
    const struct pattern_hit *hits =
        pattern_host_about(a->patterns, perm, a, S("gradients"), facts,
                           (int)(sizeof facts / sizeof *facts), &n);
    if (!n)
        return;
    struct finding *f =
        launched_finding(perm, a, hits, n, S("gradients"), &k, ABOUT_ZEROS);
    f->confidence = CONFIDENCE_HIGH;
    f->impact = f->impact_kernel =
        impact_of_ms(a, ms, ms, S("all of these kernels are gone"));
}

bool is_late_optimizer(const struct finding *f)
{
    return f->idle && name_is(f->pattern, "host_bound_optimizer|host_optimizer") &&
           (str_starts(f->title, S("Use the fused form")) ||
            str_starts(f->title, S("Batch the updates")));
}

/* Does another finding, of late launches or of chains with known shapes, tell of these
 * kernels, or of half of their time? */
static bool loop_is_told(const struct analysis *a, double ms)
{
    for (int i = 0; i < a->n_findings; i++) {
        const struct finding *f = &a->findings[i];
        if (is_late_optimizer(f) ||
            (str_eq(f->pattern, S("Unfused optimizer")) && 2 * f->time_ms >= ms))
            return true;
    }
    return false;
}

void optimizer_loop_finding(struct arena *perm, struct arena tmp, struct analysis *a)
{
    const struct trace_view *v = a->tables->view;
    if (!a->patterns || !v)
        return;
    struct launched k = optimizer_kernels_find(&tmp, v, OPTIMIZER_STEP);
    double ms = (double)k.total_ns / 1e6;
    if (!k.n || loop_is_told(a, ms))
        return;
    struct optimizer_calls calls = optimizer_calls_of(tmp, v);
    const struct work_fact facts[] = {
        FACT("loop_kernels", k.n),
        FACT("loop_ms", ms),
        FACT("loop_calls", (double)calls.single),
        FACT("sparse_calls", (double)calls.sparse),
        FACT("per_step", k.n / fmax(1, (double)calls.steps)),
        FACT("optimizer_name", calls.name),
        FACT("share_pct", pct_of(ms, a->total_ms))};
    int n = 0;
    const struct pattern_hit *hits =
        pattern_host_about(a->patterns, perm, a, S("optimizer"), facts,
                           (int)(sizeof facts / sizeof *facts), &n);
    if (!n)
        return;
    struct finding *f =
        launched_finding(perm, a, hits, n, S("optimizer"), &k, ABOUT_OPTIMIZER);
    double low, high;
    optimizer_parts(k.n, ms, &low, &high);
    f->impact = f->impact_kernel = impact_of_ms(
        a, low * ms, high * ms, S("what a fused form leaves out of these kernels"));
}

void optimizer_claim_kernels(struct arena *perm, struct arena tmp, struct analysis *a)
{
    for (int i = 0; i < a->n_findings; i++) {
        struct finding *f = &a->findings[i];
        bool zeros = is_late_zeros(f);
        if (!zeros && !is_late_optimizer(f))
            continue;
        struct launched k = optimizer_kernels_find(
            &tmp, a->tables->view, zeros ? OPTIMIZER_ZERO_GRAD : OPTIMIZER_STEP);
        double ms = (double)k.total_ns / 1e6;
        if (!k.n)
            continue;
        f->about = zeros ? ABOUT_ZEROS : ABOUT_OPTIMIZER;
        f->merged_part = 1;
        f->time_ms += ms;
        f->total_pct = pct_of(f->time_ms, a->total_ms);
        f->issue = say(perm, "{} Its {} kernels take {} ms.", said(f->issue), said(k.n),
                       said_ms(ms));
    }
}
