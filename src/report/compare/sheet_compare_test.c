#include "sheet_compare.c"

#include "base/arena_case.h"
#include "export/csv_tables.h"
#include "report/compare/sheet_csv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct sheet_side side_of(const char *tag, const char *name, const char *csv)
{
    struct err e = {0};
    struct sheet_side s = {str_of(tag),
                           {.tables = arena_new(&a, struct report_table, 1), .n = 1}};
    assert_true(sheet_of_csv(&a, str_of(name), str_of(csv), "t", s.sheets.tables, &e));
    return s;
}

/* Compare one sheet of both sides; the n-th table of the result as CSV. */
static const char *compared(const char *name, const char *old, const char *new, int n)
{
    struct sheet_side x = side_of("old", name, old), y = side_of("new", name, new);
    struct sheets s = sheet_compare(&a, arena_reserve(1 << 20), &x, &y);
    struct out o;
    if (n >= s.n)
        return "none";
    out_memory(&o);
    csv_table(&o, &s.tables[n], (struct arena){0});
    return str_c(&a, out_text(&o, &a));
}

/* The reference's order, and no share of nothing. */
static void test_timeline(void **state)
{
    (void)state;
    assert_string_equal(compared("gpu_timeline", "type,time ms\nbusy,4.0\nidle,0.0\n",
                                 "type,time ms\nidle,1.5\nbusy,5.0\n", 0),
                        "type,time ms__new_diff,time ms__new_pct,old::time ms,"
                        "new::time ms\n"
                        "busy,1.0,25.0,4.0,5.0\nidle,1.5,,0.0,1.5\n");
}

/* Rows of one side stay; counts turn to real numbers where a side misses a row. */
static void test_one_sided_rows(void **state)
{
    (void)state;
    assert_string_equal(
        compared("ops_summary",
                 "name,Count,total_direct_kernel_time_ms,Cumulative Percentage (%)\n"
                 "small,1,1.0,100.0\nbig,2,8.0,80.0\n",
                 "name,Count,total_direct_kernel_time_ms,Cumulative Percentage (%)\n"
                 "added,3,2.0,100.0\nbig,2,4.0,80.0\n",
                 0),
        "name,total_direct_kernel_time_ms__new_diff,total_direct_kernel_time_ms__new_"
        "pct,"
        "Count__new_diff,Count__new_pct,old::Count,old::total_direct_kernel_time_ms,"
        "old::Cumulative Percentage (%),new::Count,new::total_direct_kernel_time_ms\n"
        "big,-4.0,-50.0,0.0,0.0,2.0,8.0,80.0,2.0,4.0\n"
        "small,,,,,1.0,1.0,100.0,,\n"
        "added,,,,,,,,3.0,2.0\n");
}

static void test_split(void **state)
{
    (void)state;
    const char *x = "name,Kernel Time (µs)_sum,name_count,param: M,param: t\n"
                    "mm,4.0,2,8,1\nmm,1.0,1,16,1\n",
               *y = "name,Kernel Time (µs)_sum,name_count,param: M\nmm,6.0,2,8\n";
    assert_string_equal(
        compared("GEMM", x, y, 0),
        "name,param: M,Kernel Time (µs)_sum__new_diff,Kernel Time (µs)_sum__new_pct,"
        "name_count__new_diff,name_count__new_pct,old::Kernel Time (µs)_sum,"
        "old::name_count,old::param: t,new::Kernel Time (µs)_sum,new::name_count\n"
        "mm,8,2.0,50.0,0.0,0.0,4.0,2,1,6.0,2.0\n");
    assert_string_equal(compared("GEMM", x, y, 1),
                        "name,param: M,old::Kernel Time (µs)_sum,old::name_count,"
                        "old::param: t\nmm,16,1.0,1,1\n");
    assert_string_equal(compared("GEMM", x, y, 2), "\n");
}

/* Keys that occur more than once on both sides are joined each with each. */
static void test_repeated_keys(void **state)
{
    (void)state;
    const char *t = "type,time ms\nx,1.0\nx,2.0\n";
    assert_string_equal(
        compared("gpu_timeline", t, t, 0),
        "type,time ms__new_diff,time ms__new_pct,old::time ms,new::time ms\n"
        "x,0.0,0.0,1.0,1.0\nx,1.0,100.0,1.0,2.0\n"
        "x,-1.0,-50.0,2.0,1.0\nx,0.0,0.0,2.0,2.0\n");
    assert_string_equal(compared("gpu_timeline", "kind,ms\nx,1\n", t, 0), "none");
}

/* Thousands of rows of one key on both sides are joined in their order. */
static void test_many_repeated_keys(void **state)
{
    (void)state;
    enum { ROWS = 2000 };
    struct out o;
    out_memory(&o);
    out_lit(&o, "type,time ms\n");
    for (int i = 0; i < ROWS; i++)
        out_lit(&o, "x,1.0\n");
    out_char(&o, '\0');
    struct sheet_side x = side_of("old", "gpu_timeline", out_view(&o).p),
                      y = side_of("new", "gpu_timeline", out_view(&o).p);
    struct sheets s = sheet_compare(&a, arena_reserve(1 << 24), &x, &y);
    assert_int_equal(s.tables[0].n_rows, ROWS);
    out_free(&o);
}

static void test_names(void **state)
{
    (void)state;
    struct str tag = file_tag(&a, S("a/b.c"));
    assert_true(str_eq(tag, S("a_b_c")));
    assert_int_equal(sheet_sources(), RULES - 1);
    assert_true(str_eq(sheet_source(0), S("gpu_timeline")));
    assert_true(str_eq(sheet_source(3), S("ops_unique_args")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_timeline),
        cmocka_unit_test(test_one_sided_rows),
        cmocka_unit_test(test_split),
        cmocka_unit_test(test_repeated_keys),
        cmocka_unit_test(test_many_repeated_keys),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
