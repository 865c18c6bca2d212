#include "compare/assumed_noise.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena_case.h"

enum { ROWS = 8, BARS = 4 };

static struct capture_row of[ROWS];
static struct match matches[ROWS];
static struct compared_row rows[ROWS];
static struct compared_bar bars[BARS];
static struct comparison c;
static struct noise_floors floors;

static int begin(void **state)
{
    (void)state;
    memset(of, 0, sizeof of);
    memset(matches, 0, sizeof matches);
    memset(rows, 0, sizeof rows);
    c = (struct comparison){.rows = rows, .bars = bars};
    floors = NOISE_FLOORS; /* 1 % of device work, 15 % of wall time */
    return 0;
}

/* One call of each side. */
static struct match *work(int64_t ns_0, int64_t ns_1)
{
    int k = c.n_rows++;
    matches[k] = (struct match){.level = MATCH_CALL, .n = {1, 1}, .ns = {ns_0, ns_1}};
    matches[k].kernel[0] = matches[k].kernel[1] = S("k");
    rows[k] = (struct compared_row){.match = &matches[k], .of = {&of[k], &of[k]}};
    c.device_ns[0] += ns_0;
    c.device_ns[1] += ns_1;
    return &matches[k];
}

static void bar(enum bar_kind kind, int64_t ns_0, int64_t ns_1)
{
    bars[c.n_bars++] = (struct compared_bar){.kind = kind, .ns = {ns_0, ns_1}};
    c.window_ns[0] += ns_0;
    c.window_ns[1] += ns_1;
}

/* Weights 10, 20, 70: a tenth is within the first, three tenths within the second. */
static void a_quantile_is_of_the_weight(void **state)
{
    static const double v[][2] = {{1, 10}, {2, 20}, {3, 70}};
    (void)state;
    assert_true(weighted_quantile(v, 3, 100, 0.1) == 1);
    assert_true(weighted_quantile(v, 3, 100, 0.11) == 2);
    assert_true(weighted_quantile(v, 3, 100, 0.3) == 2);
    assert_true(weighted_quantile(v, 3, 100, 0.31) == 3);
    assert_true(weighted_quantile(v, 3, 101, 1) == 3);
    assert_true(isnan(weighted_quantile(v, 0, 0, 0.5)));
}

/* Five kernels that all take 10 % longer; one that does not is the fifth. */
static void all_kernels_drift_together(void **state)
{
    (void)state;
    for (int k = 0; k < 5; k++)
        work(1000, 1100);
    struct drift d = drift_find(a, &c);
    assert_true(d.found && fabs(d.factor - 1.1) < 1e-12 && d.n_rows == 5);
    assert_true(d.same_sign_frac == 1);
    matches[4].ns[1] =
        990; /* four of five the same way, with four fifths of the time */
    assert_true(drift_find(a, &c).found);
    assert_true(drift_find(a, &c).same_sign_frac == 0.8);
    matches[4].ns[0] = 1001; /* a little more of it */
    assert_false(drift_find(a, &c).found);
    matches[4] = matches[3];
    c.n_rows = 4; /* too few */
    assert_false(drift_find(a, &c).found);
    begin(state);
    for (int k = 0; k < 5; k++)
        work(1000, 1009); /* less than 1 % is none */
    assert_false(drift_find(a, &c).found);
}

static void only_alike_work_tells_a_drift(void **state)
{
    (void)state;
    for (int k = 0; k < 6; k++)
        work(1000, 1100);
    of[0].part = DEVICE_COMM; /* which waits for others */
    assert_int_equal(drift_find(a, &c).n_rows, 5);
    matches[1].kernel[1] = S("other");
    assert_false(drift_find(a, &c).found);
    matches[1].kernel[1] = S("k");
    matches[1].level = MATCH_DIMS;
    assert_false(drift_find(a, &c).found);
    matches[1].level = MATCH_TYPES;
    matches[1].n[1] = 2; /* per call, it takes 0.55 of the time */
    assert_true(drift_find(a, &c).n_rows == 5 && drift_find(a, &c).found);
}

/* One kernel of ten takes twice as long: no noise does that. All 10 % longer may be. */
static void what_single_work_has_is_shown(void **state)
{
    (void)state;
    for (int k = 0; k < 5; k++)
        work(1000, k ? 1000 : 2000);
    struct noise_assumed n = assumed_of_device(a, &c, &floors);
    assert_true(n.shown && n.chance_pct == 0 && n.floor_pct == 1);
    begin(&(void *){NULL});
    for (int k = 0; k < 5; k++)
        work(1000, 1100);
    n = assumed_of_device(a, &c, &floors);
    assert_true(!n.shown && n.chance_pct == 7.5);
    floors.device_given = true;
    assert_true(assumed_of_device(a, &c, &floors).given);
    /* Half of a difference of 20 ns that others do not share, and 1 % of all. */
    assert_true(assumed_of((double[]){1000, 1022}, 1.011, 5, &floors).shown);
    assert_false(assumed_of((double[]){1000, 1022}, 1.0111, 5, &floors).shown);
    assert_false(assumed_of((double[]){1000, 1010}, 1, 5, &floors).shown);
    assert_true(assumed_of((double[]){1000, 1010}, 1, 5, &floors).chance_pct == 5);
}

