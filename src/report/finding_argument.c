#include "report/finding_argument.h"

#include "analysis/model/number_text.h"
#include "base/abilities.h"
#include "base/arena.h"
#include "base/describe.h"

#include <math.h>

bool finding_has_gain(const struct impact_range *x)
{
    return !isnan(x->low_ms) && x->high_ms > 0.0;
}

struct str finding_gain(struct arena *a, const struct impact_range *x)
{
    if (!finding_has_gain(x))
        return S("");
    return str_printf(a, "%.*s ms (%.*s%% of total time)",
                      STRF(number_range_ms(a, x->low_ms, x->high_ms)),
                      STRF(number_range_pct(a, x->low_pct, x->high_pct)));
}

static struct str join(struct arena *a, struct str first, struct str next)
{
    if (!first.n || !next.n)
        return first.n ? first : next;
    return str_printf(a, "%.*s %.*s", STRF(first), STRF(next));
}

static struct str bound_noun(int bound)
{
    return bound == BOUND_COMPUTE  ? S("compute rate")
           : bound == BOUND_MEMORY ? S("memory bandwidth")
                                   : S("");
}

static struct str share_sentence(struct arena *a, const struct report_finding *f)
{
    if (!(f->of->time_ms > 0.0) || isnan(f->of->total_pct))
        return S("");
    struct str ms = number_ms(a, f->of->time_ms), pct = number_pct(a, f->of->total_pct);
    if (f->of->tier == TIER_SYSTEM || isnan(f->of->compute_pct))
        return say(a, "It concerns {} ms, {}% of total time.", said(ms), said(pct));
    return say(a, "It concerns {} ms, {}% of total time and {}% of computation time.",
               said(ms), said(pct), said(number_pct(a, f->of->compute_pct)));
}

static struct str roof_sentence(struct arena *a, const struct report_finding *f)
{
    if (isnan(f->of->efficiency_pct))
        return S("");
    struct str e = number_pct(a, f->of->efficiency_pct),
               noun = bound_noun(f->of->bound);
    if (!noun.n)
        return say(a, "Weighted by time, the operations reach {}% of their roof.",
                   said(e));
    if (!f->of->peak.n || !f->of->achieved.n)
        return say(a,
                   "Weighted by time, they reach {}% of their roof, which the {} sets.",
                   said(e), said(noun));
    return say(a,
               "Their roof is set by the {}, {}; weighted by time they reach {}, {}% "
               "of it.",
               said(noun), said(f->of->peak), said(f->of->achieved), said(e));
}

static struct str kind_sentence(const struct report_finding *f)
{
    if (f->of->kind == FIND_BOTTLENECK)
        return S("Time at a target is time now × efficiency now ÷ target; the gain is "
                 "the difference.");
    if (f->of->kind == FIND_UNMODELLED)
        return S("No performance model covers this operation, so the gain is a range "
                 "that is usual for such a share, not a calculation.");
    if (f->of->kind == FIND_FUSION)
        return S("Consecutive kernels write and read the same intermediate results; a "
                 "fused kernel keeps them on chip.");
    return S("");
}

struct str finding_reasoning(const struct described *in)
{
    const struct report_finding *f = in->of;
    struct arena *a = in->tmp;
    struct str text = join(a, share_sentence(a, f), roof_sentence(a, f));
    text = join(a, text, kind_sentence(f));
    if (f->of->priority_basis.n)
        text = join(a, text,
                    str_printf(a, "Its priority is %.*s: %.*s.",
                               STRF(priority_word(f->of->priority)),
                               STRF(f->of->priority_basis)));
    return text;
}

struct evidence_quality {
    int n, modelled, unsteady, above_roof;
};

static struct evidence_quality quality_of(const struct report *r,
                                          const struct report_finding *f)
{
    struct evidence_quality q = {.n = f->n_ops};
    for (int k = 0; k < f->n_ops; k++) {
        const struct report_op *op = &r->ops[f->ops[k]];
        q.modelled += op->group->cost && !isnan(op->row->efficiency.percent);
        q.unsteady += op->row->high_variance;
        q.above_roof += op->row->efficiency.anomaly;
    }
    return q;
}

