/* A row for each series, with marks over time: who did what while the others waited. */
#include "render/chart/chart_parts.h"

#include <math.h>
#include <stdbool.h>

enum {
    ROWS_MAX = 80,
    MARKS_MAX = CHART_MARKS_MAX,
    FEW_ROWS = 20,
    ROW_FEW_PX = 22,
    ROW_PX = 15,
    NAMES_PX = 92,
    VALUES_PX = 168, /* right of the rows, where the drawing is wide */
    VALUES_FROM_PX = 700,
    LEGEND_PX = 26,
    LEGEND_WIDE_PX = 190
};

static int rows_of(const struct report_figure *f)
{
    return f->n_series < ROWS_MAX ? f->n_series : ROWS_MAX;
}

static double row_px(const struct report_figure *f)
{
    return rows_of(f) <= FEW_ROWS ? ROW_FEW_PX : ROW_PX;
}

static int legend_columns(double width)
{
    return (int)fmax(1, floor(width / LEGEND_WIDE_PX));
}

static double rows_height(const struct report_figure *f, double width)
{
    enum figure_slot slots[FIGURE_SLOTS];
    int columns = legend_columns(width), n = chart_slots_used(f, slots);
    return rows_of(f) * row_px(f) + CHART_AXIS_PX + 8 +
           (n + columns - 1) / columns * LEGEND_PX;
}

/* All marks of a slot at once: they are one shape on the page. */
static void draw_slot(struct chart_canvas *c, const struct report_figure *f,
                      const struct chart_scale *x, struct chart_area area,
                      enum figure_slot slot)
{
    struct chart_rect r[MARKS_MAX];
    double high = row_px(f);
    int n = 0;
    for (int i = 0; i < chart_marks(f); i++) {
        const struct figure_mark *m = &f->marks[i];
        double from = fmax(area.x, chart_px(x, m->low));
        double to = fmin(area.x + area.w, chart_px(x, m->high));
        bool there = m->slot == slot && m->x >= 0 && m->x < rows_of(f) && to > from;
        if (there)
            r[n++] = (struct chart_rect){from, area.y + m->x * high + 2,
                                         fmax(0.5, to - from), high - 4};
    }
    if (n)
        c->rects(c, r, n, slot, chart_slot_fill(slot));
}

static void draw_names(struct chart_canvas *c, const struct report_figure *f,
                       struct chart_area area, double width)
{
    double high = row_px(f);
    for (int i = 0; i < rows_of(f); i++) {
        const struct figure_series *s = &f->series[i];
        double base = area.y + i * high + high / 2 + 4, right = area.x + area.w + 10;
        chart_words(c, 0, base, area.x - 6, ANCHOR_START, TEXT_LABEL, s->label);
        if (width >= VALUES_FROM_PX)
            chart_words(c, right, base, width - right, ANCHOR_START, TEXT_MUTED,
                        s->value_text);
    }
}

static void draw_legend(struct chart_canvas *c, const struct report_figure *f,
                        double width, double top)
{
    enum figure_slot slots[FIGURE_SLOTS];
    int columns = legend_columns(width), n = chart_slots_used(f, slots);
    double each = width / columns;
    for (int i = 0; i < n; i++) {
        double x = i % columns * each, y = top + i / columns * LEGEND_PX;
        chart_swatch(c, x, y, slots[i], chart_slot_fill(slots[i]));
        chart_words(c, x + CHART_SWATCH_PX + 8, y + 12, each - CHART_SWATCH_PX - 16,
                    ANCHOR_START, TEXT_LABEL, chart_slot_label(f, slots[i]));
    }
}

static void rows_draw(struct chart_canvas *c, const struct report_figure *f,
                      double width, double top)
{
    double values = width >= VALUES_FROM_PX ? VALUES_PX : 8;
    struct chart_area area = {NAMES_PX, top, width - NAMES_PX - values,
                              rows_of(f) * row_px(f)};
    struct chart_scale x = chart_across(f->x_high, area);
    enum figure_slot slots[FIGURE_SLOTS];
    int n = chart_slots_used(f, slots);
    chart_axis_x(c, &x, area, f->x_title, false, true);
    for (int i = 0; i < n; i++)
        draw_slot(c, f, &x, area, slots[i]);
    draw_names(c, f, area, width);
    draw_legend(c, f, width, area.y + area.h + CHART_AXIS_PX + 8);
}

const struct chart_kind chart_rows = {rows_height, rows_draw};
