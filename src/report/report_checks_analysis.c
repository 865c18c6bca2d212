/* Checks of the numbers: do they add up, and are they believable? */
#include "report/report_checks.h"

#include "base/out.h"
#include "report/report_numbers.h"

#include <math.h>

/* ---- sums
 * --------------------------------------------------------------------------------- */

static void check_balance(struct check_list *l)
{
    const struct report_timeline *t = &l->r->timeline;
    double sum =
        t->computation_ms + t->exposed_comm_ms + t->exposed_memcpy_ms + t->idle_ms;
    bool whole = fabs(sum - t->total_ms) <= 0.001 * t->total_ms;
    struct str value = str_printf(
        l->perm,
        "Computation, exposed communication, exposed copies and idle time are "
        "%.*s ms of %.*s ms.",
        STRF(number_fixed(l->perm, sum, 3)),
        STRF(number_fixed(l->perm, t->total_ms, 3)));
    check_put(l, "balance", "Parts of the wall time add up to the total",
              whole ? CHECK_PASSED : CHECK_FAILED, value, "0.1 %", "all shares of time",
              whole ? "" : "This is a defect of the program; please report it.");
}

/* Rows that copy take part of the exposed copy time, which is no computation. */
static bool has_copies(const struct category_result *c, const struct event_store *s)
{
    for (int32_t k = 0; k < c->n_rows; k++)
        for (int32_t e = 0; e < c->rows[k].group->first->n_kernels; e++)
            if (s->cat[c->rows[k].group->first->kernels[e]] == CAT_MEMCPY)
                return true;
    return false;
}

static void check_time_sanity(struct check_list *l)
{
    const struct report_timeline *t = &l->r->timeline;
    const struct analysis *a = l->s->a;
    static const char *const name = "Operations add up to computation time";
    double sum = 0.0, whole = t->computation_ms;
    bool copies = false;
    for (int k = 0; k < a->n_by_time; k++) {
        const struct category_result *c = &a->categories[a->by_time[k]];
        sum += c->time_ms;
        copies |= has_copies(c, l->s->t->view->s);
    }
    whole += copies ? t->exposed_memcpy_ms : 0.0;
    if (!(whole > 0.0) || !a->n_by_time) {
        check_put(l, "time-sanity", name, CHECK_NOT_EVALUATED,
                  S("No operation has device time."), "10 %", "shares of computation",
                  "");
        return;
    }
    double off = 100.0 * fabs(sum - whole) / whole;
    struct str value = str_printf(
        l->perm, "Operations sum to %.*s ms; the device computes%s for %.*s ms.",
        STRF(number_ms(l->perm, sum)), copies ? " or copies" : "",
        STRF(number_ms(l->perm, whole)));
    check_put(l, "time-sanity", name, off <= 10.0 ? CHECK_PASSED : CHECK_WARNING, value,
              "10 %", "shares of computation",
              off <= 10.0 ? ""
                          : "Streams overlap, or work is counted under several calls: "
                            "read shares as relative.");
}

static void check_attribution(struct check_list *l)
{
    const struct report_timeline *t = &l->r->timeline;
    bool large = t->unlinked_busy_pct >= 5.0;
    struct str value = S("Every device event has a launch call.");
    if (t->unlinked_events)
        value = str_printf(
            l->perm,
            "%lld device events have no launch call in the trace: %.*s ms in which "
            "nothing else runs (%.*s %% of busy time) are %s.",
            (long long)t->unlinked_events, STRF(number_ms(l->perm, t->unlinked_ms)),
            STRF(number_pct(l->perm, t->unlinked_busy_pct)),
            t->unlinked_included ? "in the timeline, but belong to no operation"
                                 : "left out of the timeline and of the tables");
    check_put(l, "attribution", "Device work is attributed to launches",
              large ? CHECK_WARNING : CHECK_PASSED, value, "5 % of busy time",
              "total time, busy time, all shares",
              !large ? ""
              : t->unlinked_included
                  ? "Let the profiler wait for the device before its "
                    "window opens."
                  : "Run with --include-unlinked to count them; let "
                    "the profiler wait for the device before its "
                    "window opens.");
}

