#include "perf/cost_mhc.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf/perf_case.h"

/* M = 2, C = 4, n = 3: 2*2*3*4*4 = 192; 16 + 2*48 + 24 + 72 bytes. */
static void post(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"aiter::mhc_post\", \"dims\": [[2, 3, 4], [2, 4]], "
                "\"types\": [\"c10::BFloat16\", \"c10::BFloat16\"]}",
                PERF_FORWARD, 192, 208, "vector_bf16");
}

/* 2*2*5*12 = 240; 2*3*4*2 + 4*60 + 4*2*5 + 4*2 with one part. */
static void pre(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"aiter::mhc_pre_gemm_sqrsum\", \"dims\": [[1, 2, 5], [1, "
                "2], [2, 3, 4], [5, 12]], \"types\": [\"float\", \"float\", "
                "\"c10::BFloat16\"]}",
                PERF_FORWARD, 240, 336, "matrix_bf16");
    /* In two parts: sums and squares twice. */
    expect_cost("{\"op\": \"aiter::mhc_pre_gemm_sqrsum\", \"dims\": [[2, 2, 5], [2, "
                "2], [2, 3, 4], [5, 12]], \"types\": [\"float\", \"float\", "
                "\"c10::BFloat16\"]}",
                PERF_FORWARD, 240, 48 + 240 + 80 + 16, "matrix_bf16");
}

/* 2*2*4*3 + 5*2*4 = 88; streams 48, sums of two parts 4*2*2*5 = 80, weights of the norm
 * 8, layer 16, mixing 4*2*3 + 4*2*9 = 96. */
static void pre_with_norm(void **state)
{
    (void)state;
    expect_cost(
        "{\"op\": \"aiter::mhc_pre_big_fuse_rmsnorm\", \"dims\": [[2, 3], [2, 3, "
        "3], [2, 4], [2, 2, 5], [2, 2], [2, 3, 4], [5], [4]], \"types\": [\"float\", "
        "\"float\", \"c10::BFloat16\", \"float\", \"float\", \"c10::BFloat16\", "
        "\"float\", \"c10::BFloat16\"]}",
        PERF_FORWARD, 88, 248, "vector_bf16");
}

/* Both: 192 + 240; layer 16, streams 3*48, mixing 96, weights 240, sums 40, squares 8.
 */
static void post_and_pre(void **state)
{
    (void)state;
    expect_cost(
        "{\"op\": \"aiter::mhc_fused_post_pre_gemm_sqrsum\", \"dims\": [[1, 2, 5], "
        "[1, 2], [2, 3, 4], [2, 4], [2, 3, 4], [2, 3], [2, 3, 3], [5, 12]], "
        "\"types\": [\"float\", \"float\", \"c10::BFloat16\", "
        "\"c10::BFloat16\"]}",
        PERF_FORWARD, 432, 544, "matrix_bf16");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(post),
        cmocka_unit_test(pre),
        cmocka_unit_test(pre_with_norm),
        cmocka_unit_test(post_and_pre),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
