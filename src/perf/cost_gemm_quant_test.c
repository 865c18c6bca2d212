#include "perf/cost_gemm_quant.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf/perf_case.h"

/* k = 2*16 = 32: 2*4*6*32 = 1536 FLOP; (4 + 6)*16 packed, 4 + 6 scales, 24 results of 2
 * bytes: 160 + 10 + 48. */
static void blocks_of_32_have_scales(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"aiter::gemm_a4w4\", \"dims\": [[4, 16], [6, 16], [4, 1], "
                "[6, 1]], \"types\": [\"fp4\", \"fp4\", \"c10::Float8_e8m0fnu\", "
                "\"c10::Float8_e8m0fnu\"]}",
                PERF_FORWARD, 1536, 218, "matrix_fp4");
}

/* C' = B'A': with tc the operands change places and turn, m = 5, k = 3, n = 2. */
static void transposed_result_swaps(void **state)
{
    (void)state;
    expect_cost(
        "{\"op\": \"primus_turbo::hipblaslt_gemm_fp8\", \"dims\": [[2, 3], "
        "[], [3, 5], []], \"types\": [\"fp8\", \"float\", \"fp8\", \"float\"], "
        "\"concrete\": [\"\", \"\", \"\", \"\", \"\", \"False\", \"False\", \"True\"]}",
        PERF_FORWARD, 60, 15 + 6 + 20, "matrix_fp8");
}

/* Activation [m, b, k] = [4, 2, 3], weights [2, 5, 3]: twice 2*4*5*3, twice 12 + 15 +
 * 20*2 bytes. */
static void batch_is_found_either_way(void **state)
{
    (void)state;
    expect_cost("{\"op\": "
                "\"sglang_profiler::batched_gemm_a8w8_a_per_token_group_prequant"
                "_w_per_batched_tensor_quant_batched_gemm_a8w8_a_per_token_grou"
                "p_prequant_w_per_batched_tensor_quant\", \"dims\": [[4, 2, 3], "
                "[2, 5, 3]], \"types\": [\"fp8\", \"fp8\"]}",
                PERF_FORWARD, 240, 134, "matrix_fp8");
}

/* K = 256 in 2 scales, N = 130 in 2: blocks of 128 and 65. */
static void scales_tell_the_blocks(void **state)
{
    (void)state;
    expect_params(
        "{\"op\": \"aiter::gemm_a8w8_ck\", \"dims\": [[4, 256], [130, 256], "
        "[4, 2], [2, 2]], \"types\": [\"fp8\", \"fp8\", \"float\", \"float\"]}",
        "B=1 M=4 N=130 K=256 bias=False dtype_A_B=('fp8', 'fp8', "
        "'c10::bfloat16') quant_scheme=a8w8_blockscale "
        "quant_granularity=per_block block_k=128 block_n=65 "
        "scale_dtype=float output_shape=(4, 130) "
        "output_dtype=c10::bfloat16");
}

/* C = AB, with operands as they are or turned: m = 2, k = 3, n = 5. Two values of 4
 * bits in an element, with scales of a byte unless told: 32 + 80 + 2 + 5 + 20. */
static void operands_may_be_turned(void **state)
{
    (void)state;
    expect_cost(
        "{\"op\": \"primus_turbo::hipblaslt_gemm_fp8\", \"dims\": [[2, 3], [], [3, 5], "
        "[]], \"types\": [\"fp8\", \"float\", \"fp8\", \"float\"], \"concrete\": "
        "[\"\", \"\", \"\", \"\", \"\", \"False\", \"0\", \"False\"]}",
        PERF_FORWARD, 60, 6 + 15 + 20, "matrix_fp8");
    expect_cost(
        "{\"op\": \"primus_turbo::hipblaslt_gemm_fp8\", \"dims\": [[3, 2], [], [5, 3], "
        "[]], \"types\": [\"fp8\", \"float\", \"fp8\", \"float\"], \"concrete\": "
        "[\"\", \"\", \"\", \"\", \"\", \"True\", \"1\", \"False\"]}",
        PERF_FORWARD, 60, 6 + 15 + 20, "matrix_fp8");
    expect_cost(
        "{\"op\": \"primus_turbo::hipblaslt_gemm_fp4\", \"dims\": [[2, 16], [], [5, "
        "16], []], \"types\": [\"fp4\", \"\", \"fp4\", \"\"], \"concrete\": [\"\", "
        "\"\", \"\", \"\", \"\", \"False\", \"True\", \"False\"]}",
        PERF_FORWARD, 640, 139, "matrix_fp4");
}

/* K = 64: two blocks, of which A's scales have 4 bytes: 128 + 192 + 32 + 12 + 48. */
static void scales_are_of_their_own_operand(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"aiter::gemm_a4w4\", \"dims\": [[4, 32], [6, 32], [4, 2], "
                "[6, 2]], \"types\": [\"fp4\", \"fp4\", \"float\", "
                "\"c10::Float8_e8m0fnu\"], \"strides\": [[32, 1], [32, 1]]}",
                PERF_FORWARD, 3072, 412, "matrix_fp4");
    expect_params(
        "{\"op\": \"aiter::gemm_a4w4\", \"dims\": [[4, 32], [6, 32], [4, 2], [6, 2]], "
        "\"types\": [\"fp4\", \"fp4\", \"float\", \"c10::Float8_e8m0fnu\"], "
        "\"strides\": [[32, 1], [32, 1]]}",
        "M=4 N=6 K=64 bias=False stride_A=(32, 1) stride_B=(32, 1) dtype_A_B=('fp4', "
        "'fp4') dtype_scaleA=float dtype_scaleB=c10::Float8_e8m0fnu B=1");
    expect_status("{\"op\": \"aiter::gemm_a4w4\", \"dims\": [[4, 32], [6, 32]], "
                  "\"types\": [\"fp4\", \"mine\"]}",
                  PERF_FORWARD, PERF_FAIL);
}

/* Results have 16 bits: 4*256 + 130*256 + 2*520; 7 times 2*16*2 + 5*16/2 + 2*10; K = 32
 * in half a byte each: 32 + 80 + 2*10. */
static void narrow_operands_give_wide_results(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"aiter::gemm_a8w8_ck\", \"dims\": [[4, 256], [130, 256], "
                "[4, 2], [2, 2]], \"types\": [\"fp8\", \"fp8\", \"float\", \"float\"]}",
                PERF_FORWARD, 266240, 35344, "matrix_fp8");
    expect_cost("{\"op\": \"aiter::batched_gemm_a16wfp4_\", \"dims\": [[7, 2, 16], [7, "
                "5, 8]], \"types\": [\"c10::BFloat16\", \"uint8\"]}",
                PERF_FORWARD, 2240, 868, "matrix_fp4");
    expect_cost("{\"op\": \"aiter::gemm_afp4wfp4_\", \"dims\": [[2, 16], [5, 16]], "
                "\"types\": [\"uint8\", \"uint8\"]}",
                PERF_FORWARD, 640, 132, "matrix_fp4");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_of_32_have_scales),
        cmocka_unit_test(transposed_result_swaps),
        cmocka_unit_test(batch_is_found_either_way),
        cmocka_unit_test(scales_tell_the_blocks),
        cmocka_unit_test(operands_may_be_turned),
        cmocka_unit_test(scales_are_of_their_own_operand),
        cmocka_unit_test(narrow_operands_give_wide_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
