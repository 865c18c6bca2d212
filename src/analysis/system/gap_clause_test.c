#include "gap_clause.c"

#include "analysis/system/host_time.h"
#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Six gaps: host, queued, first launch, launch, latency, and nothing recorded. */
static void each_gap_in_words(void **state)
{
    (void)state;
    static const char *const want[] = {
        "the host runs `preprocess` (prep.py:368), longest in `zoom` (zoom.py:7)",
        "`hipLaunchKernel` was queued 0.010 ms ahead; the device itself started late",
        "the call that launches `hipLaunchKernel` takes 2.00 ms: the first launch of "
        "that "
        "kernel",
        "the call that launches `hipLaunchKernel` takes 2.00 ms",
        "`hipLaunchKernel` starts 0.030 ms after its launch call returns",
        "nothing is recorded on the host"};
    struct trace_case c;
    case_begin(&c);
    case_launch(&c, "k0", 5, 10, 10, 1);
    case_frame(&c, "src/prep.py(368): preprocess", 8, 992);
    case_frame(&c, "src/zoom.py(7): zoom", 100, 700);
    case_launch(&c, "k1", 1000, 1001, 19, 2);
    case_launch(&c, "k2", 1010, 1050, 10, 3);
    case_call(&c, "hipLaunchKernel", 1060, 2000, 4);
    case_kernel(&c, "new", 7, 3060, 10, 4);
    case_call(&c, "hipLaunchKernel", 3070, 2000, 5);
    case_kernel(&c, "new", 7, 5070, 10, 5);
    case_launch(&c, "k3", 5080, 5111, 10, 6);
    case_launch(&c, "k4", 9000, 9001, 10, 7);
    case_open(&c, NULL);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    struct idle_gaps g = idle_gaps_find(&c.perm, c.tmp, &t);
    struct idle_result r = {0};
    struct host_time host = host_time_build(&c.perm, c.tmp, &t);
    struct gap_cause *causes = idle_follow(&c.perm, c.tmp, &host, &g, &r);
    assert_int_equal(g.n, 6);
    for (int k = 0; k < 6; k++)
        assert_text(gap_cause_clause(&c.perm, &t, &g.rows[k], &causes[k]), want[k]);
    case_close(&c);
}

/* Several short operators take most of a gap, though none as long as the time with
 * nothing recorded. */
static void short_events_in_words(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_launch(&c, "k0", 5, 10, 10, 1);
    case_op(&c, "aten::a", 30, 20);
    case_op(&c, "aten::b", 60, 25);
    case_op(&c, "aten::c", 90, 15);
    case_launch(&c, "k1", 120, 130, 10, 2);
    case_open(&c, NULL);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    struct idle_gaps g = idle_gaps_find(&c.perm, c.tmp, &t);
    struct idle_result r = {0};
    struct host_time host = host_time_build(&c.perm, c.tmp, &t);
    struct gap_cause *causes = idle_follow(&c.perm, c.tmp, &host, &g, &r);
    assert_int_equal(g.n, 1);
    assert_int_equal(causes[0].class, IDLE_DISPATCH);
    assert_text(gap_cause_clause(&c.perm, &t, &g.rows[0], &causes[0]),
                "the host runs `aten::b`");
    causes[0] = (struct gap_cause){IDLE_GRAPH, 1, -1, -1, 0};
    assert_text(gap_cause_clause(&c.perm, &t, &g.rows[0], &causes[0]),
                "the host captures a GPU graph");
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_gap_in_words),
        cmocka_unit_test(short_events_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
