#include "ops/kernel_table.h"

#include "ops/trace_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BINS = 100 };
#define SHORT_US 10.0

/* The row of the device event at a place of launch.all. */
static struct kernel_row row_of(const struct category_index *index, int32_t place)
{
    const struct trace_view *v = index->v;
    const struct event_store *s = v->s;
    event_id gpu = v->launch.all[place];
    struct kernel_row r = {.kernel = store_name(s, gpu),
                           .stream = view_stream(s, gpu),
                           .is_kernel = s->cat[gpu] == CAT_KERNEL,
                           .backlog =
                               v->window.rule == UNLINKED_IN_WINDOW &&
                               window_is_backlog(&v->window, s, &v->launch, place)};
    event_id call = v->launch.call[place];
    if (call < 0)
        return r;
    event_id op = tree_operator(s, &v->tree, call);
    r.op = store_name(s, op >= 0 ? op : call);
    if (op >= 0) {
        r.category = category_of(index, op, r.op);
    } else {
        bool graph = str_has_nocase(r.op, S("cudagraph")) ||
                     str_has_nocase(r.op, S("graphlaunch"));
        r.category = graph ? S("graph") : S("runtime");
    }
    return r;
}

/* Missing texts come last. */
static int cmp_text(struct str a, struct str b)
{
    return !a.n || !b.n ? !a.n - !b.n : str_cmp(a, b);
}

static int by_key(const struct kernel_row *x, const struct kernel_row *y)
{
    int c = cmp_text(x->category, y->category);
    c = c ? c : cmp_text(x->op, y->op);
    c = c ? c : str_cmp(x->kernel, y->kernel);
    return c ? c : (x->stream > y->stream) - (x->stream < y->stream);
}

static int by_time(const void *a, const void *b)
{
    const struct kernel_row *x = a, *y = b;
    if (x->is_kernel != y->is_kernel)
        return x->is_kernel ? -1 : 1;
    if (x->backlog != y->backlog)
        return x->backlog ? 1 : -1;
    if (x->us.sum != y->us.sum)
        return x->us.sum > y->us.sum ? -1 : 1;
    return by_key(x, y);
}

/* Rows of kernels in groups: group[k] of kernels[k]; groups count up by appearance. */
struct grouping {
    int32_t *group, n_groups;
    int32_t *first; /* by group: index of its first kernel */
};

static double *durations_by_group(struct arena *tmp, const struct event_store *s,
                                  const event_id *kernels, int32_t n,
                                  const struct grouping *g, int32_t *start)
{
    double *us = arena_take_raw(tmp, sizeof *us, 8, n);
    int32_t *at = arena_new(tmp, int32_t, g->n_groups + 1);
    memset(start, 0, (size_t)(g->n_groups + 1) * sizeof *start);
    for (int32_t k = 0; k < n; k++)
        if (g->group[k] >= 0)
            start[g->group[k] + 1]++;
    for (int32_t i = 0; i < g->n_groups; i++) {
        start[i + 1] += start[i];
        at[i] = start[i];
    }
    for (int32_t k = 0; k < n; k++)
        if (g->group[k] >= 0)
            us[at[g->group[k]]++] = (double)store_dur_ns(s, kernels[k]) / 1e3;
    return us;
}

/* The distinct rows of all device events. What tells them apart is their name, stream
 * and the operator event's name and category. */
