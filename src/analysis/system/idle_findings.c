/* Groups of idle time to findings: their facts, which patterns with the scope "idle"
 * turn into a cause and advice (assets/patterns/host.lua), and their evidence. */
#include "analysis/lua/pattern_host.h"
#include "analysis/model/number_text.h"
#include "analysis/model/work_facts.h"
#include "analysis/system/host_name.h"
#include "analysis/system/idle_follow.h"
#include "analysis/system/system_parts.h"
#include "base/utf8.h"

#include <assert.h>
#include <math.h>

enum { MOST_FINDINGS = 4, TITLE_NAME_BYTES = 30, FACTS = 48, LEAST_NS = 10000 };

static const double least_pct = 1, least_idle_pct = 2; /* of the window, of idle time */

struct facts {
    struct work_fact list[FACTS];
    int n;
};

static void number(struct facts *f, const char *key, double v)
{
    assert(f->n < FACTS);
    f->list[f->n++] = FACT(key, v);
}

static void text(struct facts *f, const char *key, struct str s)
{
    assert(f->n < FACTS);
    f->list[f->n++] = FACT(key, s);
}

/* Calls of operators whose arguments recur in every step, of all; NaN: unknown. */
static double repeated_pct(const struct analysis *a, const struct event_store *s,
                           int64_t steps)
{
    double all = 0, repeated = 0;
    for (int c = 0; c < WORK_CATEGORIES; c++)
        for (int32_t k = 0; k < a->categories[c].n_rows; k++) {
            int64_t n = a->categories[c].rows[k].count;
            all += (double)n;
            repeated += n >= steps ? (double)n : 0;
        }
    bool known = steps > 1 && s->n_texts > 0 && all > 0;
    return known ? 100 * repeated / all : (double)NAN;
}

static struct str where_text(struct arena *perm, const struct idle_group *g, bool times)
{
    struct str s = S("");
    for (int k = 0; k < g->n_where; k++) {
        s = say(perm, "{}{}{}", said(s), said(k ? ", " : ""),
                said_name(g->where[k].name, 40));
        struct str op = g->where[k].caller;
        if (times)
            s = say(perm, "{} ({}{}{} ms)", said(s),
                    said(op.n ? quoted_name(perm, op, 40) : S("")),
                    said(op.n ? ", " : ""), said_ms(g->where[k].total_us / 1e3));
    }
    return s;
}

/* "<built-in method poll of _multiprocessing.Connection object>" is poll. */
static struct str title_name(struct arena *perm, struct str s)
{
    static const struct str heads[] = {S_INIT("<built-in method "),
                                       S_INIT("<built-in function ")};
    for (int k = 0; k < 2; k++)
        if (str_starts(s, heads[k])) {
            ptrdiff_t end = str_find(s = str_skip(s, heads[k].n), S(" of "));
            s = str_head(s, end > 0 ? end : s.n - str_ends(s, S(">")));
        }
    return s.n <= TITLE_NAME_BYTES
               ? s
               : say(perm, "{}...", said(utf8_head(s, TITLE_NAME_BYTES - 3)));
}

static void name_facts(struct arena *perm, struct facts *f, const struct idle_group *g)
{
    text(f, "class", idle_class_word(g->class));
    text(f, "blame", g->blame);
    text(f, "blame_place", g->blame_place);
    text(f, "around", g->around);
    text(f, "leaf", g->leaf);
    text(f, "leaf_place", g->leaf_place);
    text(f, "what", title_name(perm, g->blame.n ? g->blame : g->leaf));
    text(f, "sync", g->sync);
    text(f, "sync_place", g->sync_place);
    text(f, "where", where_text(perm, g, false));
    text(f, "where_most", g->n_where ? g->where[0].name : S(""));
}

static double class_pct(const struct idle_group *g, enum idle_class c)
{
    return pct_of(g->class_us[c] * 1e3, (double)g->total_ns);
}

