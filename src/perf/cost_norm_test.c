#include "perf/cost_norm.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf/perf_case.h"

/* E = 24, C = 3: 6C + 5E = 138; (2E + 6C)*4 = 264. Only the empty text is not training:
 * 6C + 2E, (2E + 4C)*4. */
static void training_is_any_text(void **state)
{
    (void)state;
    expect_cost(
        "{\"op\": \"aten::batch_norm\", \"dims\": [[2, 3, 4], [3], [3]], "
        "\"types\": [\"float\"], \"strides\": [[12, 4, 1]], \"concrete\": [\"\", "
        "\"\", \"\", \"\", \"\", \"False\"]}",
        PERF_FORWARD, 138, 264, "vector_fp32");
    expect_cost(
        "{\"op\": \"aten::batch_norm\", \"dims\": [[2, 3, 4], [3], [3]], "
        "\"types\": [\"float\"], \"strides\": [[12, 4, 1]], \"concrete\": [\"\", "
        "\"\", \"\", \"\", \"\", \"\"]}",
        PERF_FORWARD, 66, 240, "vector_fp32");
}

static void forward_declines_backward(void **state)
{
    (void)state;
    expect_status(
        "{\"op\": \"aten::batch_norm\", \"dims\": [[2, 3, 4], [3], [3]], "
        "\"types\": [\"float\"], \"strides\": [[12, 4, 1]], \"concrete\": [\"\", "
        "\"\", \"\", \"\", \"\", \"True\"]}",
        PERF_BACKWARD, PERF_DROP);
    expect_status(
        "{\"op\": \"aten::batch_norm\", \"dims\": [[2, 3, 4]], \"types\": "
        "[\"float\"], \"strides\": [[12, 4, 1]], \"concrete\": [\"\", \"\", \"\", "
        "\"\", \"\", \"\"]}",
        PERF_FORWARD, PERF_FAIL);
}

/* E = 24, C = 4: C*(4*6 + 5*6) = 216; E + 2E of 4 bytes, C, then C and twice C: 288
 * + 64. */
static void layer_backward(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"aten::native_layer_norm_backward\", \"dims\": [[6, 4], "
                "[6, 4], [], [6], [6], [4], [4], []], \"types\": [\"float\", "
                "\"float\"], \"strides\": [[4, 1], [4, 1]], \"concrete\": [\"\", \"\", "
                "\"[4]\", \"\", \"\", \"\", \"\", \"[True, True, True]\"]}",
                PERF_FORWARD, 216, 352, "vector_fp32");
}

static void instance_backward_is_dropped(void **state)
{
    (void)state;
    expect_status("{\"op\": \"aten::instance_norm_backward\", \"dims\": [[2]], "
                  "\"types\": [\"float\"]}",
                  PERF_FORWARD, PERF_DROP);
}

/* E/C = 6 rows: 6*(2*4 + 2) + 2*24 = 108; (48 + 4)*4. */
static void rms(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"aten::_fused_rms_norm\", \"dims\": [[6, 4], [], [4]], "
                "\"types\": [\"float\"], \"strides\": [[4, 1]], \"concrete\": [\"\", "
                "\"[4]\"]}",
                PERF_FORWARD, 108, 208, "vector_fp32");
}

static void mask_is_a_list(void **state)
{
    (void)state;
    expect_params("{\"op\": \"aten::_fused_rms_norm\", \"dims\": [[6, 4], [], [4]], "
                  "\"types\": [\"float\"], \"strides\": [[4, 1]], \"concrete\": [\"\", "
                  "\"[4]\"]}",
                  "op_shape=(6, 4) dtype_in_out=('float', None) stride_input=(4, 1) "
                  "stride_output=None num_channels=4 has_bias=False is_affine=True "
                  "is_training=False");
    expect_params("{\"op\": \"aten::cudnn_batch_norm_backward\", \"dims\": [[2, 3, 4], "
                  "[2, 3, 4], [3]], \"types\": [\"float\"], \"strides\": [[12, 4, 1]]}",
                  "op_shape=(2, 3, 4) dtype_in_out=('float', None) "
                  "stride_input=(12, 4, 1) stride_output=None num_channels=3 "
                  "has_bias=True is_affine=True is_training=False "
                  "output_mask=[True]");
}

