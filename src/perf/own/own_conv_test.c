#include "perf/own/own_conv.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf/own/own_case.h"

#define GRADIENT(part) GRADIENT_BY(part, "volta_scudnn_128x64_stridedB")
#define GRADIENT_BY(part, kernel)                                                      \
    "{\"op\": \"aten::cudnn_convolution_backward_" part                                \
    "\", \"dims\": [[], [2, 8, 4, 4]], \"types\": [\"GenericList\", \"float\"], "      \
    "\"kernels\": [\"" kernel                                                          \
    "\"], \"caller\": {\"op\": \"aten::cudnn_convolution_backward\", \"dims\": [[2, "  \
    "3, "                                                                              \
    "4, 4], [2, 8, 4, 4], [8, 3, 3, 3]], \"types\": [\"float\", \"float\", "           \
    "\"float\"]}}"

/* Each of 256 outputs meets 27 weights; input 96, output 256, weights 216 floats. */
static void conv_gradient(void **state)
{
    (void)state;
    expect_own(GRADIENT("weight"), 13824, 2272, "matrix_fp32");
    expect_own(GRADIENT("input"), 13824, 2272, "matrix_fp32");
    expect_own(GRADIENT_BY("input", "volta_scudnn_winograd_128x128_ldg1"), 6144, 2272,
               "matrix_fp32");
    expect_own(GRADIENT_BY("input", "winograd_nonfused::winogradForwardData4x4<float>"),
               3456, 2272, "matrix_fp32");
    expect_own_failure(
        "{\"op\": \"aten::cudnn_convolution_backward_weight\", \"dims\": "
        "[[]], \"types\": [\"GenericList\"]}");
}

#define FUSED(op, addend, alpha, kernel)                                               \
    "{\"op\": \"" op "\", \"dims\": [[2, 4, 8, 8], [6, 2, 3, 3], " addend              \
    "[6], [], [], [], []], \"types\": [\"c10::Half\", \"c10::Half\", \"c10::Half\", "  \
    "\"Scalar\", \"c10::Half\", \"\", \"\", \"\", \"\"], \"kernels\": [\"" kernel      \
    "\"], \"concrete\": [\"\", \"\", \"\", " alpha                                     \
    "\"[2, 2]\", \"[1, 1]\", \"[1]\", \"2\"]}"

/* 2 x 6 x 4 x 4 outputs, each of 2 channels of 9 weights; 512 + 108 + 6 + 192 halves,
 * and 192 more that are added. */
static void conv_with_what_follows(void **state)
{
    (void)state;
    expect_own(FUSED("aten::cudnn_convolution_relu", "", "", "sm80_xmma_fprop"),
               192 * 36, 2 * 818, "matrix_fp16");
    expect_own(FUSED("aten::miopen_convolution_relu", "", "", "igemm"), 192 * 36,
               2 * 818, "matrix_fp16");
    expect_own(FUSED("aten::cudnn_convolution_add_relu", "[2, 6, 4, 4], [], ",
                     "\"1\", \"\", ", "sm80_xmma_fprop"),
               192 * 36, 2 * 1010, "matrix_fp16");
    expect_own(FUSED("aten::cudnn_convolution_relu", "", "", "winograd_2x2"),
               192 * 36 / 2.25, 2 * 818, "matrix_fp16");
    expect_own_failure(
        "{\"op\": \"aten::cudnn_convolution_relu\", \"dims\": [[2, 4, 8, "
        "8], [6, 4, 3, 3]], \"types\": [\"float\", \"float\"]}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conv_gradient),
        cmocka_unit_test(conv_with_what_follows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
