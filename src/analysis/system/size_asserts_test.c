#include "analysis/system/size_asserts.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Five checks, 10 us apart, in a gap of 1 ms; one before it, and one 500 us later, to
 * which other work leads; in the next gap one alone. */
static void checks_are_counted_in_gaps(void **state)
{
    (void)state;
    static const double at_us[] = {90, 110, 120, 130, 140, 150, 650, 2100};
    struct trace_case c;
    case_begin(&c);
    case_frame(&c, "main.py(1): main", 0, 5000);
    for (size_t k = 0; k < sizeof at_us / sizeof *at_us; k++)
        case_frame(&c, "<built-in function assert_size_stride>", at_us[k], 0.5);
    case_frame(&c, "<built-in function len>", 160, 0.5);
    case_launch(&c, "gemm", 4000, 4100, 10, 1);
    case_open(&c, NULL);
    struct idle_span spans[] = {{.start_ns = 100000, .end_ns = 1100000},
                                {.start_ns = 2000000, .end_ns = 2200000}};
    struct idle_group g = {.class = IDLE_PYTHON, .spans = spans, .n_spans = 2};
    struct size_asserts found = size_asserts_of(c.tmp, &c.store, &g);
    assert_int_equal(found.calls, 7);
    assert_int_equal(found.ns, 40000);
    g.class = IDLE_DISPATCH;
    assert_int_equal(size_asserts_of(c.tmp, &c.store, &g).calls, 0);
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(checks_are_counted_in_gaps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
