#include "replay_input.c"

#include "trace/json_value.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct arena perm;

static const struct value *decoded(const char *json)
{
    return json && *json ? json_value(&perm, str_of(json)) : NULL;
}

static struct replay_inputs read4(const char *dims, const char *types,
                                  const char *strides, const char *concrete)
{
    return replay_inputs_read(&perm, (struct call_args){decoded(dims), decoded(types),
                                                        decoded(strides),
                                                        decoded(concrete), NULL});
}

static void assert_str(struct str s, const char *want)
{
    if (!str_eq(s, str_of(want)))
        fail_msg("'%.*s' is not '%s'", STRF(s), want);
}

static void scalars_are_read_as_they_are_printed(void **state)
{
    (void)state;
    assert_int_equal(replay_scalar(S("-3")).kind, REPLAY_INT);
    assert_int_equal(replay_scalar(S("-3")).i, -3);
    assert_int_equal(replay_scalar(S("9223372036854775807")).i, INT64_MAX);
    assert_int_equal(replay_scalar(S("-9223372036854775808")).i, INT64_MIN);
    assert_int_equal(replay_scalar(S("9223372036854775808")).kind, REPLAY_REAL);
    assert_int_equal(replay_scalar(S("1.")).kind,
                     REPLAY_REAL); /* a real 1 stays real */
    assert_true(replay_scalar(S("0.10000000000000001")).r == 0.1);
    assert_true(replay_scalar(S("9.9999999999999998e-13")).r == 1e-12);
    assert_int_equal(replay_scalar(S("True")).kind, REPLAY_BOOL);
    assert_true(replay_scalar(S("true")).b);
    assert_false(replay_scalar(S("False")).b);
    /* JSON has no word for these, so they stay text. */
    assert_int_equal(replay_scalar(S("-inf")).kind, REPLAY_TEXT);
    assert_int_equal(replay_scalar(S("nan")).kind, REPLAY_TEXT);
    assert_int_equal(replay_scalar(S("1.+2.j")).kind, REPLAY_TEXT);
    assert_int_equal(replay_scalar(S("1e-05-0.5j")).kind, REPLAY_TEXT);
}

static void what_is_no_scalar_is_none(void **state)
{
    static const char *const wrong[] = {
        "",   "x",   "0x10", "1;2",  "--1",   "1e999", "e",    "j",
        "+j", "1j2", "infj", "None", "\"1\"", "1 2",   "nanx", "__import__('os')"};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (replay_scalar(str_of(wrong[i])).kind != REPLAY_NULL)
            fail_msg("'%s' was taken for a scalar", wrong[i]);
}

static void strides_need_not_be_dense(void **state)
{
    (void)state;
    struct replay_inputs in =
        read4("[[16, 559], [10, 512, 7, 7]]", "[\"c10::BFloat16\", \"c10::Half\"]",
              "[[1, 1024], [512, 1, 0, 0]]", "[\"\", \"\"]");
    assert_int_equal(in.reason.n, 0);
    assert_int_equal(in.n, 2);
    assert_int_equal(in.at[0].value.tensors[0].strides[1], 1024);
    assert_str(in.at[0].value.tensors[0].dtype, "c10::BFloat16");
    assert_int_equal(in.at[1].value.tensors[0].n_dims, 4);
    assert_int_equal(in.at[1].value.tensors[0].strides[3], 0);
    assert_str(in.at[1].value.tensors[0].dtype, "c10::Half");
}

static void a_tensor_may_have_no_dimension(void **state)
{
    (void)state;
    struct replay_inputs in = read4("[[]]", "[\"bool\"]", "[[]]", "[\"\"]");
    assert_int_equal(in.reason.n, 0);
    assert_int_equal(in.at[0].kind, REPLAY_INPUT_TENSOR);
    assert_int_equal(in.at[0].value.tensors[0].n_dims, 0);
}

static void members_of_lists_take_the_type_of_the_first_tensor(void **state)
{
    (void)state;
    struct replay_inputs in =
        read4("[[[2, 3], [4]], [5]]", "[\"TensorList\", \"float\"]",
              "[[[3, 1], [1]], [1]]", "[\"\", \"\"]");
    assert_int_equal(in.reason.n, 0);
    assert_int_equal(in.at[0].value.n, 2);
    assert_str(in.at[0].value.tensors[1].dtype, "float");
    assert_true(in.at[0].value.tensors[0].dtype_assumed);
    assert_false(in.at[1].value.tensors[0].dtype_assumed);
    in = read4("[[[2, 3]], []]", "[\"TensorList\", \"Scalar\"]", "[[[3, 1]], []]",
               "[\"\", \"-1\"]");
    assert_str(in.at[0].value.tensors[0].dtype, "c10::BFloat16");
    in = read4("[[]]", "[\"TensorList\"]", "[[]]", "[\"\"]");
    assert_str(in.reason,
               "the shapes of the tensor list at argument 1 are not recorded");
}

