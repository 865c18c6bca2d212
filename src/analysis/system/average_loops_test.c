#include "average_loops.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct turn {
    const char *op, *more; /* dims of the other argument, and the third as recorded */
    const char *third;
};

struct averages {
    struct turn turn[4];
    int turns;
    bool one_size;
    const char *around; /* an annotation */
    int32_t want;       /* loops */
    double moved;       /* of what one call moves */
};

static void add_operator(struct trace_case *c, double at, const struct turn *x,
                         int columns)
{
    char more[300], other[40];
    bool number = str_eq(str_of(x->more), S("[]"));
    snprintf(other, sizeof other, number ? "[]" : "[64,%d]", columns);
    snprintf(
        more, sizeof more,
        "\"Input Dims\":[[64,%d],%s,[]],\"Input type\":[\"float\",\"%s\",\"Scalar\"],"
        "\"Concrete Inputs\":[\"\",\"\",\"%s\"]",
        columns, other, number ? "double" : "float", x->third);
    case_event(c, "cpu_op", x->op, 1, at, 8, more);
    case_launch(c, "kernel", at + 1, at + 5, 3, 1 + c->n_events);
}

static void check(const struct averages *x)
{
    struct trace_case c;
    double at = 10;
    case_begin(&c);
    for (int k = 0; k < x->turns; k++)
        for (int i = 0; i < 4 && x->turn[i].op; i++, at += 10)
            add_operator(&c, at, &x->turn[i], x->one_size ? 8 : 8 + k % 3);
    if (x->around)
        case_event(&c, "user_annotation", x->around, 1, 5, at, "");
    case_open(&c, NULL);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    struct average_loops l = average_loops_find(&c.perm, c.tmp, &t);
    assert_int_equal(l.n, x->want);
    if (l.n) {
        assert_int_equal(l.turns, x->turns);
        assert_int_equal(l.at[0].turns, x->turns);
        assert_true(l.at[0].start_ns == c.store.start_ns[l.first]);
        assert_true(l.moved > x->moved * l.least * 0.999 &&
                    l.moved < x->moved * l.least * 1.001);
    }
    case_close(&c);
}

#define SCALE                                                                          \
    {                                                                                  \
        "aten::mul_", "[]", ""                                                         \
    }
#define SCALED                                                                         \
    {                                                                                  \
        "aten::mul", "[]", ""                                                          \
    }
#define ADDS(alpha)                                                                    \
    {                                                                                  \
        "aten::add_", "", alpha                                                        \
    }

static const struct averages cases[] = {
    {{SCALE, ADDS("0.0001")}, 20, false, NULL, 1, 5 / 3.0},
    {{{"aten::lerp_", "", "0.001"}}, 20, false, NULL, 1, 1},
    {{SCALED, SCALED, {"aten::add", "", "1"}, {"aten::copy_", "", ""}},
     20,
     false,
     NULL,
     1,
     3},
    /* momentum, or a number that is not recorded; few; one tensor; an optimizer's */
    {{SCALE, ADDS("1")}, 20, false, NULL, 0, 0},
    {{SCALE, ADDS("")}, 20, false, NULL, 0, 0},
    {{{"aten::lerp_", "", "0.5"}}, 20, false, NULL, 0, 0},
    {{SCALE, ADDS("0.0001")}, 15, false, NULL, 0, 0},
    {{SCALE, ADDS("0.0001")}, 20, true, NULL, 0, 0},
    {{SCALE, ADDS("0.1")}, 20, false, "Optimizer.step#Own.step", 0, 0},
    {{SCALED, SCALED, {"aten::add", "", "1"}}, 20, false, NULL, 0, 0},
};

static void averages_are_known_by_their_operators(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        check(&cases[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(averages_are_known_by_their_operators),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
