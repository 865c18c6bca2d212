/* Charts of what happens over time, and why nothing happens. */
#include "report/figure/report_figures.h"

#include "analysis/model/number_text.h"
#include "analysis/model/run_lanes.h"
#include "analysis/stack/memory_peak.h"
#include "base/abilities.h"
#include "base/arena.h"
#include "base/duration.h"
#include "ops/timeline_data.h"
#include "report/report_detail.h"

#include <math.h>

enum { TWIN_ROWS = 20, STRIPS_MAX = 8, BORDERS_MAX = 40, CATEGORIES_SHOWN = 6 };

/* What is shown over time: all devices together, or one of several. */
struct shown {
    const struct timeline_data *d;
    int64_t *const *computed_ns;
    const struct idle_result *idle, *gaps; /* classes by bin; the longest gaps */
    struct str who;                        /* "The GPU", "GPU 0" */
    double busy_pct, idle_pct;
    struct str comm; /* " (5% with communication alone)" */
    struct str why;  /* of one: "waits for GPU 1 50.0%" */
    bool beside;     /* the bar of the wall time, which has the shares */
};

static struct shown shown_of_all(struct arena *a, const struct report *r)
{
    return (struct shown){r->over_time,
                          r->computed_ns,
                          &report_system(r)->idle,
                          report_idle(r),
                          r->gpus.n ? S("At least one GPU") : S("The GPU"),
                          r->timeline.busy_pct,
                          r->timeline.idle_pct,
                          figure_comm_clause(a, &r->timeline),
                          S(""),
                          false};
}

static struct shown shown_of_gpu(struct arena *a, const struct report *r, int k)
{
    const struct report_gpu *of = &r->gpus.list[k];
    return (struct shown){of->over_time,
                          of->computed_ns,
                          of->idle,
                          of->idle,
                          say(a, "GPU {}", said(of->name)),
                          of->busy_pct,
                          of->idle_pct,
                          S(""),
                          of->why,
                          false};
}

/* Bins [from, to) of a twin's row k. */
static void twin_bins(int n_bins, int rows, int k, int *from, int *to)
{
    *from = (int)((int64_t)n_bins * k / rows);
    *to = (int)((int64_t)n_bins * (k + 1) / rows);
}

static struct str from_to(struct arena *a, double from_ms, double to_ms, double all_ms)
{
    int decimals = all_ms >= 100.0 ? 1 : 3;
    struct str from = number_fixed(a, from_ms, decimals);
    struct str to = number_fixed(a, to_ms, decimals);
    return str_printf(a, "%.*s to %.*s", STRF(from), STRF(to));
}

static void add_borders(struct arena *a, const struct timeline_data *d,
                        struct report_figure *f)
{
    if (!d->has_steps || d->n_steps > BORDERS_MAX)
        return;
    double *at = arena_new(a, double, d->n_steps);
    struct str *labels = arena_new(a, struct str, d->n_steps);
    f->borders = at;
    for (int k = 0; k < d->n_steps; k++) {
        int64_t number = d->steps[k].number;
        if (d->steps[k].start_ns <= 0 || d->steps[k].start_ns >= d->total_ns)
            continue;
        labels[f->n_borders] =
            str_printf(a, "step %lld", (long long)(number < 0 ? k + 1 : number));
        at[f->n_borders++] = ms_of(d->steps[k].start_ns);
    }
    f->border_labels = f->n_borders ? labels : NULL;
}

/* The longest gaps that are wide enough to be seen. */
static void add_gaps(struct arena *a, const struct idle_result *idle,
                     struct report_figure *f)
{
    const double seen = 0.002; /* of the width */
    struct figure_span *spans = arena_new(a, struct figure_span, IDLE_TOP_GAPS);
    f->spans = spans;
    for (int k = 0; k < idle->n_top_gaps; k++) {
        double from = idle->top_gaps[k].start_us / 1e3;
        double length = idle->top_gaps[k].duration_us / 1e3;
        if (length >= seen * f->x_high)
            spans[f->n_spans++] = (struct figure_span){
                from, from + length,
                str_printf(a, "gap %.*s ms", STRF(number_ms(a, length)))};
    }
}

