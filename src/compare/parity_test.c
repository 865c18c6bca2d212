#include "compare/parity.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena_case.h"

enum { ROWS = 4, LINES = 4 };

static struct capture sides[2];
static struct capture_setup_line lines[2][LINES];
static struct capture_row of[2][ROWS];
static struct match matches[ROWS];
static int32_t places[ROWS] = {0, 1, 2, 3};
static struct compared_row rows[ROWS];
static struct comparison c;

/* Nothing yet: 100 ns of device work on either side, all of it matched at L1. */
static int begin(void **state)
{
    (void)state;
    memset(matches, 0, sizeof matches);
    memset(rows, 0, sizeof rows);
    memset(of, 0, sizeof of);
    c = (struct comparison){.rows = rows, .device_ns = {100, 100}};
    for (int side = 0; side < 2; side++) {
        sides[side] = (struct capture){.setup = lines[side], .rows = of[side]};
        c.of[side] = &sides[side];
        c.level_ns[MATCH_CALL][side] = 100;
    }
    return 0;
}

static void line(int side, const char *what, const char *value)
{
    lines[side][sides[side].n_setup++] =
        (struct capture_setup_line){str_of(what), str_of(value)};
}

/* A row that both have, of so many calls of so many FLOP each. */
static struct match *work(enum match_level level, double flop_0, int64_t n_0,
                          double flop_1, int64_t n_1)
{
    int k = c.n_rows++;
    of[0][k] = (struct capture_row){.flop = flop_0, .n_calls = n_0};
    of[1][k] = (struct capture_row){.flop = flop_1, .n_calls = n_1};
    matches[k] = (struct match){.level = level,
                                .rows = {places + k, places + k},
                                .n_rows = {1, 1},
                                .n = {n_0, n_1}};
    rows[k] = (struct compared_row){&matches[k], .of = {&of[0][k], &of[1][k]}};
    return &matches[k];
}

static const struct setup_difference *found(const char *what)
{
    for (int i = 0; i < c.n_setup; i++)
        if (str_eq(c.setup[i].what, str_of(what)))
            return &c.setup[i];
    return NULL;
}

/* A line is told if a side has it, and differs if both do. */
static void recorded_lines_are_compared(void **state)
{
    (void)state;
    line(0, "device", "H100");
    line(0, "driver", "550");
    line(0, "ranks", "");
    line(0, "batch", "8");
    line(1, "device", "H100");
    line(1, "driver", "560");
    line(1, "ranks", "");
    parity_find(&a, &c, S("x, DRIV"));
    assert_false(found("device")->differs);
    assert_true(found("driver")->differs && found("driver")->allowed);
    assert_text(found("driver")->value[0], "550");
    assert_text(found("driver")->value[1], "560");
    assert_null(found("ranks"));
    assert_false(found("batch")->differs || found("batch")->allowed);
    assert_int_equal(c.parity, PARITY_SAME);
}

static void figures_are_of_a_step(void **state)
{
    (void)state;
    work(MATCH_CALL, 0, 40, 0, 30);
    c.selection.n_steps = 10;
    sides[0].n_steps = 10;
    sides[1].n_steps = 12;
    c.gflop[0] = 200;
    c.gflop[1] = 201;
    parity_find(&a, &c, S(""));
    assert_text(found("calls that launch device work, of a step")->value[0], "4");
    assert_text(found("calls that launch device work, of a step")->value[1], "3");
    assert_true(found("steps recorded")->differs);
    assert_false(found("GFLOP of modelled operators, of a step")->differs); /* 0.5 % */
    begin(state);
    work(MATCH_CALL, 0, 40, 0, 40);
    c.gflop[0] = 200;
    c.gflop[1] = 201.1;
    parity_find(&a, &c, S(""));
    assert_true(found("GFLOP of modelled operators")->differs);
    assert_false(found("calls that launch device work")->differs);
    assert_null(found("steps recorded"));
    c.gflop[1] = 201;
    assert_true(parity_same_flop(&c));
    c.gflop[1] = 201.1;
    assert_false(parity_same_flop(&c));
}

/* Of device time, 95 % of both sides with the same operator, shapes and types. */
static void work_is_the_same_if_it_matches(void **state)
{
    static const struct {
        int64_t call[2], types[2], dims[2];
        enum parity want;
    } cases[] = {{{95, 95}, {0, 0}, {5, 5}, PARITY_SAME},
                 {{0, 50}, {95, 45}, {5, 5}, PARITY_SAME},
                 {{94, 95}, {0, 0}, {6, 5}, PARITY_OTHER_WORK},
                 {{95, 94}, {0, 0}, {5, 6}, PARITY_OTHER_WORK}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin(state);
        for (int side = 0; side < 2; side++) {
            c.level_ns[MATCH_CALL][side] = cases[i].call[side];
            c.level_ns[MATCH_TYPES][side] = cases[i].types[side];
            c.level_ns[MATCH_DIMS][side] = cases[i].dims[side];
        }
        parity_find(&a, &c, S(""));
        assert_int_equal(c.parity, cases[i].want);
    }
    assert_true(parity_frac(&c, 1, LEVELS_MATCHED) == 0.94);
    assert_true(parity_frac(&c, 1, LEVELS_NAMED) == 1);
    c.device_ns[1] = 0;
    assert_true(parity_frac(&c, 1, LEVELS_NAMED) == 0);
    parity_find(&a, &c, S("work"));
    assert_int_equal(c.parity, PARITY_SAME); /* as the user says */
    begin(state);
    c.level_ns[MATCH_CALL][0] = 0;
    c.matches.periods.aligned = true; /* graphs replay as many layers */
    parity_find(&a, &c, S(""));
    assert_int_equal(c.parity, PARITY_SAME);
}

