/* row_links.h - where rows of operations and kernels are: their tables go on over
 * pages.
 */
#ifndef RENDER_PAGE_ROW_LINKS_H
#define RENDER_PAGE_ROW_LINKS_H

#include "report/report.h"

struct arena;

/* Rows on one page of a long table: keeps a page below 8,000 elements. By launches,
 * only the first are of interest. */
enum { SITE_TABLE_ROWS = 180, SITE_CATEGORY_ROWS = 100, SITE_COUNT_ROWS = 80 };

/* "operations.html", "operations-2.html". */
struct str site_part_name(struct arena *a, const char *stem, int part);

/* The link to operation `index`: "operations-2.html#op-1a2b3c4d"; and to a kernel:
 * "kernels-2.html#k-1a2b3c4d". */
struct str op_href(struct arena *a, const struct report *r, int index);
struct str kernel_href(struct arena *a, const struct report *r, int index);

#endif