static void lists_of_scalars(void **state)
{
    (void)state;
    struct replay_inputs in =
        read4("[[], [], []]", "[\"ScalarList\", \"ScalarList\", \"ScalarList\"]",
              "[[], [], []]", "[\"[1, -2]\", \"[]\", \"[0.5, inf]\"]");
    assert_int_equal(in.reason.n, 0);
    assert_int_equal(in.at[0].value.items[1].i, -2);
    assert_int_equal(in.at[1].value.kind, REPLAY_LIST);
    assert_int_equal(in.at[1].value.n, 0);
    assert_int_equal(in.at[2].value.items[1].kind, REPLAY_TEXT);
}

static void the_reason_says_what_is_missing(void **state)
{
    (void)state;
    assert_str(read4("", "", "", "").reason, "no shapes are recorded");
    assert_str(read4("[[1]]", "[\"float\"]", "[[1], [1]]", "").reason,
               "its shapes and strides differ in number");
    assert_str(read4("[]", "[]", "[]", "[]").reason, "no arguments are recorded");
    assert_str(read4("[[]]", "[\"Scalar\"]", "[[]]", "[\"\"]").reason,
               "the value of argument 1 is not recorded");
    assert_str(read4("[[]]", "[\"GenericList\"]", "[[]]", "[\"\"]").reason,
               "the value of argument 1 is not recorded");
    assert_str(read4("[[]]", "[\"Storage\"]", "[[]]", "[\"\"]").reason,
               "argument 1 is of type 'Storage', which cannot be recreated");
}

/* Traces of before 2024 have shapes and types, some of them values too. */
static void strides_and_values_may_be_missing_as_a_whole(void **state)
{
    (void)state;
    struct replay_inputs in =
        read4("[[3, 0, 5], [], [[2, 3]], []]",
              "[\"float\", \"double\", \"TensorList\", \"GenericList\"]", "", "");
    assert_int_equal(in.reason.n, 0);
    assert_true(in.no_strides && in.no_values);
    const struct replay_tensor *t = in.at[0].value.tensors;
    assert_true(t->strides_assumed);
    /* What PyTorch gives a new tensor: size 0 counts as 1. */
    assert_int_equal(t->strides[0], 5);
    assert_int_equal(t->strides[1], 5);
    assert_int_equal(t->strides[2], 1);
    assert_int_equal(in.at[1].value.tensors[0].n_dims, 0);
    assert_int_equal(in.at[2].value.tensors[0].strides[0], 3);
    assert_true(in.at[2].value.tensors[0].strides_assumed);
    assert_int_equal(in.at[3].value.kind, REPLAY_NULL);
    assert_str(replay_missing_value(&perm, &in),
               "the value of argument 4 is not recorded");
    in = read4("[[4503599627370496, 4503599627370496]]", "[\"float\"]", "", "");
    assert_str(in.reason, "argument 1 has no shape and strides that a tensor can have");
}

static void sizes_that_no_tensor_has_are_refused(void **state)
{
    static const char *const wrong[][2] = {
        {"[[-1]]", "[[1]]"},
        {"[[1.5]]", "[[1]]"},
        {"[[1e300]]", "[[1]]"},
        {"[[\"x\"]]", "[[1]]"},
        {"[[2, 2]]", "[[1]]"},
        {"[[4503599627370496, 4503599627370496]]", "[[1, 1]]"}, /* 2^104 elements */
        {"[[4503599627370496]]", "[[4503599627370496]]"},
        {"[[2]]", "[[-1]]"},
        {"[[[2]]]", "[[[1]]]"},
        {"[null]", "[[1]]"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_str(read4(wrong[i][0], "[\"float\"]", wrong[i][1], "[\"\"]").reason,
                   "argument 1 has no shape and strides that a tensor can have");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalars_are_read_as_they_are_printed),
        cmocka_unit_test(what_is_no_scalar_is_none),
        cmocka_unit_test(strides_need_not_be_dense),
        cmocka_unit_test(a_tensor_may_have_no_dimension),
        cmocka_unit_test(members_of_lists_take_the_type_of_the_first_tensor),
        cmocka_unit_test(lists_of_scalars),
        cmocka_unit_test(the_reason_says_what_is_missing),
        cmocka_unit_test(strides_and_values_may_be_missing_as_a_whole),
        cmocka_unit_test(sizes_that_no_tensor_has_are_refused),
    };
    perm = arena_reserve(1 << 26);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
