/* Rows of comparisons: the parts of their difference, their order, what is noise. */
#include "compare_captures.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Two calls of 100 ns, and three of 110: one more of 105, and 25 ns by speed. */
static void a_difference_is_of_count_and_of_speed(void **state)
{
    struct match m = {.level = MATCH_CALL, .n = {2, 3}, .ns = {200, 330}};
    struct compared_row r = {.match = &m};
    (void)state;
    split_difference(&r, 1e9);
    assert_int_equal(r.count_ns, 105);
    assert_int_equal(r.speed_ns, 25);
    split_difference(&r, 50); /* no more of a row */
    assert_int_equal(r.count_ns, 50);
    assert_int_equal(r.speed_ns, 80);
    m.n[1] = 1;
    split_difference(&r, 50);
    assert_int_equal(r.count_ns, -50);
    m.level = MATCH_CATEGORY; /* calls of other kernels do not count */
    r.count_ns = 0;
    split_difference(&r, 1e9);
    assert_int_equal(r.count_ns, match_is_recast(&m) ? 0 : -215);
    m.level = MATCH_ONLY_CANDIDATE;
    r = (struct compared_row){.match = &m};
    split_difference(&r, 1e9);
    assert_int_equal(r.only_ns, 130);
    assert_int_equal(r.count_ns + r.speed_ns, 0);
}

static void the_largest_difference_comes_first(void **state)
{
    struct match m[] = {{.ns = {5, 10}}, {.ns = {30, 10}}, {.ns = {10, 15}}};
    struct compared_row r[] = {{.match = &m[2]}, {.match = &m[0]}, {.match = &m[1]}};
    (void)state;
    qsort(r, 3, sizeof *r, by_difference);
    assert_ptr_equal(r[0].match, &m[1]);
    assert_ptr_equal(r[1].match, &m[0]); /* of equal ones, the first */
    assert_ptr_equal(r[2].match, &m[2]);
}

/* 3 %, or 2 us of each call: 20 % of 10 us, 2 % of 100. */
static void short_calls_have_a_higher_floor(void **state)
{
    const struct noise_floors floors = NOISE_FLOORS;
    struct match m = {.n = {10, 10}, .ns = {100000, 7}};
    (void)state;
    assert_true(fabs(row_floor_pct(&m, &floors) - 20) < 1e-9);
    m.ns[0] = 1000000;
    assert_true(row_floor_pct(&m, &floors) == 3);
    m.ns[0] = 0;
    assert_true(row_floor_pct(&m, &floors) == 3);
}

/* Three products of 0.5 Gflop, and a sum without a model, in two steps. */
static void operations_are_those_of_a_step(void **state)
{
    struct arena a = arena_reserve(1 << 20);
    struct capture_row rows[] = {{.flop = 5e8, .n_calls = 3},
                                 {.flop = (double)NAN, .n_calls = 1}};
    struct capture_event events[] = {{0, 10, S_INIT("mm"), 0, 7, true},
                                     {10, 20, S_INIT("mm"), 0, 7, true},
                                     {20, 30, S_INIT("mm"), 0, 7, true},
                                     {30, 40, S_INIT("add"), 1, 7, true}};
    struct capture x = {
        .rows = rows, .n_rows = 2, .events = events, .n_events = 4, .end_ns = 40};
    struct step_span steps[] = {{0, 20}, {20, 40}};
    struct comparison c = {
        .of = {&x, &x},
        .selection = {.spans = {steps, steps}, .n_spans = {2, 1}, .n_steps = 2}};
    struct match_side sides[2];
    (void)state;
    find_figures(&a, &c, sides);
    assert_true(fabs(c.gflop[0] - 3 * 0.5 / 2) < 1e-9);
    assert_int_equal(c.window_ns[0], 40);
    assert_int_equal(c.window_ns[1], 20);
}

/* Kernel time in a step; without events, that of all rows. */
static void a_sample_is_what_each_step_takes(void **state)
{
    struct arena a = arena_reserve(1 << 20);
    struct capture_row rows[] = {{.kernel_ns = 30}, {.kernel_ns = 12}};
    struct capture_event events[] = {{0, 10, S_INIT("x"), 0, 7, true},
                                     {15, 25, S_INIT("x"), 0, 7, true}};
    struct capture x = {.rows = rows, .n_rows = 2, .events = events, .n_events = 2};
    struct step_span steps[] = {{0, 20}, {20, 50}};
    (void)state;
    struct sample s = sample_in(&a, &x, steps, 2, JUDGE_DEVICE);
    assert_true(s.n == 2 && s.steps[0] == 15 && s.steps[1] == 5);
    s = sample_in(&a, &x, steps, 2, JUDGE_WALL);
    assert_true(s.steps[0] == 20 && s.steps[1] == 30);
    x.n_events = 0;
    s = sample_in(&a, &x, steps, 1, JUDGE_DEVICE);
    assert_true(s.steps[0] == 42);
}

/* Of other work, what its arguments match may be ten times as fast or slow. */
static void other_work_is_rated_up_to_ten_times(void **state)
{
    static const struct {
        enum match_level level;
        double ratio;
        bool rated;
    } cases[] = {{MATCH_CALL, 10, true},   {MATCH_CALL, 10.01, false},
                 {MATCH_CALL, 0.1, true},  {MATCH_CALL, 0.099, false},
                 {MATCH_NAME, 1, false},   {MATCH_CATEGORY, 1, false},
                 {MATCH_SEQUENCE, 1, true}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (int other = 0; other < 2; other++) {
            struct match m = {.level = cases[k].level};
            struct compared_row r[] = {
                {.match = &m, .expected = {.class = EXPLAINED_NOT_RATED}},
                {.match = &m,
                 .expected = {.class = EXPLAINED_SLOWER, .ratio = cases[k].ratio}}};
            struct comparison c = {.rows = r,
                                   .n_rows = 2,
                                   .parity = other ? PARITY_OTHER_WORK : PARITY_SAME};
            rate_less(&c);
            assert_int_equal(r[1].expected.class != EXPLAINED_NOT_RATED,
                             !other || cases[k].rated);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_difference_is_of_count_and_of_speed),
        cmocka_unit_test(the_largest_difference_comes_first),
        cmocka_unit_test(short_calls_have_a_higher_floor),
        cmocka_unit_test(operations_are_those_of_a_step),
        cmocka_unit_test(a_sample_is_what_each_step_takes),
        cmocka_unit_test(other_work_is_rated_up_to_ten_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
