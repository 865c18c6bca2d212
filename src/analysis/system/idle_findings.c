/* Groups of idle time to findings: by their facts (idle_facts.h), which patterns with
 * the scope "idle" turn into a cause and advice (assets/patterns/host.lua), and their
 * evidence. */
#include "analysis/lua/pattern_host.h"
#include "analysis/model/device_word.h"
#include "analysis/model/finding_title.h"
#include "analysis/model/number_text.h"
#include "analysis/model/work_facts.h"
#include "analysis/stack/memory_peak.h"
#include "analysis/system/host_name.h"
#include "analysis/system/idle_facts.h"
#include "analysis/system/idle_merge.h"
#include "analysis/system/system_parts.h"
#include "analysis/system/value_checks.h"
#include "base/abilities.h"

#include <math.h>

enum { MOST_FINDINGS = 4, LEAST_NS = 10000 };

static const double least_pct = 1, least_idle_pct = 2; /* of the window, of idle time */

static const char *plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

/* What one launch costs while the device waits. */
static void launch_evidence(struct arena *perm, struct finding *f, bool frames,
                            const struct idle_result *r, const struct idle_group *g)
{
    double n = (double)g->gaps;
    bool unrecorded = g->class_us[IDLE_NOTHING] / n >= 0.05;
    evidence(
        perm, f,
        "A launch keeps the GPU waiting for {} µs: Python {}, operator dispatch {}, "
        "launch and other runtime calls {}, start latency {}{}{}; "
        "the mean kernel takes {} µs.",
        said_fixed((double)g->total_ns / 1e3 / n, 1),
        frames ? said_fixed(g->class_us[IDLE_PYTHON] / n, 1) : said("not recorded"),
        said_fixed(g->class_us[IDLE_DISPATCH] / n, 1),
        said_fixed((g->class_us[IDLE_RUNTIME] + g->class_us[IDLE_LAUNCH]) / n, 1),
        said_fixed(g->class_us[IDLE_LATENCY] / n, 1),
        said(unrecorded ? ", nothing recorded " : ""),
        unrecorded ? said_fixed(g->class_us[IDLE_NOTHING] / n, 1) : said(""),
        said_fixed(r->avg_compute_us, 1));
    double where_us = 0;
    for (int k = 0; k < g->n_where; k++)
        where_us += g->where[k].total_us;
    if (g->n_where)
        evidence(perm, f, "{} in {}.",
                 said(2e3 * where_us >= (double)g->total_ns ? "Most of it is"
                                                            : "Its largest parts are"),
                 said(idle_where_text(perm, g, true)));
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
    if (g->gaps > 1 && g->max_us * 1e3 <= (double)g->total_ns)
        longest = say(perm, ", the longest {} ms", said_ms(g->max_us / 1e3));
    else if (g->gaps > 1) /* the rest of the gaps has other causes */
        longest = say(perm, ", in parts of at most {} ms",
                      said_ms((double)g->longest_part_ns / 1e6));
    evidence(perm, f, "{} ms in {} gap{}{}: {}{}.", said_ms((double)g->total_ns / 1e6),
             said(g->gaps), said(plural(g->gaps)), said(longest),
             said(idle_class_label(g->class)), said(place));
}

