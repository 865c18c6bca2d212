/* What a step of the run takes, and what it consists of. */
#include "report/report_parts.h"

#include "analysis/model/number_text.h"
#include "base/duration.h"
#include "ops/timeline_data.h"

#include <math.h>

static double off_pct(const struct trace_steps *t, int32_t k)
{
    return 100.0 * (double)(t->rows[k].dur_ns - t->median_ns) / (double)t->median_ns;
}

/* How far the steps that are left out are from the median; the last of them, or -1. */
static int32_t find_left_out(const struct trace_steps *t, struct report_steps *to)
{
    int32_t last = -1;
    to->off_low_pct = to->off_high_pct = (double)NAN;
    for (int32_t k = 0; t->n_steady && k < t->n; k++) {
        if (t->rows[k].steady)
            continue;
        last = k;
        to->off_low_pct = fmin(to->off_low_pct, fabs(off_pct(t, k)));
        to->off_high_pct = fmax(to->off_high_pct, fabs(off_pct(t, k)));
    }
    return last;
}

/* "; step 101 is 63% shorter and left out", or how much several differ by. */
static struct str left_out(struct arena *a, const struct trace_steps *t,
                           const struct report_steps *r, int32_t last)
{
    int32_t n = t->n - t->n_steady;
    if (!n)
        return S("");
    if (n > 1)
        return say(a, "; {} others differ by {}% and are left out",
                   said(number_word(a, n)),
                   said(number_span_pct(a, r->off_low_pct, r->off_high_pct)));
    int64_t number = t->rows[last].number;
    number = number >= 0 ? number : (int64_t)(last + 1);
    if (off_pct(t, last) >= 100) /* a time says more than "2300% longer" */
        return say(a, "; step {} takes {} and is left out", said(number),
                   said(number_time(a, ms_of(t->rows[last].dur_ns))));
    return say(a, "; step {} is {}% {} and left out", said(number),
               said(number_fixed(a, r->off_high_pct, 0)),
               said(off_pct(t, last) < 0 ? "shorter" : "longer"));
}

/* `w`: a step on the host may begin while the device still works off what came before
 * the recording, and then is longer than the window of all figures. */
static struct str headline(struct arena *a, const struct trace_steps *t,
                           const struct report_steps *r,
                           const struct report_timeline *w, int32_t last)
{
    struct said median = said(number_time(a, ms_of(t->median_ns)));
    if (!t->n)
        return S("");
    if (t->n == 1 && w->backlog_events && !w->backlog_included &&
        ms_of(t->median_ns) > w->total_ms)
        return say(a,
                   "The one step of the recording takes {} on the host, as the device "
                   "first finishes {} of work from before it.",
                   median, said(number_time(a, w->backlog_ms)));
    if (t->n == 1)
        return say(a, "The one step of the recording takes {}.", median);
    if (!t->n_steady)
        return say(a, "The {} steps take {} ms: too uneven for a typical one.",
                   said(number_word(a, t->n)),
                   said(number_span_ms(a, ms_of(t->least_ns), ms_of(t->most_ns))));
    if (t->source == STEPS_PERIOD)
        return say(a,
                   "No steps are marked, but {} kernels recur in the same order: one "
                   "round takes {} (median of {}{}).",
                   said((int64_t)t->period), median, said((int64_t)t->n_steady),
                   said(left_out(a, t, r, last)));
    return say(a, "A step takes {} (median of {}{}).", median,
               said((int64_t)t->n_steady), said(left_out(a, t, r, last)));
}

struct str report_steps_apart(struct arena *a, const struct trace_steps *t)
{
    double least_ms = (double)INFINITY, most_ms = 0;
    int64_t n = t->n - t->n_steady;
    for (int32_t k = 0; k < t->n; k++) {
        double ms = ms_of(t->rows[k].dur_ns);
        least_ms = t->rows[k].steady ? least_ms : fmin(least_ms, ms);
        most_ms = t->rows[k].steady ? most_ms : fmax(most_ms, ms);
    }
    struct said usual = said(number_time(a, ms_of(t->median_ns)));
    if (n == 0)
        return say(a, "Each of the {} steps takes about {}.",
                   said(number_word(a, t->n)), usual);
    if (n == t->n)
        return say(a, "The {} steps take {} ms.", said(number_word(a, n)),
                   said(number_span_ms(a, least_ms, most_ms)));
    if (n == 1)
        return say(a, "{} of {} steps take about {}, the other {}.",
                   said((int64_t)t->n_steady), said((int64_t)t->n), usual,
                   said(number_time(a, most_ms)));
    return say(a, "{} of {} steps take about {}, the others {} ms.",
               said((int64_t)t->n_steady), said((int64_t)t->n), usual,
               said(number_span_ms(a, least_ms, most_ms)));
}

/* "Per steady step: idle 3.20 ms, 17.0%, exposed communication ...". */
static struct str inside(struct arena *a, const struct report_steps *r)
{
    if (!r->n_steady)
        return S("");
    struct str idle = number_ms_and_pct(a, r->idle_ms, r->idle_pct);
    return say(a,
               "Per steady step: idle {}, exposed communication {}, exposed copies {}.",
               said(idle), said(number_ms_and_pct(a, r->comm_ms, r->comm_pct)),
               said(number_ms_and_pct(a, r->copy_ms, r->copy_pct)));
}

void report_steps_fill(const struct report_source *s, struct report *r)
{
    const struct trace_steps *t = &s->t->facts.steps;
    const struct timeline_steady *d = &r->over_time->steady;
    struct report_steps *to = &r->steps;
    *to = (struct report_steps){.source = t->source,
                                .by_device = t->by_device,
                                .n = t->n,
                                .n_steady = t->n_steady,
                                .median_ms = ms_of(t->median_ns),
                                .least_ms = ms_of(t->least_ns),
                                .most_ms = ms_of(t->most_ns),
                                .mean_ms = (double)NAN,
                                .idle_ms = (double)NAN,
                                .comm_ms = (double)NAN,
                                .copy_ms = (double)NAN,
                                .idle_pct = (double)NAN,
                                .comm_pct = (double)NAN,
                                .copy_pct = (double)NAN};
    int32_t last = find_left_out(t, to);
    to->headline = headline(s->perm, t, to, &r->timeline, last);
    if (!d->n || d->total_ns <= 0)
        return;
    double each = 1.0 / (double)d->n, pct = 100.0 / (double)d->total_ns;
    int64_t idle_ns = d->total_ns - d->busy_ns;
    to->mean_ms = each * ms_of(d->total_ns);
    to->idle_ms = each * ms_of(idle_ns);
    to->idle_pct = pct * (double)idle_ns;
    to->comm_ms = each * ms_of(d->part_ns[BUSY_COMM]);
    to->comm_pct = pct * (double)d->part_ns[BUSY_COMM];
    to->copy_ms = each * ms_of(d->part_ns[BUSY_COPY]);
    to->copy_pct = pct * (double)d->part_ns[BUSY_COPY];
    to->inside = inside(s->perm, to);
}
