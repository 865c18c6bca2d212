#include "perf/cost_moe_aux.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf/perf_case.h"

/* 32 and 8 elements: 32*2 + 8*4 bytes. */
static void largest_and_all(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"aiter::moe_sorting_fwd\", \"dims\": [[8], [], [4, 8]], "
                "\"types\": [\"int\", \"Scalar\", \"c10::BFloat16\"]}",
                PERF_FORWARD, 32, 96, "vector_bf16");
    expect_params("{\"op\": \"aiter::moe_sorting_fwd\", \"dims\": [[8], [], [4, 8]], "
                  "\"types\": [\"int\", \"Scalar\", \"c10::BFloat16\"]}",
                  "operands=[((8,), 'int'), ((4, 8), 'c10::BFloat16')]");
}

/* 6*2*8; 16*2 + 32 + 2*2*3*4 bytes. */
static void choose(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"aiter::topk_softplus\", \"dims\": [[2, 3], [2, 3], [2, "
                "8]], \"types\": [\"float\", \"int\", \"c10::BFloat16\"]}",
                PERF_FORWARD, 96, 112, "vector_bf16");
}

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
        cmocka_unit_test(largest_and_all),
        cmocka_unit_test(choose),
        cmocka_unit_test(moves_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
