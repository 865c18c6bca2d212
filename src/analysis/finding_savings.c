#include "analysis/finding_savings.h"

#include "analysis/facts/operand_cast.h"
#include "analysis/finding_events.h"
#include "analysis/finding_priority.h"
#include "analysis/model/finding_title.h"
#include "analysis/model/number_text.h"
#include "analysis/model/system_results.h"
#include "analysis/system/optimizer_kernels.h"
#include "ops/op_tables.h"
#include "whatif/what_if.h"

#include <math.h>

/* A part of a finding's own time, at both ends; NaN: unknown. */
struct part {
    double low, high;
};

struct replays {
    const struct analysis *a;
    struct what_if_gains *gains;  /* by stage, what it takes away; NULL: not noted */
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

/* Without the operator that waits, none of its waits holds the host: one that is left,
 * while the device is busy, would keep it from running ahead. */
static void cut_waits(struct replays *r, unsigned lanes, const struct idle_group *g)
{
    const struct event_store *s = r->w.o->view->s;
    event_id last = -1;
    for (int32_t k = 0; k < g->n_waits; k++)
        what_if_cut(&r->w, lanes, g->waits[k].lane, g->waits[k].start_ns,
                    g->waits[k].end_ns);
    for (int32_t k = 0; k < g->n_spans && !g->n_waits; k++) {
        event_id call = g->spans[k].event;
        if (call != last)
            what_if_cut(&r->w, lanes, g->spans[k].lane, s->start_ns[call],
                        store_end_ns(s, call));
        last = call;
    }
}

/* At best a runtime call is gone altogether, so that the host does not wait in it
 * either and runs ahead of the device. */
static void cut_spans(struct replays *r, unsigned lanes, const struct idle_group *g,
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
        what_if_cut(&r->w, lanes, x->lane, from_ns, until_ns);
    }
}

/* Where one kernel stands for several, the operators that launched the others are gone,
 * too; so are the host's calls for what is merged. */
static void cut_operators(struct replays *r, unsigned lanes,
                          const struct device_events *gpu, double part)
{
    const struct event_store *s = r->w.o->view->s;
    event_id before = -1;
    for (int32_t k = 0; k < gpu->n; k++) {
        event_id op = view_operator(r->w.o->view, gpu->at[k]);
        event_id all = op >= 0 ? cast_around(r->w.o->view, op) : -1;
        if (all >= 0 && op != before)
            what_if_cut(&r->w, lanes, s->lane[all], s->start_ns[all],
                        s->start_ns[all] +
                            (int64_t)(part * (double)store_dur_ns(s, all)));
        else if (op < 0)
            what_if_skip_call(&r->w, lanes, gpu->at[k], part);
        before = op;
    }
}

/* Calls go with what is merged, however long it then takes. */
static const double LEAST_MERGED = 0.8;

/* What takes the place of a loop has calls of its own. */
static const double LEAST_GONE = 0.9;

static void cut_gone(struct replays *r, unsigned lanes, const struct finding *f,
                     double part)
{
    for (int32_t k = 0; k < f->n_gone; k++) {
        const struct host_span *x = &f->gone[k];
        what_if_cut(&r->w, lanes, x->lane,
                    x->end_ns - (int64_t)(part * (double)(x->end_ns - x->start_ns)),
                    x->end_ns);
    }
}

static void shorten_event(struct replays *r, unsigned lanes, event_id gpu, double part,
                          bool skip_call)
{
    double ns = (double)view_own_ns(r->w.o->view, gpu);
    what_if_shorten(&r->w, lanes, gpu, (int64_t)(part * ns + 0.5));
    if (skip_call)
        what_if_skip_call(&r->w, lanes, gpu, part);
}

/* One call has few kernels: whole ones go, until that part of all their time is gone.
 */
