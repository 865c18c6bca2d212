/* Modelled calls: the walk over the call tree that the unified table is made from. */
#include "ops/op_calls.h"

#include "base/sort.h"
#include "ops/kernel_rows.h"
#include "ops/op_cost.h"

enum { LEAF_LEVELS = 10, FORWARD_LEVELS = 5 };

struct walk {
    struct arena *perm, tmp;
    const struct trace_view *v;
    struct cost_cache *costs;
    struct category_index categories;
    struct op_calls calls;
    struct kernel_rows names;
    event_id *kernels; /* of all rows, one list behind the other */
    int32_t n_kernels;
    uint8_t *seen;    /* by position in the tree */
    uint8_t *covered; /* by place in launch.all: whether a collected row has it */
    int32_t
        *models_before; /* by position: modelled operators with device work before it */
};

static bool has_gpu_at(const struct walk *w, int32_t pos)
{
    return bit_any(w->v->launch.order.launches, pos, w->v->tree.after[pos]);
}

static bool has_gpu(const struct walk *w, event_id i)
{
    int32_t rank = tree_rank(&w->v->tree, i);
    return rank >= 0 && has_gpu_at(w, rank);
}

static bool is_modelled(const struct walk *w, event_id i)
{
    return w->v->s->cat[i] == CAT_CPU_OP && cost_model(w->costs, i) != NULL;
}

static void count_models(struct walk *w)
{
    const struct call_tree *t = &w->v->tree;
    w->models_before = arena_new(&w->tmp, int32_t, t->n_order + 1);
    for (int32_t pos = 0; pos < t->n_order; pos++) {
        event_id i = t->order[pos];
        w->models_before[pos + 1] =
            w->models_before[pos] + (has_gpu_at(w, pos) && is_modelled(w, i));
    }
}

static bool has_model_below(const struct walk *w, event_id i)
{
    int32_t rank = tree_rank(&w->v->tree, i);
    return w->models_before[w->v->tree.after[rank]] > w->models_before[rank + 1];
}

/* The backward operator's own name in "autograd::engine::evaluate_function: NAME". */
static struct str backward_name(struct str wrapper)
{
    ptrdiff_t at = str_find(wrapper, S(": "));
    return at < 0 ? S("") : str_skip(wrapper, at + 2);
}

/* Operators with device work below w, reached only through operators, that have the
 * same name as w. */
static int32_t count_named(const struct walk *w, event_id wrapper)
{
    const struct event_store *s = w->v->s;
    const struct call_tree *t = &w->v->tree;
    struct str name = backward_name(store_name(s, wrapper));
    int32_t n = 0, end = t->after[tree_rank(t, wrapper)];
    for (int32_t pos = tree_rank(t, wrapper); pos < end;) {
        event_id i = t->order[pos];
        if (s->cat[i] != CAT_CPU_OP) {
            pos = t->after[pos];
            continue;
        }
        n += has_gpu_at(w, pos) && (!name.n || str_eq(store_name(s, i), name));
        pos++;
    }
    return n;
}

/* Whether i is the wrapper's backward operator or below it; beside it is what looks at
 * its gradients, as anomaly detection does. */
static bool is_in_backward(const struct walk *w, event_id wrapper, event_id i)
{
    const struct event_store *s = w->v->s;
    struct str name = backward_name(store_name(s, wrapper));
    for (; name.n && i != wrapper; i = tree_parent(&w->v->tree, i))
        if (str_eq(store_name(s, i), name))
            return true;
    return !name.n;
}

/* The forward operator whose whole backward i is, or -1. */
static event_id sole_backward_of(struct walk *w, event_id i)
{
    const struct trace_view *v = w->v;
    event_id wrapper = tree_parent(&v->tree, i);
    for (int level = 1; wrapper >= 0 && backward_forward(&v->backward, wrapper) < 0;
         level++)
        wrapper = level < FORWARD_LEVELS ? tree_parent(&v->tree, wrapper) : -1;
    if (wrapper < 0)
        return -1;
    event_id forward = backward_forward(&v->backward, wrapper);
    const struct perf_model *m = cost_model(w->costs, forward);
    if (!m || !perf_model_backward_category(m).n || !perf_model_has_backward(m) ||
        count_named(w, wrapper) != 1 || !is_in_backward(w, wrapper, i))
        return -1;
    struct arena tmp = w->tmp;
    int32_t n;
    const event_id *kernels = view_kernels_by_start(&tmp, v, forward, &n);
    return cost_of(w->costs, forward, PERF_BACKWARD, kernels, n)->status == PERF_OK
               ? forward
               : -1;
}

/* Whether i itself launches device work: through runtime calls and Python frames but no
 * other operator, and not too deep. As in the reference, driver calls do not count. */
