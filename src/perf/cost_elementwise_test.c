#include "perf/cost_elementwise.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf/perf_case.h"

/* 12 elements, 4 bytes in, 2 out. */
static void copy_to_other_type(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"aten::copy_\", \"dims\": [[3, 4], [3, 4], []], \"types\": "
                "[\"float\", \"c10::Half\", \"\"], \"strides\": [[4, 1], [4, 1], []]}",
                PERF_FORWARD, 12, 72, "vector_fp32");
}

/* 12*2 in, 4 for the scalar, 12*2 out. */
static void scalar_counts_four_bytes(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"aten::mul\", \"dims\": [[3, 4], []], \"types\": "
                "[\"c10::BFloat16\", \"Scalar\"], \"strides\": [[4, 1], []]}",
                PERF_FORWARD, 12, 52, "vector_bf16");
}

/* [3, 1] with [2, 1, 4]: 24 results of the wider type. */
static void broadcast_aligns_right(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"aten::add\", \"dims\": [[3, 1], [2, 1, 4]], \"types\": "
                "[\"c10::BFloat16\", \"float\"], \"strides\": [[1, 1], [4, 4, 1]]}",
                PERF_FORWARD, 24, 134, "vector_bf16");
}

static void sizes_must_fit(void **state)
{
    (void)state;
    expect_status(
        "{\"op\": \"aten::add\", \"dims\": [[3], [4]], \"types\": [\"float\", "
        "\"float\"], \"strides\": [[1], [1]]}",
        PERF_FORWARD, PERF_FAIL);
    expect_status("{\"op\": \"aten::neg\", \"dims\": [[3]], \"types\": [\"float\"]}",
                  PERF_FORWARD, PERF_FAIL);
}

/* [1, 2, 3] padded by (1, 2) on the last: 2*6 results. */
static void padding_last_dimension_first(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"aten::replication_pad1d\", \"dims\": [[1, 2, 3], []], "
                "\"types\": [\"float\", \"\"], \"strides\": [[6, 3, 1], []], "
                "\"concrete\": [\"\", \"[1, 2]\"]}",
                PERF_FORWARD, 12, 72, "vector_fp32");
}

static void upsample_by_scale_fails(void **state)
{
    (void)state;
    expect_status("{\"op\": \"aten::upsample_nearest1d\", \"dims\": [[1, 2, 3], []], "
                  "\"types\": [\"float\", \"\"], \"strides\": [[6, 3, 1], []], "
                  "\"concrete\": [\"\", \"\"]}",
                  PERF_FORWARD, PERF_FAIL);
    expect_cost("{\"op\": \"aten::upsample_nearest1d\", \"dims\": [[1, 2, 3], []], "
                "\"types\": [\"float\", \"\"], \"strides\": [[6, 3, 1], []], "
                "\"concrete\": [\"\", \"[6]\"]}",
                PERF_FORWARD, 12, 72, "vector_fp32");
}

/* A result of a third operand's type: 24 and 24 in, 48 out. */
static void a_third_operand_is_the_result(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"aten::add\", \"dims\": [[3, 4], [3, 4], [3, 4]], "
                "\"types\": [\"c10::BFloat16\", \"c10::BFloat16\", \"float\"], "
                "\"strides\": [[4, 1], [1, 3], [8, 2]]}",
                PERF_FORWARD, 12, 96, "vector_bf16");
    expect_params("{\"op\": \"aten::add\", \"dims\": [[3, 4], [3, 4], [3, 4]], "
                  "\"types\": [\"c10::BFloat16\", \"c10::BFloat16\", \"float\"], "
                  "\"strides\": [[4, 1], [1, 3], [8, 2]]}",
                  "shape_in1=(3, 4) shape_in2=(3, 4) "
                  "dtype_in1_in2_out=('c10::BFloat16', 'c10::BFloat16', 'float') "
                  "stride_input1=(4, 1) stride_input2=(1, 3) stride_output=(8, 2)");
}

