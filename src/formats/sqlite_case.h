/* sqlite_case.h - for tests of the formats that are SQLite files: their events, of a
 * file that a program of SQL makes. */
#ifndef FORMATS_SQLITE_CASE_H
#define FORMATS_SQLITE_CASE_H

#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "formats/sqlite_source.h"
#include "trace/event.h"

static struct event_source events;

typedef bool case_is(struct sqlite_file *file);
typedef bool case_events(struct event_source *events, struct sqlite_source *s,
                         const struct source_options *o, struct err *e);

static inline void case_opened(const char *tables, const char *rows, case_is *is,
                               case_events *open)
{
    struct sqlite3 *db;
    struct sqlite_source *s;
    struct source_options o = {0};
    struct err e = {0};
    char path[] = "/tmp/sqlite_case.XXXXXX";
    int fd = mkstemp(path);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, tables, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, rows, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    struct trace_file f = {.fd = fd, .bytes = 1};
    assert_true(sqlite_source_open(&s, "label", &f, &e));
    assert_true(is(&s->file));
    if (!open(&events, s, &o, &e))
        fail_msg("%s", e.what);
    unlink(path);
}

/* The next event; NULL: there is none. */
static inline struct event *next(void)
{
    struct err e = {0};
    struct event *ev = events.next(events.state, &e);
    if (e.kind != ERR_NONE)
        fail_msg("%s", e.what);
    return ev;
}

#endif
