#include "analysis/system/optimizer_kernels.h"

#include "analysis/model/finding.h"
#include "analysis/model/name_match.h"
#include "analysis/model/number_text.h"
#include "analysis/model/work_facts.h"
#include "analysis/system/system_advice.h"
#include "analysis/system/system_parts.h"
#include "ops/op_tables.h"

struct steps {
    event_id *at; /* annotations, by start */
    int32_t n;
};

static struct steps steps_of(struct arena *a, const struct event_store *s,
                             enum optimizer_part part)
{
    const char *name =
        part == OPTIMIZER_STEP ? "optimizer.step" : "optimizer.zero_grad";
    enum { UNKNOWN, IS_STEP, IS_NONE };
    uint8_t *is = arena_new(a, uint8_t, s->names.n + 1);
    struct steps to = {arena_take_raw(a, sizeof *to.at, 4, s->n), 0};
    for (event_id i = 0; i < s->n; i++) {
        uint8_t *known = &is[s->name[i]];
        if (s->cat[i] != CAT_ANNOTATION)
            continue;
        if (*known == UNKNOWN)
            *known = name_has(store_name(s, i), name) ? IS_STEP : IS_NONE;
        if (*known == IS_STEP)
            to.at[to.n++] = i;
    }
    return to;
}

static bool is_inside(const struct steps *x, const struct event_store *s, event_id call)
{
    int32_t low = 0, high = x->n;
    while (low < high) {
        int32_t mid = low + (high - low) / 2;
        if (s->start_ns[x->at[mid]] <= s->start_ns[call])
            low = mid + 1;
        else
            high = mid;
    }
    event_id step = low ? x->at[low - 1] : -1;
    return step >= 0 && s->lane[step] == s->lane[call] &&
           s->start_ns[call] < store_end_ns(s, step);
}

struct optimizer_kernels optimizer_kernels_find(struct arena *a,
                                                const struct trace_view *v,
                                                enum optimizer_part part)
{
    const struct event_store *s = v->s;
    struct optimizer_kernels to = {arena_take_raw(a, sizeof *to.at, 4, v->n_counted), 0,
                                   0};
    struct arena tmp = *a;
    struct steps steps = steps_of(&tmp, s, part);
    view_sort_by_start(tmp, s, steps.at, steps.n);
    for (int32_t k = 0; k < v->n_counted && steps.n; k++) {
        event_id gpu = v->counted[k];
        bool may = s->cat[gpu] == CAT_KERNEL ||
                   (s->cat[gpu] == CAT_MEMSET && part == OPTIMIZER_ZERO_GRAD);
        event_id call = may ? view_issue(v, gpu) : -1;
        if (call < 0 || !is_inside(&steps, s, call))
            continue;
        to.at[to.n++] = gpu;
        to.total_ns += store_dur_ns(s, gpu);
    }
    return to;
}

void optimizer_parts(int32_t n, double total_ms, double *low, double *high)
{
    const double SHORT_MS = 0.010;
    *low = 0.35;
    *high = n && total_ms < SHORT_MS * n ? 0.9 : 0.67;
}

/* The idle time between the same launches has a finding that says so. */
static bool is_told(const struct analysis *a)
{
    for (int i = 0; i < a->n_findings; i++)
        if (name_is(a->findings[i].pattern, "host_bound_optimizer|host_optimizer") &&
            str_starts(a->findings[i].title, S("Set gradients to None")))
            return true;
    return false;
}

void zeroed_gradients_finding(struct arena *perm, struct arena tmp, struct analysis *a)
{
    const struct trace_view *v = a->tables->view;
    if (!a->patterns || !v || is_told(a))
        return;
    struct optimizer_kernels k = optimizer_kernels_find(&tmp, v, OPTIMIZER_ZERO_GRAD);
    double ms = (double)k.total_ns / 1e6;
    const struct work_fact facts[] = {FACT("zeros", k.n), FACT("zeros_ms", ms),
                                      FACT("share_pct", pct_of(ms, a->total_ms))};
    int n = 0;
    const struct pattern_hit *hits =
        pattern_host_about(a->patterns, perm, a, S("gradients"), facts,
                           (int)(sizeof facts / sizeof *facts), &n);
    if (!n)
        return;
    struct finding *f = advised_finding(perm, a, hits, n, S("gradients"), ms);
    f->about = ABOUT_ZEROS;
    f->confidence = CONFIDENCE_HIGH;
    f->count = k.n;
    f->whole_ms = ms;
    f->merged_part = 1;
    f->impact = f->impact_kernel =
        impact_of_ms(a, ms, ms, S("all of these kernels are gone"));
}

bool is_late_optimizer(const struct finding *f)
{
    return f->idle && name_is(f->pattern, "host_bound_optimizer|host_optimizer") &&
           str_starts(f->title, S("Use the fused form"));
}

void optimizer_claim_kernels(struct arena *perm, struct arena tmp, struct analysis *a)
{
    for (int i = 0; i < a->n_findings; i++) {
        struct finding *f = &a->findings[i];
        if (!is_late_optimizer(f))
            continue;
        struct optimizer_kernels k =
            optimizer_kernels_find(&tmp, a->tables->view, OPTIMIZER_STEP);
        double ms = (double)k.total_ns / 1e6;
        if (!k.n)
            return;
        f->about = ABOUT_OPTIMIZER;
        f->merged_part = 1;
        f->time_ms += ms;
        f->total_pct = pct_of(f->time_ms, a->total_ms);
        f->issue = say(perm, "{} Its {} kernels take {} ms.", said(f->issue), said(k.n),
                       said_ms(ms));
        return;
    }
}
