#include "analysis/system/like_work.h"

#include "analysis/facts/kernel_grid.h"
#include "base/sort.h"
#include "ops/op_tables.h"
#include "ops/trace_view.h"

#include <math.h>
#include <stdlib.h>

enum { FEWEST_CALLS = 6 };

static const double LEAST_US = 5; /* shorter calls are mostly noise */

static struct like_call call_at(const struct trace_view *v, event_id first, int64_t ns)
{
    return (struct like_call){
        (double)(v->s->start_ns[first] - v->timeline.start_ns) / 1e6, (double)ns / 1e3};
}

static const struct op_call_row *member(const struct analysis *a,
                                        const struct op_group *g, int32_t k)
{
    return &a->tables->judged.calls.rows[g->members[k]];
}

static bool has_shapes(const struct op_group *g)
{
    return g->args.dims && !g->first->synthetic;
}

static void add_kind(struct like_work *w, const struct like_call *calls, int32_t n,
                     double median_us, double sum_us, double *of_us)
{
    if (n < FEWEST_CALLS || !(median_us >= LEAST_US))
        return;
    w->kinds[w->n++] = (struct like_kind){calls, n, median_us, sum_us};
    *of_us += sum_us;
}

static void add_row(struct arena *to, struct like_work *w, const struct analysis *a,
                    const struct op_group *g)
{
    const struct trace_view *v = a->tables->view;
    struct like_call *calls = arena_new(to, struct like_call, g->n);
    for (int32_t i = 0; i < g->n; i++) {
        const struct op_call_row *c = member(a, g, i);
        if (c->n_kernels)
            calls[i] = call_at(v, c->kernels[0], c->direct_ns);
    }
    add_kind(w, calls, g->n, g->direct_us.median, g->direct_us.sum, &w->shapes_us);
}

typedef void on_row(void *context, const struct analysis *a, const struct op_group *g);

static void each_row(const struct analysis *a, on_row *tell, void *context)
{
    for (int k = 0; k < a->n_by_time; k++) {
        const struct category_result *c = &a->categories[a->by_time[k]];
        for (int32_t i = 0; i < c->n_rows; i++)
            if (c->rows[i].group->members)
                tell(context, a, c->rows[i].group);
    }
}

/* Kernels of rows without shapes, by name and launch: a row and then its events. */
struct launches {
    struct sort_row *rows; /* NULL: count */
    int32_t n;
    int32_t n_shaped; /* rows of calls that have shapes */
};

