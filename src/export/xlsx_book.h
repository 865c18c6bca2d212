/* xlsx_book.h - report tables as one workbook, a sheet for each table.
 *
 * Texts of a trace are only ever strings: never formulas, never links. The same tables
 * give the same bytes. */
#ifndef EXPORT_XLSX_BOOK_H
#define EXPORT_XLSX_BOOK_H

#include "base/err.h"
#include "report/report_table.h"

struct arena;

/* A sheet for each table in order, then "Columns", which says what each column means.
 *
 *   date_s   the creation time it carries, seconds since 1970 (source_date_s of
 *            zip_file.h)
 *   errors   the disk is full, or the folder cannot be written: no workbook is left */
MUST_CHECK bool xlsx_write(const struct report_table *tables, ptrdiff_t n_tables,
                           const char *path, int64_t date_s, struct arena tmp,
                           struct err *e);

#endif
