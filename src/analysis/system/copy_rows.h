/* copy_rows.h - copies of one size, one behind the other.
 *
 * The samples of a batch are copied so, and what a layer needs is not: its kernels run
 * between two copies. */
#ifndef ANALYSIS_SYSTEM_COPY_ROWS_H
#define ANALYSIS_SYSTEM_COPY_ROWS_H

#include "analysis/model/system_results.h"
#include "ops/trace_view.h"

/* Adds to in_row_count of each direction. `copies`: COPY_DIRECTIONS of them. */
void copy_rows_count(struct arena tmp, const struct trace_view *v,
                     struct copy_result *copies);

#endif
