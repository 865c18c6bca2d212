#include "formats/sqlite_file.h"

#include "base/arena.h"

#include <assert.h>
#include <ctype.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TEXT_BYTES_MOST = 1 << 24, SQL_BYTES_MOST = 1 << 20, AHEAD_BYTES = 1 << 16 };

/* The file system that SQLite sees: one file, the descriptor whose number it is called
 * by, which never changes. Tables are read from front to back a page at a time, so what
 * lies behind a page is read with it. */
struct open_file {
    sqlite3_file base;
    int fd;
    sqlite3_int64 ahead_at;
    size_t n_ahead;
    char ahead[AHEAD_BYTES];
};

static int file_close(sqlite3_file *f)
{
    (void)f;
    return SQLITE_OK;
}

/* As many bytes as there are, up to `want`; false on an error. */
static bool read_at(int fd, char *to, size_t want, sqlite3_int64 at, size_t *got)
{
    *got = 0;
    while (*got < want) {
        ssize_t k = pread(fd, to + *got, want - *got, at + (sqlite3_int64)*got);
        if (k < 0)
            return false;
        if (k == 0)
            break;
        *got += (size_t)k;
    }
    return true;
}

static int file_read(sqlite3_file *f, void *to, int n, sqlite3_int64 at)
{
    struct open_file *o = (struct open_file *)(void *)f;
    size_t got, want = n > 0 ? (size_t)n : 0;
    sqlite3_int64 skip = at - o->ahead_at;
    if (want <= AHEAD_BYTES &&
        (skip < 0 || skip + (sqlite3_int64)want > (sqlite3_int64)o->n_ahead)) {
        if (!read_at(o->fd, o->ahead, AHEAD_BYTES, at, &o->n_ahead)) {
            o->n_ahead = 0;
            return SQLITE_IOERR_READ;
        }
        o->ahead_at = at;
        skip = 0;
    }
    if (want <= AHEAD_BYTES) {
        got = want < o->n_ahead ? want : o->n_ahead;
        memcpy(to, o->ahead + skip, got);
    } else if (!read_at(o->fd, to, want, at, &got)) {
        return SQLITE_IOERR_READ;
    }
    memset((char *)to + got, 0, want - got);
    return got < want ? SQLITE_IOERR_SHORT_READ : SQLITE_OK;
}

static int file_write(sqlite3_file *f, const void *from, int n, sqlite3_int64 at)
{
    (void)f, (void)from, (void)n, (void)at;
    return SQLITE_READONLY;
}

static int file_truncate(sqlite3_file *f, sqlite3_int64 n)
{
    (void)f, (void)n;
    return SQLITE_READONLY;
}

static int file_flag(sqlite3_file *f, int flag)
{
    (void)f, (void)flag;
    return SQLITE_OK;
}

static int file_size(sqlite3_file *f, sqlite3_int64 *n)
{
    struct stat st;
    if (fstat(((struct open_file *)(void *)f)->fd, &st) != 0)
        return SQLITE_IOERR_FSTAT;
    *n = st.st_size;
    return SQLITE_OK;
}

static int file_is_reserved(sqlite3_file *f, int *is)
{
    (void)f;
    *is = 0;
    return SQLITE_OK;
}

static int file_control(sqlite3_file *f, int op, void *arg)
{
    (void)f, (void)op, (void)arg;
    return SQLITE_NOTFOUND;
}

static int file_sector(sqlite3_file *f)
{
    (void)f;
    return 0;
}

static int file_traits(sqlite3_file *f)
{
    (void)f;
    return SQLITE_IOCAP_IMMUTABLE;
}

static const sqlite3_io_methods methods = {.iVersion = 1,
                                           .xClose = file_close,
                                           .xRead = file_read,
                                           .xWrite = file_write,
                                           .xTruncate = file_truncate,
                                           .xSync = file_flag,
                                           .xFileSize = file_size,
                                           .xLock = file_flag,
                                           .xUnlock = file_flag,
                                           .xCheckReservedLock = file_is_reserved,
                                           .xFileControl = file_control,
                                           .xSectorSize = file_sector,
                                           .xDeviceCharacteristics = file_traits};

