#include "render/chart/chart_parts.h"

#include <math.h>

int chart_marks(const struct report_figure *f)
{
    return f->n_marks < CHART_MARKS_MAX ? f->n_marks : CHART_MARKS_MAX;
}

struct str chart_letter(const struct figure_mark *m)
{
    return m->letter.n ? m->letter : figure_slot_letter(m->slot);
}

int chart_slots_used(const struct report_figure *f, enum figure_slot used[FIGURE_SLOTS])
{
    bool has[FIGURE_SLOTS] = {false};
    int n = 0;
    for (int i = 0; i < chart_marks(f); i++)
        has[f->marks[i].slot] = true;
    for (int s = 0; s < FIGURE_SLOTS; s++)
        if (has[s])
            used[n++] = (enum figure_slot)s;
    return n;
}

struct str chart_slot_label(const struct report_figure *f, enum figure_slot slot)
{
    return f->slot_labels && f->slot_labels[slot].n ? f->slot_labels[slot]
                                                    : figure_slot_name(slot);
}

unsigned chart_hatch(enum figure_slot slot)
{
    switch (slot) {
    case SLOT_PYTHON:
        return HATCH_DOWN;
    case SLOT_DISPATCH:
        return HATCH_LEVEL;
    case SLOT_RUNTIME:
        return HATCH_LEVEL | HATCH_UPRIGHT;
    case SLOT_WAITING:
        return HATCH_UP | HATCH_DOWN;
    default:
        return 0;
    }
}

enum chart_fill chart_slot_fill(enum figure_slot slot)
{
    switch (slot) {
    case SLOT_COMMUNICATION:
    case SLOT_WAITING:
        return FILL_DIAGONAL;
    case SLOT_COPY:
        return FILL_DOTTED;
    case SLOT_IDLE:
        return FILL_OUTLINE;
    default:
        return FILL_SOLID;
    }
}

enum chart_fill chart_mark_fill(const struct figure_mark *m)
{
    if (m->slot == SLOT_WAITING && !m->folded)
        return FILL_TINT; /* it may stand in one bar with communication */
    return m->folded ? FILL_OUTLINE : chart_slot_fill(m->slot);
}

enum chart_fill chart_stack_fill(const struct figure_mark *m)
{
    enum chart_fill fill = chart_mark_fill(m);
    return fill == FILL_DIAGONAL ? FILL_SOLID : fill;
}

int chart_shape_corners(enum chart_shape shape, struct chart_point at, double radius,
                        struct chart_point corner[12])
{
    /* Corners around the unit circle; scaled so that all shapes look equally large. */
    static const signed char square[] = {-9, -9, 9, -9, 9, 9, -9, 9};
    static const signed char diamond[] = {0, -13, 13, 0, 0, 13, -13, 0};
    static const signed char up[] = {0, -12, 12, 9, -12, 9};
    static const signed char down[] = {0, 12, 12, -9, -12, -9};
    static const signed char cross[] = {-10, -6, -6, -10, 0,   -4, 6,  -10,
                                        10,  -6, 4,  0,   10,  6,  6,  10,
                                        0,   4,  -6, 10,  -10, 6,  -4, 0};
    static const signed char plus[] = {-3, -12, 3,   -12, 3,   -3, 12, -3,
                                       12, 3,   3,   3,   3,   12, -3, 12,
                                       -3, 3,   -12, 3,   -12, -3, -3, -3};
    static const signed char hexagon[] = {-6, -10, 6,  -10, 11,  0,
                                          6,  10,  -6, 10,  -11, 0};
    static const struct {
        const signed char *xy;
        int n;
    } outlines[CHART_SHAPES] = {
        [SHAPE_CIRCLE] = {NULL, 0},     [SHAPE_SQUARE] = {square, 4},
        [SHAPE_DIAMOND] = {diamond, 4}, [SHAPE_UP] = {up, 3},
        [SHAPE_DOWN] = {down, 3},       [SHAPE_CROSS] = {cross, 12},
        [SHAPE_PLUS] = {plus, 12},      [SHAPE_HEXAGON] = {hexagon, 6},
    };
    int n = outlines[shape].n;
    for (int i = 0; i < n; i++) {
        corner[i].x = at.x + outlines[shape].xy[2 * i] * radius / 10;
        corner[i].y = at.y + outlines[shape].xy[2 * i + 1] * radius / 10;
    }
    return n;
}

