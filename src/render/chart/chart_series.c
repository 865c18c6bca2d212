/* Charts of series over time: stacked shares, a strip for each, lines. */
#include "render/chart/chart_parts.h"

#include <math.h>
#include <stdbool.h>

enum {
    BINS_MAX = 400,
    PLOT_PX = 160,
    TITLE_PX = 24, /* above an area: the title of its scale */
    LEFT_PX = 44,  /* numbers of the upright scale */
    RIGHT_PX = 8,
    LEGEND_PX = 26,
    LEGEND_LOW_PX = 20,   /* of a band */
    LEGEND_WIDE_PX = 230, /* an entry, at least */
    LOW_PX = 84,          /* a band */
    STEP_NAMES_PX = 18,   /* above an area */
    SPANS_PX = 24,        /* below it: the gaps */
    UNDER_TITLE_PX = 26,
    UNDER_PX = 44, /* the host's part */
    STRIP_PX = 30,
    STRIP_GAP_PX = 8,
    STRIP_TEXT_PX = 20, /* its name, if above */
    NAMES_PX = 110,
    NARROW_BELOW_PX = 400,
    SERIES_MAX = 16
};

static int series_of(const struct report_figure *f)
{
    return f->n_series < SERIES_MAX ? f->n_series : SERIES_MAX;
}

/* Bins that are drawn as one: at most one per two pixels; of many series, whose
 * outlines weigh most of a page, one per five. A step has a whole number of them, or
 * they have a whole number of steps: they would beat otherwise. */
static int bins_together(const struct report_figure *f, double width_px)
{
    enum { FEW_SERIES = 3 };
    double each_px = f->n_series > FEW_SERIES ? 5 : 2;
    int most = (int)fmin(BINS_MAX, fmax(1, width_px / each_px)),
        step = f->bins_per_step;
    int n = 1;
    while ((f->n_bins + n - 1) / n > most || (step && step % n && n % step))
        n++;
    return n;
}

static int bins_of(const struct report_figure *f, double width_px)
{
    int together = bins_together(f, width_px);
    return (f->n_bins + together - 1) / together;
}

/* The value drawn as bin k: of the bins it covers whose value is known the mean, or the
 * largest; NaN: none. */
static double bin_value(const struct figure_series *s, int n_bins, int k, int together,
                        bool most)
{
    int from = k * together, to = from + together < n_bins ? from + together : n_bins;
    double sum = 0, high = (double)NAN;
    int known = 0;
    for (int b = from; b < to; b++) {
        double v = s->values[b];
        sum += isnan(v) ? 0 : v;
        known += !isnan(v);
        high = isnan(v) || v < high ? high : v;
    }
    return most ? high : known ? sum / known : (double)NAN;
}

/* Tenths of a pixel, so that neighbours that look the same are equal and can be
 * joined. */
static double tenth(double px)
{
    return round(px * 10) / 10;
}

/* Where bin k begins, in bins of the figure; the last may be shorter. */
static double bin_px(const struct chart_area *area, double k, int n)
{
    return tenth(area->x + area->w * fmin(k, n) / n);
}

static void draw_borders(struct chart_canvas *c, const struct report_figure *f,
                         const struct chart_scale *x, struct chart_area area)
{
    for (int i = 0; i < f->n_borders && i < BINS_MAX; i++) {
        double at = chart_px(x, f->borders[i]);
        chart_line(c, at, area.y, at, area.y + area.h, STROKE_ROOF);
    }
}

/* Slanted lines across a part of the time, no further than its edges, and a label where
 * there is room. */
static void draw_shade(struct chart_canvas *c, const struct report_figure *f,
                       const struct chart_scale *x, struct chart_area area)
{
    enum { APART_PX = 8 };
    double left = tenth(chart_px(x, f->shade_from)),
           right = tenth(chart_px(x, f->shade_to));
    if (!(f->shade_to > f->shade_from))
        return;
    c->rects(c, &(struct chart_rect){left, area.y, right - left, area.h}, 1, SLOT_IDLE,
             FILL_OUTLINE);
    for (double at = left - area.h + APART_PX; at < right; at += APART_PX) {
        double from = fmax(at, left), to = fmin(at + area.h, right);
        chart_line(c, from, area.y + area.h - (from - at), to,
                   area.y + area.h - (to - at), STROKE_GRID);
    }
    if (chart_text_px(f->shade_label, CHART_TEXT_PX) + 8 < right - left)
        chart_words(c, (left + right) / 2, area.y + area.h / 2, right - left,
                    ANCHOR_MIDDLE, TEXT_MUTED, f->shade_label);
}

