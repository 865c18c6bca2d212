/* Charts whose marks are rows: one stacked bar, bars, running sums, ranges. */
#include "render/chart/chart_parts.h"

#include <math.h>

enum {
    STACK_BAR_PX = 32,
    LEGEND_ROW_PX = 40,
    LEGEND_COLUMN_PX = 168,
    ROW_PX = 28,
    ROW_TALL_PX = 44,   /* label above the bar, for lack of room beside it */
    VALUE_LINE_PX = 18, /* more, where the value needs a line of its own, too */
    BAR_PX = 16,
    LETTER_GAP_PX = 8,
    GAP_PX = 10,
    EDGE_PX = 4, /* keeps a dot at the end of a scale inside */
    NARROW_BELOW_PX = 400,
    TOP_AXIS_PX = 40
};

static int legend_columns(const struct report_figure *f, double width)
{
    int n = (int)(width / LEGEND_COLUMN_PX), most = chart_marks(f);
    n = n < 1 ? 1 : n;
    return n < most ? n : most > 0 ? most : 1;
}

static double stack_height(const struct report_figure *f, double width)
{
    int columns = legend_columns(f, width);
    int rows = (chart_marks(f) + columns - 1) / columns;
    return STACK_BAR_PX + GAP_PX + rows * LEGEND_ROW_PX;
}

static void stack_legend(struct chart_canvas *c, const struct report_figure *f,
                         double width, double top)
{
    int columns = legend_columns(f, width);
    double each = width / columns, words = each - CHART_SWATCH_PX - 2 * GAP_PX;
    for (int i = 0; i < chart_marks(f); i++) {
        const struct figure_mark *m = &f->marks[i];
        double x = (i % columns) * each, y = top + (i / columns) * LEGEND_ROW_PX;
        chart_swatch(c, x, y, m->slot, chart_stack_fill(m));
        x += CHART_SWATCH_PX + 8;
        chart_words(c, x, y + 11, words, ANCHOR_START, TEXT_LABEL, m->label);
        chart_words(c, x, y + 27, words, ANCHOR_START, TEXT_MUTED, m->value_text);
    }
}

static double sum_of(const struct report_figure *f)
{
    double sum = 0;
    for (int i = 0; i < chart_marks(f); i++)
        sum += fmax(0, f->marks[i].value);
    return sum;
}

static void draw_bar(struct chart_canvas *c, const struct figure_mark *m,
                     struct chart_rect r, enum chart_fill fill)
{
    if (m->value != 0 && r.w < 1) /* never too small to see */
        r.w = 1;
    if (fill == FILL_OUTLINE) /* the line lies inside */
        r = (struct chart_rect){r.x + 0.5, r.y + 0.5, fmax(0, r.w - 1), r.h - 1};
    if (r.w > 0)
        c->rects(c, &r, 1, m->slot, fill);
}

static void stack_draw(struct chart_canvas *c, const struct report_figure *f,
                       double width, double top)
{
    struct chart_area area = {0, top, width, STACK_BAR_PX};
    struct chart_scale s = chart_across(f->whole > 0 ? f->whole : sum_of(f), area);
    double at = 0;
    for (int i = 0; i < chart_marks(f); i++) {
        const struct figure_mark *m = &f->marks[i];
        double from = chart_px(&s, at), to = chart_px(&s, at += fmax(0, m->value));
        draw_bar(c, m, (struct chart_rect){from, top, to - from, STACK_BAR_PX},
                 chart_stack_fill(m));
    }
    stack_legend(c, f, width, top + STACK_BAR_PX + GAP_PX);
}

const struct chart_kind chart_stack = {stack_height, stack_draw};

struct rows {
    bool tall;    /* labels above their bars */
    bool crowded; /* and values below the labels */
    double row_px;
    double label_px; /* width of the label column; 0 when tall */
    double value_px; /* width of the value column */
    struct chart_area area;
};

static double widest(const struct report_figure *f, bool values, double limit)
{
    double most = 0;
    for (int i = 0; i < chart_marks(f); i++) {
        const struct figure_mark *m = &f->marks[i];
        double w = chart_text_px(values ? m->value_text : m->label, CHART_TEXT_PX);
        most = fmax(most, w + 4);
    }
    return fmin(most, limit);
}

/* Width of the letter column; 0 where no mark has one. */
static double letters_px(const struct report_figure *f)
{
    double most = 0;
    for (int i = 0; i < chart_marks(f); i++)
        most = fmax(most, chart_text_px(chart_letter(&f->marks[i]), CHART_TEXT_PX));
    return most > 0 ? fmin(most * 1.15, 40) + LETTER_GAP_PX : 0; /* they are bold */
}

