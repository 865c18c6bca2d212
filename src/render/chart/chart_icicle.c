/* The call tree as cells: callers on top, as wide as what is below them. */
#include "render/chart/chart_parts.h"

#include <math.h>

enum {
    ROWS_MAX = 40,
    CELL_PX = 24,
    STRIP_PX = 5,
    PAD_PX = 5,
    WORDS_FROM_PX = 34,
    TAB_FROM_PX = 24
};

/* The row of a mark; NaN goes on top. */
static int row_of(const struct figure_mark *m)
{
    return m->x > 0 ? (int)fmin(m->x, ROWS_MAX - 1) : 0;
}

static int rows_of(const struct report_figure *f)
{
    int most = 0;
    for (int i = 0; i < chart_marks(f); i++)
        most = row_of(&f->marks[i]) > most ? row_of(&f->marks[i]) : most;
    return most + 1;
}

static double icicle_height(const struct report_figure *f, double width)
{
    (void)width;
    return rows_of(f) * CELL_PX + CHART_AXIS_PX;
}

/* Where the cell of a mark lies; w 0: too narrow to be drawn, which on a phone is what
 * a finger cannot meet. */
static struct chart_rect cell_of(const struct figure_mark *m,
                                 const struct chart_scale *x, double top, double width)
{
    double from = chart_px(x, m->low), to = chart_px(x, m->high);
    double least = width < 600 ? 4 : 1.5;
    return (struct chart_rect){from, top + row_of(m) * CELL_PX,
                               to - from < least ? 0 : to - from, CELL_PX};
}

static void draw_words(struct chart_canvas *c, const struct figure_mark *m,
                       struct chart_rect r)
{
    if (r.w < WORDS_FROM_PX)
        return;
    double x = r.x + PAD_PX, room = r.w - 2 * PAD_PX;
    struct str letter = chart_letter(m);
    if (m->slot != SLOT_IDLE && letter.n) {
        double px = chart_text_px(letter, CHART_TEXT_PX) * 1.15 + 4;
        chart_words(c, x, r.y + 15, room, ANCHOR_START, TEXT_LETTER, letter);
        x += px;
        room -= px;
    }
    double name = chart_text_px(m->label, CHART_TEXT_PX);
    double value = chart_text_px(m->value_text, CHART_TEXT_PX);
    if (room >= 24)
        chart_words(c, x, r.y + 15, room, ANCHOR_START, TEXT_LABEL, m->label);
    if (name + value + 12 < room)
        chart_words(c, x + room, r.y + 15, value + 4, ANCHOR_END, TEXT_MUTED,
                    m->value_text);
}

/* What is on one side only: a hatched strip at the end of the cell, below the words. */
static void draw_one_sided(struct chart_canvas *c, const struct figure_mark *m,
                           struct chart_rect box)
{
    double frac = m->second > 0 ? fmin(1, m->second / (m->high - m->low)) : 0;
    double part = isfinite(frac) ? frac * box.w : 0;
    struct chart_rect strip = {box.x + box.w - part, box.y + box.h - STRIP_PX, part,
                               STRIP_PX};
    if (part >= 1)
        c->rects(c, &strip, 1, m->slot, FILL_DIAGONAL);
}

/* Filled in the colour of its category; what has none is an outline. Words stay in the
 * colour of text, so they are read in any theme. */
static void draw_cell(struct chart_canvas *c, const struct figure_mark *m,
                      struct chart_rect r)
{
    enum { TAB_ROWS = 3 }; /* what is below is reached in the tree */
    bool linked = c->link_begin && m->href.n;
    struct chart_rect box = {r.x + 0.5, r.y + 0.5, fmax(0.5, r.w - 1), r.h - 2};
    if (linked)
        c->link_begin(c, m, r.w >= TAB_FROM_PX && row_of(m) < TAB_ROWS);
    c->rects(c, &box, 1, m->slot,
             m->folded || m->slot == SLOT_IDLE ? FILL_OUTLINE : FILL_TINT);
    draw_one_sided(c, m, box);
    draw_words(c, m, r);
    if (linked)
        c->link_end(c);
}

static void icicle_draw(struct chart_canvas *c, const struct report_figure *f,
                        double width, double top)
{
    struct chart_area area = {0, top, width, rows_of(f) * CELL_PX};
    struct chart_scale x = chart_across(f->whole, area);
    for (int i = 0; i < chart_marks(f); i++) {
        struct chart_rect r = cell_of(&f->marks[i], &x, top, width);
        if (r.w > 0)
            draw_cell(c, &f->marks[i], r);
    }
    chart_axis_x(c, &x, area, f->x_title, false, false);
}

const struct chart_kind chart_icicle = {icicle_height, icicle_draw};
