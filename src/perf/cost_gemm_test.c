#include "perf/cost_gemm.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf/perf_case.h"

/* 2*2*5*3 = 60 FLOP; (6 + 15 + 10) elements of 2 bytes. */
static void plain_product(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"aten::mm\", \"dims\": [[2, 3], [3, 5]], \"types\": "
                "[\"c10::BFloat16\", \"c10::BFloat16\"], \"strides\": [[3, 1], [5, "
                "1]]}",
                PERF_FORWARD, 60, 62, "matrix_bf16");
}

/* 60 + 2*5 FLOP; (6 + 15 + 10 + 5) elements of 4 bytes. */
static void bias_adds_once(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"aten::addmm\", \"dims\": [[5], [2, 3], [3, 5]], \"types\": "
                "[\"float\", \"float\", \"float\"]}",
                PERF_FORWARD, 70, 144, "matrix_fp32");
}

/* Rows of the weights are columns of the result; 60 FLOP and 62 bytes, and with a bias
 * 10 and 10 more. */
static void vllm_adds_a_bias_if_there_is_one(void **state)
{
    (void)state;
    expect_cost(
        "{\"op\": \"vllm::rocm_unquantized_gemm\", \"dims\": [[2, 3], [5, 3], []], "
        "\"types\": [\"c10::BFloat16\", \"c10::BFloat16\", \"\"]}",
        PERF_FORWARD, 60, 62, "matrix_bf16");
    expect_cost(
        "{\"op\": \"vllm::rocm_unquantized_gemm\", \"dims\": [[2, 3], [5, 3], [5]], "
        "\"types\": [\"c10::BFloat16\", \"c10::BFloat16\", \"c10::BFloat16\"]}",
        PERF_FORWARD, 70, 72, "matrix_bf16");
}

/* 7 products of 60 FLOP and 62 bytes. */
static void batch_multiplies(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"aten::bmm\", \"dims\": [[7, 2, 3], [7, 3, 5]], \"types\": "
                "[\"c10::BFloat16\", \"c10::BFloat16\"]}",
                PERF_FORWARD, 420, 434, "matrix_bf16");
}

/* 6 + 15 bytes in, 10 results of 2 bytes. */
static void fp8_writes_two_bytes(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"aten::_scaled_mm\", \"dims\": [[2, 3], [3, 5], [], []], "
                "\"types\": [\"c10::Float8_e4m3fn\", \"c10::Float8_e4m3fn\", "
                "\"float\", \"float\"]}",
                PERF_FORWARD, 60, 41, "matrix_fp8");
}

/* Matrices of 2 x 3 and 3 x 5, wherever they are: 60 FLOP, (6 + 15 + 10) elements of 2
 * bytes; 10 and 10 more with a bias. The weights of a16w16 have 5 rows. */
static void libraries_have_their_own_order(void **state)
{
    (void)state;
    expect_cost(
        "{\"op\": \"vllm::gemm_with_dynamic_quant\", \"dims\": [[2, 3], [9], [5, "
        "3]], \"types\": [\"c10::BFloat16\", \"float\", \"c10::BFloat16\"]}",
        PERF_FORWARD, 60, 62, "matrix_bf16");
    expect_cost("{\"op\": \"aiter::gemm_a16w16\", \"dims\": [[2, 3], [5, 3], [5]], "
                "\"types\": [\"c10::BFloat16\", \"c10::BFloat16\", \"c10::BFloat16\"]}",
                PERF_FORWARD, 70, 72, "matrix_bf16");
    /* the result of the other two is of the type of operand 2, or 3: 10 of 4 bytes */
    expect_cost("{\"op\": \"aiter::_gemm_a16w16_asm\", \"dims\": [[2, 3], [5, 3], [2, "
                "5]], \"types\": [\"c10::BFloat16\", \"c10::BFloat16\", \"float\"]}",
                PERF_FORWARD, 60, 82, "matrix_bf16");
    expect_cost("{\"op\": \"aiter::gemm_a16w16_atomic_\", \"dims\": [[2, 3], [5, 3], "
                "[2, 5], []], \"types\": [\"c10::BFloat16\", \"c10::BFloat16\", \"\", "
                "\"float\"]}",
                PERF_FORWARD, 60, 82, "matrix_bf16");
}

