#include "analysis/finding_savings.h"

#include "analysis/finding_events.h"
#include "analysis/finding_priority.h"
#include "analysis/model/number_text.h"
#include "analysis/model/system_results.h"
#include "ops/op_tables.h"
#include "whatif/what_if.h"

#include <math.h>

/* A part of a finding's own time, at both ends; NaN: unknown. */
struct part {
    double low, high;
};

struct replays {
    const struct analysis *a;
    struct device_events *events; /* by finding */
    struct what_if w;
    double *to_ms[WHAT_IF_LANES];
    int n;
};

static void run(struct replays *r)
{
    int64_t saved_ns[WHAT_IF_LANES];
    if (r->n)
        what_if_run(&r->w, saved_ns);
    for (int l = 0; l < r->n; l++)
        *r->to_ms[l] = fmax(0, (double)saved_ns[l] / 1e6);
    r->n = 0;
}

/* Two runs to describe, whose savings go to `to` once eight are described; the first of
 * their lanes. */
static int next_lanes(struct replays *r, struct impact_range *to)
{
    if (r->n == WHAT_IF_LANES)
        run(r);
    r->to_ms[r->n] = &to->low_ms;
    r->to_ms[r->n + 1] = &to->high_ms;
    r->n += 2;
    return r->n - 2;
}

/* At best a runtime call is gone altogether, so that the host does not wait in it
 * either and runs ahead of the device. */
static void cut_spans(struct replays *r, int lane, const struct idle_group *g,
                      double part)
{
    const struct event_store *s = r->w.o->view->s;
    int64_t until_ns = INT64_MIN; /* spans of one call */
    for (int32_t k = 0; k < g->n_spans; k++) {
        const struct idle_span *x = &g->spans[k];
        int64_t from_ns = x->start_ns, to_ns = x->end_ns;
        if (part >= 1 && x->event >= 0 && cat_is_runtime(s->cat[x->event])) {
            int64_t end_ns = store_end_ns(s, x->event);
            from_ns = s->start_ns[x->event]; /* the span's first event */
            to_ns = end_ns > to_ns ? end_ns : to_ns;
        }
        from_ns = from_ns < until_ns ? until_ns : from_ns;
        until_ns = from_ns + (int64_t)(part * (double)(to_ns - from_ns));
        what_if_cut(&r->w, lane, x->lane, from_ns, until_ns);
    }
}

/* Where one kernel stands for several, the operators that launched the others are gone,
 * too. */
static void cut_operators(struct replays *r, int lane, const struct finding *f,
                          const struct device_events *gpu, double part)
{
    const struct event_store *s = r->w.o->view->s;
    double gone = gpu->n > f->count ? 1 - (double)f->count / gpu->n : 0;
    event_id before = -1;
    for (int32_t k = 0; k < gpu->n; k++) {
        event_id op = view_operator(r->w.o->view, gpu->at[k]);
        if (op >= 0 && op != before)
            what_if_cut(&r->w, lane, s->lane[op], s->start_ns[op],
                        s->start_ns[op] +
                            (int64_t)(part * gone * (double)store_dur_ns(s, op)));
        before = op;
    }
}

/* In lane and the next one: what the finding takes away, low and high. */
static void change(struct replays *r, int lane, int i, struct part part)
{
    const struct finding *f = &r->a->findings[i];
    const struct event_store *s = r->w.o->view->s;
    const struct device_events *gpu = &r->events[i];
    if (f->idle) {
        cut_spans(r, lane, f->idle, part.low);
        cut_spans(r, lane + 1, f->idle, part.high);
    }
    if (f->tier == TIER_FUSION) {
        cut_operators(r, lane, f, gpu, part.low);
        cut_operators(r, lane + 1, f, gpu, part.high);
    }
    for (int32_t k = 0; k < gpu->n; k++) {
        double ns = (double)store_dur_ns(s, gpu->at[k]);
        const int64_t saved_ns[] = {(int64_t)(part.low * ns + 0.5),
                                    (int64_t)(part.high * ns + 0.5)};
        what_if_shorten(&r->w, lane, 2, gpu->at[k], saved_ns);
        if (!f->copies)
            continue;
        what_if_skip_call(&r->w, lane, gpu->at[k], part.low);
        what_if_skip_call(&r->w, lane + 1, gpu->at[k], part.high);
    }
}

static double events_ms(const struct replays *r, int i)
{
    const struct device_events *gpu = &r->events[i];
    int64_t ns = 0;
    for (int32_t k = 0; k < gpu->n; k++)
        ns += store_dur_ns(r->w.o->view->s, gpu->at[k]);
    return (double)ns / 1e6;
}

/* The time that a finding takes a part of. What is exposed of a transfer can be taken
 * away whole: then all of it is. */
static double own_ms(const struct replays *r, int i)
{
    const struct finding *f = &r->a->findings[i];
    if (f->idle)
        return f->idle->n_spans ? (double)f->idle->total_ns / 1e6 : 0;
    if (f->about == ABOUT_PACE)
        return 0;
    return f->category == WORK_MULTI_KERNEL ? f->impact.high_ms : events_ms(r, i);
}

