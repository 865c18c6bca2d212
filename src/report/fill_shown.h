/* fill_shown.h - how well kernels fill the device, as report.json, pages and a CSV file
 * of our own show it: described (base/describe.h). */
#ifndef REPORT_FILL_SHOWN_H
#define REPORT_FILL_SHOWN_H

#include "base/described.h"
#include "report/report.h"

DESCRIBED(report_fill);
DESCRIBED(report_fill_row);
DESCRIBED_AS(summed_fill, report_fill); /* the figures alone */

DESCRIBED_AS(shown_fill, report_fill); /* for a page */

/* launch_geometry.csv: a row for each kernel. */
struct report_table fill_table(struct arena *perm, const struct report *r);

#endif
