/* Idle time: how much, why, and what reducing it would save (analysis.md 4.1). */
#include "analysis/model/number_text.h"
#include "analysis/system/system_parts.h"
#include "base/name_memo.h"
#include "base/sort.h"

#include <math.h>
#include <string.h>

enum { SHORT_KERNEL_NS = 10000 };

static const double target_idle_pct = 20;

static enum severity idle_severity(double idle_pct)
{
    static const double bounds[4] = {70, 50, 30, 20};
    return severity_above(idle_pct, bounds);
}

static void count_kernels(struct arena tmp, const struct trace_view *v,
                          struct idle_result *r)
{
    const struct event_store *s = v->s;
    uint8_t *label_of = arena_new(&tmp, uint8_t, s->names.n + 1);
    uint8_t *seen = arena_new(&tmp, uint8_t, s->n_lanes + 1);
    double sum_us = 0;
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id g = v->counted[k];
        r->stream_count += !seen[s->lane[g]];
        seen[s->lane[g]] = 1;
        if (s->cat[g] != CAT_KERNEL)
            continue;
        uint8_t *label = &label_of[s->name[g]];
        if (!*label)
            *label = (uint8_t)(1 + kernel_label_of(store_name(s, g)));
        r->kernels_by_label[*label - 1]++;
        r->kernel_count++;
        r->short_kernel_count += store_dur_ns(s, g) < SHORT_KERNEL_NS;
        sum_us += (double)store_dur_ns(s, g) / 1e3;
    }
    r->avg_kernel_us = r->kernel_count ? sum_us / (double)r->kernel_count : 0;
}

static uint16_t says_graph_launch(struct str call)
{
    return str_has(call, S("GraphLaunch"));
}

static void count_launches(struct arena tmp, const struct trace_view *v,
                           struct idle_result *r)
{
    const struct event_store *s = v->s;
    struct launch_stats *l = &r->launch;
    struct sort_row *delay = arena_take_raw(&tmp, sizeof *delay, 8, v->n_counted);
    uint8_t *called = arena_new(&tmp, uint8_t, s->n_details + 1); /* by row */
    double sum_us = 0;
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id g = v->counted[k], call = launch_call(&v->launch, g);
        if (s->cat[g] != CAT_KERNEL || call < 0)
            continue;
        uint8_t *known = &called[store_row(s, call)];
        l->calls += !*known;
        *known = 1;
        delay[l->launches++] = (struct sort_row){s->start_ns[g] - s->start_ns[call], g};
        sum_us += (double)(s->start_ns[g] - s->start_ns[call]) / 1e3;
    }
    sort_rows(tmp, delay, l->launches);
    int64_t n = l->launches, steps = profiler_steps(s);
    l->mean_delay_us = n ? sum_us / (double)n : (double)NAN;
    l->max_delay_us = n ? (double)delay[n - 1].key / 1e3 : (double)NAN;
    l->median_delay_us =
        n ? (double)(delay[(n - 1) / 2].key + delay[n / 2].key) / 2e3 : (double)NAN;
    l->per_step = steps ? (double)n / (double)steps : (double)NAN;
    r->host_known = n > 0;
    struct name_memo memo = {.hash = {0}};
    for (event_id i = 0; i < s->n; i++)
        r->graph_launch_count +=
            cat_is_runtime(s->cat[i]) &&
            name_memo_ask(&memo, store_name(s, i), says_graph_launch);
}

static void sum_gaps(const struct idle_gaps *g, struct idle_result *r)
{
    double total = 0, in_long = 0, after_sync = 0;
    for (int32_t k = 0; k < g->n; k++) {
        const struct gap_row *gap = &g->rows[k];
        struct idle_cause_total *c = &r->causes[gap->cause];
        double us = (double)gap->dur_ns / 1e3;
        bool is_long = gap->dur_ns >= LONG_GAP_NS;
        total += us;
        c->count++;
        c->total_us += us;
        c->long_us += is_long ? us : 0;
        in_long += is_long ? us : 0;
        after_sync += is_long && gap->sync >= 0 ? us : 0;
        r->max_gap_us = us > r->max_gap_us ? us : r->max_gap_us;
    }
    r->gap_count = g->n;
    r->sync_point_count = g->n_syncs;
    r->avg_gap_us = g->n ? total / g->n : 0;
    r->idle_after_sync_pct = pct_of(after_sync, total);
    r->idle_in_long_gaps_pct = pct_of(in_long, total);
}