/* Labels go above their bars if they would leave the bars too little room. */
static bool rows_tall(const struct report_figure *f, double width)
{
    double words = letters_px(f) + widest(f, false, 1e9) + widest(f, true, 1e9);
    return width < NARROW_BELOW_PX ||
           (width < 2 * NARROW_BELOW_PX && words > width * 0.6);
}

/* Of tall rows: whether the value leaves a label less than seven tenths of its width.
 */
static bool rows_crowded(const struct report_figure *f, double width)
{
    double letters = letters_px(f);
    for (int i = 0; i < chart_marks(f); i++) {
        double value_px = chart_text_px(f->marks[i].value_text, CHART_TEXT_PX) + 4;
        double room_px = width - letters - fmin(value_px, width * 0.55) - GAP_PX;
        double label_px = chart_text_px(f->marks[i].label, CHART_TEXT_PX);
        if (label_px * 0.7 > room_px)
            return true;
    }
    return false;
}

static double row_height(const struct report_figure *f, double width)
{
    if (!rows_tall(f, width))
        return ROW_PX;
    return ROW_TALL_PX + (rows_crowded(f, width) ? VALUE_LINE_PX : 0);
}

static struct rows rows_layout(const struct report_figure *f, double width, double top)
{
    struct rows r = {.tall = rows_tall(f, width), .row_px = row_height(f, width)};
    r.crowded = r.tall && rows_crowded(f, width);
    double letters = letters_px(f);
    r.label_px = r.tall ? 0 : letters + widest(f, false, width * 0.38) + GAP_PX;
    r.value_px = r.tall ? 0 : widest(f, true, width * 0.4) + GAP_PX;
    r.area = (struct chart_area){r.label_px, top, width - r.label_px - r.value_px,
                                 chart_marks(f) * r.row_px + 4};
    if (r.tall)
        r.area.w -= EDGE_PX;
    return r;
}

/* Where the bar of row i is, from x to x + w; y is not set yet. */
static struct chart_rect row_bar(const struct rows *r, int i, double x, double w)
{
    double y = r->area.y + i * r->row_px +
               (r->tall ? 22 : (ROW_PX - BAR_PX) / 2.0 + 2) +
               (r->crowded ? VALUE_LINE_PX : 0);
    return (struct chart_rect){x, y, w, BAR_PX};
}

static void row_words(struct chart_canvas *c, const struct report_figure *f,
                      const struct rows *r, int i, double bar_end, double width)
{
    const struct figure_mark *m = &f->marks[i];
    double letters = letters_px(f);
    double y = r->area.y + i * r->row_px + (r->tall ? 15 : ROW_PX / 2.0 + 6);
    if (letters > 0)
        chart_words(c, 0, y, letters, ANCHOR_START, TEXT_LETTER, chart_letter(m));
    if (r->crowded) {
        chart_words(c, letters, y, width - letters - GAP_PX, ANCHOR_START, TEXT_LABEL,
                    m->label);
        chart_words(c, letters, y + VALUE_LINE_PX, width - letters, ANCHOR_START,
                    TEXT_VALUE, m->value_text);
        return;
    }
    if (r->tall) {
        double value = chart_text_px(m->value_text, CHART_TEXT_PX) + 4;
        value = fmin(value, width * 0.55);
        chart_words(c, letters, y, width - letters - value - GAP_PX, ANCHOR_START,
                    TEXT_LABEL, m->label);
        chart_words(c, width, y, value, ANCHOR_END, TEXT_VALUE, m->value_text);
        return;
    }
    chart_words(c, letters, y, r->label_px - letters - GAP_PX, ANCHOR_START, TEXT_LABEL,
                m->label);
    chart_words(c, bar_end + 8, y, r->value_px, ANCHOR_START, TEXT_VALUE,
                m->value_text);
}

static double rows_height(const struct report_figure *f, double width)
{
    return chart_marks(f) * row_height(f, width) + 4 + CHART_AXIS_PX;
}

/* Below zero they go to the left of it; the words are beside all bars at its right. */
static void diverging_draw(struct chart_canvas *c, const struct report_figure *f,
                           const struct rows *r, double least, double most,
                           double width)
{
    double px = r->area.w / (most - least), zero = r->area.x - px * least;
    chart_line(c, zero, r->area.y, zero, r->area.y + r->area.h, STROKE_AXIS);
    for (int i = 0; i < chart_marks(f); i++) {
        double value = f->marks[i].value, w = isfinite(value) ? px * value : 0;
        draw_bar(c, &f->marks[i], row_bar(r, i, zero + fmin(0, w), fabs(w)),
                 chart_mark_fill(&f->marks[i]));
        row_words(c, f, r, i, zero + fmax(0, w), width);
    }
}

