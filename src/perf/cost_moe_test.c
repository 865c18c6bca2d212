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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gated_up),
        cmocka_unit_test(whole),
        cmocka_unit_test(kernel_names_the_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