static void drop_events(struct replays *r, unsigned lanes,
                        const struct device_events *gpu, double part)
{
    double due_ns = 0;
    for (int32_t k = 0; k < gpu->n; k++) {
        int64_t ns = view_own_ns(r->w.o->view, gpu->at[k]);
        due_ns += part * (double)ns;
        if (due_ns < (double)ns)
            continue;
        what_if_shorten(&r->w, lanes, gpu->at[k], ns);
        due_ns -= (double)ns;
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

/* What the finding takes away, low in each of the lanes and high in the one behind. */
static void change(struct replays *r, unsigned lanes, int i, struct part part)
{
    const struct finding *f = &r->a->findings[i];
    const struct device_events *gpu = &r->events[i];
    if (f->n_gone) {
        cut_gone(r, lanes, f, LEAST_GONE);
        cut_gone(r, lanes << 1, f, 1);
        drop_events(r, lanes, gpu, part.low);
        drop_events(r, lanes << 1, gpu, part.high);
        return;
    }
    if (f->idle && f->idle->class == IDLE_SYNC) {
        cut_waits(r, lanes | lanes << 1, f->idle);
    } else if (f->idle) {
        cut_spans(r, lanes, f->idle, part.low);
        cut_spans(r, lanes << 1, f->idle, part.high);
    }
    if (f->between && f->between->class == IDLE_SYNC) {
        cut_waits(r, lanes | lanes << 1, f->between);
    } else if (f->between) {
        cut_spans(r, lanes, f->between, LEAST_MERGED);
        cut_spans(r, lanes << 1, f->between, 1);
    }
    double gone[] = {LEAST_MERGED * f->merged_part, f->merged_part};
    if (f->tier == TIER_FUSION && gpu->n > f->count) {
        gone[0] = part.low * (1 - (double)f->count / gpu->n);
        gone[1] = part.high * (1 - (double)f->count / gpu->n);
    }
    for (int k = 0; k < 2 && gone[1] > 0; k++)
        cut_operators(r, lanes << k, gpu, gone[k]);
    if (f->about == ABOUT_OPTIMIZER)
        optimizer_parts(gpu->n, events_ms(r, i), &part.low, &part.high);
    for (int32_t k = 0; k < gpu->n; k++) {
        shorten_event(r, lanes, gpu->at[k], part.low, f->copies);
        shorten_event(r, lanes << 1, gpu->at[k], part.high, f->copies);
    }
}

static void change_whole(struct replays *r, unsigned lanes, int i)
{
    const struct finding *f = &r->a->findings[i];
    change(r, lanes, i, (struct part){f->part_low, f->part_high});
}

/* The time that a finding takes a part of. What is exposed of a transfer can be taken
 * away whole: then all of it is. */
static double own_ms(const struct replays *r, int i)
{
    const struct finding *f = &r->a->findings[i];
    if (f->n_gone)
        return events_ms(r, i);
    if (f->idle && !f->copies)
        return f->idle->n_spans ? (double)f->idle->total_ns / 1e6 : 0;
    if (f->idle || f->about == ABOUT_PACE)
        return f->whole_ms;
    if (f->category == WORK_MULTI_KERNEL)
        return f->whole_ms > 0 ? f->whole_ms : f->impact.high_ms;
    return events_ms(r, i);
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
    unsigned lane = 1u << next_lanes(r, to);
    change(r, lane, i, part);
    if (r->a->findings[i].until >= 0)
        what_if_free_host(&r->w, lane | lane << 1);
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
        ms > 0 ? S("80% to all of the gaps of 100 µs and more before queued work")
               : S("none: the host had launched in time, or nothing is known of it"));
}

/* Copies that take time, not turns. */
static bool is_few(const struct finding *f)
{
    const double LONG_MS = 0.1;
    return f->time_ms > LONG_MS * (double)f->count;
}

/* Without copies the host has no calls for them either, so they may save far more than
 * what they take, with the gaps after them. */
static bool spares_calls(const struct finding *f, double taken_ms)
{
    return f->copies && !f->n_gone && f->impact.high_ms > 1.5 * taken_ms;
}

static void say_calls(struct arena *perm, struct finding *f, double taken_ms)
{
    bool merges = f->tier == TIER_COMPUTE && f->merged_part > 0;
    if (spares_calls(f, taken_ms) || (merges && f->impact.high_ms > f->time_ms))
        f->issue =
            say(perm, "{}, and the host's calls for {} delay what follows by more.",
                said(str_head(f->issue, f->issue.n - 1)),
                said(f->count == 1 ? "it" : "them"));
}

static double between_ms(const struct finding *f)
{
    return f->between ? (double)f->between->total_ns / 1e6 : 0;
}

/* No finding saves more than the time that it is about: its own, or what it would take
 * away (`taken_ms`: of other operations, or with the gaps after). Beyond that, only
 * what takes away calls of the host too: merging them, or copies, which then say so. */
static double most_ms(const struct finding *f, double taken_ms)
{
    const double STARTS = 1.01; /* and what little it takes to start again */
    bool merges = f->merged_part > 0 || spares_calls(f, taken_ms);
    if (!(f->time_ms > 0) ||
        (merges && f->about != ABOUT_OPTIMIZER && f->about != ABOUT_ZEROS) ||
        f->tier == TIER_FUSION || f->about == ABOUT_PACE || f->n_gone)
        return (double)INFINITY;
    return STARTS * fmax(f->time_ms, taken_ms) + between_ms(f);
}

static void bound_by_time(const struct finding *f, struct impact_range *x,
                          double taken_ms)
{
    x->high_ms = fmin(x->high_ms, most_ms(f, taken_ms));
    x->low_ms = fmin(x->low_ms, x->high_ms);
}

static void settle_finding(struct arena *perm, const struct analysis *a,
                           struct finding *f, double taken_ms, bool one)
{
    double share_pct = f->impact.high_pct;
    const struct impact_range replayed = f->impact;
    bound_by_time(f, &f->impact, taken_ms);
    if (f->idle && f->idle->class == IDLE_SYNC && !f->n_gone)
        f->impact.low_ms = f->part_low * f->impact.high_ms;
    if (f->copies == 1u << COPY_D2H && is_few(f)) /* the host needs what it reads */
        f->impact.high_ms = fmin(f->impact.high_ms, f->time_ms);
    if (f->about == ABOUT_PACE) /* gaps stay as long, whatever the clock */
        f->impact.high_ms = fmin(f->impact.high_ms, f->part_high * f->whole_ms);
    bool transfers =
        f->category == WORK_MULTI_KERNEL && !f->copies && f->whole_ms > 0 && !f->n_gone;
    if (transfers && !(f->merged_part > 0)) { /* the host's calls for them stay */
        f->impact.low_ms = fmin(f->impact.low_ms, f->part_low * f->whole_ms);
        f->impact.high_ms = fmin(f->impact.high_ms, f->part_high * f->whole_ms);
    }
    if (f->reorders) {
        f->impact.low_ms = f->impact.high_ms;
        f->impact.high_ms = f->part_high * f->whole_ms;
    }
    if (f->tier == TIER_FUSION) /* no more than its kernels and their gaps take */
        f->impact.high_ms = fmin(f->impact.high_ms, f->time_ms + between_ms(f));
    settle(a, &f->impact);
    f->over.low_ms = fmax(0, replayed.low_ms - f->impact.low_ms);
    f->over.high_ms = fmax(0, replayed.high_ms - f->impact.high_ms);
    say_calls(perm, f, taken_ms);
    bool rest = f->impact.high_ms > 0 && f->impact.high_ms < 0.9 * taken_ms;
    if (!f->recording && !f->reorders)
        f->impact.basis =
            say(perm, "{}, replayed{}", said(f->impact.basis),
                said(rest ? S(": other waits take over the rest") : S("")));
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

/* What the host could gain: of what is not recorded, that nobody knows, at most all. */
static double gain_ms(const struct finding *f)
{
    bool unseen = f->recording && f->idle && f->idle->pool_ns[POOL_HOST] > 0;
    return unseen ? (double)f->idle->pool_ns[POOL_HOST] / 1e6 : f->impact.high_ms;
}

/* Many short gaps: each kernel ends before the next one is launched. */
static bool is_late_launches(const struct analysis *a, const struct finding *f)
{
    const double WORTH_PCT = 1;
    return f->idle && f->idle->class == IDLE_HOST_BOUND &&
           100 * gain_ms(f) >= WORTH_PCT * a->total_ms;
}

/* The host finding that kernels hide behind: late launches, if that is one that is
 * worth the work, else the one that could gain most; -1. */
static int host_first(const struct analysis *a)
{
    int found = -1;
    for (int i = 0; i < a->n_findings; i++) {
        const struct finding *f = &a->findings[i];
        if (!is_host(f) || !(gain_ms(f) > 0))
            continue;
        if (is_late_launches(a, f))
            return i;
        if (found < 0 || gain_ms(f) > gain_ms(&a->findings[found]))
            found = i;
    }
    return found;
}

/* Kernels that hide behind the host: what they save once it keeps up. */
static void replay_behind_host(struct replays *r, struct analysis *a, int host)
{
    const double MUCH_LESS = 0.5, LEAST_PCT = 0.1;
    struct impact_range host_free;
    what_if_free_host(&r->w, 2u << next_lanes(r, &host_free));
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
        bound_by_time(f, &f->impact_then, events_ms(r, i));
        settle(a, &f->impact_then);
        if (!(f->impact.high_ms < MUCH_LESS * f->impact_then.high_ms) ||
            f->impact_then.high_pct < LEAST_PCT)
            f->until = -1;
    }
}

/* Of the time of kernels, what is wall time: several devices may work at once. */
static double wall_part(const struct analysis *a)
{
    const struct device_uses *d = a->tables->view ? a->tables->view->devices : NULL;
    double work_ns = 0;
    for (int k = 0; d && k < d->n; k++)
        work_ns += (double)d->of[k].busy_ns;
    return work_ns > 0 ? (double)d->busy_ns / work_ns : 1;
}

static void share_wall(const struct analysis *a, struct finding *f, double part)
{
    double share_pct = f->impact.high_pct;
    if (f->tier == TIER_SYSTEM || !(part < 1))
        return;
    f->impact = impact_of_ms(a, part * f->impact.low_ms, part * f->impact.high_ms,
                             f->impact.basis);
    f->impact_kernel =
        impact_of_ms(a, part * f->impact_kernel.low_ms, part * f->impact_kernel.high_ms,
                     f->impact_kernel.basis);
    fit_projection(f, share_pct);
}

static void say_shares(struct arena *perm, struct analysis *a)
{
    double part = wall_part(a);
    for (int i = 0; i < a->n_findings; i++) {
        struct finding *f = &a->findings[i];
        share_wall(a, f, part);
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
    f->impact_then.basis = f->impact.basis;
    f->impact.basis =
        say(perm, "once the host keeps up {}, {}", said(then), said(f->impact.basis));
}

/* Whether every list of first findings has it, it is a fix, and a bar of what it saves
 * would differ from the one before. */
static bool is_seen(const struct analysis *a, const struct finding *f)
{
    const double LEAST_PCT = 0.1;
    double then_ms = f->until < 0 ? 0 : f->impact_then.high_ms;
    return f->priority > PRIORITY_LOW && !title_asks_to_measure(f->title) &&
           100 * fmax(f->impact.high_ms, then_ms) >= LEAST_PCT * a->total_ms;
}

/* Some of the findings that are replayed together, as bits of their stages. */
struct asked_set {
    unsigned of, lane;
    int host; /* what makes the launches of its kernels cheap; -1 */
    struct impact_range saved[3];
};

enum { ALL_EASED, HOST_EASED, WITHOUT, SETS_AT_ONCE = WHAT_IF_LANES / 2 };

/* The one of them about late launches that another one waits for; -1. */
static int late_launches(const struct analysis *a, unsigned of)
{
    for (int k = 0; k < a->n_together; k++) {
        int host = of >> k & 1 ? a->findings[a->stages[k].finding].until : -1;
        const struct idle_group *idle = host < 0 ? NULL : a->findings[host].idle;
        for (int i = 0; i < a->n_together && idle && idle->class == IDLE_HOST_BOUND;
             i++)
            if (of >> i & 1 && a->stages[i].finding == host)
                return host;
    }
    return -1;
}

/* Up to four sets, in one pass. What makes launches cheap does so not only where the
 * device waits for them today, so the kernels that wait for it count with what they
 * give behind it: the difference that they make once no launch holds them up. */
static void ask_sets(struct replays *r, int which, struct asked_set *sets, int n)
{
    const struct analysis *a = r->a;
    for (int i = 0; i < n; i++)
        sets[i].lane = 1u << next_lanes(r, &sets[i].saved[which]);
    for (int k = 0; k < a->n_together; k++) {
        const struct finding *f = &a->findings[a->stages[k].finding];
        unsigned lanes = 0;
        for (int i = 0; i < n; i++)
            if (sets[i].of >> k & 1 &&
                (which == ALL_EASED || sets[i].host < 0 || f->until != sets[i].host))
                lanes |= sets[i].lane;
        if (lanes && r->gains)
            what_if_again(&r->w, lanes, &r->gains[k]);
        else if (lanes)
            change_whole(r, lanes, a->stages[k].finding);
    }
    for (int k = 0; k < a->n_together && which != WITHOUT; k++) {
        const struct finding *f = &a->findings[a->stages[k].finding];
        unsigned lanes = 0;
        for (int i = 0; i < n; i++)
            lanes |= sets[i].host == a->stages[k].finding ? sets[i].lane : 0;
        if (!lanes)
            continue;
        what_if_ease_launches(&r->w, lanes, f->part_low);
        what_if_ease_launches(&r->w, lanes << 1, f->part_high);
    }
    run(r);
}

/* No more than their replay without what each one's saves beyond what it can, and no
 * less than any of them alone. */
static void bound_set(const struct analysis *a, unsigned of, struct impact_range *x)
{
    struct impact_range least = {0};
    for (int k = 0; k < a->n_together; k++) {
        const struct finding *f = &a->findings[a->stages[k].finding];
        if (!(of >> k & 1))
            continue;
        x->low_ms -= f->over.low_ms;
        x->high_ms -= f->over.high_ms;
        least.low_ms = fmax(least.low_ms, f->impact.low_ms);
        least.high_ms = fmax(least.high_ms, f->impact.high_ms);
    }
    x->low_ms = fmax(x->low_ms, least.low_ms);
    x->high_ms = fmax(x->high_ms, least.high_ms);
    settle(a, x);
}

/* Sets that all have such a host, or none. */
static void replay_sets(struct replays *r, struct analysis *a, struct asked_set *sets,
                        int n)
{
    for (int which = sets[0].host >= 0 ? ALL_EASED : WITHOUT; which <= WITHOUT; which++)
        ask_sets(r, which, sets, n);
    for (int i = 0; i < n; i++) {
        const struct impact_range *x = sets[i].saved;
        struct impact_range *to = &a->sets[sets[i].of];
        to->low_ms =
            x[WITHOUT].low_ms + fmax(0, x[ALL_EASED].low_ms - x[HOST_EASED].low_ms);
        to->high_ms =
            x[WITHOUT].high_ms + fmax(0, x[ALL_EASED].high_ms - x[HOST_EASED].high_ms);
        bound_set(a, sets[i].of, to);
    }
}

static void note_gains(struct arena *tmp, struct replays *r, const struct analysis *a)
{
    r->gains = arena_new(tmp, struct what_if_gains, a->n_together);
    for (int k = 0; k < a->n_together; k++) {
        what_if_note(&r->w, tmp, &r->gains[k]);
        change_whole(r, 1, a->stages[k].finding);
    }
    what_if_note(&r->w, NULL, NULL);
}

/* A stage: a finding and all before it. */
static bool is_stage(unsigned of)
{
    return (of & (of + 1)) == 0;
}

/* One more fix saves no less, whatever each replay is bounded by, and that of a wait no
 * more on top of the others than the time that it is about. */
static void bound_steps(struct analysis *a, bool all)
{
    for (unsigned of = 1; of < 1u << a->n_together; of++) {
        struct impact_range *x = &a->sets[of], least = {0};
        for (int k = 0; k < a->n_together && (all || is_stage(of)); k++) {
            const struct impact_range *y = &a->sets[of & ~(1u << k)];
            const struct finding *f = &a->findings[a->stages[k].finding];
            if (!(of >> k & 1) || !(all || is_stage(of & ~(1u << k))))
                continue;
            bool waits = f->idle && f->idle->class == IDLE_SYNC;
            double most = waits ? most_ms(f, f->impact.high_ms) : (double)INFINITY;
            x->low_ms = fmin(x->low_ms, y->low_ms + most);
            x->high_ms = fmin(x->high_ms, y->high_ms + most);
            least.low_ms = fmax(least.low_ms, y->low_ms);
            least.high_ms = fmax(least.high_ms, y->high_ms);
        }
        x->low_ms = fmax(x->low_ms, least.low_ms);
        x->high_ms = fmax(x->high_ms, least.high_ms);
        settle(a, x);
    }
}

/* All sets of two or more findings, if that many are wanted, else the stages; one alone
 * saves what it says. */
static void replay_together(struct replays *r, struct analysis *a, bool all)
{
    struct asked_set asked[2][SETS_AT_ONCE];
    int n[2] = {0, 0};
    for (int k = 0; k < a->n_together; k++)
        a->sets[1u << k] = a->findings[a->stages[k].finding].impact;
    for (unsigned of = 1; of < 1u << a->n_together; of++) {
        if ((of & (of - 1)) == 0 || !(all || is_stage(of)))
            continue;
        int host = late_launches(a, of), eased = host >= 0;
        asked[eased][n[eased]++] = (struct asked_set){.of = of, .host = host};
        if (n[eased] == SETS_AT_ONCE) {
            replay_sets(r, a, asked[eased], n[eased]);
            n[eased] = 0;
        }
    }
    for (int eased = 0; eased < 2; eased++)
        if (n[eased])
            replay_sets(r, a, asked[eased], n[eased]);
    bound_steps(a, all);
    a->n_sets = all && a->n_together ? 1 << a->n_together : 0;
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
    const int32_t NODES_MOST = 16 << 10; /* then all sets take 3% of a run, or less */
    bool all = o->n <= NODES_MOST;
    struct replays r = open_replays(&tmp, a, o);
    for (int i = 0; i < a->n_findings && a->n_together < SAVINGS_TOGETHER; i++) {
        if (isnan(a->findings[i].part_high) || !is_seen(a, &a->findings[i]))
            continue;
        r.events[i] = finding_events(&tmp, a, &a->findings[i]);
        a->stages[a->n_together++].finding = i;
    }
    if (all)
        note_gains(&tmp, &r, a);
    replay_together(&r, a, all);
    for (int k = 0; k < a->n_together; k++)
        a->stages[k].saved = a->sets[(2u << k) - 1];
    if (a->n_together)
        a->together = a->stages[a->n_together - 1].saved;
}

int64_t finding_change(struct what_if *w, int lane, struct arena tmp,
                       const struct analysis *a, int finding)
{
    const struct finding *f = &a->findings[finding];
    struct replays r = {.a = a, .w = *w};
    if (isnan(f->part_high))
        return 0;
    r.events = arena_new(&tmp, struct device_events, a->n_findings);
    r.events[finding] = finding_events(&tmp, a, f);
    change_whole(&r, 1u << lane, finding);
    return r.events[finding].n;
}
