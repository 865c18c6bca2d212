#include "compare_renamed.c"

#include "base/arena_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_other_name(void **state)
{
    (void)state;
    struct match m[] = {
        {.n = {3, 3}, .ns = {900, 900}, .kernel = {S_INIT("gemm"), S_INIT("gemm")}},
        {.n = {3, 3}, .ns = {60, 60}, .kernel = {S_INIT("add"), S_INIT("add_v2")}},
        {.n = {1, 0}, .ns = {40, 0}, .kernel = {S_INIT("copy"), {0}}}};
    struct compared_row rows[] = {{.match = &m[0]}, {.match = &m[1]}, {.match = &m[2]}};
    struct capture sides[] = {{.label = S("old")}, {.label = S("new")}};
    struct comparison c = {.of = {&sides[0], &sides[1]},
                           .rows = rows,
                           .n_rows = 3,
                           .device_ns = {1000, 960}};
    assert_true(str_eq(compare_renamed(&a, &c),
                       S("; kernels have other names: `add_v2` runs in `new` in "
                         "place of `add`")));
    m[1].ns[0] = 9; /* less than a hundredth */
    assert_int_equal(compare_renamed(&a, &c).n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_other_name)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
