#include "analysis/facts/search_trials.h"

#include "analysis/facts/fact_maker.h"
#include "base/sort.h"
#include "ops/op_tables.h"
#include "ops/trace_view.h"

struct search {
    int64_t calls, last_ns; /* that search: how many, and when the last one begins */
    double ms;
};

struct timings timings_of(struct arena *tmp, const struct trace_view *v)
{
    const struct event_store *s = v->s;
    struct timings t = {.v = v};
    uint8_t *times = arena_new(tmp, uint8_t, s->names.n + 1);
    bool any = false;
    for (name_id k = 0; k < s->names.n; k++) {
        times[k] = str_ends(pool_text(&s->names, k), S("EventElapsedTime"));
        any |= times[k];
    }
    for (event_id i = 0; any && i < s->n; i++)
        if (s->cat[i] == CAT_RUNTIME && times[s->name[i]]) {
            arena_grow(tmp, t.at, t.n);
            t.at[t.n++] = (struct sort_row){s->start_ns[i], i};
        }
    sort_rows(*tmp, t.at, t.n);
    return t;
}

int64_t timings_last_ns(const struct timings *t, event_id call)
{
    const struct event_store *s = t->v->s;
    int64_t end_ns = store_end_ns(s, call);
    int32_t low = 0, high = t->n;
    while (low < high) {
        int32_t mid = low + (high - low) / 2;
        if (t->at[mid].key < end_ns)
            low = mid + 1;
        else
            high = mid;
    }
    bool is_its = low > 0 && s->lane[t->at[low - 1].row] == s->lane[call];
    return is_its ? t->at[low - 1].key : INT64_MIN;
}

static void add_call(const struct timings *t, const struct op_call_row *call,
                     struct search *x)
{
    const struct event_store *s = t->v->s;
    if (call->event < 0 || call->unlinked)
        return;
    int64_t until_ns = timings_last_ns(t, call->event);
    if (until_ns < s->start_ns[call->event])
        return;
    x->calls++;
    x->last_ns =
        s->start_ns[call->event] > x->last_ns ? s->start_ns[call->event] : x->last_ns;
    for (int32_t k = 0; k < call->n_kernels; k++) {
        event_id launch = launch_call(&t->v->launch, call->kernels[k]);
        if (launch >= 0 && s->start_ns[launch] < until_ns)
            x->ms += (double)store_dur_ns(s, call->kernels[k]) / 1e6;
    }
}

/* Whether a quarter of the calls or less begins behind `ns`. */
static bool is_late(const struct op_tables *t, const struct category_result *c,
                    int64_t ns)
{
    int64_t calls = 0, behind = 0;
    for (int32_t i = 0; i < c->n_rows; i++) {
        const struct op_group *g = c->rows[i].group;
        for (int32_t k = 0; k < g->n; k++) {
            event_id call = t->judged.calls.rows[g->members[k]].event;
            calls += call >= 0;
            behind += call >= 0 && t->view->s->start_ns[call] > ns;
        }
    }
    return 4 * behind <= calls;
}

void facts_search_trials(struct fact_maker *m, struct category_result *c)
{
    const struct op_tables *tables = m->a->tables;
    struct arena tmp = m->tmp;
    if (!c->n_rows)
        return;
    struct timings t = timings_of(&tmp, tables->view);
    int64_t last_ns = INT64_MIN;
    for (int32_t i = 0; t.n && i < c->n_rows; i++) {
        struct work_row *r = &c->rows[i];
        struct search x = {.last_ns = INT64_MIN};
        for (int32_t k = 0; k < r->group->n; k++)
            add_call(&t, &tables->judged.calls.rows[r->group->members[k]], &x);
        if (!x.calls)
            continue;
        work_set(m->perm, r, FACT("trial_calls", (double)x.calls),
                 FACT("trials_ms", x.ms));
        last_ns = x.last_ns > last_ns ? x.last_ns : last_ns;
    }
    if (last_ns > INT64_MIN)
        work_set(m->perm, c, FACT("search_goes_on", is_late(tables, c, last_ns)));
}
