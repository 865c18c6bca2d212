/* From where on a difference, or a part of it, is told: on both sides of each bound. */
#include "compare_cause.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"

/* Windows of 1000 ns, without steps; one class of kernels, one idle bar, two rows. */
static struct match matches[2];
static struct compared_row rows[2];
static struct compared_bar bars[2];
static struct capture_row works[2];
static struct capture sides[2];
static struct comparison c;

static int begin(void **state)
{
    for (int k = 0; k < 2; k++) {
        sides[k] = (struct capture){.label = k ? S("new") : S("old")};
        works[k] = (struct capture_row){.name = k ? S("b") : S("a")};
        matches[k] = (struct match){.level = MATCH_CALL,
                                    .n = {10, 10},
                                    .n_events = {10, 10},
                                    .ns = {200, 200},
                                    .category = WORK_GEMM,
                                    .name = {works[k].name, works[k].name}};
        rows[k] =
            (struct compared_row){.match = &matches[k], .of = {&works[k], &works[k]}};
    }
    bars[0] = (struct compared_bar){.kind = BAR_CLASS,
                                    .category = WORK_GEMM,
                                    .name = S("GEMM"),
                                    .ns = {400, 400},
                                    .kernel_ns = {400, 400}};
    bars[1] = (struct compared_bar){
        .kind = BAR_IDLE, .name = S("idle: Python"), .ns = {600, 600}};
    c = (struct comparison){.of = {&sides[0], &sides[1]},
                            .n_captures = {2, 2},
                            .window_ns = {1000, 1000},
                            .idle_ns = {600, 600},
                            .bars = bars,
                            .n_bars = 2,
                            .rows = rows,
                            .n_rows = 2};
    return set_up(state);
}

/* 1.5 % of the window, 2.5 % of one capture a side; three times that of idle time. */
static void noise_has_bounds(void **state)
{
    static const struct {
        int captures, history;
        int64_t window, idle, class, row;
        bool noise;
    } cases[] = {{2, 0, 14, 0, 0, 0, true},  {2, 0, 15, 0, 0, 0, false},
                 {2, 0, -14, 0, 0, 0, true}, {2, 0, -15, 0, 0, 0, false},
                 {1, 0, 24, 0, 0, 0, true},  {1, 0, 25, 0, 0, 0, false},
                 {1, 3, 24, 0, 0, 0, false}, {2, 0, 0, 44, 0, 0, true},
                 {2, 0, 0, 45, 0, 0, false}, {2, 0, 0, 0, 14, 0, true},
                 {2, 0, 0, 0, 15, 0, false}, {2, 0, 0, 0, 0, 14, true},
                 {2, 0, 0, 0, 0, 15, false}, {1, 0, 0, 0, 0, 15, true}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        begin(state);
        c.n_captures[0] = c.n_captures[1] = cases[k].captures;
        c.n_history = cases[k].history;
        c.window_ns[1] += cases[k].window;
        bars[1].ns[1] += cases[k].idle;
        bars[0].ns[1] += cases[k].class;
        matches[1].ns[1] += cases[k].row;
        if (compare_is_noise(&c) != cases[k].noise)
            fail_msg("case %zu", k);
    }
    begin(state);
    c.drift.found = true;
    assert_false(compare_is_noise(&c));
    begin(state);
    c.parity = PARITY_OTHER_WORK;
    assert_false(compare_is_noise(&c));
    begin(state);
    c.n_captures[1] = 1; /* only one side has one */
    c.window_ns[1] += 24;
    assert_false(compare_is_noise(&c));
}

/* The same calls, as a whole less than 3 % longer, and what is not speed below `most`.
 */
static void a_class_within_its_floor_is_noise(void **state)
{
    static const struct {
        int64_t diff, speed;
        bool noise;
    } cases[] = {{11, 11, true}, {12, 12, false}, {-11, -11, true}, {-12, -12, false},
                 {20, 11, true}, {21, 11, false}, {1, 11, false},   {2, 11, true}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        bars[0].ns[1] = 400 + cases[k].diff;
        bars[0].speed_ns = cases[k].speed;
        assert_int_equal(is_class_noise(&bars[0], 10), cases[k].noise);
    }
    bars[1].speed_ns = 0;
    assert_false(is_class_noise(&bars[1], 10)); /* idle time is no class */
}