static const struct {
    struct str label;
    enum figure_slot slot;
} host_parts[HOST_PARTS] = {
    [HOST_PYTHON] = {S_INIT("host: Python"), SLOT_PYTHON},
    [HOST_DISPATCH] = {S_INIT("host: operators"), SLOT_DISPATCH},
    [HOST_RUNTIME] = {S_INIT("host: runtime calls"), SLOT_RUNTIME},
    [HOST_WAITING] = {S_INIT("host: waiting"), SLOT_WAITING}};

/* What is not idle time, though nothing runs. */
static void add_shade(const struct report *r, struct report_figure *f)
{
    f->shade_from = r->timeline.artefact_from_ms;
    f->shade_to = r->timeline.artefact_to_ms;
    f->shade_label = S("work from before the recording");
}

static const struct {
    struct str label;
    enum figure_slot slot;
} parts[BUSY_PARTS] = {
    [BUSY_COMM] = {S_INIT("exposed communication"), SLOT_COMMUNICATION},
    [BUSY_COPY] = {S_INIT("exposed copies"), SLOT_COPY}};

/* One series: ns of each bin, as a share of the bin; n counts it if there is some. */
static void add_series(struct arena *a, const struct timeline_data *d, int *n,
                       struct figure_series *to, const int64_t *ns)
{
    double *pct = arena_new(a, double, d->n_bins), sum_ns = 0;
    for (int k = 0; k < d->n_bins; k++) {
        int64_t width = timeline_bin_ns(d, k + 1) - timeline_bin_ns(d, k);
        pct[k] = 100.0 * (double)ns[k] / (double)width;
        sum_ns += (double)ns[k];
    }
    double total_pct = 100.0 * sum_ns / (double)d->total_ns;
    if (!(sum_ns > 0) || (*n && total_pct < 0.05)) /* "0.0%" says nothing */
        return;
    struct str share = number_pct(a, total_pct);
    to->value_text = str_printf(a, "%.*s%%", STRF(share));
    to->values = pct;
    ++*n;
}

static double sum_of(const int64_t *ns, int n)
{
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += (double)ns[k];
    return sum;
}

static void add_idle(struct arena *a, const struct shown *o, struct report_figure *f,
                     struct figure_series *series)
{
    const struct timeline_data *d = o->d;
    const struct idle_result *idle = o->idle;
    int busy = f->n_series;
    for (int p = 0; p < FIGURE_IDLE_PARTS; p++) {
        int64_t *ns = arena_new(a, int64_t, d->n_bins);
        bool other = figure_idle_parts[p].slot == SLOT_OTHER;
        for (int c = 0; c < IDLE_CLASSES; c++)
            if (idle->class_bins[c] &&
                figure_idle_slot((enum idle_class)c) == figure_idle_parts[p].slot)
                for (int k = 0; k < d->n_bins; k++)
                    ns[k] += idle->class_bins[c][k];
        series[f->n_series] = (struct figure_series){
            .label = other && f->n_series == busy
                         ? S("idle")
                         : figure_idle_label(a, idle, d->n_bins, p),
            .slot = other ? SLOT_IDLE : figure_idle_parts[p].slot,
            .idle = true};
        add_series(a, d, &f->n_series, &series[f->n_series], ns);
    }
}

