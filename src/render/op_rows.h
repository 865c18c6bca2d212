/* op_rows.h - operations as rows of templates/op_table.html, wherever they are listed.
 */
#ifndef RENDER_OP_ROWS_H
#define RENDER_OP_ROWS_H

#include "render/site_context.h"

/* The page and place of operation `index`: "operations-2.html#op-1a2b3c4d". */
struct str op_href(struct arena *a, const struct report *r, int index);

enum { OP_NAME_CHARS = 80, OP_ARGS_CHARS = 120 };

/* row.category, of report.categories or -1. */
void op_category(cJSON *row, const struct report *r, int category);

/* All cells of a row but its name and its category. */
void op_facts(cJSON *row, const struct report *r, const struct report_op *op,
              struct arena tmp);

/* Add operation `index`. `here`: this page is where its permalink leads. */
void op_row(cJSON *rows, const struct site *s, int index, bool here, struct arena tmp);

/* The units of the columns, and the file with all rows, if it is written. */
void op_units(cJSON *context);
void op_csv(cJSON *context, const struct site *s);

#endif