/* Idle time is hatched or, without a cause, the ground between the rest. */
static enum chart_fill series_fill(const struct figure_series *s)
{
    return s->idle && chart_hatch(s->slot) ? FILL_IDLE : chart_slot_fill(s->slot);
}

/* The area between two step lines, in runs: nothing is drawn where they meet. */
static void draw_between(struct chart_canvas *c, const struct report_figure *f,
                         struct chart_area area, int together, const double *top,
                         const double *bottom, const struct figure_series *s)
{
    int n = (f->n_bins + together - 1) / together;
    struct chart_point p[4 * BINS_MAX];
    for (int from = 0; from < n;) {
        if (!(bottom[from] > top[from])) {
            from++;
            continue;
        }
        int to = from, at = 0;
        while (to < n && bottom[to] > top[to])
            to++;
        for (int k = from; k < to; k++) {
            p[at++] =
                (struct chart_point){bin_px(&area, k * together, f->n_bins), top[k]};
            p[at++] = (struct chart_point){bin_px(&area, (k + 1) * together, f->n_bins),
                                           top[k]};
            if (k > from && top[k] == top[k - 1]) { /* longer, not more */
                p[at - 3] = p[at - 1];
                at -= 2;
            }
        }
        for (int k = to - 1; k >= from; k--) {
            if (k < to - 1 && bottom[k] == bottom[k + 1])
                at--;
            else
                p[at++] = (struct chart_point){
                    bin_px(&area, (k + 1) * together, f->n_bins), bottom[k]};
            p[at++] =
                (struct chart_point){bin_px(&area, k * together, f->n_bins), bottom[k]};
        }
        c->area(c, p, at, s->slot, series_fill(s));
        from = to;
    }
}

static int count_of(int n)
{
    return n < SERIES_MAX ? n : SERIES_MAX;
}

/* Entries of a legend that stand side by side. */
static int legend_columns(int n, double width)
{
    int most = (int)fmax(1, width / LEGEND_WIDE_PX);
    return n < most ? (n ? n : 1) : most;
}

static int legend_row_px(const struct report_figure *f)
{
    return f->low ? LEGEND_LOW_PX : LEGEND_PX;
}

static double legend_px(const struct report_figure *f, int n, double width)
{
    int columns = legend_columns(n, width);
    return (n + columns - 1) / columns * legend_row_px(f);
}

static bool has_under(const struct report_figure *f)
{
    return !f->low && f->n_under > 0;
}

static double above_px(const struct report_figure *f)
{
    return f->low ? 0 : TITLE_PX + (f->border_labels ? STEP_NAMES_PX : 0);
}

static double spans_px(const struct report_figure *f)
{
    return !f->low && f->n_spans ? SPANS_PX : 0;
}

static double under_px(const struct report_figure *f)
{
    return has_under(f) ? UNDER_TITLE_PX + UNDER_PX : 0;
}

static double bins_height(const struct report_figure *f, double width)
{
    double plot = f->low ? LOW_PX : PLOT_PX;
    return above_px(f) + plot + spans_px(f) + under_px(f) + CHART_AXIS_PX + 8 +
           legend_px(f, count_of(f->n_series), width) +
           (has_under(f) ? legend_px(f, count_of(f->n_under), width) : 0);
}

static void bins_legend(struct chart_canvas *c, const struct figure_series *series,
                        int n, double width, double top, int row_px)
{
    int columns = legend_columns(n, width);
    double each = width / columns;
    for (int i = 0; i < n; i++) {
        const struct figure_series *s = &series[i];
        double x = i % columns * each, y = top + i / columns * row_px;
        chart_swatch(c, x, y, s->slot, series_fill(s));
        x += CHART_SWATCH_PX + 8;
        double name = chart_text_px(s->label, CHART_TEXT_PX) + 8;
        chart_words(c, x, y + 12, each - CHART_SWATCH_PX - 8, ANCHOR_START, TEXT_LABEL,
                    s->label);
        if (name + 40 < each - CHART_SWATCH_PX - 8)
            chart_words(c, x + name, y + 12, each - CHART_SWATCH_PX - 16 - name,
                        ANCHOR_START, TEXT_MUTED, s->value_text);
    }
}