static void bars_draw(struct chart_canvas *c, const struct report_figure *f,
                      double width, double top)
{
    struct rows r = rows_layout(f, width, top);
    double most = 0, least = 0;
    for (int i = 0; i < chart_marks(f); i++) {
        most = fmax(most, f->marks[i].value);
        least = fmin(least, f->marks[i].value);
    }
    if (least < 0 && isfinite(most - least)) {
        diverging_draw(c, f, &r, least, most, width);
        return;
    }
    struct chart_scale s = chart_across(most, r.area);
    chart_axis_x(c, &s, r.area, f->x_title, false, true);
    for (int i = 0; i < chart_marks(f); i++) {
        double end = chart_px(&s, f->marks[i].value);
        draw_bar(c, &f->marks[i], row_bar(&r, i, r.area.x, end - r.area.x),
                 chart_mark_fill(&f->marks[i]));
        row_words(c, f, &r, i, end, width);
    }
}

const struct chart_kind chart_bars = {rows_height, bars_draw};

static double pareto_height(const struct report_figure *f, double width)
{
    return rows_height(f, width) + TOP_AXIS_PX;
}

/* Percent of the whole on top, on the same pixels as the lower axis. */
static void percent_axis(struct chart_canvas *c, const struct report_figure *f,
                         const struct chart_scale *below, struct chart_area area)
{
    if (!(f->whole > 0))
        return;
    struct chart_scale s =
        chart_linear(100 * below->high / f->whole, true, chart_ticks_for(area.w),
                     below->from_px, below->to_px);
    chart_axis_x(c, &s, area, f->second_title, true, false);
}

static void pareto_draw(struct chart_canvas *c, const struct report_figure *f,
                        double width, double top)
{
    struct rows r = rows_layout(f, width, top + TOP_AXIS_PX);
    struct chart_scale s = chart_across(fmax(sum_of(f), f->whole), r.area);
    percent_axis(c, f, &s, r.area);
    chart_axis_x(c, &s, r.area, f->x_title, false, true);
    double at = 0;
    struct chart_point before = {0, 0};
    for (int i = 0; i < chart_marks(f); i++) {
        double end = chart_px(&s, f->marks[i].value);
        struct chart_rect bar = row_bar(&r, i, r.area.x, end - r.area.x);
        draw_bar(c, &f->marks[i], bar, chart_mark_fill(&f->marks[i]));
        struct chart_point p = {chart_px(&s, at += fmax(0, f->marks[i].value)),
                                bar.y + BAR_PX / 2.0};
        if (i > 0 && !r.tall) /* no line through labels: there the dots suffice */
            chart_line(c, before.x, before.y, p.x, p.y, STROKE_LINE);
        before = p;
        /* The value is to the right of the area, because the line uses the space beside
         * the bar. */
        row_words(c, f, &r, i, r.area.x + r.area.w, width);
    }
    at = 0;
    for (int i = 0; i < chart_marks(f); i++) {
        struct chart_rect bar = row_bar(&r, i, 0, 0);
        at += fmax(0, f->marks[i].value);
        c->shape(c, SHAPE_CIRCLE,
                 (struct chart_point){chart_px(&s, at), bar.y + BAR_PX / 2.0}, 3,
                 SLOT_IDLE);
    }
}

const struct chart_kind chart_pareto = {pareto_height, pareto_draw};

static void ranges_draw(struct chart_canvas *c, const struct report_figure *f,
                        double width, double top)
{
    struct rows r = rows_layout(f, width, top + TOP_AXIS_PX);
    double most = 0;
    for (int i = 0; i < chart_marks(f); i++)
        most = fmax(most, fmax(f->marks[i].high, f->marks[i].value));
    struct chart_scale s = chart_across(most, r.area);
    percent_axis(c, f, &s, r.area);
    chart_axis_x(c, &s, r.area, f->x_title, false, true);
    for (int i = 0; i < chart_marks(f); i++) {
        const struct figure_mark *m = &f->marks[i];
        double low = chart_px(&s, m->low), high = chart_px(&s, m->high);
        double mid = chart_px(&s, m->value);
        struct chart_rect bar = row_bar(&r, i, low, fmax(2, high - low));
        bar.y += 3;
        bar.h -= 6;
        c->rects(c, &bar, 1, m->slot, chart_mark_fill(m));
        chart_line(c, mid, bar.y - 4, mid, bar.y + bar.h + 4, STROKE_LINE);
        row_words(c, f, &r, i, high, width);
    }
}

const struct chart_kind chart_ranges = {pareto_height, ranges_draw};
