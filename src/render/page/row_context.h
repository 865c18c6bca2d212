/* row_context.h - operations and kernels as table rows wherever they are listed, and
 * links to them. */
#ifndef RENDER_PAGE_ROW_CONTEXT_H
#define RENDER_PAGE_ROW_CONTEXT_H

#include "render/page/site_context.h"

enum { OP_NAME_CHARS = 80, OP_ARGS_CHARS = 120, KERNEL_NAME_CHARS = 90 };

/* The link to operation `index`: "operations-2.html#op-1a2b3c4d"; and to a kernel:
 * "kernels-2.html#k-1a2b3c4d". */
struct str op_href(struct arena *a, const struct report *r, int index);
struct str kernel_href(struct arena *a, const struct report *r, int index);

/* "K1", or "note" for informational findings. */
struct str finding_rank(const struct report_finding *f);

/* The category of a row, of report.categories or -1 for communication. */
struct json_member op_category(const struct report *r, int category);

/* Add operation `index` to a list: all its numbers, names and links. */
cJSON *op_row(cJSON *list, const struct report *r, int index, struct arena tmp);

/* What launched a kernel, as worded in a link to it; empty: nothing did. */
struct str kernel_op(const struct report_kernel *k);

/* The category of a kernel, with a link to its page if it has one. */
struct json_member kernel_category(const struct report *r, enum work_category c);

/* Add a kernel to a list. */
void kernel_row(cJSON *list, const struct report *r, const struct report_kernel *k);

/* context.csv: the file with all of the rows, if it is written. */
void ctx_csv(cJSON *context, const struct site *s, const char *table);

#endif