/* "Busy 60.8% of the time; idle 28.6% while the host runs Python". */
static struct str strip_caption(struct arena *a, const struct shown *o,
                                const struct report_figure *f)
{
    static const struct str whiles[FIGURE_SLOTS] = {
        [SLOT_PYTHON] = S_INIT(" while the host runs Python"),
        [SLOT_DISPATCH] = S_INIT(" while the host runs operators"),
        [SLOT_WAITING] = S_INIT(" while the host synchronises")};
    const struct figure_series *most = NULL;
    double most_pct = 0;
    for (int i = 0; i < f->n_series; i++) {
        double pct = 0;
        for (int k = 0; k < f->n_bins && f->series[i].idle; k++)
            pct += f->series[i].values[k];
        most = pct > most_pct ? &f->series[i] : most;
        most_pct = fmax(pct, most_pct);
    }
    struct said busy = said(number_pct(a, o->busy_pct));
    if (o->why.n)
        return say(a, "{} is busy {}% of the time; {}", said(o->who), busy,
                   said(o->why));
    if (!most)
        return say(a, "{} is busy {}% of the time{}", said(o->who), busy,
                   said(o->comm));
    struct str idle = most->slot == SLOT_IDLE
                          ? say(a, "{}%", said(number_pct(a, o->idle_pct)))
                          : most->value_text;
    struct str during = whiles[most->slot];
    if (most->slot == SLOT_RUNTIME)
        during = say(a, " while the host is in {}",
                     said(str_skip(most->label, S("idle: ").n)));
    return say(a, "{} is busy {}% of the time{}; idle {}{}", said(o->who), busy,
               said(o->comm), said(idle), said(during));
}

/* Categories by time, the small ones as one; then what is exposed. */
static void add_parts(struct arena *a, const struct report *r, const struct shown *o,
                      struct report_figure *f, struct figure_series *series)
{
    const struct timeline_data *d = o->d;
    int64_t *rest = arena_new(a, int64_t, d->n_bins);
    int shown = 0, left = 0;
    f->n_bins = d->n_bins;
    f->bins_per_step = d->bins_per_step;
    f->x_high = ms_of(d->total_ns);
    for (int c = 0; c <= r->n_categories; c++) {
        const int64_t *ns = o->computed_ns[c];
        double share = sum_of(ns, d->n_bins) / (double)d->total_ns;
        bool named = c < r->n_categories && r->categories[c].slot != SLOT_OTHER;
        if (named && shown < CATEGORIES_SHOWN && share >= 0.01) {
            struct figure_series *to = &series[f->n_series];
            to->label = r->categories[c].label;
            to->slot = r->categories[c].slot;
            add_series(a, d, &f->n_series, to, ns);
            shown++;
            continue;
        }
        left += share > 0;
        for (int k = 0; k < d->n_bins; k++)
            rest[k] += ns[k];
    }
    series[f->n_series].label = shown ? S("other computation") : S("computation");
    series[f->n_series].slot = shown ? SLOT_OTHER : SLOT_COMPUTE;
    if (left)
        add_series(a, d, &f->n_series, &series[f->n_series], rest);
    for (int p = BUSY_COMM; p < BUSY_PARTS; p++) {
        series[f->n_series].label = parts[p].label;
        series[f->n_series].slot = parts[p].slot;
        add_series(a, d, &f->n_series, &series[f->n_series], d->part_ns[p]);
    }
}

static void add_host(struct arena *a, const struct report *r, struct report_figure *f)
{
    if (!r->lanes || !r->lanes->host_known)
        return;
    struct figure_series *under = arena_new(a, struct figure_series, HOST_PARTS);
    f->under = under;
    f->under_title = S("what the launching thread does, % of each bin");
    for (int p = 0; p < HOST_PARTS; p++) {
        struct figure_series *to = &under[f->n_under];
        to->label = host_parts[p].label;
        to->slot = host_parts[p].slot;
        add_series(a, r->over_time, &f->n_under, to, r->lanes->host_ns[p]);
    }
}

