/* adjoining_calls.h - matmuls that run right behind another one of their row.
 *
 * Nothing else runs in between on their stream, as with the projections of Q, K and V:
 * such calls one larger matmul may replace, if they share an operand. */
#ifndef ANALYSIS_FACTS_ADJOINING_CALLS_H
#define ANALYSIS_FACTS_ADJOINING_CALLS_H

#include "analysis/model/finding.h"

struct kernel_rows;

/* The fact `adjoining_calls` of all rows of matmuls. */
void adjoining_calls_find(struct arena *perm, struct arena tmp, struct analysis *a,
                          const struct kernel_rows *rows);

#endif