/* Slow launch calls of kernels that had not run before: these load code. */
static void count_first_launches(struct arena tmp, const struct trace_view *v,
                                 const struct idle_gaps *g, struct idle_result *r)
{
    const struct event_store *s = v->s;
    event_id *first = arena_take_raw(&tmp, sizeof *first, 4, s->names.n);
    for (int32_t k = 0; k < s->names.n; k++)
        first[k] = -1;
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id gpu = v->counted[k], *one = &first[s->name[gpu]];
        if (*one < 0 || s->start_ns[gpu] < s->start_ns[*one])
            *one = gpu;
    }
    for (int32_t k = 0; k < g->n; k++)
        r->first_launch_count += g->rows[k].cause == IDLE_CALL &&
                                 first[s->name[g->rows[k].after]] == g->rows[k].after;
}

static void share_gaps(struct arena tmp, const struct tree_index *t,
                       const struct idle_gaps *g, struct idle_result *r)
{
    const struct event_store *s = t->v->s;
    struct share_table syncs = share_table_make(&tmp, s),
                       waited = share_table_make(&tmp, s);
    for (int32_t k = 0; k < g->n; k++) {
        const struct gap_row *gap = &g->rows[k];
        event_id call = launch_call(&t->v->launch, gap->after);
        double us = (double)gap->dur_ns / 1e3;
        if (gap->sync >= 0)
            share_add(&tmp, &syncs, s, g->syncs[gap->sync].op, us);
        else if (gap->cause == IDLE_HOST || gap->cause == IDLE_CALL)
            share_add(&tmp, &waited, s, launched_operation(t, call), us);
    }
    r->n_sync_ops = share_largest(&syncs, t, r->sync_ops, 5);
    r->n_waited_ops = share_largest(&waited, t, r->waited_ops, 5);
}

/* Ties go to the earlier gap: rows are sorted by start, and only a longer one moves up.
 */
static void longest_gaps(struct arena *perm, const struct tree_index *t,
                         const struct idle_gaps *g, struct idle_result *r)
{
    enum { MOST = sizeof r->top_gaps / sizeof *r->top_gaps };
    const struct gap_row *top[MOST];
    for (int32_t k = 0; k < g->n; k++) {
        int at = r->n_top_gaps;
        while (at > 0 && top[at - 1]->dur_ns < g->rows[k].dur_ns)
            at--;
        if (at == MOST)
            continue;
        r->n_top_gaps += r->n_top_gaps < MOST;
        memmove(top + at + 1, top + at, (size_t)(r->n_top_gaps - 1 - at) * sizeof *top);
        top[at] = &g->rows[k];
    }
    const struct trace_view *v = t->v;
    for (int k = 0; k < r->n_top_gaps; k++)
        r->top_gaps[k] = (struct idle_gap){
            .start_us = (double)(top[k]->start_ns - v->timeline.start_ns) / 1e3,
            .duration_us = (double)top[k]->dur_ns / 1e3,
            .before = store_name(v->s, top[k]->before),
            .after = store_name(v->s, top[k]->after),
            .cause = idle_gap_clause(perm, t, g, top[k]),
            .kind = top[k]->cause,
            .next = top[k]->after};
}

struct pattern_maker {
    struct arena *perm;
    const struct analysis *a;
    const struct tree_index *t;
    struct idle_result *r;
    double idle_pct;
};

static void found(struct pattern_maker *m, struct str name, bool high,
                  struct str evidence, struct str impact, struct str solution)
{
    if (m->idle_pct <= target_idle_pct)
        impact = say(m->perm, "{}; costs little here, at {}% idle", said(impact),
                     said_pct(m->idle_pct));
    struct system_pattern p = {name, evidence, impact, solution,
                               high ? SEVERITY_HIGH : SEVERITY_MEDIUM};
    add_pattern(m->perm, &m->r->patterns, &m->r->n_patterns, p);
}

#define GRAPH_ACTION                                                                   \
    "Record the step once as a GPU graph and replay it, so that many short kernels "   \
    "cost one "                                                                        \
    "launch."
#define SYNC_ACTION                                                                    \
    "Remove or defer device synchronisation and scalar reads; use asynchronous "       \
    "copies."
#define WARM_UP_ACTION                                                                 \
    "Warm up before the profiler's window opens: the first launch of a kernel loads "  \
    "or builds its code, once."
#define BUBBLE_ACTION "Overlap host work with device work; prefetch input."

