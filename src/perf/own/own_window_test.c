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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(max_pool),
        cmocka_unit_test(average_pool_rounds),
        cmocka_unit_test(max_pool_backward),
        cmocka_unit_test(upsample),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
