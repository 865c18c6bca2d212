/* Pace: findings about a device that is slower than it was. */
#include "analysis/findings_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Five kinds of calls, one after the other, 24 times; `pace` of a round and a kind. */
static struct analysis rounds_of(struct trace_case *c,
                                 double (*pace)(int round, int kind), int kinds)
{
    enum { ROUNDS = 24 };
    double at_us = 1000;
    case_begin(c);
    for (int k = 0; k < ROUNDS * kinds; k++) {
        char dims[60];
        double us = 100 * (1 + k % kinds) * pace(k / kinds, k % kinds);
        snprintf(dims, sizeof dims, "[8192,%d],[%d,1024]", 3072 * (1 + k % kinds),
                 3072 * (1 + k % kinds));
        op(c, "aten::mm", dims, 10 * k, "Cijk_a", at_us, us, k + 1);
        at_us += us;
    }
    return analyse_with(c, library);
}

static struct analysis rounds(struct trace_case *c, double (*pace)(int round, int kind))
{
    return rounds_of(c, pace, 5);
}

static double slow_in_the_middle(int round, int kind)
{
    (void)kind;
    return round >= 10 && round < 15 ? 3 : 1;
}

static double slower_and_slower(int round, int kind)
{
    (void)kind;
    return 1 + 0.02 * round;
}

static double slow_in_the_second_half(int round, int kind)
{
    (void)kind;
    return round < 12 ? 1 : 1.4;
}

static double a_little_slow_in_the_second_half(int round, int kind)
{
    (void)kind;
    return round < 12 ? 1 : 1.12;
}

static double two_of_five_are_slow(int round, int kind)
{
    return round >= 12 && kind < 2 ? 1.4 : 1;
}

static double four_of_five_are_slow(int round, int kind)
{
    return round >= 12 && kind < 4 ? 1.4 : 1;
}

static double slow_at_first(int round, int kind)
{
    (void)kind;
    return round < 4 ? 1.4 : 1;
}

static double uneven_steps(int round, int kind)
{
    (void)kind;
    return round % 3 == 1 ? 1.4 : 1;
}

static double one_is_slow(int round, int kind)
{
    return kind == 4 && round >= 10 && round < 15 ? 3 : 1;
}

static const struct finding *pace_of(const struct analysis *a)
{
    for (int i = 0; i < a->n_findings; i++)
        if (str_eq(a->findings[i].op, S("device")))
            return &a->findings[i];
    return NULL;
}

/* 12 rounds of 1.5 ms, and 12 of 2.1. */
static void slower_clocks_are_told_from_when_on(void **state)
{
    (void)state;
    struct trace_case c;
    struct analysis a = rounds(&c, slow_in_the_second_half);
    const struct finding *f = pace_of(&a);
    assert_non_null(f);
    assert_text(f->pattern, "slower_clocks");
    assert_text(f->title,
                "Check the GPU clock: kernels take 1.4x as long from 18.00 ms on");
    assert_near(f->impact.low_ms, 12 * 0.6, 0.01);
    assert_near(f->impact.high_ms, 12 * 0.6, 0.01);
    assert_true(str_has(f->algorithmic, S("Efficiencies measured after 18.00 ms")));
    assert_true(str_has(f->algorithmic, S(": all 5 kinds of calls are slower")));
    case_close(&c);
    a = rounds(&c, four_of_five_are_slow); /* what waits for memory is not */
    f = pace_of(&a);
    assert_true(f && str_eq(f->pattern, S("slower_clocks")));
    assert_true(str_has(f->algorithmic, S(": 4 of 5 kinds of calls are slower")));
    case_close(&c);
    double (*const others[])(int, int) = {a_little_slow_in_the_second_half,
                                          two_of_five_are_slow, slow_at_first,
                                          uneven_steps};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        a = rounds(&c, others[k]);
        f = pace_of(&a);
        assert_true(!f || !str_eq(f->pattern, S("slower_clocks")));
        case_close(&c);
    }
    for (int kinds = 1; kinds <= 2; kinds++) { /* two, if they are all that there are */
        a = rounds_of(&c, slow_in_the_second_half, kinds);
        f = pace_of(&a);
        assert_int_equal(f && str_eq(f->pattern, S("slower_clocks")), kinds == 2);
        case_close(&c);
    }
}

