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
        cmocka_unit_test(failure_sticks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
