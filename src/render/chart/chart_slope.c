/* C15: two values of each mark joined by a line, on one log axis. */
#include "render/chart/chart_parts.h"

#include <math.h>

enum {
    TOP_PX = 34,
    LEFT_PX = 60,
    ROW_PX = 16,
    LEAST_PX = 180,
    LEADER_PX = 22,
    ROWS_MAX = 40
};

struct slope {
    const struct figure_mark *m;
    double from, to, words; /* y of both ends and of the label, px */
};

static bool has_both(const struct figure_mark *m)
{
    return m->low > 0 && m->high > 0 && isfinite(m->low) && isfinite(m->high);
}

static int count(const struct report_figure *f)
{
    int n = 0;
    for (int i = 0; i < chart_marks(f) && n < ROWS_MAX; i++)
        n += has_both(&f->marks[i]);
    return n;
}

static double plot_height(const struct report_figure *f)
{
    return fmax(LEAST_PX, count(f) * ROW_PX);
}

static double slope_height(const struct report_figure *f, double width)
{
    (void)width;
    return TOP_PX + plot_height(f) + ROW_PX;
}

/* By the right end from the top; insertion, as there are few. */
static int place(const struct report_figure *f, const struct chart_scale *y,
                 struct slope list[ROWS_MAX])
{
    int n = 0;
    for (int i = 0; i < chart_marks(f) && n < ROWS_MAX; i++) {
        const struct figure_mark *m = &f->marks[i];
        if (!has_both(m))
            continue;
        struct slope s = {m, chart_px(y, m->low), chart_px(y, m->high), 0};
        int at = n++;
        for (; at > 0 && list[at - 1].to > s.to; at--)
            list[at] = list[at - 1];
        list[at] = s;
    }
    return n;
}

/* Labels keep apart: each below the one before, and all above the end. */
static void part_words(struct slope *list, int n, struct chart_area area)
{
    double last = area.y - ROW_PX;
    for (int i = 0; i < n; i++)
        last = list[i].words = fmax(list[i].to, last + ROW_PX);
    last = area.y + area.h + ROW_PX;
    for (int i = n - 1; i >= 0; i--)
        last = list[i].words = fmin(list[i].words, last - ROW_PX);
}

static void slope_draw(struct chart_canvas *c, const struct report_figure *f,
                       double width, double top)
{
    struct slope list[ROWS_MAX];
    double low = HUGE_VAL, high = 0, share = width < 400 ? 0.35 : 0.5;
    struct chart_area area = {LEFT_PX, top + TOP_PX, (width - LEFT_PX) * share,
                              plot_height(f)};
    double right = area.x + area.w;
    for (int i = 0; i < chart_marks(f); i++)
        if (has_both(&f->marks[i])) {
            low = fmin(low, fmin(f->marks[i].low, f->marks[i].high));
            high = fmax(high, fmax(f->marks[i].low, f->marks[i].high));
        }
    struct chart_scale y = chart_log(isfinite(low) ? low : 0.1, high > 0 ? high : 1, 6,
                                     area.y + area.h, area.y);
    chart_axis_y(c, &y, area, f->y_title);
    int n = place(f, &y, list);
    part_words(list, n, area);
    for (int i = 0; i < n; i++) {
        const struct figure_mark *m = list[i].m;
        chart_line(c, area.x, list[i].from, right, list[i].to,
                   m->folded ? STROKE_ROOF : STROKE_LINE);
        chart_line(c, right, list[i].to, right + LEADER_PX - 4, list[i].words,
                   STROKE_GRID);
        c->shape(c, SHAPE_CIRCLE, (struct chart_point){area.x, list[i].from}, 3,
                 m->slot);
        c->shape(c, SHAPE_CIRCLE, (struct chart_point){right, list[i].to}, 3, m->slot);
        double x = right + LEADER_PX, room = width - x;
        double value = chart_text_px(m->value_text, CHART_TEXT_PX);
        double words = room - value - 10;
        chart_words(c, x, list[i].words + 4, words > 40 ? words : room, ANCHOR_START,
                    TEXT_LABEL, m->label);
        if (words > 40)
            chart_words(c, width, list[i].words + 4, value + 4, ANCHOR_END, TEXT_MUTED,
                        m->value_text);
    }
    chart_words(c, right, top + TOP_PX - 10, width - right + area.w / 2, ANCHOR_MIDDLE,
                TEXT_MUTED, f->second_title);
}

const struct chart_kind chart_slope = {slope_height, slope_draw};
