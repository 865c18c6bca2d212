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

/* Each with its operands in slots of its own: 108 FLOP, 48 and 8 bytes in. */
static void libraries_have_their_own_order(void **state)
{
    (void)state;
    expect_cost(
        "{\"op\": \"aiter::rmsnorm\", \"dims\": [[6, 4], [6, 4], [4]], \"types\": "
        "[\"c10::BFloat16\", \"c10::BFloat16\"], \"strides\": [[4, 1], [4, 1]]}",
        PERF_FORWARD, 108, 104, "vector_bf16");
    /* 2E more to round; 24 out, and a scale for each row, or two */
    expect_cost("{\"op\": \"aiter::rmsnorm2d_fwd_with_dynamicquant_ck\", \"dims\": "
                "[[6, 4], [6, 4], [6, 1], [4]], \"types\": [\"c10::BFloat16\", "
                "\"c10::BFloat16\"], \"strides\": [[4, 1], [4, 1]]}",
                PERF_FORWARD, 156, 104, "vector_bf16");
    expect_cost("{\"op\": \"aiter::rmsnorm_quant\", \"dims\": [[6, 4], [6, 4], [6, 1], "
                "[4]], \"types\": [\"c10::BFloat16\", \"c10::BFloat16\"], \"strides\": "
                "[[4, 1], [4, 1]]}",
                PERF_FORWARD, 156, 104, "vector_bf16");
    expect_cost("{\"op\": \"vllm::rocm_aiter_rmsnorm_fp8_group_quant\", \"dims\": [[6, "
                "4], [4]], \"types\": [\"c10::BFloat16\"], \"strides\": [[4, 1]], "
                "\"concrete\": [\"\", \"\", \"\", \"2\"]}",
                PERF_FORWARD, 156, 128, "vector_bf16");
    expect_status("{\"op\": \"vllm::rocm_aiter_rmsnorm_fp8_group_quant\", \"dims\": "
                  "[[6, 4], [4]], \"types\": [\"c10::BFloat16\"], \"strides\": [[4, "
                  "1]], \"concrete\": [\"\", \"\", \"\", \"0\"]}",
                  PERF_FORWARD, PERF_FAIL);
    /* with a residual: E more, read and written */
    expect_cost("{\"op\": \"vllm::rocm_aiter_rmsnorm_with_add_fp8_group_quant\", "
                "\"dims\": [[6, 4], [6, 4], [4]], \"types\": [\"c10::BFloat16\"], "
                "\"strides\": [[4, 1]], \"concrete\": [\"\", \"\", \"\", \"\", \"2\"]}",
                PERF_FORWARD, 180, 224, "vector_bf16");
}

/* E = 384, C = 64: 6*130 + 2E, and 2E; 768 + 128, half a byte each and 12 scales. A
 * second norm of half the width: half as much, 768 and 64 bytes. A residual: E, and 4E
 * bytes. */
static void four_bits_have_a_scale_for_32(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"aiter::_fuse_rmsnorm_fp4_quant\", \"dims\": [[6, 64], "
                "[64]], \"types\": [\"c10::BFloat16\"], \"strides\": [[64, 1]]}",
                PERF_FORWARD, 2316, 1100, "vector_bf16");
    expect_cost(
        "{\"op\": \"aiter::_fuse_rmsnorm_fp4_quant\", \"dims\": [[6, 64], [64], [], "
        "[6, 32]], \"types\": [\"c10::BFloat16\"], \"strides\": [[64, 1]]}",
        PERF_FORWARD, 2316 + 774, 1100 + 832, "vector_bf16");
    expect_cost(
        "{\"op\": \"aiter::_fuse_rmsnorm_fp4_quant\", \"dims\": [[6, 64], [64], [], "
        "[], [], [], [6, 64]], \"types\": [\"c10::BFloat16\"], \"strides\": [[64, 1]]}",
        PERF_FORWARD, 2316 + 384, 1100 + 1536, "vector_bf16");
}

static void what_is_told(void **state)
{
    (void)state;
    expect_params("{\"op\": \"aiter::rms_norm\", \"dims\": [[6, 4], [4]], \"types\": "
                  "[\"c10::BFloat16\"], \"strides\": [[4, 1]]}",
                  "op_shape=(6, 4) dtype_in_out=('c10::BFloat16', None) "
                  "stride_input=(4, 1) stride_output=None num_channels=4 "
                  "has_bias=False is_affine=True is_training=False");
    expect_status("{\"op\": \"aiter::rms_norm\", \"dims\": [[6, 4], [4]], \"types\": "
                  "[\"mine\"], \"strides\": [[4, 1]]}",
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
        cmocka_unit_test(libraries_have_their_own_order),
        cmocka_unit_test(four_bits_have_a_scale_for_32),
        cmocka_unit_test(what_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