static void share_facts(struct facts *f, const struct idle_group *g)
{
    double total_us = (double)g->total_ns / 1e3;
    number(f, "leaf_pct", pct_of(g->leaf_us, total_us));
    number(f, "after_sync_pct", pct_of(g->after_sync_us, total_us));
    number(f, "compiled_pct", pct_of(g->compiled_us, total_us));
    number(f, "python_pct", class_pct(g, IDLE_PYTHON));
    number(f, "dispatch_pct", class_pct(g, IDLE_DISPATCH));
    number(f, "runtime_pct", class_pct(g, IDLE_RUNTIME) + class_pct(g, IDLE_LAUNCH));
    number(f, "latency_pct", class_pct(g, IDLE_LATENCY));
    number(f, "nothing_pct", class_pct(g, IDLE_NOTHING));
}

/* How many steps the group's spans begin in; spans and steps go by time. */
static int in_steps(const struct trace_steps *steps, const struct idle_group *g)
{
    int n = 0;
    int32_t k = 0, last = -1;
    for (int32_t i = 0; i < g->n_spans; i++) {
        int64_t at = g->spans[i].start_ns;
        while (k < steps->n && steps->rows[k].start_ns + steps->rows[k].dur_ns <= at)
            k++;
        if (k < steps->n && steps->rows[k].start_ns <= at && k != last) {
            n++;
            last = k;
        }
    }
    return n;
}

static void group_facts(struct arena *perm, const struct analysis *a,
                        const struct tree_index *t, const struct idle_result *r,
                        const struct idle_group *g, struct facts *f)
{
    double ms = (double)g->total_ns / 1e6;
    int64_t steps = t->v->profiler_steps;
    name_facts(perm, f, g);
    number(f, "gaps", (double)g->gaps);
    number(f, "calls", (double)g->calls);
    number(f, "time_ms", ms);
    number(f, "share_pct", pct_of(ms, a->total_ms));
    number(f, "idle_pct", pct_of(ms, a->idle_ms));
    number(f, "leaf_ms", g->leaf_us / 1e3);
    number(f, "call_ms", g->calls ? ms / (double)g->calls : (double)NAN);
    number(f, "call_us", g->calls ? 1e3 * ms / (double)g->calls : (double)NAN);
    number(f, "long_ms", g->long_us / 1e3);
    number(f, "longest_ms", g->max_us / 1e3);
    number(f, "stalled_ms", g->stalled_us / 1e3);
    number(f, "per_step_ms", g->per_step_us / 1e3);
    number(f, "steps", (double)steps);
    number(f, "in_steps", in_steps(&t->v->steps, g));
    number(f, "where_most_pct",
           g->n_where ? pct_of(g->where[0].total_us, (double)g->total_ns / 1e3) : 0);
    number(f, "leaf_call_us", g->leaf_call_us);
    number(f, "leaf_launches", g->leaf_launches);
    number(f, "waits", (double)r->sync_point_count);
    number(f, "waits_per_step",
           steps ? (double)r->sync_point_count / (double)steps : (double)NAN);
    number(f, "blocking_pct",
           pct_of((double)r->launch.blocking, (double)r->launch.launches));
    share_facts(f, g);
    number(f, "launches_per_s", round((double)r->launch.calls / (a->total_ms / 1e3)));
    number(f, "launches_per_step", r->launch.per_step);
    number(f, "has_ops", t->v->s->census.by_cat[CAT_CPU_OP] > 0);
    number(f, "kernel_us", r->avg_kernel_us);
    number(f, "graph_pct", r->graph_kernel_pct);
    number(f, "repeated_pct", repeated_pct(a, t->v->s, steps));
}

static const char *plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

