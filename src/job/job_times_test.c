#include "job_times.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* Moved, slowed and moved again: what a row shows is found in the trace. */
static void the_time_of_the_trace_is_found(void **state)
{
    (void)state;
    struct job_member rows[3] = {{0}};
    const int64_t at_ns[3] = {500, 2000000000, 90000000000};
    struct job_rank r = {.trace_ns = -1700000000000000000, .rows = rows, .n_rows = 3};
    for (int i = 0; i < 3; i++)
        rows[i].start_ns = 1700000000000000000 + at_ns[i];
    rank_shift(&r, -1700000000000000000);
    rank_slow(&r, 5e-5, 1000);
    rank_shift(&r, 123456);
    assert_int_equal(rows[2].start_ns, 90000000000 - 4500000 + 123456);
    for (int i = 0; i < 3; i++)
        assert_true(llabs(rank_trace_ns(&r, rows[i].start_ns) - at_ns[i]) <= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_time_of_the_trace_is_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
