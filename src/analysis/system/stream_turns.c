#include "analysis/system/stream_turns.h"

#include "analysis/facts/kernel_grid.h"
#include "analysis/lua/pattern_host.h"
#include "analysis/model/number_text.h"
#include "analysis/model/work_facts.h"
#include "analysis/system/system_advice.h"
#include "analysis/system/system_parts.h"
#include "base/duration.h"
#include "ops/op_tables.h"
#include "ops/trace_view.h"

#include <math.h>
#include <string.h>

enum { BEHIND_NS = 20000 }; /* so soon the end of one kernel starts the next */

static const double LEAST_PCT = 3; /* of the run */

struct turns {
    const struct trace_view *v;
    double units;     /* multiprocessors */
    int64_t *end_ns;  /* by lane: of its last kernel before the pair */
    int64_t saved_ns; /* the shorter of each pair of turns */
    int64_t pairs, blocks;
};

/* Kernels of one stream, one after the other, until another stream has its turn. */
struct turn {
    int32_t from, to; /* positions in the order of starts */
    int64_t ns;       /* of its kernels */
    double blocks;    /* of the largest; NaN: not recorded */
};

static bool takes_part(const struct turns *t, event_id gpu)
{
    return t->v->s->cat[gpu] == CAT_KERNEL && !view_communicates(t->v, gpu);
}

/* Of the kernels from k on whose launch calls were over by a time. */
static struct turn turn_at(const struct turns *t, const event_id *by_start, int32_t n,
                           int32_t k, int64_t queued_ns)
{
    const struct event_store *s = t->v->s;
    struct turn r = {k, k, 0, 0};
    for (; r.to < n && s->lane[by_start[r.to]] == s->lane[by_start[k]]; r.to++) {
        event_id gpu = by_start[r.to], call = view_issue(t->v, gpu);
        if (!takes_part(t, gpu) || call < 0 || store_end_ns(s, call) > queued_ns)
            break;
        double blocks = kernel_grid_of(s, gpu).blocks;
        r.blocks = blocks > r.blocks || isnan(blocks) ? blocks : r.blocks;
        r.ns += store_dur_ns(s, gpu);
    }
    return r;
}

/* Queued on a free stream when the other's turn began, and started by its end. */
static bool waits_for(const struct turns *t, const event_id *by_start, struct turn a,
                      struct turn b)
{
    const struct event_store *s = t->v->s;
    event_id first = by_start[a.from], then = by_start[b.from];
    int64_t gap_ns = s->start_ns[then] - store_end_ns(s, by_start[a.to - 1]);
    return s->lane[first] != s->lane[then] && gap_ns >= 0 && gap_ns < BEHIND_NS &&
           t->end_ns[s->lane[then]] <= s->start_ns[first];
}

static bool fit_together(struct turns *t, struct turn a, struct turn b)
{
    if (!(a.blocks + b.blocks <= t->units)) /* NaN: not recorded */
        return false;
    int64_t most = (int64_t)(a.blocks > b.blocks ? a.blocks : b.blocks);
    t->blocks = most > t->blocks ? most : t->blocks;
    return true;
}

static void end_turn(struct turns *t, const event_id *by_start, int32_t to)
{
    const struct event_store *s = t->v->s;
    t->end_ns[s->lane[by_start[to - 1]]] = store_end_ns(s, by_start[to - 1]);
}

/* A turn is of one pair: at most two streams work at once. */
static void find_pairs(struct turns *t, const event_id *by_start, int32_t n)
{
    const struct event_store *s = t->v->s;
    for (int32_t k = 0; k < n;) {
        struct turn a = turn_at(t, by_start, n, k, INT64_MAX), b = {0};
        if (a.to > a.from && a.to < n)
            b = turn_at(t, by_start, n, a.to, s->start_ns[by_start[k]]);
        bool pair =
            b.to > b.from && waits_for(t, by_start, a, b) && fit_together(t, a, b);
        k = pair ? b.to : a.to > a.from ? a.to : k + 1;
        if (a.to > a.from)
            end_turn(t, by_start, a.to);
        if (pair)
            end_turn(t, by_start, b.to);
        else if (a.to == a.from)
            end_turn(t, by_start, k);
        t->saved_ns += !pair ? 0 : a.ns < b.ns ? a.ns : b.ns;
        t->pairs += pair;
    }
}

static int64_t event_waits(const struct event_store *s)
{
    int64_t n = 0;
    for (event_id i = 0; i < s->n; i++)
        n += cat_is_runtime(s->cat[i]) && (store_role(s, i) & ROLE_STREAM_WAIT);
    return n;
}

static struct turns turns_of(struct arena tmp, const struct trace_view *v, double units)
{
    struct turns t = {.v = v, .units = units};
    t.end_ns = arena_new(&tmp, int64_t, v->s->n_lanes + 1);
    memset(t.end_ns, 0x80, (size_t)v->s->n_lanes * sizeof *t.end_ns); /* long ago */
    event_id *by_start = arena_take_raw(&tmp, sizeof *by_start, 4, v->n_counted);
    if (v->n_counted)
        memcpy(by_start, v->counted, (size_t)v->n_counted * sizeof *by_start);
    view_sort_by_start(tmp, v->s, by_start, v->n_counted);
    find_pairs(&t, by_start, v->n_counted);
    return t;
}

static void add_finding(struct arena *perm, struct analysis *a, const struct turns *t,
                        const struct pattern_hit *hits, int n)
{
    double ms = ms_of(t->saved_ns);
    struct finding *f = advised_finding(perm, a, hits, n, S("streams"), ms);
    f->count = t->pairs;
    f->impact = f->impact_kernel =
        impact_of_ms(a, 0, ms, S("up to the shorter of each pair of turns"));
}

void stream_turns_finding(struct arena *perm, struct arena tmp, struct analysis *a)
{
    const struct trace_view *v = a->tables->view;
    int n, units = trace_device(a->tables->facts.machine).compute_units;
    if (!units && a->tables->device)
        units = a->tables->device->compute_units;
    if (!a->patterns || !v || (v->devices && v->devices->n > 1) || units <= 0 ||
        !(a->total_ms > 0))
        return;
    struct turns t = turns_of(tmp, v, units);
    if (pct_of(ms_of(t.saved_ns), a->total_ms) < LEAST_PCT)
        return;
    const struct work_fact facts[] = {
        FACT("pairs", (double)t.pairs),
        FACT("pairs_ms", ms_of(t.saved_ns)),
        FACT("blocks", (double)t.blocks),
        FACT("sms", (double)units),
        FACT("units", device_fill_units(&a->tables->fill)),
        FACT("event_waits", (double)event_waits(v->s))};
    const struct pattern_hit *hits =
        pattern_host_about(a->patterns, perm, a, S("streams"), facts,
                           (int)(sizeof facts / sizeof *facts), &n);
    if (!n)
        return;
    add_finding(perm, a, &t, hits, n);
    work_set(perm, a, FACT("turns_pct", pct_of(ms_of(t.saved_ns), a->computation_ms)));
}
