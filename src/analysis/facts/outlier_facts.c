#include "analysis/facts/outlier_facts.h"

#include "ops/op_tables.h"
#include "ops/trace_view.h"

#include <math.h>

/* Longer than this many medians; fewer calls than this show no habit. */
static const double OUTLIER_MEDIANS = 3;
enum { FEWEST_CALLS = 8 };

struct outliers {
    int64_t n;
    double us, first_ms, last_ms; /* first, last: from the start of the timeline */
};

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

void outlier_facts_row(struct fact_maker *m, struct work_row *r)
{
    const struct op_group *g = r->group;
    const struct op_tables *t = m->a->tables;
    double limit_us = OUTLIER_MEDIANS * g->direct_us.median;
    struct outliers o = {0};
    const struct op_call_row *first = NULL;
    int64_t first_at = INT64_MAX;
    if (g->n < FEWEST_CALLS || g->n_folded || !g->members || !(g->direct_us.max > limit_us))
        return;
    for (int32_t i = 0; i < g->n; i++) {
        const struct op_call_row *call = &t->models.rows[g->members[i]];
        int64_t at = start_of(t->view->s, call);
        if (at < first_at) {
            first_at = at;
            first = call;
        }
    }
    for (int32_t i = 0; i < g->n; i++) {
        const struct op_call_row *call = &t->models.rows[g->members[i]];
        double us = (double)call->direct_ns / 1e3;
        if (us <= limit_us)
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
        FACT("median_us", g->direct_us.median));
}
