/* fusion_told.h - kernels that one kernel could replace, of which another finding tells
 * more: patterns of rows that know what the whole is for. */
#ifndef ANALYSIS_SYSTEM_FUSION_TOLD_H
#define ANALYSIS_SYSTEM_FUSION_TOLD_H

#include "analysis/facts/top_operations.h"
#include "analysis/model/finding.h"
#include "analysis/system/fusion_candidates.h"

/* Why the group is no candidate; empty: it is one. */
struct str fusion_told_elsewhere(const struct analysis *a,
                                 const struct kernel_rows *rows,
                                 const struct kernel_group *g);

#endif
