/* report_table.h - a table in no format at all: typed cells under titled columns.
 *
 * Built once, lent to every writer (CSV, XLSX, HTML, markdown, JSON), never changed.
 * Cells are stored by row: cells[row * n_columns + column]; those of a table that may
 * have as many rows as the trace has events are made when a row is read
 * (table_build.h table_row). */
#ifndef REPORT_REPORT_TABLE_H
#define REPORT_REPORT_TABLE_H

#include "base/str.h"

struct table_build;

enum cell_kind {
    CELL_NONE, /* missing: an empty field */
    CELL_TEXT, /* our own text, or a Python literal built by base/python_text */
    CELL_NAME, /* text from the trace: hostile */
    CELL_INT,
    CELL_REAL, /* finite, or NaN for missing */
    CELL_BOOL
};

struct cell {
    enum cell_kind kind;
    union {
        struct str text;
        int64_t i;
        double r;
        bool b;
    } as;
};

enum column_unit {
    UNIT_NONE,
    UNIT_US,
    UNIT_MS,
    UNIT_PERCENT,
    UNIT_COUNT,
    UNIT_GFLOP,
    UNIT_MIB,
    UNIT_FLOP_PER_BYTE,
    UNIT_TFLOP_PER_S,
    UNIT_TB_PER_S,
    COLUMN_UNITS
};

struct table_column {
    struct str title;   /* exactly as the reference writes it */
    struct str meaning; /* one sentence, for the sheet that explains the columns */
    enum column_unit unit;
};

struct report_table {
    struct str name;    /* the sheet, and the file's stem: "gpu_timeline" */
    struct str purpose; /* one sentence: what a row is */
    struct table_column *columns;
    struct cell *cells; /* NULL: by put_row, which any thread may call */
    void (*put_row)(struct table_build *b, const void *of, ptrdiff_t row);
    const void *of; /* what the rows are made from */
    ptrdiff_t n_columns, n_rows;
};

static inline struct cell *table_cell(const struct report_table *t, ptrdiff_t row,
                                      ptrdiff_t column)
{
    return &t->cells[row * t->n_columns + column];
}

#endif
