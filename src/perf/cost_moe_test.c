#include "perf/cost_moe.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf/perf_case.h"

/* m = 1, k = 4, n = 3, top 1 of 2: A = 2*(1 - 1/2) = 1; 2*4*3*2 = 48; 4*2 + 2*4*3*1 +
 * 3*2. */
static void gated_up(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"aiter::moe_cktile2stages_gemm1_ck\", \"dims\": [[1, 4], "
                "[2, 6, 4], [1, 1, 3]], \"types\": [\"c10::BFloat16\", \"fp8\", "
                "\"c10::BFloat16\"]}",
                PERF_FORWARD, 48, 38, "matrix_bf16");
}

/* up 48, down 24, no sum of 1 expert but 1*4*(2 - 1); 8 + 24 + 12 + 8. */
static void whole(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"pseudo_op::moe_aiter_fused_1stage\", \"dims\": [[1, 4], "
                "[2, 6, 4], [2, 4, 3], [1, 1]], \"types\": [\"c10::BFloat16\", "
                "\"FP8\"]}",
                PERF_FORWARD, 76, 52, "matrix_bf16");
}

/* n = k = 4, A = 1: 2*1*4*4; 8 + 16*0.5 + 8 bytes. No kernel: no weights known. */
static void kernel_names_the_weights(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"pseudo_op::moe_triton_unfused_down\", \"dims\": [[1, 4], "
                "[1, 2]], \"types\": [\"c10::BFloat16\", \"c10::BFloat16\"], "
                "\"extra\": {\"MoE topk\": 1, \"MoE GEMM gated\": false}, \"kernels\": "
                "[\"_matmul_ogs_mxfp4\"]}",
                PERF_FORWARD, 32, 24, "matrix_fp4");
    expect_status("{\"op\": \"pseudo_op::moe_triton_unfused_down\", \"dims\": [[1, 4], "
                  "[1, 2]], \"types\": [\"c10::BFloat16\", \"c10::BFloat16\"], "
                  "\"extra\": {\"MoE topk\": 1, \"MoE GEMM gated\": false}}",
                  PERF_FORWARD, PERF_FAIL);
}

/* Two tokens of 4 that go to 2 of 4 experts of 3 touch 4 (1 - (1/2)^2) = 3 of them. One
 * product: 2*2*4*3*2 = 96; 16 bytes of tokens, 36 of weights in 8 bits, 24 between. */
static void stages_touch_three_of_four_experts(void **state)
{
    (void)state;
    /* of AITER, in two stages: 16 + 2*36 + 24, without a gate 16 + 36 + 24 */
    expect_cost(
        "{\"op\": \"aiter::moe_cktile2stages_gemm1_ck\", \"dims\": [[2, 4], [4, 6, 4], "
        "[2, 2, 3]], \"types\": [\"c10::BFloat16\", \"fp8\", \"c10::BFloat16\"]}",
        PERF_FORWARD, 192, 112, "matrix_bf16");
    expect_cost(
        "{\"op\": \"aiter::moe_cktile2stages_gemm1_ck\", \"dims\": [[2, 4], [4, 3, 4], "
        "[2, 2, 3]], \"types\": [\"c10::BFloat16\", \"fp8\", \"c10::BFloat16\"]}",
        PERF_FORWARD, 96, 76, "matrix_bf16");
    expect_cost(
        "{\"op\": \"aiter::moe_cktile2stages_gemm2_ck\", \"dims\": [[2, 2, 3], [4, 4, "
        "3], [7, 7]], \"types\": [\"c10::BFloat16\", \"fp8\", \"c10::BFloat16\"]}",
        PERF_FORWARD, 96, 76, "matrix_bf16");
    expect_cost(
        "{\"op\": \"aiter::ck_moe_stage1\", \"dims\": [[2, 4], [4, 6, 4], [4, 4, 3], "
        "[], [], [], [2, 2]], \"types\": [\"c10::BFloat16\", \"fp8\", \"fp8\"]}",
        PERF_FORWARD, 192, 112, "matrix_bf16");
    expect_cost(
        "{\"op\": \"aiter::ck_moe_stage2\", \"dims\": [[2, 2, 3], [4, 6, 4], [4, 4, "
        "3]], \"types\": [\"c10::BFloat16\", \"c10::BFloat16\", \"fp8\"]}",
        PERF_FORWARD, 96, 76, "matrix_bf16");
    /* two values in each element of the weights: inner size 6, 16 + 2*72 + 48 */
    expect_cost(
        "{\"op\": \"aiter::ck_moe_stage1\", \"dims\": [[2, 4], [4, 12, 2], [4, 4, 3], "
        "[], [], [], [2, 2]], \"types\": [\"c10::BFloat16\", \"fp8\", \"fp8\"]}",
        PERF_FORWARD, 384, 208, "matrix_bf16");
}

