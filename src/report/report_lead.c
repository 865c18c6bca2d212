#include "report/report_lead.h"

#include "analysis/model/finding_title.h"
#include "analysis/model/number_text.h"
#include "analysis/model/system_results.h"
#include "analysis/model/work_facts.h"
#include "analysis/stack/compiled.h"
#include "base/abilities.h"
#include "base/arena.h"

#include <math.h>

static double mean_ms(const struct impact_range *x)
{
    return isfinite(x->low_ms + x->high_ms) ? (x->low_ms + x->high_ms) / 2 : 0;
}

/* What the findings that are fixed at once save one by one, as the report tells it:
 * each alone, or what some save only once another is fixed. */
static double sum_ms(const struct analysis *of, bool then)
{
    double ms = 0;
    for (int k = 0; of->findings && k < of->n_together; k++) {
        const struct finding *f = &of->findings[of->stages[k].finding];
        double alone_ms = mean_ms(&f->impact);
        ms +=
            then && f->until >= 0 ? fmax(alone_ms, mean_ms(&f->impact_then)) : alone_ms;
    }
    return ms;
}

/* Why those of one replay are not the sum of each alone; empty: they are nearly. */
static struct str why_not_sum(const struct analysis *of)
{
    static const double NEAR = 0.05;
    double ms = mean_ms(&of->together), alone = sum_ms(of, false),
           then = sum_ms(of, true);
    if (alone > (1 + NEAR) * ms)
        return S(", less than their sum, as savings overlap");
    if (!(alone > 0) || alone >= (1 - NEAR) * ms)
        return S("");
    return then < (1 - NEAR) * ms
               ? S(", more than their sum, as the first lets the others save more")
               : S(", with what some save only once another is fixed");
}

/* Whether a finding before the last of them is no fix, so that they are not the first.
 */
static bool leaves_some_out(const struct analysis *of)
{
    for (int i = 0; i < of->stages[of->n_together - 1].finding; i++)
        if (title_asks_to_measure(of->findings[i].title))
            return true;
    return false;
}

/* " Fixing the first five saves 310 to 340 ms.", of one replay; or nothing. */
static struct str together_text(struct arena *a, const struct analysis *of,
                                struct str first_ms)
{
    const struct impact_range *x = &of->together;
    if (of->no_system_impact || of->n_together < 2 || !(x->high_ms > 0))
        return S("");
    struct str n = number_word(a, of->n_together),
               ms = number_range_ms(a, x->low_ms, x->high_ms);
    if (str_eq(ms, first_ms))
        return S(""); /* the others add nothing to the first */
    const char *form = leaves_some_out(of) ? " The first {} fixes save {} ms{}."
                                           : " Fixing the first {} saves {} ms{}.";
    return say(a, form, said(n), said(ms), said(why_not_sum(of)));
}

static const struct finding *first_finding(const struct report *r)
{
    for (int k = 0; k < r->n_findings; k++)
        if (!r->findings[k].of->informational)
            return r->findings[k].of;
    return NULL;
}

static double after_first_ms(const struct report *r)
{
    const struct finding *f = first_finding(r);
    return f && f->impact.high_ms > 0.0 && !f->recording
               ? r->timeline.total_ms - (f->impact.low_ms + f->impact.high_ms) / 2
               : (double)NAN;
}

/* A replay knows nothing of what more devices or streams at once save. */
static bool replays_first(const struct report *r)
{
    const struct finding *f = first_finding(r);
    return !f || !isnan(f->part_high) || (!r->gpus.n && !(f->impact.high_ms > 0));
}

static double after_together_ms(const struct report *r)
{
    const struct analysis *of = r->analysis;
    const struct impact_range *x = &of->together;
    return replays_first(r) && !of->no_system_impact && of->n_together >= 2 &&
                   x->high_ms > 0.0
               ? r->timeline.total_ms - (x->low_ms + x->high_ms) / 2
               : (double)NAN;
}

/* Most kernel time has no model, and this kernel most of that; NULL: not so. */
static const struct finding *finding_of_unknown_kernel(const struct report *r)
{
    for (int k = 0; k < r->n_findings; k++)
        if (str_eq(r->findings[k].of->pattern, S("unknown_kernel")))
            return r->findings[k].of;
    return NULL;
}

/* What a trace hides is recorded before anything is judged by it, and so are the nodes
 * of graphs, and how much of the wait for a first batch recurs. */
static const struct finding *hidden_finding(const struct report *r)
{
    for (int k = 0; k < r->n_findings; k++) {
        const struct finding *f = r->findings[k].of;
        if (r->verdict_kind == VERDICT_HIDDEN && str_eq(f->pattern, S("hidden_work")))
            return f;
        if (r->verdict_kind == VERDICT_GRAPH && f->idle &&
            f->idle->class == IDLE_QUEUED && f->idle->pool_ns[POOL_GRAPH] > 0)
            return f;
        if (r->verdict_kind == VERDICT_INPUT && f->recording &&
            str_among(f->pattern, "host_loader host_batch"))
            return f;
    }
    return NULL;
}

