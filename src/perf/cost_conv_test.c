#include "perf/cost_conv.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf/perf_case.h"

/* Output 3x4x4 = 48; 2*48*(2*3*3) = 1728 FLOP; 32 + 54 + 48 elements of 2 bytes. */
static void forward(void **state)
{
    (void)state;
    expect_cost(
        "{\"op\": \"aten::convolution\", \"dims\": [[1, 2, 4, 4], [3, 2, 3, "
        "3], [], [], [], [], [], [], []], \"types\": [\"c10::BFloat16\", "
        "\"c10::BFloat16\"], \"concrete\": [\"\", \"\", \"\", \"[1, 1]\", \"[1]\", "
        "\"\", \"False\", \"\", \"1\"]}",
        PERF_FORWARD, 1728, 268, "matrix_bf16");
}

/* Gradients of input and of weight: 2*48*18 + 2*54*1*16; bytes twice. */
static void backward_is_twice(void **state)
{
    (void)state;
    expect_cost(
        "{\"op\": \"aten::convolution\", \"dims\": [[1, 2, 4, 4], [3, 2, 3, "
        "3], [], [], [], [], [], [], []], \"types\": [\"c10::BFloat16\", "
        "\"c10::BFloat16\"], \"concrete\": [\"\", \"\", \"\", \"[1, 1]\", \"[1]\", "
        "\"\", \"False\", \"\", \"1\"]}",
        PERF_BACKWARD, 3456, 536, "matrix_bf16");
}

/* Kernel 3, stride 2: (5 - 3)/2 + 1 = 2 places, and (4 - 3)/2 + 1 = 1.5, cut to 1. */
static void stride_cuts(void **state)
{
    (void)state;
    expect_cost(
        "{\"op\": \"aten::convolution\", \"dims\": [[1, 1, 5, 4], [1, 1, 3, "
        "3], [], [], [], [], [], [], []], \"types\": [\"c10::BFloat16\", "
        "\"c10::BFloat16\"], \"concrete\": [\"\", \"\", \"\", \"[2, 2]\", \"\", \"\", "
        "\"False\", \"\", \"1\"]}",
        PERF_FORWARD, 36, 62, "matrix_bf16");
}

/* (2-1)*2 + 2 + 0 = 4 places each of 3x4x4 outputs; 2*X*w1 = 2*8*(3*2*2). */
static void transposed(void **state)
{
    (void)state;
    expect_cost(
        "{\"op\": \"aten::convolution\", \"dims\": [[1, 2, 2, 2], [2, 3, 2, "
        "2], [], [], [], [], [], [], []], \"types\": [\"c10::BFloat16\", "
        "\"c10::BFloat16\"], \"concrete\": [\"\", \"\", \"\", \"[2, 2]\", \"\", \"\", "
        "\"True\", \"[0, 0]\", \"1\"]}",
        PERF_FORWARD, 192, 160, "matrix_bf16");
}

static void zero_stride_fails(void **state)
{
    (void)state;
    expect_status(
        "{\"op\": \"aten::convolution\", \"dims\": [[1, 2, 4, 4], [3, 2, 3, "
        "3], [], [], [], [], [], [], []], \"types\": [\"c10::BFloat16\", "
        "\"c10::BFloat16\"], \"concrete\": [\"\", \"\", \"\", \"[0, 1]\", \"\", \"\", "
        "\"False\", \"\", \"1\"]}",
        PERF_FORWARD, PERF_FAIL);
    expect_status(
        "{\"op\": \"ConvBias_Backward\", \"dims\": [[1, 2, 4, 4]], \"types\": "
        "[\"c10::Half\"]}",
        PERF_FORWARD, PERF_FAIL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forward),           cmocka_unit_test(backward_is_twice),
        cmocka_unit_test(stride_cuts),       cmocka_unit_test(transposed),
        cmocka_unit_test(zero_stride_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