static void check_graphs(struct check_list *l)
{
    const struct trace_view *v = l->s->t->view;
    struct graph_work g = graph_work_of(v);
    if (g.ns == 0)
        return;
    double pct = 100.0 * (double)g.ns / (double)g.all_ns;
    bool much = pct >= 5.0;
    check_put(l, "graph-launches", "Device work of GPU graphs is attributed",
              much ? CHECK_WARNING : CHECK_PASSED,
              str_printf(l->perm,
                         "%lld GPU graph launch%s %.*s ms of kernels (%.*s %% of "
                         "kernel time), of which the trace tells neither operations "
                         "nor shapes.",
                         (long long)g.launches,
                         g.launches == 1 ? " replays" : "es replay",
                         STRF(number_ms(l->perm, (double)g.ns / 1e6)),
                         STRF(number_pct(l->perm, pct))),
              "5 % of kernel time", "operations and categories",
              much ? "Trace a run without graph replay to attribute them." : "");
}

static void check_views(struct check_list *l)
{
    const struct op_tables *t = l->s->t;
    int64_t launched = 0, modelled = 0;
    for (int32_t k = 0; k < t->launchers.n; k++)
        launched += t->launchers.rows[k].direct_ns;
    for (int32_t k = 0; k < t->models.n; k++)
        modelled += t->models.rows[k].direct_ns;
    if (!launched)
        return;
    double off = 100.0 * fabs((double)modelled - (double)launched) / (double)launched;
    check_put(l, "views", "Operations and the calls below them add up alike",
              off <= 1.0 ? CHECK_PASSED : CHECK_WARNING,
              str_printf(l->perm,
                         "By launching call %.*s ms, by modelled operation %.*s "
                         "ms.",
                         STRF(number_ms(l->perm, (double)launched / 1e6)),
                         STRF(number_ms(l->perm, (double)modelled / 1e6))),
              "1 %", "tables of operations",
              off <= 1.0 ? "" : "Kernels of one operation overlap on several streams.");
}

/* ---- rows
 * --------------------------------------------------------------------------------- */

/* "aten::mm, aten::bmm and 3 more" of the operations that `has` picks. */
static struct str names_of(struct check_list *l, bool (*has)(const struct report_op *),
                           int *n)
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
        out_str(&o, str_head(l->r->ops[k].name, 60));
    }
    if (*n > SHOWN)
        out_printf(&o, " and %d more", *n - SHOWN);
    return out_text(&o, l->perm);
}

static bool is_above_roof(const struct report_op *op)
{
    return op->efficiency_pct > 100.0;
}

static bool is_unsteady(const struct report_op *op)
{
    return op->high_variance;
}

static void check_efficiency(struct check_list *l)
{
    static const char *const name = "No operation is faster than the device allows";
    int n = 0;
    struct str names = names_of(l, is_above_roof, &n);
    if (!l->r->device.known)
        check_put(l, "efficiency", name, CHECK_NOT_EVALUATED,
                  S("No platform was given."), "100 % of roof", "efficiency",
                  "Give the platform with -p.");
    else
        check_put(l, "efficiency", name, n ? CHECK_WARNING : CHECK_PASSED,
                  n ? str_printf(l->perm,
                                 "Above 100 %% of the roof: %.*s; verify the "
                                 "measurement.",
                                 STRF(names))
                    : S("Every modelled operation is below its roof."),
                  "100 % of roof", "efficiency and gains of these operations",
                  n ? "Above 110 % they are left out of averages, priorities and gains."
                    : "");
}

static void check_spread(struct check_list *l)
{
    int n = 0;
    struct str names = names_of(l, is_unsteady, &n);
    check_put(l, "spread", "Repeated operations take similar time",
              n ? CHECK_WARNING : CHECK_PASSED,
              n ? str_printf(l->perm, "Timings vary strongly for %d operations: %.*s.",
                             n, STRF(names))
                : S("No large operation varies by more than its mean."),
              "standard deviation above the mean", "gains of these operations",
              n ? "Look at median and 95th percentile, and record more steps." : "");
}