/* Transformer Engine's matmul from Python: results have 2 bytes. */
static void pseudo_products_are_written_in_two_bytes(void **state)
{
    (void)state;
    static const char call[] = "{\"op\": \"_LayerNormLinearBackward_wgrad_mm\", "
                               "\"dims\": [[2, 3], [3, 5]], \"types\": "
                               "[\"float\", \"float\"], \"strides\": [[3, 1], [5, 1]]}";
    expect_cost(call, PERF_FORWARD, 60, 4 * 21 + 2 * 10, "matrix_fp32");
    expect_params(call, "M=2 N=5 K=3 bias=False stride_A=(3, 1) stride_B=(5, 1) "
                        "dtype_A_B=('float', 'float') B=1");
}

/* bool has no width and no precision. */
static void unknown_width_leaves_bytes_unknown(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"aten::mm\", \"dims\": [[2, 3], [3, 5]], \"types\": "
                "[\"bool\", \"bool\"]}",
                PERF_FORWARD, 60, -1, "");
}

/* A = 2x3 not transposed: m = 3, k = 2; B = 2x5: n = 5. 2*3*5*2 = 60 FLOP; 6 + 10
 * elements of 1 byte, 15 of 2. */
static void te_flags_turn_operands(void **state)
{
    (void)state;
    expect_cost(
        "{\"op\": \"tex_ts::te_gemm_ts\", \"dims\": [[2, 3], [], [], [], [], "
        "[2, 5], [], [], [], [], [3, 5], [], [], [], [], [], [], [], "
        "[]], \"types\": [\"fp8\", \"\", \"\", \"\", \"\", \"fp8\", \"\", \"\", \"\", "
        "\"\", "
        "\"c10::Half\", \"\", \"\", \"\", \"\", \"\", \"\", \"\", \"c10::Half\"], "
        "\"concrete\": [\"\", \"\", \"\", \"\", \"0\", \"\", \"\", \"\", \"\", \"1\", "
        "\"\", "
        "\"\", \"\", \"\", \"\", \"\", \"\", \"\", \"\"]}",
        PERF_FORWARD, 60, 46, "matrix_fp8");
}

static void parameters_in_order(void **state)
{
    (void)state;
    expect_params("{\"op\": \"aten::mm\", \"dims\": [[2, 3], [3, 5]], \"types\": "
                  "[\"c10::BFloat16\", \"c10::BFloat16\"], \"strides\": [[3, 1], [5, "
                  "1]], \"kernels\": [\"Memset (Device)\", \"Cijk_Ailk_Bjlk_BBS_BH\"]}",
                  "M=2 N=5 K=3 bias=False stride_A=(3, 1) stride_B=(5, 1) "
                  "dtype_A_B=('c10::BFloat16', 'c10::BFloat16') B=1 "
                  "transpose=(False, True)");
    expect_params(
        "{\"op\": \"aten::bmm\", \"dims\": [[7, 2, 3], [7, 3, 5]], \"types\": "
        "[\"c10::BFloat16\", \"c10::BFloat16\"], \"kernels\": "
        "[\"Cijk_Ailk_Bjlk_BBS_BH\"]}",
        "B=7 M=2 N=5 K=3 bias=False stride_A=None stride_B=None "
        "dtype_A_B=('c10::BFloat16', 'c10::BFloat16') transpose=(False, True)");
}

static void missing_operand_fails(void **state)
{
    (void)state;
    expect_status("{\"op\": \"aten::mm\", \"dims\": [[2, 3]], \"types\": "
                  "[\"c10::BFloat16\"]}",
                  PERF_FORWARD, PERF_FAIL);
    expect_status("{\"op\": \"aten::mm\"}", PERF_FORWARD, PERF_FAIL);
    expect_status("{\"op\": \"aten::bmm\", \"dims\": [[2, 3], [3, 5]], \"types\": "
                  "[\"c10::BFloat16\", \"c10::BFloat16\"]}",
                  PERF_FORWARD, PERF_FAIL);
    expect_status("{\"op\": \"aten::mm\", \"dims\": [[2, 3], [3, 5]], \"types\": "
                  "[\"c10::BFloat16\", \"c10::BFloat16\"], \"strides\": [[3, 1], [5, "
                  "1]]}",
                  PERF_BACKWARD, PERF_DROP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_product),
        cmocka_unit_test(bias_adds_once),
        cmocka_unit_test(vllm_adds_a_bias_if_there_is_one),
        cmocka_unit_test(batch_multiplies),
        cmocka_unit_test(fp8_writes_two_bytes),
        cmocka_unit_test(libraries_have_their_own_order),
        cmocka_unit_test(pseudo_products_are_written_in_two_bytes),
        cmocka_unit_test(unknown_width_leaves_bytes_unknown),
        cmocka_unit_test(te_flags_turn_operands),
        cmocka_unit_test(parameters_in_order),
        cmocka_unit_test(missing_operand_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
