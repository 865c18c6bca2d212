/* top_operations.h - the ten operators with the most device time, by the summary's
 * names.
 *
 * The summary knows launchers (aten::miopen_convolution), the table modelled operators
 * (aten::convolution): they are joined by the device work they share. */
#ifndef ANALYSIS_FACTS_TOP_OPERATIONS_H
#define ANALYSIS_FACTS_TOP_OPERATIONS_H

#include "analysis/model/finding.h"
#include "ops/op_tables.h"
#include "ops/trace_view.h"

/* Which rows a kernel belongs to. */
struct kernel_rows {
    const struct launch_link *launch;
    struct work_row **row; /* by launch_place; NULL: none */
};

struct kernel_rows kernel_rows_build(struct arena *to, const struct analysis *a);

/* Fills a->top and the rows' top_rank. Needs the rows of all categories. */
void top_operations_find(struct arena *perm, struct arena tmp, struct analysis *a,
                         const struct kernel_rows *rows);

static inline struct work_row *kernel_row_of(const struct kernel_rows *x, event_id gpu)
{
    return x->row[launch_place(x->launch, gpu)];
}

#endif