/* What one launch costs while the device waits. */
static void launch_evidence(struct arena *perm, struct finding *f,
                            const struct idle_result *r, const struct idle_group *g)
{
    double n = (double)g->gaps;
    bool unrecorded = g->class_us[IDLE_NOTHING] / n >= 0.05;
    evidence(
        perm, f,
        "A launch keeps the GPU waiting for {} us: Python {}, operator dispatch {}, "
        "launch and other runtime calls {}, start latency {}{}{}; "
        "the mean kernel takes {} us.",
        said_fixed((double)g->total_ns / 1e3 / n, 1),
        said_fixed(g->class_us[IDLE_PYTHON] / n, 1),
        said_fixed(g->class_us[IDLE_DISPATCH] / n, 1),
        said_fixed((g->class_us[IDLE_RUNTIME] + g->class_us[IDLE_LAUNCH]) / n, 1),
        said_fixed(g->class_us[IDLE_LATENCY] / n, 1),
        said(unrecorded ? ", nothing recorded " : ""),
        unrecorded ? said_fixed(g->class_us[IDLE_NOTHING] / n, 1) : said(""),
        said_fixed(r->avg_kernel_us, 1));
    if (g->n_where)
        evidence(perm, f, "Most of it is in {}.", said(where_text(perm, g, true)));
    if (g->compiled_us > 0)
        evidence(perm, f, "{}% of it is below a compiled region.",
                 said_pct(pct_of(g->compiled_us * 1e3, (double)g->total_ns)));
}

static void gaps_evidence(struct arena *perm, struct finding *f,
                          const struct idle_group *g)
{
    struct str place = S(""), longest = S("");
    if (g->blame_place.n)
        place = say(perm, ", {}", said(host_name_text(perm, g->blame, g->blame_place)));
    if (g->gaps > 1)
        longest = say(perm, ", the longest {} ms", said_ms(g->max_us / 1e3));
    evidence(perm, f, "{} ms in {} gap{}{}: {}{}.", said_ms((double)g->total_ns / 1e6),
             said(g->gaps), said(plural(g->gaps)), said(longest),
             said(idle_class_label(g->class)), said(place));
}

static void group_evidence(struct arena *perm, struct finding *f,
                           const struct idle_result *r, const struct idle_group *g)
{
    if (g->class == IDLE_HOST_BOUND)
        launch_evidence(perm, f, r, g);
    gaps_evidence(perm, f, g);
    if (g->class != IDLE_HOST_BOUND && g->leaf.n && !str_eq(g->leaf, g->blame))
        evidence(perm, f, "{} ms of that: {}.", said_ms(g->leaf_us / 1e3),
                 said(host_name_text(perm, g->leaf, g->leaf_place)));
    if (g->after_sync_us * 1e4 >= (double)g->total_ns && g->sync.n)
        evidence(perm, f,
                 "{} ms of that begins while the host waits for the GPU, most "
                 "often in {}.",
                 said_ms(g->after_sync_us / 1e3),
                 said(host_name_text(perm, g->sync, g->sync_place)));
    if (g->per_step_us * 1e3 < 0.999 * (double)g->total_ns) /* NaN, or all of it: no */
        evidence(perm, f, "Per step: {} ms.", said_ms(g->per_step_us / 1e3));
}

/* From four fifths of this idle time to all of it, unless the pattern knows better. */
static struct impact_range group_impact(const struct analysis *a,
                                        const struct idle_group *g,
                                        const struct pattern_hit *hit)
{
    double ms = (double)g->total_ns / 1e6;
    if (!isnan(hit->saving_low_ms) && !isnan(hit->saving_high_ms))
        return impact_of_ms(a, fmin(hit->saving_low_ms, ms),
                            fmin(hit->saving_high_ms, ms),
                            S("as the pattern estimates"));
    return impact_of_ms(a, 0.8 * ms, ms,
                        S("from four fifths of this idle time to all of it"));
}

/* The larger part represents all of it. A part matters no more than the whole, but a
 * tenth of the run is worth attention even where the rest is busy. */
static enum severity group_severity(const struct idle_result *r, bool is_most,
                                    double share_pct)
{
    static const double bounds[4] = {50, 30, 10, 3};
    enum severity part = severity_above(share_pct, bounds);
    if (is_most || part > r->severity)
        return part < SEVERITY_MEDIUM ? severity_worse(part, r->severity)
                                      : severity_worse(SEVERITY_MEDIUM, r->severity);
    return part;
}

