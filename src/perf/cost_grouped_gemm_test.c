#include "perf/cost_grouped_gemm.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf/perf_case.h"

/* M = 8 tokens, K = 3, N = 5, 2 experts: 240 FLOP; (24 + 30 + 40) of 2 bytes. */
static void stacked_weights(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"primus_turbo::grouped_gemm\", \"dims\": [[8, 3], [2, 3, "
                "5]], \"types\": [\"c10::BFloat16\"]}",
                PERF_FORWARD, 240, 188, "matrix_bf16");
    expect_cost("{\"op\": \"primus_turbo::grouped_gemm\", \"dims\": [[8, 3], [2, 5, "
                "3]], \"types\": [\"c10::BFloat16\"]}",
                PERF_FORWARD, 240, 188, "matrix_bf16");
}

/* Rows 3 + 5 = 8 of the same product. */
static void listed_weights(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"primus_turbo::grouped_gemm\", \"dims\": [[[3, 3], [5, "
                "3]], [[3, 5], [3, 5]]], \"types\": [\"c10::BFloat16\"]}",
                PERF_FORWARD, 240, 188, "matrix_bf16");
}

static void pairs_must_meet(void **state)
{
    (void)state;
    expect_status("{\"op\": \"primus_turbo::grouped_gemm_variable_k\", \"dims\": [[[3, "
                  "3]], [[4, 5]]], \"types\": [\"c10::BFloat16\"]}",
                  PERF_FORWARD, PERF_FAIL);
    expect_params("{\"op\": \"primus_turbo::grouped_gemm_variable_k\", \"dims\": [[[3, "
                  "2], [4, 2]], [[2, 5], [2, 6]]], \"types\": [\"c10::BFloat16\"]}",
                  "M=7 K=2 N=5 G=2 bpe_in=2 bpe_out=2 group_pairs=[((3, 2), (2, "
                  "5)), ((4, 2), (2, 6))]");
}

static void no_backward(void **state)
{
    (void)state;
    expect_status("{\"op\": \"primus_turbo::grouped_gemm\", \"dims\": [[8, 3], [2, 3, "
                  "5]], \"types\": [\"c10::BFloat16\"]}",
                  PERF_BACKWARD, PERF_DROP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacked_weights),
        cmocka_unit_test(listed_weights),
        cmocka_unit_test(pairs_must_meet),
        cmocka_unit_test(no_backward),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
