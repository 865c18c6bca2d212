#include "sys_idle.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* n steps of 1 ms: 0.2 ms of work, then a scalar read, then the host thinks. Busy n *
 * 0.2, the first gap starts at the end of the first kernel, so idle is (n - 1) * 0.8.
 */
static void reads_after_each_kernel(struct trace_case *c, int n)
{
    case_begin(c);
    for (int k = 0; k < n; k++) {
        double at = 1000.0 * k;
        case_op(c, "aten::mm", at, 5);
        case_launch(c, "gemm", at + 1, at + 10, 200, k + 1);
        case_op(c, "aten::item", at + 20, 195);
        case_call(c, "hipStreamSynchronize", at + 21, 192, 5000 + k);
    }
    case_open(c, NULL);
}

static void scalar_reads_are_found(void **state)
{
    (void)state;
    struct trace_case c;
    reads_after_each_kernel(&c, 21);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    struct idle_gaps g = idle_gaps_find(&c.perm, c.tmp, &t);
    struct analysis a = case_analysis(&c);
    struct idle_result r = {0};
    idle_analyse(&c.perm, c.tmp, &a, &t, &g, &r);
    /* T = 20.2 ms, idle 16 ms: 79.2 %, busy 4.2 ms. */
    assert_near(a.total_ms, 20.2, 1e-9);
    assert_near(a.idle_ms, 16, 1e-9);
    assert_int_equal(r.severity, SEVERITY_CRITICAL);
    assert_true(r.critical && r.flagged);
    assert_int_equal(r.kernel_count, 21);
    assert_int_equal(r.short_kernel_count, 0);
    assert_int_equal(r.gap_count, 20);
    assert_int_equal(r.sync_point_count, 21);
    assert_near(r.avg_gap_us, 800, 1e-6);
    assert_near(r.idle_after_sync_pct, 100, 1e-6);
    /* 80 / (100 - 79.2079) = 3.8476; T' = 4.2 / 0.8 = 5.25, half of 14.95 saved at
     * least; all 16 ms of idle time follow a read. */
    assert_near(r.potential_speedup, 3.8476, 1e-4);
    assert_near(r.recoverable_low_ms, 7.475, 1e-6);
    assert_near(r.recoverable_high_ms, 16, 1e-6);
    assert_int_equal(r.n_sync_ops, 1);
    assert_text(r.sync_ops[0].name, "aten::item");
    assert_int_equal(r.sync_ops[0].count, 20);
    assert_int_equal(r.n_top_gaps, 10);
    assert_near(r.top_gaps[0].start_us, 200, 1e-6); /* equal gaps: the first of them */
    idle_findings(&c.perm, &a, &r, 50);
    assert_int_equal(a.n_findings, 1);
    const struct finding *f = &a.findings[0];
    assert_text(f->id, "cpu_idle.synchronization.aten__item.none");
    assert_text(f->op, "aten::item");
    assert_int_equal(f->priority, PRIORITY_CRITICAL);
    assert_near(f->impact.high_pct, 79.2079, 1e-4);
    assert_text(f->evidence[0], "The device was idle for 16.00 ms of 20.20 ms (79.2%) "
                                "in 20 gaps; the longest lasts 0.800 ms.");
    case_close(&c);
}

/* n kernels of 5 us, one each 50 us, launched 5 us before they start. */
static void short_kernels(struct trace_case *c, int n, double period_us)
{
    case_begin(c);
    for (int k = 0; k < n; k++) {
        case_op(c, "aten::add", period_us * k, 8);
        case_launch(c, "add", period_us * k + 1, period_us * k + 6, 5, k + 1);
    }
    case_open(c, NULL);
}

static const struct system_pattern *pattern_named(const struct idle_result *r,
                                                  const char *name)
{
    for (int k = 0; k < r->n_patterns; k++)
        if (str_eq(r->patterns[k].name, str_of(name)))
            return &r->patterns[k];
    return NULL;
}

static void a_slow_host_is_found(void **state)
{
    (void)state;
    struct trace_case c;
    short_kernels(&c, 1001, 50);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    struct idle_gaps g = idle_gaps_find(&c.perm, c.tmp, &t);
    struct analysis a = case_analysis(&c);
    struct idle_result r = {0};
    idle_analyse(&c.perm, c.tmp, &a, &t, &g, &r);
    assert_int_equal(r.short_kernel_count, 1001);
    assert_near(r.avg_kernel_us, 5, 1e-9);
    assert_near(r.launch.median_delay_us, 5, 1e-9);
    assert_int_equal(r.launch.calls, 1001);
    assert_true(isnan(r.launch.per_step));
    assert_int_equal(r.causes[IDLE_HOST].count, 1000);
    assert_near(r.causes[IDLE_HOST].total_us, 45000, 1e-6);
    assert_int_equal(pattern_named(&r, "Kernel Launch Overhead")->severity,
                     SEVERITY_HIGH);
    assert_int_equal(pattern_named(&r, "High Kernel Count")->severity, SEVERITY_MEDIUM);
    assert_int_equal(pattern_named(&r, "Small Average Kernel Time")->severity,
                     SEVERITY_HIGH);
    assert_null(pattern_named(&r, "Synchronization Bottlenecks"));
    assert_null(pattern_named(&r, "CPU-GPU Pipeline Bubbles"));
    /* idle 45 of 50.005 ms */
    assert_non_null(pattern_named(&r, "Critical GPU Underutilization"));
    idle_findings(&c.perm, &a, &r, 50);
    assert_text(a.findings[0].pattern, "host_bound");
    assert_text(a.findings[0].op, "aten::add");
    case_close(&c);
}

