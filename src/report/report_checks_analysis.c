/* Checks of the numbers: do they add up, and are they believable? */
#include "report/report_checks.h"

#include "analysis/model/number_text.h"
#include "analysis/model/system_results.h"
#include "analysis/model/work_facts.h"
#include "base/duration.h"
#include "base/out.h"
#include "perf/call_cost.h"
#include "report/report_detail.h"

#include <math.h>

static struct measured balance(const struct check_list *l)
{
    const struct report_timeline *t = &l->r->timeline;
    double sum =
        t->computation_ms + t->exposed_comm_ms + t->exposed_memcpy_ms + t->idle_ms;
    return fail_unless(
        fabs(sum - t->total_ms) <= 0.001 * t->total_ms,
        say(l->perm,
            "Computation, exposed communication, exposed copies and idle time are "
            "{} ms of {} ms.",
            said_fixed(sum, 3), said_fixed(t->total_ms, 3)));
}

/* Rows that copy include part of the exposed copy time, which is not computation. */
static bool has_copies(const struct category_result *c)
{
    for (int32_t k = 0; k < c->n_rows; k++)
        if (c->rows[k].group->copies)
            return true;
    return false;
}

static struct measured time_sanity(const struct check_list *l)
{
    const struct report_timeline *t = &l->r->timeline;
    const struct analysis *a = l->s->a;
    double sum = 0.0, whole = t->computation_ms;
    bool copies = false;
    for (int k = 0; k < a->n_by_time; k++) {
        const struct category_result *c = &a->categories[a->by_time[k]];
        sum += c->time_ms;
        copies |= has_copies(c);
    }
    whole += copies ? t->exposed_memcpy_ms : 0.0;
    if (!(whole > 0.0) || !a->n_by_time)
        return not_evaluated(S("No operation has device time."), "");
    return warn_unless(
        100.0 * fabs(sum - whole) / whole <= 10.0,
        say(l->perm, "Operations sum to {} ms; the device computes{} for {} ms.",
            said(number_ms(l->perm, sum)), said(copies ? " or copies" : ""),
            said(number_ms(l->perm, whole))));
}

/* Of busy time: what is worth a warning. */
#define UNLINKED_PCT 0.1
#define BACKLOG_PCT  5.0

static const char record_launches[] = "Record launch calls, too: {host}.";

/* What the trace saw launched, it does not say. */
static struct measured without_launches(void)
{
    return not_evaluated(S("No device event has a launch call."), record_launches);
}

static struct measured attribution(const struct check_list *l)
{
    const struct report_timeline *t = &l->r->timeline;
    if (!t->unlinked_events)
        return warn_unless(
            true, t->backlog_events
                      ? S("Every device event of the window has a launch call.")
                      : S("Every device event has a launch call."));
    struct measured m = warn_unless(
        t->unlinked_busy_pct <= UNLINKED_PCT,
        say(l->perm,
            "{} device {} no launch call in the trace: {} ms in which nothing else "
            "runs ({}% of busy time) are {}.",
            said(t->unlinked_events),
            said(str_plural(t->unlinked_events, "event has", "events have")),
            said(number_ms(l->perm, t->unlinked_ms)),
            said(number_pct(l->perm, t->unlinked_busy_pct)),
            said(t->unlinked_included ? "counted, in categories by the kernels' names"
                                      : "left out of the timeline and of the tables")));
    if (!t->unlinked_included)
        m.what_to_do = "Run without --exclude-unlinked to count them.";
    else if (!l->s->t->facts.n_linked)
        m.what_to_do = record_launches;
    return m;
}

/* The device works when the recording begins, but for what the trace does not show. */
static struct measured works_unseen(const struct check_list *l)
{
    const struct trace_facts *f = &l->s->t->facts;
    return not_evaluated(say(l->perm,
                             "{} waits {} ms for work that is not recorded, before "
                             "anything recorded is launched.",
                             said(f->early_wait),
                             said(number_ms(l->perm, ms_of(f->early_wait_ns)))),
                         "");
}

