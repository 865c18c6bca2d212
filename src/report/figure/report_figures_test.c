#include "report_figures.c"

#include "report/op_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/near_case.h"

static struct arena memory;

/* 30, 50 and 20 ms of 100; the second has no model. */
static struct report three_operations(void)
{
    struct report r = {.n_ops = 3, .n_categories = 1};
    r.ops = arena_new(&memory, struct report_op, 3);
    r.ops[0] = op_case(S("a"), 50.0, (double)NAN);
    r.ops[1] = op_case(S("b"), 30.0, 80.0);
    r.ops[2] = op_case(S("c"), 20.0, 10.0);
    for (int k = 0; k < 3; k++)
        r.ops[k].category = 0;
    r.categories = arena_new(&memory, struct report_category, 1);
    r.categories[0].slot = SLOT_GEMM;
    r.categories[0].ops = arena_new(&memory, int, 2);
    r.categories[0].ops[0] = 1;
    r.categories[0].ops[1] = 2;
    r.categories[0].n_ops = 2;
    return r;
}

static void shares_lie_side_by_side(void **state)
{
    (void)state;
    memory = arena_reserve(1 << 20);
    struct report r = three_operations();
    struct report_figure f = figure_efficiency(&memory, &r, -1);
    assert_int_equal(f.n_marks, 3);
    assert_true(isnan(f.marks[0].value));
    assert_near(f.marks[0].high, 50.0, 1e-9);
    assert_near(f.marks[1].low, 50.0, 1e-9);
    assert_near(f.marks[1].value, 80.0, 1e-9);
    assert_near(f.marks[2].high, 100.0, 1e-9);
    assert_true(str_eq(f.marks[1].value_text, S("80.0%, 30.0%")));
    /* Of the unknown half nothing is claimed: 20 of 100 ms are below. */
    assert_true(str_starts(f.caption, S("20.0% of kernel time")));
    /* Of the category: 20 of 50 ms. */
    f = figure_efficiency(&memory, &r, 0);
    assert_true(str_starts(f.caption, S("40.0% of the category")));
}

static void what_is_small_is_one_mark(void **state)
{
    (void)state;
    memory = arena_reserve(1 << 20);
    enum { MANY = 100 };
    struct report r = {.n_ops = MANY};
    r.ops = arena_new(&memory, struct report_op, MANY);
    for (int i = 0; i < MANY; i++)
        r.ops[i] = op_case(S("op"), 1.0, 60.0);
    struct report_figure f = figure_efficiency(&memory, &r, -1);
    assert_int_equal(f.n_marks, 60);
    assert_true(f.marks[59].folded);
    assert_true(str_eq(f.marks[59].label, S("other, 41 operations")));
    assert_near(f.marks[59].low, 59.0, 1e-9);
}

static void nothing_known_is_said(void **state)
{
    (void)state;
    memory = arena_reserve(1 << 20);
    struct report r = three_operations();
    op_case_row(&r.ops[1])->efficiency.percent = (double)NAN;
    op_case_row(&r.ops[2])->efficiency.percent = (double)NAN;
    assert_true(figure_efficiency(&memory, &r, 0).empty.n > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shares_lie_side_by_side),
                                       cmocka_unit_test(what_is_small_is_one_mark),
                                       cmocka_unit_test(nothing_known_is_said)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
