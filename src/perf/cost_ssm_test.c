#include "perf/cost_ssm.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf/perf_case.h"

/* 2*2*3*5*4 = 240; (2*30 + 12 + 3)*2. */
static void short_convolution(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"DaoAILab::_causal_conv1d_fwd_cpp\", \"dims\": [[2, 3, "
                "5], [3, 4], [3]], \"types\": [\"c10::BFloat16\"]}",
                PERF_FORWARD, 240, 150, "matrix_bf16");
}

/* H = 1, P = 2, d_i = 2, N = (9 - 4 - 1)/2 = 2, cc = 6, dc = 4, chunk 8, 3 tokens: 144
 * + 96 + 96 + 48 = 384; (27 + 24 + 6 + 6)*2 + 4 + 4 + 2. */
static void scan(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"MambaSplitConv1dScanCombinedFn\", \"dims\": [[1, 3, 9], "
                "[6, 4], [6], [1], [1], [1]], \"types\": [\"c10::BFloat16\"], "
                "\"concrete\": [\"\", \"\", \"\", \"\", \"\", \"\", \"8\", \"\", \"\", "
                "\"\", \"\", \"\", "
                "\"\", \"\", \"\", \"2\", \"1\"]}",
                PERF_FORWARD, 384, 136, "matrix_bf16");
}

/* 5*6*7; 42*4 + 12*6. */
static void loss(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"CrossEntropyFunction\", \"dims\": [[6, 7]], \"types\": "
                "[\"float\"]}",
                PERF_FORWARD, 210, 240, "vector_fp32");
}

/* Of two heads and groups: N = (18 - 8 - 2)/4 = 2; 144 + 192 + 192 + 96; (54 + 24 + 6 +
 * 12)*2 and for each head 4 + 8 + 2. The projection holds whole states. */
static void scan_of_groups(void **state)
{
    (void)state;
#define SCAN(combined)                                                                 \
    "{\"op\": \"MambaSplitConv1dScanCombinedFn\", \"dims\": [[1, 3, " combined         \
    "], [6, "                                                                          \
    "4], [6], [2], [2], [2]], \"types\": [\"c10::BFloat16\", \"\", \"\", \"float\", "  \
    "\"double\", \"c10::Half\"], \"concrete\": [\"\", \"\", \"\", \"\", \"\", \"\", "  \
    "\"8\", "                                                                          \
    "\"\", \"\", \"\", \"\", \"\", \"\", \"\", \"\", \"2\", \"2\"]}"
    expect_cost(SCAN("18"), PERF_FORWARD, 624, 192 + 28, "matrix_bf16");
    expect_status(SCAN("17"), PERF_FORWARD, PERF_FAIL);
    expect_status(SCAN("10"), PERF_FORWARD, PERF_FAIL);
}

/* Chunks of 128, heads of 64, one group: N = (133 - 128 - 1)/2 = 2. */
static void scan_of_usual_sizes(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"MambaSplitConv1dScanCombinedFn\", \"dims\": [[1, 3, 133], "
                "[6, 4], [6], [1], [1], [1]], \"types\": [\"c10::BFloat16\"]}",
                PERF_FORWARD, 144 + 1536 + 49152 + 1536, 621 * 2 + 10, "matrix_bf16");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_convolution),
        cmocka_unit_test(scan),
        cmocka_unit_test(loss),
        cmocka_unit_test(scan_of_groups),
        cmocka_unit_test(scan_of_usual_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