static int vfs_open(sqlite3_vfs *v, const char *name, sqlite3_file *f, int flags,
                    int *out_flags)
{
    (void)v;
    f->pMethods = NULL;
    if (!name || !(flags & SQLITE_OPEN_MAIN_DB))
        return SQLITE_CANTOPEN;
    struct open_file *o = (struct open_file *)(void *)f;
    o->fd = atoi(name);
    o->n_ahead = 0;
    f->pMethods = &methods;
    if (out_flags)
        *out_flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB;
    return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *v, const char *name, int sync)
{
    (void)v, (void)name, (void)sync;
    return SQLITE_IOERR_DELETE;
}

static int vfs_access(sqlite3_vfs *v, const char *name, int flags, int *is)
{
    (void)v, (void)name, (void)flags;
    *is = 0; /* there is no journal */
    return SQLITE_OK;
}

static int vfs_full_name(sqlite3_vfs *v, const char *name, int room, char *to)
{
    (void)v;
    snprintf(to, (size_t)room, "%s", name);
    return SQLITE_OK;
}

static int vfs_random(sqlite3_vfs *v, int n, char *to)
{
    (void)v;
    memset(to, 0, (size_t)n);
    return n;
}

static int vfs_sleep(sqlite3_vfs *v, int us)
{
    (void)v;
    return us;
}

static int vfs_time(sqlite3_vfs *v, double *day)
{
    (void)v;
    *day = 0;
    return SQLITE_OK;
}

static int vfs_error(sqlite3_vfs *v, int n, char *to)
{
    (void)v, (void)n, (void)to;
    return 0;
}

static sqlite3_vfs vfs = {.iVersion = 1,
                          .szOsFile = sizeof(struct open_file),
                          .mxPathname = 64,
                          .zName = "tracefolio",
                          .xOpen = vfs_open,
                          .xDelete = vfs_delete,
                          .xAccess = vfs_access,
                          .xFullPathname = vfs_full_name,
                          .xRandomness = vfs_random,
                          .xSleep = vfs_sleep,
                          .xCurrentTime = vfs_time,
                          .xGetLastError = vfs_error};

static void register_once(void)
{
    sqlite3_vfs_register(&vfs, 0);
}

bool sqlite_is(struct str head)
{
    return str_starts(head, (struct str){"SQLite format 3", 16});
}

/* Reading of columns is all that anybody needs. */
static int allows(void *context, int what, const char *a, const char *b, const char *c,
                  const char *d)
{
    (void)context, (void)a, (void)b, (void)c, (void)d;
    return what == SQLITE_SELECT || what == SQLITE_READ ? SQLITE_OK : SQLITE_DENY;
}

static void set_limits(struct sqlite3 *db)
{
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, TEXT_BYTES_MOST);
    sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, SQL_BYTES_MOST);
    sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(db, SQLITE_LIMIT_WORKER_THREADS, 0);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    /* Tables are read once, from front to back: pages are kept for the tree alone. */
    sqlite3_exec(db, "PRAGMA cell_size_check=ON; PRAGMA cache_size=-256", NULL, NULL,
                 NULL);
    sqlite3_set_authorizer(db, allows, NULL);
}

static bool refuse(struct sqlite_file *s, struct err *e)
{
    return err_set(e, ERR_INPUT, s->path, -1,
                   "not readable as SQLite: %.100s; export or copy it again",
                   s->db ? sqlite3_errmsg(s->db) : "no memory");
}

bool sqlite_file_open(struct sqlite_file *s, const char *path,
                      const struct trace_file *f, struct err *e)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    char name[16];
    pthread_once(&once, register_once);
    *s = (struct sqlite_file){.path = path, .fd = f->fd};
    snprintf(name, sizeof name, "%d", f->fd);
    int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX;
    bool opens = sqlite3_open_v2(name, &s->db, flags, vfs.zName) == SQLITE_OK;
    if (opens)
        set_limits(s->db);
    /* The first statement reads the schema. */
    sqlite3_stmt *rows = NULL;
    opens = opens && sqlite3_prepare_v2(s->db, "SELECT name FROM sqlite_master", -1,
                                        &rows, NULL) == SQLITE_OK;
    sqlite3_finalize(rows);
    if (!opens) {
        refuse(s, e);
        sqlite_file_close(s);
    }
    return opens;
}

void sqlite_file_close(struct sqlite_file *s)
{
    sqlite3_close(s->db);
    close(s->fd);
}

bool sqlite_has(const struct sqlite_file *s, const char *table, const char *column)
{
    return sqlite3_table_column_metadata(s->db, "main", table, column, NULL, NULL, NULL,
                                         NULL, NULL) == SQLITE_OK;
}

