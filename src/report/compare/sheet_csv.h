/* sheet_csv.h - a CSV file of a finished report as a table.
 *
 * Takes what csv_tables.h and the reference write: a header row, RFC 4180 quoting, LF
 * or CRLF. A field is a whole number, a number, True or False, empty, or a name. Short
 * rows are filled with empty cells; a row with more fields than the header is an error.
 */
#ifndef REPORT_COMPARE_SHEET_CSV_H
#define REPORT_COMPARE_SHEET_CSV_H

#include "base/err.h"
#include "report/report_table.h"

struct arena;

/* `text` is lent to the table; `file` is named in errors. An empty file is a table
 * without columns. */
MUST_CHECK bool sheet_of_csv(struct arena *perm, struct str name, struct str text,
                             const char *file, struct report_table *t, struct err *e);

/* What a field without its quotes stands for; its text is lent. */
struct cell sheet_cell_of(struct str field);

#endif
