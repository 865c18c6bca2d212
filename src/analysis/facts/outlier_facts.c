#include "analysis/facts/outlier_facts.h"

#include "analysis/facts/kernel_grid.h"
#include "base/sort.h"
#include "ops/op_cost.h"
#include "ops/op_tables.h"
#include "ops/trace_view.h"

#include <math.h>
#include <string.h>

/* Longer than this many medians; fewer calls than this show no habit. */
static const double OUTLIER_MEDIANS = 3;
enum { FEWEST_CALLS = 8 };

struct outliers {
    int64_t n;
    double us, first_ms, last_ms; /* first, last: from the start of the timeline */
};

static double limit_us_of(const struct op_group *g)
{
    return OUTLIER_MEDIANS * g->direct_us.median;
}

static void add_call(struct outliers *o, double us, double at_ms)
{
    o->first_ms = o->n == 0 ? at_ms : fmin(o->first_ms, at_ms);
    o->last_ms = o->n == 0 ? at_ms : fmax(o->last_ms, at_ms);
    o->us += us;
    o->n++;
}

static int64_t start_of(const struct event_store *s, const struct op_call_row *call)
{
    int64_t at = INT64_MAX;
    for (int32_t k = 0; k < call->n_kernels; k++)
        at = s->start_ns[call->kernels[k]] < at ? s->start_ns[call->kernels[k]] : at;
    return at;
}

static bool same_launch(const struct event_store *s, event_id a, event_id b)
{
    struct kernel_grid x = kernel_grid_of(s, a), y = kernel_grid_of(s, b);
    return !memcmp(x.side, y.side, sizeof x.side) && !isnan(x.blocks);
}

/* Two calls of one row that are known to do different work: a model tells, which may
 * read an operand that the row's arguments lack, or a kernel that is launched for
 * another size. */
static bool do_other_work(const struct event_store *s, const struct op_call_row *a,
                          const struct op_call_row *b)
{
    if (a->cost && b->cost &&
        (a->cost->flop != b->cost->flop || a->cost->byte != b->cost->byte))
        return true;
    for (int32_t k = 0; k < a->n_kernels && a->n_kernels == b->n_kernels; k++)
        if (s->name[a->kernels[k]] == s->name[b->kernels[k]] &&
            !isnan(kernel_grid_of(s, a->kernels[k]).blocks) &&
            !isnan(kernel_grid_of(s, b->kernels[k]).blocks) &&
            !same_launch(s, a->kernels[k], b->kernels[k]))
            return true;
    return false;
}

/* As many blocks as fit at once, whatever the size of the work: a persistent kernel's.
 */
static bool is_persistent(const struct op_tables *t, event_id gpu)
{
    double blocks = kernel_grid_of(t->view->s, gpu).blocks;
    int units = t->fill.units.n;
    return units > 1 && !isnan(blocks) && fmod(blocks, units) == 0;
}

/* All calls launch the same kernels on the same grids, which tell the size of the work.
 */
static bool all_launch_alike(const struct op_tables *t, const struct op_group *g)
{
    const struct event_store *s = t->view->s;
    const struct op_call_row *first = &t->judged.calls.rows[g->members[0]];
    for (int32_t k = 0; k < first->n_kernels; k++)
        if (is_persistent(t, first->kernels[k]))
            return false;
    for (int32_t i = 0; i < g->n; i++) {
        const struct op_call_row *c = &t->judged.calls.rows[g->members[i]];
        if (c->n_kernels != first->n_kernels || c->n_kernels == 0)
            return false;
        for (int32_t k = 0; k < c->n_kernels; k++)
            if (s->name[c->kernels[k]] != s->name[first->kernels[k]] ||
                !same_launch(s, c->kernels[k], first->kernels[k]))
                return false;
    }
    return true;
}

/* Whether most of n places, of `total`, come again a fixed distance later, each `every`
 * places, from the first turn to the last. */
static bool come_again(const int64_t *place, int32_t n, int32_t every, int32_t total)
{
    int64_t period = place[every] - place[0];
    int32_t same = 0;
    for (int32_t i = 0; i + every < n; i++)
        same += place[i + every] - place[i] == period;
    return same >= 0.9 * (n - every) && place[0] < period &&
           total - place[n - 1] <= period;
}

