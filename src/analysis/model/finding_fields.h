/* finding_fields.h - findings and what is about them, described: base/describe.h. */
#ifndef ANALYSIS_MODEL_FINDING_FIELDS_H
#define ANALYSIS_MODEL_FINDING_FIELDS_H

#include "analysis/model/finding.h"
#include "base/described.h"

DESCRIBED(impact_range);
DESCRIBED(finding);

#endif
