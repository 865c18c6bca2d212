#include "formats/sqlite_file.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define UUID "_0123abcd_4567_89ef_0123_456789abcdef"

static char path[] = "/tmp/tracefolio-XXXXXX";

/* The file that a program of SQL makes, opened; e says why it is not. */
static bool opened(struct sqlite_file *s, const char *sql, struct err *e)
{
    struct sqlite3 *db;
    strcpy(path, "/tmp/tracefolio-XXXXXX");
    int fd = mkstemp(path);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    bool opens =
        sqlite_file_open(s, "label", &(struct trace_file){.fd = fd, .bytes = 1}, e);
    unlink(path);
    return opens;
}

static void rows_with_what_is_there(void **state)
{
    (void)state;
    struct sqlite_file s;
    struct err e = {0};
    assert_true(
        opened(&s,
               "create table t (a, b, \"end\"); insert into t values (1, 'x', 5),"
               " (2, null, 6), ('z', x'00ff', 7.5)",
               &e));
    struct sqlite3_stmt *r = sqlite_select(&s, "t", "a none b gone|end", NULL, 0, &e);
    assert_true(sqlite_step(&s, r, &e));
    assert_int_equal(sqlite_int(r, 0), 1);
    assert_int_equal(sqlite_int(r, 1), NO_ID);
    assert_true(str_eq(sqlite_text(r, 2), S("x")));
    assert_int_equal(sqlite_int(r, 3), 5);
    assert_true(sqlite_step(&s, r, &e));
    assert_null(sqlite_text(r, 2).p);
    assert_true(sqlite_step(&s, r, &e));
    assert_int_equal(sqlite_int(r, 0), 0);
    assert_int_equal(sqlite_text(r, 2).n, 2);
    assert_false(sqlite_step(&s, r, &e));
    sqlite_done(r);
    r = sqlite_select(&s, "t", "a", "a = ?1", 2, &e);
    assert_true(sqlite_step(&s, r, &e) && sqlite_int(r, 0) == 2);
    sqlite_done(r);
    assert_null(sqlite_select(&s, "t", "none a", NULL, 0, &e));
    assert_null(sqlite_select(&s, "none", "a", NULL, 0, &e));
    assert_int_equal(e.kind, ERR_NONE);
    sqlite_file_close(&s);
}

static void names_may_end_in_a_uuid(void **state)
{
    (void)state;
    struct sqlite_file s;
    struct err e = {0};
    struct arena a = arena_reserve(1 << 16);
    assert_true(opened(&s,
                       "create table op_inputs (a); create table op" UUID " (a);"
                       "create table plain (a); create table plain" UUID " (a)",
                       &e));
    assert_string_equal(sqlite_table(&s, &a, "op"), "op" UUID);
    assert_string_equal(sqlite_table(&s, &a, "plain"), "plain");
    assert_null(sqlite_table(&s, &a, "o"));
    assert_null(sqlite_table(&s, &a, "op_input"));
    sqlite_file_close(&s);
}

static void only_plain_tables_are_read(void **state)
{
    (void)state;
    struct sqlite_file s;
    struct err e = {0};
    assert_true(opened(&s,
                       "create table t (a, b as (length(a))); insert into t (a) values "
                       "(1); create view v as select a from t;"
                       "create virtual table f using fts5(a);",
                       &e));
    assert_null(sqlite_select(&s, "v", "a", NULL, 0, &e));
    assert_null(sqlite_select(&s, "f", "a", NULL, 0, &e));
    assert_int_equal(e.kind, ERR_NONE);
    sqlite3_stmt *r = NULL;
    const char *const refused[] = {"select length(a) from t", "attach '/tmp/x' as x",
                                   "create table x (a)", "pragma page_size"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        bool runs = sqlite3_prepare_v2(s.db, refused[i], -1, &r, NULL) == SQLITE_OK &&
                    sqlite3_step(r) == SQLITE_ROW;
        sqlite3_finalize(r);
        if (runs)
            fail_msg("%s", refused[i]);
    }
    sqlite_file_close(&s);
}

static void what_is_no_database_is_refused(void **state)
{
    (void)state;
    struct sqlite_file s;
    struct err e = {0};
    strcpy(path, "/tmp/tracefolio-XXXXXX");
    int fd = mkstemp(path);
    char bytes[5000] = "SQLite format 3";
    memset(bytes + 16, 0x5a, sizeof bytes - 16);
    assert_int_equal(write(fd, bytes, sizeof bytes), sizeof bytes);
    unlink(path);
    assert_false(sqlite_file_open(&s, "label", &(struct trace_file){.fd = fd}, &e));
    assert_non_null(strstr(e.what, "not readable as SQLite"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_with_what_is_there),
        cmocka_unit_test(names_may_end_in_a_uuid),
        cmocka_unit_test(only_plain_tables_are_read),
        cmocka_unit_test(what_is_no_database_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
