/* data_quality.h - rows that read faster than the device allows (analysis.md 8.2).
 *
 * One warning per row; none changes a finding. Everything else that weakens the
 * conclusions is a check of the report (report/report_checks.h) and appears only
 * there.  */
#ifndef ANALYSIS_DATA_QUALITY_H
#define ANALYSIS_DATA_QUALITY_H

#include "analysis/model/finding.h"

/* Needs the rows, not the findings. */
void data_quality_warn(struct arena *perm, struct analysis *a);

#endif
