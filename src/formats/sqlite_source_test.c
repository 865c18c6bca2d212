#include "formats/sqlite_source.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sqlite3.h>
#include <unistd.h>

/* A source of the file that a program of SQL makes. */
static struct sqlite_source *source_of(const char *sql)
{
    struct sqlite3 *db;
    struct sqlite_source *s;
    struct err e = {0};
    char path[] = "/tmp/tracefolio-XXXXXX";
    int fd = mkstemp(path);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    struct trace_file f = {.fd = fd, .bytes = 1};
    assert_true(sqlite_source_open(&s, "label", &f, &e));
    unlink(path);
    return s;
}

static void numbers_in_any_order(void **state)
{
    (void)state;
    struct err e = {0};
    struct sqlite_rows rows = {0};
    struct sqlite_source *s = source_of(
        "create table t (i, a, b); insert into t values (-5, 1, 2), (3, 3, 4), "
        "(4, 5, null), (9, 7, 8), (4, 9, 10), (20, 11, 12), (null, 13, 14), (8, 15, "
        "16), (9223372036854775807, 17, 18)");
    assert_true(sqlite_rows_read(s, &rows, "t", "i a b", 2, &e));
    assert_int_equal(rows.n_rising, 4);
    assert_int_equal(sqlite_row_of(&rows, -5)[1], 2);
    assert_int_equal(sqlite_value_of(&rows, 3), 3);
    assert_int_equal(sqlite_value_of(&rows, 4), 9); /* the last of two */
    assert_int_equal(sqlite_value_of(&rows, 9), 7);
    assert_int_equal(sqlite_row_of(&rows, 8)[1], 16);
    assert_int_equal(sqlite_row_of(&rows, 20)[0], 11);
    assert_int_equal(sqlite_value_of(&rows, INT64_MAX), 17);
    assert_null(sqlite_row_of(&rows, 5));
    assert_null(sqlite_row_of(&rows, -6));
    assert_int_equal(sqlite_value_of(&rows, NO_ID), NO_ID);
    sqlite_source_close(s);
}

static void no_rows(void **state)
{
    (void)state;
    struct err e = {0};
    struct sqlite_rows rows = {0};
    struct sqlite_source *s = source_of("create table t (i, a)");
    assert_true(sqlite_rows_read(s, &rows, "t", "i a", 1, &e));
    assert_null(sqlite_row_of(&rows, 0));
    assert_true(sqlite_rows_read(s, &rows, "none", "i a", 1, &e));
    assert_int_equal(sqlite_row_at(&rows, 0), -1);
    sqlite_source_close(s);
}

/* More pages than are read ahead, with rows that fill several. */
static void rows_of_many_pages(void **state)
{
    (void)state;
    enum { ROWS = 3000 };
    struct err e = {0};
    struct sqlite_rows rows = {0};
    struct sqlite_source *s = source_of(
        "create table t (i integer primary key, a, long); with recursive c(n) as "
        "(select 1 union all select n + 1 from c where n < 3000) insert into t select "
        "n, n * 7, hex(randomblob(case when n % 500 = 0 then 60000 else 100 end)) "
        "from c");
    assert_true(sqlite_rows_read(s, &rows, "t", "i a", 1, &e));
    assert_int_equal(rows.n_rising, ROWS);
    for (int i = 1; i <= ROWS; i++)
        assert_int_equal(sqlite_value_of(&rows, i), 7 * i);
    struct sqlite3_stmt *r = sqlite_rows_of(s, "t", "i long", &e);
    for (int i = 1; i <= ROWS; i++)
        assert_true(sqlite_step(&s->file, r, &e) &&
                    sqlite_text(r, 1).n == (i % 500 ? 200 : 120000));
    sqlite_done(r);
    sqlite_source_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_in_any_order),
                                       cmocka_unit_test(no_rows),
                                       cmocka_unit_test(rows_of_many_pages)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
