/* Counters of the device over time, those of one unit together. */
#include "report/figure/report_figures.h"

#include "analysis/model/counters.h"
#include "analysis/model/number_text.h"
#include "base/arena.h"
#include "base/utf8.h"

#include <math.h>

enum { SERIES_MOST = 3, TWIN = 20, NAME_CHARS = 40 };

static const struct {
    const char *title;
    struct str unit;
    enum counter_role roles[SERIES_MOST - 1];
} kinds[COUNTER_FIGURES] = {
    {"Activity over time", S_INIT("%"), {COUNTER_SM, COUNTER_DRAM}},
    {"Power over time", S_INIT("W"), {COUNTER_POWER, COUNTER_OTHER}},
    {"Clock over time", S_INIT("MHz"), {COUNTER_CLOCK, COUNTER_OTHER}}};

/* "12%", "500 W" */
static struct str with_unit(struct arena *a, const struct counter_row *r, double value)
{
    return say(a, str_eq(r->unit, S("%")) ? "{}{}" : "{} {}",
               said(number_rate(a, value)), said(r->unit));
}

static void add_series(struct arena *a, struct report_figure *f,
                       struct figure_series *to, const struct counter_row *r)
{
    static const enum figure_slot slots[SERIES_MOST] = {SLOT_COMPUTE, SLOT_COPY,
                                                        SLOT_OTHER};
    if (!r)
        return;
    to[f->n_series] = (struct figure_series){
        .label = utf8_head(r->name, NAME_CHARS),
        .value_text = say(a, "{} on average", said(with_unit(a, r, r->mean))),
        .slot = slots[f->n_series],
        .values = r->bins};
    f->n_series++;
}

/* The mean of the first series in each twentieth of the time. */
static void add_twin(struct arena *a, struct report_figure *f)
{
    f->marks = arena_new(a, struct figure_mark, TWIN);
    for (int k = 0; k < TWIN; k++) {
        double sum = 0, n = 0, part = f->x_high / TWIN;
        for (int b = COUNTER_BINS * k / TWIN; b < COUNTER_BINS * (k + 1) / TWIN; b++) {
            double v = f->series[0].values[b];
            sum += isnan(v) ? 0 : v;
            n += !isnan(v);
        }
        double mean = n > 0 ? sum / n : 0;
        f->marks[f->n_marks++] = (struct figure_mark){
            .label = say(a, "{} to {}", said(number_rate(a, part * k)),
                         said(number_rate(a, part * (k + 1)))),
            .value_text = n > 0 ? number_rate(a, mean) : S("not recorded"),
            .value = mean,
            .slot = SLOT_COMPUTE};
    }
}

struct report_figure figure_counters(struct arena *a, const struct report *r, int k)
{
    const struct counters *c = r->counters;
    struct report_figure f = figure_titled(FIGURE_LINES, "c19", kinds[k].title,
                                           "time, ms", "", "Time, ms", "");
    struct figure_series *series = arena_new(a, struct figure_series, SERIES_MOST);
    f.series = series;
    f.mean = true;
    f.n_bins = COUNTER_BINS;
    f.x_high = r->timeline.total_ms;
    f.y_title = kinds[k].unit;
    for (int i = 0; i < SERIES_MOST - 1; i++)
        add_series(a, &f, series, c->main[kinds[k].roles[i]]);
    if (k == 0)
        add_series(a, &f, series, c->second);
    if (!f.n_series)
        return figure_without_data(f, S("No such counter is recorded."));
    f.value_title =
        say(a, "{}, {} (mean)", said(utf8_head(series[0].label, NAME_CHARS)),
            said(kinds[k].unit));
    add_twin(a, &f);
    const struct counter_row *first = c->main[kinds[k].roles[0]];
    first = first ? first : c->main[kinds[k].roles[1]];
    f.caption =
        isnan(first->busy_mean)
            ? say(a, "{}: {} on average", said(utf8_head(first->name, NAME_CHARS)),
                  said(with_unit(a, first, first->mean)))
            : say(a, "{}: {} on average while kernels run",
                  said(utf8_head(first->name, NAME_CHARS)),
                  said(with_unit(a, first, first->busy_mean)));
    f.description =
        say(a, "Lines over {} bins. {}.", said((int64_t)COUNTER_BINS), said(f.caption));
    return f;
}
