/* Launchers: which call started each kernel. */
#include "ops/op_calls.h"

#include "ops/op_cost.h"
#include "timeline/range_union.h"

/* The operator above a launch call, skipping wrappers named just "execute"; otherwise
 * the call itself. */
static event_id launcher_of(const struct trace_view *v, event_id call)
{
    const struct event_store *s = v->s;
    event_id i = tree_parent(&v->tree, call);
    for (int k = 0; i >= 0 && k < TREE_LEVELS_MAX; k++, i = tree_parent(&v->tree, i)) {
        if (s->cat[i] == CAT_PYTHON)
            continue;
        if (s->cat[i] != CAT_CPU_OP)
            return call;
        if (!str_eq(store_name(s, i), S("execute")))
            return i;
    }
    return call;
}

static bool counts(const struct trace_view *v, int32_t k)
{
    return v->launch.call[k] >= 0 && !view_communicates(v, v->launch.all[k]);
}

/* By place in the order of launches: the durations of all before, and the first place
 * from which each event begins after the one before has ended. Such events add up, so
 * that calls in calls without end need not count them again. */
struct in_turn {
    int64_t *before_ns;
    int32_t *since;
};

static struct in_turn in_turn_of(struct arena *a, const struct trace_view *v)
{
    const struct event_store *s = v->s;
    const event_id *gpu = v->launch.order.gpu;
    int32_t n = launch_start(&v->launch.order, v->tree.n_order);
    struct in_turn t = {arena_take_raw(a, sizeof *t.before_ns, 8, n + 1),
                        arena_take_raw(a, sizeof *t.since, 4, n + 1)};
    t.before_ns[0] = 0;
    for (int32_t k = 0; k < n; k++) {
        t.before_ns[k + 1] = t.before_ns[k] + store_dur_ns(s, gpu[k]);
        bool follows = k && store_end_ns(s, gpu[k - 1]) <= s->start_ns[gpu[k]];
        t.since[k] = follows ? t.since[k - 1] : k;
    }
    return t;
}

/* Calls whose device work below overlaps. */
struct overlapping {
    struct span_range *ranges; /* of the order of launches */
    int32_t *row;
    int32_t n;
    int64_t n_spans; /* of all ranges */
};

static void add_times(struct arena tmp, const struct trace_view *v,
                      const struct in_turn *t, struct op_calls *c,
                      struct overlapping *o)
{
    for (int32_t i = 0; i < c->n; i++) {
        struct op_call_row *r = &c->rows[i];
        r->direct_ns = busy_ns(tmp, v->s, r->kernels, r->n_kernels);
        int32_t n;
        const event_id *below = launch_range(&v->launch, &v->tree, r->event, &n);
        r->subtree_ns = r->direct_ns;
        if (!below)
            continue;
        int32_t from = (int32_t)(below - v->launch.order.gpu);
        r->subtree_ns = t->before_ns[from + n] - t->before_ns[from];
        if (n > 0 && t->since[from + n - 1] > from) {
            o->ranges[o->n] = (struct span_range){from, n, 0};
            o->row[o->n++] = i;
            o->n_spans += n;
        }
    }
}

/* A few calls one by one; calls in calls without end all at once. */
static void add_overlapping(struct arena tmp, const struct trace_view *v,
                            struct op_calls *c, struct overlapping *o)
{
    enum { FEW = 8 };
    const event_id *gpu = v->launch.order.gpu;
    int32_t n = launch_start(&v->launch.order, v->tree.n_order);
    bool at_once = o->n_spans > FEW * (int64_t)n;
    if (at_once) {
        struct span *spans = arena_take_raw(&tmp, sizeof *spans, 8, n);
        for (int32_t k = 0; k < n; k++)
            spans[k] =
                (struct span){v->s->start_ns[gpu[k]], store_end_ns(v->s, gpu[k])};
        range_unions(tmp, spans, n, o->ranges, o->n);
    }
    for (int32_t k = 0; k < o->n; k++) {
        const struct span_range *r = &o->ranges[k];
        c->rows[o->row[k]].subtree_ns =
            at_once ? r->ns : busy_ns(tmp, v->s, gpu + r->from, r->n);
    }
}

static struct event_rows no_rows(struct arena *a, const struct event_store *s)
{
    return (struct event_rows){arena_new(a, struct bit_rows, BIT_WORDS(s->n_details)),
                               NULL};
}

/* Whether the event is new. */
static bool add_event(struct event_rows *x, const struct event_store *s, event_id i)
{
    int32_t row = store_row(s, i);
    bool known = bit_any(x->has, row, row + 1);
    bit_set(x->has, row);
    return !known;
}