static struct measured backlog(const struct check_list *l)
{
    const struct report_timeline *t = &l->r->timeline;
    if (!l->s->t->facts.n_linked)
        return without_launches();
    if (!t->backlog_events && l->s->t->facts.early_wait_ns)
        return works_unseen(l);
    if (!t->backlog_events)
        return warn_unless(true, S("No device work was launched before the recording "
                                   "began."));
    struct measured m =
        warn_unless(t->backlog_busy_pct <= BACKLOG_PCT,
                    say(l->perm,
                        "{} device {} launched before the recording began: their {} ms "
                        "({}% of busy "
                        "time) are {}.",
                        said(t->backlog_events),
                        said(str_plural(t->backlog_events, "event was", "events were")),
                        said(number_ms(l->perm, t->backlog_ms)),
                        said(number_pct(l->perm, t->backlog_busy_pct)),
                        said(t->backlog_included ? "counted, as --include-backlog asks"
                                                 : "in no figure")));
    if (t->backlog_included)
        m.what_to_do = "Run without --include-backlog to leave them out.";
    return m;
}

static struct measured beginning(const struct check_list *l)
{
    const struct report_timeline *t = &l->r->timeline;
    const char *finishing = "the device was most likely finishing work from before the "
                            "recording.";
    if (!l->s->t->facts.n_linked)
        return without_launches();
    if (t->artefact_ms > 0.0)
        return warn_unless(
            false, say(l->perm,
                       "The device waits for {} ms with work queued, right at the "
                       "beginning: {} "
                       "This is not idle time, and no percentage counts it.",
                       said(number_ms(l->perm, t->artefact_ms)), said(finishing)));
    if (t->queued_ms > 0.0)
        return warn_unless(
            false,
            say(l->perm, "The first device event begins {} ms after its launch: {}",
                said(number_ms(l->perm, t->queued_ms)), said(finishing)));
    if (l->s->t->facts.early_wait_ns)
        return works_unseen(l);
    return warn_unless(true,
                       S("Nothing is queued for long when the recording begins."));
}

static struct measured graph_launches(const struct check_list *l)
{
    const struct trace_facts *f = &l->s->t->facts;
    if (f->graph_ns == 0 && f->lent_ns == 0)
        return (struct measured){0};
    struct str lent =
        f->lent_ns ? say(l->perm,
                         " {} ms of kernels of graphs have the operations of the "
                         "trace given with --capture-trace, which launches the same "
                         "kernels one by one.",
                         said(number_ms(l->perm, (double)f->lent_ns / 1e6)))
                   : S("");
    double pct = 100.0 * (double)f->graph_ns / (double)f->kernel_ns;
    if (f->graph_ns == 0)
        return warn_unless(true, str_skip(lent, 1));
    return warn_unless(
        pct < 5.0,
        say(l->perm,
            "{} GPU graph {} {} ms of kernels ({}% of kernel time), for which the "
            "trace has neither operations nor shapes.{}",
            said(f->graph_launches),
            said(str_plural(f->graph_launches, "launch replays", "launches replay")),
            said(number_ms(l->perm, (double)f->graph_ns / 1e6)),
            said(number_pct(l->perm, pct)), said(lent)));
}

static struct measured views(const struct check_list *l)
{
    const struct op_tables *t = l->s->t;
    int64_t launched = 0, modelled = 0;
    for (int32_t k = 0; k < t->launchers.n; k++)
        launched += t->launchers.rows[k].direct_ns;
    for (int32_t k = 0; k < t->models.n; k++)
        modelled += t->models.rows[k].unlinked ? 0 : t->models.rows[k].direct_ns;
    if (!launched)
        return (struct measured){0};
    double off = 100.0 * fabs((double)modelled - (double)launched) / (double)launched;
    return warn_unless(off <= 1.0,
                       say(l->perm,
                           "By launching call {} ms, by modelled operation {} ms.",
                           said(number_ms(l->perm, (double)launched / 1e6)),
                           said(number_ms(l->perm, (double)modelled / 1e6))));
}

/* "aten::mm, aten::bmm and 3 more" of the operations that `has` picks. */
static struct str names_of(const struct check_list *l,
                           bool (*has)(const struct report_op *), int *n)
{
    enum { SHOWN = 3 };
    struct out o;
    out_memory(&o);
    *n = 0;
    for (int k = 0; k < l->r->n_ops; k++) {
        if (!has(&l->r->ops[k]))
            continue;
        if ((*n)++ >= SHOWN)
            continue;
        out_c(&o, *n > 1 ? ", " : "");
        out_str(&o, str_head(l->r->ops[k].row->name, 60));
    }
    if (*n > SHOWN)
        out_printf(&o, " and %d more", *n - SHOWN);
    return out_text(&o, l->perm);
}

static bool is_above_roof(const struct report_op *op)
{
    return op->row->efficiency.percent > 100.0;
}

