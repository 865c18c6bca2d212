/* sheet_xlsx.h - the sheets of a report's workbook as tables.
 *
 * Takes what the reference's default output and xlsx_book.h are, also after a
 * spreadsheet program has saved them: the parts of a workbook under their usual names,
 * the header in the first row that has cells. Only the sheets that a comparison reads
 * are unpacked. A workbook that would take much more memory than its bytes is refused.
 */
#ifndef REPORT_COMPARE_SHEET_XLSX_H
#define REPORT_COMPARE_SHEET_XLSX_H

#include "base/err.h"
#include "report/sheets.h"

struct arena;

enum {
    SHEET_XLSX_HEAD_BYTES = 4,
    SHEET_XLSX_BYTES_MAX = 1 << 28 /* more are no report */
};

/* Whether a file begins as a zip does; sheets_of_xlsx says if it is no workbook. */
bool sheet_xlsx_is(struct str head);

/* The sheets in the order of sheet_source(); `file` is named in errors. False: it is no
 * workbook, a part is damaged, or it has none of those sheets. */
MUST_CHECK bool sheets_of_xlsx(struct arena *perm, struct arena tmp, struct str bytes,
                               const char *file, struct sheets *s, struct err *e);

#endif
