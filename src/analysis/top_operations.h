/* top_operations.h - the ten operators with the most device time, by the summary's
 * names.
 *
 * The summary knows launchers (aten::miopen_convolution), the table modelled operators
 * (aten::convolution): the device work they share joins them. */
#ifndef ANALYSIS_TOP_OPERATIONS_H
#define ANALYSIS_TOP_OPERATIONS_H

#include "analysis/finding.h"

/* Fills a->top, and top_rank of the rows. Rows of all categories must be there. */
void top_operations_find(struct arena *perm, struct arena tmp, struct analysis *a);

/* The rows whose device work kernels are. */
struct kernel_rows {
    const struct launch_link *launch;
    struct work_row **row; /* by launch_place; NULL: of none */
};

struct kernel_rows kernel_rows_build(struct arena *to, const struct analysis *a);

static inline struct work_row *kernel_row_of(const struct kernel_rows *x, event_id gpu)
{
    return x->row[launch_place(x->launch, gpu)];
}

#endif