/* What saves less does not open a report. */
static const double LEAST_TO_LEAD_PCT = 1;

/* Share of kernel time in rows as fast as is expected of their kind. */
static double near_pct(const struct report *r)
{
    const double USUAL_PCT = 50; /* of what no class is known of */
    double all_ms = 0, near_ms = 0;
    for (int k = 0; k < r->n_ops; k++) {
        const struct work_row *row = r->ops[k].row;
        double least = work_number(row, "expected_lo_pct");
        bool is_near = !row->efficiency.anomaly &&
                       row->efficiency.percent >= (isnan(least) ? USUAL_PCT : least);
        all_ms += row->time_ms;
        near_ms += is_near ? row->time_ms : 0;
    }
    return all_ms > 0 ? 100 * near_ms / all_ms : 0;
}

/* The most that one finding saves, of the run, per cent; NaN: one may save more than
 * what is little, or nobody knows. */
static double little_pct(const struct report *r)
{
    const double LITTLE_PCT = 3;
    double most = 0;
    for (int k = 0; k < r->n_findings; k++) {
        const struct finding *f = r->findings[k].of;
        bool asks = f->informational || title_asks_to_measure(f->title);
        if (!(f->impact.high_pct < LITTLE_PCT) && !(asks && isnan(f->impact.high_pct)))
            return (double)NAN;
        most = f->informational ? most : fmax(most, f->impact.high_pct);
    }
    return most;
}

/* A device that nearly always computes, and nothing that would make it do less. */
static struct str tuned_text(struct arena *a, const struct report *r)
{
    const double BUSY_PCT = 95, SOME_PCT = 0.1, MOST_PCT = 60;
    const struct report_timeline *t = &r->timeline;
    double most = little_pct(r), near = near_pct(r);
    if (r->verdict_kind != VERDICT_DEVICE || r->gpus.n || !r->n_ops || isnan(most) ||
        !(t->computation_pct >= BUSY_PCT))
        return S("");
    struct str saves = most >= SOME_PCT
                           ? say(a, "no finding would save more than {}% of the time",
                                 said(number_pct(a, most)))
                           : S("no finding would save any of the time");
    struct str exposed = t->total_comm_ms > 0
                             ? say(a, ",{} collectives are exposed for {}% of it",
                                   said(near >= MOST_PCT ? "" : " and"),
                                   said(number_pct(a, t->exposed_comm_pct)))
                             : S("");
    if (near >= MOST_PCT)
        return say(a,
                   "Well tuned: {}{}, and {}% of kernel time runs at the rate expected "
                   "of its kind.",
                   said(saves), said(exposed), said_pct(near));
    return say(a,
               "{} to fix outside its kernels: {}{}. The trace does not show how fast "
               "most of these could be.",
               said(most < LEAST_TO_LEAD_PCT ? "Nothing" : "Little"), said(saves),
               said(exposed));
}

/* What is not known to save what is worth leading with, or only once the run is
 * recorded again, leads nothing. */
static const struct report_finding *leading(const struct report *r)
{
    const struct finding *f = first_finding(r);
    if (!f || r->tuned.n || f->recording || title_asks_to_measure(f->title) ||
        hidden_finding(r) || r->verdict_kind == VERDICT_WARM_UP ||
        !(f->impact.high_ms > 0.0) ||
        (f->impact.low_pct + f->impact.high_pct) / 2 < LEAST_TO_LEAD_PCT)
        return NULL;
    int k = 0;
    while (r->findings[k].of != f)
        k++;
    return &r->findings[k];
}

static double after_ms(const struct report *r, const struct impact_range *saved)
{
    return r->timeline.total_ms - (saved->low_ms + saved->high_ms) / 2;
}

static void fill_stages(struct arena *perm, struct report *r)
{
    const struct analysis *of = r->analysis;
    if (isnan(r->after_together_ms))
        return;
    r->stages = arena_new(perm, struct report_stage, of->n_together);
    r->n_stages = 0;
    double before_ms = r->timeline.total_ms;
    for (int k = 0; k < of->n_together; k++) {
        const struct saving_stage *x = &of->stages[k];
        double ms = after_ms(r, &x->saved);
        for (int i = 0; i < r->n_findings; i++)
            if (r->findings[i].of == &of->findings[x->finding])
                r->stages[r->n_stages++] =
                    (struct report_stage){&r->findings[i], ms, before_ms - ms};
        before_ms = ms;
    }
    r->n_sets = r->n_stages == of->n_together ? of->n_sets : 0;
    r->sets_ms = arena_new(perm, double, r->n_sets);
    for (int k = 0; k < r->n_sets; k++)
        r->sets_ms[k] = after_ms(r, &of->sets[k]);
}

static const struct str COMPILE = S_INIT("Compile ");