/* Beside the lines where steps begin, as far as there is room. */
static void step_names(struct chart_canvas *c, const struct report_figure *f,
                       const struct chart_scale *x, struct chart_area area)
{
    for (int i = 0; f->border_labels && i < f->n_borders; i++) {
        double at = chart_px(x, f->borders[i]);
        double end =
            i + 1 < f->n_borders ? chart_px(x, f->borders[i + 1]) : area.x + area.w;
        if (chart_text_px(f->border_labels[i], CHART_TEXT_PX) + 6 < end - at)
            chart_words(c, at + 2, area.y - 6, end - at, ANCHOR_START, TEXT_MUTED,
                        f->border_labels[i]);
    }
}

/* Below the area: where the longest gaps are, with their lengths where these do not
 * touch one that is longer. */
static void draw_spans(struct chart_canvas *c, const struct report_figure *f,
                       const struct chart_scale *x, struct chart_area area)
{
    enum { SPANS_MAX = 10, APART_PX = 6 };
    struct chart_point taken[SPANS_MAX]; /* from x to y */
    int n = 0;
    for (int i = 0; i < f->n_spans && i < SPANS_MAX; i++) {
        double from = chart_px(x, f->spans[i].from), to = chart_px(x, f->spans[i].to);
        double wide = chart_text_px(f->spans[i].label, CHART_TEXT_PX);
        double y = area.y + area.h + 4;
        double middle =
            fmin(fmax((from + to) / 2, wide / 2), area.x + area.w - wide / 2);
        struct chart_point room = {middle - wide / 2 - APART_PX,
                                   middle + wide / 2 + APART_PX};
        bool free = true;
        for (int k = 0; k < n; k++)
            free &= room.y < taken[k].x || room.x > taken[k].y;
        c->rects(c, &(struct chart_rect){from, y, fmax(2, to - from), 3}, 1, SLOT_OTHER,
                 FILL_SOLID);
        if (!free)
            continue;
        taken[n++] = room;
        chart_words(c, middle, y + 15, wide + 1, ANCHOR_MIDDLE, TEXT_MUTED,
                    f->spans[i].label);
    }
}

/* What a part of the time holds, for the pointer: the rows of the figure's table. */
static void bins_hints(struct chart_canvas *c, const struct report_figure *f,
                       struct chart_area area)
{
    for (int k = 0; c->hint && k < f->n_marks; k++) {
        double from = bin_px(&area, k, f->n_marks);
        double to = bin_px(&area, k + 1, f->n_marks);
        c->hint(c, (struct chart_rect){from, area.y, to - from, area.h},
                f->marks[k].label, f->marks[k].value_text);
    }
}

/* Series on top of one another, up to 100 %. */
static void draw_stack(struct chart_canvas *c, const struct report_figure *f,
                       const struct figure_series *series, int n,
                       struct chart_area area)
{
    struct chart_scale y = chart_linear(100, true, 6, area.y + area.h, area.y);
    double lower[BINS_MAX], upper[BINS_MAX] = {0}, sum[BINS_MAX] = {0};
    int together = bins_together(f, area.w), bins = bins_of(f, area.w);
    for (int k = 0; k < bins; k++)
        lower[k] = tenth(area.y + area.h);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < bins; k++) {
            sum[k] += fmax(0, bin_value(&series[i], f->n_bins, k, together, false));
            double top = chart_px(&y, fmin(100, sum[k]));
            upper[k] = f->low ? round(top) : tenth(top);
        }
        if (series[i].slot != SLOT_IDLE)
            draw_between(c, f, area, together, upper, lower, &series[i]);
        for (int k = 0; k < bins; k++)
            lower[k] = upper[k];
    }
}

