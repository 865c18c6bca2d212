/* report_system.h - the system tier of the report's detail; a part of report_detail. */
#ifndef REPORT_REPORT_SYSTEM_H
#define REPORT_REPORT_SYSTEM_H

#include "analysis/finding.h"
#include "report/report_detail.h"

enum report_status report_status_of(enum analyser_status s);

/* Idle time, copies and communication, fusion candidates. Nothing where the analysis
 * did not come so far. */
void report_system_fill(struct arena *perm, const struct report *r,
                        const struct analysis *a, struct report_detail *d);

#endif
