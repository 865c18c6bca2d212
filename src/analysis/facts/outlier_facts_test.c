#include "analysis/facts/outlier_facts.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Calls of one operator, 100 us apart, each with one kernel of so many us; `blocks` of
 * each, on a device with so many units, or NULL. */
static void with_launches(struct trace_case *c, struct work_row *r, const char *args,
                          const double *us, const int *blocks, int units, int n)
{
    case_begin(c);
    for (int i = 0; i < n; i++) {
        char more[100];
        double at = 1000.0 + 100 * i;
        int at_more =
            snprintf(more, sizeof more, "\"stream\":7,\"correlation\":%d", i + 1);
        if (blocks)
            snprintf(more + at_more, sizeof more - (size_t)at_more,
                     ",\"grid\":[%d,1,1],\"block\":[128,1,1]", blocks[i]);
        case_event(c, "cpu_op", "aten::add", 1, at, 20, args);
        case_call(c, "hipLaunchKernel", at + 1, 2, i + 1);
        case_event(c, "kernel", "add", 7, at + 5, us[i], more);
    }
    case_open(c, NULL);
    c->tables.fill.units.n = units;
    struct analysis a = case_analysis(c);
    struct fact_maker m = {.perm = &c->perm, .tmp = c->tmp, .a = &a};
    assert_int_equal(c->tables.judged.n, 1);
    *r = (struct work_row){.group = &c->tables.judged.rows[0]};
    outlier_facts_row(&m, r);
}

#define SHAPES "\"Input Dims\":[[8,8],[8,8]],\"Input type\":[\"float\",\"float\"]"

static void with_calls(struct trace_case *c, struct work_row *r, const double *us,
                       int n)
{
    with_launches(c, r, SHAPES, us, NULL, 0, n);
}

/* 10 us are usual. 31 us are more than three medians, though not than three means (36.3
 * us), and begin 0.7 ms into the window. */
static void a_call_beyond_three_medians_is_told(void **state)
{
    static const double us[] = {10, 10, 10, 10, 10, 10, 10, 31, 10, 10};
    struct trace_case c;
    struct work_row r;
    (void)state;
    with_calls(&c, &r, us, 10);
    static const struct {
        const char *fact;
        double want;
    } facts[] = {{"outlier_calls", 1},         {"outlier_pct", 100 * 31 / 121.0},
                 {"outlier_excess_ms", 0.021}, {"outlier_first_ms", 0.7},
                 {"outlier_last_ms", 0.7},     {"median_us", 10}};
    for (size_t k = 0; k < sizeof facts / sizeof *facts; k++)
        assert_near(work_number(&r, facts[k].fact), facts[k].want, 1e-6);
    assert_true(isnan(work_number(&r, "first_call_us")));
    case_close(&c);
}

/* The first call is one of its own; of the others the first and the last are told. */
static void the_first_call_is_told_apart(void **state)
{
    static const double us[] = {80, 10, 40, 10, 10, 10, 10, 10, 10, 50, 10, 10};
    struct trace_case c;
    struct work_row r;
    (void)state;
    with_calls(&c, &r, us, 12);
    assert_near(work_number(&r, "first_call_us"), 80, 1e-6);
    assert_near(work_number(&r, "outlier_calls"), 2, 1e-6);
    assert_near(work_number(&r, "outlier_excess_ms"), 0.07, 1e-6);
    assert_near(work_number(&r, "outlier_first_ms"), 0.2, 1e-6);
    assert_near(work_number(&r, "outlier_last_ms"), 0.9, 1e-6);
    case_close(&c);
}

/* Three medians are not more than three; of seven calls none is usual, and what a third
 * of them does is no outlier. */
