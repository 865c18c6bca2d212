#include "perf/op_args.c"

#include "base/arena.h"
#include "trace/json_value.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void integers_as_python_reads_them(void **state)
{
    (void)state;
    double v;
    assert_true(python_int(S(" -12 "), &v) && v == -12);
    assert_true(python_int(S("+7"), &v) && v == 7);
    assert_false(python_int(S(""), &v));
    assert_false(python_int(S("1."), &v));
    assert_false(python_int(S("0x10"), &v));
}

static void reals_as_python_reads_them(void **state)
{
    (void)state;
    double v;
    assert_true(python_real(S("0."), &v) && v == 0);
    assert_true(python_real(S("1e-05"), &v) && v == 1e-05);
    assert_false(python_real(S("0x1p3"), &v));
    assert_false(python_real(S("None"), &v));
    assert_false(python_real(S("1 2"), &v));
}

static void lists_and_literals(void **state)
{
    (void)state;
    struct shape s;
    bool b;
    assert_true(python_int_list(S("[1, -1, 2]"), &s) && s.rank == 3 && s.dim[1] == -1);
    assert_true(python_int_list(S("[]"), &s) && s.rank == 0);
    assert_false(python_int_list(S("[1"), &s));
    assert_false(python_int_list(S("["), &s));
    assert_false(python_int_list(S("[2.]"), &s));
    assert_false(python_int_list(S(""), &s));
    assert_true(python_truth(S("True"), &b) && b);
    assert_true(python_truth(S("0"), &b) && !b);
    assert_false(python_truth(S("true"), &b));
    assert_false(python_truth(S(""), &b));
}

static void shapes_hold_whole_numbers(void **state)
{
    (void)state;
    struct arena arena = arena_reserve(1 << 16);
    char *start = arena.at;
    struct op_call call = {.args.dims = json_value(
                               &arena, S("[[2, 3], [], [1.5], [[2]], null, [1e999]]"))};
    struct op_args a = {.call = &call};
    struct shape s = args_shape(&a, 0);
    assert_true(s.rank == 2 && shape_count(&s) == 6 && shape_at(&a, &s, -1) == 3);
    s = args_shape(&a, 1);
    assert_true(s.rank == 0 && shape_count(&s) == 1 && args_ok(&a));
    for (int i = 2; i < 7; i++) {
        a.status = PERF_OK;
        args_shape(&a, i);
        assert_int_equal(a.status, PERF_FAIL);
    }
    arena_release(start, &arena);
}

static void sizes_are_whole_and_not_negative(void **state)
{
    struct arena arena = arena_reserve(1 << 16);
    char *start = arena.at;
    const struct value *lists = json_value(
        &arena, S("[[2, 0, 3], [2, -1], [9007199254740992], [9007199254740994]]"));
    int64_t sizes[3];
    (void)state;
    assert_int_equal(shape_sizes(value_at(lists, 0), sizes, 3), 3);
    assert_true(sizes[0] == 2 && sizes[1] == 0 && sizes[2] == 3);
    assert_int_equal(shape_sizes(value_at(lists, 0), sizes, 2), -1);
    assert_int_equal(shape_sizes(value_at(lists, 1), sizes, 3), -1);
    assert_int_equal(shape_sizes(value_at(lists, 2), sizes, 3), 1);
    assert_int_equal(shape_sizes(value_at(lists, 3), sizes, 3), -1);
    arena_release(start, &arena);
}

/* A call of which one place has what is asked for, and others have not. */
static void what_a_call_lacks_fails(void **state)
{
    struct arena arena = arena_reserve(1 << 16);
    char *start = arena.at;
    struct op_call call = {
        .args = {.strides = json_value(&arena, S("[[3, 1]]")),
                 .concrete = json_value(
                     &arena, S("[\"TRUE\", \"False\", \"(1, 2)\", \"(1]\", \"2.5\"]")),
                 .extra = json_value(&arena, S("{\"a\": 7.9, \"b\": \"12\"}"))}};
    struct op_args a = {.call = &call, .perm = &arena};
    const struct shape two = {.rank = 2, .dim = {5, 6}};
    (void)state;
    assert_true(shape_at(&a, &two, 0) == 5 && shape_at(&a, &two, -2) == 5);
    assert_true(args_is_true(&a, 0));
    assert_false(args_is_true(&a, 1));
    assert_false(args_literal(&a, 1));
    assert_int_equal(args_int_list(&a, 2).rank, 2);
    assert_true(args_real(&a, 4) == 2.5);
    assert_true(args_extra_int(&a, "a") == 7 && args_extra_int(&a, "b") == 12);
    assert_non_null(args_strides(&a, 0));
    assert_null(args_strides_if(
        &(struct op_args){.call = &(struct op_call){.name = S("x")}}, 0));
    assert_true(args_ok(&a));
#define FAILS(ask)                                                                     \
    do {                                                                               \
        a.status = PERF_OK;                                                            \
        (void)(ask);                                                                   \
        assert_int_equal(a.status, PERF_FAIL);                                         \
    } while (0)
    FAILS(shape_at(&a, &two, 2));
    FAILS(shape_at(&a, &two, -3));
    FAILS(args_literal(&a, 0));
    FAILS(args_is_true(&a, 9));
    FAILS(args_int_list(&a, 3));
    FAILS(args_int(&a, 4));
    FAILS(args_extra_int(&a, "c"));
    FAILS(args_strides(&a, 1));
    FAILS(args_strides_if(&a, 1));
    call.assume_dense = true;
    a.status = PERF_OK;
    assert_null(args_strides(&a, 1));
    assert_true(args_ok(&a));
    arena_release(start, &arena);
}

static void numbers_of_any_length_are_refused(void **state)
{
    char digits[REAL_BYTES + 2];
    double v;
    (void)state;
    memset(digits, '0', sizeof digits);
    assert_true(python_real((struct str){digits, REAL_BYTES}, &v) && v == 0);
    assert_false(python_real((struct str){digits, REAL_BYTES + 1}, &v));
    assert_false(python_real(S(""), &v));
}

/* The first outcome stays. */
static void failure_sticks(void **state)
{
    (void)state;
    struct op_call call = {.name = S("x")};
    struct op_args a = {.call = &call};
    args_drop(&a);
    args_fail(&a);
    assert_int_equal(a.status, PERF_DROP);
    assert_int_equal(args_type(&a, 0).n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_as_python_reads_them),
        cmocka_unit_test(reals_as_python_reads_them),
        cmocka_unit_test(lists_and_literals),
        cmocka_unit_test(shapes_hold_whole_numbers),
        cmocka_unit_test(sizes_are_whole_and_not_negative),
        cmocka_unit_test(what_a_call_lacks_fails),
        cmocka_unit_test(numbers_of_any_length_are_refused),
        cmocka_unit_test(failure_sticks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
