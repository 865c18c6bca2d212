/* chart_draw.h - the layout of every kind of chart, once for all formats.
 *
 * Draws a figure of a given width onto a canvas. Loops over marks, bins and ticks are
 * bounded (chart_scale.h, CHART_MARKS_MAX): the caller folds anything above the bounds,
 * and debug builds check it. */
#ifndef RENDER_CHART_CHART_DRAW_H
#define RENDER_CHART_CHART_DRAW_H

#include "render/chart/chart_canvas.h"

enum {
    CHART_WIDE_PX = 960,   /* across the page */
    CHART_MID_PX = 480,    /* half a page, or a small screen */
    CHART_NARROW_PX = 260, /* a phone of 320 px */
    CHART_FILE_PX = 800    /* a file of its own, drawn at twice this in PNG */
};

/* Height of the drawing at this width; with `titled`, including the caption on top. */
double chart_height(const struct report_figure *f, double width, bool titled);

void chart_draw(struct chart_canvas *c, const struct report_figure *f, double width,
                bool titled);

#endif
