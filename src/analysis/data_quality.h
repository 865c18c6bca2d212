/* data_quality.h - what about a trace weakens its conclusions (analysis.md 8.2).
 *
 * Each condition is one warning; none of them changes a finding. */
#ifndef ANALYSIS_DATA_QUALITY_H
#define ANALYSIS_DATA_QUALITY_H

#include "analysis/finding.h"

/* Rows must be there; findings need not. */
void data_quality_warn(struct arena *perm, struct analysis *a);

#endif