static struct part part_of(const struct replays *r, int i,
                           const struct impact_range *share)
{
    double ms = own_ms(r, i);
    if (r->a->findings[i].informational || isnan(share->high_ms) || !(ms > 0))
        return (struct part){(double)NAN, (double)NAN};
    return (struct part){fmin(1, share->low_ms / ms), fmin(1, share->high_ms / ms)};
}

/* The saving of a finding at both ends; if it has to wait for the host, once that takes
 * no time. */
static void ask_range(struct replays *r, int i, struct part part,
                      struct impact_range *to)
{
    if (isnan(part.low) || isnan(part.high))
        return;
    int lane = next_lanes(r, to);
    change(r, lane, i, part);
    if (r->a->findings[i].until >= 0)
        what_if_free_host(&r->w, lane, 2);
}

static void settle(const struct analysis *a, struct impact_range *x)
{
    x->low_ms = fmin(x->low_ms, x->high_ms);
    *x = impact_of_ms(a, x->low_ms, x->high_ms, x->basis);
}

/* Projections are shares of time: at the high end they say what the replay says. */
static void fit_projection(struct finding *f, double share_pct)
{
    double fit = share_pct > 0 ? f->impact.high_pct / share_pct : 0;
    for (int k = 0; k < f->n_projection; k++)
        f->projection[k].e2e_pct *= fit;
}

static bool same_ends(const struct impact_range *x, const struct impact_range *y)
{
    return x->low_ms == y->low_ms && x->high_ms == y->high_ms;
}

/* Idle time that nothing on the host accounts for: there is nothing to take away, but
 * where queued work stood still for long, something held it up that need not. */
static void claim_stalls(const struct analysis *a, struct finding *f)
{
    const double SYNC_US = 20; /* a start behind another stream takes a few */
    const struct idle_group *g = f->idle;
    double ms = g->class == IDLE_QUEUED ? g->stalled_us / 1e3 : 0;
    bool crossed = g->class == IDLE_QUEUED && g->crosses &&
                   (double)g->total_ns / 1e3 > SYNC_US * (double)g->gaps;
    if (crossed && !(ms > 0)) {
        f->impact = f->impact_kernel = impact_of_ms(
            a, 0, (double)g->total_ns / 1e6,
            S("from none of these gaps to all, if the streams need not wait"));
        return;
    }
    f->impact = f->impact_kernel = impact_of_ms(
        a, 0.8 * ms, ms,
        ms > 0 ? S("80% to all of the gaps of 100 us and more before queued work")
               : S("none: the host had launched in time, or nothing is known of it"));
}

/* Copies that take time, not turns. */
static bool is_few(const struct finding *f)
{
    const double LONG_MS = 0.1;
    return f->time_ms > LONG_MS * (double)f->count;
}

/* Without copies the host has no calls for them either, so they may save more than what
 * they take, with the gaps after them. */
static void say_calls(struct arena *perm, struct finding *f, double taken_ms)
{
    if (f->copies && f->impact.high_ms > 1.5 * taken_ms)
        f->issue =
            say(perm, "{}, and the host's calls for {} delay what follows by more.",
                said(str_head(f->issue, f->issue.n - 1)),
                said(f->count == 1 ? "it" : "them"));
}

static void settle_finding(struct arena *perm, const struct analysis *a,
                           struct finding *f, double taken_ms, bool one)
{
    const double GAPS = 1.1; /* idle time, and the rest of the gaps that it makes */
    double share_pct = f->impact.high_pct;
    if (f->idle)
        f->impact.high_ms = fmin(f->impact.high_ms, GAPS * f->time_ms);
    if (f->copies == 1u << COPY_D2H && is_few(f)) /* the host needs what it reads */
        f->impact.high_ms = fmin(f->impact.high_ms, GAPS * f->time_ms);
    if (f->tier == TIER_FUSION) /* no more than its kernels take */
        f->impact.high_ms = fmin(f->impact.high_ms, f->time_ms);
    settle(a, &f->impact);
    say_calls(perm, f, taken_ms);
    f->impact.basis = say(perm, "{}, replayed", said(f->impact.basis));
    if (one)
        f->impact_kernel = f->impact;
    else
        settle(a, &f->impact_kernel);
    fit_projection(f, share_pct);
}

