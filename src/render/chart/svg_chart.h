/* svg_chart.h - a figure as SVG: inline in a page, or a file of its own.
 *
 * Colours and sizes are presentation attributes, each coloured mark also has a class
 * (site.md CH-2): with the style sheet it follows the theme, without it it stays
 * readable. No style attribute, no style element. Text goes through html_text. */
#ifndef RENDER_CHART_SVG_CHART_H
#define RENDER_CHART_SVG_CHART_H

#include "base/out.h"
#include "report/figure/report_figure.h"

struct theme;

/* A file: caption on top, ground behind, colours of the light theme. */
void chart_svg(struct out *o, const struct report_figure *f, const struct theme *t);

/* Inline: the same chart in two or three widths. The style sheet shows the one that
 * fits the screen; without it the first one shows. */
void chart_svg_page(struct out *o, const struct report_figure *f,
                    const struct theme *t);

/* The same in one width, for what a link shows. */
void chart_svg_part(struct out *o, const struct report_figure *f,
                    const struct theme *t);

#endif
