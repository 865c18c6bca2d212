/* logits_read.h - how many rows of a product over a vocabulary are read. */
#ifndef ANALYSIS_FACTS_LOGITS_READ_H
#define ANALYSIS_FACTS_LOGITS_READ_H

#include "analysis/model/finding.h"

struct logits_read {
    double rows;      /* that a softmax, maximum, sort or loss reads, or of the result
                         of a softmax what follows it; else those that views
                         select of each product; NaN: none does */
    double beside_ms; /* operations over all of them: casts, copies, a softmax */
};

/* Of `calls` products with `rows` rows and `vocabulary` columns, by the shapes of all
 * other operations. */
struct logits_read logits_read_of(const struct analysis *a, double rows,
                                  double vocabulary, int64_t calls);

/* The columns of a matmul over a vocabulary of which a run without backward work takes
 * the log-probabilities at many positions in passes over all logits, for 5 % of compute
 * or more; 0: of none. */
double logprob_vocabulary(const struct analysis *a);

/* Many rows of so many values are its first operand, and it is no matmul. */
bool row_passes_logits(const struct work_row *r, double vocabulary);

#endif