static void replay_all(struct arena *perm, struct arena tmp, struct replays *r,
                       struct analysis *a)
{
    bool *one = arena_new(&tmp, bool, a->n_findings); /* both paths save the same */
    double *taken_ms = arena_new(&tmp, double, a->n_findings);
    for (int i = 0; i < a->n_findings; i++) {
        struct finding *f = &a->findings[i];
        struct part part = part_of(r, i, &f->impact),
                    kernel = part_of(r, i, &f->impact_kernel);
        taken_ms[i] = f->impact.high_ms;
        f->part_low = part.low;
        f->part_high = part.high;
        one[i] = same_ends(&f->impact, &f->impact_kernel);
        ask_range(r, i, part, &f->impact);
        if (!one[i])
            ask_range(r, i, kernel, &f->impact_kernel);
    }
    run(r);
    for (int i = 0; i < a->n_findings; i++)
        if (!isnan(a->findings[i].part_high))
            settle_finding(perm, a, &a->findings[i], taken_ms[i], one[i]);
        else if (a->findings[i].idle && !a->findings[i].idle->n_spans)
            claim_stalls(a, &a->findings[i]);
}

static bool is_host(const struct finding *f)
{
    return f->category == WORK_CPU_IDLE;
}

/* The host finding that saves most; -1. */
static int host_first(const struct analysis *a)
{
    int found = -1;
    for (int i = 0; i < a->n_findings; i++)
        if (is_host(&a->findings[i]) && a->findings[i].impact.high_ms > 0 &&
            (found < 0 ||
             a->findings[i].impact.high_ms > a->findings[found].impact.high_ms))
            found = i;
    return found;
}

/* Kernels that hide behind the host: what they save once it keeps up. */
static void replay_behind_host(struct replays *r, struct analysis *a, int host)
{
    const double MUCH_LESS = 0.5, LEAST_PCT = 0.1;
    struct impact_range host_free;
    int lane = next_lanes(r, &host_free);
    what_if_free_host(&r->w, lane + 1, 1);
    for (int i = 0; i < a->n_findings; i++) {
        struct finding *f = &a->findings[i];
        if (f->tier == TIER_SYSTEM || isnan(f->part_high) ||
            !(f->impact.high_ms < MUCH_LESS * f->part_high * events_ms(r, i)))
            continue;
        f->until = host;
        ask_range(r, i, (struct part){f->part_low, f->part_high}, &f->impact_then);
    }
    run(r);
    for (int i = 0; i < a->n_findings; i++) {
        struct finding *f = &a->findings[i];
        if (f->until < 0)
            continue;
        f->impact_then.low_ms = fmax(0, f->impact_then.low_ms - host_free.high_ms);
        f->impact_then.high_ms = fmax(0, f->impact_then.high_ms - host_free.high_ms);
        settle(a, &f->impact_then);
        if (!(f->impact.high_ms < MUCH_LESS * f->impact_then.high_ms) ||
            f->impact_then.high_pct < LEAST_PCT)
            f->until = -1;
    }
}

static void say_shares(struct arena *perm, struct analysis *a)
{
    for (int i = 0; i < a->n_findings; i++) {
        struct finding *f = &a->findings[i];
        if (!f->informational && f->impact.high_ms > 0)
            f->impact.basis = say(perm, "{}; a share of time, for lack of launch calls",
                                  said(f->impact.basis));
    }
}

static struct replays open_replays(struct arena *to, const struct analysis *a,
                                   const struct schedule *o)
{
    struct replays r = {.a = a, .w = what_if_open(to, o)};
    r.events = arena_new(to, struct device_events, a->n_findings);
    return r;
}

void finding_savings(struct arena *perm, struct arena tmp, struct analysis *a,
                     const struct schedule *o)
{
    if (!o->facts.usable) {
        say_shares(perm, a);
        return;
    }
    struct replays r = open_replays(&tmp, a, o);
    for (int i = 0; i < a->n_findings; i++)
        if (!a->findings[i].informational)
            r.events[i] = finding_events(&tmp, a, &a->findings[i]);
    replay_all(perm, tmp, &r, a);
    int host = host_first(a);
    if (host >= 0)
        replay_behind_host(&r, a, host);
}

static void say_until(struct arena *perm, struct finding *f)
{
    struct str then = say(
        perm, "{} ms ({}% of the time)",
        said(number_range_ms(perm, f->impact_then.low_ms, f->impact_then.high_ms)),
        said(number_range_pct(perm, f->impact_then.low_pct, f->impact_then.high_pct)));
    f->impact.basis =
        say(perm, "once the host keeps up {}, {}", said(then), said(f->impact.basis));
}

void finding_savings_together(struct arena *perm, struct arena tmp, struct analysis *a,
                              const struct schedule *o)
{
    for (int i = 0; i < a->n_findings; i++)
        if (a->findings[i].until >= 0)
            say_until(perm, &a->findings[i]);
    a->together = impact_of_ms(a, (double)NAN, (double)NAN, S(""));
    if (!o->facts.usable)
        return;
    struct replays r = open_replays(&tmp, a, o);
    int lane = next_lanes(&r, &a->together);
    for (int i = 0; i < a->n_findings && a->n_together < SAVINGS_TOGETHER; i++) {
        const struct finding *f = &a->findings[i];
        if (isnan(f->part_high))
            continue;
        r.events[i] = finding_events(&tmp, a, f);
        change(&r, lane, i, (struct part){f->part_low, f->part_high});
        a->n_together++;
    }
    run(&r);
    settle(a, &a->together);
}