/* Fused by a compiler, or launched by it. */
static bool compiler_does(const struct finding *f)
{
    return str_starts(f->title, COMPILE) || str_starts(f->title, S("Fuse "));
}

/* As far as the trace shows: that of another profiler than PyTorch's does not. */
static bool is_eager(const struct report *r)
{
    bool compiled = r->compiled && r->compiled->n;
    return abilities_of(r->meta.how)->is_torch && !compiled &&
           !r->analysis->categories[WORK_TRITON].n_rows;
}

static void fill_compile(struct arena *perm, struct report *r)
{
    struct report_compile c = {.what = S("the model")};
    unsigned set = 0, last = 0;
    for (int k = 0; k < r->n_stages; k++)
        if (compiler_does(r->stages[k].of->of))
            set |= last = 1u << k;
    for (int k = 0; k < r->n_stages; k++) {
        const struct report_finding *f = r->stages[k].of;
        if (!(set >> k & 1))
            continue;
        struct str between = !c.n ? S("") : last == 1u << k ? S(" and ") : S(", ");
        c.ranks = say(perm, "{}{}{}", said(c.ranks), said(between), said(f->rank));
        c.n++;
        if (str_starts(f->of->title, COMPILE))
            c.what = str_skip(str_head(f->of->title, title_action_end(f->of->title)),
                              COMPILE.n);
    }
    if (c.n < 2 || !r->n_sets || !is_eager(r))
        c.n = 0;
    else
        c.after_ms = r->sets_ms[set];
    r->compile = c;
}

/* What to do first: what a trace hides, the first finding, or where that saves next to
 * nothing the kernel that nothing is known of. NULL: nothing is worth it. */
static const struct finding *first_to_do(const struct report *r)
{
    const struct finding *hidden = hidden_finding(r), *f = first_finding(r);
    if (hidden)
        return hidden;
    bool replayed = f && (f->impact.high_ms > 0.0 ||
                          (f->impact.high_ms >= 0.0 && f->tier == TIER_COMPUTE &&
                           !f->recording && !f->asked && isfinite(f->part_high)));
    bool small = replayed && r->verdict_kind != VERDICT_WARM_UP &&
                 (f->impact.low_pct + f->impact.high_pct) / 2 < LEAST_TO_LEAD_PCT;
    return small ? finding_of_unknown_kernel(r) : f;
}

struct str report_first_sentence(struct arena *a, const struct report *r)
{
    const struct finding *first = first_to_do(r);
    if (!first && r->tuned.n)
        return r->tuned;
    if (!first)
        return first_finding(r) ? S("No finding would save 1% of the time.")
                                : S("No finding.");
    const struct impact_range *x = &first->impact;
    struct str title = title_within(a, first);
    if (r->tuned.n && title_asks_to_measure(first->title))
        return say(a, "{} To find out, {}.", said(r->tuned), said(title));
    if (r->tuned.n && x->high_ms > 0.0)
        return say(a, "{} What is left: {} ({} ms).", said(r->tuned), said(title),
                   said(number_range_ms(a, x->low_ms, x->high_ms)));
    if (r->verdict_kind == VERDICT_WARM_UP && !first->recording)
        return say(a, "First, record after warm-up. Then {}.", said(title));
    if (r->verdict_kind == VERDICT_WARM_UP || first->recording || !(x->high_ms > 0.0))
        return say(a, "First, {}.", said(title));
    struct str ms = number_range_ms(a, x->low_ms, x->high_ms),
               together = replays_first(r) ? together_text(a, r->analysis, ms) : S("");
    if (title_asks_to_measure(first->title))
        return say(a, "First, {}. At stake: {} ms.{}", said(title), said(ms),
                   said(together));
    return say(a, "First, {}. This saves {} ms ({} becomes about {}).{}", said(title),
               said(ms), said(number_time(a, r->timeline.total_ms)),
               said(number_time(a, r->after_first_ms)), said(together));
}

/* Of a step, where several are marked; not where a few that take longer are much of the
 * run, as these may be all that the finding makes shorter. */
static double step_after_ms(const struct report *r)
{
    const double MUCH = 1.2;
    const struct report_steps *t = &r->steps;
    bool uneven = r->timeline.total_ms > MUCH * (double)t->n * t->median_ms;
    return t->n_steady < 2 || t->source == STEPS_PERIOD || t->source == STEPS_NONE ||
                   uneven
               ? (double)NAN
               : t->median_ms * r->after_first_ms / r->timeline.total_ms;
}

void report_lead_fill(struct arena *perm, struct report *r)
{
    r->tuned = tuned_text(perm, r);
    r->first = first_to_do(r);
    r->after_first_ms = after_first_ms(r);
    r->steps.after_first_ms = step_after_ms(r);
    r->after_together_ms = after_together_ms(r);
    r->leads = leading(r);
    r->leads_title = r->leads ? title_within(perm, r->leads->of) : S("");
    fill_stages(perm, r);
    fill_compile(perm, r);
}
