#include "sheet_csv.c"

#include "base/arena_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct report_table read_text(const char *text)
{
    struct report_table t;
    struct err e = {0};
    assert_true(sheet_of_csv(&a, S("t"), str_of(text), "t.csv", &t, &e));
    return t;
}

static void test_kinds(void **state)
{
    (void)state;
    struct report_table t =
        read_text("name,n,us,flag,none\n\"a,\"\"b\"\"\",12,1e-09,True,\n");
    assert_int_equal(t.n_columns, 5);
    assert_int_equal(t.n_rows, 1);
    assert_true(str_eq(table_cell(&t, 0, 0)->as.text, S("a,\"b\"")));
    assert_int_equal(table_cell(&t, 0, 1)->as.i, 12);
    assert_int_equal(table_cell(&t, 0, 2)->kind, CELL_REAL);
    assert_true(table_cell(&t, 0, 2)->as.r == 1e-09);
    assert_int_equal(table_cell(&t, 0, 3)->kind, CELL_BOOL);
    assert_int_equal(table_cell(&t, 0, 4)->kind, CELL_NONE);
}

/* Lines of Windows, a quoted line end, no final line end, short rows, nan and hex. */
static void test_odd_files(void **state)
{
    (void)state;
    struct report_table t = read_text("\xEF\xBB\xBF"
                                      "a,b\r\n\"x\ny\",nan\r\n0x10");
    assert_int_equal(t.n_rows, 2);
    assert_true(str_eq(t.columns[0].title, S("a")));
    assert_true(str_eq(table_cell(&t, 0, 0)->as.text, S("x\ny")));
    assert_int_equal(table_cell(&t, 0, 1)->kind, CELL_NAME);
    assert_int_equal(table_cell(&t, 1, 0)->kind, CELL_NAME);
    assert_int_equal(table_cell(&t, 1, 1)->kind, CELL_NONE);
    assert_int_equal(read_text("\n").n_columns, 0);
    assert_int_equal(read_text("").n_columns, 0);
    assert_int_equal(read_text("a,b\n\"open,1\n2,3").n_rows, 1);
    t = read_text("a,b\n\"x\"y,\"z\"w\n\"1\"2\"3\n"); /* a row for each line */
    assert_int_equal(t.n_rows, 2);
    assert_true(str_eq(table_cell(&t, 0, 0)->as.text, S("x")));
    assert_true(str_eq(table_cell(&t, 0, 1)->as.text, S("z")));
    assert_int_equal(read_text("a\r1\r2\r3\r4").n_rows, 4);
}

static void test_too_many_fields(void **state)
{
    (void)state;
    struct report_table t;
    struct err e = {0};
    assert_false(sheet_of_csv(&a, S("t"), S("a\n1\n2,3\n"), "t.csv", &t, &e));
    assert_string_equal(e.what, "line 3 has more fields than the 1 of the header");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_odd_files),
        cmocka_unit_test(test_too_many_fields),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
