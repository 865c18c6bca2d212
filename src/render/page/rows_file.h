/* rows_file.h - all rows of a table that continues on other pages, for the script that
 * orders and filters it: a script file that assigns one variable,
 *
 *   tracefolioRows = {"categories": [[slot, letter, label, page], ...],
 *                     "page": "operations", "each": 200,
 *                     "rows": [[name, cell, cell, ...], ...]}
 *
 * A name is [short, in full, id, arguments, in full]; `page` and `each` tell which page
 * has the id. Cells are those of the page, in its columns: "text", in numeric columns
 * "text|exact|remark", the number of a category, or links as [["text", "page"], ...].
 * Written only where a table continues; loaded when it is first ordered or filtered. */
#ifndef RENDER_PAGE_ROWS_FILE_H
#define RENDER_PAGE_ROWS_FILE_H

#include "render/page/site_context.h"

/* Full names are cut, all to the same length, until a file is this small; never shorter
 * than the page shows them. */
enum { ROWS_BYTES_MAX = 220000, ROWS_NAME_BYTES = 2000 };

/* Whether the table of operations, or of kernels, continues on other pages. */
bool rows_wanted_operations(const struct report *r);
bool rows_wanted_kernels(const struct report *r);

void rows_operations(struct out *o, const struct site *s, struct arena tmp);
void rows_kernels(struct out *o, const struct site *s, struct arena tmp);

#endif
