#include "perf/own/own_window.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf/own/own_case.h"

#define POOL(name, dims, concrete)                                                     \
    "{\"op\": \"aten::" name "\", \"dims\": " dims                                     \
    ", \"types\": [\"float\", \"ScalarList\", \"ScalarList\", \"ScalarList\", "        \
    "\"ScalarList\", \"Scalar\"], \"concrete\": " concrete "}"

/* 3x3, stride 2, padding 1 on 8x8: 4x4 out. 64 floats read; 16 with places written. */
static void max_pool(void **state)
{
    (void)state;
    expect_own(
        POOL("max_pool2d_with_indices", "[[1, 1, 8, 8], [], [], [], [], []]",
             "[\"\", \"[3, 3]\", \"[2, 2]\", \"[1, 1]\", \"[1, 1]\", \"False\"]"),
        144, 448, "vector_fp32");
}

/* 7 wide, 2x2, no stride given: 3 wide, or 4 when rounding up. */
static void average_pool_rounds(void **state)
{
    (void)state;
    expect_own(POOL("avg_pool2d", "[[1, 7, 7], [], [], [], [], []]",
                    "[\"\", \"[2]\", \"[]\", \"[0]\", \"False\", \"True\"]"),
               36, 232, "vector_fp32");
    expect_own(POOL("avg_pool2d", "[[1, 7, 7], [], [], [], [], []]",
                    "[\"\", \"[2]\", \"[]\", \"[0]\", \"True\", \"True\"]"),
               64, 260, "vector_fp32");
}

/* 16 gradients with places read, 64 elements written. */
static void max_pool_backward(void **state)
{
    (void)state;
    expect_own("{\"op\": \"aten::max_pool2d_with_indices_backward\", \"dims\": [[1, 1, "
               "4, 4], [1, 1, 8, 8]], \"types\": [\"float\", \"float\"]}",
               16, 448, "vector_fp32");
}

/* 4 taps of two FLOP each: 16 elements out of 4. Without sizes the factors count. */
static void upsample(void **state)
{
    (void)state;
    expect_own("{\"op\": \"aten::upsample_bilinear2d\", \"dims\": [[1, 1, 2, 2], [], "
               "[], [], []], \"types\": [\"float\", \"ScalarList\", \"Scalar\", \"\", "
               "\"\"], \"concrete\": [\"\", \"[4, 4]\", \"False\", \"\", \"\"]}",
               128, 80, "vector_fp32");
    expect_own(
        "{\"op\": \"aten::upsample_nearest2d\", \"dims\": [[1, 1, 2, 2], [], "
        "[]], \"types\": [\"float\", \"\", \"ScalarList\"], \"concrete\": [\"\", "
        "\"\", \"[2., 2.]\"]}",
        0, 80, "vector_fp32");
    expect_own_failure(
        "{\"op\": \"aten::upsample_nearest2d\", \"dims\": [[1, 1, 2, 2], "
        "[], []], \"types\": [\"float\", \"\", \"ScalarList\"], "
        "\"concrete\": [\"\", \"\", \"\"]}");
}

/* A window of 4x2 over 8x6, given or by the sizes asked for: 48 floats read, 6 written.
 * One number is for all three dimensions: 2x2x2 over 4x4x4. */
static void windows_of_any_sides(void **state)
{
    (void)state;
    expect_own(POOL("avg_pool2d", "[[1, 1, 8, 6], [], [], [], [], []]",
                    "[\"\", \"[4, 2]\", \"[]\", \"[0]\", \"False\", \"True\"]"),
               48, 216, "vector_fp32");
    expect_own(POOL("_adaptive_avg_pool2d", "[[1, 1, 8, 6], [], [], [], [], []]",
                    "[\"\", \"[2, 3]\"]"),
               48, 216, "vector_fp32");
    expect_own(POOL("avg_pool3d", "[[1, 1, 4, 4, 4], [], [], [], [], []]",
                    "[\"\", \"[2]\", \"[]\", \"[0]\", \"False\", \"True\"]"),
               64, 288, "vector_fp32");
    expect_own_failure(POOL("avg_pool2d", "[[1, 1, 8, 6], [], [], [], [], []]",
                            "[\"\", \"[4, 2, 1]\", \"[]\", \"[0]\", \"False\"]"));
}

#define UPSAMPLE(name, dims, concrete)                                                 \
    "{\"op\": \"aten::upsample_" name "\", \"dims\": [" dims                           \
    ", [], [], [], []], \"types\": [\"float\", \"ScalarList\", \"ScalarList\", \"\", " \
    "\"\"], \"concrete\": " concrete "}"

/* Two taps along a line, four on a plane, eight in space, sixteen by cubes. */
static void taps_of_an_upsampling(void **state)
{
    (void)state;
    expect_own(UPSAMPLE("linear1d", "[1, 1, 4]", "[\"\", \"[8]\", \"False\", \"\"]"),
               2 * 2 * 8, 16 + 32, "vector_fp32");
    expect_own(UPSAMPLE("trilinear3d", "[1, 1, 2, 2, 2]",
                        "[\"\", \"[4, 4, 4]\", \"False\", \"\"]"),
               2 * 8 * 64, 32 + 256, "vector_fp32");
    expect_own(
        UPSAMPLE("bicubic2d", "[1, 1, 2, 2]", "[\"\", \"[4, 4]\", \"False\", \"\"]"),
        2 * 16 * 16, 16 + 64, "vector_fp32");
    expect_own(UPSAMPLE("bilinear2d", "[1, 1, 2, 2]",
                        "[\"\", \"\", \"False\", \"[2., 3.5]\"]"),
               2 * 4 * 28, 16 + 112, "vector_fp32");
    expect_own_failure(
        UPSAMPLE("bilinear2d", "[1, 1, 2, 2]", "[\"\", \"[4]\", \"False\", \"\"]"));
    expect_own_failure(UPSAMPLE("bilinear2d", "[1, 1, 2, 2]",
                                "[\"\", \"\", \"False\", \"[2., 3.5\"]"));
    /* Back: 16 gradients read, 4 written. */
    expect_own(UPSAMPLE("bilinear2d_backward", "[1, 1, 4, 4]",
                        "[\"\", \"[4, 4]\", \"[1, 1, 2, 2]\", \"False\"]"),
               2 * 4 * 16, 64 + 16, "vector_fp32");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(max_pool),
        cmocka_unit_test(average_pool_rounds),
        cmocka_unit_test(max_pool_backward),
        cmocka_unit_test(upsample),
        cmocka_unit_test(windows_of_any_sides),
        cmocka_unit_test(taps_of_an_upsampling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
