#include "perf/cost_collective.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf/perf_case.h"

static void reads_and_writes(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"_C_custom_ar::all_reduce\", \"dims\": [[], [3, 4], [3, "
                "4]], \"types\": [\"\", \"c10::BFloat16\"], \"strides\": [[], [4, 1], "
                "[4, 1]]}",
                PERF_FORWARD, 0, 48, "");
    expect_cost("{\"op\": \"aiter::all_gather_reg\", \"dims\": [[], [3], [6]], "
                "\"types\": [\"\", \"float\"], \"strides\": [[], [1], [1]]}",
                PERF_FORWARD, 0, 36, "");
    expect_cost("{\"op\": \"sglang::reg_all_gather_into_tensor\", \"dims\": [[6], "
                "[3]], \"types\": [\"float\"]}",
                PERF_FORWARD, 0, 36, "");
}

/* E = 12, C = 4: 12 + 3*10 + 24; (48 + 4)*2. */
static void norm_after(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"aiter::fused_allreduce_rmsnorm_\", \"dims\": [[3, 4], "
                "[3, 4], [4]], \"types\": [\"c10::BFloat16\"], \"strides\": [[4, 1]]}",
                PERF_FORWARD, 66, 104, "");
    /* Not in place, the input is the third operand, the weight the seventh. */
    expect_cost(
        "{\"op\": \"aiter::fused_allreduce_rmsnorm\", \"dims\": [[], [], [3, 4], "
        "[3, 4], [], [], [4], [9]], \"types\": [\"\", \"\", \"c10::BFloat16\"], "
        "\"strides\": [[], [], [4, 1]]}",
        PERF_FORWARD, 66, 104, "");
}

/* What the cells of tables show. */
static void arguments_are_told(void **state)
{
    (void)state;
    expect_params("{\"op\": \"_C_custom_ar::all_reduce\", \"dims\": [[], [3, 4]], "
                  "\"types\": [\"\", \"float\"], \"strides\": [[], [4, 1]]}",
                  "op_shape=(3, 4) dtype_in=float stride_input=(4, 1)");
    expect_params("{\"op\": \"sglang::reg_all_gather_into_tensor\", \"dims\": [[6], "
                  "[3]], \"types\": [\"float\"]}",
                  "out_shape=(6,) op_shape=(3,) dtype_in=float");
    expect_params(
        "{\"op\": \"aiter::fused_allreduce_rmsnorm_\", \"dims\": [[3, 4], "
        "[3, 4], [4]], \"types\": [\"c10::BFloat16\"], \"strides\": [[4, 1]]}",
        "op_shape=(3, 4) dtype_in=c10::BFloat16 stride_input=(4, 1) num_channels=4");
}

static void unknown_type_fails(void **state)
{
    (void)state;
    expect_status("{\"op\": \"_C_custom_ar::all_reduce\", \"dims\": [[], [3]], "
                  "\"types\": [\"\", \"bool\"], \"strides\": [[], [1]]}",
                  PERF_FORWARD, PERF_FAIL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_and_writes),
        cmocka_unit_test(norm_after),
        cmocka_unit_test(arguments_are_told),
        cmocka_unit_test(unknown_type_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
