#include "replay_schema.c"

#include "trace/json_value.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

#include <cmocka.h>

static struct arena perm;

static const char signatures[] =
    "# a comment\n"
    "aten::eq.Tensor(Tensor self, Tensor other) -> Tensor\n"
    "aten::index.Tensor(Tensor self, Tensor?[] indices) -> Tensor\n"
    "aten::eq.Scalar(Tensor self, Scalar other) -> Tensor\n"
    "nonsense(Tensor\n"
    "aten::gelu(Tensor self, *, str approximate=\"none\") -> Tensor\n"
    "aten::mean.out(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? "
    "dtype=None, "
    "Tensor(a!) out) -> Tensor(a!)\n"
    "aten::_foreach_add_.List(Tensor(a!)[] self, Tensor[] other, *, Scalar alpha=1) -> "
    "()\n"
    "aten::dims(Tensor self, int[2] dims=[0, 1], float? p=None) -> (Tensor, Tensor)\n"
    "aten::mask(Tensor self, bool[3] mask) -> Tensor\n"
    "aten::div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> "
    "Tensor\n"
    "aten::pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor\n"
    "aten::leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor\n"
    "aten::pool(Tensor self, int[2] kernel_size, int[2] stride=[]) -> Tensor\n";

static const struct value *decoded(const char *json)
{
    return json && *json ? json_value(&perm, str_of(json)) : NULL;
}

static struct replay_inputs read4(const char *dims, const char *types,
                                  const char *strides, const char *concrete)
{
    struct replay_inputs in = replay_inputs_read(
        &perm, (struct call_args){decoded(dims), decoded(types), decoded(strides),
                                  decoded(concrete), NULL});
    assert_int_equal(in.reason.n, 0);
    return in;
}

static enum schema_match find(const char *op, const struct replay_inputs *in,
                              struct schema *s, struct schema_arg *missing)
{
    struct schema_index x = schema_index_build(&perm, str_of(signatures));
    return schema_find(&perm, &x, str_of(op), in, s, missing);
}

static void assert_str(struct str s, const char *want)
{
    if (!str_eq(s, str_of(want)))
        fail_msg("'%.*s' is not '%s'", STRF(s), want);
}

static void a_signature_is_taken_apart(void **state)
{
    struct schema s;
    (void)state;
    assert_true(schema_parse(
        &perm,
        S("aten::mean.out(Tensor self, int[1]? dim, bool keepdim=False, *, "
          "ScalarType? dtype=None, Tensor(a!) out) -> Tensor(a!)"),
        &s));
    assert_str(s.op, "aten::mean");
    assert_str(s.overload, "out");
    assert_int_equal(s.n_args, 5);
    assert_str(s.args[1].type, "int[1]?");
    assert_true(s.args[1].list && s.args[1].optional && !s.args[1].keyword);
    assert_true(s.args[2].base == SCHEMA_BOOL && s.args[2].has_default);
    assert_true(s.args[3].base == SCHEMA_DTYPE && s.args[3].keyword &&
                s.args[3].optional);
    assert_str(s.args[4].name, "out");
    assert_true(s.args[4].written && s.args[4].base == SCHEMA_TENSOR);
    /* A default with commas and blanks in it is one argument. */
    assert_true(schema_parse(
        &perm,
        S("aten::dims(Tensor self, int[2] dims=[0, 1], float? p=None) -> Tensor"), &s));
    assert_int_equal(s.n_args, 3);
    assert_str(s.args[1].name, "dims");
    assert_true(s.args[2].base == SCHEMA_FLOAT && s.args[2].optional);
    assert_true(schema_parse(
        &perm, S("aten::index(Tensor self, Tensor?[] indices) -> Tensor"), &s));
    assert_true(s.args[1].list && s.args[1].optional_items && !s.args[1].optional);
    assert_false(schema_parse(&perm, S("nonsense(Tensor"), &s));
    assert_false(schema_parse(&perm, S("aten::x(Tensor) -> ()"), &s));
}

static void the_overload_is_chosen_by_the_types(void **state)
{
    struct schema s;
    struct schema_arg missing;
    (void)state;
    struct replay_inputs in =
        read4("[[4], []]", "[\"long int\", \"Scalar\"]", "[[1], []]", "[\"\", \"1\"]");
    assert_int_equal(find("aten::eq", &in, &s, &missing), SCHEMA_FITS);
    assert_str(s.overload, "Scalar");
    in = read4("[[4], [4]]", "[\"float\", \"float\"]", "[[1], [1]]", "[\"\", \"\"]");
    assert_int_equal(find("aten::eq", &in, &s, &missing), SCHEMA_FITS);
    assert_str(s.overload, "Tensor");
    /* With the overload in the name there is no choice. */
    assert_int_equal(find("aten::eq.Scalar", &in, &s, &missing), SCHEMA_NOT_KNOWN);
    assert_int_equal(find("aten::none", &in, &s, &missing), SCHEMA_NOT_KNOWN);
    assert_int_equal(find("aten::e", &in, &s, &missing), SCHEMA_NOT_KNOWN);
}

