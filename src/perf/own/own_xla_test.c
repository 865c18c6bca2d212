#include "perf/own/own_xla.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf/own/own_case.h"

/* Two bytes each way for each of 55862 x 5120 elements. */
static void moves_each_element(void **state)
{
    (void)state;
    expect_own(
        "{\"op\":\"input_transpose_fusion.3\",\"dims\":[[1,5120,34,31,53]],"
        "\"types\":[\"c10::BFloat16\"],\"extra\":{\"Result Dims\":[[55862,5120]],"
        "\"Result type\":[\"c10::BFloat16\"],\"summed\":0}}",
        0, 4.0 * 55862 * 5120, "vector_bf16");
}

/* 16 channels of a window of 2 x 2: 64 products for each element of the result. */
static void sums_products(void **state)
{
    (void)state;
    expect_own("{\"op\":\"cudnn-conv.1\",\"dims\":[[1,16,32,60,104],[5120,16,1,2,2]],"
               "\"types\":[\"c10::BFloat16\",\"c10::BFloat16\"],"
               "\"extra\":{\"Result Dims\":[[1,5120,34,31,53]],"
               "\"Result type\":[\"c10::BFloat16\"],\"summed\":64}}",
               2.0 * 64 * 5120 * 34 * 31 * 53,
               2.0 * (16 * 32 * 60 * 104 + 5120 * 64 + 5120.0 * 34 * 31 * 53),
               "matrix_bf16");
}

static void others_are_left_alone(void **state)
{
    (void)state;
    assert_null(own_model_of(S("my::fusion")));
    assert_null(own_model_of(S("fusion_of_things")));
    assert_null(own_model_of(S("dotted")));
    assert_non_null(own_model_of(S("dot.12")));
    assert_non_null(own_model_of(S("fusion")));
    struct perf_case k, caller;
    own_case_evaluate(&k, &caller, "{\"op\":\"a_fusion\",\"dims\":[[2]]}");
    assert_int_equal(k.cost.status, PERF_DROP); /* nothing is known of it */
    case_free(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(moves_each_element),
                                       cmocka_unit_test(sums_products),
                                       cmocka_unit_test(others_are_left_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