/* "GEMM 40.1, SDPA 21.1" of bins [from, to), of what is idle or is not. */
static struct str parts_text(struct arena *a, const struct figure_series *series, int n,
                             bool idle, int from, int to)
{
    const struct str prefix = S("idle: "); /* said once, before them */
    struct str text = S("");
    for (int i = 0; i < n; i++) {
        struct str label = series[i].label;
        double pct = 0;
        for (int b = from; b < to && series[i].idle == idle; b++)
            pct += series[i].values[b] / (to - from);
        if (pct >= 0.05 && !str_eq(label, S("idle")))
            text = str_printf(
                a, "%.*s%s %.*s %.*s", STRF(text), text.n ? "," : "",
                STRF(str_starts(label, prefix) ? str_skip(label, prefix.n) : label),
                STRF(number_fixed(a, pct, 1)));
    }
    return text;
}

/* The mean share of bins [from, to), of parts that are too small for a series too. */
static double share_of(const struct timeline_data *d, int64_t *const *ns, int n,
                       int from, int to)
{
    double pct = 0;
    for (int p = 0; p < n; p++)
        for (int b = from; b < to && ns[p]; b++)
            pct += 100.0 * (double)ns[p][b] / (to - from) /
                   (double)(timeline_bin_ns(d, b + 1) - timeline_bin_ns(d, b));
    return pct;
}

/* "busy 61.2%: GEMM 40.1, SDPA 21.1; host: Python 90.0" of bins [from, to), or "; idle
 * 38.8%: Python 30.0, operators 8.8". */
static struct str busy_text(struct arena *a, const struct shown *o,
                            const struct report_figure *f, int from, int to,
                            double busy_pct)
{
    struct str device = parts_text(a, f->series, f->n_series, false, from, to);
    struct str text = say(a, "busy {}%{}{}", said(number_fixed(a, busy_pct, 1)),
                          said(device.n ? ":" : ""), said(device));
    if (!f->low) {
        struct str host = parts_text(a, f->under, f->n_under, false, from, to);
        return say(a, "{}{}{}", said(text), said(host.n ? ";" : ""), said(host));
    }
    double idle_pct = share_of(o->d, o->idle->class_bins, IDLE_CLASSES, from, to);
    struct str why = parts_text(a, f->series, f->n_series, true, from, to);
    if (idle_pct < 0.05)
        return text;
    return say(a, "{}; idle {}%{}{}", said(text), said(number_fixed(a, idle_pct, 1)),
               said(why.n ? ":" : ""), said(why));
}

/* Returns the position of the row with the lowest share. */
static int add_part_rows(struct arena *a, const struct shown *o,
                         struct report_figure *f, double *lowest_pct)
{
    const struct timeline_data *d = o->d;
    int rows = d->n_bins < TWIN_ROWS ? d->n_bins : TWIN_ROWS, lowest = 0;
    f->marks = arena_new(a, struct figure_mark, rows);
    f->n_marks = rows;
    *lowest_pct = 101.0;
    for (int k = 0; k < rows; k++) {
        int from, to;
        twin_bins(d->n_bins, rows, k, &from, &to);
        double busy = share_of(d, d->part_ns, BUSY_PARTS, from, to);
        double middle = ms_of(timeline_bin_ns(d, (from + to) / 2));
        bool shaded = middle >= f->shade_from && middle < f->shade_to;
        if (busy < *lowest_pct && !shaded) {
            *lowest_pct = busy;
            lowest = k;
        }
        f->marks[k] = (struct figure_mark){
            .label = from_to(a, ms_of(timeline_bin_ns(d, from)),
                             ms_of(timeline_bin_ns(d, to)), ms_of(d->total_ns)),
            .value_text = busy_text(a, o, f, from, to, busy),
            .value = busy,
            .slot = SLOT_COMPUTE};
    }
    return lowest;
}

/* "The GPU is busy 60.8% of the time, and least from 3.0 to 3.2 ms: 12.0%". */
static struct str utilisation_caption(struct arena *a, const struct shown *o,
                                      struct str lowest, double lowest_pct)
{
    return say(a, "{} is busy {}% of the time, and least from {} ms: {}%", said(o->who),
               said(number_pct(a, o->busy_pct)), said(lowest),
               said(number_pct(a, lowest_pct)));
}

