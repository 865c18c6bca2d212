#include "analysis/system/copy_source.h"

#include "analysis/model/number_text.h"
#include "analysis/model/system_results.h"
#include "analysis/system/cpu_work.h"
#include "base/duration.h"
#include "ops/op_tables.h"
#include "ops/trace_view.h"

enum { LEAST_NS = 100000 };

static bool to_device(const struct trace_view *v, event_id gpu)
{
    return v->s->cat[gpu] == CAT_MEMCPY && role_way(store_role(v->s, gpu)) == COPY_H2D;
}

static bool only_sends(const struct tree_index *t, event_id i)
{
    enum { MOST = 64 };
    int32_t n = 0;
    const event_id *gpu = tree_gpu_below(t, i, &n);
    for (int32_t k = 0; k < n && n <= MOST; k++)
        if (!to_device(t->v, gpu[k]))
            return false;
    return n <= MOST;
}

/* The outermost function of the user around a call that does no other device work. */
static struct host_span made_in_function(const struct tree_index *t, event_id call)
{
    const struct event_store *s = t->v->s;
    struct host_span x = {-1, 0, 0};
    event_id up = tree_parent(&t->frames, call);
    for (int k = 0; up >= 0 && k < TREE_LEVELS_MAX && only_sends(t, up); k++) {
        if (tree_is_code(t, up))
            x = (struct host_span){s->lane[up], s->start_ns[up], store_end_ns(s, up)};
        up = tree_parent(&t->frames, up);
    }
    return x;
}

/* The operator before one, of the same caller; -1. */
static event_id one_before(const struct call_tree *c, const struct event_store *s,
                           event_id op)
{
    int32_t pos = tree_rank(c, op);
    event_id before = pos > 0 ? c->order[pos - 1] : -1, caller = tree_parent(c, op);
    if (before < 0 || before == caller || s->lane[before] != s->lane[op])
        return -1;
    while (before >= 0 && tree_parent(c, before) != caller)
        before = tree_parent(c, before);
    return before;
}

static struct host_span made_by_operators(const struct tree_index *t, event_id call)
{
    enum { LOOKED_AT = 16 };
    const struct event_store *s = t->v->s;
    const struct call_tree *c = &t->v->tree;
    struct host_span x = {-1, 0, 0};
    event_id op = call, up = tree_parent(c, call);
    for (; up >= 0 && only_sends(t, up); up = tree_parent(c, up))
        op = up;
    event_id before = one_before(c, s, op);
    for (int k = 0; before >= 0 && k < LOOKED_AT; k++) {
        int32_t launched = 0;
        (void)launch_range(&t->v->launch, c, before, &launched);
        if (launched)
            break;
        if (cpu_work_computes(t, before))
            x = (struct host_span){s->lane[op], s->start_ns[before],
                                   store_end_ns(s, op)};
        before = one_before(c, s, before);
    }
    return x;
}

struct copy_source copy_source_of(struct arena *perm, const struct tree_index *t)
{
    const struct trace_view *v = t->v;
    struct copy_source to = {0};
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id gpu = v->counted[k],
                 call = to_device(v, gpu) ? view_issue(v, gpu) : -1;
        if (call < 0)
            continue;
        struct host_span x =
            t->has_frames ? made_in_function(t, call) : made_by_operators(t, call);
        if (x.lane < 0 || x.end_ns - x.start_ns - store_dur_ns(v->s, call) < LEAST_NS)
            continue;
        to.copies++;
        if (to.n && to.at[to.n - 1].start_ns == x.start_ns)
            continue;
        arena_grow(perm, to.at, to.n);
        to.at[to.n++] = x;
        to.ms += (double)(x.end_ns - x.start_ns) / 1e6;
    }
    return to;
}

/* Of the time of spans, what lies in the source. */
static double part_inside(const struct copy_source *made, const struct idle_span *x,
                          int32_t n)
{
    double all = 0, inside = 0;
    for (int32_t i = 0; i < n; i++) {
        all += (double)(x[i].end_ns - x[i].start_ns);
        for (int32_t k = 0; k < made->n; k++)
            if (made->at[k].lane == x[i].lane)
                inside += (double)shared_ns(x[i].start_ns, x[i].end_ns,
                                            made->at[k].start_ns, made->at[k].end_ns);
    }
    return all > 0 ? inside / all : 0;
}

