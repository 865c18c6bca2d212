/* Launchers: who started each kernel. */
#include "ops/op_calls.h"

#include <string.h>

/* The operator above a launch call, past wrappers that are named just "execute", else
 * the call itself. */
static event_id launcher_of(const struct trace_view *v, event_id call)
{
    const struct event_store *s = v->s;
    for (event_id i = v->tree.parent[call]; i >= 0; i = v->tree.parent[i]) {
        if (s->cat[i] == CAT_PYTHON)
            continue;
        if (s->cat[i] != CAT_CPU_OP)
            return call;
        if (!str_eq(store_name(s, i), S("execute")))
            return i;
    }
    return call;
}

static bool counts(const struct trace_view *v, event_id gpu)
{
    return v->launch.launch[gpu] >= 0 &&
           !gpu_name_is_communication(store_name(v->s, gpu));
}

static void add_times(struct arena tmp, const struct trace_view *v,
                      struct op_call_row *r)
{
    r->direct_ns = busy_ns(tmp, v->s, r->kernels, r->n_kernels);
    int32_t n;
    const event_id *below = launch_range(&v->launch, &v->tree, r->event, &n);
    r->subtree_ns = below ? busy_ns(tmp, v->s, below, n) : r->direct_ns;
}

struct op_calls calls_of_launchers(struct arena *perm, struct arena tmp,
                                   const struct trace_view *v)
{
    const struct event_store *s = v->s;
    const struct launch_link *l = &v->launch;
    int32_t *row_of = arena_take_raw(&tmp, sizeof *row_of, 4, s->n);
    memset(row_of, 0xff, (size_t)s->n * sizeof *row_of);
    int32_t *kernels_of = arena_new(&tmp, int32_t, l->n_all + 1);
    event_id *found = arena_take_raw(&tmp, sizeof *found, 4, l->n_all);
    event_id *launcher = arena_take_raw(&tmp, sizeof *launcher, 4, l->n_all);
    int32_t n = 0, n_kernels = 0;
    for (int32_t k = 0; k < l->n_all; k++) {
        launcher[k] = counts(v, l->all[k]) ? launcher_of(v, l->launch[l->all[k]]) : -1;
        if (launcher[k] < 0)
            continue;
        if (row_of[launcher[k]] < 0) {
            row_of[launcher[k]] = 0;
            found[n++] = launcher[k];
        }
        n_kernels++;
    }
    view_sort_by_start(tmp, s, found, n);

    struct op_calls c = {arena_new(perm, struct op_call_row, n), n};
    event_id *kernels = arena_take_raw(perm, sizeof *kernels, 4, n_kernels);
    for (int32_t r = 0; r < n; r++)
        row_of[found[r]] = r;
    for (int32_t k = 0; k < l->n_all; k++)
        if (launcher[k] >= 0)
            kernels_of[row_of[launcher[k]]]++;
    for (int32_t r = 0, at = 0; r < n; at += kernels_of[r++])
        c.rows[r] =
            (struct op_call_row){.event = found[r],
                                 .uid = store_uid(s, found[r]),
                                 .name = store_name(s, found[r]),
                                 .kernels = kernels + at,
                                 .recompute = v->recompute && v->recompute[found[r]]};
    for (int32_t k = 0; k < l->n_all; k++)
        if (launcher[k] >= 0) {
            struct op_call_row *r = &c.rows[row_of[launcher[k]]];
            kernels[r->kernels - kernels + r->n_kernels++] = l->all[k];
        }
    for (int32_t r = 0; r < n; r++) {
        struct op_call_row *row = &c.rows[r];
        view_sort_by_start(tmp, s, kernels + (row->kernels - kernels), row->n_kernels);
        add_times(tmp, v, row);
        row->category = perf_category(row->name, store_name(s, row->kernels[0]));
    }
    return c;
}

struct category_index category_index_build(struct arena *a, const struct trace_view *v,
                                           const struct op_calls *launchers)
{
    struct category_index c = {v, arena_take_raw(a, sizeof *c.row_of, 4, v->s->n),
                               launchers};
    memset(c.row_of, 0xff, (size_t)v->s->n * sizeof *c.row_of);
    for (int32_t r = 0; r < launchers->n; r++)
        c.row_of[launchers->rows[r].event] = r;
    return c;
}

struct str category_of(const struct category_index *c, event_id i, struct str name)
{
    struct str kernel = S("");
    if (c->row_of[i] >= 0) {
        const struct op_call_row *r = &c->launchers->rows[c->row_of[i]];
        kernel = store_name(c->v->s, r->kernels[0]);
    }
    return perf_category(name, kernel);
}
