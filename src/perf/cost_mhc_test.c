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
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(post),
        cmocka_unit_test(pre),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
