#include "report/finding_argument.h"

#include "base/arena_case.h"
#include "base/describe.h"
#include "report/op_case.h"
#include "report/report_fields.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct report_op ops[2];
static int of_all[] = {0, 1};
static struct finding of;
static struct report_finding finding;
static struct report report;

/* 40 ms of 100 in two operations that have a model, and memory binds them. */
static int begin(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        ops[k] = op_case(S("aten::mm"), 20, 30);
        op_case_group(&ops[k])->cost = (const struct perf_cost *)"";
    }
    of = (struct finding){.kind = FIND_BOTTLENECK,
                          .time_ms = 40,
                          .total_pct = 40,
                          .compute_pct = 50,
                          .count = 1,
                          .bound = BOUND_MEMORY,
                          .efficiency_pct = 30,
                          .priority = PRIORITY_HIGH,
                          .until = -1};
    finding = (struct report_finding){.of = &of, .ops = of_all, .n_ops = 2};
    report = (struct report){.ops = ops,
                             .n_ops = 2,
                             .findings = &finding,
                             .n_findings = 1,
                             .device.known = true};
    return 0;
}

/* As every writer finds it: by its name. */
static const char *told(const char *name)
{
    const struct field *f = field_of(report_finding_fields(), name);
    assert_non_null(f);
    struct described in = {&finding, &report, &a};
    return str_c(&a, field_value(f, &in).text);
}

static void test_reasoning(void **state)
{
    (void)state;
    assert_string_equal(
        told("reasoning"),
        "It concerns 40.00 ms, 40.0% of total time and 50.0% of computation time. "
        "Weighted by time, they reach 30.0% of their roof, which the memory bandwidth "
        "sets. Time at a target is time now × efficiency now ÷ target; the gain is the "
        "difference.");
    of.tier = TIER_SYSTEM;
    of.kind = FIND_SYSTEM;
    of.efficiency_pct = (double)NAN;
    of.priority_basis = S("it is long");
    assert_string_equal(told("reasoning"), "It concerns 40.00 ms, 40.0% of total time. "
                                           "Its priority is high: it is long.");
    of.time_ms = (double)NAN;
    of.priority_basis = S("");
    assert_string_equal(told("reasoning"), "");
}

static void test_roof_with_figures(void **state)
{
    (void)state;
    of.peak = S("5.3 TB/s");
    of.achieved = S("1.6 TB/s");
    assert_non_null(strstr(told("reasoning"),
                           "Their roof is set by the memory bandwidth, 5.3 TB/s; "
                           "weighted by time they reach 1.6 TB/s, 30.0% of it."));
    of.bound = BOUND_NONE;
    assert_non_null(strstr(told("reasoning"), "Weighted by time, the operations reach "
                                              "30.0% of their roof."));
}

static void test_confidence(void **state)
{
    (void)state;
    assert_string_equal(told("confidence_basis"),
                        "All operations have a performance model.");
    op_case_group(&ops[1])->cost = NULL;
    op_case_row(&ops[0])->high_variance = true;
    op_case_row(&ops[0])->efficiency.anomaly = true;
    assert_string_equal(told("confidence_basis"),
                        "1 of 2 operations have a performance model. Strongly varying "
                        "timings: 1. Above the roof: 1; the model or the peaks do not "
                        "fit.");
    report.device = (struct report_device){.missing = S("No peaks are known.")};
    assert_non_null(
        strstr(told("confidence_basis"), "No peaks are known. Shares are measured"));
    finding.n_ops = 0;
    assert_string_equal(told("confidence_basis"), "");
    of.tier = TIER_SYSTEM;
    assert_non_null(strstr(told("confidence_basis"), "the times of device events"));
}

/* Each by what it is about; none is silent. */
static void test_refutation(void **state)
{
    (void)state;
    assert_non_null(strstr(told("refutation"), "memory traffic near the peak"));
    of.bound = BOUND_COMPUTE;
    assert_non_null(strstr(told("refutation"), "matrix instructions near the peak"));
    of.bound = BOUND_NONE;
    assert_true(str_starts(str_of(told("refutation")), S("The operation alone")));
    of.kind = FIND_UNMODELLED;
    assert_non_null(strstr(told("refutation"), "nothing is left to gain"));
    of.tier = TIER_SYSTEM;
    assert_non_null(strstr(told("refutation"), "A second trace"));
    of.tier = TIER_FUSION;
    assert_non_null(strstr(told("refutation"), "Another reader"));
}

static void test_metric(void **state)
{
    (void)state;
    assert_non_null(strstr(told("metric"), "40.00 ms in 1 call now"));
    of.count = 2;
    assert_non_null(strstr(told("metric"), "40.00 ms in 2 calls now"));
    of.tier = TIER_SYSTEM;
    assert_non_null(strstr(told("metric"), "the 40.00 ms above should shrink"));
    of.recording = true; /* which changes nothing */
    assert_string_equal(told("metric"),
                        "Record again that way: this finding should be gone.");
    of.time_ms = (double)NAN;
    assert_string_equal(told("metric"),
                        "Trace again after the change and compare total time.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_reasoning, begin),
        cmocka_unit_test_setup(test_roof_with_figures, begin),
        cmocka_unit_test_setup(test_confidence, begin),
        cmocka_unit_test_setup(test_refutation, begin),
        cmocka_unit_test_setup(test_metric, begin)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