static void add_launches(void *context, const struct analysis *a,
                         const struct op_group *g)
{
    struct launches *l = context;
    const struct event_store *s = a->tables->view->s;
    l->n_shaped += has_shapes(g);
    for (int32_t i = 0; i < g->n && !has_shapes(g); i++) {
        const struct op_call_row *c = member(a, g, i);
        for (int32_t k = 0; k < c->n_kernels; k++) {
            const struct op_texts *t = store_texts(s, c->kernels[k]);
            if (!t || t->rest < 0)
                continue;
            if (l->rows)
                l->rows[l->n] = (struct sort_row){
                    (int64_t)s->name[c->kernels[k]] << 32 | t->rest, c->kernels[k]};
            l->n++;
        }
    }
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A kernel that takes its tiles from a queue, or its size as an argument, has one grid
 * for all sizes. A clock drops by less than half. */
static bool is_of_many_sizes(double *us, int32_t n)
{
    qsort(us, (size_t)n, sizeof *us, by_value);
    return us[n - 1 - n / 10] > 2 * us[n / 10];
}

static void add_like_launches(struct arena *to, struct like_work *w,
                              const struct trace_view *v, const struct sort_row *rows,
                              int32_t n, bool any_size)
{
    if (n < FEWEST_CALLS || isnan(kernel_grid_of(v->s, rows[0].row).blocks))
        return;
    struct like_call *calls = arena_new(to, struct like_call, n);
    struct arena tmp = *to;
    double *us = arena_new(&tmp, double, n);
    for (int32_t k = 0; k < n; k++) {
        calls[k] = call_at(v, rows[k].row, store_dur_ns(v->s, rows[k].row));
        us[k] = calls[k].us;
    }
    struct sample_stats s = stats_of(us, n);
    if (!any_size && is_of_many_sizes(us, n))
        return;
    add_kind(w, calls, n, s.median, s.sum, &w->grids_us);
}

struct adding {
    struct arena *to;
    struct like_work *w;
};

static void add_shaped(void *context, const struct analysis *a,
                       const struct op_group *g)
{
    struct adding *x = context;
    if (has_shapes(g) && g->n >= FEWEST_CALLS)
        add_row(x->to, x->w, a, g);
}

struct like_work like_work_find(struct arena *a, const struct analysis *of)
{
    struct launches l = {NULL, 0, 0};
    each_row(of, add_launches, &l);
    l.rows = arena_new(a, struct sort_row, l.n);
    int32_t most = l.n_shaped + l.n / FEWEST_CALLS;
    struct like_work w = {.kinds = arena_new(a, struct like_kind, most)};
    each_row(of, add_shaped, &(struct adding){a, &w});
    l.n = 0;
    each_row(of, add_launches, &l);
    sort_rows(*a, l.rows, l.n);
    for (int32_t k = 0, end; k < l.n; k = end) {
        for (end = k; end < l.n && l.rows[end].key == l.rows[k].key; end++)
            ;
        add_like_launches(a, &w, of->tables->view, l.rows + k, end - k, false);
    }
    return w;
}

static int32_t compute_kernels(struct arena *a, const struct trace_view *v,
                               event_id **kernels)
{
    const struct event_store *s = v->s;
    event_id *found = arena_new(a, event_id, v->n_counted);
    int32_t n = 0;
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id gpu = v->counted[k];
        const struct op_texts *t = store_texts(s, gpu);
        if (s->cat[gpu] == CAT_KERNEL && !view_communicates(v, gpu) && t &&
            t->rest >= 0)
            found[n++] = gpu;
    }
    view_sort_by_start(*a, s, found, n);
    *kernels = found;
    return n;
}

/* By name and launch: 1 and up. */
static void number_launches(struct arena tmp, const struct event_store *s,
                            const event_id *kernels, int32_t n, int32_t *number)
{
    struct sort_row *rows = arena_new(&tmp, struct sort_row, n);
    for (int32_t k = 0; k < n; k++)
        rows[k] = (struct sort_row){
            (int64_t)s->name[kernels[k]] << 32 | store_texts(s, kernels[k])->rest, k};
    sort_rows(tmp, rows, n);
    for (int32_t k = 0, kinds = 0; k < n; k++) {
        kinds += k == 0 || rows[k].key != rows[k - 1].key;
        number[rows[k].row] = kinds;
    }
}

struct like_work like_work_in_sequence(struct arena *a, const struct analysis *of)
{
    const struct trace_view *v = of->tables->view;
    event_id *kernels;
    int32_t n = compute_kernels(a, v, &kernels);
    struct sort_row *rows = arena_new(a, struct sort_row, n);
    int32_t *number = arena_new(a, int32_t, n),
            *before = arena_new(a, int32_t, v->s->n_lanes);
    number_launches(*a, v->s, kernels, n, number);
    for (int32_t k = 0; k < n; k++) {
        int32_t *last = &before[v->s->lane[kernels[k]]];
        rows[k] = (struct sort_row){(int64_t)number[k] << 32 | *last, kernels[k]};
        *last = number[k];
    }
    sort_rows(*a, rows, n);
    struct like_work w = {.kinds = arena_new(a, struct like_kind, n / FEWEST_CALLS)};
    for (int32_t k = 0, end; k < n; k = end) {
        for (end = k; end < n && rows[end].key == rows[k].key; end++)
            ;
        add_like_launches(a, &w, v, rows + k, end - k, true);
    }
    return w;
}
