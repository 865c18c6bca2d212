#include "report/finding_argument.h"

#include "base/arena.h"
#include "report/report_numbers.h"

#include <math.h>

struct str finding_level(enum report_priority p)
{
    static const struct str words[] = {[REPORT_LOW] = S_INIT("low"),
                                       [REPORT_MEDIUM] = S_INIT("medium"),
                                       [REPORT_HIGH] = S_INIT("high"),
                                       [REPORT_CRITICAL] = S_INIT("critical")};
    return words[p];
}

struct str finding_gain(struct arena *a, const struct report_range *x)
{
    if (isnan(x->high_ms) || isnan(x->low_ms) || !(x->high_ms > 0.0))
        return S("");
    return str_printf(a, "%.*s ms (%.*s %% of total time)",
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
    return bound == REPORT_BOUND_COMPUTE  ? S("compute rate")
           : bound == REPORT_BOUND_MEMORY ? S("memory bandwidth")
                                          : S("");
}

/* ---- reasoning ---- */

static struct str share_sentence(struct arena *a, const struct report_finding *f)
{
    if (!(f->time_ms > 0.0) || isnan(f->total_pct))
        return S("");
    struct str text =
        str_printf(a, "It concerns %.*s ms, %.*s %% of total time",
                   STRF(number_ms(a, f->time_ms)), STRF(number_pct(a, f->total_pct)));
    if (f->tier == REPORT_SYSTEM || isnan(f->compute_pct))
        return str_printf(a, "%.*s.", STRF(text));
    return str_printf(a, "%.*s and %.*s %% of computation time.", STRF(text),
                      STRF(number_pct(a, f->compute_pct)));
}

static struct str roof_sentence(struct arena *a, const struct report_finding *f)
{
    if (isnan(f->efficiency_pct))
        return S("");
    struct str e = number_pct(a, f->efficiency_pct), noun = bound_noun(f->bound);
    if (!noun.n)
        return str_printf(a,
                          "Weighted by time, the operations reach %.*s %% of their "
                          "roof.",
                          STRF(e));
    if (!f->peak.n || !f->achieved.n)
        return str_printf(a,
                          "Weighted by time, they reach %.*s %% of their roof, which "
                          "the %.*s sets.",
                          STRF(e), STRF(noun));
    return str_printf(a,
                      "Their roof is set by the %.*s, %.*s; weighted by time they "
                      "reach %.*s, %.*s %% of it.",
                      STRF(noun), STRF(f->peak), STRF(f->achieved), STRF(e));
}

static struct str kind_sentence(const struct report_finding *f)
{
    if (str_eq(f->kind, S("bottleneck")))
        return S("Time at a target is time now × efficiency now ÷ target; the gain is "
                 "the difference.");
    if (str_eq(f->kind, S("unmodelled")))
        return S("No performance model knows this operation, so the gain is a range "
                 "usual for such shares, not a calculation.");
    if (str_eq(f->kind, S("fusion")))
        return S("Kernels that follow each other write and read the same intermediate "
                 "results; a fused kernel moves them once.");
    return S("");
}

struct str finding_reasoning(struct arena *a, const struct report *r,
                             const struct report_finding *f)
{
    (void)r;
    struct str text = join(a, share_sentence(a, f), roof_sentence(a, f));
    text = join(a, text, kind_sentence(f));
    if (f->priority_basis.n)
        text =
            join(a, text,
                 str_printf(a, "Its priority is %.*s: %.*s.",
                            STRF(finding_level(f->priority)), STRF(f->priority_basis)));
    return text;
}

/* ---- confidence ---- */

struct evidence_quality {
    int n, modelled, unsteady, above_roof;
};

static struct evidence_quality quality_of(const struct report *r,
                                          const struct report_finding *f)
{
    struct evidence_quality q = {.n = f->n_ops};
    for (int k = 0; k < f->n_ops; k++) {
        const struct report_op *op = &r->ops[f->ops[k]];
        q.modelled += op->has_model && !isnan(op->efficiency_pct);
        q.unsteady += op->high_variance;
        q.above_roof += op->anomaly;
    }
    return q;
}

struct str finding_confidence(struct arena *a, const struct report *r,
                              const struct report_finding *f)
{
    struct evidence_quality q = quality_of(r, f);
    if (!q.n)
        return f->tier == REPORT_SYSTEM
                   ? S("It rests on the times of device events and of the calls that "
                       "launched them.")
                   : S("");
    struct str text = S("No operation has a performance model: shares are measured, "
                        "what is possible is not known.");
    if (q.modelled == q.n)
        text = q.n == 1 ? S("The operation has a performance model.")
                        : S("All operations have a performance model.");
    else if (q.modelled)
        text = str_printf(a, "%d of %d operations have a performance model.",
                          q.modelled, q.n);
    if (q.unsteady)
        text = join(a, text,
                    str_printf(a, "The timings of %d vary strongly.", q.unsteady));
    if (q.above_roof)
        text = join(a, text,
                    str_printf(a,
                               "%d reach more than their roof: its model or the "
                               "peaks do not fit.",
                               q.above_roof));
    if (!r->device.known)
        text = join(a, text, S("No platform was given, so there is no roof."));
    return text;
}

/* ---- refutation ---- */

struct str finding_refutation(struct arena *a, const struct report_finding *f)
{
    (void)a;
    if (f->tier == REPORT_FUSION)
        return S("Another reader of the intermediate results: then they have to be "
                 "written in any case. A fused kernel, timed alone, that is not faster "
                 "than the sum of the kernels listed.");
    if (f->tier == REPORT_SYSTEM)
        return S(
            "A second trace, of later steps and with the profiler's stacks off, in "
            "which the same time does not appear: then it is start-up or the cost "
            "of recording.");
    if (str_eq(f->kind, S("unmodelled")))
        return S("Hardware counters that show the kernel near the peak of memory or of "
                 "computation: then nothing is left to gain in the kernel itself.");
    if (f->bound == REPORT_BOUND_MEMORY)
        return S("A counter of memory traffic near the peak bandwidth: then the kernel "
                 "moves more bytes than its arguments need, and the reads are the "
                 "problem rather than the rate. Or the operation alone, in its replay "
                 "package, running much faster than here.");
    if (f->bound == REPORT_BOUND_COMPUTE)
        return S("A counter of matrix instructions near the peak: then the kernel does "
                 "more arithmetic than its arguments need. Or the operation alone, in "
                 "its replay package, running much faster than here: then something "
                 "else in the run slows it down.");
    return S("The operation alone, in its replay package, running much faster than "
             "here: then something else in the run slows it down.");
}

struct str finding_metric(struct arena *a, const struct report_finding *f)
{
    if (!(f->time_ms > 0.0))
        return S("Trace again after the change and compare total time.");
    if (f->tier == REPORT_SYSTEM)
        return str_printf(a,
                          "Trace again after the change: the %.*s ms above should "
                          "shrink, and total time with them.",
                          STRF(number_ms(a, f->time_ms)));
    return str_printf(a,
                      "Trace again after the change: the time of these operations, "
                      "%.*s ms in %lld calls now, should shrink, and total time with "
                      "it.",
                      STRF(number_ms(a, f->time_ms)), (long long)f->count);
}
