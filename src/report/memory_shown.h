/* memory_shown.h - what holds the device's memory at its peak, as report.json,
 * summary.json, pages and a CSV file of our own show it: described (base/describe.h).
 */
#ifndef REPORT_MEMORY_SHOWN_H
#define REPORT_MEMORY_SHOWN_H

#include "base/described.h"
#include "report/report.h"

DESCRIBED(report_memory);
DESCRIBED_AS(summed_memory, report_memory); /* the figures alone */
DESCRIBED(memory_owner);

/* memory_peak.csv: a row for each place that allocates, what was there before as one.
 */
struct report_table memory_table(struct arena *perm, const struct report *r);

#endif
