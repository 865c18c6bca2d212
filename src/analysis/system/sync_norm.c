#include "analysis/system/sync_norm.h"

#include "analysis/facts/efficiency.h"
#include "analysis/facts/top_operations.h"
#include "analysis/model/name_match.h"
#include "base/duration.h"
#include "base/name_memo.h"
#include "base/value.h"
#include "ops/trace_view.h"

#include <math.h>
#include <stdlib.h>

static uint64_t is_layer(struct str name)
{
    return name_has(name, "SyncBatchNorm");
}

/* The outermost operator of such a layer around a call; -1. */
static event_id layer_around(const struct trace_view *v, event_id call)
{
    static struct name_memo memo;
    event_id layer = -1;
    for (int k = 0; call >= 0 && k < TREE_LEVELS_MAX; k++) {
        if (name_memo_ask(&memo, store_name(v->s, call), is_layer))
            layer = call;
        call = tree_parent(&v->tree, call);
    }
    return layer;
}

/* Of its input, N of [N, C, ...]; 0: not recorded. */
static int64_t samples_of(const struct trace_view *v, event_id layer)
{
    const struct op_texts *t = store_texts(v->s, layer);
    if (!t || t->dims < 0)
        return 0;
    const struct value *input = value_at(store_value(v->s, t->dims), 0),
                       *n = value_at(input, 0);
    bool known = value_count(input) > 1 && value_is_whole(n) && n->number > 0 &&
                 n->number < (double)(1 << 30);
    return known ? (int64_t)n->number : 0;
}

struct sync_norm sync_norm_find(struct arena tmp, const struct trace_view *v,
                                const uint8_t *kind, struct interval_set compute)
{
    struct sync_norm n = {0};
    struct span *spans = arena_take_raw(&tmp, sizeof *spans, 8, v->n_counted);
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id g = v->counted[k], call = launch_call(&v->launch, g), layer;
        if (kind[k] >= COMM_KINDS || call < 0 || (layer = layer_around(v, call)) < 0)
            continue;
        spans[n.count++] = (struct span){v->s->start_ns[g], store_end_ns(v->s, g)};
        n.samples = n.samples ? n.samples : samples_of(v, layer);
    }
    struct interval_set busy = interval_union(tmp, spans, n.count);
    n.exposed_us =
        (double)interval_length_ns(interval_minus(&tmp, busy, compute)) / 1e3;
    return n;
}

/* Device work of a layer, by layer and then as it was launched. */
struct part {
    event_id layer, gpu;
    int64_t call_ns;
};

static int by_layer(const void *x, const void *y)
{
    const struct part *a = x, *b = y;
    if (a->layer != b->layer)
        return (a->layer > b->layer) - (a->layer < b->layer);
    return (a->call_ns > b->call_ns) - (a->call_ns < b->call_ns);
}

static bool communicates(const struct trace_view *v, const struct part *p)
{
    return view_class(v, p->gpu) == GPU_COMMUNICATION;
}

static int by_thread_and_start(const void *x, const void *y)
{
    const struct host_span *a = x, *b = y;
    if (a->lane != b->lane)
        return (a->lane > b->lane) - (a->lane < b->lane);
    return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

/* The longest of those from lo to hi; -1: there is none. */
static int32_t longest(const struct trace_view *v, const struct part *parts, int32_t lo,
                       int32_t hi)
{
    int32_t best = -1;
    for (int32_t k = lo; k < hi; k++)
        if (best < 0 || view_own_ns(v, parts[k].gpu) > view_own_ns(v, parts[best].gpu))
            best = k;
    return best;
}

static event_id launched_by(const struct trace_view *v, const struct part *p)
{
    event_id op = view_operator(v, p->gpu);
    return op >= 0 ? op : launch_call(&v->launch, p->gpu);
}

static double add_gpu(struct arena *perm, const struct trace_view *v, event_id gpu,
                      struct loop_work *w)
{
    double ms = ms_of(view_own_ns(v, gpu));
    arena_grow(perm, w->gpu, w->n_gpu);
    w->gpu[w->n_gpu++] = gpu;
    w->device_ms += ms;
    return ms;
}

/* What stays may at best run as fast as is expected of its kind: a layer that shares
 * nothing is one call of a library. */
static void add_kept(struct arena *perm, const struct trace_view *v,
                     const struct kernel_rows *rows, event_id gpu, struct loop_work *w)
{
    const struct work_row *r = kernel_row_of(rows, gpu);
    double ms = add_gpu(perm, v, gpu, w), pct = r ? r->efficiency.percent : (double)NAN;
    if (!isnan(pct))
        w->saved_most_ms += fmax(0, ms - ms * pct / expectation_of(WORK_BATCHNORM).hi);
}

/* One layer's n parts. A collective may wait for another rank, which then waits
 * elsewhere. */
static void add_layer(struct arena *perm, const struct trace_view *v,
                      const struct kernel_rows *rows, const struct part *parts,
                      int32_t n, struct loop_work *w, int32_t *copies)
{
    const double LEAST_OF_COLLECTIVE = 0.8;
    int32_t first = 0, last = n - 1;
    while (first < n && !communicates(v, &parts[first]))
        first++;
    while (last > first && !communicates(v, &parts[last]))
        last--;
    int32_t gathers = longest(v, parts, 0, first),
            applies = longest(v, parts, last + 1, n);
    if (gathers < 0 || applies < 0)
        return;
    event_id from = launched_by(v, &parts[gathers]),
             to = launched_by(v, &parts[applies]);
    arena_grow(perm, w->gone, w->n_gone);
    w->gone[w->n_gone++] = (struct host_span){
        v->s->lane[from], store_end_ns(v->s, from), v->s->start_ns[to]};
    w->host_ms += ms_of(v->s->start_ns[to] - store_end_ns(v->s, from));
    for (int32_t k = gathers + 1; k < applies; k++) {
        double ms = add_gpu(perm, v, parts[k].gpu, w);
        w->saved_most_ms += ms;
        w->saved_least_ms += communicates(v, &parts[k]) ? LEAST_OF_COLLECTIVE * ms : ms;
        *copies += view_class(v, parts[k].gpu) == GPU_MEMCPY;
    }
    add_kept(perm, v, rows, parts[gathers].gpu, w);
    add_kept(perm, v, rows, parts[applies].gpu, w);
}

struct loop_work sync_norm_work(struct arena *perm, struct arena tmp,
                                const struct analysis *a, const struct trace_view *v,
                                int32_t *copies)
{
    struct loop_work w = {0};
    struct kernel_rows rows = kernel_rows_build(&tmp, a);
    int32_t n = 0;
    struct part *parts = arena_take_raw(&tmp, sizeof *parts, 8, v->n_counted);
    for (int32_t k = 0; k < v->n_counted; k++) {
        event_id g = v->counted[k], call = launch_call(&v->launch, g), layer;
        if (call >= 0 && (layer = layer_around(v, call)) >= 0)
            parts[n++] = (struct part){layer, g, v->s->start_ns[call]};
    }
    qsort(parts, (size_t)n, sizeof *parts, by_layer);
    *copies = 0;
    for (int32_t at = 0, end; at < n; at = end) {
        for (end = at; end < n && parts[end].layer == parts[at].layer; end++)
            ;
        add_layer(perm, v, &rows, parts + at, end - at, &w, copies);
    }
    if (w.n_gone)
        qsort(w.gone, (size_t)w.n_gone, sizeof *w.gone, by_thread_and_start);
    return w;
}
