/* Idle time: how much, in which gaps, and what reducing it would save
 * (analysis.md 4.1). Why is told by idle_follow. */
#include "analysis/model/number_text.h"
#include "analysis/system/allocator_retry.h"
#include "analysis/system/first_calls.h"
#include "analysis/system/gap_clause.h"
#include "analysis/system/host_beside.h"
#include "analysis/system/host_stops.h"
#include "analysis/system/host_time.h"
#include "analysis/system/idle_follow.h"
#include "analysis/system/system_parts.h"
#include "base/sort.h"

#include <math.h>
#include <string.h>

enum { SHORT_KERNEL_NS = 10000 };

static const double target_idle_pct = 20;

static void count_kernels(struct arena tmp, const struct trace_view *v,
                          struct idle_result *r)
{
    const struct event_store *s = v->s;
    uint8_t *label_of = arena_new(&tmp, uint8_t, s->names.n + 1);
    uint8_t *seen = arena_new(&tmp, uint8_t, s->n_lanes + 1);
    double sum_us = 0, short_us = 0, compute_us = 0;
    int64_t n_compute = 0;
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id g = v->counted[k];
        double us = (double)store_dur_ns(s, g) / 1e3;
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
        sum_us += us;
        bool computes = *label - 1 != KERNEL_COMMUNICATION;
        compute_us += computes ? us : 0;
        n_compute += computes;
        short_us += us * 1e3 < SHORT_KERNEL_NS ? us : 0;
    }
    r->short_kernel_pct = pct_of(short_us, sum_us);
    r->avg_kernel_us = r->kernel_count ? sum_us / (double)r->kernel_count : 0;
    r->avg_compute_us = n_compute ? compute_us / (double)n_compute : r->avg_kernel_us;
}

/* Of kernel time, what graph launches replay. */
static double graph_share_pct(const struct trace_view *v)
{
    double all_ns = 0, graph_ns = 0;
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id g = v->counted[k], call = view_issue(v, g);
        double ns = (double)store_dur_ns(v->s, g);
        bool kernel = v->s->cat[g] == CAT_KERNEL;
        all_ns += kernel ? ns : 0;
        if (kernel && call >= 0 && launch_is_graph(v->s, call))
            graph_ns += ns;
    }
    return pct_of(graph_ns, all_ns);
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
        event_id g = v->counted[k], call = view_issue(v, g);
        if (s->cat[g] != CAT_KERNEL || call < 0)
            continue;
        uint8_t *known = &called[store_row(s, call)];
        l->calls += !*known;
        /* A call that an arrow leaves halfway does more than launch. */
        l->blocking += !s->n_arrows && store_end_ns(s, call) >= store_end_ns(s, g);
        *known = 1;
        delay[l->launches++] = (struct sort_row){s->start_ns[g] - s->start_ns[call], g};
        sum_us += (double)(s->start_ns[g] - s->start_ns[call]) / 1e3;
    }
    sort_rows(tmp, delay, l->launches);
    int64_t n = l->launches, steps = v->profiler_steps;
    l->mean_delay_us = n ? sum_us / (double)n : (double)NAN;
    l->max_delay_us = n ? (double)delay[n - 1].key / 1e3 : (double)NAN;
    l->median_delay_us =
        n ? ((double)delay[(n - 1) / 2].key + (double)delay[n / 2].key) / 2e3
          : (double)NAN;
    l->per_step = steps ? (double)n / (double)steps : (double)NAN;
    r->host_known = n > 0;
    r->wait_count = v->waits.n;
    r->graph_kernel_pct = graph_share_pct(v);
    for (event_id i = 0; i < s->n; i++)
        r->graph_launch_count += cat_is_runtime(s->cat[i]) && launch_is_graph(s, i);
}

static void sum_gaps(const struct idle_gaps *g, struct idle_result *r)
{
    double total = 0, in_long = 0, after_sync = 0;
    for (int32_t k = 0; k < g->n; k++) {
        const struct gap_row *gap = &g->rows[k];
        double us = (double)gap->dur_ns / 1e3;
        bool is_long = gap->dur_ns >= LONG_GAP_NS;
        total += us;
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

/* Ties go to the earlier gap: rows are sorted by start, and only a longer one moves up.
 */
static void longest_gaps(struct arena *perm, const struct tree_index *t,
                         const struct idle_gaps *g, const struct gap_cause *causes,
                         struct idle_result *r)
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
            .before = top[k]->before < 0 ? S("the window begins")
                                         : store_name(v->s, top[k]->before),
            .after = top[k]->after < 0 ? S("the window ends")
                                       : store_name(v->s, top[k]->after),
            .cause = gap_cause_clause(perm, t, top[k], &causes[top[k] - g->rows]),
            .class = causes[top[k] - g->rows].class,
            .next = top[k]->after};
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

static bool has_time(const struct analysis *a, const struct trace_view *v)
{
    return v->n_counted > 0 && a->total_ms > 0;
}

void idle_count(struct arena tmp, const struct analysis *a, const struct trace_view *v,
                struct idle_result *r)
{
    if (!has_time(a, v))
        return;
    count_kernels(tmp, v, r);
    count_launches(tmp, v, r);
}

void idle_analyse(struct arena *perm, struct arena tmp, const struct analysis *a,
                  struct host_time *host, const struct idle_gaps *g,
                  struct idle_result *r)
{
    const struct tree_index *t = host->t;
    if (!has_time(a, t->v)) {
        r->status = ANALYSER_NO_DATA;
        r->severity = SEVERITY_UNKNOWN;
        return;
    }
    double idle_pct = pct_of(a->idle_ms, a->total_ms);
    r->severity = idle_severity(idle_pct);
    r->flagged = idle_pct > 15;
    r->critical = idle_pct > 50;
    sum_gaps(g, r);
    struct first_calls set_up = first_calls_find(perm, tmp, t);
    for (int32_t k = 0; k < set_up.n; k++)
        host_time_sets_up(host, set_up.at[k]);
    r->given_back = set_up.given_back;
    r->taken = set_up.taken;
    struct allocator_retries retries = allocator_retries_find(t);
    r->allocations_repeated = retries.n;
    r->freed_to_repeat = retries.freed;
    r->emptied = retries.emptied;
    r->beside_ns = host_beside_graphs_ns(tmp, host);
    r->captures = host->n_captures;
    r->recaptures = host->n_recaptures;
    r->compiled_captures = host->n_compiled_captures;
    struct gap_cause *causes = idle_follow(perm, tmp, host, g, r);
    r->stops = host_stops_find(tmp, t, g, causes);
    longest_gaps(perm, t, g, causes, r);
    recoverable(a, idle_pct, r);
}
