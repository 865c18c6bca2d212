/* What a recording is, before anything is judged: one sentence of facts. */
#include "report/report_detail.h"
#include "report/report_parts.h"

#include "analysis/model/number_text.h"
#include "analysis/model/system_results.h"
#include "base/duration.h"
#include "base/machine.h"

#include <math.h>

static const double COLD_PCT = 10; /* of the window: in what a process does once */
static const double WARM_PCT = 1;
static const double APART_PCT = 10; /* of the recording: outside the window */

/* Compilation in step after step, which no warm-up ends. */
static int64_t recompiling_ns(const struct report *r)
{
    const struct analysis *a = r->analysis;
    int64_t ns = 0;
    for (int k = 0; a && k < a->n_findings; k++)
        if (str_eq(a->findings[k].pattern, S("host_recompile")))
            ns += a->findings[k].idle->total_ns;
    return ns;
}

/* Waiting for input is neither warm nor cold. */
static double once_pct(const struct report *r)
{
    const struct idle_result *idle = &report_system(r)->idle;
    int64_t ns = idle->class_ns[IDLE_FIRST_LAUNCH] + idle->class_ns[IDLE_LOAD] +
                 idle->class_ns[IDLE_GRAPH] - recompiling_ns(r);
    double of_ms = r->timeline.total_ms - ms_of(idle->pool_ns[POOL_INPUT]);
    return of_ms > 0 ? 100 * ms_of(ns) / of_ms : 0;
}

bool report_is_cold(const struct report *r)
{
    return once_pct(r) >= COLD_PCT;
}

static bool is_marked(const struct trace_steps *t)
{
    return t->source != STEPS_NONE && t->source != STEPS_PERIOD;
}

/* "cold", "warm", or nothing where neither shows. Step 0 is the profiler's first, of a
 * process that may have run for days. */
static struct str warmth(const struct trace_facts *f, const struct report *r)
{
    const struct trace_steps *t = &f->steps;
    double once = once_pct(r);
    if (once >= COLD_PCT || (f->loader_starts && f->n_data_waits <= 1))
        return S("cold");
    bool warm = is_marked(t) && t->rows[0].number > 0 && once < WARM_PCT;
    return warm && !recompiling_ns(r) ? S("warm") : S("");
}

static struct str kind(const struct report_source *s, const struct report *r)
{
    if (s->t->traits.training)
        return S("training");
    const struct report_phase *one = r->phases.n == 2 ? &r->phases.list[0] : NULL;
    return one && (one->phase == PHASE_PREFILL || one->phase == PHASE_DECODE) ? one->id
           : r->phases.several ? S("serving")
                               : S("");
}

/* Without marks: what recurs may be a step, or a layer where all are alike. */
static struct str rounds(struct arena *a, const struct trace_steps *t)
{
    return say(a, "{} rounds of {} kernels", said(t->n + 1), said(t->period));
}

/* "Five warm training steps"; empty where nothing tells one from the next. */
static struct str head(const struct report_source *s, const struct report *r)
{
    const struct trace_facts *f = &s->t->facts;
    if (f->steps.source == STEPS_PERIOD)
        return rounds(s->perm, &f->steps);
    bool batches = f->steps.source == STEPS_NONE;
    int64_t n = batches ? f->n_data_waits : f->steps.n;
    struct str unit = batches ? S("batch") : S("step"),
               many = batches ? S("es") : S("s");
    if (!n)
        return report_is_cold(r) ? S("A cold run") : S("");
    struct str words[] = {warmth(f, r), kind(s, r)};
    struct str number = n == 1 ? S("One") : str_printf(s->perm, "%lld", (long long)n);
    return say(s->perm, "{} {}{}{}{}{}{}", said(number), said(words[0]),
               said(words[0].n ? " " : ""), said(words[1]), said(words[1].n ? " " : ""),
               said(unit), said(n == 1 ? S("") : many));
}

static struct str first_step(const struct trace_facts *f)
{
    const struct trace_steps *t = &f->steps;
    return is_marked(t) && t->n > 1 && t->rows[0].number == 0
               ? S(", the profiler's first among them")
               : S("");
}