/* The same tokens and experts. */
static void fused_ones_touch_as_many(void **state)
{
    (void)state;
    /* whole: 192 + 96 + sums of 8*(2*2 - 1); 16 + 72 + 36 + 16 */
    expect_cost(
        "{\"op\": \"pseudo_op::moe_aiter_fused_1stage\", \"dims\": [[2, 4], [4, 6, 4], "
        "[4, 4, 3], [2, 2]], \"types\": [\"c10::BFloat16\", \"fp8\"]}",
        PERF_FORWARD, 312, 140, "matrix_bf16");
    expect_cost(
        "{\"op\": \"aiter::fmoe_fp8_blockscale_g1u1\", \"dims\": [[2, 4], [2, 4], [4, "
        "6, 4], [4, 4, 3]], \"types\": [\"c10::BFloat16\", \"fp8\", \"fp8\"], "
        "\"concrete\": [\"\", \"\", \"\", \"\", \"\", \"\", \"\", \"\", \"2\"]}",
        PERF_FORWARD, 312, 140, "matrix_fp8");
    expect_cost("{\"op\": \"pseudo_op::moe_flydsl_stage1\", \"dims\": [[2, 4], [4, 6, "
                "4], [4, 4, 3], [2, 2]], \"types\": [\"c10::BFloat16\", \"fp8\"]}",
                PERF_FORWARD, 192, 112, "matrix_fp8");
    expect_cost("{\"op\": \"pseudo_op::moe_flydsl_stage2\", \"dims\": [[2, 4], [4, 6, "
                "4], [4, 4, 3], [2, 2]], \"types\": [\"c10::BFloat16\", \"fp8\"]}",
                PERF_FORWARD, 96, 76, "matrix_fp8");
    /* between as wide as the tokens: 2*128; 16 + 2*48 and half of it + 32 */
    expect_cost(
        "{\"op\": \"pseudo_op::moe_triton_unfused_up\", \"dims\": [[2, 4], [1, 4]], "
        "\"types\": [\"c10::BFloat16\", \"c10::BFloat16\"], \"extra\": {\"MoE topk\": "
        "2, \"MoE GEMM gated\": true}, \"kernels\": [\"_matmul_ogs_mxfp4\"]}",
        PERF_FORWARD, 256, 96, "matrix_fp4");
    expect_cost(
        "{\"op\": \"pseudo_op::moe_triton_unfused_up\", \"dims\": [[2, 4], [1, 4]], "
        "\"types\": [\"c10::BFloat16\", \"c10::BFloat16\"], \"extra\": {\"MoE topk\": "
        "2, \"MoE GEMM gated\": true}, \"kernels\": [\"_matmul_e4m3\"]}",
        PERF_FORWARD, 256, 144, "matrix_fp8");
    /* half a byte each: 16 + 2*18 + 24; without a gate the size is 6: 16 + 36 + 48 */
    expect_cost("{\"op\": \"pseudo_op::moe_gptq_awq_up\", \"dims\": [[2, 4], [4, 6, "
                "2]], \"types\": [\"c10::BFloat16\"], \"extra\": {\"MoE topk\": 2}}",
                PERF_FORWARD, 192, 76, "matrix_bf16");
    expect_cost("{\"op\": \"pseudo_op::moe_gptq_awq_up\", \"dims\": [[2, 4], [4, 6, "
                "2]], \"types\": [\"c10::BFloat16\"], \"extra\": {\"MoE topk\": 2, "
                "\"MoE GEMM gated\": false}}",
                PERF_FORWARD, 192, 100, "matrix_bf16");
    expect_cost("{\"op\": \"pseudo_op::moe_gptq_awq_down\", \"dims\": [[2, 4], [], [4, "
                "4, 3]], \"types\": [\"c10::BFloat16\"], \"extra\": {\"MoE topk\": 2}}",
                PERF_FORWARD, 192, 100, "matrix_bf16");
    /* three each: six pairs, 4 (1 - (1/4)^2) = 3.75 experts; 48 + 90 + 36 */
    expect_cost("{\"op\": "
                "\"sglang_profiler::fused_moe_triton_kernels_invoke_fused_moe_kernel\","
                " \"dims\": [[2, 4], [4, 3, 4], [], [], [], [], [], [], [2, 3]], "
                "\"types\": [\"c10::BFloat16\", \"c10::Half\"]}",
                PERF_FORWARD, 144, 174, "matrix_fp16");
}

static void what_is_told(void **state)
{
    (void)state;
    expect_params(
        "{\"op\": \"aiter::moe_cktile2stages_gemm1_ck\", \"dims\": [[2, 4], "
        "[4, 6, 4], [2, 2, 3]], \"types\": [\"c10::BFloat16\", \"FP8\", "
        "\"c10::Half\"]}",
        "num_tokens=2 hidden_dim=4 inter_dim=3 num_experts=4 topk=2 gated=True "
        "input_dtype=c10::BFloat16 weight_dtype=FP8 output_dtype=c10::Half");
    expect_params(
        "{\"op\": \"pseudo_op::moe_gptq_awq_down\", \"dims\": [[2, 4], [], [4, 4, "
        "3]], \"types\": [\"c10::BFloat16\"], \"extra\": {\"MoE topk\": 2}}",
        "num_tokens=2 hidden_dim=4 inter_dim=6 num_experts=4 topk=2 "
        "input_dtype=c10::BFloat16");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gated_up),
        cmocka_unit_test(whole),
        cmocka_unit_test(what_is_told),
        cmocka_unit_test(stages_touch_three_of_four_experts),
        cmocka_unit_test(fused_ones_touch_as_many),
        cmocka_unit_test(kernel_names_the_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
