/* compare_figure.h - the differences of a comparison as charts. */
#ifndef REPORT_COMPARE_COMPARE_FIGURE_H
#define REPORT_COMPARE_COMPARE_FIGURE_H

#include "compare/comparison.h"
#include "report/figure/report_figure.h"

/* A bar for each part of the window, as long as its difference: filled where the
 * candidate takes more, an outline where it takes less. */
struct report_figure compare_figure(struct arena *perm, const struct comparison *c);

/* The matched rows that differ most, from reference to candidate. */
struct report_figure compare_slopes(struct arena *perm, const struct comparison *c);

/* Time of a call on both sides, beside the ratios of the peaks. */
struct report_figure compare_scatter(struct arena *perm, const struct comparison *c);

/* Modules and operators, as wide as the longer side. */
struct report_figure compare_icicle(struct arena *perm, const struct comparison *c);

/* Least, median and greatest step of each capture. */
struct report_figure compare_steps(struct arena *perm, const struct comparison *c);

#endif