static void what_is_told(void **state)
{
    (void)state;
    expect_params(
        "{\"op\": \"aten::copy_\", \"dims\": [[3, 4], [3, 4], []], \"types\": "
        "[\"float\", \"c10::Half\", \"\"], \"strides\": [[4, 1], [1, 3], []]}",
        "op_shape=(3, 4) dtype_in_out=('float', 'c10::Half') stride_input=(4, 1) "
        "stride_output=(1, 3)");
    expect_params(
        "{\"op\": \"aten::replication_pad1d\", \"dims\": [[1, 2, 3], []], \"types\": "
        "[\"float\", \"\"], \"strides\": [[6, 3, 1], []], \"concrete\": [\"\", \"[1, "
        "2]\"]}",
        "input_shape=(1, 2, 3) output_shape=(1, 2, 6) padding=(1, 2) op_shape=(1, 2, "
        "6) dtype_in_out=('float', 'float') stride_input=(6, 3, 1) stride_output=None");
    expect_status("{\"op\": \"aten::replication_pad1d\", \"dims\": [[1, 2, 3], []], "
                  "\"types\": [\"float\", \"\"], \"strides\": [[6, 3, 1], []], "
                  "\"concrete\": [\"\", \"[1, 1, 1, 1, 1, 1, 1, 1]\"]}",
                  PERF_FORWARD, PERF_FAIL); /* four dimensions of three */
}

/* 12 results of 2 bytes from twice as many of 4: 5, 8 or 10 operations each. */
static void an_activation_and_its_factor(void **state)
{
    (void)state;
    expect_cost(
        "{\"op\": \"aiter::silu_and_mul\", \"dims\": [[3, 4], [3, 8]], \"types\": "
        "[\"c10::BFloat16\", \"float\"], \"strides\": [[4, 1], [8, 1]]}",
        PERF_FORWARD, 60, 120, "vector_fp32");
    expect_cost(
        "{\"op\": \"aiter::gelu_and_mul\", \"dims\": [[3, 4], [3, 8]], \"types\": "
        "[\"c10::BFloat16\", \"float\"], \"strides\": [[4, 1], [8, 1]]}",
        PERF_FORWARD, 96, 120, "vector_fp32");
    expect_cost(
        "{\"op\": \"aiter::gelu_tanh_and_mul\", \"dims\": [[3, 4], [3, 8]], \"types\": "
        "[\"c10::BFloat16\", \"float\"], \"strides\": [[4, 1], [8, 1]]}",
        PERF_FORWARD, 120, 120, "vector_fp32");
    expect_params(
        "{\"op\": \"aiter::silu_and_mul\", \"dims\": [[3, 4], [3, 8]], \"types\": "
        "[\"c10::BFloat16\", \"float\"], \"strides\": [[4, 1], [8, 1]]}",
        "op_shape=(3, 4) dtype_in_out=('float', 'c10::BFloat16') stride_input=(8, 1) "
        "stride_output=(4, 1)");
    expect_status("{\"op\": \"aiter::silu_and_mul\", \"dims\": [[3, 4], [3, 8]], "
                  "\"types\": [\"mine\", \"float\"], \"strides\": [[4, 1], [8, 1]]}",
                  PERF_FORWARD, PERF_FAIL);
}

/* Three rows of five: 15 logits of 2 bytes and noise of 4, three indices of 4. */
static void sampling_with_noise(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"aiter::mixed_sample_outer_exponential\", \"dims\": [[3], "
                "[3, 5], [3, 5]], \"types\": [\"int\", \"c10::BFloat16\", \"float\"]}",
                PERF_FORWARD, 30, 102, "vector_bf16");
    expect_params(
        "{\"op\": \"aiter::mixed_sample_outer_exponential\", \"dims\": [[3], [3, 5], "
        "[3, 5]], \"types\": [\"int\", \"c10::BFloat16\", \"float\"]}",
        "T=3 V=5 dtype_logits=c10::BFloat16 dtype_noise=float");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copy_to_other_type),
        cmocka_unit_test(scalar_counts_four_bytes),
        cmocka_unit_test(broadcast_aligns_right),
        cmocka_unit_test(sizes_must_fit),
        cmocka_unit_test(padding_last_dimension_first),
        cmocka_unit_test(upsample_by_scale_fails),
        cmocka_unit_test(a_third_operand_is_the_result),
        cmocka_unit_test(what_is_told),
        cmocka_unit_test(an_activation_and_its_factor),
        cmocka_unit_test(sampling_with_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
