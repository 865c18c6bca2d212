#include "analysis/system/optimizer_kernels.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Two kernels inside a step of the optimizer, one before, one behind, one copy inside.
 */
static struct analysis of_step(struct trace_case *c, const char *annotation)
{
    case_begin(c);
    case_event(c, "user_annotation", annotation, 1, 100, 100, "\"k\":1");
    case_launch(c, "before", 90, 95, 7, 1);
    case_launch(c, "inside", 110, 120, 5, 2);
    case_launch(c, "inside", 130, 240, 3, 3);
    case_copy(c, "Memcpy HtoD (Pinned -> Device)", 140, 150, 4, 4);
    case_launch(c, "behind", 210, 260, 9, 5);
    case_open(c, NULL);
    return case_analysis(c);
}

static void kernels_by_the_call_that_launches_them(void **state)
{
    (void)state;
    static const struct {
        const char *annotation;
        int n, zeros;
    } cases[] = {{"Optimizer.step#AdamW.step", 2, 0},
                 {"Optimizer.zero_grad#AdamW.zero_grad", 0, 2},
                 {"forward", 0, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct trace_case c;
        of_step(&c, cases[k].annotation);
        struct launched x = optimizer_kernels_find(&c.perm, &c.view, OPTIMIZER_STEP);
        assert_int_equal(x.n, cases[k].n);
        assert_int_equal(x.total_ns, cases[k].n ? 8000 : 0);
        x = optimizer_kernels_find(&c.perm, &c.view, OPTIMIZER_ZERO_GRAD);
        assert_int_equal(x.n, cases[k].zeros);
        case_close(&c);
    }
}

/* In each of two steps: a list operator, which calls another one, two checks of types,
 * and a single operator; the same outside of them do not count. */
static void calls_of_steps_by_their_kind(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    for (int k = 0; k < 3; k++) {
        double us = 100 * k;
        if (k < 2)
            case_event(&c, "user_annotation", "Optimizer.step#SGD.step", 1, us, 90,
                       "\"k\":1");
        case_op(&c, "aten::result_type", us + 1, 2);
        case_op(&c, "aten::_foreach_add_", us + 5, 30);
        case_op(&c, "aten::result_type", us + 6, 2);
        case_op(&c, "aten::add_", us + 10, 9);
        case_launch(&c, "inner", us + 11, 1000 + us, 5, 4 * k + 1);
        case_op(&c, "aten::mul_", us + 40, 9);
        case_launch(&c, "single", us + 41, 1010 + us, 5, 4 * k + 2);
        case_op(&c, "aten::coalesce", us + 50, 9); /* of a sparse gradient */
        case_op(&c, "aten::_coalesce", us + 51, 7);
        case_launch(&c, "joins", us + 52, 1020 + us, 5, 4 * k + 3);
        case_op(&c, "aten::empty", us + 60, 9);
    }
    case_open(&c, NULL);
    struct optimizer_calls n = optimizer_calls_of(c.tmp, &c.view);
    assert_int_equal(n.steps, 2);
    assert_int_equal(n.foreach, 2);
    assert_int_equal(n.checks, 4);
    assert_int_equal(n.single, 4);
    assert_int_equal(n.sparse, 2);
    case_close(&c);
}

static void short_kernels_are_mostly_their_start(void **state)
{
    (void)state;
    double low, high;
    optimizer_parts(100, 0.9, &low, &high);
    assert_near(low, 0.5, 0);
    assert_near(high, 0.9, 0);
    optimizer_parts(100, 1, &low, &high);
    assert_near(low, 0.35, 0);
    assert_near(high, 0.67, 0);
}

static void a_late_optimizer_has_its_kernels(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *title;
        bool claims;
    } cases[] = {{"host_bound_optimizer", "Use the fused form of `Adam.step`", true},
                 {"host_bound_optimizer", "Set gradients to None in `Adam`", false},
                 {"host_python", "Use the fused form of `Adam.step`", false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct trace_case c;
        struct idle_group late = {.total_ns = 1000000};
        struct analysis a = of_step(&c, "Optimizer.step#Adam.step");
        struct finding *f = add_system_finding(&c.perm, &a, WORK_CPU_IDLE,
                                               str_of(cases[k].pattern), S("step"), 1);
        f->title = str_of(cases[k].title);
        f->issue = S("It waits.");
        f->idle = &late;
        optimizer_claim_kernels(&c.perm, c.tmp, &a);
        assert_int_equal(f->about == ABOUT_OPTIMIZER, cases[k].claims);
        assert_near(f->merged_part, cases[k].claims, 0);
        assert_near(f->time_ms, cases[k].claims ? 1.008 : 1, 1e-9);
        assert_text(f->issue, cases[k].claims ? "It waits. Its 2 kernels take 0.008 ms."
                                              : "It waits.");
        case_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_by_the_call_that_launches_them),
        cmocka_unit_test(calls_of_steps_by_their_kind),
        cmocka_unit_test(short_kernels_are_mostly_their_start),
        cmocka_unit_test(a_late_optimizer_has_its_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
