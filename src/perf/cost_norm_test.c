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
    expect_params("{\"op\": \"aten::cudnn_batch_norm_backward\", \"dims\": [[2, 3, 4], "
                  "[2, 3, 4], [3]], \"types\": [\"float\"], \"strides\": [[12, 4, 1]]}",
                  "op_shape=(2, 3, 4) dtype_in_out=('float', None) "
                  "stride_input=(12, 4, 1) stride_output=None num_channels=3 "
                  "has_bias=True is_affine=True is_training=False "
                  "output_mask=[True]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(training_is_any_text),
        cmocka_unit_test(forward_declines_backward),
        cmocka_unit_test(layer_backward),
        cmocka_unit_test(instance_backward_is_dropped),
        cmocka_unit_test(rms),
        cmocka_unit_test(mask_is_a_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