static void kernel_patterns(struct pattern_maker *m)
{
    struct idle_result *r = m->r;
    struct arena *p = m->perm;
    double n = (double)r->kernel_count;
    double short_frac = n > 0 ? (double)r->short_kernel_count / n : 0;
    if (short_frac > 0.3)
        found(m, S("Kernel Launch Overhead"), short_frac > 0.5,
              say(p, "{} of {} kernels last less than 10 us",
                  said(r->short_kernel_count), said(r->kernel_count)),
              S("launching such a kernel takes the host about as long as it runs"),
              S(GRAPH_ACTION));
    if (r->kernel_count > 1000)
        found(m, S("High Kernel Count"), r->kernel_count > 5000,
              say(p, "{} kernels, {} idle gaps", said(r->kernel_count),
                  said(r->gap_count)),
              S("every launch is host work, and leaves a gap where the host falls "
                "behind"),
              S("Use a GPU graph or kernel fusion to cut launches."));
    if (r->avg_kernel_us > 0 && r->avg_kernel_us < 50)
        found(m, S("Small Average Kernel Time"), r->avg_kernel_us < 20,
              say(p, "mean kernel time {} us", said_fixed(r->avg_kernel_us, 1)),
              S("little work per launch"), S("Fuse or compile for larger kernels."));
}

static bool sync_is_pattern(const struct idle_result *r)
{
    return r->sync_point_count >= 10 && r->idle_after_sync_pct >= 20;
}

/* Whether slow launch calls account for most of the idle time. */
static bool calls_are_pattern(const struct idle_result *r)
{
    double all_us = 0;
    for (int k = 0; k < IDLE_CAUSES; k++)
        all_us += r->causes[k].total_us;
    return all_us > 0 && 2 * r->causes[IDLE_CALL].total_us >= all_us;
}

static void call_pattern(struct pattern_maker *m)
{
    const struct idle_cause_total *c = &m->r->causes[IDLE_CALL];
    found(m, S("Slow Launch Calls"), m->idle_pct > 50,
          say(m->perm,
              "launch calls of 100 us and more: {}, with {} ms of idle time; first "
              "launches of a kernel among them: {}",
              said(c->count), said_ms(c->total_us / 1e3),
              said(m->r->first_launch_count)),
          S("the device waits for the call, however far ahead the host is"),
          S(WARM_UP_ACTION));
}

static void gap_patterns(struct pattern_maker *m)
{
    struct idle_result *r = m->r;
    struct arena *p = m->perm;
    if (calls_are_pattern(r))
        call_pattern(m);
    else if (sync_is_pattern(r))
        found(m, S("Synchronization Bottlenecks"), r->idle_after_sync_pct >= 50,
              say(p,
                  "synchronisation points: {}; gaps of 100 us and more right after one "
                  "account for {}% of idle time",
                  said(r->sync_point_count), said_pct(r->idle_after_sync_pct)),
              S("the device runs dry and waits until the host has launched again"),
              S(SYNC_ACTION));
    else if (r->idle_in_long_gaps_pct >= 50)
        found(m, S("CPU-GPU Pipeline Bubbles"), m->idle_pct > 50,
              say(p, "gaps of 100 us and more account for {}% of idle time",
                  said_pct(r->idle_in_long_gaps_pct)),
              S("the device waits for host work between phases"), S(BUBBLE_ACTION));
    if (r->avg_kernel_us >= 50 && m->idle_pct > 30 && r->stream_count == 1)
        found(m, S("Sequential Execution"), false,
              say(p, "one stream, mean kernel time {} us",
                  said_fixed(r->avg_kernel_us, 1)),
              S("nothing fills the gaps of the only stream"),
              S("Use more streams and overlap transfers."));
}

static void overall_patterns(struct pattern_maker *m)
{
    struct idle_result *r = m->r;
    const struct event_store *s = m->t->v->s;
    int64_t ops = s->census.by_cat[CAT_CPU_OP];
    bool much_host = m->t->has_frames || (ops > 0 && ops >= 5 * r->kernel_count);
    if (r->graph_launch_count == 0 && much_host && m->idle_pct > 30)
        found(m, S("Framework Overhead"), false,
              say(m->perm, "{} operator calls for {} kernels, no GPU graph", said(ops),
                  said(r->kernel_count)),
              S("host work per operation"),
              S("Compile the model (`torch.compile`) to cut per-operation host work."));
    if (m->idle_pct <= 50)
        return;
    struct system_pattern p = {
        m->idle_pct > 70 ? S("Critical GPU Underutilization") : S("High GPU Idle Time"),
        say(m->perm, "idle for {} ms of {} ms ({}%)", said_ms(m->a->idle_ms),
            said_ms(m->a->total_ms), said_pct(m->idle_pct)),
        m->a->no_system_impact ? S("")
                               : say(m->perm, "at most {}x faster at {}% idle time",
                                     said(text_factor(m->perm, r->potential_speedup)),
                                     said_fixed(target_idle_pct, 0)),
        S("Start with what precedes the longest gaps, then cut launches."),
        m->idle_pct > 70 ? SEVERITY_CRITICAL : SEVERITY_HIGH};
    add_pattern(m->perm, &r->patterns, &r->n_patterns, p);
}

