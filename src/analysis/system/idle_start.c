#include "analysis/system/idle_start.h"

#include "base/duration.h"

/* What graph launches replay, beside all else. */
struct graphs {
    int64_t first_ns; /* where the first kernel of one starts */
    int64_t kernels_ns, all_ns;
    int32_t n; /* launches with kernels */
};

static struct graphs find_graphs(struct arena tmp, const struct trace_view *v)
{
    const struct event_store *s = v->s;
    uint8_t *seen = arena_new(&tmp, uint8_t, s->n_details + 1);
    struct graphs x = {.first_ns = INT64_MAX};
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id gpu = v->counted[k], call = view_issue(v, gpu);
        if (s->cat[gpu] != CAT_KERNEL)
            continue;
        x.all_ns += store_dur_ns(s, gpu);
        if (call < 0 || !launch_is_graph(s, call))
            continue;
        x.kernels_ns += store_dur_ns(s, gpu);
        x.first_ns = sooner(x.first_ns, s->start_ns[gpu]);
        x.n += !seen[store_row(s, call)];
        seen[store_row(s, call)] = 1;
    }
    return x;
}

/* Kernel time before the first graph: a few kernels that prepare it, or work of its
 * own.
 */
static bool begins_with(const struct trace_view *v, const struct graphs *x)
{
    const double FEW = 0.05;
    double before_ns = 0;
    for (int32_t k = 0; k < v->n_counted; k++)
        if (v->s->start_ns[v->counted[k]] < x->first_ns)
            before_ns += (double)store_dur_ns(v->s, v->counted[k]);
    return 2 * x->kernels_ns >= x->all_ns && before_ns <= FEW * (double)x->all_ns;
}

/* How long the device works behind the last launch. From the last one on, so that few
 * of the calls' names are asked about: a call has issued by its end. */
static int64_t ahead_ns(const struct trace_view *v)
{
    int64_t issued_ns = INT64_MIN, end_ns = INT64_MIN;
    for (int32_t k = v->n_counted - 1; k >= 0; k--) {
        event_id call = view_issue(v, v->counted[k]);
        end_ns = later(end_ns, store_end_ns(v->s, v->counted[k]));
        if (call >= 0 && store_end_ns(v->s, call) > issued_ns)
            issued_ns = later(issued_ns, call_issued_ns(v->s, call));
    }
    return issued_ns > INT64_MIN && end_ns > issued_ns ? end_ns - issued_ns : 0;
}

struct idle_start idle_start_find(struct arena tmp, const struct trace_view *v,
                                  const struct idle_gaps *g)
{
    struct graphs x = find_graphs(tmp, v);
    struct idle_start start = {.ahead_ns = ahead_ns(v)};
    bool one_step = v->steps.marked ? v->steps.n <= 1 : x.n == 1;
    bool graph = x.n && begins_with(v, &x);
    int64_t idle_ns = 0;
    for (int32_t k = 0; one_step && k < g->n; k++) {
        const struct gap_row *gap = &g->rows[k];
        bool starts =
            gap->before < 0 || (graph && gap->start_ns + gap->dur_ns <= x.first_ns);
        if (!starts || gap->after < 0)
            break;
        idle_ns += gap->dur_ns;
        start.n = k + 1;
    }
    if (idle_ns > start.ahead_ns)
        start.n = 0;
    return start;
}
