#include "report/table_build.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"

/* A number and its square, of as many rows as are asked for. */
static struct table_build squares(ptrdiff_t rows)
{
    struct table_build b = table_begin(&a, S("squares"), "Numbers and squares", rows);
    add_column(&b, S("n"), UNIT_COUNT, "A number");
    add_column(&b, S("n * n"), UNIT_NONE, "Its square");
    return b;
}

static void put_square(struct table_build *b, const void *of, ptrdiff_t row)
{
    int64_t n = *(const int *)of + row;
    put_int(b, n);
    put_real(b, (double)(n * n));
}

static void square_is(const struct report_table *t, ptrdiff_t row, int64_t n)
{
    const struct cell *c = table_row(t, row, &a);
    assert_int_equal(c[0].as.i, n);
    assert_true(c[1].as.r == (double)(n * n));
}

static void cells_are_put_row_by_row(void **state)
{
    int from = 0;
    (void)state;
    struct table_build b = squares(8); /* at most */
    for (int k = 0; k < 3; k++)
        put_square(&b, &from, k);
    struct report_table t = table_done(&b);
    assert_int_equal(t.n_rows, 3);
    assert_int_equal(t.n_columns, 2);
    assert_text(t.columns[1].title, "n * n");
    assert_text(t.columns[0].meaning, "A number");
    assert_int_equal(t.columns[0].unit, UNIT_COUNT);
    square_is(&t, 2, 2);
}

/* Made when it is read, and the same as if it were kept. */
static void rows_may_be_made_when_read(void **state)
{
    int from = 5;
    (void)state;
    struct table_build b = squares(4);
    struct report_table t = table_of_rows(&b, &from, put_square);
    assert_int_equal(t.n_rows, 4);
    assert_null(t.cells);
    square_is(&t, 0, 5);
    square_is(&t, 3, 8);
    struct report_table kept = table_with_cells(&a, &t);
    assert_int_equal(kept.n_rows, 4);
    assert_non_null(kept.cells);
    assert_null(kept.put_row);
    for (int k = 0; k < 4; k++)
        square_is(&kept, k, 5 + k);
    struct report_table part = table_part(&a, &t, 1, 2);
    assert_int_equal(part.n_rows, 2);
    square_is(&part, 0, 6);
    part = table_part(&a, &kept, 3, 9); /* no more than there are */
    assert_int_equal(part.n_rows, 1);
    square_is(&part, 0, 8);
}

/* What is not finite is no cell. */
static void a_cell_is_of_its_kind(void **state)
{
    static const struct table_heading heads[] = {{"a", "x"}, {"b", "y"}};
    (void)state;
    struct table_build b = table_of(&a, "kinds", "All kinds", 4, heads, 2);
    put_real(&b, 1.5);
    put_real(&b, (double)NAN);
    put_real(&b, -(double)INFINITY);
    put_bool(&b, true);
    put_text(&b, S("ours"));
    put_name(&b, S("theirs"));
    put_none(&b);
    put_int(&b, -7);
    struct report_table t = table_done(&b);
    static const int want[] = {CELL_REAL, CELL_NONE, CELL_NONE, CELL_BOOL,
                               CELL_TEXT, CELL_NAME, CELL_NONE, CELL_INT};
    for (int k = 0; k < 8; k++)
        assert_int_equal(table_cell(&t, k / 2, k % 2)->kind, want[k]);
    assert_text(t.columns[1].title, "b");
    assert_text(t.columns[1].meaning, "y");
    assert_int_equal(table_cell(&t, 3, 1)->as.i, -7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_put_row_by_row),
        cmocka_unit_test(rows_may_be_made_when_read),
        cmocka_unit_test(a_cell_is_of_its_kind),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
