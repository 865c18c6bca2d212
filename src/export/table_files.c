#include "export/table_files.h"

#include "base/arena.h"
#include "base/out.h"
#include "export/csv_tables.h"
#include "export/xlsx_book.h"
#include "report/table_build.h"

/* In memory; a workbook's columns are as wide as the first. */
enum { ROWS_AT_ONCE = 200 };

struct writers {
    const char *csv_dir;    /* NULL: no CSV files */
    struct xlsx_book *book; /* NULL: no workbook */
};

static bool put_rows(const struct writers *w, struct out *csv,
                     const struct report_table *t, struct arena tmp, struct err *e)
{
    for (ptrdiff_t from = 0; from == 0 || from < t->n_rows; from += ROWS_AT_ONCE) {
        struct arena scratch = tmp;
        struct report_table part = table_part(&scratch, t, from, ROWS_AT_ONCE);
        if (w->csv_dir)
            csv_rows(csv, &part, scratch);
        if (w->book && from == 0)
            xlsx_begin_table(w->book, t, &part, scratch);
        if (w->book)
            xlsx_rows(w->book, &part, scratch);
    }
    return !w->book || xlsx_end_table(w->book, e);
}

static bool put_table(const struct writers *w, const struct report_table *t,
                      struct arena tmp, struct err *e)
{
    struct out csv;
    if (!w->csv_dir)
        return put_rows(w, NULL, t, tmp, e);
    if (!csv_open(&csv, w->csv_dir, t, &tmp, e))
        return err_doing(e, "writing CSV tables");
    bool done = put_rows(w, &csv, t, tmp, e);
    struct err closing = {0};
    bool closed = out_close(&csv, done ? e : &closing);
    return done && (closed || err_doing(e, "writing CSV tables"));
}

static bool put_tables(const struct writers *w, const struct report_table *tables,
                       ptrdiff_t n_tables, struct arena tmp, struct err *e)
{
    for (ptrdiff_t i = 0; i < n_tables; i++)
        if (!put_table(w, &tables[i], tmp, e))
            return false;
    return true;
}

bool table_files_write(const struct table_files *f, const struct report_table *tables,
                       ptrdiff_t n_tables, struct arena tmp, struct err *e)
{
    struct xlsx_book book;
    struct writers w = {f->csv_dir, f->book ? &book : NULL};
    if (!f->book)
        return !f->csv_dir || put_tables(&w, tables, n_tables, tmp, e);
    if (xlsx_book_open(&book, f->book, f->date_s, n_tables, &tmp, e) &&
        put_tables(&w, tables, n_tables, tmp, e) &&
        xlsx_book_close(&book, tables, n_tables, tmp, e))
        return true;
    xlsx_discard(&book.file);
    return err_doing(e, "writing the workbook");
}
