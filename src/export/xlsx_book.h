/* xlsx_book.h - report tables as one workbook, a sheet for each table.
 *
 * Texts of a trace are only ever strings: never formulas, never links. The same tables
 * give the same bytes. */
#ifndef EXPORT_XLSX_BOOK_H
#define EXPORT_XLSX_BOOK_H

#include "export/xlsx_file.h"
#include "report/report_table.h"

struct arena;

enum { XLSX_NAME_MAX = 31 };

struct xlsx_book {
    struct xlsx_file file;
    struct xlsx_sheet *sheets; /* one for each table, and "Columns" */
    char (*sheet_names)[4 * XLSX_NAME_MAX + 1];
    ptrdiff_t n_sheets, rows_left; /* rows_left: of the table, that the sheet takes */
};

/* date_s: the creation time it carries. What is made lies in `tmp` until the book is
 * closed. False, as all that follows: the disk is full, or the folder cannot be
 * written; then xlsx_discard(&b->file) leaves no workbook. */
MUST_CHECK bool xlsx_book_open(struct xlsx_book *b, const char *path, int64_t date_s,
                               ptrdiff_t n_tables, struct arena *tmp, struct err *e);

/* A sheet for a table. `first` are its first rows, which the columns are made wide
 * enough for; its rows come in parts that have cells. */
void xlsx_begin_table(struct xlsx_book *b, const struct report_table *t,
                      const struct report_table *first, struct arena tmp);
void xlsx_rows(struct xlsx_book *b, const struct report_table *part, struct arena tmp);
MUST_CHECK bool xlsx_end_table(struct xlsx_book *b, struct err *e);

/* Adds "Columns", which says what each column of the tables means. */
MUST_CHECK bool xlsx_book_close(struct xlsx_book *b, const struct report_table *tables,
                                ptrdiff_t n_tables, struct arena tmp, struct err *e);

#endif
