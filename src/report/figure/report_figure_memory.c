/* What kinds of allocations hold device memory over time. */
#include "report/figure/report_figures.h"

#include "analysis/model/number_text.h"
#include "analysis/stack/memory_peak.h"
#include "base/arena.h"
#include "base/duration.h"

#include <math.h>

enum { TWIN = 20 };

static const enum figure_slot slots[MEMORY_KINDS] = {
    [MEMORY_BEFORE] = SLOT_OTHER,          [MEMORY_ACTIVATION] = SLOT_GEMM,
    [MEMORY_GRADIENT] = SLOT_ATTENTION,    [MEMORY_OPTIMIZER] = SLOT_NORM,
    [MEMORY_WORKSPACE] = SLOT_ELEMENTWISE, [MEMORY_RESULT] = SLOT_REDUCE};

static bool is_held(const struct memory_peak *m, int kind)
{
    for (int b = 0; b < MEMORY_BINS; b++)
        if (m->kind_bins[kind][b] > 0)
            return true;
    return false;
}

static double *add_kind(struct arena *a, struct report_figure *f,
                        struct figure_series *to, const struct memory_peak *m, int kind)
{
    double *values = arena_new(a, double, MEMORY_BINS), whole = (double)m->peak_bytes;
    for (int b = 0; b < MEMORY_BINS; b++)
        values[b] = fmax(0, 100 * (double)m->kind_bins[kind][b] / whole);
    to[f->n_series++] = (struct figure_series){
        .label = memory_kind_word((enum memory_kind)kind),
        .value_text =
            say(a, "{}%", said_pct(100 * (double)m->kind_bytes[kind] / whole)),
        .slot = slots[kind],
        .values = values};
    return values;
}

/* Bins hold the most of each kind, which need not be at one time: no more than all. */
static void limit_to_whole(struct report_figure *f, struct figure_series *series,
                           double *values[MEMORY_KINDS])
{
    for (int b = 0; b < MEMORY_BINS; b++) {
        double sum = 0;
        for (int k = 0; k < f->n_series; k++)
            sum += series[k].values[b];
        for (int k = 0; k < f->n_series && sum > 100; k++)
            values[k][b] *= 100 / sum;
    }
}

static void add_twin(struct arena *a, struct report_figure *f)
{
    f->marks = arena_new(a, struct figure_mark, TWIN);
    for (int k = 0; k < TWIN; k++) {
        double most = 0, part = f->x_high / TWIN;
        for (int b = MEMORY_BINS * k / TWIN; b < MEMORY_BINS * (k + 1) / TWIN; b++) {
            double sum = 0;
            for (int i = 0; i < f->n_series; i++)
                sum += f->series[i].values[b];
            most = fmax(most, sum);
        }
        f->marks[f->n_marks++] = (struct figure_mark){
            .label = say(a, "{} to {}", said(number_rate(a, part * k)),
                         said(number_rate(a, part * (k + 1)))),
            .value_text = number_pct(a, most),
            .value = most,
            .slot = SLOT_COMPUTE};
    }
}

struct report_figure figure_memory_kinds(struct arena *a, const struct report *r)
{
    const struct memory_peak *m = r->memory.of;
    struct report_figure f =
        figure_titled(FIGURE_BINS, "c20", "What holds device memory over time",
                      "time since the first record, ms", "held, % of the peak",
                      "Time since the first record, ms",
                      "Held, % of the peak (the most in that time)");
    if (!m || !m->n_owners || m->peak_bytes <= 0)
        return figure_without_data(f, S("Addresses or totals are not recorded."));
    struct figure_series *series = arena_new(a, struct figure_series, MEMORY_KINDS);
    double *values[MEMORY_KINDS];
    f.series = series;
    f.whole = 100;
    f.n_bins = MEMORY_BINS;
    f.x_high = ms_of(m->span_ns);
    for (int k = 0; k < MEMORY_KINDS; k++)
        if (is_held(m, k)) {
            double *of_kind = add_kind(a, &f, series, m, k);
            values[f.n_series - 1] = of_kind;
        }
    limit_to_whole(&f, series, values);
    add_twin(a, &f);
    f.caption = say(a, "Memory by kind of allocation, with shares at the peak ({} ms)",
                    said(number_rate(a, ms_of(m->peak_ns))));
    f.description = say(a,
                        "Areas of {} bins, each kind of allocation as a share of the "
                        "peak. {}.",
                        said((int64_t)MEMORY_BINS), said(f.caption));
    return f;
}
