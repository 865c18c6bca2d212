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
    case FIT_FORM:
        return say(perm,
                   "The trace was recorded on {}, but the peaks are those of {}, which "
                   "sits on another board.",
                   said(name), said(d->name));
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

/* Why there are no peaks: the device is not built in, or none were wanted. */
static struct str missing_of(const struct report_source *s)
{
    struct traced_device recorded = trace_device(s->t->facts.machine);
    if (!s->o->platform_found)
        return S("No peaks were given.");
    if (str_trim(recorded.name).n == 0)
        return S("No peaks are known, as the trace does not name its device.");
    return say(s->perm, "No peaks are known for {}.",
               said(str_head(str_trim(recorded.name), 80)));
}

static void fill_device(const struct report_source *s, struct report_device *d)
{
    const struct device_spec *spec = s->t->device;
    if (!spec) {
        d->missing = missing_of(s);
        if (s->o->platform_found && s->t->facts.n_device > 0)
            d->no_peaks =
                say(s->perm, "{}, so no efficiency is judged: give them with -p.",
                    said(str_head(d->missing, d->missing.n - 1)));
        return;
    }
    d->known = true;
    d->name = spec->name;
    d->memory_tb_per_s = spec->memory_gb_per_s / 1e3;
    d->memory_gb = spec->memory_gb;
    struct traced_device recorded = trace_device(s->t->facts.machine);
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

static struct str begins(enum window_begin b)
{
    static const struct str words[] = {
        [WINDOW_FROM_DEVICE] = S_INIT("first device event"),
        [WINDOW_FROM_STEP] = S_INIT("first step"),
        [WINDOW_FROM_DATA_WAIT] = S_INIT("first wait for data"),
        [WINDOW_FROM_BACKLOG] = S_INIT("end of what was launched before the recording"),
        [WINDOW_FROM_UNSEEN] = S_INIT("last sign of work that is not recorded")};
    return words[b];
}

static struct str span_of(struct arena *a, const struct trace_facts *f)
{
    bool step = f->begin == WINDOW_FROM_STEP;
    if (f->begin == WINDOW_FROM_DEVICE && !f->tail_ns)
        return S("from the first to the last device event");
    return say(a, "from the {} to the {}", said(begins(f->begin)),
               said(!f->tail_ns ? "last device event"
                    : step      ? "end of the last"
                                : "end of the last step"));
}

static struct str without(struct arena *a, double artefact_ms, double skew_ms)
{
    struct str old = artefact_ms > 0 ? say(a, "{} of work from before the recording",
                                           said(number_time(a, artefact_ms)))
                                     : S(""),
               skew = skew_ms > 0 ? say(a, "{} in which the first collective waits",
                                        said(number_time(a, skew_ms)))
                                  : S("");
    return say(a, "{}{}{}", said(old), said(old.n && skew.n ? " and " : ""),
               said(skew));
}

/* What percentages are of and what the reference has, where these differ. */
static void fill_windows(struct arena *a, const struct trace_facts *f,
                         struct report_timeline *t)
{
    double device_to_ms = t->lead_ms + t->device_ms + t->artefact_ms;
    t->windows[0] = (struct report_window){
        .of = S("Percentages, idle time, savings"),
        .begins = begins(f->begin),
        .ends = f->tail_ns ? S("end of the last step") : S("last device event"),
        .to_ms = device_to_ms + t->tail_ms,
        .total_ms = t->total_ms,
        .without = without(a, t->artefact_ms, t->skew_ms)};
    t->windows[1] =
        (struct report_window){.of = S("Performance tables, as in the reference"),
                               .begins = begins(WINDOW_FROM_DEVICE),
                               .ends = S("last device event"),
                               .from_ms = t->lead_ms,
                               .to_ms = device_to_ms,
                               .total_ms = t->device_ms,
                               .without = without(a, t->artefact_ms, 0)};
    t->n_windows = f->lead_ns || f->tail_ns || f->skew_ns ? 2 : 0;
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
        .begin = f->begin,
        .lead_ms = ms_of(f->lead_ns),
        .tail_ms = ms_of(f->tail_ns),
        .device_ms = ms_of(f->device_time.total_ns),
        .span = span_of(s->perm, f),
        .recording_ms = ms_of(f->recording_ns),
        .artefact_ms = ms_of(f->artefact_ns),
        .artefact_from_ms = ms_of(f->artefact_from_ns),
        .artefact_to_ms = ms_of(f->artefact_from_ns + f->artefact_ns),
        .skew_ms = ms_of(f->skew_ns),
        .queued_ms = ms_of(f->queued_ns),
    };
    fill_windows(s->perm, f, &r->timeline);
    fill_device(s, &r->device);
}
