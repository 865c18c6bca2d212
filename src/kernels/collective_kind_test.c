#include "kernels/collective_kind.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* What nccl-tests multiplies the algorithm's bandwidth by, among four ranks. */
static void each_kind_has_its_bus_factor(void **state)
{
    (void)state;
    double want[COLLECTIVE_KINDS];
    for (int k = 0; k < COLLECTIVE_KINDS; k++)
        want[k] = 1;
    want[COLLECTIVE_ALL_REDUCE] = 1.5;
    want[COLLECTIVE_REDUCE_SCATTER] = want[COLLECTIVE_ALL_GATHER] = 0.75;
    want[COLLECTIVE_ALL_TO_ALL] = want[COLLECTIVE_ALL_TO_ALL_V] = 0.75;
    for (int k = 0; k < COLLECTIVE_KINDS; k++)
        assert_true(collective_bus_factor((enum collective_kind)k, 4) == want[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_has_its_bus_factor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
