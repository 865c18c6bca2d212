#include "perf/cost_group_quant.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf/perf_case.h"

/* 64x32 in 2 bytes: 4096; 2*1024 packed; 64*1 + 32*2 scales. */
static void two_layouts_of_fp4(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"primus::quantize_mxfp4_dual\", \"dims\": [[64, 32]], "
                "\"types\": [\"c10::BFloat16\"]}",
                PERF_FORWARD, 2048, 6272, "vector_bf16");
}

/* 500 in groups of 128: 4 scales of 4 bytes a row; 6*2*500 FLOP; 1000*2 + 1000 + 32. */
static void groups_of_a_row(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"vllm::triton_per_token_group_quant_fp8\", \"dims\": [[2, "
                "500]], \"types\": [\"c10::BFloat16\"], \"concrete\": [\"\", \"128\"]}",
                PERF_FORWARD, 6000, 3032, "vector_bf16");
}

static void unknown_type_fails(void **state)
{
    (void)state;
    expect_status(
        "{\"op\": \"aiter::dynamic_per_tensor_quant\", \"dims\": [[2], [2], "
        "[1]], \"types\": [\"c10::Unknown\", \"float\", \"float\"], \"strides\": "
        "[[1], [1], [1]]}",
        PERF_FORWARD, PERF_FAIL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_layouts_of_fp4),
        cmocka_unit_test(groups_of_a_row),
        cmocka_unit_test(unknown_type_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