/* "vector_bf16, vector_fp32": the specs that a bf16 matrix peak stands in for. */
static struct str missing_peaks(struct check_list *l)
{
    enum { SHOWN = 8 };
    const struct analysis *a = l->s->a;
    struct str seen[SHOWN];
    struct out o;
    int n = 0;
    out_memory(&o);
    for (int c = 0; c < WORK_CATEGORIES; c++)
        for (int32_t k = 0; k < a->categories[c].n_rows; k++) {
            const struct work_efficiency *e = &a->categories[c].rows[k].efficiency;
            bool known = !e->peak_fallback || n == SHOWN;
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

static void check_peaks(struct check_list *l)
{
    static const char *const name = "The device's peaks fit the trace";
    const struct report_meta *m = &l->r->meta;
    if (!l->r->device.known) {
        check_put(l, "peaks", name, CHECK_NOT_EVALUATED, S("No platform was given."),
                  "same device", "efficiency and gains", "Give the platform with -p.");
        return;
    }
    struct str spec = missing_peaks(l);
    ptrdiff_t at = str_find(m->platform, S("@"));
    struct str stem = at < 0 ? m->platform : str_head(m->platform, at);
    bool other = m->device_name.n && !str_has_nocase(m->device_name, stem);
    struct str value =
        str_printf(l->perm, "The figures of %.*s are used.", STRF(m->platform));
    if (other)
        value = str_printf(l->perm,
                           "The trace was recorded on %.*s, the figures are those of "
                           "%.*s.",
                           STRF(str_head(m->device_name, 80)), STRF(m->platform));
    else if (spec.n)
        value = str_printf(l->perm,
                           "No peak of %.*s is known for %.*s; that of matrix_bf16 "
                           "stands in.",
                           STRF(m->platform), STRF(spec));
    check_put(l, "peaks", name, other || spec.n ? CHECK_WARNING : CHECK_PASSED, value,
              "same device, a peak for every type", "efficiency, bound and gains",
              other    ? "Give the platform the trace was recorded on with -p."
              : spec.n ? "Give a platform file with what is missing."
                       : "");
}

static void check_other(struct check_list *l)
{
    int c = report_category_index(l->r, WORK_OTHER);
    double pct = c < 0 ? 0.0 : l->r->categories[c].compute_pct;
    check_put(
        l, "other", "Operations are known by category",
        pct > 10.0 ? CHECK_WARNING : CHECK_PASSED,
        str_printf(l->perm, "%.*s %% of computation time is in the category Other.",
                   STRF(number_pct(l->perm, pct))),
        "10 % of computation time", "categories and their findings",
        pct > 10.0 ? "Give an extension that names the category of these operations."
                   : "");
}

/* ---- findings
 * ----------------------------------------------------------------------------- */

/* A finding is about its rows, or about a part of them such as layout conversion. */
static bool is_consistent(const struct report *r, const struct report_finding *f)
{
    double sum = 0.0;
    for (int k = 0; k < f->n_ops; k++)
        sum += r->ops[f->ops[k]].total_ms;
    double close = 0.001 + 1e-6 * sum;
    if (f->tier != REPORT_COMPUTE || !f->n_ops)
        return true;
    return str_eq(f->kind, S("pattern")) ? f->time_ms <= sum + close
                                         : fabs(sum - f->time_ms) <= close;
}

static void check_findings(struct check_list *l)
{
    const struct report *r = l->r;
    int wrong = 0;
    for (int k = 0; k < r->n_findings; k++) {
        wrong += !is_consistent(r, &r->findings[k]);
        wrong += r->findings[k].global_rank != k + 1;
    }
    check_put(
        l, "findings", "Findings agree with the tables",
        wrong ? CHECK_FAILED : CHECK_PASSED,
        wrong
            ? str_printf(l->perm, "%d findings differ from their rows or ranks.", wrong)
            : str_printf(l->perm, "%d findings agree with their rows.", r->n_findings),
        "0", "findings",
        wrong ? "This is a defect of the program; please report it." : "");
}

static void check_order(struct check_list *l)
{
    const struct report *r = l->r;
    int wrong = 0;
    for (int k = 1; k < r->n_findings; k++)
        wrong += r->findings[k].priority > r->findings[k - 1].priority;
    check_put(l, "order", "Findings stand in the order of their priority",
              wrong ? CHECK_FAILED : CHECK_PASSED,
              str_printf(l->perm, "%d of %d findings are out of order.", wrong,
                         r->n_findings),
              "0", "ranks",
              wrong ? "This is a defect of the program; please report it." : "");
}

static void check_analysers(struct check_list *l)
{
    const struct analysis *a = l->s->a;
    int failed = 0;
    for (int k = 0; k < a->n_warnings; k++)
        failed += a->warnings[k].failure;
    check_put(
        l, "analyses", "Every analysis ran to its end",
        failed ? CHECK_FAILED : CHECK_PASSED,
        failed ? str_printf(l->perm, "Analyses or patterns that failed: %d.", failed)
               : S("No analysis and no pattern failed."),
        "0", "findings of the parts named in the warnings",
        failed ? "The parts named below are left out of the recommendations." : "");
}

void checks_of_analysis(struct check_list *l, struct arena tmp)
{
    (void)tmp;
    check_analysers(l);
    check_balance(l);
    check_time_sanity(l);
    check_attribution(l);
    check_graphs(l);
    check_views(l);
    check_efficiency(l);
    check_spread(l);
    check_peaks(l);
    check_other(l);
    check_findings(l);
    check_order(l);
}
