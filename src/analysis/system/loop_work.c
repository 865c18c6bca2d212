#include "analysis/system/loop_work.h"

#include "analysis/facts/efficiency.h"
#include "analysis/facts/top_operations.h"
#include "analysis/model/name_match.h"
#include "analysis/model/system_results.h"
#include "base/duration.h"
#include "base/sort.h"
#include "kernels/kernel_name.h"

#include <math.h>
#include <stdlib.h>

/* Nodes of the backward pass that follow each other closer than this are of one loop.
 */
static const int64_t APART_NS = 500000;

/* A launch fills at least so much of the device's time. */
static const double LEAST_KERNEL_MS = 0.002;

/* A loop or its backward pass, and its matmuls. */
struct pass {
    struct loop_span of;
    int32_t loop, n_matmuls;
    double matmul_ms, least_ms,
        most_ms; /* of these; the rest as one call of its kind */
};

struct search {
    const struct tree_index *t;
    struct pass *at; /* by thread and start */
    int32_t n;
    struct kernel_rows row_of;
    enum loop_turns turns;
};

static int by_thread(const void *x, const void *y)
{
    const struct loop_span *a = &((const struct pass *)x)->of,
                           *b = &((const struct pass *)y)->of;
    if (a->lane != b->lane)
        return (a->lane > b->lane) - (a->lane < b->lane);
    if (a->start_ns != b->start_ns)
        return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
    return (a->end_ns > b->end_ns) - (a->end_ns < b->end_ns);
}

/* Which of the first n begins last before this moment and holds it; -1. */
static int32_t pass_at(const struct search *s, int32_t n, int32_t lane, int64_t at_ns)
{
    int32_t low = 0, high = n;
    while (low < high) {
        int32_t mid = low + (high - low) / 2;
        const struct loop_span *x = &s->at[mid].of;
        if (x->lane < lane || (x->lane == lane && x->start_ns <= at_ns))
            low = mid + 1;
        else
            high = mid;
    }
    const struct loop_span *x = low ? &s->at[low - 1].of : NULL;
    return x && x->lane == lane && at_ns < x->end_ns ? low - 1 : -1;
}

/* The nodes that the backward pass runs for the operators of each loop, in a row. */
static void add_backward(struct arena *tmp, struct search *s)
{
    const struct event_store *e = s->t->v->s;
    const struct call_tree *tree = &s->t->v->tree;
    int32_t n_loops = s->n, n = 0;
    struct sort_row *nodes = NULL;
    for (int32_t k = 0; k < tree->n_order && s->t->v->backward.has; k++) {
        event_id i = tree->order[k], node = backward_node(&s->t->v->backward, i);
        if (node < 0 || pass_at(s, n_loops, e->lane[i], e->start_ns[i]) < 0)
            continue;
        arena_grow(tmp, nodes, n);
        nodes[n++] = (struct sort_row){e->start_ns[node], i};
    }
    sort_rows(*tmp, nodes, n);
    for (int32_t k = 0; k < n; k++) {
        event_id i = nodes[k].row, node = backward_node(&s->t->v->backward, i);
        int32_t loop = pass_at(s, n_loops, e->lane[i], e->start_ns[i]);
        struct pass *last = &s->at[s->n - 1];
        int64_t end_ns = store_end_ns(e, node);
        if (k && last->loop == loop && last->of.lane == e->lane[node] &&
            e->start_ns[node] - last->of.end_ns < APART_NS) {
            last->of.end_ns = end_ns > last->of.end_ns ? end_ns : last->of.end_ns;
            continue;
        }
        arena_grow(tmp, s->at, s->n);
        s->at[s->n++] = (struct pass){
            .of = {e->lane[node], s->at[loop].of.turns, e->start_ns[node], end_ns},
            .loop = loop};
    }
}

/* Autograd adds up what turns give to one gradient, between two nodes or in the one
 * that keeps it: one matmul of all turns does that itself. */
static bool adds_gradients(const struct search *s, event_id gpu)
{
    const struct event_store *e = s->t->v->s;
    event_id op = view_operator(s->t->v, gpu);
    event_id above = op < 0 ? -1 : tree_above(s->t, op);
    return above >= 0 && name_is(store_name(e, op), "aten::add_|aten::add") &&
           (str_starts(store_name(e, above),
                       S("autograd::engine::evaluate_function")) ||
            name_has(store_name(e, above), "AccumulateGrad"));
}

/* Of the peak that binds one call of all turns, %; NaN: unknown. */
static double reached_pct(const struct search *s, const struct work_row *r,
                          bool is_matmul)
{
    if (!r)
        return (double)NAN;
    const struct work_efficiency *e = &r->efficiency;
    if (s->turns == TURNS_OF_CELLS && is_matmul && e->peak_tflop_per_s > 0)
        return 100 * e->tflop_per_s / e->peak_tflop_per_s;
    return e->percent;
}

