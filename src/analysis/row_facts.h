/* row_facts.h - fills the facts that work_facts.h lists, one maker a category.
 *
 * A maker sees one row and its arguments, or one category when all its rows are done.
 * It changes facts only, but for the norms, whose fallback model changes the
 * efficiency. */
#ifndef ANALYSIS_ROW_FACTS_H
#define ANALYSIS_ROW_FACTS_H

#include "analysis/efficiency.h"
#include "analysis/kernel_label.h"
#include "analysis/row_args.h"
#include "analysis/work_facts.h"

struct tree_index;

struct fact_maker {
    struct arena *perm;
    struct analysis *a;
    const struct tree_index *tree; /* NULL: no call stacks */
    int compute_units;             /* 0: not known */
};

/* All facts of a row that need no other row. */
void facts_of_row(struct fact_maker *m, struct work_row *r);

/* Facts of a category, and those facts of its rows that need the others. */
void facts_of_category(struct fact_maker *m, struct category_result *c);

/* What may be expected of this row's kind. */
struct expectation row_expectation(const struct work_row *r);

/* Kernels of a row by label: their time over all invocations, and their launches. */
struct kernel_sum {
    double us;
    int64_t count;
};
struct kernel_sum kernels_labelled(const struct op_group *g, enum kernel_label l);
double kernels_total_us(const struct op_group *g);

/* Rows of a category whose text fact is `value`. */
struct kind_sum {
    int rows;
    int64_t count;
    double ms;
};
struct kind_sum rows_of_kind(const struct category_result *c, const char *key,
                             struct str value);

/* The operator in a frame such as "<built-in method contiguous>", or the event itself;
 * -1: none is in it. */
event_id row_operator_in(const struct tree_index *t, event_id i);

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