/* Different groups may have one pattern and one name. */
static void make_id_unique(struct arena *perm, const struct analysis *a,
                           struct finding *f, const struct idle_group *g)
{
    for (const struct finding *x = a->findings; x < f; x++)
        if (str_eq(x->id, f->id)) {
            f->op = say(perm, "{} ({})", said(f->op), said(idle_class_label(g->class)));
            f->id = finding_id(perm, f);
            return;
        }
}

static void group_finding(struct arena *perm, struct analysis *a,
                          const struct idle_result *r, const struct idle_group *g,
                          const struct pattern_hit *hit)
{
    double ms = (double)g->total_ns / 1e6, share_pct = pct_of(ms, a->total_ms);
    bool is_most = ms >= 0.5 * a->idle_ms;
    enum severity severity = group_severity(r, is_most, share_pct);
    struct str op = g->blame.n ? g->blame : g->leaf.n ? g->leaf : S("idle time");
    if (g->blame_place.n)
        op = say(perm, "{}, {}", said(op), said(g->blame_place));
    struct finding *f = add_system_finding(perm, a, WORK_CPU_IDLE, hit->id, op, ms);
    make_id_unique(perm, a, f, g);
    f->title = hit->title;
    f->count = g->gaps;
    f->priority = severity_priority(severity);
    f->priority_basis = say(perm, "{}% of total time, {} idle time",
                            said_pct(share_pct), said(is_most ? "most of" : "part of"));
    f->issue = hit->issue;
    f->algorithmic = hit->path_a;
    f->kernel = hit->path_b;
    f->informational = hit->informational;
    f->impact = group_impact(a, g, hit);
    f->idle = g;
    f->confidence = r->host_known ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM;
    group_evidence(perm, f, r, g);
}

static void group_pattern(struct arena *perm, const struct analysis *a,
                          struct idle_result *r, const struct idle_group *g,
                          const struct pattern_hit *hit)
{
    double share_pct = pct_of((double)g->total_ns / 1e6, a->total_ms);
    struct system_pattern p = {
        hit->title, hit->issue, say(perm, "{}% of total time", said_pct(share_pct)),
        hit->path_a, severity_worse(SEVERITY_LOW, group_severity(r, false, share_pct))};
    add_pattern(perm, &r->patterns, &r->n_patterns, p);
}

/* Idle time above the user's threshold always gets an item in the report. */
static void lift_asked_for(struct arena *perm, struct finding *f, double threshold_pct)
{
    f->asked = true;
    if (f->priority >= PRIORITY_MEDIUM)
        return;
    f->priority = PRIORITY_MEDIUM;
    f->priority_basis = say(perm, "{}; reported from {}% idle time, as requested",
                            said(f->priority_basis), said_pct(threshold_pct));
}

void idle_findings(struct arena *perm, struct analysis *a, const struct tree_index *t,
                   struct idle_result *r, double threshold_pct)
{
    bool asked = pct_of(a->idle_ms, a->total_ms) > threshold_pct;
    int first = a->n_findings;
    for (int32_t k = 0; k < r->n_groups && a->n_findings - first < MOST_FINDINGS; k++) {
        const struct idle_group *g = &r->groups[k];
        double share_pct = pct_of((double)g->total_ns / 1e6, a->total_ms);
        double idle_pct = pct_of((double)g->total_ns / 1e6, a->idle_ms);
        bool largest_asked_for = asked && a->n_findings == first;
        struct facts f = {.n = 0};
        struct pattern_hit hit;
        if (r->status != ANALYSER_OK || !a->patterns ||
            ((share_pct < least_pct || idle_pct < least_idle_pct ||
              g->total_ns < LEAST_NS) &&
             !largest_asked_for))
            return;
        group_facts(perm, a, t, r, g, &f);
        if (!pattern_host_group(a->patterns, perm, a, f.list, f.n, &hit))
            continue;
        group_pattern(perm, a, r, g, &hit);
        group_finding(perm, a, r, g, &hit);
        if (largest_asked_for)
            lift_asked_for(perm, &a->findings[first], threshold_pct);
    }
}
