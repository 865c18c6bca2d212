#include "report/cell_text.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"

/* What a function puts into the only row of a table. */
static struct table_build begun(int columns)
{
    struct table_build b = table_begin(&a, S("t"), "A row", 1);
    for (int k = 0; k < columns; k++)
        add_column(&b, S("c"), UNIT_NONE, "");
    return b;
}

static struct cell cell(struct table_build *b, int k)
{
    return b->t.cells[k];
}

/* 65 letters are cut to 64; two-byte ones count once. */
static void names_are_cut_by_characters(void **state)
{
    (void)state;
    assert_text(head_chars(S("abc"), 2), "ab");
    assert_text(head_chars(S("abc"), 3), "abc");
    assert_text(head_chars(S("a\xc3\xa4"
                             "b"),
                           2),
                "a\xc3\xa4");
    assert_text(head_chars(S("\xc3\xa4\xc3\xa4"), 1), "\xc3\xa4");
    assert_text(head_chars(S(""), 4), "");
}

static void kernels_are_told_long_and_short(void **state)
{
    char name[66];
    memset(name, 'k', 65);
    name[65] = '\0';
    struct kernel_detail d[] = {{.name = S("it's"),
                                 .stream = 7,
                                 .n = 2,
                                 .total_us = 3,
                                 .mean_us = 1.505,
                                 .median_us = 1.25,
                                 .std_us = 0.5,
                                 .min_us = 1,
                                 .max_us = 2},
                                {.name = str_of(name), .stream = -1, .mean_us = 1.004}};
    (void)state;
    struct table_build b = begun(2);
    put_kernel_details(&b, d, 1);
    assert_text(
        cell(&b, 0).as.text,
        "[{'name': \"it's\", 'stream': 7, 'count': 2, 'total_duration_us': 3.0, "
        "'mean_duration_us': 1.505, 'median_duration_us': 1.25, "
        "'std_dev_duration_us': 0.5, 'min_duration_us': 1.0, "
        "'max_duration_us': 2.0}]");
    assert_text(cell(&b, 1).as.text,
                "[{'name': \"it's\", 'stream': 7, 'mean_duration_us': 1.5}]");
    b = begun(2);
    put_kernel_details(&b, d + 1, 1);
    name[64] = '\0';
    assert_text(cell(&b, 1).as.text,
                str_c(&a, str_printf(&a,
                                     "[{'name': '%s...', 'stream': None, "
                                     "'mean_duration_us': 1.0}]",
                                     name)));
    b = begun(2);
    put_kernel_details(&b, NULL, 0);
    assert_text(cell(&b, 0).as.text, "[]");
    assert_int_equal(cell(&b, 1).kind, CELL_NONE);
}

static void parameters_have_their_kind(void **state)
{
    struct perf_param params[] = {{"M", "64", 2, PERF_INT},
                                  {"scale", "0.5", 3, PERF_REAL},
                                  {"shape", "(1, 2)", 6, PERF_TUPLE},
                                  {"bias", "None", 4, PERF_NONE}};
    struct perf_cost cost = {.params = params, .n_params = 4};
    (void)state;
    struct table_build b = begun(6);
    put_param(&b, &cost, "M");
    put_param(&b, &cost, "scale");
    put_param(&b, &cost, "shape");
    put_param(&b, &cost, "bias");
    put_param(&b, &cost, "none");
    put_params(&b, &cost);
    assert_int_equal(cell(&b, 0).as.i, 64);
    assert_true(cell(&b, 1).as.r == 0.5);
    assert_text(cell(&b, 2).as.text, "(1, 2)");
    assert_int_equal(cell(&b, 3).kind, CELL_NONE);
    assert_int_equal(cell(&b, 4).kind, CELL_NONE);
    assert_text(cell(&b, 5).as.text,
                "{'M': 64, 'scale': 0.5, 'shape': (1, 2), 'bias': None}");
    b = begun(2);
    put_params(&b, NULL);
    put_tuple(&b, NULL);
    assert_int_equal(cell(&b, 0).kind, CELL_NONE);
    assert_int_equal(cell(&b, 1).kind, CELL_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_cut_by_characters),
        cmocka_unit_test(kernels_are_told_long_and_short),
        cmocka_unit_test(parameters_have_their_kind),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