/* From half of what bringing idle time to 20 % of a shorter run saves, to all of it. */
static void recoverable(const struct analysis *a, double idle_pct,
                        struct idle_result *r)
{
    double busy_ms = a->total_ms - a->idle_ms;
    double saved_ms = a->total_ms - busy_ms / (1 - target_idle_pct / 100);
    bool above = idle_pct > target_idle_pct && idle_pct < 100;
    r->potential_speedup = above ? (100 - target_idle_pct) / (100 - idle_pct) : 1;
    r->recoverable_low_ms = above ? saved_ms / 2 : 0;
    r->recoverable_high_ms = above ? a->idle_ms : 0;
}

void idle_analyse(struct arena *perm, struct arena tmp, const struct analysis *a,
                  const struct tree_index *t, const struct idle_gaps *g,
                  struct idle_result *r)
{
    if (t->v->n_counted == 0 || a->total_ms <= 0) {
        r->status = ANALYSER_NO_DATA;
        r->severity = SEVERITY_UNKNOWN;
        return;
    }
    double idle_pct = pct_of(a->idle_ms, a->total_ms);
    r->severity = idle_severity(idle_pct);
    r->flagged = idle_pct > 15;
    r->critical = idle_pct > 50;
    count_kernels(tmp, t->v, r);
    count_launches(tmp, t->v, r);
    sum_gaps(g, r);
    count_first_launches(tmp, t->v, g, r);
    share_gaps(tmp, t, g, r);
    longest_gaps(perm, t, g, r);
    recoverable(a, idle_pct, r);
    struct pattern_maker m = {perm, a, t, r, idle_pct};
    kernel_patterns(&m);
    gap_patterns(&m);
    overall_patterns(&m);
}

static const char *plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

static void cause_evidence(struct arena *perm, struct finding *f,
                           const struct idle_result *r)
{
    static const char *const clause[IDLE_CAUSES] = {
        [IDLE_SYNC] =
            "the host had waited for the device and launched again afterwards",
        [IDLE_COPY] =
            "the host had waited for a memory copy and launched again afterwards",
        [IDLE_HOST] = "nothing was queued: the launch came after work had run out",
        [IDLE_CALL] = "the launch call itself took 0.1 ms or more",
        [IDLE_DEVICE] = "work was queued but had not started",
        [IDLE_UNKNOWN] = "no launch call is recorded that could explain them"};
    for (int k = 0; k < IDLE_CAUSES; k++) {
        const struct idle_cause_total *c = &r->causes[k];
        if (c->total_us > 0)
            evidence(perm, f, "{} ms of idle time in {} gap{}: {}.",
                     said_ms(c->total_us / 1e3), said(c->count), said(plural(c->count)),
                     said(clause[k]));
    }
}

/* The first three that hold at least a hundredth of idle time. */
static void share_evidence(struct arena *perm, const struct analysis *a,
                           struct finding *f, const struct op_share *ops, int n,
                           const char *relation)
{
    for (int k = 0; k < n && k < 3 && ops[k].total_us >= 10 * a->idle_ms; k++) {
        evidence(perm, f, "{} ms of it: {} gap{} {} {}{}.",
                 said_ms(ops[k].total_us / 1e3), said(ops[k].count),
                 said(plural(ops[k].count)), said(relation), said_name(ops[k].name, 60),
                 said(called_from(perm, &ops[k])));
    }
}