static void build_summary(struct arena *perm, struct arena tmp,
                          const struct category_index *index, struct kernel_tables *t)
{
    const struct trace_view *v = index->v;
    const event_id *all = v->launch.all;
    int32_t n = v->launch.n_all;
    struct name_pool texts, keys;
    pool_open(&texts);
    pool_open(&keys);
    t->row_of = arena_take_raw(perm, sizeof *t->row_of, 4, n);
    struct grouping g = {.group = t->row_of};
    g.first = arena_take_raw(&tmp, sizeof *g.first, 4, n);
    for (int32_t k = 0; k < n; k++) {
        struct kernel_row r = row_of(index, k);
        int64_t key[5] = {pool_add_lasting(&texts, r.category),
                          pool_add_lasting(&texts, r.op), v->s->name[all[k]], r.stream,
                          r.is_kernel + 2 * r.backlog};
        g.group[k] = pool_add(&keys, (struct str){(const char *)key, sizeof key});
        if (g.group[k] == g.n_groups)
            g.first[g.n_groups++] = k;
        if (r.is_kernel && !r.backlog)
            duration_bins_add(&t->durations, store_dur_ns(v->s, all[k]));
    }
    pool_close(&texts);
    pool_close(&keys);
    int32_t *start = arena_take_raw(&tmp, sizeof *start, 4, g.n_groups + 1);
    double *us = durations_by_group(&tmp, v->s, all, n, &g, start);
    double all_us = 0.0, window_us = 0.0, total_us = (double)view_device_ns(v) / 1e3;
    t->rows = arena_new(perm, struct kernel_row, g.n_groups);
    t->n_all = g.n_groups;
    for (int32_t i = 0; i < t->n_all; i++) {
        struct kernel_row *r = &t->rows[i];
        *r = row_of(index, g.first[i]);
        r->group = i;
        r->communicates = view_communicates(v, all[g.first[i]]);
        r->us = stats_of(us + start[i], start[i + 1] - start[i]);
        r->p95_us = stats_p95(us + start[i], r->us.n);
        t->n += r->is_kernel;
        all_us += r->is_kernel ? r->us.sum : 0.0;
        window_us += r->is_kernel && !r->backlog ? r->us.sum : 0.0;
    }
    qsort(t->rows, (size_t)t->n_all, sizeof *t->rows, by_time);
    int32_t *row_of_group = g.first;
    for (int32_t i = 0; i < t->n_all; i++) {
        t->rows[i].kernels_pct = t->rows[i].us.sum / all_us * 100.0;
        t->rows[i].window_pct =
            t->rows[i].backlog ? (double)NAN : t->rows[i].us.sum / window_us * 100.0;
        t->rows[i].total_pct = t->rows[i].us.sum / total_us * 100.0;
        row_of_group[t->rows[i].group] = i;
    }
    for (int32_t k = 0; k < n; k++)
        t->row_of[k] = row_of_group[t->row_of[k]];
}

/* Bins of equal width from the shortest to the longest, as numpy makes them. */
static void build_histogram(struct arena *perm, const struct event_store *s,
                            const event_id *kernels, int32_t n, struct kernel_tables *t)
{
    double lo = (double)INFINITY, hi = -(double)INFINITY;
    for (int32_t k = 0; k < n; k++) {
        double us = (double)store_dur_ns(s, kernels[k]) / 1e3;
        lo = us < lo ? us : lo;
        hi = us > hi ? us : hi;
    }
    if (n == 0)
        return;
    if (lo == hi) {
        lo -= 0.5;
        hi += 0.5;
    }
    t->n_bins = BINS;
    t->edges = arena_new(perm, double, BINS + 1);
    t->counts = arena_new(perm, int64_t, BINS);
    double step = (hi - lo) / BINS;
    for (int i = 0; i < BINS; i++)
        t->edges[i] = i * step + lo;
    t->edges[BINS] = hi;
    for (int32_t k = 0; k < n; k++) {
        double us = (double)store_dur_ns(s, kernels[k]) / 1e3;
        int bin = (int)((us - lo) / (hi - lo) * BINS);
        bin = bin >= BINS ? BINS - 1 : bin;
        if (us < t->edges[bin])
            bin--;
        else if (bin < BINS - 1 && us >= t->edges[bin + 1])
            bin++;
        t->counts[bin < 0 ? 0 : bin]++;
    }
}

/* Shapes, strides and scalars are all there: what the reference groups by. */
static const struct op_texts *whole_texts(const struct trace_view *v, event_id gpu,
                                          event_id *op)
{
    *op = view_operator(v, gpu);
    const struct op_texts *t = *op < 0 ? NULL : store_texts(v->s, *op);
    return t && t->dims >= 0 && t->strides >= 0 && t->concrete >= 0 ? t : NULL;
}