static bool is_modelled(const struct report_op *op)
{
    return !isnan(op->row->efficiency.percent);
}

static bool is_unsteady(const struct report_op *op)
{
    return op->row->high_variance;
}

#define GIVE_PEAKS                                                                     \
    "Give peaks with -p: a device that `tracefolio platforms` lists, or a JSON file."

static struct measured efficiency(const struct check_list *l)
{
    int n = 0;
    struct str names = names_of(l, is_above_roof, &n);
    if (!l->r->device.known)
        return (struct measured){CHECK_NOT_EVALUATED, l->r->device.missing, NULL,
                                 "efficiency", GIVE_PEAKS};
    int modelled = 0;
    for (int k = 0; k < l->r->n_ops; k++)
        modelled += is_modelled(&l->r->ops[k]);
    if (!modelled)
        return not_evaluated(S("No operation has a performance model."), "");
    return warn_unless(!n,
                       n ? say(l->perm,
                               "Above 100% of the roof: {}. Their operands are cached "
                               "or expanded, or the times are wrong.",
                               said(names))
                         : S("Every modelled operation is below its roof."));
}

static struct measured spread(const struct check_list *l)
{
    int n = 0;
    struct str names = names_of(l, is_unsteady, &n);
    return warn_unless(
        !n, n ? say(l->perm, "Timings vary strongly for {} {}: {}.", said(n),
                    said(str_plural(n, "operation", "operations")), said(names))
              : S("No large operation varies by more than its mean."));
}

/* Its model takes bytes for an 8-bit type of floats; no peak is wanted to copy them. */
static bool is_of_bytes(const struct work_row *r)
{
    return str_has(r->args, S("uint8")) && !str_has(r->args, S("fp8"));
}

/* "vector_bf16, vector_fp32": the specs without a peak. */
static struct str missing_peaks(const struct check_list *l)
{
    enum { SHOWN = 8 };
    const struct analysis *a = l->s->a;
    struct str seen[SHOWN];
    struct out o;
    int n = 0;
    out_memory(&o);
    for (int c = 0; c < WORK_CATEGORIES; c++)
        for (int32_t k = 0; k < a->categories[c].n_rows; k++) {
            const struct work_row *row = &a->categories[c].rows[k];
            const struct work_efficiency *e = &row->efficiency;
            bool known = !e->no_peak || n == SHOWN || is_of_bytes(row);
            for (int i = 0; i < n && !known; i++)
                known = str_eq(seen[i], e->compute_spec);
            if (known)
                continue;
            out_c(&o, n ? ", " : "");
            out_str(&o, e->compute_spec);
            seen[n++] = e->compute_spec;
        }
    return out_text(&o, l->perm);
}

static struct measured peaks(const struct check_list *l)
{
    const struct report_meta *m = &l->r->meta;
    if (!l->r->device.known)
        return (struct measured){CHECK_NOT_EVALUATED, l->r->device.missing,
                                 "same device", "efficiency and gains", GIVE_PEAKS};
    struct str spec = missing_peaks(l);
    struct str misfit = l->r->device.misfit;
    if (misfit.n) {
        struct measured other = warn_unless(false, misfit);
        other.what_to_do = "Give the platform that the trace was recorded on with -p.";
        return other;
    }
    return warn_unless(
        !spec.n, spec.n ? say(l->perm,
                              "No peak of {} is known for {}: how efficient such work "
                              "is, is unknown.",
                              said(m->platform), said(spec))
                        : say(l->perm, "The peaks of {} are used.", said(m->platform)));
}

/* Time of the rows whose model took strides for granted. */
static struct measured strides(const struct check_list *l)
{
    const struct op_groups *g = &l->s->t->judged;
    double dense_ms = 0.0, all_ms = 0.0;
    bool modelled = false;
    for (int32_t i = 0; i < g->n; i++) {
        double ms = g->rows[i].direct_us.sum / 1e3;
        bool dense = g->rows[i].cost && g->rows[i].cost->assumed_dense;
        modelled |= g->rows[i].cost != NULL;
        dense_ms += dense ? ms : 0.0;
        all_ms += ms;
    }
    if (!modelled)
        return not_evaluated(S("No operation has a performance model."), "");
    return warn_unless(dense_ms <= 0.0,
                       dense_ms > 0.0
                           ? say(l->perm,
                                 "No strides are recorded: for {}% of the time of "
                                 "operations, tensors "
                                 "are taken to be dense.",
                                 said(number_pct(l->perm, 100.0 * dense_ms / all_ms)))
                           : S("No figure rests on assumed strides."));
}