static void idle_evidence(struct arena *perm, const struct analysis *a,
                          struct finding *f, const struct idle_result *r)
{
    evidence(perm, f,
             "The device was idle for {} ms of {} ms ({}%) in {} gap{}; the longest "
             "lasts {} ms.",
             said_ms(a->idle_ms), said_ms(a->total_ms), said_pct(f->total_pct),
             said(r->gap_count), said(plural(r->gap_count)),
             said_ms(r->max_gap_us / 1e3));
    cause_evidence(perm, f, r);
    if (calls_are_pattern(r))
        evidence(perm, f, "First launches of a kernel among these calls: {}.",
                 said(r->first_launch_count));
    share_evidence(perm, a, f, r->sync_ops, r->n_sync_ops, "right after");
    share_evidence(perm, a, f, r->waited_ops, r->n_waited_ops, "before the launch of");
    evidence(perm, f, "{} of {} kernels last less than 10 us; the mean is {} us.",
             said(r->short_kernel_count), said(r->kernel_count),
             said_fixed(r->avg_kernel_us, 1));
    finding_evidence(perm, f,
                     S("Totals do not explain single gaps: look at those listed in a "
                       "timeline viewer (Perfetto)."));
}

/* What idle time consists of, and so what to do about it. */
enum idle_kind { KIND_SYNC, KIND_CALL, KIND_LAUNCH, KIND_BUBBLES, KIND_OTHER };

static const struct {
    struct str pattern, title, issue_end, action;
} kinds[] = {
    [KIND_SYNC] = {S_INIT("synchronization"),
                   S_INIT("Device idle after host synchronisation"),
                   S_INIT("mostly after points where the host waits for the device"),
                   S_INIT(SYNC_ACTION)},
    [KIND_CALL] = {S_INIT("slow_launch_calls"),
                   S_INIT("Device idle inside slow launch calls"),
                   S_INIT("mostly while a launch call itself takes long"),
                   S_INIT(WARM_UP_ACTION)},
    [KIND_LAUNCH] =
        {S_INIT("host_bound"), S_INIT("Device idle between launches: host-bound"),
         S_INIT("mostly because the host launches more slowly than the device works"),
         S_INIT("")},
    [KIND_BUBBLES] = {S_INIT("pipeline_bubbles"),
                      S_INIT("Device idle while the host works"),
                      S_INIT(
                          "mostly in long gaps in which the host had queued nothing"),
                      S_INIT(BUBBLE_ACTION)},
    [KIND_OTHER] = {S_INIT("idle"), S_INIT("Device idle between kernels"),
                    S_INIT("and the launch calls do not explain most of it"),
                    S_INIT("")}};

/* The action for the kind, then graph, compilation and batch depending on how much is
 * idle: each mechanism once. */
static struct str idle_action(struct arena *perm, enum idle_kind kind, double idle_pct,
                              const struct idle_result *r)
{
    bool graph = kind != KIND_SYNC && idle_pct > 50 && r->graph_launch_count == 0;
    struct str first = kinds[kind].action;
    if (kind == KIND_CALL)
        return say(perm,
                   "{} If such calls recur in a warm process, load or build the "
                   "kernels ahead of the first step.",
                   said(first));
    return say(perm, "{}{}{}{}{}{}", said(first), said(first.n ? " " : ""),
               said(graph ? GRAPH_ACTION : ""), said(graph ? " " : ""),
               said(kind == KIND_SYNC
                        ? "Then keep the step free of host decisions, so that it can "
                          "be compiled (`torch.compile`) or recorded as a GPU graph."
                        : "Compile the model (`torch.compile`) to cut per-operation "
                          "host work."),
               said(idle_pct > 40 && kind == KIND_LAUNCH
                        ? " A larger batch gives each launch more work."
                        : ""));
}

static struct str idle_kernel_action(enum idle_kind kind)
{
    return kind == KIND_CALL
               ? S("No kernel change shortens these calls.")
               : S("Faster kernels do not shorten this time, but fewer and larger ones "
                   "do: fuse the short kernels between the gaps.");
}

/* One finding about `part_us` of idle time. */
static void idle_finding(struct arena *perm, struct analysis *a,
                         const struct idle_result *r, enum idle_kind kind,
                         double part_us, struct impact_range impact)
{
    double part_pct = pct_of(part_us / 1e3, a->total_ms);
    /* The larger part represents all of it. */
    bool is_most = part_us >= 0.5e3 * a->idle_ms;
    enum severity severity = is_most ? r->severity : idle_severity(part_pct);
    struct str op = S("idle time");
    if (kind == KIND_SYNC && r->n_sync_ops)
        op = r->sync_ops[0].name;
    else if (kind != KIND_OTHER && r->n_waited_ops)
        op = r->waited_ops[0].name;
    struct finding *f = add_system_finding(perm, a, WORK_CPU_IDLE, kinds[kind].pattern,
                                           op, part_us / 1e3);
    f->title = kinds[kind].title;
    f->count = r->gap_count;
    f->priority = severity_priority(severity);
    f->priority_basis =
        say(perm, "idle {}% of total time{}: severity {}", said_pct(part_pct),
            said(is_most ? "" : " (the smaller part)"), said(severity_word(severity)));
    f->issue = say(perm, "The device is idle for {}% of the time, {}.",
                   said_pct(part_pct), said(kinds[kind].issue_end));
    f->algorithmic = idle_action(perm, kind, pct_of(a->idle_ms, a->total_ms), r);
    f->kernel = idle_kernel_action(kind);
    f->impact = impact;
    f->confidence = r->host_known ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM;
    idle_evidence(perm, a, f, r);
}

