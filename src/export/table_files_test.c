#include "table_files.c"

#include "base/arena_case.h"
#include "report/table_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct table_column two[] = {{.title = {"name", 4}}, {.title = {"number", 6}}};

/* The text of a file, which is removed. */
static struct str taken(const char *dir, const char *name)
{
    const char *path = str_printf(&a, "%s/%s", dir, name).p;
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    char *text = arena_take(&a, 1, 1, 1 << 16);
    size_t n = fread(text, 1, 1 << 16, f);
    fclose(f);
    assert_int_equal(unlink(path), 0);
    return (struct str){text, (ptrdiff_t)n};
}

static int made; /* rows */

static void put_row(struct table_build *b, const void *of, ptrdiff_t row)
{
    (void)of;
    put_name(b, str_printf(b->arena, "row %td", row));
    put_int(b, row);
    made++;
}

enum { ROWS = 2 * ROWS_AT_ONCE + 7 };

static const struct report_table many = {.name = {"many", 4},
                                         .columns = two,
                                         .n_columns = 2,
                                         .n_rows = ROWS,
                                         .put_row = put_row};

/* Each row is made once, for both. */
static void test_rows_come_once(void **state)
{
    (void)state;
    char dir[] = "/tmp/table_files_test.XXXXXX";
    assert_non_null(mkdtemp(dir));
    const char *book = str_printf(&a, "%s/a.xlsx", dir).p;
    struct table_files both = {.csv_dir = dir, .book = book}, one = {.book = book};
    struct err e = {0};
    made = 0;
    assert_true(table_files_write(&both, &many, 1, a, &e));
    assert_int_equal(made, ROWS);
    struct str with_csv = taken(dir, "a.xlsx"), csv = taken(dir, "many.csv");
    assert_true(table_files_write(&one, &many, 1, a, &e));
    assert_true(str_eq(taken(dir, "a.xlsx"), with_csv));
    rmdir(dir);
    struct out o;
    out_memory(&o);
    csv_table(&o, &many, a);
    assert_true(str_eq(csv, out_view(&o)));
    assert_true(str_ends(csv, S("\nrow 406,406\n")));
    out_free(&o);
}

static void test_csv_files(void **state)
{
    (void)state;
    char dir[] = "/tmp/table_files_test.XXXXXX";
    assert_non_null(mkdtemp(dir));
    struct cell cells[] = {INT(1), INT(2)};
    struct report_table t[] = {
        {.name = S("ops_summary"), .columns = two, .n_columns = 2},
        {.name = S("GEMM"),
         .columns = two,
         .cells = cells,
         .n_columns = 2,
         .n_rows = 1}};
    struct table_files f = {.csv_dir = dir};
    struct err e = {0};
    assert_true(table_files_write(&f, t, 2, a, &e));
    assert_text(taken(dir, "GEMM.csv"), "name,number\n1,2\n");
    assert_text(taken(dir, "ops_summary.csv"), "name,number\n");
    assert_int_equal(rmdir(dir), 0);
    assert_false(table_files_write(&f, t, 2, a, &e)); /* the folder is gone */
    assert_int_equal(e.kind, ERR_OUTPUT);
    assert_string_equal(e.doing, "writing CSV tables");
}

/* A table that cannot be a CSV file: no workbook is left. */
static void test_no_workbook_after_a_failure(void **state)
{
    (void)state;
    char dir[] = "/tmp/table_files_test.XXXXXX";
    assert_non_null(mkdtemp(dir));
    struct report_table t = {.name = S("a/b"), .columns = two, .n_columns = 2};
    struct table_files f = {.csv_dir = dir, .book = str_printf(&a, "%s/a.xlsx", dir).p};
    struct err e = {0};
    assert_false(table_files_write(&f, &t, 1, a, &e));
    assert_non_null(strstr(e.what, "cannot be a file"));
    assert_int_equal(rmdir(dir), 0);
    struct err none = {0};
    assert_true(table_files_write(&(struct table_files){0}, &many, 1, a, &none));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_come_once),
        cmocka_unit_test(test_csv_files),
        cmocka_unit_test(test_no_workbook_after_a_failure),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
