/* data_quality.h - rows that read faster than the device allows (analysis.md 8.2).
 *
 * One warning a row; none of them changes a finding. What else weakens the conclusions
 * of a trace is a check of the report (report/report_checks.h), and said there alone.
 */
#ifndef ANALYSIS_DATA_QUALITY_H
#define ANALYSIS_DATA_QUALITY_H

#include "analysis/finding.h"

/* Rows must be there; findings need not. */
void data_quality_warn(struct arena *perm, struct analysis *a);

#endif
