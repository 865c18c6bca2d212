/* kernel_label.h - the category of work that a kernel's name alone decides.
 *
 * Of what no operator names: a graph launch, a compiled region, an extension. The rules
 * are in kernels/kernel_names.def. */
#ifndef ANALYSIS_MODEL_KERNEL_LABEL_H
#define ANALYSIS_MODEL_KERNEL_LABEL_H

#include "analysis/model/finding.h"
#include "kernels/kernel_name.h"

/* WORK_CATEGORIES: the name says nothing. */
enum work_category kernel_label_category(struct str kernel_name);

#endif
