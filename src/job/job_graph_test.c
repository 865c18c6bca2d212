#include "job/job_graph.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { BUCKETS = 3, STAY_NS = 100000 };

/* A rank computes 300 us and reduces three buckets on one stream, each as soon as it is
 * there; on a rank that waits they queue up behind the first, and its work ended long
 * before the second starts. The third, behind which the rank waits, waits for that work
 * too; the second for none that is known. */
static void a_queued_collective_waits_for_work_too(void **state)
{
    (void)state;
    struct capture_block work = {.dur_ns = 300000};
    struct job_member rows[BUCKETS] = {{0}};
    for (int i = 0; i < BUCKETS; i++)
        rows[i] = (struct job_member){.start_ns = i ? 500000 + i * (STAY_NS + 2000) : 0,
                                      .dur_ns = i ? STAY_NS : 600000,
                                      .instance = i};
    struct job_rank r = {
        .rows = rows, .n_rows = BUCKETS, .blocks = &work, .n_blocks = 1};
    struct sort_row order[] = {{0, -1}, {0, 0}, {602000, 1}, {704000, 2}};
    struct replay_node queued = {.before = {2, 2}, .rank = 0, .instance = 2};
    struct latest l = {.node = 2, .block = 0};
    assert_int_equal(work_before(&r, order, 0, &l, &queued, 704000), 0);
    /* Not queued: it came when it came. */
    assert_int_equal(work_before(&r, order, 0, &l, &queued, 720000), 2);
    /* Without work before it. */
    l.block = -1;
    assert_int_equal(work_before(&r, order, 0, &l, &queued, 704000), 2);
    l.block = 0;
    struct capture_block cut[] = {{0, 300000}, {300000, 500000}};
    r.blocks = cut; /* goes on: its end says nothing */
    r.n_blocks = 2;
    assert_int_equal(work_before(&r, order, 0, &l, &queued, 704000), 2);
}

/* Work runs beside a gather of 400 us for 100 us, stops, and goes on 80 us after its
 * end: nothing but the host was late, if the rank is known to be and came last. */
static void work_long_after_a_collective_waits_for_the_host(void **state)
{
    struct capture_block work[] = {{0, 200000}, {580000, 100000}};
    struct job_member row = {.start_ns = 100000, .dur_ns = 400000, .instance = 0};
    struct job_instance gather = {.is_decomposed = true, .min_dur_ns = 400000};
    struct job_rank r = {.rows = &row, .n_rows = 1, .blocks = work, .n_blocks = 2};
    struct job j = {.ranks = &r, .n_ranks = 1, .instances = &gather, .n_instances = 1};
    struct sort_row order[] = {{0, -1}, {100000, 0}, {580000, -2}};
    struct replay_node x = {.before = {1, 0}, .fixed = 0.5F};
    (void)state;
    assert_true(is_host_late(&j, &r, order, 0, &x, 580000));
    assert_false(is_host_late(&j, &r, order, 0, &x, 505000)); /* released by its end */
    x.fixed = 1;                                              /* it is not late */
    assert_false(is_host_late(&j, &r, order, 0, &x, 580000));
    x.fixed = 0.5F;
    gather.min_dur_ns = 300000; /* it waited for another for 100 us */
    assert_false(is_host_late(&j, &r, order, 0, &x, 580000));
    gather.min_dur_ns = 400000;
    work[0].dur_ns = 100000; /* nothing ran beside it */
    assert_false(is_host_late(&j, &r, order, 0, &x, 580000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_queued_collective_waits_for_work_too),
        cmocka_unit_test(work_long_after_a_collective_waits_for_the_host)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
