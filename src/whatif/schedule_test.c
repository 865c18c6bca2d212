#include "whatif/schedule.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { US = 1000, USUAL_NS = 5 * US };

/* A device event behind one of its stream that ended at 100 us, launched from..to. */
static struct host_point call;

static struct arrival launched(int64_t from_us, int64_t to_us, int64_t start_ns)
{
    call = (struct host_point){.start_ns = from_us * US, .end_ns = to_us * US};
    return (struct arrival){.prev = 1,
                            .prev_ns = 100 * US,
                            .other = -1,
                            .other_ns = INT64_MIN,
                            .call = &call,
                            .start_ns = start_ns};
}

#define IS(rule, r) assert_int_equal(rule_of(&(r), USUAL_NS), rule)

/* To the ns: 20 us behind the end of the event before it is queued, more is late. */
static void queued_work_is_late_after_20_us(void **state)
{
    (void)state;
    struct arrival r = launched(10, 12, 100 * US);
    IS(START_QUEUE, r);
    r.start_ns = 120 * US;
    IS(START_QUEUE, r);
    r.start_ns = 120 * US + 1;
    IS(START_LATE, r);
}

/* And 100 us behind the return of its call. */
static void launched_work_is_late_after_100_us(void **state)
{
    (void)state;
    struct arrival r = launched(110, 112, 115 * US);
    IS(START_LAUNCH, r);
    r.start_ns = 212 * US;
    IS(START_LAUNCH, r);
    r.start_ns = 212 * US + 1;
    IS(START_LATE, r);
}

/* A call that had returned is what bound an event if it lies at most twice the usual
 * latency back, and the event did not start at once. */
static void a_fresh_launch_binds(void **state)
{
    (void)state;
    struct arrival r = launched(96, 98, 106 * US);
    IS(START_LAUNCH, r);
    r.start_ns = 106 * US + 1;
    IS(START_QUEUE, r);
    r = launched(96, 98, 105 * US);
    IS(START_QUEUE, r);
}

/* It may be queued only if it was issued when the event before ended. */
static void what_was_issued_in_time_is_queued(void **state)
{
    (void)state;
    struct arrival r = launched(50, 100, 110 * US);
    IS(START_QUEUE, r);
    r = launched(50, 101, 110 * US);
    IS(START_LAUNCH, r);
    call.wait = WAIT_COPY; /* waits for what it has issued at once */
    IS(START_QUEUE, r);
}

static void without_a_call_only_the_stream_can_bind(void **state)
{
    (void)state;
    struct arrival r = launched(0, 0, 105 * US);
    r.call = NULL;
    IS(START_QUEUE, r);
    r.start_ns = 105 * US + 1;
    IS(START_NONE, r);
    r.prev = -1;
    r.prev_ns = INT64_MIN;
    IS(START_NONE, r);
}

/* An event of another stream that ended later, at most 25 us before. */
static void another_stream_binds_what_follows_it(void **state)
{
    (void)state;
    struct arrival r = launched(10, 12, 175 * US);
    r.other = 2;
    r.other_ns = 150 * US;
    IS(START_OTHER, r);
    r.start_ns = 175 * US + 1;
    IS(START_LATE, r);
    r.start_ns = 151 * US;
    r.other_ns = 100 * US; /* no later than its own stream */
    IS(START_LATE, r);
    r.other_ns = 150 * US;
    call.end_ns = 150 * US + 1; /* not issued yet */
    IS(START_LAUNCH, r);
}

/* More bounds than a node has room for are a row of nodes, each behind the one before.
 */
static void many_bounds_are_a_row_of_nodes(void **state)
{
    struct schedule_node nodes[8] = {0};
    struct schedule o = {.nodes = nodes, .n = SCHEDULE_FIRST};
    struct builder b = {.o = &o, .room = 8};
    struct bounds all = {0};
    (void)state;
    assert_int_equal(add_node(&b, &all), 2); /* none: it never moves */
    assert_int_equal(nodes[2].before[0], SCHEDULE_FIXED);
    for (int k = 0; k < 4; k++)
        bound_by(&all, 10 + k, 100 * k);
    assert_int_equal(add_node(&b, &all), 4);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(nodes[3].before[k], 10 + k);
        assert_true(nodes[3].slack_ns[k] == 100 * k);
    }
    assert_int_equal(nodes[4].before[0], 3);
    assert_true(nodes[4].slack_ns[0] == 0);
    assert_int_equal(nodes[4].before[1], 13);
    assert_true(nodes[4].slack_ns[1] == 300);
    assert_int_equal(nodes[4].before[2], SCHEDULE_NOTHING);
}

/* The last 16 streams, the last active first. */
static void streams_are_by_when_they_were_active(void **state)
{
    struct builder b = {0};
    (void)state;
    become_active(&b, 5);
    become_active(&b, 6);
    become_active(&b, 5);
    assert_int_equal(b.n_active, 2);
    assert_int_equal(b.active[0], 5);
    assert_int_equal(b.active[1], 6);
    for (int32_t lane = 10; lane < 10 + STREAMS_MOST; lane++)
        become_active(&b, lane);
    assert_int_equal(b.n_active, STREAMS_MOST);
    assert_int_equal(b.active[0], 10 + STREAMS_MOST - 1);
    assert_int_equal(b.active[STREAMS_MOST - 1], 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queued_work_is_late_after_20_us),
        cmocka_unit_test(launched_work_is_late_after_100_us),
        cmocka_unit_test(a_fresh_launch_binds),
        cmocka_unit_test(what_was_issued_in_time_is_queued),
        cmocka_unit_test(without_a_call_only_the_stream_can_bind),
        cmocka_unit_test(another_stream_binds_what_follows_it),
        cmocka_unit_test(many_bounds_are_a_row_of_nodes),
        cmocka_unit_test(streams_are_by_when_they_were_active),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
