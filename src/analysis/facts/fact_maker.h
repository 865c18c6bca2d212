/* fact_maker.h - what the fact makers share; one maker per category.
 *
 * A maker sees one row and its arguments, or one category once all its rows are done.
 * It changes only facts, except for norms, whose fallback model also sets the
 * efficiency. */
#ifndef ANALYSIS_FACTS_FACT_MAKER_H
#define ANALYSIS_FACTS_FACT_MAKER_H

#include "analysis/facts/efficiency.h"
#include "analysis/facts/matrix_units.h"
#include "analysis/facts/row_args.h"
#include "analysis/model/work_facts.h"
#include "kernels/kernel_name.h"

struct tree_index;

struct fact_maker {
    struct arena *perm;
    struct arena tmp; /* for whoever takes a copy */
    struct analysis *a;
    const struct tree_index *tree; /* NULL: no call stacks */
    int compute_units;             /* 0: not known */
    int sms;                       /* of the device of the trace; 0: not known */
    double generation;             /* 90 of compute capability 9.0; NaN */
    struct matrix_units units;
};

/* What to expect of this row's kind. */
struct expectation row_expectation(const struct work_row *r);

/* Kernels of a row by label: their time over all invocations, and their launches. */
struct kernel_sum {
    double us;
    int64_t count;
};
void kernels_by_label(const struct op_group *g, struct kernel_sum sums[KERNEL_LABELS]);
struct kernel_sum kernels_labelled(const struct op_group *g, enum kernel_label l);
double kernels_total_us(const struct op_group *g);

/* Counts over the rows of one kind within a category: those whose text fact is `kind`.
 * NULL keys are not set. */
struct kind_keys {
    struct str kind;
    const char *rows, *calls, *ms, *compute_pct;
};

void set_kinds(struct fact_maker *m, struct category_result *c, const char *fact,
               const struct kind_keys *kinds, size_t n);
#define SET_KINDS(m, c, fact, kinds)                                                   \
    set_kinds((m), (c), (fact), (kinds), sizeof(kinds) / sizeof *(kinds))

/* The bandwidth that simple streaming reaches in this trace, for a category and each of
 * its rows. */
#define ASSUMED_BASELINE_PCT 70.0
void set_baseline(struct fact_maker *m, struct category_result *c, double pct,
                  bool assumed);

/* The operator in a frame such as "<built-in method contiguous>", or the event itself;
 * -1: none. */
int32_t row_operator_in(const struct tree_index *t, int32_t i);

/* Fused attention calls, and copies of whole tensors, by name. */
bool op_is_attention(struct str name);
bool op_is_copy(struct str name);

/* The makers. */
typedef void row_maker(struct fact_maker *m, struct work_row *r,
                       const struct row_args *args);
typedef void category_maker(struct fact_maker *m, struct category_result *c);
row_maker facts_gemm_row, facts_attention_row, facts_elementwise_row, facts_reduce_row,
    facts_triton_row, facts_moe_row, facts_norm_row, facts_conv_row, facts_other_row;
category_maker facts_gemm_category, facts_attention_category,
    facts_elementwise_category, facts_reduce_category, facts_triton_category,
    facts_moe_category, facts_norm_category, facts_conv_category, facts_other_category;

#endif
