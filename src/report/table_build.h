/* table_build.h - builds a report table: first its columns, then its cells.
 *
 * Add the columns, then every cell of every row in column order. table_done asserts
 * that each row has one cell per column. */
#ifndef REPORT_TABLE_BUILD_H
#define REPORT_TABLE_BUILD_H

#include "base/arena.h"
#include "report/report_table.h"

struct table_build {
    struct arena *arena;
    struct report_table t;
    ptrdiff_t n_cells, cap_rows;
};

struct table_build table_begin(struct arena *a, struct str name, const char *purpose,
                               ptrdiff_t rows);
void add_column(struct table_build *b, struct str title, enum column_unit unit,
                const char *meaning);

/* A table whose columns have no unit, in one call. */
struct table_heading {
    const char *title, *meaning;
};
struct table_build table_of(struct arena *a, const char *name, const char *purpose,
                            ptrdiff_t rows, const struct table_heading *columns, int n);
#define TABLE_OF(a, name, purpose, rows, columns)                                      \
    table_of(a, name, purpose, rows, columns, (int)(sizeof columns / sizeof *columns))

void put_none(struct table_build *b);
void put_text(struct table_build *b, struct str text); /* of ours */
void put_name(struct table_build *b, struct str text); /* of the trace */
void put_int(struct table_build *b, int64_t v);
void put_real(struct table_build *b, double v);
void put_bool(struct table_build *b, bool v);

void put_cell(struct table_build *b, const struct cell *c);

struct report_table table_done(struct table_build *b);

/* The same for a table without cells, whose rows are made when they are read. `of` must
 * live as long as the table. */
struct report_table table_of_rows(struct table_build *b, const void *of,
                                  void (*put_row)(struct table_build *b, const void *of,
                                                  ptrdiff_t row));

/* The cells of a row, in the table or in `tmp`. */
const struct cell *table_row(const struct report_table *t, ptrdiff_t row,
                             struct arena *tmp);

/* The same table with cells, where any of them can be looked at; or `most` rows of it.
 */
struct report_table table_with_cells(struct arena *perm, const struct report_table *t);
struct report_table table_part(struct arena *perm, const struct report_table *t,
                               ptrdiff_t from, ptrdiff_t most);

#endif
