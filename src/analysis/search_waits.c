#include "analysis/search_waits.h"

#include "analysis/model/number_text.h"
#include "analysis/model/system_results.h"
#include "base/duration.h"
#include "base/sort.h"
#include "ops/op_tables.h"
#include "ops/trace_view.h"

static struct finding *search_of(struct analysis *a)
{
    for (int k = 0; k < a->n_findings; k++)
        if (str_eq(a->findings[k].pattern, S("searched_for_each_size")))
            return &a->findings[k];
    return NULL;
}

struct calls {
    const struct event_store *s;
    struct sort_row *at; /* by start; row: the event */
    int32_t n;
};

static struct calls calls_of(struct arena *tmp, const struct analysis *a,
                             const struct finding *f)
{
    struct calls c = {.s = a->tables->view->s};
    for (int i = 0; i < f->n_rows; i++) {
        const struct op_group *g = f->rows[i]->group;
        for (int32_t m = 0; g->members && m < g->n; m++) {
            event_id call = a->tables->judged.calls.rows[g->members[m]].event;
            if (call < 0)
                continue;
            arena_grow(tmp, c.at, c.n);
            c.at[c.n++] = (struct sort_row){c.s->start_ns[call], call};
        }
    }
    sort_rows(*tmp, c.at, c.n);
    return c;
}

static bool holds(const struct calls *c, const struct idle_span *wait)
{
    int32_t low = 0, high = c->n;
    while (low < high) {
        int32_t mid = low + (high - low) / 2;
        if (c->at[mid].key <= wait->start_ns)
            low = mid + 1;
        else
            high = mid;
    }
    event_id call = low ? c->at[low - 1].row : -1;
    return call >= 0 && c->s->lane[call] == wait->lane &&
           wait->start_ns < store_end_ns(c->s, call);
}

static bool are_inside(const struct calls *c, const struct idle_group *idle)
{
    const double MOST = 0.8;
    int32_t inside = 0;
    for (int32_t k = 0; k < idle->n_waits; k++)
        inside += holds(c, &idle->waits[k]);
    return inside > 0 && inside >= MOST * idle->n_waits;
}

void search_waits_join(struct arena *perm, struct arena tmp, struct analysis *a)
{
    struct finding *f = search_of(a);
    if (!f)
        return;
    struct calls c = calls_of(&tmp, a, f);
    for (int k = 0; k < a->n_findings; k++) {
        const struct idle_group *idle = a->findings[k].idle;
        if (!idle || idle->class != IDLE_SYNC || !are_inside(&c, idle))
            continue;
        f->between = idle;
        f->issue = say(
            perm, "{} The GPU is idle for {} ms more, while the host waits for them.",
            said(f->issue), said_ms(ms_of(idle->total_ns)));
        finding_remove(a, k);
        return;
    }
}
