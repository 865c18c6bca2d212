/* sqlite_file.h - tables of an SQLite file that nobody vouches for.
 *
 * Only plain tables are read: no view, no trigger, no virtual table and no function
 * runs, and nothing but the one descriptor is opened. Texts and rows have a limit.
 * Tables are read one after the other in the order of their rows, never joined, so time
 * stays linear. */
#ifndef FORMATS_SQLITE_FILE_H
#define FORMATS_SQLITE_FILE_H

#include "base/err.h"
#include "base/str.h"
#include "formats/trace_format.h"

struct arena;
struct sqlite3;
struct sqlite3_stmt;

struct sqlite_file {
    const char *path;
    int fd;
    struct sqlite3 *db;
};

bool sqlite_is(struct str head);

/* Takes f->fd, also when it fails. */
MUST_CHECK bool sqlite_file_open(struct sqlite_file *s, const char *path,
                                 const struct trace_file *f, struct err *e);
void sqlite_file_close(struct sqlite_file *s);

/* Whether there is such a table; a column may be NULL. */
bool sqlite_has(const struct sqlite_file *s, const char *table, const char *column);

/* The name in full of a table that may have a uuid behind it; NULL: there is none. */
const char *sqlite_table(struct sqlite_file *s, struct arena *perm, const char *begin);

enum { SQLITE_COLUMNS_MOST = 24 };

/* Rows of a table. Each of `columns` is a name, or several in the order of preference,
 * "srcDeviceId|srcId"; one that is not there is NULL in every row. `where` may be NULL;
 * the first of its parameters is `value`. NULL: the table lacks its first column, or
 * cannot be read, which sets e. */
struct sqlite3_stmt *sqlite_select(struct sqlite_file *s, const char *table,
                                   const char *columns, const char *where,
                                   int64_t value, struct err *e);

/* The next row; false at the end, and on an error. */
bool sqlite_step(struct sqlite_file *s, struct sqlite3_stmt *rows, struct err *e);
void sqlite_done(struct sqlite3_stmt *rows);

/* Columns of the row: NO_ID and p NULL stand for what is not there. */
int64_t sqlite_int(struct sqlite3_stmt *rows, int column);
struct str sqlite_text(struct sqlite3_stmt *rows, int column);

#endif
