#include "pace.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/near_case.h"

enum { KINDS = 4, CALLS = 96 };

/* KINDS kinds of calls in turn over a second; one of kind k takes 100 * (k + 1) us at
 * the usual pace. */
struct paced {
    struct analysis a;
    struct like_call calls[KINDS][CALLS];
    struct like_kind kinds[KINDS];
    struct like_work work;
};

typedef double pace_at(int kind, double at_ms);

static struct paced *paced_by(struct paced *p, pace_at *pace)
{
    p->a = (struct analysis){.total_ms = 1000};
    for (int k = 0; k < KINDS; k++) {
        double usual = 100 * (k + 1), sum = 0;
        for (int i = 0; i < CALLS; i++) {
            double at_ms = (i + 0.2 * k) * 1000 / CALLS;
            p->calls[k][i] = (struct like_call){at_ms, usual * pace(k, at_ms)};
            sum += p->calls[k][i].us;
        }
        p->kinds[k] = (struct like_kind){p->calls[k], CALLS, usual, sum};
    }
    p->work = (struct like_work){p->kinds, KINDS, 1, 0};
    return p;
}

static double evenly(int kind, double at_ms)
{
    (void)kind;
    return 1 + 0.02 * ((int)at_ms % 3 - 1);
}

static double slow_from_600(int kind, double at_ms)
{
    (void)kind;
    return at_ms < 600 ? 1 : 1.4;
}

static double one_kind_from_600(int kind, double at_ms)
{
    return kind == 1 && at_ms >= 600 ? 2 : 1;
}

static double slow_300_to_500(int kind, double at_ms)
{
    (void)kind;
    return at_ms >= 300 && at_ms < 500 ? 1.6 : 1;
}

static double ever_slower(int kind, double at_ms)
{
    (void)kind;
    return 1 + at_ms / 2000;
}

/* Half of the work is of kinds that begin behind the moment: nobody knows their pace
 * before it. */
static double others_from_700(int kind, double at_ms)
{
    return kind >= 2 && at_ms < 700 ? 0 : slow_from_600(kind, at_ms);
}

static struct pace step_of(struct paced *p)
{
    return find_step(arena_reserve(1 << 20), &p->a, &p->work);
}

static struct pace stretch_of(struct paced *p)
{
    return find_stretch(arena_reserve(1 << 20), &p->a, &p->work);
}

static void an_even_pace_is_no_finding(void **state)
{
    struct paced p;
    (void)state;
    paced_by(&p, evenly);
    assert_true(step_of(&p).ratio == 0);
    assert_true(find_slowing(&p.a, &p.work).ratio == 0);
    assert_true(stretch_of(&p).ratio == 0);
}

static void a_clock_that_drops_stays_low(void **state)
{
    struct paced p;
    (void)state;
    struct pace found = step_of(paced_by(&p, slow_from_600));
    assert_int_equal(found.form, PACE_STAYS_SLOW);
    assert_near(found.ratio, 1.4, 0.01);
    assert_near(found.least, 1.4, 0.01);
    assert_near(found.most, 1.4, 0.01);
    assert_true(found.from_ms >= 600 && found.from_ms < 612);
    assert_int_equal(found.n_rows, KINDS);
}

static void kinds_that_begin_later_are_left_out(void **state)
{
    struct paced p;
    (void)state;
    struct pace found = step_of(paced_by(&p, others_from_700));
    assert_near(found.ratio, 1.4, 0.01);
    assert_true(found.from_ms >= 600 && found.from_ms < 612);
    assert_int_equal(found.n_all, 2);
}

/* It may have had other data from then on. */
static void one_slow_kind_is_not_the_device(void **state)
{
    struct paced p;
    (void)state;
    paced_by(&p, one_kind_from_600);
    assert_true(step_of(&p).ratio == 0);
    assert_true(stretch_of(&p).ratio == 0);
}

static void a_stretch_ends(void **state)
{
    struct paced p;
    (void)state;
    assert_true(step_of(paced_by(&p, slow_300_to_500)).ratio == 0);
    struct pace found = stretch_of(&p);
    assert_int_equal(found.form, PACE_STRETCH);
    assert_near(found.ratio, 1.6, 0.05);
    assert_true(found.from_ms >= 280 && found.to_ms <= 520);
    /* a fifth of the calls, each 0.6 of its usual time longer */
    assert_near(found.excess_ms, 0.6 * CALLS / 5 * 1.0, 0.8);
    assert_int_equal(found.n_rows, KINDS);
}

static void slowing_is_told_against_the_beginning(void **state)
{
    struct paced p;
    (void)state;
    paced_by(&p, ever_slower);
    struct pace found = find_slowing(&p.a, &p.work);
    assert_int_equal(found.form, PACE_SLOWS_DOWN);
    /* the means of the quarters: 1.0625, ..., 1.4375 */
    assert_near(found.ratio, 1.4375 / 1.0625, 0.01);
    /* a quarter of all, as the pace grows from 1 to 1.5 */
    assert_near(found.excess_ms, CALLS * 0.25, 0.5);
}

