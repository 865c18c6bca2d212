#include "perf/cost_grouped_gemm.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

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

/* 2*(3*2*5 + 4*2*6); (6 + 10 + 8 + 12) of 2 bytes in, (15 + 24) of 4 out. */
static void each_product_has_its_own_sizes(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"primus_turbo::grouped_gemm_variable_k\", \"dims\": [[[3, "
                "2], [4, 2]], [[2, 5], [2, 6]]], \"types\": [\"c10::BFloat16\", "
                "\"float\"]}",
                PERF_FORWARD, 156, 72 + 156, "matrix_bf16");
    expect_cost("{\"op\": \"primus_turbo::grouped_gemm\", \"dims\": [[8, 3], [2, 3, "
                "5]], \"types\": [\"c10::BFloat16\", \"float\"]}",
                PERF_FORWARD, 240, 54 * 2 + 40 * 4, "matrix_bf16");
    /* The gradient of one weight: the tokens are its inner size. */
    expect_cost(
        "{\"op\": \"primus_turbo::grouped_gemm_variable_k\", \"dims\": [[3, 2], "
        "[7, 5]], \"types\": [\"c10::BFloat16\"]}",
        PERF_FORWARD, 2 * 3 * 2 * 5, (6 + 10 + 15) * 2, "matrix_bf16");
}

static void lists_that_do_not_meet_fail(void **state)
{
    static const char *const dims[] = {"[[3, 3], [5, 4]], [[3, 5], [3, 5]]",
                                       "[[3, 3], [5, 3]], [[3, 5], [4, 5]]",
                                       "[[3, 3], [5, 3]], [[3, 5], [3, 6]]",
                                       "[[3, 3], [5, 3]], [[3, 5]]",
                                       "[8, 3], [2, 4, 5]",
                                       "[8, 3], [2, 3, 0]"};
    (void)state;
    for (size_t k = 0; k < sizeof dims / sizeof *dims; k++) {
        char call[256];
        snprintf(call, sizeof call,
                 "{\"op\": \"primus_turbo::grouped_gemm\", \"dims\": [%s], \"types\": "
                 "[\"c10::BFloat16\"]}",
                 dims[k]);
        expect_status(call, PERF_FORWARD, PERF_FAIL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacked_weights),
        cmocka_unit_test(listed_weights),
        cmocka_unit_test(pairs_must_meet),
        cmocka_unit_test(no_backward),
        cmocka_unit_test(each_product_has_its_own_sizes),
        cmocka_unit_test(lists_that_do_not_meet_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
