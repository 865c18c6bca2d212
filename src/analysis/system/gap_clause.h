/* gap_clause.h - one gap in words: what the host or the device did in it. */
#ifndef ANALYSIS_SYSTEM_GAP_CLAUSE_H
#define ANALYSIS_SYSTEM_GAP_CLAUSE_H

#include "analysis/system/idle_follow.h"

/* One clause, names in backticks. */
struct str gap_cause_clause(struct arena *perm, const struct tree_index *t,
                            const struct gap_row *gap, const struct gap_cause *c);

#endif
