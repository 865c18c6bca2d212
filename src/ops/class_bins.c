#include "ops/class_bins.h"

#include "ops/kernel_classes.h"
#include "ops/trace_view.h"

struct bin_walk {
    const struct timeline_data *d;
    int bin; /* where the last piece ended */
    int64_t end_ns;
};

static void enter_bin(struct bin_walk *w, int bin)
{
    w->bin = bin;
    w->end_ns = bin < w->d->n_bins - 1 ? timeline_bin_ns(w->d, bin + 1) : INT64_MAX;
}

/* Pieces come by start. */
static void add_piece(struct bin_walk *w, int64_t *bins, int64_t from_ns, int64_t to_ns)
{
    while (w->end_ns <= from_ns)
        enter_bin(w, w->bin + 1);
    while (w->end_ns < to_ns) {
        bins[w->bin] += w->end_ns - from_ns;
        from_ns = w->end_ns;
        enter_bin(w, w->bin + 1);
    }
    bins[w->bin] += to_ns - from_ns;
}

/* Device events that compute, by start. */
static event_id *computations(struct arena *a, const struct trace_view *v, int32_t *n)
{
    event_id *events = arena_take_raw(a, sizeof *events, 4, v->n_counted);
    *n = 0;
    for (int32_t k = 0; k < v->n_counted; k++)
        if (view_class(v, v->counted[k]) == GPU_COMPUTE)
            events[(*n)++] = v->counted[k];
    view_sort_by_start(*a, v->s, events, *n);
    return events;
}

int64_t **class_bins_build(struct arena *perm, struct arena tmp,
                           const struct trace_view *v, const struct timeline_data *d,
                           const int8_t *class, int n_classes)
{
    int64_t **ns = arena_new(perm, int64_t *, n_classes + 1);
    for (int c = 0; c <= n_classes; c++)
        ns[c] = arena_new(perm, int64_t, d->n_bins);
    int32_t n;
    const event_id *events = computations(&tmp, v, &n);
    struct bin_walk walk = {.d = d};
    enter_bin(&walk, 0);
    int64_t covered_ns = 0;
    for (int32_t k = 0; k < n; k++) {
        int64_t from = v->s->start_ns[events[k]] - d->origin_ns;
        int64_t to = from + store_dur_ns(v->s, events[k]);
        int8_t c = class[launch_place(&v->launch, events[k])];
        if (from < covered_ns)
            from = covered_ns;
        if (from >= to)
            continue;
        add_piece(&walk, ns[c < 0 ? n_classes : c], from, to);
        covered_ns = to;
    }
    return ns;
}
