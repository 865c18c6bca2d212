/* chart_canvas.h - the drawing operations of a chart: rectangles, lines, shapes, text.
 *
 * The layout (chart_draw.h) is independent of the format; SVG and PNG each provide a
 * canvas. Colours are named by slot, stroke and text style, never by value. Coordinates
 * are CSS pixels, y downwards; for text, y is the base line. */
#ifndef RENDER_CHART_CHART_CANVAS_H
#define RENDER_CHART_CHART_CANVAS_H

#include "report/figure/report_figure.h"

#include <stdbool.h>

enum chart_fill {
    FILL_SOLID,
    FILL_DIAGONAL,
    FILL_DOTTED,
    FILL_OUTLINE,
    FILL_TINT, /* pale, with an outline: words on it are read */
    FILL_IDLE, /* hatched as chart_hatch says, without an outline */
    CHART_FILLS
};
enum chart_stroke { STROKE_AXIS, STROKE_GRID, STROKE_LINE, STROKE_ROOF, CHART_STROKES };
enum chart_style {
    TEXT_LABEL,
    TEXT_LETTER,
    TEXT_VALUE,
    TEXT_MUTED,
    TEXT_TITLE,
    CHART_STYLES
};
enum chart_anchor { ANCHOR_START, ANCHOR_MIDDLE, ANCHOR_END };

/* Shapes distinguish points without colour. */
enum chart_shape {
    SHAPE_CIRCLE,
    SHAPE_SQUARE,
    SHAPE_DIAMOND,
    SHAPE_UP,
    SHAPE_DOWN,
    SHAPE_CROSS,
    SHAPE_PLUS,
    SHAPE_HEXAGON,
    CHART_SHAPES
};

struct chart_rect {
    double x, y, w, h;
};

struct chart_point {
    double x, y;
};

enum { CHART_MARKS_MAX = 400 }; /* at most, in a figure */

struct chart_canvas {
    void (*rects)(struct chart_canvas *c, const struct chart_rect *r, int n,
                  enum figure_slot slot, enum chart_fill fill);
    /* A closed outline, filled. */
    void (*area)(struct chart_canvas *c, const struct chart_point *p, int n,
                 enum figure_slot slot, enum chart_fill fill);
    void (*polyline)(struct chart_canvas *c, const struct chart_point *p, int n,
                     enum chart_stroke stroke);
    void (*shape)(struct chart_canvas *c, enum chart_shape shape, struct chart_point at,
                  double radius, enum figure_slot slot);
    void (*text)(struct chart_canvas *c, struct chart_point at,
                 enum chart_anchor anchor, enum chart_style style, struct str s);
    /* Shown while the pointer is there; NULL: there is no pointer. */
    void (*hint)(struct chart_canvas *c, struct chart_rect r, struct str label,
                 struct str value);
    /* What is drawn until link_end leads there; `tab`: by keyboard too. NULL: there are
     * no links. */
    void (*link_begin)(struct chart_canvas *c, const struct figure_mark *m, bool tab);
    void (*link_end)(struct chart_canvas *c);
};

/* Sizes of the text styles in pixels. */
#define CHART_TEXT_PX  12.0
#define CHART_TITLE_PX 15.0

/* The outline of a shape around `at`; returns the number of corners, at most 12. A
 * circle has none: canvases draw it themselves. */
int chart_shape_corners(enum chart_shape shape, struct chart_point at, double radius,
                        struct chart_point corner[12]);

/* The hatching of a slot: communication diagonal, copy dotted, idle an outline. */
enum chart_fill chart_slot_fill(enum figure_slot slot);
/* In a bar of parts that touch, where hatching flickers. */
enum chart_fill chart_stack_fill(const struct figure_mark *m);

/* Lines of FILL_IDLE: each slot has its own, none those of communication alone, so that
 * no colour is needed. */
enum chart_hatch { HATCH_UP = 1, HATCH_DOWN = 2, HATCH_LEVEL = 4, HATCH_UPRIGHT = 8 };
enum { CHART_HATCH_PX = 6 };                 /* from line to line */
unsigned chart_hatch(enum figure_slot slot); /* 0: white */

#endif
