/* fusion_facts.h - what the fusion candidates say about the rows they cover.
 *
 * Candidates come from the system analysers; rows learn which chain they are part of,
 * so that patterns of their category can mention it, and confident candidates claim
 * their rows. */
#ifndef ANALYSIS_SYSTEM_FUSION_FACTS_H
#define ANALYSIS_SYSTEM_FUSION_FACTS_H

#include "analysis/model/finding.h"

struct fusion_candidate; /* system_results.h */

/* The chain_* facts of rows, from the candidate with the most time first. */
void fusion_facts_set(struct arena *perm, struct analysis *a);

/* Elementwise, reductions and norms: nothing that needs a matrix unit. */
bool fusion_is_light(const struct fusion_candidate *c);

/* Fusion findings of high confidence and chains claim their rows. First drops those
 * about attention that already has a finding. */
void fusion_claim_rows(struct analysis *a);

/* Kernels of one instance, without what an operator sets to zero for its own. */
int fusion_kernel_count(const struct fusion_candidate *c);

/* "copy_, pow, mean, add, rsqrt, mul x2": the operators of one instance in order,
 * without products on request; at most six, then "...". */
struct str fusion_ops_text(struct arena *perm, const struct fusion_candidate *c,
                           bool no_products);

#endif
