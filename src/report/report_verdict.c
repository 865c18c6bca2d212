/* The opening of a report: what kind of run this is, what to do first and what that is
 * worth, what most of the work is. */
#include "report/report_detail.h"
#include "report/report_parts.h"

#include "analysis/model/number_text.h"
#include "analysis/model/system_results.h"

#include <math.h>

static const struct str kinds[VERDICT_KINDS] = {
    [VERDICT_UNJUDGED] = S_INIT("cannot be judged"),
    [VERDICT_DEVICE] = S_INIT("device-bound"),
    [VERDICT_HOST] = S_INIT("host-bound"),
    [VERDICT_INPUT] = S_INIT("input-bound"),
    [VERDICT_NO_WORK] = S_INIT("without work"),
    [VERDICT_COMMUNICATION] = S_INIT("communication-bound"),
    [VERDICT_COPIES] = S_INIT("copy-bound"),
    [VERDICT_WARM_UP] = S_INIT("mostly warm-up")};

struct str verdict_word(enum verdict_kind kind)
{
    return kinds[kind];
}

/* Idle time that is the start of a process, not of a step. */
static bool is_warm_up(const struct idle_result *idle)
{
    int64_t once_ns = idle->class_ns[IDLE_FIRST_LAUNCH] + idle->class_ns[IDLE_LOAD] +
                      idle->class_ns[IDLE_GRAPH],
            all_ns = 0;
    for (int c = 0; c < IDLE_CLASSES; c++)
        all_ns += idle->class_ns[c];
    return 2 * once_ns > all_ns;
}

/* The pattern of the idle time that there is most of. */
static struct str idle_pattern(const struct report *r)
{
    const struct finding *most = NULL;
    for (int k = 0; k < r->n_findings; k++) {
        const struct finding *f = r->findings[k].of;
        if (f->category == WORK_CPU_IDLE && (!most || f->time_ms > most->time_ms))
            most = f;
    }
    return most ? most->pattern : S("");
}

/* Most of the time that faster kernels would save is the host's: the device has slack,
 * so the run is as long as what the host does. */
static bool hides_kernels(const struct report *r)
{
    double now_ms = 0, then_ms = 0;
    for (int k = 0; k < r->n_findings; k++) {
        const struct finding *f = r->findings[k].of;
        if (f->tier == TIER_SYSTEM || f->informational || !(f->impact.high_ms >= 0))
            continue;
        now_ms += f->impact.high_ms;
        then_ms += f->until >= 0 ? f->impact_then.high_ms : f->impact.high_ms;
    }
    return then_ms > 0.1 * r->timeline.total_ms && now_ms < 0.25 * then_ms;
}

/* So much is enough to bind a run if nothing else but computation takes more. */
static const double MUCH_PCT = 25;

static enum verdict_kind kind_of(const struct report *r)
{
    const struct report_timeline *t = &r->timeline;
    if (!r->meta.has_gpu || !(t->total_ms > 0))
        return VERDICT_UNJUDGED;
    double most = t->idle_pct;
    enum verdict_kind kind = VERDICT_HOST;
    if (t->exposed_comm_pct > most) {
        most = t->exposed_comm_pct;
        kind = VERDICT_COMMUNICATION;
    }
    if (t->exposed_memcpy_pct > most) {
        most = t->exposed_memcpy_pct;
        kind = VERDICT_COPIES;
    }
    if (most < MUCH_PCT)
        return kind == VERDICT_HOST && hides_kernels(r) ? kind : VERDICT_DEVICE;
    if (kind != VERDICT_HOST)
        return kind;
    struct str pattern = idle_pattern(r);
    if (str_eq(pattern, S("host_recompile")))
        return kind;
    if (is_warm_up(&report_system(r)->idle))
        return VERDICT_WARM_UP;
    return str_eq(pattern, S("host_loader"))     ? VERDICT_INPUT
           : str_eq(pattern, S("host_no_input")) ? VERDICT_NO_WORK
                                                 : kind;
}

static struct str verdict_sentence(struct arena *a, const struct report *r)
{
    const struct report_timeline *t = &r->timeline;
    struct str total = number_time(a, t->total_ms);
    struct str idle = number_pct(a, t->idle_pct);
    switch (r->verdict_kind) {
    case VERDICT_DEVICE:
        return str_printf(a, "Device-bound: the GPU computes for %.*s%% of %.*s.",
                          STRF(number_pct(a, t->computation_pct)), STRF(total));
    case VERDICT_HOST:
        return str_printf(a,
                          "Host-bound: the GPU is idle for %.*s%% of %.*s and waits "
                          "for the host.",
                          STRF(idle), STRF(total));
    case VERDICT_INPUT:
        return str_printf(a,
                          "Input-bound: the GPU is idle for %.*s%% of %.*s and waits "
                          "for data.",
                          STRF(idle), STRF(total));
    case VERDICT_NO_WORK:
        return str_printf(
            a,
            "Without work: the GPU is idle for %.*s%% of %.*s, most of it "
            "because nothing comes in.",
            STRF(idle), STRF(total));
    case VERDICT_WARM_UP:
        return str_printf(a,
                          "Mostly warm-up: the GPU is idle for %.*s%% of %.*s, most of "
                          "it in what a process does once.",
                          STRF(idle), STRF(total));
    case VERDICT_COMMUNICATION:
        return str_printf(a,
                          "Communication-bound: collectives that no computation hides "
                          "take %.*s%% of %.*s.",
                          STRF(number_pct(a, t->exposed_comm_pct)), STRF(total));
    case VERDICT_COPIES:
        return str_printf(a,
                          "Copy-bound: copies that nothing hides take %.*s%% of %.*s.",
                          STRF(number_pct(a, t->exposed_memcpy_pct)), STRF(total));
    default:
        return r->meta.has_gpu
                   ? S("No device event of the trace has a launch call: without them "
                       "there is no GPU time to analyse.")
                   : S("The trace holds no device events: there is no GPU time to "
                       "analyse.");
    }
}

