#include "whatif/host_points.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"

enum { POINTS = 9, US = 1000 };

static struct host_point at[POINTS];
static struct host_points points = {.at = at, .n = POINTS};
static struct arena scratch;

/* Eight launches of 5 us each, and one of so many. */
static enum host_wait last_of(int64_t us, int launched)
{
    for (int i = 0; i < POINTS; i++)
        at[i] = (struct host_point){
            .start_ns = 100 * US * i, .end_ns = 100 * US * i + 5 * US, .n_launched = 1};
    at[POINTS - 1].end_ns = at[POINTS - 1].start_ns + us * US;
    at[POINTS - 1].n_launched = launched;
    mark_long_launches(scratch, &points);
    for (int i = 0; i < POINTS - 1; i++)
        assert_int_equal(at[i].wait, WAIT_NONE);
    return at[POINTS - 1].wait;
}

/* Ten times the median waits for room in the queue; of three events, thirty times. */
static void a_launch_that_takes_long_waits(void **state)
{
    (void)state;
    assert_int_equal(last_of(50, 1), WAIT_QUEUE);
    assert_int_equal(last_of(49, 1), WAIT_NONE);
    assert_int_equal(last_of(149, 3), WAIT_NONE);
    assert_int_equal(last_of(150, 3), WAIT_QUEUE);
    assert_int_equal(last_of(500, 0), WAIT_NONE); /* no launch at all */
}

/* Where most launches wait, the median is a wait: those of 100 us are, of 99 not. */
static void most_launches_may_wait(void **state)
{
    (void)state;
    for (int us = 99; us < 101; us++) {
        for (int i = 0; i < POINTS; i++)
            at[i] = (struct host_point){.end_ns = us * US, .n_launched = 1};
        mark_long_launches(scratch, &points);
        assert_int_equal(at[0].wait, us < 100 ? WAIT_NONE : WAIT_QUEUE);
    }
}

/* Ten times next to nothing is not long: 20 us are. */
static void little_is_never_long(void **state)
{
    (void)state;
    for (int us = 19; us < 21; us++) {
        for (int i = 0; i < POINTS; i++)
            at[i] = (struct host_point){.end_ns = US, .n_launched = 1};
        at[0].end_ns = us * US;
        mark_long_launches(scratch, &points);
        assert_int_equal(at[0].wait, us < 20 ? WAIT_NONE : WAIT_QUEUE);
    }
}

/* A call that waits by its name is none of these. */
static void a_wait_stays_what_it_is(void **state)
{
    (void)state;
    for (int i = 0; i < POINTS; i++)
        at[i] = (struct host_point){.end_ns = US, .n_launched = 1};
    at[0].wait = WAIT_DEVICE;
    at[0].end_ns = 900 * US;
    mark_long_launches(scratch, &points);
    assert_int_equal(at[0].wait, WAIT_DEVICE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_launch_that_takes_long_waits),
        cmocka_unit_test(most_launches_may_wait),
        cmocka_unit_test(little_is_never_long),
        cmocka_unit_test(a_wait_stays_what_it_is),
    };
    scratch = arena_reserve(1 << 20);
    char *first = scratch.at;
    int failed = cmocka_run_group_tests(tests, set_up, tear_down);
    arena_release(first, &scratch);
    return failed;
}
