#include "report/compare/compare_report.h"

#include "analysis/model/device_word.h"
#include "compare/parity.h"
#include "report/compare/compare_action.h"
#include "report/compare/compare_renamed.h"
#include "report/compare/compare_setup.h"
#include "report/compare/compare_side.h"
#include "report/compare/compare_tables.h"
#include "report/compare/compare_times.h"
#include "report/compare/compare_words.h"

#include <math.h>
#include <stdlib.h>

/* Savings below this share of the candidate's window are left out. */
static const double SAVING_PCT_MIN = 0.5;
/* So is a gap below this share of it. */
static const double GAP_MIN = 0.001;
/* Idle for more of the time than this, the device is not what decides. */
static const double IDLE_FRAC = 0.5;
/* Fewer have no median that says more than the mean. */
enum { CALLS_LEAST = 5 };
/* Of kernel time, in work that both do. */
static const double NEARLY_ALL = 0.95, HALF = 0.5;

static int by_saving(const void *a, const void *b)
{
    const struct compare_opportunity *x = a, *y = b;
    if (x->row->expected.saving_ns != y->row->expected.saving_ns)
        return x->row->expected.saving_ns > y->row->expected.saving_ns ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static void find_opportunities(struct arena *perm, struct compare_report *r)
{
    const struct comparison *c = r->c;
    r->opportunities = arena_new(perm, struct compare_opportunity, c->n_rows);
    for (int32_t i = 0; i < c->n_rows; i++) {
        const struct compared_row *row = &c->rows[i];
        double pct = 100 * row->expected.saving_ns / (double)c->window_ns[1];
        if (row->expected.class != EXPLAINED_SLOWER || !(pct >= SAVING_PCT_MIN) ||
            !verdict_is_difference(row->judged.verdict))
            continue;
        r->opportunities[r->n_opportunities++] = (struct compare_opportunity){row, pct};
    }
    if (r->n_opportunities)
        qsort(r->opportunities, (size_t)r->n_opportunities, sizeof *r->opportunities,
              by_saving);
}

static void say(struct str **list, int *n, struct arena *perm, struct str sentence)
{
    struct str *grown = *list;
    arena_grow(perm, grown, *n);
    grown[(*n)++] = sentence;
    *list = grown;
}

/* ", above all Python (1.726 ms against 0.808 ms)": of idle time by cause. */
static struct str main_cause(struct arena *perm, const struct comparison *c, bool more)
{
    const struct str head = S("idle: ");
    for (int i = 0; i < c->n_bars; i++) {
        const struct compared_bar *b = &c->bars[i];
        if (b->kind == BAR_IDLE && str_starts(b->name, head) &&
            (b->ns[1] > b->ns[0]) == more)
            return str_printf(perm, ", above all %.*s (%.3f ms against %.3f ms)",
                              STRF(str_skip(b->name, head.n)), compare_ms(c, b->ns[1]),
                              compare_ms(c, b->ns[0]));
    }
    return S("");
}

/* ", then idle: 843.182 ms against 15.998 ms": the next part, if it is half as large
 * and goes the same way. */
static struct str then(struct arena *perm, const struct comparison *c)
{
    if (c->n_bars < 2)
        return S("");
    const struct compared_bar *a = &c->bars[0], *b = &c->bars[1];
    int64_t first = a->ns[1] - a->ns[0], next = b->ns[1] - b->ns[0];
    if (2.0 * (double)llabs(next) < (double)llabs(first) || (next > 0) != (first > 0))
        return S("");
    return str_printf(perm, ", then %.*s: %.3f ms against %.3f ms", STRF(b->name),
                      compare_ms(c, b->ns[1]), compare_ms(c, b->ns[0]));
}

/* "; GEMM takes 2.644 ms less": the largest part that goes the other way, if it is
 * large too. */
static struct str against_it(struct arena *perm, const struct comparison *c)
{
    const struct compared_bar *most = &c->bars[0];
    int64_t diff = most->ns[1] - most->ns[0];
    for (int i = 1; i < c->n_bars; i++) {
        const struct compared_bar *b = &c->bars[i];
        int64_t other = b->ns[1] - b->ns[0];
        if (5.0 * (double)llabs(other) < (double)llabs(diff))
            break; /* the others are smaller */
        if ((other > 0) != (diff > 0))
            return str_printf(perm, "; %.*s takes %.3f ms %s", STRF(b->name),
                              fabs(compare_ms(c, other)), other > 0 ? "more" : "less");
    }
    return S("");
}

/* What the larger part of the difference is, in kernels or between them. */
static struct str why(struct arena *perm, const struct comparison *c)
{
    int64_t window = c->window_ns[1] - c->window_ns[0], idle = 0;
    idle = c->idle_ns[1] - c->idle_ns[0];
    if (!c->n_bars || !window)
        return S("");
    const struct compared_bar *b = &c->bars[0];
    if (2.0 * (double)llabs(idle) > (double)llabs(window) && (idle > 0) == (window > 0))
        return str_printf(
            perm, "Most of the difference is idle time: %.3f ms against %.3f ms%.*s.",
            compare_ms(c, c->idle_ns[1]), compare_ms(c, c->idle_ns[0]),
            STRF(main_cause(perm, c, idle > 0)));
    return str_printf(perm,
                      "The largest single difference is %.*s: %.3f ms against %.3f "
                      "ms%.*s%.*s.",
                      STRF(b->name), compare_ms(c, b->ns[1]), compare_ms(c, b->ns[0]),
                      STRF(then(perm, c)), STRF(against_it(perm, c)));
}

/* Both have device work; else a sentence says which has none. */
static bool both_work(struct arena *perm, struct compare_report *r)
{
    const struct comparison *c = r->c;
    bool none[2] = {!c->device_ns[0], !c->device_ns[1]};
    if (none[0] && none[1])
        say(&r->verdict, &r->n_verdict, perm,
            S("Neither capture has device work, so there is nothing to compare."));
    else if (none[0] || none[1])
        say(&r->verdict, &r->n_verdict, perm,
            str_printf(perm,
                       "No device work is recorded in %.*s, so there is nothing to "
                       "compare with the %.3f ms of %.*s.",
                       STRF(compare_side(perm, c, none[1])),
                       compare_ms(c, c->device_ns[none[0]]),
                       STRF(compare_side(perm, c, none[0]))));
    return !none[0] && !none[1];
}

/* In a step, where steps are compared. */
static double calls_of(const struct comparison *c, int side)
{
    int64_t n = 0;
    for (int32_t i = 0; i < c->n_rows; i++)
        n += c->rows[i].match->n[side];
    return (double)n / (c->selection.n_steps ? c->selection.n_steps : 1);
}

/* Without launches nobody can tell which work is of the step before the recording. */
static struct str untold_backlog(struct arena *perm, const struct comparison *c,
                                 int blind)
{
    int64_t ns = c->of[!blind]->backlog_ns;
    if (ns <= 0 || c->of[blind]->backlog_ns > 0)
        return S("");
    return str_printf(perm,
                      "; work of the step before the recording, %.3f ms of which are "
                      "left out of %.*s, may count in it",
                      (double)ns / 1e6, STRF(compare_side(perm, c, !blind)));
}

/* One side does not tell what the other's work is known by. */
static bool records_differ(const struct comparison *c)
{
    return c->of[0]->has_operators != c->of[1]->has_operators ||
           c->of[0]->has_shapes != c->of[1]->has_shapes;
}

/* What shows that the two are of other work. */
static struct str other_because(struct arena *perm, const struct comparison *c)
{
    bool known[2] = {c->of[0]->has_operators, c->of[1]->has_operators};
    const double *same = c->matched_frac;
    if (known[0] != known[1])
        return str_printf(perm,
                          "%.*s has no operators recorded, so its work is known only "
                          "by kernel names, without shapes%.*s",
                          STRF(compare_side(perm, c, known[0])),
                          STRF(untold_backlog(perm, c, known[0])));
    if (c->of[0]->has_shapes != c->of[1]->has_shapes)
        return str_printf(perm,
                          "%.*s has no shapes recorded, so its work is known only by "
                          "operator names",
                          STRF(compare_side(perm, c, c->of[0]->has_shapes)));
    if (same[0] >= NEARLY_ALL && same[1] >= NEARLY_ALL)
        return str_printf(perm,
                          "both run the same operators with the same shapes, but %.*s "
                          "calls them %.0f %s%s and %.*s %.0f",
                          STRF(compare_side(perm, c, 1)), calls_of(c, 1),
                          calls_of(c, 1) == 1 ? "time" : "times",
                          c->selection.n_steps ? " a step" : "",
                          STRF(compare_side(perm, c, 0)), calls_of(c, 0));
    if (parity_frac(c, 0, LEVELS_NAMED) >= NEARLY_ALL &&
        parity_frac(c, 1, LEVELS_NAMED) >= NEARLY_ALL)
        return str_printf(perm,
                          "both run the same operators, but with the same shapes only "
                          "for %.1f%% of the kernel time of %.*s and %.1f%% of that of "
                          "%.*s: another batch size, length or width",
                          100 * same[0], STRF(compare_side(perm, c, 0)), 100 * same[1],
                          STRF(compare_side(perm, c, 1)));
    return str_printf(perm,
                      "work with the same shapes covers %.1f%% of the kernel time of "
                      "%.*s and %.1f%% of that of %.*s",
                      100 * same[0], STRF(compare_side(perm, c, 0)), 100 * same[1],
                      STRF(compare_side(perm, c, 1)));
}

/* Whether enough is the same for one difference to be told from the rest. */
static bool overlaps(const struct comparison *c)
{
    return !parity_is_other_work(c->parity) ||
           (c->matched_frac[0] >= HALF && c->matched_frac[1] >= HALF);
}

/* Where collectives make most of the difference: they wait for other ranks. */
static struct str communication_of_it(struct arena *perm, const struct comparison *c)
{
    int64_t ns[2] = {0, 0}, diff = c->device_ns[1] - c->device_ns[0];
    for (int32_t i = 0; i < c->n_rows; i++)
        for (int side = 0; side < 2; side++)
            if (c->rows[i].of[side] && c->rows[i].of[side]->part == DEVICE_COMM)
                ns[side] += c->rows[i].match->ns[side];
    if (2.0 * (double)llabs(ns[1] - ns[0]) < (double)llabs(diff) || ns[0] == ns[1])
        return S("");
    return str_printf(perm,
                      ": %.3f ms of it is communication, against %.3f ms, waiting for "
                      "other ranks included",
                      compare_ms(c, ns[1]), compare_ms(c, ns[0]));
}

/* Of other work: how long the same number of FLOP takes, if both are of one task. */
static struct str same_flop(struct arena *perm, const struct comparison *c)
{
    double less = 100 * (1 - (double)c->window_ns[1] / (double)c->window_ns[0] *
                                 c->shared_gflop[0] / c->shared_gflop[1]);
    return parity_is_other_task(c)
               ? str_printf(perm, "; the same number of FLOP takes %.1f%% %s time",
                            fabs(less), less < 0 ? "more" : "less")
               : S("");
}

/* The first sentence is of the result and of its cause, which the page parts. */
static void say_first(struct arena *perm, struct compare_report *r, struct str result,
                      const char *joint, struct str cause)
{
    r->result = str_printf(perm, "%.*s.", STRF(result));
    r->cause =
        cause.n ? str_printf(perm, "%.*s.", STRF(str_capital(perm, cause))) : S("");
    say(&r->verdict, &r->n_verdict, perm,
        str_printf(perm, "%.*s%s%.*s.", STRF(result), cause.n ? joint : "",
                   STRF(cause)));
}

/* Of other work that is said first: what shows it, then the times, which rate nothing.
 */
/* "; of calls that both make, `aten::addmm` takes 30.0% longer per call": what is no
 * part of the other work. Where all kernels moved, that says it. */
static struct str same_calls(struct arena *perm, const struct comparison *c)
{
    static const double LOST = 0.02, EACH = 0.1; /* of the step, and of a call */
    const struct compared_row *most = NULL;
    double lost = LOST * (double)c->window_ns[1], ratio = 1;
    for (int32_t k = 0; k < c->n_rows && !c->drift.found; k++) {
        const struct match *m = c->rows[k].match;
        if (m->level > MATCH_TYPES || m->n[0] <= 0 || m->n[1] <= 0 || m->ns[0] <= 0)
            continue;
        double call_ns[2];
        for (int side = 0; side < 2; side++)
            call_ns[side] = (double)m->ns[side] / (double)m->n[side];
        double own = fabs(call_ns[1] - call_ns[0]) * (double)m->n[1];
        if (own < lost || fabs(call_ns[1] / call_ns[0] - 1) < EACH)
            continue;
        most = &c->rows[k];
        lost = own;
        ratio = call_ns[1] / call_ns[0];
    }
    return most ? str_printf(perm,
                             "; of calls that both make, %.*s takes %.1f%% %s per call",
                             STRF(compare_row_name(perm, c, most)),
                             100 * fabs(ratio - 1), ratio > 1 ? "longer" : "less time")
                : S("");
}

static void say_other_work(struct arena *perm, struct compare_report *r,
                           const double wall_ms[2], struct setup_cause setup,
                           struct str cause)
{
    const struct comparison *c = r->c;
    struct str shows = setup.says.n ? setup.says : other_because(perm, c);
    say_first(perm, r,
              str_printf(perm, "The two ran different work: %.*s", STRF(shows)), "",
              S(""));
    r->cause =
        str_printf(perm, "%.*s%s%.*s. The times do not compare like with like%.*s%.*s.",
                   STRF(compare_times_said(perm, c, wall_ms)), cause.n ? ": " : "",
                   STRF(cause), STRF(same_flop(perm, c)), STRF(same_calls(perm, c)));
    say(&r->verdict, &r->n_verdict, perm, r->cause);
}

/* "No difference is beyond noise: a step (mean of 5) takes 16.308 ms in `after` and
 * 16.318 ms in `before`." */
static struct str no_difference(struct arena *perm, const struct comparison *c,
                                const double wall_ms[2])
{
    return str_printf(perm,
                      "No difference is beyond noise: %.*s takes %.3f ms in %.*s and "
                      "%.3f ms in %.*s%.*s",
                      STRF(compare_window_words(perm, c)), wall_ms[1],
                      STRF(compare_side(perm, c, 1)), wall_ms[0],
                      STRF(compare_side(perm, c, 0)), STRF(compare_renamed(perm, c)));
}

static void say_totals(struct arena *perm, struct compare_report *r,
                       const double device_ms[2])
{
    const struct comparison *c = r->c;
    say(&r->verdict, &r->n_verdict, perm,
        str_printf(perm, "Device work is %.*s%.*s%.*s.",
                   STRF(compare_against(perm, c, device_ms, "more", "less")),
                   STRF(compare_in_brackets(perm, c, c->device.verdict)),
                   STRF(communication_of_it(perm, c))));
    if (c->n_history)
        say(&r->verdict, &r->n_verdict, perm,
            str_printf(perm,
                       "The median of %d earlier captures of %.*s is %.3f ms, %.3f ms "
                       "of it device work.",
                       c->n_history, STRF(compare_side(perm, c, 0)),
                       c->wall.value[0] / 1e6, c->device.value[0] / 1e6));
}

/* One side lacks what would show whether the work is the same. */
static void say_unknown(struct arena *perm, struct compare_report *r)
{
    struct str says = str_printf(perm,
                                 "Whether the two ran the same work is unknown, so the "
                                 "times may not compare like with like: %.*s.",
                                 STRF(other_because(perm, r->c)));
    r->cause = str_printf(perm, "%.*s%s%.*s", STRF(r->cause), r->cause.n ? " " : "",
                          STRF(says));
    say(&r->verdict, &r->n_verdict, perm, says);
}

static void say_action(struct arena *perm, struct compare_report *r,
                       const struct compare_acted_on *on)
{
    r->action = compare_action(perm, r->c, on);
    say(&r->verdict, &r->n_verdict, perm,
        str_printf(perm, "What to do: %.*s.", STRF(r->action)));
    r->n_lead = r->n_verdict;
}

static void say_verdict(struct arena *perm, struct compare_report *r)
{
    const struct comparison *c = r->c;
    double wall[2], device[2];
    for (int side = 0; side < 2; side++) {
        bool history = c->n_history && !side;
        wall[side] =
            history ? c->wall.value[0] / 1e6 : compare_ms(c, c->window_ns[side]);
        device[side] =
            history ? c->device.value[0] / 1e6 : compare_ms(c, c->device_ns[side]);
    }
    if (!both_work(perm, r))
        return;
    struct setup_cause setup = {S(""), false};
    if (!records_differ(c))
        setup = compare_setup_cause(perm, c);
    struct compare_cause found = compare_cause(perm, c);
    struct str cause = found.says;
    bool noise = !cause.n && compare_is_noise(c), unknown = records_differ(c);
    bool other = parity_is_other_work(c->parity);
    if (noise)
        say_first(perm, r, no_difference(perm, c, wall), "", S(""));
    else if (other && !setup.same_task && !unknown)
        say_other_work(perm, r, wall, setup, cause);
    else
        say_first(perm, r,
                  other && setup.same_task
                      ? str_printf(perm, "%.*s, implemented differently: %.*s",
                                   STRF(compare_times_said(perm, c, wall)),
                                   STRF(setup.says))
                      : compare_times_said(perm, c, wall),
                  other && setup.same_task ? "; " : ": ", cause);
    if (other && unknown)
        say_unknown(perm, r);
    say_action(perm, r,
               &(struct compare_acted_on){
                   found, r->n_opportunities ? r->opportunities[0].row : NULL, noise,
                   setup.same_task, unknown});
    if (other && setup.same_task)
        say(&r->verdict, &r->n_verdict, perm,
            S("Both do the same task, implemented differently, so their times can be "
              "compared, but not all rows one by one."));
    say_totals(perm, r, device);
    struct str reason = cause.n || noise ? S("") : why(perm, c);
    if (reason.n && overlaps(c))
        say(&r->verdict, &r->n_verdict, perm, reason);
    if (c->drift.found && !cause.n)
        say(&r->verdict, &r->n_verdict, perm,
            str_printf(
                perm,
                "All kernels moved by %+.1f%%: clock, power or thermal state, not "
                "the program.",
                100 * (c->drift.factor - 1)));
}

/* Why faster kernels would not help: the device waits. */
static void say_idle(struct arena *perm, struct compare_report *r)
{
    const struct comparison *c = r->c;
    int64_t more_ns = c->idle_ns[1] - c->idle_ns[0];
    if (!((double)c->idle_ns[1] > IDLE_FRAC * (double)c->window_ns[1]) || !overlaps(c))
        return;
    r->idle_advice = str_printf(
        perm,
        "The GPU of %.*s is idle for %.1f%% of the time, %.3f ms %s than that of "
        "%.*s%.*s. Faster kernels shorten at most the other %.3f ms.",
        STRF(compare_side(perm, c, 1)),
        100 * (double)c->idle_ns[1] / (double)c->window_ns[1],
        fabs(compare_ms(c, more_ns)), more_ns < 0 ? "less" : "longer",
        STRF(compare_side(perm, c, 0)), STRF(main_cause(perm, c, more_ns >= 0)),
        compare_ms(c, c->window_ns[1] - c->idle_ns[1]));
}

static bool same_device(const struct comparison *c)
{
    return expected_same_device(
        (const struct device_spec *const[]){c->of[0]->device, c->of[1]->device});
}

/* How much of the class that differs most is in rows that the peaks explain. */
static void say_class(struct arena *perm, struct compare_report *r)
{
    const struct comparison *c = r->c;
    const struct compared_bar *b = NULL;
    for (int i = 0; i < c->n_bars && !b; i++)
        if (c->bars[i].kind == BAR_CLASS && c->bars[i].category < WORK_CATEGORIES)
            b = &c->bars[i];
    if (same_device(c))
        return;
    int64_t explained_ns = 0, diff_ns = b ? b->kernel_ns[1] - b->kernel_ns[0] : 0;
    for (int32_t i = 0; i < c->n_rows && diff_ns; i++) {
        const struct match *m = c->rows[i].match;
        if (m->category == b->category &&
            c->rows[i].expected.class == EXPLAINED_BY_HARDWARE)
            explained_ns += m->ns[1] - m->ns[0];
    }
    if (!diff_ns || !explained_ns || (explained_ns > 0) != (diff_ns > 0))
        return;
    say(&r->key_findings, &r->n_key_findings, perm,
        str_printf(perm,
                   "Of the %.3f ms %s in %.*s kernels, the peaks of both devices "
                   "explain %.3f ms.",
                   fabs(compare_ms(c, diff_ns)), diff_ns < 0 ? "less" : "more",
                   STRF(b->name), fabs(compare_ms(c, explained_ns))));
}

static const struct compared_row *extreme(const struct comparison *c,
                                          enum explained class)
{
    for (int32_t i = 0; i < c->n_rows; i++)
        if (c->rows[i].expected.class == class &&
            verdict_is_difference(c->rows[i].judged.verdict))
            return &c->rows[i];
    return NULL;
}

/* "167.35 µs against 113.45 µs", as the table has them: of a call, or of all that are
 * taken together. */
static struct str said_times(struct arena *perm, const struct comparison *c,
                             const struct match *m)
{
    if (match_is_recast(m))
        return str_printf(perm, "%.3f ms against %.3f ms", compare_ms(c, m->ns[1]),
                          compare_ms(c, m->ns[0]));
    return str_printf(perm, "%.2f µs against %.2f µs",
                      (double)m->ns[1] / 1e3 / (double)m->n[1],
                      (double)m->ns[0] / 1e3 / (double)m->n[0]);
}

/* "1.67 times the reference's time per call (200 µs against 120 µs)", and what was
 * expected. */
static void say_row(struct arena *perm, struct compare_report *r,
                    const struct compared_row *row, struct str what)
{
    const struct expected_ratio *x = &row->expected;
    const struct match *m = row->match;
    struct str by = S(" per call"),
               than = str_printf(perm, "where %.2f was expected from the hardware",
                                 x->ratio > x->high ? x->high : x->low);
    if (match_is_recast(m))
        by = m->n_events[0] == m->n_events[1]
                 ? S("")
                 : str_printf(perm, " with %lld kernels in place of %lld",
                              (long long)m->n_events[1], (long long)m->n_events[0]);
    if (x->same_device)
        than = S("on the same device");
    struct str few = S("");
    double middle = row->median_ns[1] / row->median_ns[0];
    if (!match_is_recast(m) && m->n[0] >= CALLS_LEAST && m->n[1] >= CALLS_LEAST &&
        fabs(middle - 1) < fabs(x->ratio - 1) / 2)
        few =
            str_printf(perm, "; its median call %.2f times: few calls differ", middle);
    say(&r->key_findings, &r->n_key_findings, perm,
        str_printf(perm,
                   "%.*s: `%.*s`, %.2f times the time of %.*s%.*s (%.*s) %.*s%.*s.",
                   STRF(what), STRF(str_head(compared_name(row), 75)), x->ratio,
                   STRF(compare_side(perm, r->c, 0)), STRF(by),
                   STRF(said_times(perm, r->c, m)), STRF(than), STRF(few)));
}

/* In % of the kernel time of a side: what takes as long as the peaks of both devices
 * let expect, of what can be held against them. */
static struct str explained_by_peaks(struct arena *perm, double explained_pct,
                                     double rated_pct, struct str side)
{
    struct str part = rated_pct - explained_pct < 0.05
                          ? S("all of it")
                          : str_printf(perm, "%.1f%%", explained_pct);
    return str_printf(perm,
                      "%.1f%% of the kernel time of %.*s can be held against the peaks "
                      "of both devices, and these explain %.*s.",
                      rated_pct, STRF(side), STRF(part));
}

/* How much of the candidate's time the hardware explains, of what can be rated. */
static void say_explained(struct arena *perm, struct compare_report *r)
{
    int64_t rated = 0, explained = 0;
    for (int32_t i = 0; i < r->c->n_rows; i++) {
        const struct compared_row *row = &r->c->rows[i];
        if (row->expected.class == EXPLAINED_NOT_RATED)
            continue;
        rated += row->match->ns[1];
        explained +=
            row->expected.class == EXPLAINED_BY_HARDWARE ? row->match->ns[1] : 0;
    }
    if (!rated || !r->c->device_ns[1])
        return;
    double explained_pct = 100.0 * (double)explained / (double)r->c->device_ns[1],
           rated_pct = 100.0 * (double)rated / (double)r->c->device_ns[1];
    struct str side = compare_side(perm, r->c, 1),
               but = rated_pct < 99.95
                         ? str_printf(perm, "; %.1f%% could be matched", rated_pct)
                         : S("");
    say(&r->key_findings, &r->n_key_findings, perm,
        same_device(r->c)
            ? str_printf(
                  perm,
                  "%.1f%% of the kernel time of %.*s is in operations whose time "
                  "differs from %.*s by less than 25%%%.*s.",
                  explained_pct, STRF(side), STRF(compare_side(perm, r->c, 0)),
                  STRF(but))
            : explained_by_peaks(perm, explained_pct, rated_pct, side));
}

/* The verdict has told it then. */
static bool is_device_work(const struct comparison *c, const double compute_ms[2])
{
    for (int side = 0; side < 2; side++) {
        double device_ms = compare_ms(c, c->device_ns[side]);
        if (fabs(compute_ms[side] - device_ms) > 0.005 * device_ms)
            return false;
    }
    return true;
}

static void say_key_findings(struct arena *perm, struct compare_report *r)
{
    const struct comparison *c = r->c;
    double compute[2] = {0, 0};
    if (!c->device_ns[0] || !c->device_ns[1]) {
        say(&r->key_findings, &r->n_key_findings, perm,
            S("One of the two captures has no device work: there is nothing to "
              "compare."));
        return;
    }
    for (int i = 0; i < c->n_bars; i++)
        for (int side = 0; c->bars[i].kind == BAR_CLASS && side < 2; side++)
            compute[side] += compare_ms(c, c->bars[i].ns[side]);
    int64_t idle_ns = c->idle_ns[1] - c->idle_ns[0];
    struct str idle =
        str_printf(perm, "idle time is %.3f ms against %.3f ms.",
                   compare_ms(c, c->idle_ns[1]), compare_ms(c, c->idle_ns[0]));
    if (!is_device_work(c, compute))
        say(&r->key_findings, &r->n_key_findings, perm,
            str_printf(perm, "In %.*s compute takes %.*s; %.*s",
                       STRF(compare_side(perm, c, 1)),
                       STRF(compare_against(perm, c, compute, "more", "less")),
                       STRF(idle)));
    else if (100 * llabs(idle_ns) > c->window_ns[1])
        say(&r->key_findings, &r->n_key_findings, perm,
            str_printf(perm, "In %.*s %.*s", STRF(compare_side(perm, c, 1)),
                       STRF(idle)));
    say_class(perm, r);
    say_explained(perm, r);
    const struct compared_row *slow = r->n_opportunities ? r->opportunities[0].row
                                                         : extreme(c, EXPLAINED_SLOWER),
                              *fast = extreme(c, EXPLAINED_FASTER);
    if (slow && slow->expected.saving_ns < GAP_MIN * (double)c->window_ns[1])
        slow = NULL;
    if (slow)
        say_row(perm, r, slow,
                slow->expected.same_device ? str_printf(perm, "Longer than in %.*s",
                                                        STRF(compare_side(perm, c, 0)))
                                           : S("Largest unexpected gap"));
    if (fast)
        say_row(
            perm, r, fast,
            fast->expected.same_device
                ? str_printf(perm, "Shorter than in %.*s",
                             STRF(compare_side(perm, c, 0)))
                : str_printf(perm,
                             "Shorter than the hardware explains, so %.*s may have an "
                             "inefficiency",
                             STRF(compare_side(perm, c, 0))));
    double only[2];
    for (int side = 0; side < 2; side++)
        only[side] = compare_ms(
            c, c->level_ns[side ? MATCH_ONLY_CANDIDATE : MATCH_ONLY_REFERENCE][side]);
    if (only[0] > 0 || only[1] > 0)
        say(&r->key_findings, &r->n_key_findings, perm,
            str_printf(perm,
                       "%.3f ms of kernels are only in %.*s, %.3f ms only in %.*s.",
                       only[0], STRF(compare_side(perm, c, 0)), only[1],
                       STRF(compare_side(perm, c, 1))));
}

static const struct finding **missing_from(struct arena *perm, const struct capture *of,
                                           const struct capture *other, int *n)
{
    const struct finding **list =
        arena_new(perm, const struct finding *, of->n_findings);
    for (int i = 0; i < of->n_findings; i++) {
        if (!of->findings[i].informational &&
            !gate_has_finding(other, &of->findings[i]))
            list[(*n)++] = &of->findings[i];
    }
    return list;
}

/* The sentences name the device that both are of. */
static void name_device(struct arena *perm, struct compare_report *r)
{
    const struct capture *const *of = r->c->of;
    struct str *const texts[] = {&r->result, &r->cause, &r->action, &r->idle_advice};
    if (!str_eq(of[0]->origin.vendor, of[1]->origin.vendor))
        return;
    r->vendor = of[0]->origin.vendor;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = device_word_put(perm, *texts[i], r->vendor, 0, 0);
    for (int i = 0; i < r->n_verdict; i++)
        r->verdict[i] = device_word_put(perm, r->verdict[i], r->vendor, 0, 0);
    for (int i = 0; i < r->n_key_findings; i++)
        r->key_findings[i] = device_word_put(perm, r->key_findings[i], r->vendor, 0, 0);
}

struct compare_report compare_report_make(struct arena *perm,
                                          const struct comparison *c,
                                          const struct gate_result *gates, int n_gates,
                                          struct str model, struct str tool_version)
{
    struct compare_report r = {
        .c = c, .gates = gates, .n_gates = n_gates, .tool_version = tool_version};
    for (int side = 0; side < 2; side++) {
        r.label[side] = c->of[side]->label;
        r.platform[side] =
            c->of[side]->device ? c->of[side]->device->name : c->of[side]->label;
    }
    if (str_eq(r.platform[0], r.platform[1]))
        for (int side = 0; side < 2; side++)
            r.platform[side] = c->of[side]->label;
    r.title = model;
    find_opportunities(perm, &r);
    say_verdict(perm, &r);
    say_key_findings(perm, &r);
    say_idle(perm, &r);
    name_device(perm, &r);
    bool traces = c->of[0]->n_events && c->of[1]->n_events;
    if (traces) {
        r.new_findings = missing_from(perm, c->of[1], c->of[0], &r.n_new);
        r.gone_findings = missing_from(perm, c->of[0], c->of[1], &r.n_gone);
    }
    return r;
}