/* At 35 % of the peak, from half on at 23 %, or from a quarter on less and less: no
 * more can be won than at 35 %, and nothing twice. */
static void what_the_clock_costs_is_no_fault_of_kernels(void **state)
{
    (void)state;
    double high_ms[3];
    for (int slow = 0; slow < 3; slow++) {
        static const double by_quarter[3][4] = {
            {1, 1, 1, 1}, {1, 1, 1.5, 1.5}, {1, 1.3, 1.5, 1.5}};
        struct trace_case c;
        case_begin(&c);
        double at_us = 1000;
        for (int k = 0; k < 24 * 3; k++) {
            char dims[60];
            double us = 200 * (1 + k % 3) * by_quarter[slow][k / 18];
            snprintf(dims, sizeof dims, "[8192,%d],[%d,1024]", 3072 * (1 + k % 3),
                     3072 * (1 + k % 3));
            op(&c, "aten::mm", dims, 10 * k, "Cijk_a", at_us, us, k + 1);
            at_us += us;
        }
        struct analysis a = analyse_with(&c, library);
        const struct finding *f = compute_finding(&a, "aten::mm");
        assert_non_null(f);
        assert_int_equal(pace_of(&a) != NULL, slow > 0);
        assert_int_equal(str_has(f->impact.basis, S("without what the lower clock")),
                         slow > 0);
        high_ms[slow] = f->impact_kernel.high_ms;
        case_close(&c);
    }
    assert_near(high_ms[1], high_ms[0], 1); /* of 7.2 that the clock costs */
    assert_near(high_ms[2], high_ms[0], 1);
}

/* Kernels of nothing but a name and a grid, as a trace without operators has them; on
 * `streams` at once, with so many grids in turn. */
static struct analysis launches(struct trace_case *c, double (*pace)(int, int),
                                int streams, int grids)
{
    double at_us = 1000;
    case_begin(c);
    for (int k = 0; k < 24 * 5; k++) {
        char name[20], more[120];
        double us = 100 * (1 + k % 5) * pace(k / 5, k % 5);
        snprintf(name, sizeof name, "kernel_%d", k % 5);
        for (int s = 0; s < streams; s++) {
            int correlation = 2 * k + s + 1, grid = grids > 1 ? k / 5 % grids + 1 : 64;
            snprintf(more, sizeof more,
                     "\"correlation\":%d,\"stream\":%d,\"grid\":[%d,1,1]", correlation,
                     s + 7, grid);
            case_call(c, "cudaLaunchKernel", 20 * k + 10 * s, 1, correlation);
            case_event(c, "kernel", name, s + 7, at_us, us, more);
        }
        at_us += us;
    }
    return analyse_with(c, library);
}

/* The same launches of the same kernels tell it without shapes; launches that are all
 * different do not. */
static void slower_clocks_without_shapes(void **state)
{
    (void)state;
    struct trace_case c;
    struct analysis a = launches(&c, slow_in_the_second_half, 1, 1);
    const struct finding *f = pace_of(&a);
    assert_non_null(f);
    assert_text(f->pattern, "slower_clocks");
    assert_true(str_has(f->issue, S("with the same grids")));
    assert_near(f->impact.high_ms, 12 * 0.6, 0.01);
    case_close(&c);
    a = launches(&c, slow_in_the_second_half, 1, 24);
    assert_null(pace_of(&a));
    case_close(&c);
    a = launches(&c, two_of_five_are_slow, 1, 1);
    assert_null(pace_of(&a));
    case_close(&c);
}