static void draw_under(struct chart_canvas *c, const struct report_figure *f,
                       const struct chart_scale *x, struct chart_area area)
{
    chart_words(c, area.x, area.y - 8, area.w, ANCHOR_START, TEXT_MUTED,
                f->under_title);
    draw_stack(c, f, f->under, count_of(f->n_under), area);
    draw_borders(c, f, x, area);
}

/* The axis of things counted from 0: 8 of them end with 7, whose number is half a unit
 * into its bin. */
static struct chart_scale numbers_scale(struct chart_scale x)
{
    double last = x.high - 1;
    int n = 0;
    for (int i = 0; i < x.n_ticks; i++)
        if (x.ticks[i].value <= last && x.ticks[i].value == floor(x.ticks[i].value))
            x.ticks[n++] = x.ticks[i];
    x.n_ticks = n;
    x.low -= 0.5;
    x.high -= 0.5;
    return x;
}

static void bins_draw(struct chart_canvas *c, const struct report_figure *f,
                      double width, double top)
{
    struct chart_area area = {LEFT_PX, top + above_px(f), width - LEFT_PX - RIGHT_PX,
                              PLOT_PX};
    if (f->low)
        area = (struct chart_area){0, top, width, LOW_PX};
    struct chart_scale x = chart_across(f->x_high, area);
    struct chart_scale y = chart_linear(100, true, 6, area.y + area.h, area.y);
    struct chart_area all = area;
    all.h += spans_px(f) + under_px(f);
    if (!f->low)
        chart_axis_y(c, &y, area, f->border_labels ? S("") : f->y_title);
    if (f->border_labels)
        chart_words(c, 0, top + 14, width, ANCHOR_START, TEXT_MUTED, f->y_title);
    draw_stack(c, f, f->series, count_of(f->n_series), area);
    draw_shade(c, f, &x, area);
    if (!f->low) {
        step_names(c, f, &x, area);
        draw_spans(c, f, &x, area);
    }
    if (has_under(f))
        draw_under(
            c, f, &x,
            (struct chart_area){area.x, all.y + all.h - UNDER_PX, area.w, UNDER_PX});
    draw_borders(c, f, &x, area);
    struct chart_scale axis = f->numbered ? numbers_scale(x) : x;
    chart_axis_x(c, &axis, all, f->x_title, false, false);
    bins_hints(c, f, all);
    double legend = all.y + all.h + CHART_AXIS_PX + 8;
    bins_legend(c, f->series, count_of(f->n_series), width, legend, legend_row_px(f));
    if (has_under(f))
        bins_legend(c, f->under, count_of(f->n_under), width,
                    legend + legend_px(f, count_of(f->n_series), width),
                    legend_row_px(f));
}

const struct chart_kind chart_bins = {bins_height, bins_draw};

static bool names_above(double width)
{
    return width < NARROW_BELOW_PX * 2;
}

static double strip_px(double width)
{
    return STRIP_PX + STRIP_GAP_PX + (names_above(width) ? STRIP_TEXT_PX : 0);
}

static double strips_height(const struct report_figure *f, double width)
{
    return series_of(f) * strip_px(width) + CHART_AXIS_PX;
}

static void strip_words(struct chart_canvas *c, const struct figure_series *s,
                        struct chart_area area, bool above)
{
    if (!above) {
        chart_words(c, 0, area.y + 13, area.x - 8, ANCHOR_START, TEXT_LABEL, s->label);
        chart_words(c, 0, area.y + 28, area.x - 8, ANCHOR_START, TEXT_MUTED,
                    s->value_text);
        return;
    }
    double value = chart_text_px(s->value_text, CHART_TEXT_PX) + 4;
    chart_words(c, area.x, area.y - 5, area.w - value - 8, ANCHOR_START, TEXT_LABEL,
                s->label);
    chart_words(c, area.x + area.w, area.y - 5, value, ANCHOR_END, TEXT_MUTED,
                s->value_text);
}

