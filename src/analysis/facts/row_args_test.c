#include "row_args.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct row_args args_of(struct trace_case *c, const char *more)
{
    case_begin(c);
    case_event(c, "cpu_op", "aten::x", 1, 0, 10, more);
    case_launch(c, "k", 1, 20, 5, 1);
    case_open(c, NULL);
    return row_args_of(&c->perm, c->tables.judged.rows[0].args);
}

static void tensors_and_other_slots(void **state)
{
    (void)state;
    struct trace_case c;
    struct row_args a = args_of(
        &c, "\"Input Dims\":[[512],[141,512],[],[[2],[3]],[512,8]],"
            "\"Input type\":[\"float\",\"c10::BFloat16\",\"Scalar\",\"TensorList\","
            "\"c10::BFloat16\"],"
            "\"Input Strides\":[[1],[512,1],[],[],[1,512]],"
            "\"Concrete Inputs\":[\"\",\"\",\"7\",\"\",\"\"]");
    assert_int_equal(a.n, 5);
    assert_int_equal(a.at[2].rank, 0);
    assert_int_equal(a.at[3].rank, 0);
    assert_text(a.at[2].concrete, "7");
    assert_text(row_args_text(&c.perm, &a, ", "),
                "(512,) fp32, (141,512) bf16, (512,8) bf16");
    assert_text(row_shapes_text(&c.perm, &a), "(141,512)x(512,8)");
    assert_int_equal(row_arg_elements(&a.at[1]), 141 * 512);
    case_close(&c);
    a = args_of(&c, "\"Input Dims\":[[512],[141,512]]"); /* ranges have no types */
    assert_text(row_args_text(&c.perm, &a, ", "), "(512,), (141,512)");
    case_close(&c);
}

/* What a hostile trace may write there. */
static void nonsense_is_no_tensor(void **state)
{
    (void)state;
    struct trace_case c;
    struct row_args a = args_of(
        &c, "\"Input Dims\":[[-1],[1e300],[1,2,3,4,5,6,7,8,9,1,2,3,4],\"x\",[\"y\"]],"
            "\"Input type\":[\"float\"]");
    assert_int_equal(a.n, 5);
    for (int i = 0; i < a.n; i++)
        assert_int_equal(a.at[i].rank, 0);
    assert_int_equal(row_args_text(&c.perm, &a, ", ").n, 0);
    case_close(&c);
    a = args_of(&c, "");
    assert_int_equal(a.n, 0);
    case_close(&c);
}

static void huge_products_do_not_wrap(void **state)
{
    (void)state;
    struct row_arg t = {.rank = 4, .dim = {1LL << 40, 1LL << 40, 1LL << 40, 1LL << 40}};
    assert_true(row_arg_elements(&t) == INT64_MAX);
}

static void parameters_of_a_model(void **state)
{
    (void)state;
    struct perf_param p[] = {{"M", "141", 3, PERF_INT},
                             {"causal", "True", 4, PERF_BOOL},
                             {"none", "None", 4, PERF_NONE},
                             {"shape", "(64, 3, 7, 7)", 13, PERF_TUPLE}};
    struct perf_cost c = {.params = p, .n_params = 4};
    int64_t dims[ROW_RANK_MAX];
    assert_near(cost_number(&c, "M"), 141, 0);
    assert_near(cost_number(&c, "causal"), 1, 0);
    assert_true(isnan(cost_number(&c, "none")));
    assert_true(isnan(cost_number(&c, "absent")));
    assert_true(isnan(cost_number(NULL, "M")));
    assert_int_equal(cost_dims(&c, "shape", dims), 4);
    assert_int_equal(dims[3], 7);
    assert_int_equal(cost_dims(&c, "absent", dims), 0);
}

static void bytes_are_not_fp8(void **state)
{
    (void)state;
    assert_text(row_type_word(S("unsigned char")), "uint8");
    assert_text(row_type_word(S("c10::Float8_e4m3fn")), "fp8");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bytes_are_not_fp8),
                                       cmocka_unit_test(tensors_and_other_slots),
                                       cmocka_unit_test(nonsense_is_no_tensor),
                                       cmocka_unit_test(huge_products_do_not_wrap),
                                       cmocka_unit_test(parameters_of_a_model)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