/* Without shapes: every p-th call is a long one, such as that of the largest matrix of
 * each layer, which is other work and not slowed. */
static bool long_ones_take_turns(struct arena tmp, const struct op_tables *t,
                                 const struct op_group *g)
{
    enum { FEWEST_PERIODS = 3, MOST_IN_A_PERIOD = 256 };
    struct sort_row *by_start = arena_take_raw(&tmp, sizeof *by_start, 8, g->n);
    int64_t *place = arena_take_raw(&tmp, sizeof *place, 8, g->n);
    double limit_us = limit_us_of(g);
    int32_t n = 0;
    for (int32_t i = 0; i < g->n; i++) {
        int32_t call = g->members[i];
        by_start[i] =
            (struct sort_row){start_of(t->view->s, &t->judged.calls.rows[call]), call};
    }
    sort_rows(tmp, by_start, g->n);
    for (int32_t i = 0; i < g->n; i++)
        if ((double)t->judged.calls.rows[by_start[i].row].direct_ns / 1e3 > limit_us)
            place[n++] = i;
    for (int32_t every = 1; FEWEST_PERIODS * every <= n && every <= MOST_IN_A_PERIOD;
         every++)
        if (come_again(place, n, every, g->n))
            return true;
    return false;
}

static bool launch_the_same(struct arena tmp, const struct op_tables *t,
                            const struct op_group *g)
{
    return all_launch_alike(t, g) && !long_ones_take_turns(tmp, t, g);
}

/* The call that is nearest to the median. */
static const struct op_call_row *usual_call(const struct op_tables *t,
                                            const struct op_group *g)
{
    const struct op_call_row *best = NULL;
    double least = (double)INFINITY;
    for (int32_t i = 0; i < g->n; i++) {
        const struct op_call_row *c = &t->judged.calls.rows[g->members[i]];
        double off = fabs((double)c->direct_ns / 1e3 - g->direct_us.median);
        best = off < least ? c : best;
        least = fmin(least, off);
    }
    return best;
}

bool calls_do_the_same(struct arena tmp, const struct op_tables *t,
                       const struct op_group *g)
{
    if (!t->view || !g->members)
        return true;
    const struct op_call_row *first = &t->judged.calls.rows[g->members[0]];
    if (!g->args.dims)
        return launch_the_same(tmp, t, g);
    for (int32_t i = 1; i < g->n; i++)
        if (do_other_work(t->view->s, first, &t->judged.calls.rows[g->members[i]]))
            return false;
    return true;
}

void outlier_facts_row(struct fact_maker *m, struct work_row *r)
{
    const struct op_group *g = r->group;
    const struct op_tables *t = m->a->tables;
    double limit_us = limit_us_of(g);
    struct outliers o = {0};
    const struct op_call_row *first = NULL;
    int64_t first_at = INT64_MAX;
    if (g->n < FEWEST_CALLS || g->n_folded || !g->members ||
        !(g->direct_us.max > limit_us))
        return;
    for (int32_t i = 0; i < g->n; i++) {
        const struct op_call_row *call = &t->judged.calls.rows[g->members[i]];
        int64_t at = start_of(t->view->s, call);
        if (at < first_at) {
            first_at = at;
            first = call;
        }
    }
    const struct op_call_row *usual = usual_call(t, g);
    for (int32_t i = 0; i < g->n; i++) {
        const struct op_call_row *call = &t->judged.calls.rows[g->members[i]];
        double us = (double)call->direct_ns / 1e3;
        if (us <= limit_us || do_other_work(t->view->s, call, usual))
            continue;
        if (call == first)
            work_set(m->perm, r, FACT("first_call_us", us));
        else
            add_call(&o, us,
                     (double)(start_of(t->view->s, call) - t->view->timeline.start_ns) /
                         1e6);
    }
    if (o.n == 0 || 3 * o.n > g->n)
        return;
    work_set(
        m->perm, r, FACT("outlier_calls", (double)o.n),
        FACT("outlier_pct", 100 * o.us / g->direct_us.sum),
        FACT("outlier_excess_ms", (o.us - (double)o.n * g->direct_us.median) / 1e3),
        FACT("outlier_first_ms", o.first_ms), FACT("outlier_last_ms", o.last_ms),
        FACT("outlier_alike", launch_the_same(m->tmp, t, g)),
        FACT("median_us", g->direct_us.median));
}
