#include "start_skew.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Five all-reduces of 2 ms behind one of `first_us`, of which a kernel hides 1 ms. */
static void open_job(struct trace_case *c, double first_us)
{
    case_begin(c);
    case_launch(c, "ncclDevKernel_AllReduce_Sum_f32", 1, 10, first_us, 1);
    case_call(c, "cudaLaunchKernel", 3, 1, 2);
    case_kernel(c, "gemm", 8, 500, 1000, 2);
    for (int k = 0; k < 5; k++)
        case_launch(c, "ncclDevKernel_AllReduce_Sum_f32", 4 + k,
                    first_us + 3000.0 * (k + 1), 2000, 3 + k);
    case_open(c, NULL);
}

static void a_first_collective_that_waits_for_recordings_is_left_out(void **state)
{
    (void)state;
    struct trace_case c;
    open_job(&c, 20000);
    assert_int_equal(c.view.skew.ns, 20000000 - 1000000 - 2000000);
    assert_int_equal(view_total_ns(&c.view), c.view.timeline.total_ns - 17000000);
    assert_int_equal(view_exposed_comm_ns(&c.view),
                     c.view.timeline.exposed_comm_ns - 17000000);
    assert_int_equal(c.tables.facts.time.total_ns, view_total_ns(&c.view));
    assert_int_equal(c.tables.facts.skew_ns, 17000000);
    case_close(&c);
}

/* Of 20 ms, 1 ms beside an all-gather on another stream; later ones take 2. */
static void another_collective_hides(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_launch(&c, "ncclDevKernel_AllReduce_Sum_f32", 1, 10, 20000, 1);
    case_call(&c, "cudaLaunchKernel", 3, 1, 2);
    case_kernel(&c, "ncclDevKernel_AllGather_f32", 8, 500, 1000, 2);
    for (int k = 0; k < 5; k++)
        case_launch(&c, "ncclDevKernel_AllReduce_Sum_f32", 4 + k,
                    20000 + 3000.0 * (k + 1), 2000, 3 + k);
    case_open(&c, NULL);
    assert_int_equal(c.view.skew.ns, 17000000);
    case_close(&c);
}

/* A copy of 5 ms beside the first collective does not. */
static void a_copy_hides_nothing(void **state)
{
    (void)state;
    for (int copies = 0; copies < 2; copies++) {
        struct trace_case c;
        case_begin(&c);
        case_launch(&c, "ncclDevKernel_AllReduce_Sum_f32", 1, 10, 20000, 1);
        if (copies)
            case_event(&c, "gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 21, 500,
                       5000, "\"stream\":21");
        for (int k = 0; k < 5; k++)
            case_launch(&c, "ncclDevKernel_AllReduce_Sum_f32", 4 + k,
                        20000 + 3000.0 * (k + 1), 2000, 3 + k);
        case_open(&c, NULL);
        assert_int_equal(c.view.skew.ns, 18000000);
        case_close(&c);
    }
}

static void a_first_collective_nine_times_as_long_counts(void **state)
{
    (void)state;
    struct trace_case c;
    open_job(&c, 18000);
    assert_int_equal(c.view.skew.ns, 0);
    assert_int_equal(view_total_ns(&c.view), c.view.timeline.total_ns);
    case_close(&c);
}

/* A pipeline fills in each step: another receive, behind those, waits as long. */
static void a_wait_that_recurs_counts(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    for (int k = 0; k < 7; k++)
        case_launch(&c, "ncclDevKernel_SendRecv", 1 + k, 10 + 41000.0 * k,
                    k == 0   ? 40000
                    : k == 5 ? 31000
                             : 2000,
                    1 + k);
    case_open(&c, NULL);
    assert_int_equal(c.view.skew.first_ns, 40000000);
    assert_int_equal(c.view.skew.ns, 0);
    case_close(&c);
}

/* `n` calls of 2 ms, of a size that is recorded or not, behind one of 30 ms that moves
 * `times` as much. */
static struct start_skew skew_of_larger(int times, int n, bool sized)
{
    struct trace_case c;
    case_begin(&c);
    for (int k = 0; k <= n; k++) {
        char more[120];
        snprintf(more, sizeof more,
                 "\"correlation\":%d,\"stream\":7,\"%s\":%d,\"dtype\":\"Float\"", 1 + k,
                 sized || !k ? "In msg nelems" : "other", 1000 * (k ? 1 : times));
        case_call(&c, "cudaLaunchKernel", 1 + k, 1, 1 + k);
        case_event(&c, "kernel", "ncclDevKernel_Broadcast", 7,
                   k ? 40000 + 3000 * k : 10, k ? 2000 : 30000, more);
    }
    case_open(&c, NULL);
    struct start_skew skew = c.view.skew;
    case_close(&c);
    return skew;
}

static void a_large_first_message_is_no_wait(void **state)
{
    (void)state;
    assert_int_equal(skew_of_larger(16, 5, true).ns, 0);
    assert_int_equal(skew_of_larger(16, 5, true).expected_ns, 30000000); /* at most */
    assert_int_equal(skew_of_larger(2, 5, true).ns, 0); /* no ten times its share */
    assert_int_equal(skew_of_larger(2, 5, true).expected_ns, 4000000);
    assert_int_equal(skew_of_larger(1, 5, true).ns, 30000000 - 2000000);
    assert_true(skew_of_larger(1, 5, true).has_size);
    assert_false(skew_of_larger(1, 5, false).has_size);
}

/* Two others tell no pace. */
static void few_collectives_tell_no_pace(void **state)
{
    (void)state;
    assert_int_equal(skew_of_larger(1, 3, true).ns, 28000000);
    assert_int_equal(skew_of_larger(1, 2, true).ns, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_first_collective_that_waits_for_recordings_is_left_out),
        cmocka_unit_test(another_collective_hides),
        cmocka_unit_test(a_copy_hides_nothing),
        cmocka_unit_test(a_first_collective_nine_times_as_long_counts),
        cmocka_unit_test(a_wait_that_recurs_counts),
        cmocka_unit_test(a_large_first_message_is_no_wait),
        cmocka_unit_test(few_collectives_tell_no_pace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