static struct report_figure over_time(struct arena *a, const struct report *r,
                                      const struct shown *o, bool strip)
{
    const struct timeline_data *d = o->d;
    struct report_figure f = figure_titled(
        FIGURE_BINS, "c7", "How busy the GPU is over time", "time since start, ms",
        "busy, % of each bin", "Time since start, ms", "Busy, % of that time");
    f.whole = 100.0;
    if (!d || !d->n_bins)
        return figure_without_data(f, S("There is no device work in this trace."));
    f.low = strip;
    struct figure_series *series = arena_new(
        a, struct figure_series, CATEGORIES_SHOWN + 1 + BUSY_PARTS + FIGURE_IDLE_PARTS);
    f.series = series;
    add_parts(a, r, o, &f, series);
    if (strip)
        add_idle(a, o, &f, series);
    else
        add_host(a, r, &f);
    add_borders(a, d, &f);
    add_gaps(a, o->gaps, &f);
    add_shade(r, &f);
    double lowest_pct;
    int lowest = add_part_rows(a, o, &f, &lowest_pct);
    f.caption = strip ? strip_caption(a, o, &f)
                      : utilisation_caption(a, o, f.marks[lowest].label, lowest_pct);
    for (int k = 0; k < f.n_series && o->beside; k++)
        series[k].value_text = S("");
    f.description = str_printf(
        a,
        "Areas of %d bins: the share of each bin that each category computes, and in "
        "which the device only communicates or copies%s. %.*s.",
        d->n_bins,
        strip           ? "; above, hatched, what it waits for"
        : f.n_under > 0 ? "; below, what the launching thread does"
                        : "",
        STRF(f.caption));
    return f;
}

struct report_figure figure_utilisation(struct arena *a, const struct report *r)
{
    struct shown all = shown_of_all(a, r);
    return over_time(a, r, &all, false);
}

/* Its shares are those of the bar of the wall time, which stands beside it. */
struct report_figure figure_strip(struct arena *a, const struct report *r)
{
    struct shown all = shown_of_all(a, r);
    all.beside = true;
    struct report_figure f = over_time(a, r, &all, true);
    f.border_labels = NULL;
    return f;
}

struct report_figure figure_gpu_strip(struct arena *a, const struct report *r, int k)
{
    struct shown of = shown_of_gpu(a, r, k);
    struct report_figure f = over_time(a, r, &of, true);
    f.id = say(a, "{}-{}", said(f.id), said((int64_t)k));
    f.border_labels = NULL;
    return f;
}

static struct str streams_caption(struct arena *a, const struct report *r)
{
    const struct timeline_data *d = r->over_time;
    int n = d->n_streams + d->n_streams_left;
    if (n == 1)
        return S("All device work runs on one stream");
    const struct timeline_stream *s = &d->streams[0];
    double pct = 100.0 * (double)s->busy_ns / (double)d->total_ns;
    return str_printf(a, "%d streams; %.*s is busy %.*s%% of the time; streams %s", n,
                      STRF(s->name), STRF(number_pct(a, pct)),
                      d->streams_overlap ? "overlap" : "never overlap");
}

