#include "perf/own/own_map.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf/own/own_case.h"

/* 6 elements of 2 bytes, in and out. */
static void unary(void **state)
{
    (void)state;
    expect_own("{\"op\": \"aten::gelu\", \"dims\": [[2, 3], []], \"types\": "
               "[\"c10::Half\", \"\"]}",
               6, 24, "vector_fp16");
    expect_own("{\"op\": \"aten::exp_\", \"dims\": [[5]], \"types\": [\"double\"]}", 5,
               80, "vector_fp64");
}

/* [2,3] fp32 and [3] fp32 in: 24 + 12; [2,3] out: 24. A scalar is not a tensor. */
static void binary_broadcasts(void **state)
{
    (void)state;
    expect_own("{\"op\": \"aten::sub\", \"dims\": [[2, 3], [3], []], \"types\": "
               "[\"float\", \"float\", \"Scalar\"]}",
               6, 60, "vector_fp32");
    expect_own("{\"op\": \"aten::mul\", \"dims\": [[4], []], \"types\": [\"float\", "
               "\"Scalar\"]}",
               4, 32, "vector_fp32");
    expect_own_failure("{\"op\": \"aten::sub\", \"dims\": [[2], [3]], \"types\": "
                       "[\"float\", \"float\"]}");
}

/* The gradient of a scalar loss: 4 + 2 * 24 read; the fourth tensor is the result, 24.
 */
static void a_tensor_after_those_read_is_the_result(void **state)
{
    (void)state;
    expect_own(
        "{\"op\": \"aten::mse_loss_backward\", \"dims\": [[], [6], [6], [], [6]], "
        "\"types\": [\"float\", \"float\", \"float\", \"Scalar\", \"float\"]}",
        12, 76, "vector_fp32");
}

/* 8 bytes each in, one truth value each out. */
static void comparison(void **state)
{
    (void)state;
    expect_own("{\"op\": \"aten::gt\", \"dims\": [[10], []], \"types\": [\"double\", "
               "\"Scalar\"]}",
               10, 90, "vector_fp64");
}

/* Written only. */
static void fill(void **state)
{
    (void)state;
    expect_own("{\"op\": \"aten::fill_\", \"dims\": [[10], []], \"types\": [\"float\", "
               "\"Scalar\"]}",
               0, 40, "vector_fp32");
}

/* (destination, source): 1 byte read, 8 written; no peak for whole numbers is needed.
 */
static void copy_between_types(void **state)
{
    (void)state;
    expect_own("{\"op\": \"aten::copy_\", \"dims\": [[4], [4], []], \"types\": [\"long "
               "int\", \"bool\", \"Scalar\"]}",
               0, 36, "");
}

/* 5 FLOP of each; half_to_float reads 2 bytes and writes 4. */
static void softmax(void **state)
{
    (void)state;
    expect_own("{\"op\": \"aten::_softmax\", \"dims\": [[2, 8], [], []], \"types\": "
               "[\"c10::Half\", \"Scalar\", \"Scalar\"], \"concrete\": [\"\", \"-1\", "
               "\"True\"]}",
               80, 96, "vector_fp16");
    expect_own("{\"op\": \"aten::_log_softmax_backward_data\", \"dims\": [[2, 8], [2, "
               "8], [], []], \"types\": [\"float\", \"float\", \"Scalar\", "
               "\"Scalar\"]}",
               64, 192, "vector_fp32");
}

/* 2 bytes in; 2 and a mask of 1 out. */
static void dropout(void **state)
{
    (void)state;
    expect_own(
        "{\"op\": \"aten::native_dropout\", \"dims\": [[10], [], []], \"types\": "
        "[\"c10::BFloat16\", \"Scalar\", \"Scalar\"]}",
        20, 50, "vector_bf16");
}

