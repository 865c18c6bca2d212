/* capture_tables.h - the tables of a capture file: which member of a struct is in which
 * column.
 *
 * The writer and the reader go by the same lists. */
#ifndef CAPTURE_CAPTURE_TABLES_H
#define CAPTURE_CAPTURE_TABLES_H

#include "capture/capture.h"

#include <stddef.h>

enum { CAPTURE_VERSION = 1, CAPTURE_COLUMNS_MAX = 32 };

enum column_kind {
    COLUMN_I32,
    COLUMN_I64,
    COLUMN_U64,    /* in 16 hexadecimal digits */
    COLUMN_DELTA,  /* int64_t, the difference to the row before */
    COLUMN_LENGTH, /* int64_t, less the int64_t in front of it */
    COLUMN_BOOL,
    COLUMN_ENUM,    /* a whole number below `limit` */
    COLUMN_REAL,    /* null: NaN */
    COLUMN_TEXT,    /* a place in `strings` */
    COLUMN_CATEGORY /* the same, of its name */
};

struct capture_column {
    const char *key;
    ptrdiff_t offset;
    enum column_kind kind;
    int limit;
};

struct capture_table {
    const char *key;
    ptrdiff_t row_bytes;
    int n_columns; /* sorted by key */
    const struct capture_column *columns;
};

enum capture_table_id {
    TABLE_BLOCKS,
    TABLE_COLLECTIVES,
    TABLE_COVERS,
    TABLE_EVENTS,
    TABLE_FINDINGS,
    TABLE_GAPS,
    TABLE_GROUPS,
    TABLE_HISTOGRAMS,
    TABLE_OPERATORS,
    TABLE_P2P,
    TABLE_PATHS,
    TABLE_SETUP,
    TABLE_SIGNATURES,
    TABLE_STEPS,
    CAPTURE_TABLES
};

extern const struct capture_table capture_tables[CAPTURE_TABLES];

/* Where a capture has the rows of a table: the pointer to them, and their number. */
struct capture_rows {
    void *list;
    int32_t *n;
};

struct capture_rows capture_rows_of(struct capture *c, enum capture_table_id t);

/* The name of a part in the file. */
struct str capture_part_name(int part);

#endif
