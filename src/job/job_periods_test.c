#include "job/job_periods.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* Moved, slowed and moved again: what a row shows is found in the trace. */
static void the_time_of_the_trace_is_found(void **state)
{
    (void)state;
    struct job_member rows[3] = {{0}};
    const int64_t at_ns[3] = {500, 2000000000, 90000000000};
    struct job_rank r = {.trace_ns = -1700000000000000000, .rows = rows, .n_rows = 3};
    for (int i = 0; i < 3; i++)
        rows[i].start_ns = 1700000000000000000 + at_ns[i];
    rank_shift(&r, -1700000000000000000);
    rank_slow(&r, 5e-5, 1000);
    rank_shift(&r, 123456);
    assert_int_equal(rows[2].start_ns, 90000000000 - 4500000 + 123456);
    for (int i = 0; i < 3; i++)
        assert_true(llabs(rank_trace_ns(&r, rows[i].start_ns) - at_ns[i]) <= 1);
}

/* Two steps of 1000 ns with a collective each; a pause of 400 ns in front of the second
 * lies in the first step, and is booked to that of the collective that it delays. */
static void a_pause_counts_where_the_collective_follows(void **state)
{
    (void)state;
    struct rank_step steps[2] = {
        {.start_ns = 0,
         .end_ns = 1000,
         .of = 0,
         .part_ns = {[SEGMENT_COMPUTE] = 300, [SEGMENT_IDLE] = 500}},
        {.start_ns = 1000,
         .end_ns = 2000,
         .of = 1,
         .part_ns = {[SEGMENT_COMPUTE] = 500, [SEGMENT_IDLE] = 100}}};
    struct job_member rows[2] = {
        {.start_ns = 300, .part_ns = {[SEGMENT_COMPUTE] = 200, [SEGMENT_IDLE] = 100}},
        {.start_ns = 1500, .part_ns = {[SEGMENT_COMPUTE] = 600, [SEGMENT_IDLE] = 400}}};
    struct job_rank r = {.steps = steps,
                         .n_steps = 2,
                         .rows = rows,
                         .n_rows = 2,
                         .balance = {.compute_ns = 800, .idle_ns = 600}};
    struct job_period periods[3] = {{{0}, {0}, 0}};
    struct job j = {
        .ranks = &r, .n_ranks = 1, .n_steps = 2, .n_periods = 3, .periods = periods};
    add_rank(&j, 0);
    assert_int_equal(periods[0].part_ns[SEGMENT_IDLE], 100);
    assert_int_equal(periods[1].part_ns[SEGMENT_IDLE], 400);
    assert_int_equal(periods[2].part_ns[SEGMENT_IDLE], 100);
    assert_int_equal(periods[0].part_ns[SEGMENT_COMPUTE], 300);
    assert_int_equal(periods[1].part_ns[SEGMENT_COMPUTE], 500);
}

/* Rank 1 comes last to all collectives and hides them; who waits for it has nothing
 * left to compute, so that they are exposed there. */
static void who_came_last_tells_what_is_hidden(void **state)
{
    enum { N = 4, MOVING_NS = 700 };
    struct job_member rows[2][N];
    struct job_instance instances[N];
    struct job_rank ranks[2] = {{.n_rows = N}, {.n_rows = N}};
    struct arena tmp = arena_reserve(1 << 16);
    struct job j = {
        .ranks = ranks, .n_ranks = 2, .instances = instances, .n_instances = N};
    (void)state;
    for (int i = 0; i < N; i++) {
        instances[i] = (struct job_instance){.last_rank = 1,
                                             .is_decomposed = true,
                                             .min_dur_ns = MOVING_NS,
                                             .last_start_ns = 10000 * i,
                                             .last_end_ns = 10000 * i + MOVING_NS};
        for (int r = 0; r < 2; r++)
            rows[r][i] = (struct job_member){.start_ns = 10000 * i - (r ? 0 : 5000),
                                             .dur_ns = MOVING_NS + (r ? 0 : 5000),
                                             .instance = i};
    }
    for (int r = 0; r < 2; r++)
        ranks[r].rows = rows[r];
    ranks[0].balance.transfer_ns = N * MOVING_NS;
    assert_true(is_hidden(tmp, &j));
    ranks[1].balance.transfer_ns = N * MOVING_NS * 9 / 10;
    assert_false(is_hidden(tmp, &j));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_time_of_the_trace_is_found),
        cmocka_unit_test(a_pause_counts_where_the_collective_follows),
        cmocka_unit_test(who_came_last_tells_what_is_hidden)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