void chart_line(struct chart_canvas *c, double x1, double y1, double x2, double y2,
                enum chart_stroke stroke)
{
    struct chart_point p[] = {{x1, y1}, {x2, y2}};
    c->polyline(c, p, 2, stroke);
}

void chart_words(struct chart_canvas *c, double x, double y, double width_px,
                 enum chart_anchor anchor, enum chart_style style, struct str s)
{
    struct chart_label label;
    chart_fit(&label, s, CHART_TEXT_PX, width_px);
    if (label.s.n > 0)
        c->text(c, (struct chart_point){x, y}, anchor, style, label.s);
}

int chart_ticks_for(double width_px)
{
    int n = (int)(width_px / 64);
    return n < 2 ? 2 : n > CHART_TICKS_MAX ? CHART_TICKS_MAX : n;
}

struct chart_scale chart_across(double high, struct chart_area area)
{
    return chart_linear(high, true, chart_ticks_for(area.w), area.x, area.x + area.w);
}

void chart_swatch(struct chart_canvas *c, double x, double y, enum figure_slot slot,
                  enum chart_fill fill)
{
    struct chart_rect r = {x + 0.5, y + 0.5, CHART_SWATCH_PX - 1, CHART_SWATCH_PX - 1};
    c->rects(c, &r, 1, slot, fill);
    if (fill == FILL_IDLE)
        c->rects(c, &r, 1, slot, FILL_OUTLINE);
}

void chart_axis_x(struct chart_canvas *c, const struct chart_scale *s,
                  struct chart_area area, struct str title, bool above, bool grid)
{
    double bottom = area.y + area.h, line_y = above ? area.y : bottom;
    for (int i = 0; i < s->n_ticks; i++) {
        double x = chart_px(s, s->ticks[i].value);
        if (grid)
            chart_line(c, x, area.y, x, bottom, STROKE_GRID);
        chart_line(c, x, line_y, x, line_y + (above ? -4 : 4), STROKE_AXIS);
        double half = chart_text_px(str_of(s->ticks[i].text), CHART_TEXT_PX) / 2;
        /* Keep the first and the last number inside the drawing. */
        double middle = fmax(fmin(x, area.x + area.w - half), half);
        c->text(c, (struct chart_point){middle, above ? line_y - 7 : line_y + 16},
                ANCHOR_MIDDLE, TEXT_MUTED, str_of(s->ticks[i].text));
    }
    chart_line(c, area.x, line_y, area.x + area.w, line_y, STROKE_AXIS);
    chart_words(c, area.x + area.w, above ? line_y - 22 : line_y + 32, 600, ANCHOR_END,
                TEXT_MUTED, title);
}

void chart_axis_y(struct chart_canvas *c, const struct chart_scale *s,
                  struct chart_area area, struct str title)
{
    for (int i = 0; i < s->n_ticks; i++) {
        double y = chart_px(s, s->ticks[i].value);
        chart_line(c, area.x, y, area.x + area.w, y, STROKE_GRID);
        c->text(c, (struct chart_point){area.x - 6, y + 4}, ANCHOR_END, TEXT_MUTED,
                str_of(s->ticks[i].text));
    }
    chart_line(c, area.x, area.y, area.x, area.y + area.h, STROKE_AXIS);
    chart_words(c, 0, area.y - 8, area.x + area.w, ANCHOR_START, TEXT_MUTED, title);
}