static void strips_draw(struct chart_canvas *c, const struct report_figure *f,
                        double width, double top)
{
    bool above = names_above(width);
    double left = above ? 0 : NAMES_PX, at = top;
    struct chart_area all = {left, top, width - left - RIGHT_PX,
                             series_of(f) * strip_px(width)};
    struct chart_scale x = chart_across(f->x_high, all);
    double upper[BINS_MAX], lower[BINS_MAX];
    int together = bins_together(f, all.w * 0.6); /* many of them: coarser */
    int n = (f->n_bins + together - 1) / together;
    for (int i = 0; i < series_of(f); i++, at += strip_px(width)) {
        struct chart_area area = {all.x, at + (above ? STRIP_TEXT_PX : 0), all.w,
                                  STRIP_PX};
        double floor_px = area.y + area.h;
        chart_line(c, area.x, floor_px, area.x + area.w, floor_px, STROKE_GRID);
        for (int k = 0; k < n; k++) {
            double share = fmin(
                100, fmax(0, bin_value(&f->series[i], f->n_bins, k, together, false)));
            /* Whole pixels; never too small to see. */
            double h = round(STRIP_PX * share / 100);
            upper[k] = floor_px - (share > 0 ? fmax(1, h) : 0);
            lower[k] = floor_px;
        }
        draw_between(c, f, area, together, upper, lower, &f->series[i]);
        strip_words(c, &f->series[i], area, above);
    }
    draw_shade(c, f, &x, all);
    draw_borders(c, f, &x, all);
    chart_axis_x(c, &x, all, f->x_title, false, false);
}

const struct chart_kind chart_strips = {strips_height, strips_draw};

static double lines_height(const struct report_figure *f, double width)
{
    (void)width;
    return TITLE_PX + PLOT_PX + CHART_AXIS_PX + 8 + series_of(f) * LEGEND_PX;
}

/* Solid for the first, dashed for the others. */
static enum chart_stroke line_stroke(int i)
{
    return i == 0 ? STROKE_LINE : STROKE_ROOF;
}

static void draw_line(struct chart_canvas *c, const struct report_figure *f, int series,
                      const struct chart_scale *y, struct chart_area area)
{
    struct chart_point p[2 * BINS_MAX];
    int together = bins_together(f, area.w), n = bins_of(f, area.w), at = 0;
    for (int k = 0; k < n; k++) {
        double v = bin_value(&f->series[series], f->n_bins, k, together, !f->mean);
        if (isnan(v))
            continue;
        double px = tenth(chart_px(y, v));
        if (at && p[at - 1].y == px) {
            p[at - 1].x = bin_px(&area, (k + 1) * together, f->n_bins);
            continue;
        }
        p[at++] = (struct chart_point){bin_px(&area, k * together, f->n_bins), px};
        p[at++] =
            (struct chart_point){bin_px(&area, (k + 1) * together, f->n_bins), px};
    }
    if (at)
        c->polyline(c, p, at, line_stroke(series));
}

static void lines_draw(struct chart_canvas *c, const struct report_figure *f,
                       double width, double top)
{
    struct chart_area area = {LEFT_PX, top + TITLE_PX, width - LEFT_PX - RIGHT_PX,
                              PLOT_PX};
    double most = 0;
    for (int i = 0; i < series_of(f); i++)
        for (int k = 0; k < f->n_bins; k++)
            most = fmax(most, f->series[i].values[k]);
    struct chart_scale x = chart_across(f->x_high, area);
    struct chart_scale y = chart_linear(most, false, 5, area.y + area.h, area.y);
    chart_axis_y(c, &y, area, f->y_title);
    chart_axis_x(c, &x, area, f->x_title, false, false);
    double legend = area.y + area.h + CHART_AXIS_PX + 8;
    for (int i = 0; i < series_of(f); i++, legend += LEGEND_PX) {
        const struct figure_series *s = &f->series[i];
        draw_line(c, f, i, &y, area);
        chart_line(c, 0, legend + 8, 24, legend + 8, line_stroke(i));
        double name = chart_text_px(s->label, CHART_TEXT_PX) + 10;
        chart_words(c, 32, legend + 12, width - 32, ANCHOR_START, TEXT_LABEL, s->label);
        chart_words(c, 32 + name, legend + 12, width - 32 - name, ANCHOR_START,
                    TEXT_MUTED, s->value_text);
    }
}

const struct chart_kind chart_lines = {lines_height, lines_draw};
