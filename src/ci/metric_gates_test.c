#include "metric_gates.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"

static cJSON *summary;

static int open_summary(void **state)
{
    summary = cJSON_Parse(
        "{\"window\":{\"idle_pct\":45.87,\"total_ns\":44991590},"
        "\"counts\":{\"high\":2},\"categories\":[{\"slug\":\"gemm\","
        "\"kernel_sum_ns\":16191107}],\"findings\":["
        "{\"id\":\"f-1\",\"title\":\"A\",\"severity\":\"medium\",\"waived\":null},"
        "{\"id\":\"f-2\",\"title\":\"B\",\"severity\":\"critical\","
        "\"waived\":{\"until\":\"2026-12-31\",\"why\":\"x\"}},"
        "{\"id\":\"f-3\",\"title\":\"C\",\"severity\":\"high\","
        "\"informational\":true,\"waived\":null}]}");
    return set_up(state) || !summary;
}

static int close_summary(void **state)
{
    cJSON_Delete(summary);
    return tear_down(state);
}

static struct gate_result result_of(const char *text)
{
    struct gate_expr *g;
    struct err e = {0};
    assert_true(report_gates_read(&a, &text, 1, &g, &e));
    return report_gate(&a, g, summary);
}

static void test_figures(void **state)
{
    (void)state;
    static const struct {
        const char *gate;
        enum gate_status status;
        const char *says;
    } cases[] = {
        {"window.idle_pct>45%", GATE_FAILED,
         "it is 45.87%, 0.87 points over the limit"},
        {"window.idle_pct>45.87%", GATE_PASSED, "it is 45.87%, the limit itself"},
        {"window.idle_pct>=45.87%", GATE_FAILED, "it is 45.87%, the limit itself"},
        {"window.total_ns < 1 s", GATE_FAILED,
         "it is 44.992 ms, 955.008 ms under the limit"},
        {"categories.gemm.kernel_sum_ns>20ms", GATE_PASSED,
         "it is 16.191 ms, 3.809 ms under the limit"},
        {"counts.high>1", GATE_FAILED, "it is 2, 1 over the limit"},
        {"categories.norm.kernel_sum_ns>1ms", GATE_NOT_EVALUATED,
         "the trace has no norm among its categories, which are gemm"},
        {"phases.decode.mean_ns>1ms", GATE_NOT_EVALUATED,
         "summary.json has no number phases.decode.mean_ns"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gate_result r = result_of(cases[i].gate);
        assert_int_equal(r.status, cases[i].status);
        assert_text(r.says, cases[i].says);
        assert_int_equal(!isnan(r.value), r.status != GATE_NOT_EVALUATED);
    }
    assert_true(result_of("window.idle_pct>45%").value == 45.87);
}

static void assert_refused(const char *text, const char *says)
{
    struct gate_expr *g;
    struct err e = {0};
    assert_false(report_gates_read(&a, &text, 1, &g, &e));
    if (!strstr(e.what, says))
        fail_msg("'%s' lacks '%s'", e.what, says);
}

/* A figure without its part, and a category's that no category has. */
static void test_hints(void **state)
{
    (void)state;
    assert_refused("idle_pct>30%", "; did you mean window.idle_pct?");
    assert_refused("mfu>30%", "; did you mean mfu.");
    assert_refused("windows.idle_pct>30%", "(did you mean window.idle_pct?)");
    assert_refused("categories.gemm.kernel_sums_ns>1ms",
                   "(did you mean categories.gemm.kernel_sum_ns?)");
    assert_refused("categories.atention.kernel_sum_ns>1ms",
                   "no category is called 'atention', as 'categories.atention");
    assert_refused("categories.nrom.kernel_sum_ns>1ms", "(did you mean norm?)");
    assert_refused("category.gemm.kernel_sum_ns>1ms",
                   "(did you mean categories.gemm.kernel_sum_ns?)");
    assert_refused("categories.gemm>1ms", "categories.gemm.kernel_sum_ns");
    struct err e = {0};
    assert_true(report_figure_read(a, "first.gain_pct", &e));
    assert_true(report_figure_read(a, "categories.gemm.kernel_sum_ns", &e));
    assert_false(report_figure_read(a, "nonsense", &e));
}

static void test_levels(void **state)
{
    (void)state;
    assert_text(result_of("medium").says, "1 finding, first: \"A\" (f-1)");
    assert_int_equal(result_of("high").status, GATE_PASSED);
    assert_text(result_of("high").says, "no finding is high or more");
    assert_text(result_of("critical").says, "no finding is critical");
    assert_true(result_of("medium").value == 1 && result_of("high").value == 0);
}

static void test_refuses(void **state)
{
    (void)state;
    const char *const wrong[] = {"low",
                                 "idle>5%",
                                 "setup",
                                 "unmatched>5%",
                                 "new-finding>=high",
                                 "window.idle_pct",
                                 "window.idle>30%",
                                 "window.idel_pct>30%",
                                 "counts.none>1",
                                 "window.idle_pct.more>1%",
                                 "counts.high>1%",
                                 "window.total_ns>5"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct gate_expr *g;
        struct err e = {0};
        assert_false(report_gates_read(&a, &wrong[i], 1, &g, &e));
        assert_int_equal(e.kind, ERR_USAGE);
    }
}

static void test_nearest(void **state)
{
    (void)state;
    const char *typed = "window.idel_pct>30%", *unit = "counts.high>1%";
    struct gate_expr *g;
    struct err e = {0}, e2 = {0};
    assert_false(report_gates_read(&a, &typed, 1, &g, &e));
    assert_non_null(strstr(e.what, "did you mean window.idle_pct?"));
    assert_false(report_gates_read(&a, &unit, 1, &g, &e2));
    assert_non_null(strstr(e2.what, "'counts.high>1%': the figure is a plain number"));
}

static void test_status(void **state)
{
    (void)state;
    struct gate_result failed = result_of("window.idle_pct>45%"),
                       warned = result_of("warn: window.idle_pct>45%"),
                       open = result_of("phases.decode.steps>1");
    struct err e = {0};
    assert_true(gates_tell(&warned, 1, summary, true, &e));
    assert_true(gates_tell(&open, 1, summary, false, &e));
    assert_false(gates_tell(&open, 1, summary, true, &e));
    assert_int_equal(e.kind, ERR_GATE);
    struct gate_result all[] = {warned, open, failed};
    struct err worse = {0};
    assert_false(gates_tell(all, 3, summary, true, &worse));
    assert_int_equal(worse.kind, ERR_GATE);
    assert_string_equal(worse.what, "1 of 2 gates failed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_figures), cmocka_unit_test(test_hints),
        cmocka_unit_test(test_levels),  cmocka_unit_test(test_refuses),
        cmocka_unit_test(test_nearest), cmocka_unit_test(test_status)};
    return cmocka_run_group_tests(tests, open_summary, close_summary);
}
