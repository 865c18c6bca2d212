/* row_context.h - operations and kernels as table rows wherever they are listed, and
 * links to them. */
#ifndef RENDER_PAGE_ROW_CONTEXT_H
#define RENDER_PAGE_ROW_CONTEXT_H

#include "render/page/site_context.h"

enum { OP_NAME_CHARS = 80, OP_ARGS_CHARS = 120 };

/* The row of a replay package: "kit-1a2b3c4d", and the link to it. */
struct str kit_row_id(struct arena *a, struct str file);
struct str kit_href(struct arena *a, struct str file);

/* An operation's share of the time of its category, and with all longer ones of it. */
struct op_part {
    double pct, sum_pct; /* NaN: communication, which is not a category of the report */
};
struct op_part *op_parts(struct arena *a, const struct report *r);

/* Add operation `index` to a list: all its numbers, names and links. */
cJSON *op_row(cJSON *list, const struct report *r, int index, struct arena tmp);

/* The same for a table of operations, which names shares of the category too. */
void op_table_row(cJSON *list, const struct report *r, int index,
                  const struct op_part *parts, struct arena tmp);

/* context.col: which columns a table of operations has: all. */
void op_columns_all(cJSON *context);

/* context.col: the columns that tell the rows report.ops[at[k]] of one category apart;
 * context.same: what the others say; context.cells: where each column lies in a row of
 * rows_file.h. n > 0. */
void op_columns(cJSON *context, const struct report *r, const int *at, int n,
                struct arena tmp);

/* What launched a kernel, as worded in a link to it; empty: nothing did. */
struct str kernel_op(const struct report_kernel *k);

/* The category of a kernel, with a link to its page if it has one. */
struct json_member row_category(const struct report *r, enum work_category c);

/* Add a kernel to a list. */
void kernel_row(cJSON *list, const struct site *s, int index, struct arena tmp);

/* context.csv: the file with all of the rows, if it is written. */
void ctx_csv(cJSON *context, const struct site *s, const char *table, struct arena tmp);

/* What else the trace says that belongs on a page (report/more_shown.h). */
void ctx_more(cJSON *context, const struct site *s, const char *page, struct arena tmp);

/* The same of a file of own_tables/, whose table has rows. */
void ctx_own_csv(cJSON *context, const struct site *s, const char *table,
                 struct arena tmp);

#endif