static void a_part_of_the_run_is_found_for_each_time(void **state)
{
    struct analysis a = {.total_ms = 10};
    (void)state;
    assert_int_equal(part_at(&a, -1, 4), 0);
    assert_int_equal(part_at(&a, 2.5, 4), 1);
    assert_int_equal(part_at(&a, 10, 4), 3);
    assert_int_equal(part_at(&a, 99, 4), 3);
}

/* From what is beyond the slowest pace before to all that runs then, at the fastest;
 * of a stretch most of what is beyond, and no more than it lasts. */
static void a_pace_costs_what_runs_meanwhile(void **state)
{
    (void)state;
    const struct analysis an = {.total_ms = 1000};
    struct pace p = {.form = PACE_STAYS_SLOW,
                     .least = 1.2,
                     .most = 1.6,
                     .excess_ms = 20,
                     .busy = {60, 80, 16}};
    assert_near(pace_impact(&an, &p).low_ms, 10, 1e-9);
    assert_near(pace_impact(&an, &p).high_ms, 36, 1e-9);
    p.excess_ms = 5;
    assert_near(pace_impact(&an, &p).low_ms, 5, 1e-9);
    struct arena tmp = {0};
    p = (struct pace){.form = PACE_STRETCH,
                      .ratio = 1.25,
                      .from_ms = 100,
                      .to_ms = 200,
                      .excess_ms = 30};
    bound_excess(tmp, &an, &p);
    assert_near(p.excess_ms, 20, 1e-9);
    assert_near(pace_impact(&an, &p).low_ms, 16, 1e-9);
    assert_near(pace_impact(&an, &p).high_ms, 20, 1e-9);
}