static void group_evidence(struct arena *perm, const struct analysis *a,
                           struct finding *f, const struct idle_result *r,
                           const struct idle_group *g)
{
    if (g->class == IDLE_HOST_BOUND)
        launch_evidence(perm, f, a->tables->facts.has_frames, r, g);
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

/* From 80% of this idle time to all of it, unless the pattern knows better. */
static struct impact_range group_impact(const struct analysis *a,
                                        const struct idle_group *g,
                                        const struct pattern_hit *hit)
{
    double ms = (double)g->total_ns / 1e6;
    if (hit->recording)
        return impact_of_ms(a, 0, 0, S("not known from this recording"));
    if (!isnan(hit->saving_low_ms) && !isnan(hit->saving_high_ms))
        return impact_of_ms(a, fmin(hit->saving_low_ms, ms),
                            fmin(hit->saving_high_ms, ms),
                            S("as the pattern estimates"));
    return impact_of_ms(a, 0.8 * ms, ms, S("80% to all of this idle time"));
}

/* A part matters no more than the whole, but a tenth of the run is worth attention even
 * where the rest is busy. */
static enum severity group_severity(const struct idle_result *r, double share_pct)
{
    static const double bounds[4] = {50, 30, 10, 3};
    enum severity part = severity_above(share_pct, bounds);
    if (part > r->severity)
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

static bool is_taken(const struct analysis *a, const struct finding *f)
{
    for (const struct finding *x = a->findings; x < f; x++)
        if (x->tier == f->tier && str_eq(x->title, f->title))
            return true;
    return false;
}

/* A second finding that asks for the same says where: before the reason, which is left
 * out if there is no room for both. */
static void title_group(struct arena *perm, const struct analysis *a, struct finding *f,
                        const struct idle_group *g, struct str text)
{
    finding_title(perm, f, text, S(""));
    struct str name = g->blame.n ? g->blame : g->leaf;
    if (!is_taken(a, f) || !name.n)
        return;
    struct str action = str_head(text, title_action_end(text)),
               why = str_skip(text, action.n);
    struct str placed =
        say(perm, "{} in `{}`", said(action), said(title_name(perm, name)));
    bool room = placed.n + why.n <= TITLE_MOST;
    finding_title(perm, f, room ? say(perm, "{}{}", said(placed), said(why)) : placed,
                  S(""));
}

/* Of several devices, the idle time is that of the one that decides: it is named. */
static struct str of_which(struct arena *perm, const struct idle_result *r,
                           struct str issue)
{
    struct str words = str_starts(issue, S("The GPU ")) ? S("The GPU ") : S("the GPU ");
    ptrdiff_t at = r->device.n ? str_find(issue, words) : -1;
    return at < 0 ? issue
                  : say(perm, "{}GPU {} {}", said(str_head(issue, at)), said(r->device),
                        said(str_skip(issue, at + words.n)));
}

/* One recording answers for all idle time that a recording begins with. */
static void all_of_start(struct arena *perm, const struct analysis *a,
                         struct finding *f, const struct idle_result *r)
{
    f->op = S("start of the recording");
    f->id = finding_id(perm, f);
    f->time_ms = (double)r->pool_ns[POOL_START] / 1e6;
    f->total_pct = pct_of(f->time_ms, a->total_ms);
    f->count = r->start_gaps;
    f->priority_basis = say(perm, "{}% of total time", said_pct(f->total_pct));
    evidence(perm, f,
             "{} ms in {} gap{} before the first launches; behind the last launch call "
             "the GPU works for {} ms.",
             said_ms(f->time_ms), said(r->start_gaps), said(plural(r->start_gaps)),
             said_ms((double)r->ahead_ns / 1e6));
}

static void say_idle_share(struct arena *perm, const struct analysis *a,
                           struct finding *f, const struct idle_result *r)
{
    bool is_most = f->time_ms >= 0.5 * idle_result_ms(r);
    f->priority_basis = say(perm, "{}% of total time, {} idle time",
                            said_pct(pct_of(f->time_ms, a->total_ms)),
                            said(is_most ? "most of" : "part of"));
}

/* Of the device events that it names, in ms. */
static double events_ms(const struct analysis *a, const struct finding *f)
{
    int64_t ns = 0;
    for (int32_t k = 0; k < f->n_gpu; k++)
        ns += store_dur_ns(a->tables->view->s, f->gpu[k]);
    return (double)ns / 1e6;
}

/* Where the host computes with results of the device, the copies that read them go,
 * too: what is computed on the device leaves little to copy. */
static void take_results(struct arena *perm, const struct analysis *a,
                         struct finding *f, const struct idle_group *g)
{
    f->about = ABOUT_EVENTS;
    f->gpu = g->results;
    f->n_gpu = g->n_results;
    f->time_ms += events_ms(a, f);
    f->total_pct = pct_of(f->time_ms, a->total_ms);
    f->issue =
        say(perm, "{} The {} before it {} {} ms.", said(f->issue),
            said(g->n_results == 1 ? "copy to the host" : "copies to the host"),
            said(str_plural(g->n_results, "takes", "take")), said_ms(events_ms(a, f)));
}

/* More idle time that the same action ends. */
static void add_group(struct arena *perm, const struct analysis *a, struct finding *f,
                      const struct idle_result *r, const struct idle_group *g,
                      const struct pattern_hit *hit)
{
    struct idle_group *both = idle_groups_joined(perm, f->idle, g);
    f->idle = both;
    f->count = both->gaps;
    f->time_ms = (double)both->total_ns / 1e6 + events_ms(a, f);
    f->total_pct = pct_of(f->time_ms, a->total_ms);
    say_idle_share(perm, a, f, r);
    f->issue = say(perm, "{} {}", said(f->issue), said(of_which(perm, r, hit->issue)));
    struct impact_range more = group_impact(a, g, hit);
    f->impact = impact_of_ms(a, f->impact.low_ms + more.low_ms,
                             f->impact.high_ms + more.high_ms, f->impact.basis);
    group_evidence(perm, a, f, r, g);
}

static void group_finding(struct arena *perm, struct analysis *a,
                          const struct idle_result *r, const struct idle_group *g,
                          const struct pattern_hit *hit)
{
    double ms = (double)g->total_ns / 1e6;
    struct str op = g->blame.n ? g->blame : g->leaf.n ? g->leaf : S("idle time");
    if (g->blame_place.n)
        op = say(perm, "{}, {}", said(op), said(g->blame_place));
    struct finding *f = add_system_finding(perm, a, WORK_CPU_IDLE, hit->id, op, ms);
    make_id_unique(perm, a, f, g);
    title_group(perm, a, f, g, hit->title);
    f->count = g->gaps;
    say_idle_share(perm, a, f, r);
    f->issue = of_which(perm, r, hit->issue);
    f->algorithmic = hit->path_a;
    f->kernel = hit->path_b;
    f->informational = hit->informational;
    f->recording = hit->recording;
    f->cause = hit->cause;
    f->impact = group_impact(a, g, hit);
    f->idle = g;
    f->confidence = r->host_known ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM;
    if (idle_group_starts(g))
        all_of_start(perm, a, f, r);
    if (str_eq(hit->id, S("host_results")))
        take_results(perm, a, f, g);
    group_evidence(perm, a, f, r, g);
}

static void group_pattern(struct arena *perm, const struct analysis *a,
                          struct idle_result *r, const struct idle_group *g,
                          const struct pattern_hit *hit)
{
    double share_pct = pct_of((double)g->total_ns / 1e6, a->total_ms);
    struct system_pattern p = {
        hit->title, hit->issue, say(perm, "{}% of total time", said_pct(share_pct)),
        hit->path_a, severity_worse(SEVERITY_LOW, group_severity(r, share_pct))};
    struct str *const texts[] = {&p.name, &p.evidence, &p.solution};
    for (size_t i = 0; a->tables && i < sizeof texts / sizeof *texts; i++)
        *texts[i] =
            device_word_put(perm, *texts[i], a->tables->facts.kind.vendor, 0, 0);
    add_pattern(perm, &r->patterns, &r->n_patterns, p);
}

/* Idle time above the user's threshold always gets an item in the report. */
static void lift_asked_for(struct arena *perm, struct finding *f, double threshold_pct)
{
    f->asked = true;
    f->priority_basis = say(perm, "{}; reported from {}% idle time, as requested",
                            said(f->priority_basis), said_pct(threshold_pct));
}

/* One recording answers both. */
static bool is_asked_again(const struct analysis *a, int first,
                           const struct pattern_hit *hit)
{
    for (int i = first; hit->recording && i < a->n_findings; i++)
        if (a->findings[i].recording && str_eq(a->findings[i].pattern, hit->id))
            return true;
    return false;
}

void idle_findings(struct arena *perm, struct analysis *a, const struct tree_index *t,
                   struct idle_result *r, double threshold_pct)
{
    double idle_ms = idle_result_ms(r);
    bool asked = pct_of(idle_ms, a->total_ms) > threshold_pct;
    bool stacks_asked = false; /* once in a report */
    bool step_late = false;    /* a finding before is about its launches as a whole */
    r->has_loader = r->n_groups && idle_has_loader(t->v->s);
    int first = a->n_findings;
    for (int32_t k = 0; k < r->n_groups && a->n_findings - first < MOST_FINDINGS; k++) {
        const struct idle_group *g = &r->groups[k];
        double share_pct = pct_of((double)g->total_ns / 1e6, a->total_ms);
        double idle_pct = pct_of((double)g->total_ns / 1e6, idle_ms);
        bool largest_asked_for = asked && a->n_findings == first;
        struct idle_facts f = {.n = 0};
        struct pattern_hit hit;
        if (r->status != ANALYSER_OK || !a->patterns ||
            ((share_pct < least_pct || idle_pct < least_idle_pct ||
              g->total_ns < LEAST_NS) &&
             !largest_asked_for))
            return;
        idle_facts_of(perm, a, t, r, g, &f);
        idle_number(&f, "stacks_asked", stacks_asked);
        idle_number(&f, "step_late", step_late);
        if (!pattern_host_group(a->patterns, perm, a, f.list, f.n, &hit) ||
            is_asked_again(a, first, &hit))
            continue;
        step_late |= g->class == IDLE_HOST_BOUND;
        stacks_asked |=
            str_has(hit.path_a, abilities_of(a->tables->facts.abilities)->stacks);
        struct finding *same = hit.recording || hit.informational
                                   ? NULL
                                   : idle_same_action(perm, a, first, g, hit.title);
        if (same)
            add_group(perm, a, same, r, g, &hit);
        else
            group_finding(perm, a, r, g, &hit);
        group_pattern(perm, a, r, g, &hit);
        if (largest_asked_for)
            lift_asked_for(perm, &a->findings[first], threshold_pct);
    }
}
