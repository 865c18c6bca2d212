/* table_files.h - report tables as CSV files and as a workbook.
 *
 * Both hold the same rows, and making a row takes longer than writing it: each is made
 * once. Errors: the disk is full, the folder cannot be written, a table's name cannot
 * be a file's; no workbook is left then. */
#ifndef EXPORT_TABLE_FILES_H
#define EXPORT_TABLE_FILES_H

#include "base/err.h"
#include "report/report_table.h"

struct arena;

/* csv_dir: gets NAME.csv for each table; it exists. NULL: no CSV files.
 * book: path of the workbook, NULL: none.
 * date_s: creation time that it carries, seconds since 1970 (source_date_s of
 * zip_file.h) */
struct table_files {
    const char *csv_dir, *book;
    int64_t date_s;
};

MUST_CHECK bool table_files_write(const struct table_files *f,
                                  const struct report_table *tables, ptrdiff_t n_tables,
                                  struct arena tmp, struct err *e);

#endif