/* If the host's waiting and its lateness both cost much, each gets a finding. A faster
 * host also shortens the gaps after synchronisation points, so its range is wider. */
static void two_findings(struct arena *perm, struct analysis *a,
                         const struct idle_result *r, enum idle_kind late_kind,
                         double waits_us, double late_us)
{
    double other_us =
        r->causes[IDLE_DEVICE].total_us + r->causes[IDLE_UNKNOWN].total_us;
    double share = waits_us / (waits_us + late_us), low_ms = r->recoverable_low_ms;
    idle_finding(perm, a, r, KIND_SYNC, waits_us,
                 impact_of_ms(a, low_ms * share, (waits_us + other_us) / 1e3,
                              S("from half of its part of what 20 % idle time would "
                                "save to all idle time after such points")));
    idle_finding(perm, a, r, late_kind, late_us,
                 impact_of_ms(a, low_ms * (1 - share), a->idle_ms,
                              S("from half of its part of what 20 % idle time would "
                                "save to all idle time")));
}

static void promote_idle(struct arena *perm, struct analysis *a,
                         const struct idle_result *r, double threshold_pct)
{
    double idle_pct = pct_of(a->idle_ms, a->total_ms);
    double recoverable_pct = pct_of(r->recoverable_high_ms, a->total_ms);
    const struct idle_cause_total *late = &r->causes[IDLE_HOST];
    double waits_us = r->causes[IDLE_SYNC].total_us + r->causes[IDLE_COPY].total_us;
    double calls_us = r->causes[IDLE_CALL].total_us;
    /* A tenth of the time with one cause is worth a line, at the lowest priority. */
    double one_cause_us = fmax(waits_us, fmax(late->total_us, calls_us));
    bool one_cause = idle_pct > 10 && one_cause_us >= 0.8 * 1e3 * a->idle_ms;
    bool promoted = idle_pct > threshold_pct ||
                    (idle_pct > 30 && recoverable_pct >= 5) || one_cause;
    if (r->status != ANALYSER_OK || !promoted)
        return;
    enum idle_kind late_kind =
        2 * late->long_us >= late->total_us ? KIND_BUBBLES : KIND_LAUNCH;
    double much_us = 0.2 * 1e3 * a->total_ms, half_us = 0.5 * 1e3 * a->idle_ms;
    if (waits_us >= much_us && late->total_us >= much_us) {
        two_findings(perm, a, r, late_kind, waits_us, late->total_us);
        return;
    }
    enum idle_kind kind = waits_us >= half_us         ? KIND_SYNC
                          : calls_us >= half_us       ? KIND_CALL
                          : late->total_us >= half_us ? late_kind
                                                      : KIND_OTHER;
    idle_finding(
        perm, a, r, kind, 1e3 * a->idle_ms,
        impact_of_ms(
            a, r->recoverable_low_ms, r->recoverable_high_ms,
            r->recoverable_high_ms > 0
                ? S("from half of what 20 % idle time would save to all idle time")
                : S("idle time is already below the target of 20 %")));
}

/* Idle time above the user's threshold always gets an item in the report. */
static void lift_asked_for(struct arena *perm, struct finding *f, double threshold_pct)
{
    if (f->priority >= PRIORITY_MEDIUM)
        return;
    f->priority = PRIORITY_MEDIUM;
    f->priority_basis = say(perm, "{}; reported from {}% idle time, as requested",
                            said(f->priority_basis), said_pct(threshold_pct));
}

void idle_findings(struct arena *perm, struct analysis *a, const struct idle_result *r,
                   double threshold_pct)
{
    double idle_pct = pct_of(a->idle_ms, a->total_ms);
    int first = a->n_findings;
    promote_idle(perm, a, r, threshold_pct);
    for (int i = first; i < a->n_findings && idle_pct > threshold_pct; i++)
        lift_asked_for(perm, &a->findings[i], threshold_pct);
}