/* Seven tenths of seven tenths, or nearly all of half. */
static void most_of_the_work_is_slower(void **state)
{
    (void)state;
    static const struct {
        double work, slower;
        bool most;
    } cases[] = {{70, 49.1, true}, {70, 48.9, false}, {69.9, 66, false},
                 {50, 47.6, true}, {50, 47.4, false}, {49.9, 49.9, false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct cuts x = {.all_us = 100};
        x.work_us[3] = cases[k].work;
        x.slower_us[3] = cases[k].slower;
        assert_int_equal(is_most_work(&x, 3), cases[k].most);
    }
}

/* The slow ones of three calls bound it; the last lies behind. */
static void a_stretch_is_from_slow_to_slow(void **state)
{
    (void)state;
    struct like_call calls[] = {{10, 110}, {20, 200}, {30, 0}, {100, 900}};
    const struct like_kind g = {.calls = calls, .n = 4, .median_us = 100};
    struct stretch s = {.to_ms = 100, .first_ms = 100};
    look_inside(&s, &g);
    assert_near(s.first_ms, 20, 0);
    assert_near(s.last_ms, 20.2, 1e-9);
    assert_int_equal(s.n_rows, 1);
    assert_int_equal(s.n_all, 1);
}

/* A quarter longer, with seven tenths of its work slow. */
static void a_slow_part_has_work_of_every_kind(void **state)
{
    static const struct {
        struct bin b;
        bool slow;
    } cases[] = {{{126, 100, 70}, true},
                 {{125, 100, 70}, false},
                 {{126, 100, 69}, false},
                 {{126, 100, 100}, true}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_int_equal(is_slow(&cases[k].b), cases[k].slow);
    assert_true(is_paced(&(struct bin){130, 100, 0}, 1, 1.3));
    assert_false(is_paced(&(struct bin){131, 100, 0}, 1, 1.3));
    assert_true(is_paced(&(struct bin){100, 100, 0}, 1, 1.3));
    assert_false(is_paced(&(struct bin){99, 100, 0}, 1, 1.3));
    assert_true(is_paced(&(struct bin){50, 0, 0}, 1, 1.3)); /* nothing to compare */
    assert_near(pace_in(&(struct bin){120, 100, 0}, 7), 1.2, 1e-9);
    assert_near(pace_in(&(struct bin){120, 0, 0}, 7), 7, 0);
    assert_true(are_enough(3, 9) && are_enough(2, 2));
    assert_false(are_enough(2, 3) || are_enough(1, 1));
}

/* Bins of the calls of one kind of 100 us: what takes 15 % longer is slow; what has no
 * length is no work. */
static void calls_are_added_to_their_part(void **state)
{
    const struct analysis an = {.total_ms = 48};
    struct like_call calls[] = {
        {0.5, 100}, {0.9, 115.1}, {1.5, 114.9}, {47.9, 300}, {2, 0}};
    const struct like_kind g = {
        .calls = calls, .n = 5, .median_us = 100, .sum_us = 630};
    struct bin bins[BINS] = {{0, 0, 0}};
    (void)state;
    add_to_bins(bins, &an, &g);
    assert_near(bins[0].took, 215.1, 1e-9);
    assert_near(bins[0].usual, 200, 0);
    assert_near(bins[0].slow, 100, 0);
    assert_near(bins[1].slow, 0, 0);
    assert_near(bins[2].usual, 0, 0);
    assert_near(bins[47].slow, 100, 0);
}

/* Twice one slow part is worth more than another; what is empty between joins. */
static void the_stretch_that_costs_most_is_found(void **state)
{
    struct bin bins[BINS];
    int from = -1, to = -1;
    (void)state;
    for (int k = 0; k < BINS; k++)
        bins[k] = (struct bin){100, 100, 0};
    bins[5] = (struct bin){150, 100, 100};
    bins[20] = bins[22] = (struct bin){140, 100, 100};
    bins[21] = (struct bin){0, 0, 0};
    struct bin best = slow_stretch(bins, &from, &to);
    assert_int_equal(from, 20);
    assert_int_equal(to, 23);
    assert_near(best.took, 280, 0);
    assert_near(best.usual, 200, 0);
}

/* The last quarter is more than 6 % slower than the first for a row to be slower, and
 * 12 % for the run; two quarters 1 % slower than the one before, none 1 % faster. */
static double by_quarter[QUARTERS];
static double quarterly(int kind, double at_ms)
{
    (void)kind;
    return by_quarter[(int)(at_ms / 250)];
}

static void slowing_has_bounds(void **state)
{
    static const struct {
        double pace[QUARTERS];
        bool found;
    } cases[] = {{{1, 1.04, 1.08, 1.125}, true},
                 {{1, 1.04, 1.08, 1.115}, false},
                 {{1, 1.012, 1.03, 1.2}, true},
                 {{1, 1.008, 1.03, 1.2}, true},
                 {{1, 1.008, 1.015, 1.2}, false},
                 {{1, 1.3, 1.6, 1.6}, true}, /* as low as the clock goes */
                 {{1, 1.3, 1.6, 1.58}, false},
                 {{1, 1.1, 1.05, 1.2}, false}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct paced p;
        memcpy(by_quarter, cases[k].pace, sizeof by_quarter);
        paced_by(&p, quarterly);
        assert_int_equal(find_slowing(&p.a, &p.work).ratio > 0, cases[k].found);
    }
}

/* As slow as the first part, less half of what the second is slower. */
static void the_pace_at_the_start_is_that_of_the_first_calls(void **state)
{
    struct bin parts[PARTS] = {{110, 100, 0}, {130, 100, 0}};
    (void)state;
    assert_near(pace_at_start(parts), 1, 1e-9);
    parts[1].took = 105;
    assert_near(pace_at_start(parts), 1.1, 1e-9);
    parts[0] = (struct bin){0, 0, 0};
    assert_near(pace_at_start(parts), 1.05, 1e-9);
}

/* Calls take 1.5 times as long in the second quarter and twice as long after it: what
 * they take beyond the pace of the first. */
static void slowing_costs_what_the_first_pace_saves(void **state)
{
    struct paced p;
    (void)state;
    memcpy(by_quarter, (double[]){1, 1.5, 2, 2}, sizeof by_quarter);
    paced_by(&p, quarterly);
    struct pace found = find_slowing(&p.a, &p.work);
    double took_us = 0, usual_us = 0;
    for (int32_t k = 0; k < p.work.n; k++)
        for (int32_t i = 0; i < p.work.kinds[k].n; i++) {
            struct like_call c = p.work.kinds[k].calls[i];
            took_us += c.us;
            usual_us += c.us / quarterly(0, c.at_ms);
        }
    assert_near(found.excess_ms, (took_us - usual_us) / 1e3, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pace_costs_what_runs_meanwhile),
        cmocka_unit_test(most_of_the_work_is_slower),
        cmocka_unit_test(a_slow_part_has_work_of_every_kind),
        cmocka_unit_test(calls_are_added_to_their_part),
        cmocka_unit_test(the_stretch_that_costs_most_is_found),
        cmocka_unit_test(slowing_has_bounds),
        cmocka_unit_test(the_pace_at_the_start_is_that_of_the_first_calls),
        cmocka_unit_test(slowing_costs_what_the_first_pace_saves),
        cmocka_unit_test(a_stretch_is_from_slow_to_slow),
        cmocka_unit_test(an_even_pace_is_no_finding),
        cmocka_unit_test(a_clock_that_drops_stays_low),
        cmocka_unit_test(kinds_that_begin_later_are_left_out),
        cmocka_unit_test(one_slow_kind_is_not_the_device),
        cmocka_unit_test(a_stretch_ends),
        cmocka_unit_test(slowing_is_told_against_the_beginning),
        cmocka_unit_test(a_part_of_the_run_is_found_for_each_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