static struct measured other(const struct check_list *l)
{
    int c = report_category_index(l->r, WORK_OTHER);
    double pct = 0;
    if (c >= 0) { /* of many kinds, which are known */
        const struct report_category *of = &l->r->categories[c];
        double ms = work_category_number(&l->r->analysis->categories[WORK_OTHER],
                                         "miscellaneous_ms");
        pct = of->time_ms > 0 ? of->share_pct * fmin(1, ms / of->time_ms) : 0;
    }
    return warn_unless(!(pct > 10.0),
                       say(l->perm,
                           "{}% of kernel time is in operations of no known kind.",
                           said(number_pct(l->perm, pct))));
}

/* A finding is about its rows, or about a part of them such as layout conversion; one
 * that names its events may be about others, too. */
static bool is_consistent(const struct report *r, const struct report_finding *f)
{
    double sum = 0.0;
    for (int k = 0; k < f->n_ops; k++)
        sum += r->ops[f->ops[k]].row->time_ms;
    double close = 0.001 + 1e-6 * sum;
    if (f->of->tier != TIER_COMPUTE || f->of->about == ABOUT_EVENTS || !f->n_ops)
        return true;
    return f->of->kind == FIND_PATTERN ? f->of->time_ms <= sum + close
                                       : fabs(sum - f->of->time_ms) <= close;
}

static struct measured findings(const struct check_list *l)
{
    const struct report *r = l->r;
    int wrong = 0;
    for (int k = 0; k < r->n_findings; k++) {
        wrong += !is_consistent(r, &r->findings[k]);
        wrong += r->findings[k].of->global_rank != k + 1;
    }
    return fail_unless(!wrong,
                       wrong ? say(l->perm,
                                   "Findings that differ from their rows or ranks: {}.",
                                   said(wrong))
                             : say(l->perm, "Findings that agree with their rows: {}.",
                                   said(r->n_findings)));
}

/* By priority, then by what their savings count for, from a thousandth of the time on;
 * some are unknown, remarks come last, and idle time that happens once counts with its
 * time. */
static struct measured order(const struct check_list *l)
{
    const struct report *r = l->r;
    const double LEAST_PCT = 0.1;
    double last_pct = (double)INFINITY;
    enum priority last = PRIORITY_CRITICAL;
    int wrong = 0;
    for (int k = 0; k < r->n_findings; k++) {
        const struct finding *f = r->findings[k].of;
        double pct = impact_worth_pct(&f->impact);
        bool once = f->category == WORK_CPU_IDLE && !(pct > 0);
        if (f->informational)
            continue;
        wrong += f->priority > last;
        last_pct = f->priority == last ? last_pct : (double)INFINITY;
        last = f->priority;
        if (isnan(pct) || once)
            continue;
        pct = pct < LEAST_PCT ? 0 : pct;
        wrong += pct > last_pct;
        last_pct = pct;
    }
    return fail_unless(!wrong, say(l->perm, "Findings out of order: {} of {}.",
                                   said(wrong), said(r->n_findings)));
}

static struct measured analyses(const struct check_list *l)
{
    const struct analysis *a = l->s->a;
    int failed = 0;
    for (int k = 0; k < a->n_warnings; k++)
        failed += a->warnings[k].failure;
    return fail_unless(
        !failed,
        failed ? say(l->perm, "Analyses or patterns that failed: {}.", said(failed))
               : S("No analysis and no pattern failed."));
}

/* "57.1% by their stream, 42.9% by their launch": shares of device time. */
static struct str starts(struct arena *perm, const struct schedule_facts *f)
{
    static const char *const by[START_RULES] = {"their stream", "another stream",
                                                "their launch", NULL, NULL};
    int64_t all_ns = 0, known_ns = 0;
    struct str text = S("");
    for (int k = 0; k < START_RULES; k++) {
        all_ns += f->ns_by[k];
        known_ns += by[k] ? f->ns_by[k] : 0;
    }
    for (int k = 0; k < START_RULES && all_ns > 0; k++)
        if (by[k] && f->ns_by[k])
            text = say(
                perm, "{}{}{}% by {}", said(text), said(text.n ? ", " : ""),
                said(number_pct(perm, 100.0 * (double)f->ns_by[k] / (double)all_ns)),
                said(by[k]));
    if (known_ns == all_ns)
        return text;
    return say(
        perm, "{}{}{}% by nothing recorded", said(text), said(text.n ? ", " : ""),
        said(number_pct(perm, 100.0 * (double)(all_ns - known_ns) / (double)all_ns)));
}

