#include "collective_queue.c"

#include "analysis/system/collective_kinds.h"
#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* One of 8 MiB and 4 ms, which begins so long after another has ended and is launched
 * at a time; both on a stream each. */
static struct comm_kind behind(const char *first, double gap_us, double launched_us,
                               int stream)
{
    struct trace_case c;
    struct multi_kernel_result r = {0};
    char more[120];
    case_begin(&c);
    case_launch(&c, first, 1, 100, 50, 1);
    snprintf(more, sizeof more,
             "\"correlation\":2,\"stream\":%d,\"In msg nelems\":2097152,"
             "\"dtype\":\"Float\"",
             stream);
    case_call(&c, "cudaLaunchKernel", launched_us, 2, 2);
    case_event(&c, "kernel", "ncclDevKernel_AllReduce_Sum", stream, 150 + gap_us, 4000,
               more);
    case_open(&c, NULL);
    collective_kinds_measure(&c.perm, c.tmp, &c.view, &c.tables.traits, &r);
    case_close(&c);
    return r.comm[COMM_ALL_REDUCE];
}

static void one_behind_another_waits_for_nobody(void **state)
{
    static const char reduce[] = "ncclDevKernel_AllReduce_Max";
    (void)state;
    struct comm_kind k = behind(reduce, 20, 60, 7);
    assert_int_equal(k.queued, 1);
    assert_int_equal(k.large, 1);
    assert_true(k.transfer_us >= 4000);
    /* 8 MiB twice in 4 ms: 4.2 GB/s, a hundredth of 448 but half of 8 */
    assert_true(collective_queue_gb_per_s(&k, COMM_ALL_REDUCE) > 4.1 &&
                collective_queue_gb_per_s(&k, COMM_ALL_REDUCE) < 4.3);
    assert_true(collective_queue_is_slow(&k, COMM_ALL_REDUCE, 448));
    assert_true(collective_queue_is_slow(&k, COMM_ALL_REDUCE, 0));
    assert_false(collective_queue_is_slow(&k, COMM_ALL_REDUCE, 8));
}

/* 8 MiB in 4 ms are 2.1 GB/s; in a ring of 8 each sends them 2 x 7/8 times, of a
 * reduce-scatter 7/8 times, and of a gather, which is of parts, 7 times. */
static void a_ring_sends_all_but_its_own_part(void **state)
{
    (void)state;
    struct comm_kind k = {.large_us = 4000, .large_bytes = 8 << 20, .ranks = 8};
    double once = 8.388608 / 4;
    assert_near(collective_queue_gb_per_s(&k, COMM_ALL_REDUCE), 1.75 * once, 1e-9);
    assert_near(collective_queue_gb_per_s(&k, COMM_REDUCE_SCATTER), 0.875 * once, 1e-9);
    assert_near(collective_queue_gb_per_s(&k, COMM_ALL_GATHER), 7 * once, 1e-9);
    k.ranks = 0;
    assert_near(collective_queue_gb_per_s(&k, COMM_ALL_REDUCE), 2 * once, 1e-9);
}

/* Where a call is faster than those in the queue, the link is. */
static void a_fast_call_shows_the_link(void **state)
{
    struct comm_kind k = {.large_us = 4000, .large_bytes = 8 << 20, .seen_gb_per_s = 2};
    (void)state;
    assert_true(collective_queue_is_slow(&k, COMM_ALL_REDUCE, 448));
    k.seen_gb_per_s = 60;
    assert_false(collective_queue_is_slow(&k, COMM_ALL_REDUCE, 448));
}

/* Too late, launched when the other had ended, on another stream, behind a broadcast,
 * which its root leaves early, or behind no collective. */
static void what_may_wait_is_not_counted(void **state)
{
    static const char reduce[] = "ncclDevKernel_AllReduce_Max";
    (void)state;
    assert_int_equal(behind(reduce, 60, 60, 7).queued, 0);
    assert_int_equal(behind(reduce, 20, 151, 7).queued, 0);
    assert_int_equal(behind(reduce, 20, 60, 8).queued, 0);
    assert_int_equal(behind("ncclDevKernel_Broadcast", 20, 60, 7).queued, 0);
    struct comm_kind k = behind("gemm", 20, 60, 7);
    assert_int_equal(k.queued, 0);
    assert_false(collective_queue_is_slow(&k, COMM_ALL_REDUCE, 448));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_behind_another_waits_for_nobody),
        cmocka_unit_test(a_ring_sends_all_but_its_own_part),
        cmocka_unit_test(a_fast_call_shows_the_link),
        cmocka_unit_test(what_may_wait_is_not_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
