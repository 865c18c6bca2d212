#include "report_timeline.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct report_timeline timeline_of(struct trace_case *c)
{
    struct report r = {0};
    struct report_options o = {0};
    struct report_source s = {&c->perm, &c->tables, NULL, &o};
    case_open(c, NULL);
    report_timeline_fill(&s, &r);
    return r.timeline;
}

static void assert_window(const struct report_window *w, const char *begins,
                          double from_ms, const char *ends, double to_ms,
                          double total_ms, const char *without)
{
    assert_true(str_eq(w->begins, str_of(begins)) && str_eq(w->ends, str_of(ends)));
    assert_near(w->from_ms, from_ms, 1e-9);
    assert_near(w->to_ms, to_ms, 1e-9);
    assert_near(w->total_ms, total_ms, 1e-9);
    assert_true(str_eq(w->without, str_of(without)));
}

/* A step from 0 to 40 ms, work from 2 on: five collectives of 1 ms but for the first,
 * which takes 21, and a product until 36. */
static void both_windows_have_ends(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_event(&c, "user_annotation", "ProfilerStep#3", 1, 0, 40000, "");
    case_launch(&c, "ncclDevKernel_AllReduce_Sum", 1990, 2000, 21000, 1);
    for (int k = 1; k < 5; k++)
        case_launch(&c, "ncclDevKernel_AllReduce_Sum", 2000 + k, 22000 + 1000 * k, 1000,
                    k + 1);
    case_launch(&c, "gemm", 2010, 27000, 9000, 6);
    struct report_timeline t = timeline_of(&c);
    assert_int_equal(t.n_windows, 2);
    assert_window(&t.windows[0], "first step", 0, "end of the last step", 40, 20,
                  "20.00 ms in which the first collective waits");
    assert_window(&t.windows[1], "first device event", 2, "last device event", 36, 34,
                  "");
    case_close(&c);
}

static void windows_that_are_the_same_are_not_told(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_launch(&c, "gemm", 10, 20, 1000, 1);
    assert_int_equal(timeline_of(&c).n_windows, 0);
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_windows_have_ends),
        cmocka_unit_test(windows_that_are_the_same_are_not_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