static void optional_arguments_may_be_absent(void **state)
{
    struct schema s;
    struct schema_arg missing;
    (void)state;
    struct replay_inputs in =
        read4("[[4, 2], [], [], [], [2]]",
              "[\"float\", \"ScalarList\", \"Scalar\", \"\", \"float\"]",
              "[[2, 1], [], [], [], [1]]", "[\"\", \"[0]\", \"False\", \"\", \"\"]");
    assert_int_equal(find("aten::mean", &in, &s, &missing), SCHEMA_FITS);
    in.at[1].kind = REPLAY_INPUT_ABSENT;
    assert_int_equal(find("aten::mean", &in, &s, &missing), SCHEMA_FITS);
    /* A word is never recorded; its default will do. */
    in = read4("[[4], []]", "[\"float\", \"\"]", "[[1], []]", "[\"\", \"\"]");
    assert_int_equal(find("aten::gelu", &in, &s, &missing), SCHEMA_FITS);
}

static void what_was_not_recorded_is_named(void **state)
{
    struct schema s;
    struct schema_arg missing;
    (void)state;
    struct replay_inputs in =
        read4("[[4, 2], []]", "[\"float\", \"\"]", "[[2, 1], []]", "[\"\", \"\"]");
    assert_int_equal(find("aten::index", &in, &s, &missing), SCHEMA_NOT_RECORDED);
    assert_str(missing.name, "indices");
    assert_str(missing.type, "Tensor?[]");
    /* There would be no such overload for None. */
    in = read4("[[4], [4], []]", "[\"int\", \"int\", \"\"]", "[[1], [1], []]",
               "[\"\", \"\", \"\"]");
    assert_int_equal(find("aten::div", &in, &s, &missing), SCHEMA_NOT_RECORDED);
    assert_str(missing.name, "rounding_mode");
}

static void a_value_that_changes_the_work_must_be_recorded(void **state)
{
    struct schema s;
    struct schema_arg missing;
    (void)state;
    /* A slope is a factor, an exponent picks another kernel. */
    struct replay_inputs in = read4("[[4], []]", "[\"float\", \"Scalar\"]", "", "");
    assert_int_equal(find("aten::leaky_relu", &in, &s, &missing), SCHEMA_FITS);
    assert_int_equal(find("aten::pow", &in, &s, &missing), SCHEMA_NOT_RECORDED);
    assert_str(missing.name, "exponent");
    /* The word of old traces tells overloads apart. */
    in = read4("[[4], []]", "[\"float\", \"Bool\"]", "", "");
    assert_int_equal(find("aten::mask", &in, &s, &missing), SCHEMA_NOT_KNOWN);
    assert_int_equal(find("aten::eq", &in, &s, &missing), SCHEMA_FITS);
    assert_str(s.overload, "Scalar");
    /* A default of a size does not mean that it is taken. */
    in =
        read4("[[4], [], []]", "[\"float\", \"GenericList\", \"GenericList\"]", "", "");
    assert_int_equal(find("aten::pool", &in, &s, &missing), SCHEMA_NOT_RECORDED);
    assert_str(missing.name, "kernel_size");
}

static void lists_fit_by_their_items(void **state)
{
    struct schema s;
    struct schema_arg missing;
    (void)state;
    struct replay_inputs in =
        read4("[[[4], [2, 2]], [[4], [2, 2]], []]",
              "[\"TensorList\", \"TensorList\", \"Scalar\"]",
              "[[[1], [2, 1]], [[1], [2, 1]], []]", "[\"\", \"\", \"-0.001\"]");
    assert_int_equal(find("aten::_foreach_add_", &in, &s, &missing), SCHEMA_FITS);
    in = read4("[[4], []]", "[\"float\", \"ScalarList\"]", "[[1], []]",
               "[\"\", \"[True, False, True]\"]");
    assert_int_equal(find("aten::mask", &in, &s, &missing), SCHEMA_FITS);
    in = read4("[[4], []]", "[\"float\", \"ScalarList\"]", "[[1], []]",
               "[\"\", \"[1, 0]\"]");
    assert_int_equal(find("aten::mask", &in, &s, &missing), SCHEMA_NOT_KNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_signature_is_taken_apart),
        cmocka_unit_test(the_overload_is_chosen_by_the_types),
        cmocka_unit_test(optional_arguments_may_be_absent),
        cmocka_unit_test(what_was_not_recorded_is_named),
        cmocka_unit_test(a_value_that_changes_the_work_must_be_recorded),
        cmocka_unit_test(lists_fit_by_their_items),
    };
    perm = arena_reserve(1 << 26);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
