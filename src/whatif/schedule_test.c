#include "whatif/schedule.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/trace_case.h"

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

/* Twenty kernels on an idle stream, 6 to 25 us behind their calls: 16 us are usual. As
 * many on a busy one, 1 to 20 us behind the one before: 11 us. */
static void the_usual_distance_is_the_median(void **state)
{
    (void)state;
    for (int n = 15; n <= 20; n += 5) {
        struct trace_case c;
        case_begin(&c);
        for (int k = 0; k < n; k++) {
            double at = 1000.0 * k;
            case_launch(&c, "free", at, at + 6 + k, 100, 2 * k + 1);
            case_launch(&c, "queued", at + 30, at + 107 + 2 * k, 10, 2 * k + 2);
        }
        case_open(&c, NULL);
        struct schedule o = schedule_build(&c.perm, c.tmp, &c.view);
        assert_int_equal(o.latency_ns, n == 20 ? 16 * US : 5 * US);
        assert_int_equal(o.gap_ns, n == 20 ? 11 * US : 0); /* of too few: none */
        assert_int_equal(o.facts.events_by[START_LAUNCH], n);
        assert_int_equal(o.facts.events_by[START_QUEUE], n);
        assert_int_equal(o.facts.ns_by[START_LAUNCH], 100 * n * US);
        assert_int_equal(o.facts.ns_by[START_QUEUE], 10 * n * US);
        assert_int_equal(o.facts.recorded_ns, o.last[0].ns);
        assert_true(o.facts.exact && o.facts.usable);
        case_close(&c);
    }
}

/* A fifth of the device's time may have no launch, not more. */
static void a_fifth_may_be_unlinked(void **state)
{
    (void)state;
    for (int more = 0; more < 2; more++) {
        struct trace_case c;
        case_begin(&c);
        case_launch(&c, "k", 0, 10, 80, 1);
        case_kernel(&c, "unlinked", 7, 95, 20 + more, 2);
        case_open(&c, NULL);
        struct schedule o = schedule_build(&c.perm, c.tmp, &c.view);
        assert_int_equal(o.facts.unlinked_ns, (20 + more) * US);
        assert_true(o.facts.exact);
        assert_int_equal(o.facts.usable, !more);
        case_close(&c);
    }
}

/* A distance beyond what is usual is slack, to the event before on the stream and to
 * the call alike; from a long call work starts when it returns. */
static void what_does_not_bind_has_slack(void **state)
{
    static int32_t of_device[] = {7, 8}, of_point[] = {9}, wait_of[] = {-1};
    struct schedule_node nodes[8] = {0};
    struct schedule o = {.nodes = nodes,
                         .n = 5,
                         .of_device = of_device,
                         .of_point = of_point,
                         .wait_of = wait_of,
                         .latency_ns = 6,
                         .gap_ns = 3};
    struct host_point launch = {.start_ns = 100, .end_ns = 104};
    struct builder b = {.o = &o, .room = 8};
    struct arrival r = {.call = &launch, .start_ns = 130};
    struct bounds all = {0};
    (void)state;
    bound_by_launch(&b, &all, &r, false);
    assert_int_equal(all.at[0].node, 9);
    assert_int_equal(all.at[0].slack_ns, 30 - 6);
    bound_by_launch(&b, &all, &r, true);
    assert_int_equal(all.at[1].slack_ns, 0);
    launch.end_ns = 112; /* it takes longer than usual */
    bound_by_launch(&b, &all, &r, false);
    assert_int_equal(all.at[2].slack_ns, 30 - 12);
    launch.end_ns = 130; /* and returns as the work starts */
    bound_by_launch(&b, &all, &r, false);
    assert_int_equal(all.at[3].slack_ns, 0);
    launch.end_ns = 131; /* or later: the usual latency counts */
    bound_by_launch(&b, &all, &r, false);
    assert_int_equal(all.at[4].slack_ns, 30 - 6);
    launch.end_ns = 112; /* behind a wait, from its end */
    wait_of[0] = 4;
    bound_by_launch(&b, &all, &r, false);
    assert_int_equal(all.at[5].node, 4);
    assert_int_equal(all.at[5].slack_ns, 18 - 6);
    wait_of[0] = -1;
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
        cmocka_unit_test(the_usual_distance_is_the_median),
        cmocka_unit_test(a_fifth_may_be_unlinked),
        cmocka_unit_test(what_does_not_bind_has_slack),
        cmocka_unit_test(many_bounds_are_a_row_of_nodes),
        cmocka_unit_test(streams_are_by_when_they_were_active),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
