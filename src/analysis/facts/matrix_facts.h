/* matrix_facts.h - facts of products and convolutions that their kernels' names tell:
 * alignment, generation, precision; and how each compares with the rest of the trace.
 */
#ifndef ANALYSIS_FACTS_MATRIX_FACTS_H
#define ANALYSIS_FACTS_MATRIX_FACTS_H

#include "analysis/facts/fact_maker.h"

/* fp32_kernel, tf32_ms, half_ms and fp32_ms; of attention, too. */
void matrix_facts_precision(struct fact_maker *m, struct work_row *r);

/* These, kernel_align and kernel_generation. */
void matrix_facts_row(struct fact_maker *m, struct work_row *r);

/* best_pct, best_shape and gap_ms: against the best efficiency that the same trace
 * reaches on work of this size class, precision and bound; where all of these are far
 * from the peak though they fill the device, on smaller work. Absent without a peer.
 * all_slow: nor does any other of the trace come near the peak. */
void matrix_facts_rank(struct fact_maker *m, struct category_result *c);

/* 1 of "..._align1": elements that each access of the kernel takes; 0: not said. */
int kernel_alignment(struct str kernel);

#endif
