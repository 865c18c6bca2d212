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

static void transposed_backward(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"aten::convolution_backward\", \"dims\": [[1, 3, 4, 4], [1, "
                "2, 2, 2], [2, 3, 2, 2], []], \"types\": [\"c10::BFloat16\", "
                "\"c10::BFloat16\", \"c10::BFloat16\"], \"concrete\": [\"\", \"\", "
                "\"\", \"\", \"[2, 2]\", \"\", \"\", \"True\", \"[0, 0]\", \"1\"]}",
                PERF_FORWARD, 384, 320, "matrix_bf16");
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

/* Two images, padded: 96 outputs; 2*96*18 FLOP; 64 + 54 + 96 elements of 2 bytes. A
 * bias is 96 more, and 3 elements. */
static void biases_are_added(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"aten::convolution\", \"dims\": [[2, 2, 4, 4], [3, 2, 3, "
                "3], [], [], [], [], [], [], []], \"types\": [\"c10::BFloat16\", "
                "\"c10::BFloat16\"], \"concrete\": [\"\", \"\", \"\", \"[1, 1]\", "
                "\"[1]\", \"\", \"False\", \"\", \"1\"]}",
                PERF_FORWARD, 3456, 428, "matrix_bf16");
    expect_cost(
        "{\"op\": \"aten::convolution\", \"dims\": [[2, 2, 4, 4], [3, 2, 3, 3], [3]], "
        "\"types\": [\"c10::BFloat16\", \"c10::BFloat16\"], \"concrete\": [\"\", \"\", "
        "\"\", \"[1, 1]\", \"[1]\", \"\", \"False\", \"\", \"1\"]}",
        PERF_FORWARD, 3552, 434, "matrix_bf16");
    expect_cost("{\"op\": \"ConvBias_\", \"dims\": [[2, 2, 4, 4], [3, 2, 3, 3], [3]], "
                "\"types\": [\"c10::Half\", \"c10::Half\"], \"concrete\": [\"\", \"\", "
                "\"\", \"1\", \"1\"]}",
                PERF_FORWARD, 3552, 434, "matrix_fp16");
    /* without padding 2*3*2*2 = 24 outputs, as without a word of it */
    expect_cost("{\"op\": \"ConvBiasReLU_\", \"dims\": [[2, 2, 4, 4], [3, 2, 3, 3], "
                "[3]], \"types\": [\"c10::Half\", \"c10::Half\"], \"concrete\": [\"\", "
                "\"\", \"\", \"\", \"\"]}",
                PERF_FORWARD, 2 * 24 * 18 + 24, (64 + 54 + 24 + 3) * 2, "matrix_fp16");
}

/* The same backward: 2*96*18 for the input and 2*54*2*16 for the weight. Sizes of a
 * bias are 96 FLOP and, as the reference has it, 99 bytes more. */
static void gradients_of_their_own_operator(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"aten::convolution_backward\", \"dims\": [[2, 3, 4, 4], [2, "
                "2, 4, 4], [3, 2, 3, 3], []], \"types\": [\"c10::BFloat16\", "
                "\"c10::BFloat16\", \"c10::BFloat16\"], \"concrete\": [\"\", \"\", "
                "\"\", \"\", \"[1, 1]\", \"[1]\", \"\", \"False\", \"\", \"1\"]}",
                PERF_FORWARD, 6912, 856, "matrix_bf16");
    expect_cost("{\"op\": \"aten::convolution_backward\", \"dims\": [[2, 3, 4, 4], [2, "
                "2, 4, 4], [3, 2, 3, 3], [3]], \"types\": [\"c10::BFloat16\", "
                "\"c10::BFloat16\", \"c10::BFloat16\"], \"concrete\": [\"\", \"\", "
                "\"\", \"\", \"[1, 1]\", \"[1]\", \"\", \"False\", \"\", \"1\"]}",
                PERF_FORWARD, 6912 + 96, 856 + 99, "matrix_bf16");
}

static void what_is_told(void **state)
{
    (void)state;
    expect_params(
        "{\"op\": \"aten::convolution\", \"dims\": [[1, 2, 5], [3, 2, 3], [], [], [], "
        "[], [], [], []], \"types\": [\"c10::BFloat16\", \"c10::BFloat16\"], "
        "\"strides\": [[10, 5, 1], [6, 3, 1]], \"concrete\": [\"\", \"\", \"\", "
        "\"[1]\", \"[0]\", \"[1]\", \"False\", \"[0]\", \"1\"]}",
        "convNd=conv1d input_shape=(1, 2, 5) filter_shape=(3, 2, 3) "
        "dtype_input_weight=('c10::BFloat16', 'c10::BFloat16') input_stride=(10, 5, 1) "
        "weight_stride=(6, 3, 1) bias=False stride=(1,) padding=(0,) dilation=(1,) "
        "transposed_conv=False output_padding=(0,) groups=1");
    expect_params(
        "{\"op\": \"ConvBias_\", \"dims\": [[2, 2, 4, 4], [3, 2, 3, 3], [3]], "
        "\"types\": [\"c10::Half\", \"c10::Half\"], \"concrete\": [\"\", \"\", \"\", "
        "\"2\", \"1\"]}",
        "convNd=conv2d input_shape=(2, 2, 4, 4) filter_shape=(3, 2, 3, 3) "
        "dtype_input_weight=('c10::Half', 'c10::Half') input_stride=None "
        "weight_stride=None bias=True stride=(2, 2) padding=(1, 1) dilation=(1, 1) "
        "transposed_conv=False output_padding=(0, 0) groups=1");
    /* two types; other dimensions than the weight */
    expect_status("{\"op\": \"ConvBias_\", \"dims\": [[2, 2, 4, 4], [3, 2, 3, 3], "
                  "[3]], \"types\": [\"c10::Half\", \"float\"], \"concrete\": [\"\", "
                  "\"\", \"\", \"2\", \"1\"]}",
                  PERF_FORWARD, PERF_FAIL);
    expect_status("{\"op\": \"ConvBias_\", \"dims\": [[2, 2, 4, 4], [3, 2, 3], [3]], "
                  "\"types\": [\"c10::Half\", \"c10::Half\"], \"concrete\": [\"\", "
                  "\"\", \"\", \"2\", \"1\"]}",
                  PERF_FORWARD, PERF_FAIL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forward),
        cmocka_unit_test(backward_is_twice),
        cmocka_unit_test(stride_cuts),
        cmocka_unit_test(transposed),
        cmocka_unit_test(transposed_backward),
        cmocka_unit_test(zero_stride_fails),
        cmocka_unit_test(biases_are_added),
        cmocka_unit_test(gradients_of_their_own_operator),
        cmocka_unit_test(what_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
