/* png_chart.h - a figure as a PNG picture at twice its size, for slides, mail,
 * markdown.
 *
 * Cairo draws each shape as a mask, FreeType each letter (glyph_cache.h); an indexed
 * picture takes both (indexed_image.h), and libpng writes it. The same figure gives the
 * same bytes, in the colours of the theme's light mode. */
#ifndef RENDER_CHART_PNG_CHART_H
#define RENDER_CHART_PNG_CHART_H

#include "base/err.h"
#include "base/out.h"
#include "report/figure/report_figure.h"

struct arena;
struct theme;

/* Glyphs, pixels and a mask, in the arena's memory. Opened once per thread for any
 * number of pictures; earlier pictures do not affect later ones. NULL: it cannot be
 * opened. */
struct png_painter;
MUST_CHECK struct png_painter *png_painter_open(struct arena *a, struct err *e);
void png_painter_close(struct png_painter *p);

MUST_CHECK bool chart_png(const struct report_figure *f, struct png_painter *p,
                          const struct theme *t, struct out *o, struct err *e);

#endif