/* Gives the n events that were added their rows: 0, 1 ... */
static void number_events(struct arena *a, struct event_rows *x,
                          const struct event_store *s, const event_id *events,
                          int32_t n)
{
    bit_finish(x->has, s->n_details);
    x->row = arena_take_raw(a, sizeof *x->row, 4, n);
    for (int32_t r = 0; r < n; r++)
        x->row[bit_row(x->has, store_row(s, events[r]))] = r;
}

static int32_t event_row(const struct event_rows *x, const struct event_store *s,
                         event_id i)
{
    int32_t row = store_row(s, i), k = row < 0 ? -1 : bit_row(x->has, row);
    return k < 0 ? -1 : x->row[k];
}

struct op_calls calls_of_launchers(struct arena *perm, struct arena tmp,
                                   const struct trace_view *v)
{
    const struct event_store *s = v->s;
    const struct launch_link *l = &v->launch;
    int32_t *kernels_of = arena_new(&tmp, int32_t, l->n_all + 1);
    event_id *found = arena_take_raw(&tmp, sizeof *found, 4, l->n_all);
    event_id *launcher = arena_take_raw(&tmp, sizeof *launcher, 4, l->n_all);
    struct event_rows rows = no_rows(&tmp, s);
    int32_t n = 0, n_kernels = 0;
    for (int32_t k = 0; k < l->n_all; k++) {
        launcher[k] = counts(v, k) ? launcher_of(v, l->call[k]) : -1;
        if (launcher[k] < 0)
            continue;
        if (add_event(&rows, s, launcher[k]))
            found[n++] = launcher[k];
        n_kernels++;
    }
    view_sort_by_start(tmp, s, found, n);

    struct op_calls c = {arena_take_raw(perm, sizeof *c.rows, 8, n), n};
    event_id *kernels = arena_take_raw(perm, sizeof *kernels, 4, n_kernels);
    number_events(&tmp, &rows, s, found, n);
    int32_t *row = launcher; /* from here on, of the device event at each place */
    for (int32_t k = 0; k < l->n_all; k++) {
        row[k] = launcher[k] < 0 ? -1 : event_row(&rows, s, launcher[k]);
        if (row[k] >= 0)
            kernels_of[row[k]]++;
    }
    for (int32_t r = 0, at = 0; r < n; at += kernels_of[r++])
        c.rows[r] =
            (struct op_call_row){.event = found[r],
                                 .uid = store_uid(s, found[r]),
                                 .name = store_name(s, found[r]),
                                 .kernels = kernels + at,
                                 .recompute = v->recompute && v->recompute[found[r]]};
    for (int32_t k = 0; k < l->n_all; k++)
        if (row[k] >= 0) {
            struct op_call_row *r = &c.rows[row[k]];
            kernels[r->kernels - kernels + r->n_kernels++] = l->all[k];
        }
    struct in_turn turns = in_turn_of(&tmp, v);
    for (int32_t r = 0; r < n; r++) {
        struct op_call_row *to = &c.rows[r];
        view_sort_by_start(tmp, s, kernels + (to->kernels - kernels), to->n_kernels);
        to->category = perf_category(to->name, store_name(s, to->kernels[0]));
    }
    struct overlapping o = {arena_take_raw(&tmp, sizeof *o.ranges, 8, n),
                            arena_take_raw(&tmp, sizeof *o.row, 4, n), 0, 0};
    add_times(tmp, v, &turns, &c, &o);
    add_overlapping(tmp, v, &c, &o);
    return c;
}

struct category_index category_index_build(struct arena *a, const struct trace_view *v,
                                           const struct op_calls *launchers)
{
    struct category_index c = {v, no_rows(a, v->s), launchers};
    event_id *events = arena_take_raw(a, sizeof *events, 4, launchers->n);
    for (int32_t r = 0; r < launchers->n; r++) {
        events[r] = launchers->rows[r].event;
        add_event(&c.rows, v->s, events[r]);
    }
    number_events(a, &c.rows, v->s, events, launchers->n);
    return c;
}

struct str category_of(const struct category_index *c, event_id i, struct str name)
{
    struct str kernel = S("");
    int32_t row = event_row(&c->rows, c->v->s, i);
    if (row >= 0) {
        const struct op_call_row *r = &c->launchers->rows[row];
        kernel = store_name(c->v->s, r->kernels[0]);
    }
    return perf_category(name, kernel);
}