static struct measured replay(const struct check_list *l)
{
    const struct schedule_facts *f = &l->s->a->replay;
    if (!f->recorded_ns)
        return not_evaluated(S("The trace has no device events."), "");
    if (!f->exact)
        return fail_unless(false, say(l->perm, "The replay misses the recorded {} ms.",
                                      said_fixed((double)f->recorded_ns / 1e6, 3)));
    struct measured m = warn_unless(
        f->usable,
        say(l->perm,
            "The replay takes the recorded {} ms, to the ns. Starts of "
            "device events are bound, by their time: {}.",
            said_fixed((double)f->recorded_ns / 1e6, 3), said(starts(l->perm, f))));
    if (!l->s->t->facts.n_linked)
        m.what_to_do = record_launches;
    return m;
}

static const char a_defect[] = "This is a defect of the program; please report it.";

static const struct check checks[] = {
    {"analyses", "Every analysis ran to its end", "An analysis failed", "0",
     "findings of the parts named in the warnings",
     "The parts named below are left out of the recommendations.", analyses},
    {"balance", "Parts of the wall time add up to the total",
     "Parts of the wall time do not add up to the total", "0.1%", "all shares of time",
     a_defect, balance},
    {"time-sanity", "Operations add up to computation time",
     "The times of operations do not add up to computation time", "10%",
     "shares of computation",
     "Streams overlap, or work is counted under several calls: read shares as "
     "relative.",
     time_sanity},
    {"attribution", "Device work is attributed to launches",
     "Some device work belongs to no launch", "0.1% of busy time",
     "operations and call stacks: this work belongs to none",
     "Record runtime calls of all threads, those of libraries too.", attribution},
    {"backlog", "The recording begins with an idle device",
     "The recording begins with work launched before it", "5% of busy time",
     "nothing, while it stays outside the window",
     "Let the profiler wait for the device before its window opens.", backlog},
    {"beginning", "The device begins with what the recording launched",
     "The device begins with work from before the recording", "5% of total time",
     "nothing, while it is left out of idle time",
     "Let the profiler wait for the device before its window opens.", beginning},
    {"graph-launches", "Device work of GPU graphs is attributed",
     "Device work of GPU graphs belongs to no operation", "5% of kernel time",
     "operations and categories",
     "Give a trace of the graph's capture, or of a run without graphs, with "
     "--capture-trace.",
     graph_launches},
    {"views", "Both groupings of device work add up alike",
     "The two groupings of device work differ", "1%", "tables of operations",
     "Kernels are counted under two operations, or overlap on several streams.", views},
    {"efficiency", "No operation is faster than the device allows",
     "Some operations are faster than the device allows", "100% of roof",
     "efficiency and gains of these operations",
     "Above 110% they are left out of averages, priorities and gains.", efficiency},
    {"spread", "Repeated operations take similar time",
     "Repeated operations take very different times",
     "standard deviation above the mean", "gains of these operations",
     "Look at the median and 95th percentile, and record more steps.", spread},
    {"peaks", "The device's peaks fit the trace",
     "A peak is missing, or is that of another device",
     "same device, a peak for every type", "efficiency, bound and gains",
     "Give a platform file that has the missing peaks.", peaks},
    {"strides", "Strides are recorded where a model reads them",
     "Strides are missing where a model reads them", "0",
     "bytes, efficiency and gains of operations on views with gaps",
     "Record with {shapes} and a profiler that records strides.", strides},
    {"other", "Operations have a known category", "Many operations have no category",
     "10% of kernel time", "categories and their findings",
     "Give an extension that names the category of these operations.", other},
    {"findings", "Findings agree with the tables", "Findings disagree with the tables",
     "0", "findings", a_defect, findings},
    {"replay", "A replay of the schedule takes the recorded time",
     "Savings rest on no replay of the schedule",
     "0 ns; 20% of device time without a launch", "savings",
     "Record from before the first launch on.", replay},
    {"order", "Findings are in order of priority and of what they save",
     "Findings are not in order of priority and of what they save", "0", "ranks",
     a_defect, order},
};

void checks_of_analysis(struct check_list *l)
{
    check_all(l, checks, sizeof checks / sizeof *checks);
}
