/* fusion_pattern.h - what a group of kernels looks like (table of analysis.md 4.3).
 *
 * Two witnesses: what its operators and kernels do, and the name of the place. Both
 * agree: high confidence; one: medium; none: low. */
#ifndef ANALYSIS_FUSION_PATTERN_H
#define ANALYSIS_FUSION_PATTERN_H

#include "analysis/finding.h"
#include "analysis/fusion_candidates.h"

struct fusion_pattern {
    struct str name; /* "Unfused RMSNorm"; empty: looks like nothing known */
    enum confidence confidence;
};

struct fusion_pattern fusion_pattern_of(const struct kernel_group *g);

#endif
