#include "perf/cost_rms_norm.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf/perf_case.h"

/* E = 24, C = 4: 6*(2*4 + 2) + 48 = 108; (2*24 + 4)*2. */
static void plain(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"aiter::rms_norm\", \"dims\": [[6, 4], [4]], \"types\": "
                "[\"c10::BFloat16\"], \"strides\": [[4, 1]]}",
                PERF_FORWARD, 108, 104, "vector_bf16");
}

/* E more FLOP, twice the traffic. */
static void residual_first(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"aiter::add_rmsnorm\", \"dims\": [[6, 4], [6, 4], [6, 4], "
                "[6, 4], [4]], \"types\": [\"c10::BFloat16\", \"c10::BFloat16\"], "
                "\"strides\": [[4, 1], [4, 1]]}",
                PERF_FORWARD, 132, 200, "vector_bf16");
}

/* 2E more FLOP; 48 + 8 in, 24 out, 6 rows of 2 scales of 4 bytes. */
static void groups_have_scales(void **state)
{
    (void)state;
    expect_cost(
        "{\"op\": \"aiter::rmsnorm_quant\", \"dims\": [[6, 4], [6, 4], [6, "
        "2], [4]], \"types\": [\"c10::BFloat16\", \"c10::BFloat16\"], "
        "\"strides\": [[4, 1], [4, 1]], \"concrete\": [\"\", \"\", \"\", \"\", \"\", "
        "\"2\"]}",
        PERF_FORWARD, 156, 128, "vector_bf16");
}

/* C = 4 to 8: 2E + C, then 6 rows of 8 and of 4, 2 bytes each. */
static void rows_are_padded(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"aiter::fused_add_rmsnorm_pad_\", \"dims\": [[6, 4], "
                "[4]], \"types\": [\"c10::BFloat16\"], \"strides\": [[4, 1]], "
                "\"concrete\": [\"\", \"\", \"\", \"\", \"8\"]}",
                PERF_FORWARD, 132, 248, "vector_bf16");
}

static void no_channels_fail(void **state)
{
    (void)state;
    expect_status("{\"op\": \"aiter::rms_norm\", \"dims\": [[6, 4], [0]], \"types\": "
                  "[\"c10::BFloat16\"], \"strides\": [[4, 1]]}",
                  PERF_FORWARD, PERF_FAIL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain),
        cmocka_unit_test(residual_first),
        cmocka_unit_test(groups_have_scales),
        cmocka_unit_test(rows_are_padded),
        cmocka_unit_test(no_channels_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