struct report_figure figure_streams(struct arena *a, const struct report *r)
{
    const struct timeline_data *d = r->over_time;
    struct report_figure f = figure_titled(
        FIGURE_STRIPS, "c8", "How busy each stream is over time",
        "time since start, ms", "stream, filled to its busy share of each bin",
        "Stream", "Busy, share of total time, launches");
    f.whole = 100.0;
    if (!d || !d->n_bins)
        return figure_without_data(f, S("There is no device work in this trace."));
    struct figure_series *series = arena_new(a, struct figure_series, d->n_streams);
    f.series = series;
    f.n_bins = d->n_bins;
    f.bins_per_step = d->bins_per_step;
    f.x_high = ms_of(d->total_ns);
    f.marks = arena_new(a, struct figure_mark, d->n_streams);
    for (int i = 0; i < d->n_streams; i++) {
        const struct timeline_stream *s = &d->streams[i];
        double share = 100.0 * (double)s->busy_ns / (double)d->total_ns;
        struct str pct = number_pct(a, share);
        f.marks[f.n_marks++] = (struct figure_mark){
            .label = s->name,
            .value_text = str_printf(a, "%.*s ms, %.*s%%, %lld",
                                     STRF(number_ms(a, ms_of(s->busy_ns))), STRF(pct),
                                     (long long)s->launches),
            .value = share,
            .slot = SLOT_COMPUTE};
        if (i >= STRIPS_MAX)
            continue;
        double *busy = arena_new(a, double, d->n_bins);
        for (int k = 0; k < d->n_bins; k++)
            busy[k] = 100.0 * (double)s->bin_ns[k] /
                      (double)(timeline_bin_ns(d, k + 1) - timeline_bin_ns(d, k));
        series[f.n_series++] =
            (struct figure_series){.label = s->name,
                                   .value_text = str_printf(a, "%.*s%%", STRF(pct)),
                                   .slot = SLOT_COMPUTE,
                                   .values = busy};
    }
    add_borders(a, d, &f);
    add_shade(r, &f);
    f.caption = streams_caption(a, r);
    f.description = str_printf(a, "%d strips over %d bins. %.*s.", f.n_series,
                               d->n_bins, STRF(f.caption));
    return f;
}

struct report_figure figure_launches(struct arena *a, const struct report *r)
{
    const struct timeline_data *d = r->over_time;
    struct report_figure f =
        figure_titled(FIGURE_HISTOGRAM, "c9", "From launch call to start",
                      "launch call to start, µs (log scale)", "launches", "", "");
    int first = DURATION_BINS, last = -1;
    for (int k = 0; d && k < DURATION_BINS; k++)
        if (d->delay.count[k]) {
            first = first < k ? first : k;
            last = k;
        }
    if (last < 0)
        return figure_without_data(
            f, say(a,
                   "No kernel is linked to a launch call: record the host too, with "
                   "{}.",
                   said(abilities_of(r->meta.how)->host)));
    f.marks = arena_new(a, struct figure_mark, last - first + 1);
    for (int k = first; k <= last; k++)
        f.marks[f.n_marks++] = (struct figure_mark){.slot = SLOT_COMPUTE,
                                                    .value = (double)d->delay.count[k],
                                                    .low = duration_edge_us(k),
                                                    .high = duration_edge_us(k + 1)};
    struct str half = number_rate(a, fmax(0.0, d->median_delay_us));
    f.caption =
        d->n_launches == 1
            ? str_printf(a, "The one kernel starts within %.*s µs of its launch call",
                         STRF(half))
            : str_printf(a,
                         "Half of %lld kernels start within %.*s µs of their launch "
                         "call, 95%% within %.*s µs",
                         (long long)d->n_launches, STRF(half),
                         STRF(number_rate(a, fmax(0.0, d->p95_delay_us))));
    f.description = str_printf(a, "Histogram. %.*s.", STRF(f.caption));
    return f;
}

struct memory_unit {
    const char *name;
    double bytes;
};

static struct memory_unit unit_for(int64_t peak)
{
    return peak < 1073741824 ? (struct memory_unit){"MiB", 1048576.0}
                             : (struct memory_unit){"GiB", 1073741824.0};
}

