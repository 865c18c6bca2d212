#include "analysis/search_waits.h"

#include "analysis/facts/search_trials.h"
#include "analysis/model/number_text.h"
#include "analysis/model/system_results.h"
#include "analysis/model/work_facts.h"
#include "base/duration.h"
#include "base/sort.h"
#include "ops/op_tables.h"
#include "ops/trace_view.h"

#include <math.h>

static struct finding *search_of(struct analysis *a)
{
    for (int k = 0; k < a->n_findings; k++)
        if (str_eq(a->findings[k].pattern, S("searched_for_each_size")))
            return &a->findings[k];
    return NULL;
}

/* Calls that search: those that time what they try; where none is seen to, all. */
struct calls {
    const struct event_store *s;
    struct timings times;
    struct sort_row *at; /* by start; row: the event */
    int32_t n;
};

static void add_calls(struct arena *tmp, const struct analysis *a,
                      const struct op_group *g, bool timed, struct calls *c)
{
    for (int32_t m = 0; g->members && m < g->n; m++) {
        event_id call = a->tables->judged.calls.rows[g->members[m]].event;
        if (call < 0 ||
            (timed && timings_last_ns(&c->times, call) < c->s->start_ns[call]))
            continue;
        arena_grow(tmp, c->at, c->n);
        c->at[c->n++] = (struct sort_row){c->s->start_ns[call], call};
    }
}

static struct calls calls_of(struct arena *tmp, const struct analysis *a,
                             const struct finding *f)
{
    struct calls c = {.s = a->tables->view->s};
    c.times = timings_of(tmp, a->tables->view);
    for (int i = 0; i < f->n_rows; i++)
        add_calls(tmp, a, f->rows[i]->group,
                  !isnan(work_number(f->rows[i], "trials_ms")), &c);
    sort_rows(*tmp, c.at, c.n);
    return c;
}

/* Of the calls, by start, the last one that begins by `ns`; -1. */
static int32_t last_by(const struct calls *c, int64_t ns)
{
    int32_t low = 0, high = c->n;
    while (low < high) {
        int32_t mid = low + (high - low) / 2;
        if (c->at[mid].key <= ns)
            low = mid + 1;
        else
            high = mid;
    }
    return low - 1;
}

/* Its last timing; where it times nothing, its end. */
static int64_t searches_until(const struct calls *c, event_id call)
{
    int64_t ns = timings_last_ns(&c->times, call);
    return ns < c->s->start_ns[call] ? store_end_ns(c->s, call) : ns;
}

/* Of a span on a thread, what is inside of calls: of all, or until they have chosen. */
static int64_t inside_ns(const struct calls *c, const struct idle_span *x, bool whole)
{
    int32_t k = last_by(c, x->start_ns);
    int64_t ns = 0;
    for (k = k < 0 ? 0 : k; k < c->n && c->at[k].key < x->end_ns; k++) {
        event_id call = c->at[k].row;
        int64_t end_ns = whole ? store_end_ns(c->s, call) : searches_until(c, call);
        end_ns = end_ns < x->end_ns ? end_ns : x->end_ns;
        int64_t from_ns = c->at[k].key > x->start_ns ? c->at[k].key : x->start_ns;
        if (c->s->lane[call] == x->lane && end_ns > from_ns)
            ns += end_ns - from_ns;
    }
    return ns;
}

static const double MOST = 0.8;

static bool waits_inside(const struct calls *c, const struct idle_group *g)
{
    int32_t inside = 0;
    for (int32_t k = 0; k < g->n_waits; k++)
        inside += inside_ns(c, &g->waits[k], true) > 0;
    return inside > 0 && inside >= MOST * g->n_waits;
}

static bool idles_inside(const struct calls *c, const struct idle_group *g)
{
    int64_t ns = 0, all_ns = 0;
    for (int32_t k = 0; k < g->n_spans; k++) {
        ns += inside_ns(c, &g->spans[k], true);
        all_ns += g->spans[k].end_ns - g->spans[k].start_ns;
    }
    return ns > 0 && (double)ns >= MOST * (double)all_ns;
}

/* What the host does not do without the search: waits where nothing is timed, and all
 * that leads to a choice. */
static void add_gone(struct arena *perm, const struct calls *c, struct idle_group *to,
                     const struct idle_group *g)
{
    for (int32_t k = 0; k < g->n_waits; k++) {
        int32_t at = last_by(c, g->waits[k].start_ns);
        if (at >= 0 && timings_last_ns(&c->times, c->at[at].row) >= c->at[at].key)
            continue;
        arena_grow(perm, to->waits, to->n_waits);
        to->waits[to->n_waits++] = g->waits[k];
    }
}

static void add_timed(struct arena *perm, const struct calls *c, struct idle_group *to)
{
    for (int32_t k = 0; k < c->n; k++) {
        event_id call = c->at[k].row;
        int64_t ns = timings_last_ns(&c->times, call);
        if (ns < c->at[k].key)
            continue;
        arena_grow(perm, to->waits, to->n_waits);
        to->waits[to->n_waits++] =
            (struct idle_span){c->s->lane[call], call, c->at[k].key, ns};
    }
}

static int64_t idle_ns(const struct calls *c, const struct idle_result *r)
{
    int64_t ns = 0;
    for (int32_t k = 0; k < r->n_groups; k++)
        for (int32_t i = 0; i < r->groups[k].n_spans; i++)
            ns += inside_ns(c, &r->groups[k].spans[i], false);
    return ns;
}

void search_waits_join(struct arena *perm, struct arena tmp, struct analysis *a)
{
    struct finding *f = search_of(a);
    if (!f)
        return;
    struct calls c = calls_of(&tmp, a, f);
    struct idle_group *all = arena_new(perm, struct idle_group, 1);
    all->class = IDLE_SYNC;
    add_timed(perm, &c, all);
    for (int k = a->n_findings - 1; k >= 0; k--) {
        const struct idle_group *g = a->findings[k].idle;
        if (!g ||
            !(idles_inside(&c, g) || (g->class == IDLE_SYNC && waits_inside(&c, g))))
            continue;
        add_gone(perm, &c, all, g);
        finding_remove(a, k);
        f = search_of(a);
    }
    all->total_ns = idle_ns(&c, idle_that_decides(a->system));
    if (!all->total_ns)
        return;
    f->between = all;
    f->issue = say(perm, "{} The GPU is idle for {} ms more between them.",
                   said(f->issue), said_ms(ms_of(all->total_ns)));
}
