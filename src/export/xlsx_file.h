/* xlsx_file.h - the file format of a workbook (ECMA-376): sheets of cells in a zip.
 *
 * Cells come row by row, and in a row from left to right. Texts are shared strings,
 * kept in memory; of a sheet only some rows are. Every sheet has a header that stays in
 * sight and a filter. The same calls give the same bytes.
 *
 * Written here because libxlsxwriter says nothing when its temporary files do not fit
 * on the disk, prints on standard error, crashes without memory, rounds numbers to 16
 * digits, and took a seventh of the processor time of a report. */
#ifndef EXPORT_XLSX_FILE_H
#define EXPORT_XLSX_FILE_H

#include "base/err.h"
#include "base/name_pool.h"
#include "base/out.h"
#include "base/zip_file.h"

enum { XLSX_ROWS_MAX = 1048576, XLSX_COLUMNS_MAX = 16384 };

/* Then one for each number format, from XLSX_FORMATS on. */
enum xlsx_style { XLSX_PLAIN, XLSX_HEADER, XLSX_WRAPPED, XLSX_FORMATS };

struct xlsx_file {
    struct zip_file zip;
    struct out xml;           /* of the part that is open */
    struct name_pool strings; /* as XML */
    struct out escaped;       /* the last of them */
    int64_t n_uses;
    int n_sheets;
    int64_t row; /* of the sheet, from 1 */
    char row_digits[8];
    int n_row_digits;
};

struct xlsx_sheet {
    const char *name; /* as Excel allows it, and no other sheet's */
    int64_t n_rows;   /* with the header */
    int n_columns;
};

/* formats: of numbers, "General" or as "#,##0.00". */
MUST_CHECK bool xlsx_open(struct xlsx_file *f, const char *path, int64_t date_s,
                          int n_sheets, const char *const *formats, int n_formats,
                          struct err *e);

/* width: of each column, in characters. */
void xlsx_begin_sheet(struct xlsx_file *f, const struct xlsx_sheet *s,
                      const double *width);
void xlsx_begin_row(struct xlsx_file *f);
void xlsx_text(struct xlsx_file *f, int column, struct str text, int style);
void xlsx_number(struct xlsx_file *f, int column, double v, int style); /* finite */
void xlsx_bool(struct xlsx_file *f, int column, bool v);
void xlsx_end_row(struct xlsx_file *f);
MUST_CHECK bool xlsx_end_sheet(struct xlsx_file *f, const struct xlsx_sheet *s,
                               struct err *e);

/* sheets: all of them, as they were written. False, as everything above, leaves the
 * file to xlsx_discard. */
MUST_CHECK bool xlsx_close(struct xlsx_file *f, const struct xlsx_sheet *sheets,
                           const char *title, struct err *e);
void xlsx_discard(struct xlsx_file *f); /* no file is left */

#endif
