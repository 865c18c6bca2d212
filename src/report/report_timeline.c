/* Where wall time goes, and the device it is compared with. */
#include "report/report_parts.h"

#include "analysis/model/number_text.h"
#include "base/duration.h"

#include <math.h>

/* Where the figures are not those of the device that the trace names. */
static struct str misfit_of(struct arena *perm, const struct device_spec *d,
                            const struct traced_device *t)
{
    const double GIB = 1073741824.0;
    struct str name = str_head(t->name, 80);
    double gib = t->bytes / GIB;
    switch (device_fit(d, t)) {
    case FIT_NAME:
        return name.n
                   ? say(perm,
                         "The trace was recorded on {}, but the peaks are those of "
                         "{}.",
                         said(name), said(d->name))
                   : say(perm,
                         "The trace was recorded on a device with {} compute units, "
                         "but the peaks are those of {} with {}.",
                         said(t->compute_units), said(d->name), said(d->compute_units));
    case FIT_MEMORY:
        return say(
            perm,
            "The trace was recorded on {} with {} GB, but the peaks are those of {} "
            "with {} GB, whose bandwidth may differ.",
            said(name.n ? name : S("a device")), said_fixed(gib, 0), said(d->name),
            said_fixed(d->memory_gb, 0));
    default:
        return S("");
    }
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
    struct traced_device recorded = trace_device(s->t->facts.header);
    d->misfit = misfit_of(s->perm, spec, &recorded);
    d->peaks_are = spec->kind == PEAKS_ACHIEVABLE  ? S("achievable")
                   : spec->kind == PEAKS_DATASHEET ? S("data sheet")
                                                   : S("");
    double sheet = device_sheet_peak(spec, S("matrix_bf16"));
    d->sheet_bf16_tflop_per_s =
        spec->kind == PEAKS_ACHIEVABLE && sheet > 0 ? sheet : (double)NAN;
    d->n_peaks = spec->n_peaks;
    d->peaks =
        arena_take(s->perm, sizeof *d->peaks, _Alignof(max_align_t), spec->n_peaks);
    for (int k = 0; k < spec->n_peaks; k++) {
        d->peaks[k].spec = spec->peaks[k].spec;
        d->peaks[k].tflop_per_s = spec->peaks[k].peak_tflop_per_s;
    }
}

static double busy_pct(const struct trace_facts *f, int64_t ns)
{
    return f->busy_ns ? 100.0 * (double)ns / (double)f->busy_ns : 0.0;
}

void report_timeline_fill(const struct report_source *s, struct report *r)
{
    const struct trace_facts *f = &s->t->facts;
    const struct wall_time *g = &f->time;
    double pct = g->total_ns ? 100.0 / (double)g->total_ns : 0.0;
    r->timeline = (struct report_timeline){
        .total_ms = ms_of(g->total_ns),
        .computation_ms = ms_of(g->computation_ns),
        .exposed_comm_ms = ms_of(g->exposed_comm_ns),
        .exposed_memcpy_ms = ms_of(g->exposed_memcpy_ns),
        .idle_ms = ms_of(g->idle_ns),
        .busy_ms = ms_of(g->busy_ns),
        .total_comm_ms = ms_of(g->total_comm_ns),
        .total_memcpy_ms = ms_of(g->total_memcpy_ns),
        .computation_pct = pct * (double)g->computation_ns,
        .exposed_comm_pct = pct * (double)g->exposed_comm_ns,
        .exposed_memcpy_pct = pct * (double)g->exposed_memcpy_ns,
        .idle_pct = pct * (double)g->idle_ns,
        .busy_pct = pct * (double)g->busy_ns,
        .unlinked_included = f->unlinked != UNLINKED_LEFT_OUT,
        .unlinked_events = f->n_unlinked,
        .unlinked_ms = ms_of(f->unlinked_ns),
        .unlinked_busy_pct = busy_pct(f, f->unlinked_ns),
        .backlog_included = f->unlinked == UNLINKED_ALL,
        .backlog_events = f->n_backlog,
        .backlog_ms = ms_of(f->backlog_ns),
        .backlog_busy_pct = busy_pct(f, f->backlog_ns),
        .recording_ms = ms_of(f->recording_ns),
        .artefact_ms = ms_of(f->artefact_ns),
        .artefact_from_ms = ms_of(f->artefact_from_ns),
        .artefact_to_ms = ms_of(f->artefact_from_ns + f->artefact_ns),
        .queued_ms = ms_of(f->queued_ns),
    };
    fill_device(s, &r->device);
}
