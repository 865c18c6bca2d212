#include "ops/group_kernels.h"

#include "base/sort.h"
#include "ops/trace_view.h"

#include <stdlib.h>

static int by_total_then_name(const void *a, const void *b)
{
    const struct kernel_detail *x = a, *y = b;
    if (x->total_us != y->total_us)
        return x->total_us < y->total_us ? -1 : 1;
    return str_cmp(x->name, y->name);
}

static const struct op_call_row *call_of(const struct op_calls *calls,
                                         const struct op_group *g, int32_t k)
{
    return &calls->rows[g->members[k]];
}

/* Of n launches, the first of which is `kernel`. Reorders their times. */
static struct kernel_detail detail_of(const struct event_store *s, event_id kernel,
                                      double *us, int64_t n)
{
    double total_us = stats_sum_by_halves(us, n);
    struct sample_stats st = stats_of(us, n);
    return (struct kernel_detail){.name = store_name(s, kernel),
                                  .stream = view_stream(s, kernel),
                                  .n = st.n,
                                  .total_us = total_us,
                                  .mean_us = total_us / (double)st.n,
                                  .median_us = st.median,
                                  .std_us = stats_population_std(&st),
                                  .min_us = st.min,
                                  .max_us = st.max};
}

/* As the reference has them: by position over the calls, under the name that the first
 * call with any has there. Skips calls with another number of kernels. Returns whether
 * that is what all calls launch. */
static bool add_placed(struct arena *a, const struct event_store *s,
                       const struct op_calls *calls, struct op_group *g)
{
    int32_t at = 0;
    while (at < g->n && call_of(calls, g, at)->n_kernels == 0)
        at++;
    const struct op_call_row *first = at < g->n ? call_of(calls, g, at) : NULL;
    g->n_placed = first ? first->n_kernels : 0;
    g->placed = arena_new(a, struct kernel_detail, g->n_placed);
    struct arena tmp = *a;
    double *us = arena_take_raw(&tmp, sizeof *us, 8, g->n);
    bool is_alike = true;
    for (int32_t pos = 0; pos < g->n_placed; pos++) {
        int64_t count = 0;
        for (int32_t k = at; k < g->n; k++) {
            const struct op_call_row *c = call_of(calls, g, k);
            if (c->n_kernels != g->n_placed) {
                is_alike = false;
                continue;
            }
            us[count++] = (double)store_dur_ns(s, c->kernels[pos]) / 1e3;
            is_alike &= s->name[c->kernels[pos]] == s->name[first->kernels[pos]];
        }
        g->placed[pos] = detail_of(s, first->kernels[pos], us, count);
    }
    qsort(g->placed, (size_t)g->n_placed, sizeof *g->placed, by_total_then_name);
    return is_alike;
}

struct launches {
    struct sort_row *rows; /* by name, then by call */
    int32_t n;
};

static struct launches by_name(struct arena *tmp, const struct event_store *s,
                               const struct op_calls *calls, const struct op_group *g)
{
    int32_t n = 0;
    for (int32_t k = 0; k < g->n; k++)
        n += call_of(calls, g, k)->n_kernels;
    struct launches l = {arena_take_raw(tmp, sizeof *l.rows, 8, n), 0};
    for (int32_t k = 0; k < g->n; k++) {
        const struct op_call_row *c = call_of(calls, g, k);
        for (int32_t i = 0; i < c->n_kernels; i++)
            l.rows[l.n++] = (struct sort_row){s->name[c->kernels[i]], c->kernels[i]};
    }
    sort_rows(*tmp, l.rows, l.n);
    return l;
}

static int32_t names_in(struct arena tmp, const struct event_store *s,
                        const struct op_calls *calls, const struct op_group *g)
{
    struct launches l = by_name(&tmp, s, calls, g);
    int32_t n = 0;
    for (int32_t i = 0; i < l.n; i++)
        n += i == 0 || l.rows[i].key != l.rows[i - 1].key;
    return n;
}

/* By their own names, over all calls. */
static void add_named(struct arena *a, const struct event_store *s,
                      const struct op_calls *calls, struct op_group *g)
{
    g->kernels = arena_new(a, struct kernel_detail, names_in(*a, s, calls, g));
    struct arena tmp = *a;
    struct launches l = by_name(&tmp, s, calls, g);
    double *us = arena_take_raw(&tmp, sizeof *us, 8, l.n);
    for (int32_t i = 0, first = 0; i < l.n; i++) {
        us[i - first] = (double)store_dur_ns(s, l.rows[i].row) / 1e3;
        if (i + 1 < l.n && l.rows[i + 1].key == l.rows[i].key)
            continue;
        g->kernels[g->n_kernels++] = detail_of(s, l.rows[first].row, us, i + 1 - first);
        first = i + 1;
    }
    qsort(g->kernels, (size_t)g->n_kernels, sizeof *g->kernels, by_total_then_name);
}

void group_kernels_add(struct arena *a, const struct event_store *s,
                       const struct op_calls *calls, struct op_group *g)
{
    if (add_placed(a, s, calls, g)) {
        g->kernels = g->placed;
        g->n_kernels = g->n_placed;
    } else {
        add_named(a, s, calls, g);
    }
}

const struct kernel_detail *group_longest_kernel(const struct op_group *g)
{
    const struct kernel_detail *best = NULL;
    for (int32_t i = 0; i < g->n_kernels; i++)
        if (!best || g->kernels[i].total_us > best->total_us)
            best = &g->kernels[i];
    return best;
}