static void a_class_has_its_own_factor(void **state)
{
    struct compared_bar b = {.category = WORK_GEMM, .kernel_ns = {2000, 2400}};
    (void)state;
    work(1000, 1200)->category = WORK_GEMM;
    work(1000, 1200)->category = WORK_GEMM;
    work(9000, 9000)->category = WORK_OTHER;
    assert_true(factor_of_most(a, &c, WORK_CATEGORIES) == 1);
    assert_true(factor_of_most(a, &c, WORK_GEMM) == 1.2);
    struct noise_assumed n = assumed_of_class(a, &c, &b, &floors);
    assert_true(!n.shown && n.chance_pct == PART_CHANCE_PCT);
    b.kernel_ns[1] = 3000; /* of which 600 are beyond that factor */
    n = assumed_of_class(a, &c, &b, &floors);
    assert_true(n.shown && n.chance_pct == 0);
    matches[2].level = MATCH_CATEGORY; /* implemented differently: no pace */
    assert_true(factor_of_most(a, &c, WORK_CATEGORIES) == 1.2);
}

/* Half of the time, by what it was: 3000 of 6000 ns. */
static void the_factor_is_of_half_of_the_time(void **state)
{
    (void)state;
    work(3000, 3900);
    work(1000, 1000);
    work(2000, 2200);
    assert_true(factor_of_most(a, &c, WORK_CATEGORIES) == 1.1);
    matches[0].ns[0] = 3001;
    matches[0].ns[1] = 6002;
    assert_true(factor_of_most(a, &c, WORK_CATEGORIES) == 2);
    assert_true(is_most(5, 10) && is_most(-5, -10));
    assert_false(is_most(4.9, 10) || is_most(-5, 10) || is_most(0, 0));
}

/* Waiting that doubles is new; half as much more may be without a cause. */
static void new_waiting_shows_in_wall_time(void **state)
{
    (void)state;
    bar(BAR_CLASS, 800, 800);
    bar(BAR_IDLE, 100, 201);
    struct noise_assumed n = assumed_of_wall(&c, &floors);
    assert_true(n.shown && n.chance_pct == 0);
    bars[1].ns[1] = 200; /* 100 more of 200 is half */
    c.window_ns[1] = 1000;
    n = assumed_of_wall(&c, &floors);
    assert_false(n.shown);
    begin(state);
    bar(BAR_CLASS, 800, 900);
    bar(BAR_IDLE, 100, 100);
    assert_false(assumed_of_wall(&c, &floors).shown);
    c.device = (struct judgement){
        .verdict = VERDICT_OBSERVED, .diff_pct = 12.5, .chance_pct = 12};
    assert_true(assumed_of_wall(&c, &floors).shown);
    c.device.chance_pct = 12.5;
    assert_false(assumed_of_wall(&c, &floors).shown);
}

/* Of 1000 ns, 20 are idle and 30 are communication on the side that has more: they hide
 * 2.5 %, and device work 1 % more. */
static void parts_bound_what_may_hide(void **state)
{
    double part[3][2] = {{960, 960}, {20, 10}, {5, 30}},
           other[3][2] = {{960, 960}, {10, 20}, {30, 5}};
    (void)state;
    assert_true(fabs(hidden_pct((const double(*)[2])other, 1000, 1) - 3.5) < 1e-12);
    assert_true(fabs(hidden_pct((const double(*)[2])part, 1000, 1) - 3.5) < 1e-12);
    assert_true(isinf(hidden_pct((const double(*)[2])part, 0, 1)));
    bar(BAR_CLASS, 960, 990);
    bar(BAR_IDLE, 20, 10);
    bar(BAR_COMM, 15, 15);
    bar(BAR_COPY, 5, 5);
    struct noise_assumed n = assumed_of_wall(&c, &floors);
    assert_true(n.bounded && fabs(n.floor_pct - 3) < 1e-12);
    assert_true(fabs(n.chance_pct - (7.5 + 1.2 * 3)) < 1e-12);
    floors.wall_given = true;
    n = assumed_of_wall(&c, &floors);
    assert_true(!n.bounded && n.given && n.floor_pct == 15);
    assert_true(n.chance_pct == 18); /* 1.2 times the floor is less than 7.5 and that */
}

#define CASE(test) cmocka_unit_test_setup(test, begin)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_quantile_is_of_the_weight),       CASE(all_kernels_drift_together),
        CASE(only_alike_work_tells_a_drift),     CASE(what_single_work_has_is_shown),
        CASE(the_factor_is_of_half_of_the_time), CASE(a_class_has_its_own_factor),
        CASE(new_waiting_shows_in_wall_time),    CASE(parts_bound_what_may_hide),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