/* E = 48, two channels in each of 3 groups: C*(4 + 5)*24, without a gradient of the
 * input C*(4 + 2)*24; E + 2E, or 2E, of 4 bytes, C, then C and twice C. */
static void group_backward(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"aten::native_group_norm_backward\", \"dims\": [[2, 6, 4], "
                "[2, 6, 4], [], [], [], [6]], \"types\": [\"float\", \"float\"], "
                "\"strides\": [[24, 4, 1], [24, 4, 1]], \"concrete\": [\"\", \"\", "
                "\"\", \"\", \"\", \"\", \"\", \"\", \"3\", \"[True, True, True]\"]}",
                PERF_FORWARD, 432, 608, "vector_fp32");
    expect_cost("{\"op\": \"aten::native_group_norm_backward\", \"dims\": [[2, 6, 4], "
                "[2, 6, 4], [], [], [], [6]], \"types\": [\"float\", \"float\"], "
                "\"strides\": [[24, 4, 1], [24, 4, 1]], \"concrete\": [\"\", \"\", "
                "\"\", \"\", \"\", \"\", \"\", \"\", \"3\", \"[False, True, True]\"]}",
                PERF_FORWARD, 288, 416, "vector_fp32");
    expect_status("{\"op\": \"aten::native_group_norm_backward\", \"dims\": [[2, 6, "
                  "4], [2, 6, 4], [], [], [], [6]], \"types\": [\"float\", \"float\"], "
                  "\"strides\": [[24, 4, 1], [24, 4, 1]], \"concrete\": [\"\", \"\", "
                  "\"\", \"\", \"\", \"\", \"\", \"\", \"3\", \"True, True]\"]}",
                  PERF_FORWARD, PERF_FAIL);
}

/* E = 24, C = 4: twice E, 6 E for the input, E and sums over 6 rows for the weight; 3E
 * + 2C of 4 bytes. */
static void rms_backward(void **state)
{
    (void)state;
    expect_cost(
        "{\"op\": \"aten::_fused_rms_norm_backward\", \"dims\": [[6, 4], [6, 4], [], "
        "[], [4]], \"types\": [\"float\", \"float\"], \"strides\": [[4, 1], [4, 1]], "
        "\"concrete\": [\"\", \"\", \"[4]\", \"\", \"\", \"[True, False]\"]}",
        PERF_FORWARD, 192, 320, "vector_fp32");
    expect_cost(
        "{\"op\": \"aten::_fused_rms_norm_backward\", \"dims\": [[6, 4], [6, 4], [], "
        "[], [4]], \"types\": [\"float\", \"float\"], \"strides\": [[4, 1], [4, 1]], "
        "\"concrete\": [\"\", \"\", \"[4]\", \"\", \"\", \"[False, True]\"]}",
        PERF_FORWARD, 96, 320, "vector_fp32");
    expect_cost(
        "{\"op\": \"aten::_fused_rms_norm_backward\", \"dims\": [[6, 4], [6, 4], [], "
        "[], [4]], \"types\": [\"float\", \"float\"], \"strides\": [[4, 1], [4, 1]], "
        "\"concrete\": [\"\", \"\", \"[4]\", \"\", \"\", \"[True, True]\"]}",
        PERF_FORWARD, 240, 320, "vector_fp32");
}

/* 5 tokens of 2 batches and 3: 12 or 15 a value; 36 values twice or three times and 10
 * pairs of statistics. */
static void modulated(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"primus::fused_ln_modulate\", \"dims\": [[5, 2, 3]], "
                "\"types\": [\"float\"]}",
                PERF_FORWARD, 360, 368, "vector_fp32");
    expect_cost("{\"op\": \"primus::fused_ln_modulate_backward\", \"dims\": [[5, 2, "
                "3]], \"types\": [\"float\"]}",
                PERF_FORWARD, 450, 512, "vector_fp32");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(training_is_any_text),
        cmocka_unit_test(forward_declines_backward),
        cmocka_unit_test(layer_backward),
        cmocka_unit_test(instance_backward_is_dropped),
        cmocka_unit_test(rms),
        cmocka_unit_test(group_backward),
        cmocka_unit_test(rms_backward),
        cmocka_unit_test(modulated),
        cmocka_unit_test(mask_is_a_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
