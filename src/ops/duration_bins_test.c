#include "duration_bins.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void durations_are_in_their_bins(void **state)
{
    (void)state;
    struct duration_bins d = {0};
    duration_bins_add(&d, 1);
    duration_bins_add(&d, 100);
    duration_bins_add(&d, 1000);
    assert_int_equal(d.count[0], 2);
    assert_int_equal(d.total_ns[0], 101);
    assert_int_equal(d.count[8], 1);
}

/* A kernel may start as long after its launch as a trace allows, and so may any number
 * of them. */
static void sums_of_distances_stay_in_range(void **state)
{
    (void)state;
    struct duration_bins d = {0};
    for (int k = 0; k < 5; k++)
        duration_bins_add(&d, (int64_t)1 << 62);
    assert_int_equal(d.count[DURATION_BINS - 1], 5);
    assert_int_equal(d.total_ns[DURATION_BINS - 1], INT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(durations_are_in_their_bins),
        cmocka_unit_test(sums_of_distances_stay_in_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