/* What follows the name of a table: "_" and a uuid. */
static bool is_uuid(struct str text)
{
    enum { DIGITS = 32 };
    int digits = 0;
    for (ptrdiff_t i = 0; i < text.n; i++) {
        bool is = isxdigit((unsigned char)text.p[i]);
        if (!is && text.p[i] != '_' && text.p[i] != '-')
            return false;
        digits += is;
    }
    return digits == DIGITS && text.p[0] == '_';
}

const char *sqlite_table(struct sqlite_file *s, struct arena *perm, const char *begin)
{
    sqlite3_stmt *rows = NULL;
    const char *found = NULL;
    if (sqlite_has(s, begin, NULL))
        return begin;
    sqlite3_prepare_v2(s->db, "SELECT name, type FROM sqlite_master", -1, &rows, NULL);
    while (!found && rows && sqlite3_step(rows) == SQLITE_ROW) {
        struct str name = sqlite_text(rows, 0), start = str_of(begin);
        if (str_eq(sqlite_text(rows, 1), S("table")) && str_starts(name, start) &&
            is_uuid(str_skip(name, start.n)))
            found = str_c(perm, name);
    }
    sqlite3_finalize(rows);
    return found;
}

/* The first of the names that the table has, else "NULL". */
static struct str column_of(const struct sqlite_file *s, const char *table,
                            struct str names)
{
    while (names.n) {
        struct str name = str_take(&names, S("|"));
        char own[64];
        snprintf(own, sizeof own, "%.*s", STRF(name));
        if (sqlite_has(s, table, own))
            return name;
    }
    return S("NULL");
}

/* A virtual table runs code of its own. */
static bool is_virtual(const struct sqlite_file *s, const char *table)
{
    sqlite3_stmt *rows = NULL;
    bool is = true;
    if (sqlite3_prepare_v2(s->db,
                           "SELECT rootpage FROM sqlite_master WHERE type = 'table' "
                           "AND name = ?1",
                           -1, &rows, NULL) == SQLITE_OK) {
        sqlite3_bind_text(rows, 1, table, -1, SQLITE_STATIC);
        is = sqlite3_step(rows) != SQLITE_ROW || sqlite3_column_int64(rows, 0) == 0;
    }
    sqlite3_finalize(rows);
    return is;
}

struct sqlite3_stmt *sqlite_select(struct sqlite_file *s, const char *table,
                                   const char *columns, const char *where,
                                   int64_t value, struct err *e)
{
    char sql[2048];
    struct str rest = str_of(columns);
    sqlite3_stmt *rows = NULL;
    int n = snprintf(sql, sizeof sql, "SELECT ");
    if (e->kind != ERR_NONE || !sqlite_has(s, table, NULL) || is_virtual(s, table))
        return NULL;
    for (int i = 0; rest.n; i++) {
        struct str name = column_of(s, table, str_take(&rest, S(" ")));
        if (i == 0 && str_eq(name, S("NULL")))
            return NULL;
        bool quote = !str_eq(name, S("NULL"));
        n += snprintf(sql + n, sizeof sql - (size_t)n, "%s%s%.*s%s", i ? ", " : "",
                      quote ? "\"" : "", STRF(name), quote ? "\"" : "");
        assert(n < (int)sizeof sql - 600);
    }
    snprintf(sql + n, sizeof sql - (size_t)n, " FROM \"%s\"%s%s", table,
             where ? " WHERE " : "", where ? where : "");
    if (sqlite3_prepare_v2(s->db, sql, -1, &rows, NULL) != SQLITE_OK) {
        refuse(s, e);
        return NULL;
    }
    if (where)
        sqlite3_bind_int64(rows, 1, value);
    return rows;
}

bool sqlite_step(struct sqlite_file *s, struct sqlite3_stmt *rows, struct err *e)
{
    int code = rows ? sqlite3_step(rows) : SQLITE_DONE;
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        refuse(s, e);
    return code == SQLITE_ROW;
}

void sqlite_done(struct sqlite3_stmt *rows)
{
    sqlite3_finalize(rows);
}

int64_t sqlite_int(struct sqlite3_stmt *rows, int column)
{
    int64_t value = sqlite3_column_int64(rows, column); /* of NULL it is 0 */
    return value || sqlite3_column_type(rows, column) != SQLITE_NULL ? value : NO_ID;
}

struct str sqlite_text(struct sqlite3_stmt *rows, int column)
{
    const char *p = (const char *)sqlite3_column_text(rows, column);
    return (struct str){p, p ? sqlite3_column_bytes(rows, column) : 0};
}