static struct figure_series memory_series(struct arena *a, const int64_t *bytes,
                                          const char *label, int64_t peak,
                                          struct memory_unit unit,
                                          enum figure_slot slot)
{
    double *scaled = arena_new(a, double, TIMELINE_BINS);
    for (int k = 0; k < TIMELINE_BINS; k++)
        scaled[k] = bytes[k] < 0 ? (double)NAN : (double)bytes[k] / unit.bytes;
    return (struct figure_series){
        .label = str_of(label),
        .value_text =
            str_printf(a, "at most %.*s %s",
                       STRF(number_rate(a, (double)peak / unit.bytes)), unit.name),
        .slot = slot,
        .values = scaled};
}

/* Of a profiler that records none, no more is said. */
static struct str no_memory(struct arena *a, const struct report *r)
{
    struct str how = abilities_of(r->meta.how)->memory;
    return how.n ? say(a, "The trace has no memory records. Record with {}.", said(how))
                 : S("The trace has no memory records.");
}

/* Of records without totals what they add up to, above the least of it. */
static bool has_sums(const struct memory_peak *of, struct timeline_memory *m)
{
    _Static_assert((int)MEMORY_BINS == (int)TIMELINE_BINS, "drawn alike");
    if (!of || !of->above_bins)
        return false;
    *m = (struct timeline_memory){.end_ns = of->span_ns,
                                  .allocated = of->above_bins,
                                  .peak_allocated = of->above_most,
                                  .peak_reserved = -1,
                                  .n_records = of->n_records};
    return true;
}

struct report_figure figure_memory(struct arena *a, const struct report *r)
{
    struct report_figure f = figure_titled(
        FIGURE_LINES, "c17", "Device memory over time",
        "time since the first record, ms", "", "Time since the first record, ms", "");
    struct timeline_memory sums;
    const struct timeline_memory *m = r->over_time ? r->over_time->memory : NULL;
    bool totals = m;
    if (!totals && has_sums(r->memory.of, &sums))
        m = &sums;
    if (!m || m->peak_allocated <= 0)
        return figure_without_data(f, no_memory(a, r));
    struct memory_unit unit = unit_for(
        m->peak_reserved > m->peak_allocated ? m->peak_reserved : m->peak_allocated);
    f.y_title = str_of(unit.name);
    f.value_title =
        str_printf(a, "Allocated%s, %s (the most in that time)",
                   totals ? "" : " above the least of the recording", unit.name);
    struct figure_series *series = arena_new(a, struct figure_series, 2);
    f.series = series;
    f.n_bins = TIMELINE_BINS;
    f.x_high = ms_of(m->end_ns - m->start_ns);
    series[f.n_series++] = memory_series(a, m->allocated, "allocated",
                                         m->peak_allocated, unit, SLOT_COMPUTE);
    if (m->peak_reserved >= 0)
        series[f.n_series++] = memory_series(a, m->reserved, "reserved",
                                             m->peak_reserved, unit, SLOT_OTHER);
    f.marks = arena_new(a, struct figure_mark, TWIN_ROWS);
    for (int k = 0; k < TWIN_ROWS; k++) {
        int from, to;
        double most = 0;
        twin_bins(TIMELINE_BINS, TWIN_ROWS, k, &from, &to);
        for (int b = from; b < to; b++)
            most = fmax(most, series[0].values[b]);
        f.marks[f.n_marks++] = (struct figure_mark){
            .label = from_to(a, f.x_high * from / TIMELINE_BINS,
                             f.x_high * to / TIMELINE_BINS, f.x_high),
            .value_text = number_rate(a, most),
            .value = most,
            .slot = SLOT_COMPUTE};
    }
    struct str most = number_rate(a, (double)m->peak_allocated / unit.bytes);
    f.caption = totals ? str_printf(a, "At most %.*s %s are allocated on %.*s",
                                    STRF(most), unit.name, STRF(m->device))
                       : str_printf(a, "Allocated memory rises by %.*s %s", STRF(most),
                                    unit.name);
    f.description = str_printf(a, "Lines over %d bins from %lld records. %.*s.",
                               TIMELINE_BINS, (long long)m->n_records, STRF(f.caption));
    return f;
}