/* A fifth of the difference, and more than half a per cent of the window. */
static void parts_worth_a_word(void **state)
{
    static const struct {
        int64_t window, class, idle;
        int n;
        enum cause_kind first;
    } cases[] = {{100, 80, 20, 2, CAUSE_KERNELS},    {100, 81, 19, 1, CAUSE_KERNELS},
                 {100, 19, 81, 1, CAUSE_IDLE},       {100, 49, 51, 2, CAUSE_IDLE},
                 {-100, -60, -40, 2, CAUSE_KERNELS}, {-100, 20, -120, 1, CAUSE_IDLE},
                 {6, 6, 0, 1, CAUSE_KERNELS},        {5, 5, 0, 0, CAUSE_KERNELS}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct part parts[PARTS_MOST];
        begin(state);
        c.window_ns[1] += cases[k].window;
        bars[0].ns[1] += cases[k].class;
        c.idle_ns[1] += cases[k].idle;
        assert_int_equal(parts_that_way(&c, parts), cases[k].n);
        assert_true(!cases[k].n || parts[0].kind == cases[k].first);
        c.parity = PARITY_OTHER_WORK; /* whose kernels tell nothing */
        bool idle = cases[k].first == CAUSE_IDLE || cases[k].n == 2;
        assert_int_equal(parts_that_way(&c, parts), idle);
    }
    begin(state);
    struct part parts[PARTS_MOST];
    c.window_ns[1] += 100;
    bars[0].ns[1] += 100;
    c.drift.found = true; /* all kernels alike */
    assert_int_equal(parts_that_way(&c, parts), 1);
    assert_int_equal(parts[0].kind, CAUSE_PACE);
}

/* Each has a quarter of what the class takes longer, both together four fifths. */
static void two_rows_of_a_class(void **state)
{
    static const int64_t cases[][3] = {
        {40, 40, 1}, {39, 40, 0}, {55, 25, 1}, {56, 24, 0}, {60, 40, 1}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        begin(state);
        bars[0].ns[1] += 100;
        matches[0].ns[1] += cases[k][0];
        matches[1].ns[1] += cases[k][1];
        assert_int_equal(of_two_rows(&a, &c, &bars[0]).n > 0, cases[k][2]);
        matches[1].category = WORK_NORM;
        assert_int_equal(of_two_rows(&a, &c, &bars[0]).n, 0);
    }
}

/* One row has seven tenths of a class, or the class is told. */
static void one_row_of_a_class(void **state)
{
    begin(state);
    bars[0].ns[1] += 100;
    bars[0].speed_ns = 60;
    matches[1].ns[1] += 70;
    assert_true(
        str_starts(of_class(&a, &c, &bars[0]), S("`b` takes 35.0% longer per")));
    matches[1].ns[1] -= 1;
    assert_true(str_starts(of_class(&a, &c, &bars[0]),
                           S("GEMM takes 15.0% longer for the same calls")));
    bars[0].speed_ns = 59;
    assert_true(str_starts(of_class(&a, &c, &bars[0]), S("GEMM takes 0.000 ms more")));
    matches[1].ns[1] = 100;
    bars[0].ns[1] = 300;
    assert_true(str_starts(of_class(&a, &c, &bars[0]), S("`b` takes 50.0% less time")));
}

/* Where the step shows nothing, communication is told from 1.5 % of it on. */
static void hidden_communication(void **state)
{
    begin(state);
    works[1].part = DEVICE_COMM;
    matches[1].ns[1] = 215;
    assert_true(str_starts(of_hidden(&a, &c), S("communication takes 7.5% longer")));
    matches[1].ns[1] = 185;
    assert_true(str_starts(of_hidden(&a, &c), S("communication takes 7.5% less time")));
    matches[1].ns[1] = 214;
    assert_int_equal(of_hidden(&a, &c).n, 0);
    matches[1].ns[1] = 300;
    c.wall.verdict = VERDICT_OBSERVED;
    assert_int_equal(of_hidden(&a, &c).n, 0);
}

/* Two that outweigh each other, each of 1.5 % of the window. */
static void two_rows_that_outweigh_each_other(void **state)
{
    begin(state);
    matches[0].ns[1] -= 15;
    matches[1].ns[1] += 15;
    assert_true(of_exchange(&a, &c).n > 0);
    matches[1].ns[1] -= 1;
    assert_int_equal(of_exchange(&a, &c).n, 0);
    matches[1].ns[1] += 2;
    c.window_ns[1] += 16; /* one of them is all of that */
    assert_int_equal(of_exchange(&a, &c).n, 0);
}

static void other_kernels_in_place_of_some(void **state)
{
    begin(state);
    c.selection.n_steps = 2;
    matches[0].level = MATCH_CATEGORY;
    matches[0].n_events[1] = 5;
    matches[0].ns[1] = 4000200;
    if (match_is_recast(&matches[0]))
        assert_true(str_starts(
            of_row(&a, &c, &rows[0]),
            S("`a` takes 2.000 ms a step more, with 2.5 kernels in place of 5")));
    c.window_ns[1] += 4000000;
    assert_int_equal(of_recast(&a, &c).n > 0, match_is_recast(&matches[0]));
    c.window_ns[1] += 4000000; /* half of it */
    assert_int_equal(of_recast(&a, &c).n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(noise_has_bounds, begin),
        cmocka_unit_test_setup(a_class_within_its_floor_is_noise, begin),
        cmocka_unit_test(parts_worth_a_word),
        cmocka_unit_test(two_rows_of_a_class),
        cmocka_unit_test(one_row_of_a_class),
        cmocka_unit_test(hidden_communication),
        cmocka_unit_test(two_rows_that_outweigh_each_other),
        cmocka_unit_test(other_kernels_in_place_of_some),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