struct str finding_confidence_basis(const struct described *in)
{
    const struct report *r = in->whole;
    const struct report_finding *f = in->of;
    struct arena *a = in->tmp;
    struct evidence_quality q = quality_of(r, f);
    if (!q.n)
        return f->of->tier == TIER_SYSTEM ? S("Based on the times of device events and "
                                              "of the calls that launched them.")
                                          : S("");
    struct str text = S("No operation has a performance model: shares are measured, "
                        "but what is possible is unknown.");
    if (!r->device.known)
        text =
            str_printf(a, "%.*s Shares are measured, but what is possible is unknown.",
                       STRF(r->device.missing));
    else if (q.modelled == q.n)
        text = q.n == 1 ? S("The operation has a performance model.")
                        : S("All operations have a performance model.");
    else if (q.modelled)
        text = str_printf(a, "%d of %d operations have a performance model.",
                          q.modelled, q.n);
    if (q.unsteady)
        text =
            join(a, text, str_printf(a, "Strongly varying timings: %d.", q.unsteady));
    if (q.above_roof)
        text =
            join(a, text,
                 str_printf(a, "Above the roof: %d; the model or the peaks do not fit.",
                            q.above_roof));
    return text;
}

/* What may have been the profiler's own time is recorded without; steps later than the
 * first tell start-up. */
static struct str system_refutation(const struct report *r)
{
    return r->meta.has_frames
               ? S("A second trace, of later steps and with the profiler's stacks off, "
                   "in which the same time does not appear: then it is start-up or the "
                   "cost of recording.")
           : r->meta.has_shapes && abilities_of(r->meta.how)->slows_by_shapes
               ? S("A second trace, of later steps and without shapes, in which the "
                   "same time does not appear: then it is start-up or the cost of "
                   "recording.")
               : S("A second trace, of later steps, in which the same time does not "
                   "appear: then it is start-up.");
}

struct str finding_refutation(const struct described *in)
{
    const struct report_finding *f = in->of;
    bool no_kit = f->no_kit.n || !((const struct report *)in->whole)->meta.has_shapes;
    struct str alone =
        no_kit ? S("operation alone") : S("operation alone, in its replay package,");
    if (f->of->tier == TIER_FUSION)
        return S("Another reader of the intermediate results: then they have to be "
                 "written anyway. Or a fused kernel, timed alone, that is no faster "
                 "than the kernels listed.");
    if (f->of->tier == TIER_SYSTEM)
        return system_refutation(in->whole);
    if (f->of->kind == FIND_UNMODELLED)
        return S("Hardware counters that show the kernel near the peak of memory or of "
                 "computation: then nothing is left to gain in the kernel itself.");
    if (f->of->bound == BOUND_MEMORY)
        return str_printf(in->tmp,
                          "A counter of memory traffic near the peak bandwidth: then "
                          "the kernel moves more bytes than its arguments need, and "
                          "the reads are the problem rather than the rate. Or the "
                          "%.*s running much faster than here.",
                          STRF(alone));
    if (f->of->bound == BOUND_COMPUTE)
        return str_printf(in->tmp,
                          "A counter of matrix instructions near the peak: then the "
                          "kernel does more arithmetic than its arguments need. Or "
                          "the %.*s running much faster than here: then something "
                          "else in the run slows it down.",
                          STRF(alone));
    return str_printf(in->tmp,
                      "The %.*s running much faster than here: then something else in "
                      "the run slows it down.",
                      STRF(alone));
}

struct str finding_metric(const struct described *in)
{
    const struct report_finding *f = in->of;
    struct arena *a = in->tmp;
    if (!(f->of->time_ms > 0.0))
        return S("Trace again after the change and compare total time.");
    if (f->of->recording)
        return S("Record again that way: this finding should be gone.");
    if (f->of->tier == TIER_SYSTEM)
        return str_printf(a,
                          "Trace again after the change: the %.*s ms above should "
                          "shrink, and total time with them.",
                          STRF(number_ms(a, f->of->time_ms)));
    return str_printf(a,
                      "Trace again after the change: the time of these operations, "
                      "%.*s ms in %lld %s now, should shrink, and total time with it.",
                      STRF(number_ms(a, f->of->time_ms)), (long long)f->of->count,
                      str_plural(f->of->count, "call", "calls"));
}