/* Half of the time is in a copy more: the rest is the same work, as FLOP tell. */
static void a_copy_more_is_no_other_work(void **state)
{
    (void)state;
    c.level_ns[MATCH_CALL][1] = 50;
    work(MATCH_CALL, 1, 1, 1, 1)->ns[1] = 50;
    work(MATCH_ONLY_CANDIDATE, 0, 0, 0, 1)->ns[1] = 50;
    matches[0].ns[0] = 100;
    of[1][1].part = DEVICE_COPY;
    rows[1].of[0] = NULL;
    c.gflop[0] = c.gflop[1] = 3;
    parity_find(&a, &c, S(""));
    assert_int_equal(c.parity, PARITY_SAME);
    of[1][1].part = DEVICE_COMPUTE;
    parity_find(&a, &c, S(""));
    assert_int_equal(c.parity, PARITY_OTHER_WORK);
    of[1][1].part = DEVICE_COPY;
    c.gflop[0] = c.gflop[1] = 0; /* not known */
    parity_find(&a, &c, S(""));
    assert_int_equal(c.parity, PARITY_OTHER_WORK);
}

/* Where one side has no types, models know its FLOP of nothing. */
static void sizes_alone_are_compared_without_types(void **state)
{
    (void)state;
    work(MATCH_DIMS, 1, 1, 0, 1);
    of[0][0].dims = of[1][0].dims = S("((8,),)");
    of[0][0].types = S("('float',)");
    sides[0].n_rows = sides[1].n_rows = 1;
    c.level_ns[MATCH_CALL][0] = c.level_ns[MATCH_CALL][1] = 0;
    c.level_ns[MATCH_DIMS][0] = c.level_ns[MATCH_DIMS][1] = 100;
    c.gflop[0] = 3;
    parity_find(&a, &c, S(""));
    assert_int_equal(c.parity, PARITY_SAME);
    assert_null(found("GFLOP of modelled operators"));
    begin(state);
    work(MATCH_DIMS, 1, 1, 0, 1);
    of[0][0].dims = of[1][0].dims = S("((8,),)");
    c.level_ns[MATCH_CALL][0] = c.level_ns[MATCH_CALL][1] = 0;
    c.level_ns[MATCH_DIMS][0] = c.level_ns[MATCH_DIMS][1] = 100;
    parity_find(&a, &c, S(""));
    assert_int_equal(c.parity, PARITY_OTHER_WORK);
}

static void hardware_is_what_is_recorded_or_given(void **state)
{
    struct device_spec given[2] = {{.memory_gb_per_s = 1}, {.memory_gb_per_s = 2}};
    (void)state;
    sides[0].device = &given[0];
    sides[1].device = &given[1];
    line(0, "device", "H100");
    line(1, "device", "H100");
    assert_true(same_hardware(&c));
    lines[1][0].value = S("A100");
    parity_find(&a, &c, S(""));
    assert_int_equal(c.parity, PARITY_OTHER_HARDWARE);
    lines[1][0].value = S("");
    sides[1].device = &given[0];
    assert_true(same_hardware(&c));
    assert_text(parity_words(PARITY_OTHER_HARDWARE), "same work, different hardware");
    assert_text(parity_words(PARITY_OTHER_WORK), "same hardware, different work");
}

/* Operators that both have tell how large the task is, by 5 %. */
static void a_task_has_its_size(void **state)
{
    (void)state;
    work(MATCH_NAME, 2e9, 10, 2.2e9, 10);
    work(MATCH_CATEGORY, 9e9, 10, 1e9, 10); /* implemented differently */
    c.selection.n_steps = 5;
    matches[0].n[1] = 20; /* of them, in what is compared */
    c.gflop[0] = 1;
    parity_find(&a, &c, S(""));
    assert_true(fabs(c.shared_gflop[0] - 4) < 1e-9);
    assert_true(fabs(c.shared_gflop[1] - 8.8) < 1e-9);
    assert_true(parity_is_other_task(&c));
    c.shared_gflop[1] = 4.22;
    assert_true(parity_is_other_task(&c));
    c.shared_gflop[1] = 4.2;
    assert_false(parity_is_other_task(&c));
    c.shared_gflop[1] = 8;
    c.parity = PARITY_SAME;
    assert_false(parity_is_other_task(&c));
}

#define CASE(test) cmocka_unit_test_setup(test, begin)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(recorded_lines_are_compared),
        CASE(figures_are_of_a_step),
        CASE(work_is_the_same_if_it_matches),
        CASE(a_copy_more_is_no_other_work),
        CASE(sizes_alone_are_compared_without_types),
        CASE(hardware_is_what_is_recorded_or_given),
        CASE(a_task_has_its_size),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