/* Waits count by where they are, whatever the host is late with behind them. */
static bool is_inside(const struct copy_source *made, const struct finding *x)
{
    const double MOST = 0.8;
    const struct idle_group *g = x->idle;
    bool waits = g && g->class == IDLE_SYNC && g->n_waits;
    return g && part_inside(made, waits ? g->waits : g->spans,
                            waits ? g->n_waits : g->n_spans) >= MOST;
}

/* Without the idle time that it explains, which becomes evidence; the finding comes
 * last.
 */
static void claim_idle(struct arena *perm, struct analysis *a, struct finding *f,
                       const bool *explained)
{
    for (int i = 0; i < a->n_findings; i++)
        if (explained[i])
            finding_evidence(perm, f, a->findings[i].issue);
    struct finding claims = *f;
    int n = 0, own = (int)(f - a->findings);
    for (int i = 0; i < a->n_findings; i++)
        if (i != own && !explained[i])
            a->findings[n++] = a->findings[i];
    a->findings[n++] = claims;
    a->n_findings = n;
}

void copy_source_claim(struct arena *perm, struct analysis *a,
                       const struct tree_index *t, struct finding *f)
{
    struct copy_source made = copy_source_of(perm, t);
    if (!made.n || 2 * made.copies < f->count)
        return;
    f->gone = made.at;
    f->n_gone = made.n;
    f->impact = f->impact_kernel = impact_of_ms(
        a, 0.8 * f->time_ms, f->time_ms,
        S("80% to all of the copies, with what the host does to make what they carry"));
    f->issue = say(perm, "{} The host takes {} ms to make what they carry.",
                   said(f->issue), said_ms(made.ms));
    bool *explained = arena_new(perm, bool, a->n_findings);
    for (int i = 0; i < a->n_findings; i++)
        explained[i] = &a->findings[i] != f && is_inside(&made, &a->findings[i]);
    claim_idle(perm, a, f, explained);
}

/* The calls of operators that start the copies, by start. */
static struct host_span *calls_of(struct arena *a, const struct trace_view *v,
                                  unsigned directions, int32_t *n)
{
    const struct event_store *s = v->s;
    event_id *ops = arena_take_raw(a, sizeof *ops, 4, v->n_counted), last = -1;
    *n = 0;
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id gpu = v->counted[k], op = -1;
        if (s->cat[gpu] == CAT_MEMCPY && directions >> role_way(store_role(s, gpu)) & 1)
            op = view_operator(v, gpu);
        if (op >= 0 && op != last)
            ops[(*n)++] = last = op;
    }
    view_sort_by_start(*a, s, ops, *n);
    struct host_span *at = arena_take_raw(a, sizeof *at, 8, *n);
    for (int32_t k = 0; k < *n; k++)
        at[k] = (struct host_span){s->lane[ops[k]], s->start_ns[ops[k]],
                                   store_end_ns(s, ops[k])};
    return at;
}

/* Both by start. */
static bool lies_in(const struct idle_group *g, const struct host_span *at, int32_t n)
{
    const double MOST = 0.8;
    double all = 0, inside = 0;
    for (int32_t i = 0, k = 0; i < g->n_spans; i++) {
        const struct idle_span *x = &g->spans[i];
        while (k < n && at[k].end_ns <= x->start_ns)
            k++;
        all += (double)(x->end_ns - x->start_ns);
        for (int32_t m = k; m < n && at[m].start_ns < x->end_ns; m++)
            if (at[m].lane == x->lane)
                inside += (double)shared_ns(x->start_ns, x->end_ns, at[m].start_ns,
                                            at[m].end_ns);
    }
    return all > 0 && inside >= MOST * all;
}

void copy_calls_claim(struct arena *perm, struct arena tmp, struct analysis *a,
                      const struct tree_index *t, struct finding *f)
{
    int32_t n;
    struct host_span *at = calls_of(&tmp, t->v, f->copies, &n);
    bool *explained = arena_new(&tmp, bool, a->n_findings);
    for (int i = 0; i < a->n_findings; i++) {
        const struct idle_group *g = a->findings[i].idle;
        explained[i] = &a->findings[i] != f && g && lies_in(g, at, n);
    }
    claim_idle(perm, a, f, explained);
}
