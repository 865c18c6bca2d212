/* fusion_pattern.h - which known operation a group of kernels resembles (analysis.md
 * 4.3).
 *
 * Two clues: what its operators and kernels do, and the name of the place. If both
 * agree, confidence is high; with one, medium; with none, low. */
#ifndef ANALYSIS_SYSTEM_FUSION_PATTERN_H
#define ANALYSIS_SYSTEM_FUSION_PATTERN_H

#include "analysis/model/system_results.h"
#include "analysis/system/fusion_candidates.h"

struct fusion_pattern {
    enum fusion_kind kind;
    struct str name; /* "Unfused RMSNorm"; empty: resembles nothing known */
    enum confidence confidence;
};

struct fusion_pattern fusion_pattern_of(const struct kernel_group *g);

#endif
