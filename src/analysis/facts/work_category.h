/* work_category.h - which analyser a row belongs to (analysis.md 2.2), and its kind
 * there.
 *
 * Decides by names alone: of the operator, its base category, and its kernels. */
#ifndef ANALYSIS_FACTS_WORK_CATEGORY_H
#define ANALYSIS_FACTS_WORK_CATEGORY_H

#include "analysis/model/finding.h"

/* The first matching rule wins. `kernels` are the names of the row's kernels. */
enum work_category work_category_of(struct str base, struct str op,
                                    const struct str *kernels, int n_kernels);

/* The same for a row of the operator table. */
enum work_category work_category_of_group(const struct op_group *g);

bool work_is_backward(struct str base, struct str op);
bool work_is_quantized_name(struct str op);

/* Kinds within a category, by name: analysis.md 3.6 to 3.12. */
struct str elementwise_class(struct str op);
struct str reduce_class(struct str op, struct str first_kernel);
struct str triton_class(struct str op);
struct str moe_class(struct str op);
struct str norm_type(struct str op);
struct str other_subcategory(struct str op);

/* "AITER", "Tensile", "vendor GEMM" ...; empty: unknown. Not for prose. */
struct str work_library(struct str op, const struct str *kernels, int n_kernels);

#endif