/* Truth values are summed in 8 bytes: 12 read, 3 * 8 written. */
static void reductions(void **state)
{
    (void)state;
    expect_own("{\"op\": \"aten::sum\", \"dims\": [[3, 4], [], [], []], \"types\": "
               "[\"bool\", \"ScalarList\", \"Scalar\", \"\"], \"concrete\": [\"\", "
               "\"[-1]\", \"False\", \"\"]}",
               12, 36, "vector_fp32");
    expect_own("{\"op\": \"aten::argmax\", \"dims\": [[3, 4], [], []], \"types\": "
               "[\"float\", \"Scalar\", \"Scalar\"], \"concrete\": [\"\", \"1\", "
               "\"False\"]}",
               12, 72, "vector_fp32");
    expect_own("{\"op\": \"aten::all\", \"dims\": [[10]], \"types\": [\"bool\"], "
               "\"concrete\": [\"\"]}",
               10, 11, "vector_fp32");
    expect_own_failure("{\"op\": \"aten::sum\", \"dims\": [[3, 4], []], \"types\": "
                       "[\"bool\", \"ScalarList\"], \"concrete\": [\"\", \"[7]\"]}");
}

/* 100 floats read; 2 rows of 5 values and places out. */
static void top_k(void **state)
{
    (void)state;
    expect_own(
        "{\"op\": \"aten::topk\", \"dims\": [[2, 50], [], [], [], []], \"types\": "
        "[\"float\", \"Scalar\", \"Scalar\", \"Scalar\", \"Scalar\"], "
        "\"concrete\": [\"\", \"5\", \"-1\", \"True\", \"True\"]}",
        0, 520, "vector_fp32");
}

static void names(void **state)
{
    (void)state;
    assert_null(own_model_of(S("aten::no_such_operator")));
    assert_non_null(own_model_of(S("aten::__and__")));
    assert_ptr_equal(own_model_of(S("aten::add_")), own_model_of(S("aten::add")));
}

#define REDUCE(name, type, concrete)                                                   \
    "{\"op\": \"aten::" name "\", \"dims\": [[3, 4], [], []], \"types\": [\"" type     \
    "\", \"Scalar\", \"Scalar\"], \"concrete\": " concrete "}"

/* 12 floats read: results are as wide, extrema have places of 8 bytes beside them if
 * they are of one dimension, counts are 8 bytes, and scans keep all. */
static void results_of_reductions(void **state)
{
    (void)state;
    expect_own(REDUCE("sum", "float", "[\"\", \"[-1]\", \"False\"]"), 12, 48 + 3 * 4,
               "vector_fp32");
    expect_own(REDUCE("sum", "float", "[\"\", \"[0, 1]\", \"False\"]"), 12, 48 + 4,
               "vector_fp32");
    expect_own(REDUCE("sum", "float", "[\"\", \"[]\", \"False\"]"), 12, 48 + 4,
               "vector_fp32");
    expect_own(REDUCE("prod", "bool", "[\"\", \"[0]\", \"False\"]"), 12, 12 + 4 * 8,
               "vector_fp32");
    expect_own(REDUCE("mean", "float", "[\"\", \"[0]\", \"False\"]"), 12, 48 + 4 * 4,
               "vector_fp32");
    expect_own(REDUCE("max", "float", "[\"\", \"1\", \"False\"]"), 12, 48 + 3 * 12,
               "vector_fp32");
    expect_own(REDUCE("max", "float", "[\"\"]"), 12, 48 + 4, "vector_fp32");
    expect_own(REDUCE("cumsum", "float", "[\"\", \"1\", \"\"]"), 12, 48 + 48,
               "vector_fp32");
    expect_own(REDUCE("cumsum", "bool", "[\"\", \"1\", \"\"]"), 12, 12 + 12 * 8,
               "vector_fp32");
    expect_own(REDUCE("linalg_vector_norm", "float", "[\"\", \"2\", \"[0]\"]"), 12,
               48 + 4 * 4, "vector_fp32");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unary),
        cmocka_unit_test(binary_broadcasts),
        cmocka_unit_test(a_tensor_after_those_read_is_the_result),
        cmocka_unit_test(comparison),
        cmocka_unit_test(fill),
        cmocka_unit_test(copy_between_types),
        cmocka_unit_test(softmax),
        cmocka_unit_test(dropout),
        cmocka_unit_test(reductions),
        cmocka_unit_test(top_k),
        cmocka_unit_test(names),
        cmocka_unit_test(results_of_reductions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