/* The sentence about phases counts the same steps. */
static bool counts_steps(const struct trace_facts *f, const struct report *r)
{
    return r->phases.n == 2 && r->phases.list[0].n_steps == f->steps.n &&
           !warmth(f, r).n && !first_step(f).n;
}

static struct str share(struct arena *a, const struct report_recording *of,
                        int64_t early_wait_ns)
{
    if (early_wait_ns)
        return say(
            a,
            "GPU active for at least {}% of the {} recorded: for {} the host waits "
            "for unrecorded work",
            said(number_pct(a, of->busy_pct)), said(number_time(a, of->length_ms)),
            said(number_time(a, ms_of(early_wait_ns))));
    return say(a, "GPU active for {}% of the {} recorded",
               said(number_pct(a, of->busy_pct)), said(number_time(a, of->length_ms)));
}

/* What of the recording no percentage is of. */
static struct str apart(struct arena *a, const struct report *r,
                        const struct report_recording *of)
{
    double skew_ms = r->timeline.skew_ms, ms = of->before_ms + of->after_ms + skew_ms;
    if (!(ms >= APART_PCT / 100 * of->length_ms))
        return S("");
    struct str late = S("");
    if (skew_ms > 0)
        late =
            say(a, ", without {} in which the first collective waits for other ranks",
                said(number_time(a, skew_ms)));
    return say(a, "; percentages are of {}, {}{}",
               said(number_time(a, of->window_ms - skew_ms)), said(r->timeline.span),
               said(late));
}

struct parts {
    struct arena *a;
    struct str text;
};

static void add(struct parts *p, struct str what)
{
    p->text = p->text.n ? say(p->a, "{}, {}", said(p->text), said(what)) : what;
}

/* " Not recorded: steps, shapes, call stacks, 7 of 8 ranks." */
static struct str missing(const struct report_source *s, const struct report *r)
{
    const struct trace_facts *f = &s->t->facts;
    struct parts p = {s->perm, S("")};
    int ranks = f->machine ? f->machine->world_size : -1,
        here = f->machine && f->machine->n_parts > 1 ? f->machine->n_parts : 1;
    if (f->steps.source == STEPS_NONE && !f->n_data_waits)
        add(&p, S("steps"));
    if (!f->has_cpu_op)
        add(&p, S("operators"));
    else if (!f->has_shapes && !f->shapes_hidden)
        add(&p, S("shapes"));
    if (!f->has_frames)
        add(&p, f->names_callers ? S("times of Python code") : S("call stacks"));
    if (f->kernels_alone)
        add(&p, r->timeline.total_memcpy_ms > 0 ? S("copies by copy engines")
                                                : S("copies"));
    if (ranks > here && ranks < 1000000 && f->n_devices == 1)
        add(&p, say(s->perm, "{} of {} ranks", said(ranks - here), said(ranks)));
    return p.text.n ? say(s->perm, " Not recorded: {}.", said(p.text)) : S("");
}

void report_recording_fill(const struct report_source *s, struct report *r)
{
    const struct trace_facts *f = &s->t->facts;
    const struct report_timeline *t = &r->timeline;
    struct report_recording *to = &r->recording;
    *to = (struct report_recording){
        .length_ms = ms_of(f->host_ns),
        .before_ms = ms_of(f->before_ns),
        .window_ms = ms_of(f->host_ns - f->before_ns - f->after_ns),
        .after_ms = ms_of(f->after_ns),
        .busy_pct = 100.0 * (double)f->busy_ns / (double)(f->host_ns ? f->host_ns : 1)};
    if (!r->meta.has_gpu || !(t->total_ms > 0))
        return;
    struct str opens = say(s->perm, "{}{}", said(head(s, r)), said(first_step(f)));
    struct str besides = apart(s->perm, r, to), lacks = missing(s, r);
    to->says =
        say(s->perm, "{}{}{}{}.{}", said(opens), said(opens.n ? ": " : ""),
            said(share(s->perm, to, f->early_wait_ns)), said(besides), said(lacks));
    to->beside = besides.n ? to->says
                 : opens.n && !counts_steps(f, r)
                     ? say(s->perm, "{}.{}", said(opens), said(lacks))
                     : str_trim(lacks);
}