/* A kernel as a part of one call: at the rates that are expected of its kind. */
static void add_kernel(struct search *s, struct pass *p, event_id gpu, double ms)
{
    if (adds_gradients(s, gpu))
        return;
    const struct work_row *r = kernel_row_of(&s->row_of, gpu);
    bool is_matmul =
        kernel_label_is_matrix(kernel_label_of(store_name(s->t->v->s, gpu)));
    double pct = reached_pct(s, r, is_matmul); /* or above 100 */
    struct expectation x = expectation_of(r ? r->category : WORK_OTHER);
    if (is_matmul) {
        p->n_matmuls++;
        p->matmul_ms += ms;
    }
    p->most_ms += isnan(pct) ? ms : fmin(ms, ms * pct / x.lo);
    p->least_ms += isnan(pct) ? ms / p->of.turns : fmin(ms, ms * pct / x.hi);
}

static void read_kernels(struct arena *perm, struct search *s, struct loop_work *w)
{
    const struct trace_view *v = s->t->v;
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id gpu = v->counted[k], call = launch_call(&v->launch, gpu);
        int32_t at =
            call < 0 ? -1 : pass_at(s, s->n, v->s->lane[call], v->s->start_ns[call]);
        if (at < 0)
            continue;
        double ms = ms_of(view_own_ns(v, gpu));
        arena_grow(perm, w->gpu, w->n_gpu);
        w->gpu[w->n_gpu++] = gpu;
        w->device_ms += ms;
        add_kernel(s, &s->at[at], gpu, ms);
    }
}

/* What is left of a pass: of a chain one matmul in each turn, which no other can take
 * in. */
static void add_left(const struct pass *p, bool chained, struct loop_work *w)
{
    double stays_ms = 0;
    int32_t turns = p->of.turns;
    if (chained && p->n_matmuls >= turns)
        stays_ms = p->matmul_ms * turns / p->n_matmuls;
    w->saved_least_ms -=
        fmax(p->most_ms, stays_ms + (chained ? LEAST_KERNEL_MS * turns : 0));
    w->saved_most_ms -= fmax(p->least_ms, stays_ms / 2);
}

struct loop_work loop_work_of(struct arena *perm, struct arena tmp,
                              const struct analysis *a, const struct tree_index *t,
                              const struct loop_span *spans, int32_t n,
                              enum loop_turns turns)
{
    struct loop_work w = {0};
    struct search s = {.t = t, .row_of = kernel_rows_build(&tmp, a), .turns = turns};
    if (n <= 0)
        return w;
    for (; s.n < n; s.n++) {
        arena_grow(&tmp, s.at, s.n);
        s.at[s.n] = (struct pass){.of = spans[s.n]};
    }
    qsort(s.at, (size_t)s.n, sizeof *s.at, by_thread);
    for (int32_t k = 0; k < s.n; k++)
        s.at[k].loop = k;
    add_backward(&tmp, &s);
    qsort(s.at, (size_t)s.n, sizeof *s.at, by_thread);
    read_kernels(perm, &s, &w);
    w.gone = arena_new(perm, struct host_span, s.n);
    w.saved_least_ms = w.saved_most_ms = w.device_ms;
    for (int32_t k = 0; k < s.n; k++) {
        const struct loop_span *x = &s.at[k].of;
        int64_t ns = x->end_ns - x->start_ns,
                second_ns = x->second_ns ? x->second_ns : x->start_ns + ns / x->turns;
        w.gone[w.n_gone++] = (struct host_span){x->lane, second_ns, x->end_ns};
        w.host_ms += x->second_ns ? fmin(ms_of(ns), ms_of(x->end_ns - second_ns) *
                                                        x->turns / (x->turns - 1))
                                  : ms_of(ns);
        add_left(&s.at[k], turns != TURNS_APART, &w);
    }
    w.saved_most_ms = fmax(0, w.saved_most_ms);
    w.saved_least_ms = fmin(fmax(0, w.saved_least_ms), w.saved_most_ms);
    return w;
}

void finding_ends_loops(struct finding *f, const struct analysis *a,
                        const struct loop_work *w, struct str basis)
{
    f->about = ABOUT_EVENTS;
    f->gpu = w->gpu;
    f->n_gpu = w->n_gpu;
    f->gone = w->gone;
    f->n_gone = w->n_gone;
    f->whole_ms = w->device_ms;
    f->impact = f->impact_kernel =
        impact_of_ms(a, w->saved_least_ms, w->saved_most_ms, basis);
}

static bool holds(const struct loop_work *w, const struct idle_span *wait)
{
    int32_t low = 0, high = w->n_gone;
    while (low < high) {
        int32_t mid = low + (high - low) / 2;
        const struct host_span *x = &w->gone[mid];
        if (x->lane < wait->lane ||
            (x->lane == wait->lane && x->start_ns <= wait->start_ns))
            low = mid + 1;
        else
            high = mid;
    }
    const struct host_span *x = low ? &w->gone[low - 1] : NULL;
    return x && x->lane == wait->lane && wait->start_ns < x->end_ns;
}

int32_t loop_work_waits(const struct loop_work *w, const struct idle_group *g)
{
    int32_t n = 0;
    for (int32_t k = 0; k < g->n_waits; k++)
        n += holds(w, &g->waits[k]);
    return n;
}
