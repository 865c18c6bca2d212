/* png_chart.h - a figure as a PNG picture at twice its size, for slides, mail,
 * markdown.
 *
 * Drawn by cairo with the embedded font, without hinting and without a look at what
 * fonts the machine has, and written by libpng with fixed settings: the same figure is
 * the same bytes. Colours are those of the theme's light mode. */
#ifndef RENDER_PNG_CHART_H
#define RENDER_PNG_CHART_H

#include "base/err.h"
#include "base/out.h"
#include "report/report_figure.h"

struct theme;

/* The embedded font, opened once for any number of pictures. Closing empties cairo's
 * caches, which would outlive it: no other cairo user may run beside this. */
struct png_font {
    void *library, *face; /* FreeType's */
    void *cairo_face;
};

MUST_CHECK bool png_font_open(struct png_font *font, struct err *e);
void png_font_close(struct png_font *font);

MUST_CHECK bool chart_png(const struct report_figure *f, const struct png_font *font,
                          const struct theme *t, struct out *o, struct err *e);

#endif
