/* csv_tables.h - report tables as RFC 4180 files, one for each table.
 *
 * UTF-8 without BOM, LF, header row, fields quoted only where necessary. Numbers as
 * Python prints them, so that the files match the reference's byte for byte. A text
 * that a spreadsheet would read as a formula gets a leading ' (CSV injection). Owns the
 * sink. */
#ifndef EXPORT_CSV_TABLES_H
#define EXPORT_CSV_TABLES_H

#include "base/err.h"
#include "report/report_table.h"

struct arena;
struct out;

/* One table with its header. */
void csv_table(struct out *o, const struct report_table *t, struct arena tmp);

/* The same as a file dir/NAME.csv, whose rows come later, some at a time: opens it and
 * writes the header. `dir` exists; a table's name may hold letters, digits, '_' and
 * '-'. The path is in `tmp` until out_close. */
MUST_CHECK bool csv_open(struct out *o, const char *dir, const struct report_table *t,
                         struct arena *tmp, struct err *e);
void csv_rows(struct out *o, const struct report_table *t, struct arena tmp);

#endif