static bool is_leaf(const struct walk *w, event_id i)
{
    const struct event_store *s = w->v->s;
    const struct call_tree *t = &w->v->tree;
    int32_t end = t->after[tree_rank(t, i)], ends[LEAF_LEVELS]; /* of frames around */
    int level = 1;
    for (int32_t pos = tree_rank(t, i) + 1; pos < end;) {
        enum event_cat cat = s->cat[t->order[pos]];
        while (level > 1 && pos >= ends[level - 1])
            level--;
        if (cat == CAT_RUNTIME && bit_row(w->v->launch.order.launches, pos) >= 0)
            return true;
        if (cat == CAT_PYTHON && level < LEAF_LEVELS - 1)
            ends[level++] = t->after[pos++];
        else
            pos = t->after[pos];
    }
    return false;
}

static bool has_communication(const struct walk *w, event_id i)
{
    int32_t n;
    const event_id *gpu = launch_range(&w->v->launch, &w->v->tree, i, &n);
    for (int32_t k = 0; k < n; k++)
        if (view_communicates(w->v, gpu[k]))
            return true;
    return false;
}

static struct op_call_row *new_row(struct walk *w, event_id i)
{
    struct op_call_row *r = &w->calls.rows[w->calls.n++];
    *r = (struct op_call_row){.event = i,
                              .uid = store_uid(w->v->s, i),
                              .name = store_name(w->v->s, i),
                              .kernels = w->kernels + w->n_kernels,
                              .recompute = w->v->recompute && w->v->recompute[i]};
    return r;
}

/* All device work below i, by the place of the launch call in the file. */
static void add_kernels(struct walk *w, struct op_call_row *r, event_id i)
{
    const struct event_store *s = w->v->s;
    int32_t n;
    const event_id *gpu = launch_range(&w->v->launch, &w->v->tree, i, &n);
    struct arena tmp = w->tmp;
    struct sort_row *rows = arena_take_raw(&tmp, sizeof *rows, 8, n);
    for (int32_t k = 0; k < n; k++) {
        int32_t at = launch_place(&w->v->launch, gpu[k]);
        rows[k] = (struct sort_row){w->v->launch.call[at], gpu[k]};
        w->covered[at] = 1;
    }
    sort_rows(tmp, rows, n);
    for (int32_t k = 0; k < n; k++)
        w->kernels[w->n_kernels++] = rows[k].row;
    r->n_kernels = n;
    r->direct_ns = r->subtree_ns = busy_ns(tmp, s, gpu, n);
}

static void collect(struct walk *w, event_id i, event_id forward)
{
    struct arena tmp = w->tmp;
    struct op_call_row *r = new_row(w, i);
    add_kernels(w, r, i);
    r->category = category_of(&w->categories, i, r->name);
    const struct perf_model *m = cost_model(w->costs, i);
    int32_t n;
    bool backward = !m && forward >= 0;
    event_id of = backward ? forward : i;
    enum perf_direction d = backward ? PERF_BACKWARD : PERF_FORWARD;
    const event_id *kernels = view_kernels_by_start(&tmp, w->v, of, &n);
    if (m || backward)
        r->cost = cost_of(w->costs, of, d, kernels, n);
    r->has_model = r->cost != NULL;
    r->cost = cost_of_own(w->costs, of, d, kernels, n, r->cost);
    if (backward) {
        r->category = perf_model_backward_category(cost_model(w->costs, forward));
        r->backward = true;
        event_id *back = view_backward_kernels(&tmp, w->v, forward, &n);
        r->direct_ns = busy_ns(tmp, w->v->s, back, n);
    }
    if (!r->cost)
        return;
    if (r->cost->status == PERF_DROP)
        w->calls.n--; /* the reference shows no row, but its kernels count as covered */
    else if (r->cost->status == PERF_FAIL)
        r->cost = NULL;
}

/* Visits one node; returns true to continue below it. */
static bool visit(struct walk *w, event_id i)
{
    bool frames = w->v->options.detect_recompute;
    bool is_op = w->v->s->cat[i] == CAT_CPU_OP;
    if (!has_gpu(w, i) || (!frames && !is_op))
        return false;
    if (is_modelled(w, i)) {
        collect(w, i, -1);
        return false;
    }
    event_id forward = is_op ? sole_backward_of(w, i) : -1;
    if (has_model_below(w, i))
        return true;
    if (forward >= 0) {
        collect(w, i, forward);
        return false;
    }
    if (!is_leaf(w, i))
        return true;
    if (is_op && !has_communication(w, i))
        collect(w, i, -1);
    return !is_op && w->v->s->cat[i] == CAT_PYTHON;
}

static void walk_from(struct walk *w, event_id root)
{
    const struct call_tree *t = &w->v->tree;
    int32_t end = t->after[tree_rank(t, root)];
    for (int32_t pos = tree_rank(t, root); pos < end;) {
        event_id i = t->order[pos];
        bool again = w->seen[pos];
        w->seen[pos] = 1;
        pos = !again && visit(w, i) ? pos + 1 : t->after[pos];
    }
}

