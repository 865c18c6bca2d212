/* fusion_facts.h - what the fusion candidates say of the rows they cover.
 *
 * Candidates come from the system analysers; rows learn which chain they are part of,
 * so that patterns of their category can speak of it, and sure candidates claim them.
 */
#ifndef ANALYSIS_FUSION_FACTS_H
#define ANALYSIS_FUSION_FACTS_H

#include "analysis/finding.h"

struct fusion_candidate; /* system_results.h */

/* The chain_* facts of rows, from the candidate with the most time first. */
void fusion_facts_set(struct arena *perm, struct analysis *a);

/* Rows of fusion findings of high confidence belong to them. Findings about attention
 * that is a finding of its own already are taken out of the list first. */
void fusion_claim_rows(struct analysis *a);

/* "copy_, pow, mean, add, rsqrt, mul x2": the operators of one instance in their order,
 * those of products left out on request; at most six, then "...". */
struct str fusion_ops_text(struct arena *perm, const struct fusion_candidate *c,
                           bool no_products);

#endif
