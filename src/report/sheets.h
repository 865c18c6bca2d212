/* sheets.h - the tables of the performance report, as the reference has them.
 *
 * Names, columns and rows are those teams know from the reference; each column explains
 * itself. Built from the rows of ops/, which they lend, in the order of the workbook.
 */
#ifndef REPORT_SHEETS_H
#define REPORT_SHEETS_H

#include "ops/op_tables.h"
#include "report/report_table.h"

struct sheets {
    struct report_table *tables;
    ptrdiff_t n;
    /* Rows of unified_perf_summary as our own models fill them, which the reference's
     * tables leave blank; `own_of`: by row there, the row here, or -1. */
    struct report_table own_rows;
    int32_t *own_of;
};

struct sheets sheets_build(struct arena *perm, struct arena tmp,
                           const struct op_tables *t);

/* All cells at once, where any of them can be looked at. */
void sheets_keep(struct arena *perm, struct sheets *s);

#endif
