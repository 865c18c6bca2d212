/* Where wall time goes, and the device it is held against. */
#include "report/report_parts.h"

static double ms(int64_t ns)
{
    return (double)ns / 1e6;
}

/* Time that the device is busy only with events no launch call stands for. */
static void fill_unlinked(const struct report_source *s, struct arena tmp,
                          struct report_timeline *l)
{
    const struct trace_view *v = s->t->view;
    event_id *linked = arena_take_raw(&tmp, sizeof *linked, 4, v->launch.n_all);
    int32_t n = 0;
    for (int32_t k = 0; k < v->launch.n_all; k++)
        if (launch_call(&v->launch, v->launch.all[k]) >= 0)
            linked[n++] = v->launch.all[k];
    l->unlinked_included = v->options.include_unlinked;
    l->unlinked_events = v->launch.n_all - n;
    int64_t all = v->everything.busy_ns;
    int64_t only = l->unlinked_events ? all - busy_ns(tmp, v->s, linked, n) : 0;
    l->unlinked_ms = ms(only);
    l->unlinked_busy_pct = all ? 100.0 * (double)only / (double)all : 0.0;
}

static void fill_device(const struct report_source *s, struct report_device *d)
{
    const struct device_spec *spec = s->t->device;
    if (!spec)
        return;
    d->known = true;
    d->name = spec->name;
    d->memory_tb_per_s = spec->memory_gb_per_s / 1e3;
    d->memory_gb = spec->memory_gb;
    d->n_peaks = spec->n_peaks;
    d->peaks =
        arena_take(s->perm, sizeof *d->peaks, _Alignof(max_align_t), spec->n_peaks);
    for (int k = 0; k < spec->n_peaks; k++) {
        d->peaks[k].spec = spec->peaks[k].spec;
        d->peaks[k].tflop_per_s = spec->peaks[k].peak_tflop_per_s;
    }
}

void report_timeline_fill(const struct report_source *s, struct arena tmp,
                          struct report *r)
{
    const struct gpu_timeline *g = &s->t->view->timeline;
    double pct = g->total_ns ? 100.0 / (double)g->total_ns : 0.0;
    r->timeline = (struct report_timeline){
        .total_ms = ms(g->total_ns),
        .computation_ms = ms(g->computation_ns),
        .exposed_comm_ms = ms(g->exposed_comm_ns),
        .exposed_memcpy_ms = ms(g->exposed_memcpy_ns),
        .idle_ms = ms(g->idle_ns),
        .busy_ms = ms(g->busy_ns),
        .total_comm_ms = ms(g->total_comm_ns),
        .total_memcpy_ms = ms(g->total_memcpy_ns),
        .computation_pct = pct * (double)g->computation_ns,
        .exposed_comm_pct = pct * (double)g->exposed_comm_ns,
        .exposed_memcpy_pct = pct * (double)g->exposed_memcpy_ns,
        .idle_pct = pct * (double)g->idle_ns,
        .busy_pct = pct * (double)g->busy_ns,
    };
    fill_unlinked(s, tmp, &r->timeline);
    fill_device(s, &r->device);
}