/* Frames without a caller, in the order of the file, then operators. */
static void walk_all(struct walk *w)
{
    const struct trace_view *v = w->v;
    if (v->options.detect_recompute)
        for (event_id i = 0; i < v->s->n; i++)
            if (v->s->cat[i] == CAT_PYTHON && tree_rank(&v->tree, i) >= 0 &&
                tree_parent(&v->tree, i) < 0)
                walk_from(w, i);
    for (int32_t k = 0; k < v->tree.n_roots; k++)
        walk_from(w, v->tree.roots[k]);
}

static void synthetic_row(struct walk *w, event_id gpu, event_id parent, int32_t uid)
{
    struct op_call_row *r = new_row(w, parent);
    r->uid = uid;
    r->synthetic = true;
    r->in_op = w->v->s->cat[parent] == CAT_CPU_OP;
    r->name = kernel_row_name(&w->names, w->perm, w->v->s, parent, gpu);
    r->category = category_of(&w->categories, parent, r->name);
    w->kernels[w->n_kernels++] = gpu;
    r->n_kernels = 1;
    r->direct_ns = r->subtree_ns = store_dur_ns(w->v->s, gpu);
    r->recompute = w->v->recompute && w->v->recompute[gpu];
}

/* Device work that no row covers: first what no operator launched, by launch call in
 * order of first appearance, then the rest. */
static void add_synthetic(struct walk *w)
{
    const struct trace_view *v = w->v;
    const struct launch_link *l = &v->launch;
    int32_t uid = v->s->census.n_events, n_orphans = 0, n_calls = 0;
    int32_t *order_of = NULL; /* by row of the call, from 1 */
    struct sort_row *orphans = arena_take_raw(&w->tmp, sizeof *orphans, 8, l->n_all);
    event_id *with_op = arena_take_raw(&w->tmp, sizeof *with_op, 4, l->n_all);
    int32_t n_with_op = 0;
    for (int32_t k = 0; k < l->n_all; k++) {
        event_id g = l->all[k], call = l->call[k];
        if (call < 0 || w->covered[k] || view_communicates(v, g))
            continue;
        if (tree_operator(v->s, &v->tree, call) >= 0) {
            with_op[n_with_op++] = g;
            continue;
        }
        if (!order_of)
            order_of = arena_new(&w->tmp, int32_t, v->s->n_details + 1);
        int32_t *order = &order_of[store_row(v->s, call)];
        if (!*order)
            *order = ++n_calls;
        orphans[n_orphans++] = (struct sort_row){*order, g};
    }
    sort_rows(w->tmp, orphans, n_orphans);
    for (int32_t k = 0; k < n_orphans; k++)
        synthetic_row(w, orphans[k].row, launch_call(l, orphans[k].row), uid++);
    for (int32_t k = 0; k < n_with_op; k++)
        synthetic_row(w, with_op[k],
                      tree_operator(v->s, &v->tree, launch_call(l, with_op[k])), uid++);
}

/* Device work that counts without a launch call, each kernel a row by its name. */
static void add_unlinked(struct walk *w)
{
    const struct trace_view *v = w->v;
    const struct launch_link *l = &v->launch;
    for (int32_t k = 0; k < l->n_all; k++) {
        struct str kernel = store_name(v->s, l->all[k]);
        if (l->call[k] >= 0 || !window_counts(&v->window, v->s, l, k) ||
            view_communicates(v, l->all[k]))
            continue;
        struct op_call_row *r = new_row(w, l->all[k]);
        r->unlinked = true;
        r->category = perf_category(S(""), kernel);
        w->kernels[w->n_kernels++] = l->all[k];
        r->n_kernels = 1;
        r->direct_ns = r->subtree_ns = store_dur_ns(v->s, l->all[k]);
    }
}

struct op_calls calls_of_models(struct arena *perm, struct arena tmp,
                                const struct trace_view *v, struct cost_cache *costs,
                                const struct op_calls *launchers)
{
    /* A device event lies below at most one collected row, or has one of its own. */
    int32_t cap = v->launch.n_all + 1;
    struct walk w = {.perm = perm, .tmp = tmp, .v = v, .costs = costs};
    w.calls.rows = arena_take_raw(perm, sizeof *w.calls.rows, 8, cap);
    w.kernels = arena_take_raw(perm, sizeof *w.kernels, 4, cap);
    w.seen = arena_new(&w.tmp, uint8_t, v->tree.n_order + 1);
    w.covered = arena_new(&w.tmp, uint8_t, v->launch.n_all + 1);
    w.categories = category_index_build(&w.tmp, v, launchers);
    count_models(&w);
    walk_all(&w);
    add_synthetic(&w);
    add_unlinked(&w);
    return w.calls;
}