/* 2 of each 7 us are idle: 28.6 %, LOW, below both thresholds. */
static void little_idle_time_is_no_finding(void **state)
{
    (void)state;
    struct trace_case c;
    short_kernels(&c, 500, 7);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    struct idle_gaps g = idle_gaps_find(&c.perm, c.tmp, &t);
    struct analysis a = case_analysis(&c);
    struct idle_result r = {0};
    idle_analyse(&c.perm, c.tmp, &a, &t, &g, &r);
    assert_int_equal(r.severity, SEVERITY_LOW);
    idle_findings(&c.perm, &a, &r, 50);
    assert_int_equal(a.n_findings, 0);
    idle_findings(&c.perm, &a, &r, 25); /* unless the user asks for it */
    assert_int_equal(a.n_findings, 1);
    assert_int_equal(a.findings[0].priority, PRIORITY_MEDIUM);
    assert_true(str_has(a.findings[0].priority_basis,
                        S("reported from 25.0% idle time, as requested")));
    case_close(&c);
}

/* 20 steps of 300 us: work of 50 us and a read, 100 us until the next launch; then two
 * kernels of 10 us, launched 45 us and 75 us after the device ran dry. */
static void two_causes_are_two_findings(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    for (int k = 0; k < 20; k++) {
        double at = 300.0 * k;
        case_launch(&c, "gemm", at, at + 10, 50, 3 * k + 1);
        case_op(&c, "aten::item", at + 20, 45);
        case_call(&c, "hipStreamSynchronize", at + 21, 43, 5000 + k);
        case_launch(&c, "add", at + 155, at + 160, 10, 3 * k + 2);
        case_launch(&c, "add", at + 215, at + 220, 10, 3 * k + 3);
    }
    case_open(&c, NULL);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    struct idle_gaps g = idle_gaps_find(&c.perm, c.tmp, &t);
    struct analysis a = case_analysis(&c);
    struct idle_result r = {0};
    idle_analyse(&c.perm, c.tmp, &a, &t, &g, &r);
    /* After reads: 20 gaps from 60 to 160. Late: 20 from 170 to 220, 19 from 230 to
     * 310. */
    assert_near(r.causes[IDLE_SYNC].total_us, 2000, 1e-6);
    assert_near(r.causes[IDLE_HOST].total_us, 20 * 50 + 19 * 80, 1e-6);
    idle_findings(&c.perm, &a, &r, 50);
    assert_int_equal(a.n_findings, 2);
    assert_text(a.findings[0].pattern, "synchronization");
    assert_near(a.findings[0].impact.high_ms, 2.0, 1e-9);
    assert_text(a.findings[1].pattern, "host_bound");
    assert_near(a.findings[1].impact.high_ms, 4.52, 1e-9);
    assert_near(a.findings[0].impact.low_ms + a.findings[1].impact.low_ms,
                r.recoverable_low_ms, 1e-9);
    case_close(&c);
}

/* 10 kernels of 10 us, each launched by a call of 500 us; the first five are new. */
static void slow_launch_calls_are_told(void **state)
{
    (void)state;
    static const char *const kernels[] = {"a", "b", "c", "d", "e"};
    struct trace_case c;
    case_begin(&c);
    case_launch(&c, "start", 0, 5, 10, 99);
    for (int k = 0; k < 10; k++) {
        double at = 20 + 520.0 * k;
        case_op(&c, "aten::group_norm", at, 505);
        case_call(&c, "hipLaunchKernel", at + 1, 500, k + 1);
        case_kernel(&c, kernels[k % 5], 7, at + 505, 10, k + 1);
    }
    case_open(&c, NULL);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    struct idle_gaps g = idle_gaps_find(&c.perm, c.tmp, &t);
    struct analysis a = case_analysis(&c);
    struct idle_result r = {0};
    idle_analyse(&c.perm, c.tmp, &a, &t, &g, &r);
    assert_int_equal(r.causes[IDLE_CALL].count, 10);
    assert_int_equal(r.first_launch_count, 5);
    assert_non_null(pattern_named(&r, "Slow Launch Calls"));
    assert_null(pattern_named(&r, "CPU-GPU Pipeline Bubbles"));
    idle_findings(&c.perm, &a, &r, 50);
    assert_int_equal(a.n_findings, 1);
    assert_text(a.findings[0].pattern, "slow_launch_calls");
    assert_text(a.findings[0].op, "aten::group_norm");
    assert_true(str_starts(a.findings[0].algorithmic, S("Warm up")));
    case_close(&c);
}

static void no_device_work_is_no_data(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_op(&c, "aten::mm", 0, 5);
    case_open(&c, NULL);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    struct idle_gaps g = idle_gaps_find(&c.perm, c.tmp, &t);
    struct analysis a = case_analysis(&c);
    struct idle_result r = {0};
    idle_analyse(&c.perm, c.tmp, &a, &t, &g, &r);
    assert_int_equal(r.status, ANALYSER_NO_DATA);
    assert_int_equal(r.severity, SEVERITY_UNKNOWN);
    idle_findings(&c.perm, &a, &r, 50);
    assert_int_equal(a.n_findings, 0);
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalar_reads_are_found),
        cmocka_unit_test(a_slow_host_is_found),
        cmocka_unit_test(little_idle_time_is_no_finding),
        cmocka_unit_test(two_causes_are_two_findings),
        cmocka_unit_test(slow_launch_calls_are_told),
        cmocka_unit_test(no_device_work_is_no_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
