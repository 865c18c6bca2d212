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

/* By event of the store: the row whose device work it is, or NULL. In `to`. */
struct work_row **rows_of_kernels(struct arena *to, const struct analysis *a);

#endif
