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
    LEGEND_WIDE_PX = 230, /* an entry, at least */
    LOW_PX = 56,          /* a band */
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

/* Bins that are drawn: at most one per two pixels; of many series, whose outlines weigh
 * most of a page, one per five. */
static int bins_of(const struct report_figure *f, double width_px)
{
    enum { FEW_SERIES = 3 };
    double each_px = f->n_series > FEW_SERIES ? 5 : 2;
    int most = (int)fmin(BINS_MAX, fmax(1, width_px / each_px));
    return f->n_bins < most ? f->n_bins : most;
}

/* The value drawn as bin k of n: the mean of the bins it covers, or the largest. NaN if
 * none is known. */
static double bin_value(const struct report_figure *f, int series, int k, int n,
                        bool most)
{
    int from = (int)((int64_t)f->n_bins * k / n);
    int to = (int)((int64_t)f->n_bins * (k + 1) / n);
    double sum = 0, high = (double)NAN;
    for (int b = from; b < to; b++) {
        double v = f->series[series].values[b];
        sum += v;
        high = isnan(v) || v < high ? high : v;
    }
    return most ? high : sum / fmax(1, to - from);
}

/* Tenths of a pixel, so that neighbours that look the same are equal and can be
 * joined. */
static double tenth(double px)
{
    return round(px * 10) / 10;
}

static double bin_px(const struct chart_area *area, int k, int n)
{
    return tenth(area->x + area->w * k / n);
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

/* The area between two step lines, in runs: nothing is drawn where they meet. */
static void draw_between(struct chart_canvas *c, struct chart_area area, int n,
                         const double *top, const double *bottom, enum figure_slot slot)
{
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
            p[at++] = (struct chart_point){bin_px(&area, k, n), top[k]};
            p[at++] = (struct chart_point){bin_px(&area, k + 1, n), top[k]};
            if (k > from && top[k] == top[k - 1]) { /* longer, not more */
                p[at - 3] = p[at - 1];
                at -= 2;
            }
        }
        for (int k = to - 1; k >= from; k--) {
            if (k < to - 1 && bottom[k] == bottom[k + 1])
                at--;
            else
                p[at++] = (struct chart_point){bin_px(&area, k + 1, n), bottom[k]};
            p[at++] = (struct chart_point){bin_px(&area, k, n), bottom[k]};
        }
        c->area(c, p, at, slot, chart_slot_fill(slot));
        from = to;
    }
}

/* Entries of the legend that stand side by side. */
static int legend_columns(const struct report_figure *f, double width)
{
    int n = series_of(f), most = (int)fmax(1, width / LEGEND_WIDE_PX);
    return n < most ? (n ? n : 1) : most;
}

static int legend_rows(const struct report_figure *f, double width)
{
    int columns = legend_columns(f, width);
    return (series_of(f) + columns - 1) / columns;
}

static double bins_height(const struct report_figure *f, double width)
{
    double plot = f->low ? LOW_PX : TITLE_PX + PLOT_PX;
    return plot + CHART_AXIS_PX + 8 + legend_rows(f, width) * LEGEND_PX;
}

static void bins_legend(struct chart_canvas *c, const struct report_figure *f,
                        double width, double top)
{
    int n = series_of(f), columns = legend_columns(f, width);
    double each = width / columns;
    for (int i = 0; i < n; i++) {
        const struct figure_series *s = &f->series[i];
        double x = i % columns * each, y = top + i / columns * LEGEND_PX;
        chart_swatch(c, x, y, s->slot, chart_slot_fill(s->slot));
        x += CHART_SWATCH_PX + 8;
        double name = chart_text_px(s->label, CHART_TEXT_PX) + 8;
        chart_words(c, x, y + 12, each - CHART_SWATCH_PX - 8, ANCHOR_START, TEXT_LABEL,
                    s->label);
        if (name + 40 < each - CHART_SWATCH_PX - 8)
            chart_words(c, x + name, y + 12, each - CHART_SWATCH_PX - 16 - name,
                        ANCHOR_START, TEXT_MUTED, s->value_text);
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

static void bins_draw(struct chart_canvas *c, const struct report_figure *f,
                      double width, double top)
{
    struct chart_area area = {LEFT_PX, top + TITLE_PX, width - LEFT_PX - RIGHT_PX,
                              PLOT_PX};
    if (f->low)
        area = (struct chart_area){0, top, width, LOW_PX};
    struct chart_scale x = chart_across(f->x_high, area);
    struct chart_scale y = chart_linear(100, true, 6, area.y + area.h, area.y);
    double lower[BINS_MAX], upper[BINS_MAX], sum[BINS_MAX] = {0};
    int n = bins_of(f, area.w);
    if (!f->low)
        chart_axis_y(c, &y, area, f->y_title);
    for (int k = 0; k < n; k++)
        lower[k] = tenth(area.y + area.h);
    for (int i = 0; i < series_of(f); i++) {
        for (int k = 0; k < n; k++) {
            sum[k] += fmax(0, bin_value(f, i, k, n, false));
            upper[k] = tenth(chart_px(&y, sum[k]));
        }
        draw_between(c, area, n, upper, lower, f->series[i].slot);
        for (int k = 0; k < n; k++)
            lower[k] = upper[k];
    }
    draw_shade(c, f, &x, area);
    draw_borders(c, f, &x, area);
    chart_axis_x(c, &x, area, f->x_title, false, false);
    bins_hints(c, f, area);
    bins_legend(c, f, width, area.y + area.h + CHART_AXIS_PX + 8);
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
    int n = bins_of(f, all.w * 0.6); /* many of them: coarser */
    for (int i = 0; i < series_of(f); i++, at += strip_px(width)) {
        struct chart_area area = {all.x, at + (above ? STRIP_TEXT_PX : 0), all.w,
                                  STRIP_PX};
        double floor_px = area.y + area.h;
        chart_line(c, area.x, floor_px, area.x + area.w, floor_px, STROKE_GRID);
        for (int k = 0; k < n; k++) {
            double share = fmin(100, fmax(0, bin_value(f, i, k, n, false)));
            /* Whole pixels; never too small to see. */
            double h = round(STRIP_PX * share / 100);
            upper[k] = floor_px - (share > 0 ? fmax(1, h) : 0);
            lower[k] = floor_px;
        }
        draw_between(c, area, n, upper, lower, f->series[i].slot);
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
    int n = bins_of(f, area.w), at = 0;
    for (int k = 0; k < n; k++) {
        double v = bin_value(f, series, k, n, true);
        if (isnan(v))
            continue;
        double px = tenth(chart_px(y, v));
        if (at && p[at - 1].y == px) {
            p[at - 1].x = bin_px(&area, k + 1, n);
            continue;
        }
        p[at++] = (struct chart_point){bin_px(&area, k, n), px};
        p[at++] = (struct chart_point){bin_px(&area, k + 1, n), px};
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
