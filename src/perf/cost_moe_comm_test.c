#include "perf/cost_moe_comm.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf/perf_case.h"

static void moves_only(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"MoEDispatch\", \"dims\": [[6, 7]], \"types\": "
                "[\"c10::BFloat16\"]}",
                PERF_FORWARD, 0, 84, "");
    expect_cost("{\"op\": \"MoECombine\", \"dims\": [[6, 7]], \"types\": "
                "[\"c10::BFloat16\"]}",
                PERF_BACKWARD, 0, 84, "");
    expect_cost("{\"op\": \"MoECombine\", \"dims\": [[6]], \"types\": "
                "[\"c10::BFloat16\"]}",
                PERF_FORWARD, 0, -1, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
