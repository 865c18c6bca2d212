#include "sys_idle.c"

#include "analysis/system/host_time.h"
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

static void gaps_after_reads(void **state)
{
    (void)state;
    struct trace_case c;
    reads_after_each_kernel(&c, 21);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    struct idle_gaps g = idle_gaps_find(&c.perm, c.tmp, &t);
    struct analysis a = case_analysis(&c);
    struct idle_result r = {0};
    struct host_time host = host_time_build(&c.perm, c.tmp, &t);
    idle_count(c.tmp, &a, &c.view, &r);
    idle_analyse(&c.perm, c.tmp, &a, &host, &g, &r);
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
    assert_int_equal(r.n_top_gaps, 10);
    assert_near(r.top_gaps[0].start_us, 200, 1e-6); /* equal gaps: the first of them */
    case_close(&c);
}

/* Kernels of 4 and 6 us; a collective of 2 ms waits for other ranks. */
static void collectives_are_no_mean_kernel(void **state)
{
    (void)state;
    for (int all = 0; all < 2; all++) {
        struct trace_case c;
        struct idle_result r = {0};
        case_begin(&c);
        case_launch(&c, "ncclDevKernel_AllReduce", 0, 10, 2000, 1);
        if (!all) {
            case_launch(&c, "gemm", 2, 2100, 4, 2);
            case_launch(&c, "gemm", 4, 2200, 6, 3);
        }
        case_open(&c, NULL);
        count_kernels(c.tmp, &c.view, &r);
        assert_near(r.avg_compute_us, all ? 2000 : 5, 1e-9);
        assert_near(r.avg_kernel_us, all ? 2000 : 670, 1e-9);
        case_close(&c);
    }
}

/* 1001 kernels of 5 us, one each 50 us, half of them replayed by graph launches. */
static void launches_are_counted(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    for (int k = 0; k < 1001; k++) {
        case_call(&c, k % 2 ? "hipGraphLaunch" : "hipLaunchKernel", 50.0 * k, 1, k + 1);
        case_kernel(&c, "add", 7, 50.0 * k + 5, 5, k + 1);
    }
    case_open(&c, NULL);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    struct idle_gaps g = idle_gaps_find(&c.perm, c.tmp, &t);
    struct analysis a = case_analysis(&c);
    struct idle_result r = {0};
    struct host_time host = host_time_build(&c.perm, c.tmp, &t);
    idle_count(c.tmp, &a, &c.view, &r);
    idle_analyse(&c.perm, c.tmp, &a, &host, &g, &r);
    assert_int_equal(r.launch.launches, 1001);
    assert_int_equal(r.graph_launch_count, 500);
    assert_near(r.graph_kernel_pct, 100.0 * 500 / 1001, 1e-9);
    assert_near(r.launch.median_delay_us, 5, 1e-9);
    assert_int_equal(r.short_kernel_count, 1001);
    assert_near(r.avg_gap_us, 45, 1e-6);
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
    struct host_time host = host_time_build(&c.perm, c.tmp, &t);
    idle_count(c.tmp, &a, &c.view, &r);
    idle_analyse(&c.perm, c.tmp, &a, &host, &g, &r);
    assert_int_equal(r.status, ANALYSER_NO_DATA);
    assert_int_equal(r.severity, SEVERITY_UNKNOWN);
    case_close(&c);
}

/* Two delays of 2^62 ns do not fit into 64 bits together. */
static void launches_of_a_century_ago(void **state)
{
    (void)state;
    struct trace_case c;
    struct idle_result r = {0};
    case_begin(&c);
    case_far_launch(&c, 1);
    case_far_launch(&c, 2);
    case_open(&c, NULL);
    struct analysis a = case_analysis(&c);
    idle_count(c.tmp, &a, &c.view, &r);
    assert_int_equal(r.launch.launches, 2);
    assert_near(r.launch.median_delay_us, 0x1p62 / 1e3, 1);
    assert_near(r.launch.mean_delay_us, 0x1p62 / 1e3, 1);
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launches_of_a_century_ago),
        cmocka_unit_test(gaps_after_reads),
        cmocka_unit_test(launches_are_counted),
        cmocka_unit_test(collectives_are_no_mean_kernel),
        cmocka_unit_test(no_device_work_is_no_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
