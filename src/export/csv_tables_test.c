#include "csv_tables.c"

#include "report/table_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void check(const struct report_table *t, const char *want)
{
    struct out o;
    out_memory(&o);
    csv_table(&o, t, (struct arena){0});
    out_char(&o, '\0');
    assert_string_equal(out_view(&o).p, want);
    out_free(&o);
}

static void check_field(struct str text, const char *want)
{
    struct out o;
    out_memory(&o);
    put_words(&o, text);
    out_char(&o, '\0');
    assert_string_equal(out_view(&o).p, want);
    out_free(&o);
}

static struct table_column two[] = {{.title = {"name", 4}},
                                    {.title = {"TB/s, \"mean\"", 12}}};

static void test_kinds(void **state)
{
    (void)state;
    struct cell cells[] = {NAME("aten::mm"),
                           REAL(12.0),
                           TEXT("((8, 512), ())"),
                           REAL(1e-9),
                           INT(-17),
                           BOOL(true),
                           NONE,
                           BOOL(false),
                           REAL((double)NAN),
                           REAL(7.2192e-05),
                           INT(INT64_MIN),
                           REAL((double)INFINITY)};
    struct report_table t = {
        .columns = two, .cells = cells, .n_columns = 2, .n_rows = 6};
    check(&t, "name,\"TB/s, \"\"mean\"\"\"\n"
              "aten::mm,12.0\n"
              "\"((8, 512), ())\",1e-09\n"
              "-17,True\n"
              ",False\n"
              ",7.2192e-05\n"
              "-9223372036854775808,inf\n");
}

static void test_no_rows(void **state)
{
    (void)state;
    struct report_table t = {.columns = two, .n_columns = 2};
    check(&t, "name,\"TB/s, \"\"mean\"\"\"\n");
}

static void test_one_empty_column(void **state)
{
    (void)state;
    struct cell cells[] = {NONE, REAL((double)NAN), TEXT(""), INT(1)};
    struct report_table t = {
        .columns = two, .cells = cells, .n_columns = 1, .n_rows = 4};
    check(&t, "name\n\"\"\n\"\"\n\"\"\n1\n");
}

static void test_formulas(void **state)
{
    (void)state;
    check_field(S("=HYPERLINK(\"http://x\")"), "\"'=HYPERLINK(\"\"http://x\"\")\"");
    check_field(S("+1"), "'+1");
    check_field(S("-1"), "'-1");
    check_field(S("@SUM(A1)"), "'@SUM(A1)");
    check_field(S("\t=1"), "'\t=1");
    check_field(S("\r=1"), "\"'\r=1\"");
    check_field(S("a=1"), "a=1");
    check_field(S(""), "");
}

static void test_hostile_bytes(void **state)
{
    (void)state;
    check_field(S("a\0b"), "a\\x00b");
    check_field(S("\0=1"), "\\x00=1");
    check_field(S("\x1b[31m\x7f"), "\\x1b[31m\\x7f");
    check_field(S("caf\xC3\xA9 \xC2\xB5s"), "caf\xC3\xA9 \xC2\xB5s");
    check_field(S("\xC3(\xFF"), "\\xc3(\\xff");
    check_field(S("two\nlines"), "\"two\nlines\"");
    check_field(S("' or '"), "' or '");
}

static void test_names_that_are_no_files(void **state)
{
    (void)state;
    struct arena tmp = arena_reserve(1 << 16);
    char *start = tmp.at;
    static const struct str bad[] = {{"op cat", 6}, {"", 0}, {"../b", 4}, {"a\0b", 3}};
    for (int i = 0; i < 4; i++) {
        struct report_table t = {.name = bad[i], .columns = two, .n_columns = 2};
        struct err e = {0};
        struct out o;
        assert_false(csv_open(&o, "/nonexistent", &t, &tmp, &e));
        assert_non_null(strstr(e.what, "cannot be a file"));
    }
    arena_release(start, &tmp);
}

static void test_full_disk(void **state)
{
    (void)state;
    struct cell cells[] = {INT(1), INT(2)};
    struct report_table t = {
        .columns = two, .cells = cells, .n_columns = 2, .n_rows = 1};
    struct err e = {0};
    struct out o;
    assert_true(out_open(&o, "/dev/full", &e));
    csv_table(&o, &t, (struct arena){0});
    assert_false(out_close(&o, &e));
    assert_int_equal(e.kind, ERR_OUTPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_no_rows),
        cmocka_unit_test(test_one_empty_column),
        cmocka_unit_test(test_formulas),
        cmocka_unit_test(test_hostile_bytes),
        cmocka_unit_test(test_names_that_are_no_files),
        cmocka_unit_test(test_full_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
