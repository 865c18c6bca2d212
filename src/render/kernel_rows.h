/* kernel_rows.h - kernels as rows of templates/kernels.html, wherever they are listed.
 */
#ifndef RENDER_KERNEL_ROWS_H
#define RENDER_KERNEL_ROWS_H

#include "render/site_context.h"

enum { KERNEL_NAME_CHARS = 90 };

/* The page and place of kernel `index`: "kernels-2.html#k-1a2b3c4d". */
struct str kernel_href(struct arena *a, const struct report *r, int index);

/* All cells of a row but its name and its category. */
void kernel_facts(cJSON *row, const struct report_kernel *k, struct arena tmp);

void kernel_row(cJSON *rows, const struct report_kernel *k, struct arena tmp);

#endif
