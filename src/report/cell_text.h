/* cell_text.h - the composed cells of the reference's tables: shapes, parameters,
 * kernels.
 *
 * Results live in the arena of the table. */
#ifndef REPORT_CELL_TEXT_H
#define REPORT_CELL_TEXT_H

#include "ops/op_groups.h"
#include "report/table_build.h"

/* An argument as a Python tuple or list; an empty cell for NULL. */
void put_tuple(struct table_build *b, const struct value *v);
void put_list(struct table_build *b, const struct value *v);

/* [{'name': ..., 'stream': ..., 'count': ...}], and its short form. */
void put_kernel_details(struct table_build *b, const struct kernel_detail *d,
                        int32_t n);

/* {'M': 141, 'bias': True}, empty without a model. */
void put_params(struct table_build *b, const struct perf_cost *cost);

/* One parameter, in its own type. */
void put_param(struct table_build *b, const struct perf_cost *cost, const char *key);

#endif
