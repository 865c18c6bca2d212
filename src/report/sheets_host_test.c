#include "sheets_host.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"
#include "report/table_case.h"

static void each_figure_of_the_host_is_under_its_title(void **state)
{
    enum { MS = 1000000 };
    struct host_row op = {S("aten::mm"), 2, 3 * MS, 4 * MS, 5 * MS, 6},
                    module = {S("Mlp"), 12, 13 * MS, 14 * MS, 15 * MS, 16};
    struct host_thread threads[] = {
        {S("python"), S("main"), S("7"), 21, 50 * MS, 23 * MS},
        {S("python"), S(""), S("8"), 31, 32 * MS, 33 * MS}};
    struct host_profile h = {.span_ns = 200 * MS,
                             .operators = &op,
                             .n_operators = 1,
                             .modules = &module,
                             .n_modules = 1,
                             .threads = threads,
                             .n_threads = 2};
    struct op_tables tables = {.host = &h};
    (void)state;
    struct report_table t = sheet_host_operators(&a, &tables);
    assert_string_equal(row_shown(&a, &t, 0),
                        "Operator=aten::mm Calls=2 Self time (ms)=3 Self time (%)=6 "
                        "Total time (ms)=4 Longest call (ms)=5");
    t = sheet_host_modules(&a, &tables);
    assert_string_equal(row_shown(&a, &t, 0),
                        "Module=Mlp Calls=12 Self time (ms)=13 Self time (%)=16 "
                        "Total time (ms)=14 Longest call (ms)=15");
    t = sheet_host_threads(&a, &tables);
    assert_string_equal(row_shown(&a, &t, 0),
                        "Thread=7 Name=main Events=21 Busy (ms)=50 Busy (%)=25 "
                        "In operators (ms)=23");
    assert_string_equal(row_shown(&a, &t, 1),
                        "Thread=8 Name=python Events=31 Busy (ms)=32 Busy (%)=16 "
                        "In operators (ms)=33");
    h.span_ns = 0;
    t = sheet_host_threads(&a, &tables);
    assert_true(table_row(&t, 0, &a)[4].as.r == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_figure_of_the_host_is_under_its_title)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