/* What runs at once is slow at once: 7.2 ms of the clock on the wall, not 14.4. */
static void slower_clocks_cost_wall_time(void **state)
{
    (void)state;
    struct trace_case c;
    struct analysis a = launches(&c, slow_in_the_second_half, 2, 1);
    const struct finding *f = pace_of(&a);
    assert_non_null(f);
    assert_near(f->time_ms, 12 * 0.6, 0.01);
    assert_near(f->impact.high_ms, 12 * 0.6, 0.01);
    case_close(&c);
}

/* 24 rounds of 1500 us, five of them three times as long: 15 ms more. */
static void a_slow_device_is_told_apart(void **state)
{
    (void)state;
    struct trace_case c;
    struct analysis a = rounds(&c, slow_in_the_middle);
    const struct finding *f = pace_of(&a);
    assert_ptr_equal(f, &a.findings[0]);
    assert_text(f->pattern, "slow_stretch");
    assert_text(f->title,
                "Find out what slowed the kernels by 3x from 15.00 to 37.50 ms");
    assert_near(f->impact.high_ms, 15, 0.01);
    assert_near(f->impact.low_ms, 12, 0.01);
    assert_true(isnan(f->part_high)); /* nothing of it to take away from an event */
    for (int i = 1; i < a.n_findings; i++)
        assert_false(str_eq(a.findings[i].pattern, S("outlier_calls")));
    case_close(&c);

    a = rounds(&c, slower_and_slower); /* to 1.46: 8.28 ms more than at 1 */
    f = pace_of(&a);
    assert_non_null(f);
    assert_text(f->pattern, "slowing_device");
    assert_true(f->impact.low_ms <= 8.28 && 8.28 <= f->impact.high_ms);
    case_close(&c);

    a = rounds(&c, one_is_slow);
    assert_null(pace_of(&a));
    case_close(&c);
}

/* Most calls wait for one or two slices of 2 ms: the same grids take 0.1 to 4.5 ms. */
static double sliced(int round, int kind)
{
    int slices = round * 5 + kind < 10 ? 0 : (round + kind) % 3;
    return 1 + 2000.0 * slices / (100 * (1 + kind));
}

/* Matmuls of one size, 2 ms, in two rounds of three of twice that or more. */
static double twice(int round, int kind)
{
    return (round % 3 ? 4000.0 : 2000.0) / (100 * (1 + kind));
}

static double more_than_twice(int round, int kind)
{
    return (round % 3 ? 4400.0 : 2000.0) / (100 * (1 + kind));
}

static void most_calls_wait_for_another_process(void **state)
{
    (void)state;
    struct trace_case c;
    struct analysis a = launches(&c, sliced, 1, 1);
    const struct finding *f = of_pattern(&a, "time_slices");
    assert_non_null(f);
    assert_text(f->title, "Keep other processes off the GPU: kernels stop for 2.00 ms");
    double ms = 0;
    for (int k = 10; k < 24 * 5; k++)
        ms += 2 * ((k / 5 + k % 5) % 3);
    assert_near(f->impact.high_ms, ms, 0.1);
    assert_near(f->impact.low_ms, 0.9 * ms, 0.1);
    case_close(&c);
    double (*const sizes[])(int, int) = {twice, more_than_twice};
    for (int k = 0; k < 2; k++) {
        a = launches(&c, sizes[k], 1, 1);
        assert_null(of_pattern(&a, "time_slices"));
        case_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slower_clocks_are_told_from_when_on),
        cmocka_unit_test(what_the_clock_costs_is_no_fault_of_kernels),
        cmocka_unit_test(slower_clocks_without_shapes),
        cmocka_unit_test(slower_clocks_cost_wall_time),
        cmocka_unit_test(a_slow_device_is_told_apart),
        cmocka_unit_test(most_calls_wait_for_another_process),
    };
    return cmocka_run_group_tests(tests, open_library, close_library);
}