static void what_is_usual_is_no_outlier(void **state)
{
    static const double cases[][10] = {{10, 10, 10, 10, 10, 10, 10, 30, 10, 10},
                                       {10, 10, 10, 10, 10, 10, 31},
                                       {10, 40, 10, 40, 10, 40, 10, 40, 10, 10}};
    static const int n[] = {10, 7, 10};
    (void)state;
    for (int k = 0; k < 3; k++) {
        struct trace_case c;
        struct work_row r;
        with_calls(&c, &r, cases[k], n[k]);
        assert_true(isnan(work_number(&r, "outlier_calls")));
        case_close(&c);
    }
}

/* Without shapes the grids tell whether long calls do the same, unless they are those
 * that fit at once; every fourth one is other work. */
static void long_calls_do_the_same_by_their_launches(void **state)
{
    enum { N = 16 };
    static const struct {
        const char *args;
        int last_blocks, units, places[4];
        double outliers, alike; /* -1: none are told */
    } cases[] = {{"", 81, 0, {2, 5, 6, 14}, 4, 1},
                 {"", 81, 27, {2, 5, 6, 14}, 4, 0},
                 {"", 81, 40, {2, 5, 6, 14}, 4, 1},
                 {"", 90, 0, {2, 5, 6, 14}, 3, 0},
                 {"", 81, 0, {2, 6, 10, 14}, 4, 0},
                 {"", 81, 0, {0, 4, 8, 12}, 3, 0}, /* the first is told apart */
                 {"", 81, 0, {2, 6, 10, 15}, 4, 1},
                 {"", 81, 0, {1, 4, 7, 10}, 4, 1}, /* none in the last six */
                 {SHAPES, 81, 0, {2, 6, 10, 14}, 4, 0},
                 {SHAPES, 90, 0, {2, 6, 10, 14}, 3, 0}}; /* of another size */
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double us[N];
        int blocks[N];
        struct trace_case c;
        struct work_row r;
        for (int i = 0; i < N; i++) {
            us[i] = 10;
            blocks[i] = 81;
        }
        for (int i = 0; i < 4; i++)
            us[cases[k].places[i]] = 40;
        blocks[cases[k].places[3]] = cases[k].last_blocks;
        with_launches(&c, &r, cases[k].args, us, blocks, cases[k].units, N);
        assert_near(work_number(&r, "outlier_calls"), cases[k].outliers, 0);
        if (work_number(&r, "outlier_alike") != cases[k].alike)
            fail_msg("case %zu", k);
        case_close(&c);
    }
}

/* 90 % of them a fixed distance apart, from within the first turn to within the
 * last. */
static void long_calls_come_in_turns(void **state)
{
    static const struct {
        int64_t place[12];
        int32_t n, every, total;
        bool again;
    } cases[] = {{{2, 5, 8, 11}, 4, 1, 14, true},
                 {{2, 5, 8, 11}, 4, 1, 15, false},
                 {{3, 6, 9, 12}, 4, 1, 14, false},
                 {{2, 5, 9, 11}, 4, 1, 14, false},
                 {{0, 1, 10, 11, 20, 21}, 6, 2, 30, true},
                 {{0, 1, 10, 11, 20, 21}, 6, 1, 30, false},
                 {{0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 31}, 11, 1, 32, true},
                 {{0, 3, 6, 9, 12, 15, 18, 21, 25, 28, 32}, 11, 1, 33, false}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_int_equal(
            come_again(cases[k].place, cases[k].n, cases[k].every, cases[k].total),
            cases[k].again);
}

static void the_usual_call_is_nearest_to_the_median(void **state)
{
    static const double us[] = {30, 9, 11, 10.2, 50};
    struct trace_case c;
    struct work_row r;
    (void)state;
    with_calls(&c, &r, us, 5);
    assert_int_equal(usual_call(&c.tables, r.group)->direct_ns, 11000);
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_calls_come_in_turns),
        cmocka_unit_test(the_usual_call_is_nearest_to_the_median),
        cmocka_unit_test(a_call_beyond_three_medians_is_told),
        cmocka_unit_test(the_first_call_is_told_apart),
        cmocka_unit_test(what_is_usual_is_no_outlier),
        cmocka_unit_test(long_calls_do_the_same_by_their_launches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
