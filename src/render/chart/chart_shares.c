/* C6: bars as wide as their share, as high as their efficiency. */
#include "render/chart/chart_parts.h"

#include <math.h>

enum {
    TOP_PX = 34,
    LEFT_PX = 52,
    RIGHT_PX = 12,
    UNKNOWN_PX = 8, /* the outline of a share whose efficiency is unknown */
    WORDS_FROM_PX = 120,
    LETTER_FROM_PX = 13
};

/* Bars far above the roof end with the axis. */
static const double ROOF_PCT = 100.0, HIGHEST_PCT = 150.0;

static double area_height(double width)
{
    return width < 400 ? 150 : 190;
}

static double shares_height(const struct report_figure *f, double width)
{
    (void)f;
    return TOP_PX + area_height(width) + CHART_AXIS_PX;
}

static struct chart_scale efficiency_scale(const struct report_figure *f,
                                           struct chart_area area)
{
    double most = ROOF_PCT;
    for (int i = 0; i < chart_marks(f); i++)
        if (!isnan(f->marks[i].value))
            most = fmax(most, f->marks[i].value);
    return chart_linear(fmin(most, HIGHEST_PCT), true, 5, area.y + area.h, area.y);
}

/* Its name over a wide bar, its letter over a narrow one. */
static void put_words(struct chart_canvas *c, const struct figure_mark *m,
                      const struct chart_rect *bar)
{
    double middle = bar->x + bar->w / 2, line = bar->y - 5;
    if (bar->w >= WORDS_FROM_PX)
        chart_words(c, bar->x + 1, line, bar->w - 2, ANCHOR_START, TEXT_LABEL,
                    m->label);
    else if (bar->w >= LETTER_FROM_PX)
        c->text(c, (struct chart_point){middle, line}, ANCHOR_MIDDLE, TEXT_LETTER,
                chart_letter(m));
}

static void shares_draw(struct chart_canvas *c, const struct report_figure *f,
                        double width, double top)
{
    struct chart_area area = {LEFT_PX, top + TOP_PX, width - LEFT_PX - RIGHT_PX,
                              area_height(width)};
    struct chart_scale y = efficiency_scale(f, area);
    struct chart_scale x = chart_across(100.0, area);
    double floor_px = area.y + area.h;
    chart_axis_y(c, &y, area, f->y_title);
    for (int i = 0; i < chart_marks(f); i++) {
        const struct figure_mark *m = &f->marks[i];
        bool known = !isnan(m->value);
        double left = chart_px(&x, m->low), right = chart_px(&x, m->high);
        double high = known ? chart_px(&y, m->value) : floor_px - UNKNOWN_PX;
        struct chart_rect bar = {left + 0.5, fmin(high, floor_px - 1),
                                 fmax(0.5, right - left - 1), fmax(1, floor_px - high)};
        c->rects(c, &bar, 1, m->slot, known ? chart_mark_fill(m) : FILL_OUTLINE);
        put_words(c, m, &bar);
    }
    double roof = chart_px(&y, ROOF_PCT);
    chart_line(c, area.x, roof, area.x + area.w, roof, STROKE_ROOF);
    chart_axis_x(c, &x, area, f->x_title, false, false);
}

const struct chart_kind chart_shares = {shares_height, shares_draw};
