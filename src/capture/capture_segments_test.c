#include "capture/capture_segments.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"

enum { MOST = 8, US = 1000 };

/* Collectives of a rank, from and until, by start. */
static struct capture_collective made[MOST];
static struct comm_row rows[MOST];

static struct comm_rows comm_of(int n, const int64_t spans[][2])
{
    for (int i = 0; i < n; i++) {
        made[i] = (struct capture_collective){.start_ns = spans[i][0],
                                              .dur_ns = spans[i][1] - spans[i][0]};
        rows[i] = (struct comm_row){.c = &made[i]};
    }
    return (struct comm_rows){rows, n};
}

static struct interval_set set_from(int n, const int64_t spans[][2])
{
    struct span *list = arena_new(&a, struct span, n);
    for (int i = 0; i < n; i++)
        list[i] = (struct span){spans[i][0], spans[i][1]};
    return (struct interval_set){list, n};
}

/* What ends when a collective starts is over: its segment begins there, and is empty.
 */
static void a_segment_begins_at_the_end_before_it(void **state)
{
    (void)state;
    struct comm_rows all = comm_of(
        4, (const int64_t[][2]){{100, 200}, {200, 300}, {301, 900}, {400, 500}});
    find_starts(a, &all, 50);
    assert_int_equal(rows[0].from_ns, 50);
    assert_int_equal(rows[1].from_ns, 200);
    assert_int_equal(rows[2].from_ns, 300);
    assert_int_equal(rows[3].from_ns, 300); /* the one before it still runs */
}

/* Of two that ended, the latter; and the recording never begins behind a start. */
static void the_latest_end_counts(void **state)
{
    (void)state;
    struct comm_rows all =
        comm_of(3, (const int64_t[][2]){{100, 260}, {110, 250}, {300, 310}});
    find_starts(a, &all, 105);
    assert_int_equal(rows[0].from_ns, 100);
    assert_int_equal(rows[1].from_ns, 105);
    assert_int_equal(rows[2].from_ns, 260);
}

static void transfers_and_collectives_are_by_start(void **state)
{
    struct capture_collective groups[] = {{.start_ns = 10}, {.start_ns = 30}};
    struct capture_collective pairs[] = {
        {.start_ns = 5}, {.start_ns = 30}, {.start_ns = 40}};
    struct capture_ranks r = {
        .collectives = groups, .n_collectives = 2, .p2p = pairs, .n_p2p = 3};
    (void)state;
    struct comm_rows all = comm_rows_of(&a, &r);
    assert_int_equal(all.n, 5);
    assert_ptr_equal(all.rows[0].c, &pairs[0]);
    assert_ptr_equal(all.rows[1].c, &groups[0]);
    assert_ptr_equal(all.rows[2].c, &groups[1]); /* at one time, collectives first */
    assert_ptr_equal(all.rows[3].c, &pairs[1]);
    assert_ptr_equal(all.rows[4].c, &pairs[2]);
}

static void lengths_within_are_exact(void **state)
{
    (void)state;
    struct covered c =
        covered_by(&a, set_from(2, (const int64_t[][2]){{10, 20}, {30, 50}}));
    assert_int_equal(within(&c, 0, 100), 30);
    assert_int_equal(within(&c, 0, 10), 0);
    assert_int_equal(within(&c, 15, 35), 10);
    assert_int_equal(within(&c, 20, 30), 0);
    assert_int_equal(within(&c, 50, 90), 0);
    assert_int_equal(within(&c, 49, 50), 1);
}

/* Computing 30, other communication 20, a copy 10: 40 of 100 are idle. */
static void the_parts_of_a_segment_add_up(void **state)
{
    (void)state;
    struct comm_rows all = comm_of(1, (const int64_t[][2]){{100, 120}});
    struct sets s = {.comm = set_from(1, (const int64_t[][2]){{40, 60}}),
                     .copy = set_from(1, (const int64_t[][2]){{90, 110}})};
    s.of[GPU_COMPUTE] = set_from(2, (const int64_t[][2]){{-20, 10}, {20, 40}});
    find_starts(a, &all, 0);
    add_parts(a, &s, &all);
    assert_int_equal(made[0].compute_ns, 30);
    assert_int_equal(made[0].other_wait_ns, 20);
    assert_int_equal(made[0].copy_ns, 10);
    assert_int_equal(made[0].idle_ns, 40);
}

/* Blocks end where collectives begin and end; gaps below 50 us do not end them. */
static void blocks_are_cut_at_collectives(void **state)
{
    static const int64_t want_us[][2] = {{0, 30}, {30, 60}, {60, 140}, {190, 200}};
    struct capture_ranks r = {0};
    (void)state;
    struct comm_rows all = comm_of(1, (const int64_t[][2]){{30 * US, 60 * US}});
    struct sets s = {.copy = {0}};
    s.of[GPU_COMPUTE] =
        set_from(3, (const int64_t[][2]){
                        {0, 50 * US}, {100 * US - 1, 140 * US}, {190 * US, 200 * US}});
    s.of[GPU_MEMCPY] = set_from(1, (const int64_t[][2]){{40 * US, 50 * US}});
    struct arena scratch = arena_reserve(1 << 16), first = scratch;
    add_blocks(&a, scratch, &s, &all, &r);
    arena_release(first.at, &scratch);
    assert_int_equal(r.n_blocks, 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(r.blocks[i].start_ns, want_us[i][0] * US);
        assert_int_equal(r.blocks[i].dur_ns, (want_us[i][1] - want_us[i][0]) * US);
    }
}

/* Two causes claim 80 of 40 idle: the second gets what the first leaves. */
static void causes_take_no_more_than_is_idle(void **state)
{
    struct idle_span sync[] = {{.start_ns = 10, .end_ns = 40}},
                     python[] = {{.start_ns = 0, .end_ns = 50}};
    struct idle_group groups[] = {{.class = IDLE_PYTHON, .spans = python, .n_spans = 1},
                                  {.class = IDLE_SYNC, .spans = sync, .n_spans = 1}};
    struct idle_result idle = {.groups = groups, .n_groups = 2};
    (void)state;
    struct comm_rows all = comm_of(1, (const int64_t[][2]){{100, 120}});
    made[0].idle_ns = 40;
    add_causes(a, &idle, &all);
    assert_int_equal(made[0].cause_ns[IDLE_SYNC], 30);
    assert_int_equal(made[0].cause_ns[IDLE_PYTHON], 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_segment_begins_at_the_end_before_it),
        cmocka_unit_test(the_latest_end_counts),
        cmocka_unit_test(transfers_and_collectives_are_by_start),
        cmocka_unit_test(lengths_within_are_exact),
        cmocka_unit_test(the_parts_of_a_segment_add_up),
        cmocka_unit_test(blocks_are_cut_at_collectives),
        cmocka_unit_test(causes_take_no_more_than_is_idle),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
