/* compare_figure.h - the differences of a comparison as a chart. */
#ifndef REPORT_COMPARE_COMPARE_FIGURE_H
#define REPORT_COMPARE_COMPARE_FIGURE_H

#include "compare/comparison.h"
#include "report/figure/report_figure.h"

/* A bar for each part of the window, as long as its difference: filled where the
 * candidate takes more, an outline where it takes less. */
struct report_figure compare_figure(struct arena *perm, const struct comparison *c);

#endif
