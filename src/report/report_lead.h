/* report_lead.h - what a report says first: what to do, and what the run is after it.
 */
#ifndef REPORT_REPORT_LEAD_H
#define REPORT_REPORT_LEAD_H

#include "report/report.h"

struct arena;

/* Of a report whose findings and verdict_kind are known: after_*_ms, leads, stages. */
void report_lead_fill(struct arena *perm, struct report *r);

/* "First, compile the model. This saves 3.1 to 4.0 ms (33.1 ms becomes ...)." */
struct str report_first_sentence(struct arena *a, const struct report *r);

#endif