static int by_short_time(const void *a, const void *b)
{
    const struct short_kernel_row *x = a, *y = b;
    if (x->sum_us != y->sum_us)
        return x->sum_us > y->sum_us ? -1 : 1;
    if (x->n != y->n)
        return x->n < y->n ? -1 : 1;
    int c = str_cmp(x->op, y->op);
    return c ? c : str_cmp(x->kernel, y->kernel);
}

static void build_short(struct arena *perm, struct arena tmp,
                        const struct trace_view *v, const event_id *kernels, int32_t n,
                        struct kernel_tables *t)
{
    struct name_pool keys;
    struct grouping g = {.group = arena_take_raw(&tmp, sizeof *g.group, 4, n)};
    g.first = arena_take_raw(&tmp, sizeof *g.first, 4, n);
    event_id op;
    t->short_by_name = true;
    for (int32_t k = 0; k < n && t->short_by_name; k++)
        t->short_by_name = !whole_texts(v, kernels[k], &op);
    pool_open(&keys);
    for (int32_t k = 0; k < n; k++) {
        const struct op_texts *texts = whole_texts(v, kernels[k], &op);
        g.group[k] = -1;
        if (!texts && !t->short_by_name)
            continue;
        int32_t key[5] = {v->s->name[kernels[k]], -1, -1, -1, -1};
        if (!t->short_by_name)
            memcpy(key + 1,
                   (int32_t[]){v->s->name[op], texts->dims, texts->strides,
                               texts->concrete},
                   4 * sizeof *key);
        g.group[k] = pool_add(&keys, (struct str){(const char *)key, sizeof key});
        if (g.group[k] == g.n_groups)
            g.first[g.n_groups++] = k;
    }
    pool_close(&keys);
    int32_t *start = arena_take_raw(&tmp, sizeof *start, 4, g.n_groups + 1);
    double *us = durations_by_group(&tmp, v->s, kernels, n, &g, start);
    t->short_rows = arena_new(perm, struct short_kernel_row, g.n_groups);
    t->n_short = g.n_groups;
    for (int32_t i = 0; i < g.n_groups; i++) {
        struct short_kernel_row *r = &t->short_rows[i];
        struct sample_stats st = stats_sum(us + start[i], start[i + 1] - start[i]);
        event_id gpu = kernels[g.first[i]];
        const struct op_texts *texts = whole_texts(v, gpu, &op);
        *r = (struct short_kernel_row){.kernel = store_name(v->s, gpu),
                                       .n = st.n,
                                       .sum_us = st.sum,
                                       .mean_us = st.mean};
        r->total_pct = st.sum / ((double)view_device_ns(v) / 1e3) * 100.0;
        if (!t->short_by_name) {
            r->op = store_name(v->s, op);
            r->args = store_args(v->s, texts);
        }
    }
    qsort(t->short_rows, (size_t)t->n_short, sizeof *t->short_rows, by_short_time);
}

struct kernel_tables kernel_tables_build(struct arena *perm, struct arena tmp,
                                         const struct trace_view *v,
                                         const struct op_calls *launchers)
{
    const struct event_store *s = v->s;
    struct kernel_tables t = {.threshold_us = SHORT_US};
    struct category_index index = category_index_build(&tmp, v, launchers);
    event_id *short_ones = arena_take_raw(&tmp, sizeof *short_ones, 4, v->launch.n_all);
    int32_t n_short = 0;
    for (int32_t k = 0; k < v->launch.n_all; k++) {
        event_id g = v->launch.all[k];
        if (s->cat[g] == CAT_KERNEL &&
            (double)store_dur_ns(s, g) / 1e3 < t.threshold_us)
            short_ones[n_short++] = g;
    }
    build_summary(perm, tmp, &index, &t);
    build_histogram(perm, s, short_ones, n_short, &t);
    build_short(perm, tmp, v, short_ones, n_short, &t);
    return t;
}
