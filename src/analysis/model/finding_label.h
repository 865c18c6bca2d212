/* finding_label.h - what people call a finding: "K3", the third of its tier.
 *
 * In the final order; findings that are not on the short list are numbered after it. */
#ifndef ANALYSIS_MODEL_FINDING_LABEL_H
#define ANALYSIS_MODEL_FINDING_LABEL_H

#include "analysis/model/finding.h"

struct str finding_label(struct arena *perm, const struct analysis *a, int finding);

#endif
