/* png_chart.h - a figure as a PNG picture at twice its size, for slides, mail,
 * markdown.
 *
 * Upright rectangles and letters, which is nearly all of a chart, are put straight into
 * an indexed picture (indexed_image.h, glyph_cache.h); what is slanted or round cairo
 * draws, as a mask. Written by libpng with fixed settings: the same figure is the same
 * bytes. Colours are those of the theme's light mode. */
#ifndef RENDER_PNG_CHART_H
#define RENDER_PNG_CHART_H

#include "base/err.h"
#include "base/out.h"
#include "report/report_figure.h"

struct arena;
struct theme;

/* What it takes to draw: letters, pixels, a mask, in memory of the arena. Opened once
 * for any number of pictures, by each thread its own; what was drawn before changes no
 * byte. NULL: it cannot be opened. */
struct png_painter;
MUST_CHECK struct png_painter *png_painter_open(struct arena *a, struct err *e);
void png_painter_close(struct png_painter *p);

MUST_CHECK bool chart_png(const struct report_figure *f, struct png_painter *p,
                          const struct theme *t, struct out *o, struct err *e);

#endif