/* Where only one of prefill and decode waits for the host, what helps one does not help
 * the other. A phase of less than a tenth of the time is not judged. */
static struct str phase_sentence(struct arena *a, const struct report *r)
{
    const double SOME_PCT = 10;
    const struct report_phase *p[] = {report_phase_of(r, PHASE_PREFILL),
                                      report_phase_of(r, PHASE_DECODE)};
    if ((r->verdict_kind != VERDICT_DEVICE && r->verdict_kind != VERDICT_HOST) ||
        !p[0] || !p[1] || p[0]->wall_pct < SOME_PCT || p[1]->wall_pct < SOME_PCT)
        return S("");
    const struct report_phase *host = p[p[1]->waits_pct >= MUCH_PCT],
                              *device = p[p[1]->waits_pct < MUCH_PCT];
    if (host->waits_pct < MUCH_PCT || device->waits_pct >= MUCH_PCT)
        return S("");
    return say(a,
               "Only {} waits for the host: the GPU is idle for {}% of the time in and "
               "between its steps, in {} for {}%.",
               said(host->id), said(number_pct(a, host->waits_pct)), said(device->id),
               said(number_pct(a, device->waits_pct)));
}

const struct finding *report_unjudged(const struct report *r)
{
    for (int k = 0; k < r->n_findings; k++) {
        const struct finding *f = r->findings[k].of;
        if (f->kind == FIND_UNMODELLED && f->compute_pct > 50)
            return f;
    }
    return NULL;
}

static bool are_copies(const struct analysis *a, struct str category)
{
    for (int k = 0; a && k < a->n_by_time; k++) {
        const struct category_result *c = &a->categories[a->by_time[k]];
        if (str_eq(work_category_name(c->category), category))
            return c->host_copies_ms > 0.5 * c->time_ms;
    }
    return false;
}

static struct str category_sentence(struct arena *a, const struct report *r)
{
    if (!r->n_categories)
        return S("");
    const struct report_category *c = &r->categories[0];
    if (are_copies(r->analysis, c->id))
        return S(""); /* which the first sentence is about */
    struct str most = str_printf(a, " Most kernel time is %.*s (%.*s%%)",
                                 STRF(c->label), STRF(number_pct(a, c->share_pct)));
    const struct finding *unjudged = report_unjudged(r);
    return unjudged ? str_printf(a, "%.*s; %.*s.", STRF(most), STRF(unjudged->title))
                    : str_printf(a, "%.*s.", STRF(most));
}

/* ", the first five together 310 to 340 ms", of one replay; or nothing. */
static struct str together_text(struct arena *a, const struct analysis *of)
{
    const struct impact_range *x = &of->together;
    if (of->no_system_impact || of->n_together < 2 || !(x->high_ms > 0))
        return S("");
    struct str n = number_word(a, of->n_together),
               ms = number_range_ms(a, x->low_ms, x->high_ms);
    return str_printf(a, ", the first %.*s together %.*s ms", STRF(n), STRF(ms));
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
    return f && f->impact.high_ms > 0.0
               ? r->timeline.total_ms - (f->impact.low_ms + f->impact.high_ms) / 2
               : (double)NAN;
}

static double after_together_ms(const struct report *r)
{
    const struct analysis *of = r->analysis;
    const struct impact_range *x = &of->together;
    return !of->no_system_impact && of->n_together >= 2 && x->high_ms > 0.0
               ? r->timeline.total_ms - (x->low_ms + x->high_ms) / 2
               : (double)NAN;
}

/* What saves less does not open a report. */
static const double LEAST_TO_LEAD_PCT = 1;

static struct str first_sentence(struct arena *a, const struct report *r)
{
    const struct finding *first = first_finding(r);
    if (!first)
        return S("No finding.");
    const struct impact_range *x = &first->impact;
    if (r->verdict_kind == VERDICT_WARM_UP)
        return str_printf(a, "First: record again after warm-up steps; %.*s.",
                          STRF(first->title));
    if (!(x->high_ms > 0.0))
        return str_printf(a, "First: %.*s.", STRF(first->title));
    if ((x->low_pct + x->high_pct) / 2 < LEAST_TO_LEAD_PCT)
        return S("No finding would save 1% of the time.");
    struct str ms = number_range_ms(a, x->low_ms, x->high_ms),
               together = together_text(a, r->analysis);
    return str_printf(
        a, "First: %.*s. Mending it saves %.*s ms (%.*s becomes about %.*s)%.*s.",
        STRF(first->title), STRF(ms), STRF(number_time(a, r->timeline.total_ms)),
        STRF(number_time(a, r->after_first_ms)), STRF(together));
}

void report_verdict_fill(const struct report_source *s, struct report *r)
{
    r->verdict_kind = kind_of(r);
    r->after_first_ms = after_first_ms(r);
    r->after_together_ms = after_together_ms(r);
    r->phases.contrast = phase_sentence(s->perm, r);
    r->verdict_alone = verdict_sentence(s->perm, r);
    r->verdict = say(s->perm, "{}{}{}", said(r->verdict_alone),
                     said(r->phases.contrast.n ? " " : ""), said(r->phases.contrast));
    if (r->verdict_kind != VERDICT_UNJUDGED)
        r->lead = str_printf(s->perm, "%.*s%.*s", STRF(first_sentence(s->perm, r)),
                             STRF(category_sentence(s->perm, r)));
}
