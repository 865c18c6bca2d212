/* Casts that autocast makes: of a layer's input, weight and bias, in this order. */
#include "analysis/facts/operand_cast.h"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* `aten::to`, `aten::_to_copy`, `aten::copy_`, from 10 us into the layer on. */
static void cast(struct trace_case *c, int k)
{
    double at = 10.0 * (k + 1);
    case_event(c, "cpu_op", "aten::to", 1, at, 9, "\"k\":1");
    case_event(c, "cpu_op", "aten::_to_copy", 1, at + 1, 7, "\"k\":1");
    case_event(c, "cpu_op", "aten::copy_", 1, at + 2, 5, "\"k\":1");
}

static void operands_are_told_by_their_order(void **state)
{
    (void)state;
    static const struct {
        const char *op, *types;
        int at[3];
    } cases[] = {
        {"aten::linear", "\"float\",\"float\",\"float\"", {0, 1, 2}},
        {"aten::linear", "\"c10::Half\",\"float\",\"float\"", {1, 2, -1}},
        {"aten::conv2d", "\"float\",\"c10::Half\",\"float\"", {0, 2, -1}},
        {"aten::linear", "\"float\",\"float\",\"\"", {0, 1, -1}},
        {"aten::matmul", "\"float\",\"float\"", {-1, -1, -1}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct trace_case c;
        char args[200];
        case_begin(&c);
        snprintf(args, sizeof args,
                 "\"Input Dims\":[[64,64],[64,64],[64]],\"Input type\":[%s]",
                 cases[k].types);
        case_event(&c, "cpu_op", cases[k].op, 1, 0, 90, args);
        for (int i = 0; i < 3; i++)
            cast(&c, i);
        case_open(&c, NULL);
        int n = 0;
        for (event_id e = 0; e < c.view.s->n; e++) {
            if (!str_eq(store_name(c.view.s, e), S("aten::copy_")))
                continue;
            assert_int_equal(operand_cast(&c.view, e), cases[k].at[n++]);
            event_id all = cast_around(&c.view, e);
            assert_true(str_eq(store_name(c.view.s, all), S("aten::to")));
            assert_int_equal(cast_around(&c.view, all), all);
            assert_int_equal(operand_cast(&c.view, all), -1);
        }
        assert_int_equal(n, 3);
        case_close(&c);
    }
}

/* A layer casts three operands at most, and casts are not nested without end. */
static void no_trace_makes_the_search_long(void **state)
{
    (void)state;
    for (int deep = 0; deep < 2; deep++) {
        struct trace_case c;
        case_begin(&c);
        case_event(&c, "cpu_op", "aten::linear", 1, 0, 900,
                   "\"Input Dims\":[[64,64]],\"Input type\":[\"float\"]");
        for (int k = 0; k < 20; k++)
            case_event(&c, "cpu_op", "aten::to", 1, 10 + 20 * k,
                       deep ? 800 - 40 * k : 9, "\"k\":1");
        case_event(&c, "cpu_op", "aten::copy_", 1, 391, 5, "\"k\":1");
        case_open(&c, NULL);
        event_id copy = case_find(&c, "aten::copy_", 0);
        assert_int_equal(operand_cast(&c.view, copy), -1);
        assert_int_equal(tree_parent(&c.view.tree, copy),
                         case_find(&c, "aten::to", 19));
        assert_int_equal(cast_around(&c.view, copy),
                         case_find(&c, "aten::to", deep ? 16 : 19));
        case_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_trace_makes_the_search_long),
        cmocka_unit_test(operands_are_told_by_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
