#include "judgement.c"

#include "base/arena_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct judgement assumed(const double *x, int n, const double *y, int m,
                                struct noise_assumed f, enum judged what)
{
    struct sample sx[8], sy[8];
    for (int i = 0; i < n; i++)
        sx[i] = (struct sample){&x[i], 1};
    for (int i = 0; i < m; i++)
        sy[i] = (struct sample){&y[i], 1};
    return judge(a, (const struct sample *const[2]){sx, sy}, (const int[2]){n, m}, &f,
                 what, 7);
}

static struct judgement judged(const double *x, int n, const double *y, int m,
                               double floor_pct, enum judged what)
{
    struct noise_assumed f = {.floor_pct = floor_pct,
                              .chance_pct = what == JUDGE_WALL ? floor_pct : 7.5};
    return assumed(x, n, y, m, f, what);
}
#define V(...) ((const double[]){__VA_ARGS__})

static void test_rank_sum(void **state)
{
    (void)state;
    double p = rank_sum_p(a, V(1, 2, 3, 4), 4, V(5, 6, 7, 8), 4);
    assert_true(p > 0.02857 && p < 0.02858); /* 2 of 70 */
    p = rank_sum_p(a, V(1, 2, 3), 3, V(4, 5, 6), 3);
    assert_true(p > 0.0999 && p < 0.1001); /* 2 of 20 */
    p = rank_sum_p(a, V(1, 1, 1), 3, V(1, 1, 1), 3);
    assert_true(p == 1);
    p = rank_sum_p(a, V(1, 4, 5, 8), 4, V(2, 3, 6, 7), 4);
    assert_true(p == 1);
}

/* The tiers by the number of captures. */
static void test_tiers(void **state)
{
    (void)state;
    struct judgement j = judged(V(100), 1, V(100.5), 1, 1, JUDGE_DEVICE);
    assert_int_equal(j.verdict, VERDICT_WITHIN_FLOOR);
    j = judged(V(100), 1, V(105), 1, 1, JUDGE_DEVICE);
    assert_int_equal(j.verdict, VERDICT_OBSERVED);
    assert_true(j.diff_pct == 5 && isnan(j.mde_pct) && isnan(j.p));
    assert_true(j.chance_pct == 7.5);
    j = judged(V(100), 1, V(88), 1, 15, JUDGE_WALL);
    assert_int_equal(j.verdict, VERDICT_NOT_JUDGED);
    j = judged(V(100), 1, V(80), 1, 15, JUDGE_WALL);
    assert_int_equal(j.verdict, VERDICT_LARGE_ONCE);
    j = judged(V(100), 1, V(84.5), 1, 15, JUDGE_WALL); /* more than 15 % */
    assert_int_equal(j.verdict, VERDICT_LARGE_ONCE);
    j = judged(V(100, 102), 2, V(110, 111), 2, 1, JUDGE_DEVICE);
    assert_int_equal(j.verdict, VERDICT_SEPARATED);
    j = judged(V(100, 110), 2, V(109, 118), 2, 1, JUDGE_DEVICE);
    assert_int_equal(j.verdict, VERDICT_OVERLAPPING);
    j = judged(V(100, 101, 102, 103), 4, V(110, 111, 112, 113), 4, 1, JUDGE_DEVICE);
    assert_int_equal(j.verdict, VERDICT_CHANGED);
    assert_true(j.low_pct > 5 && j.high_pct < 14 && j.low_pct < j.high_pct);
    j = judged(V(100, 101, 102, 103), 4, V(100.5, 101, 102, 103), 4, 1, JUDGE_DEVICE);
    assert_int_equal(j.verdict, VERDICT_NOT_DISTINGUISHABLE);
}

/* Chance puts four above four others in 1 of 70 orders: that alone is no change, nor
 * are all but one pair, unless the means are further apart than in one of a hundred
 * tries. */
static void test_a_change_is_one_in_a_hundred(void **state)
{
    (void)state;
    struct judgement j =
        judged(V(100, 101, 102, 109), 4, V(105, 108, 112, 113), 4, 1, JUDGE_DEVICE);
    assert_true(j.p > 0.05 && j.diff_pct < j.mde_pct);
    assert_int_equal(j.verdict, VERDICT_NOT_DISTINGUISHABLE);
    j = judged(V(100, 101, 102, 109), 4, V(118, 108, 119, 119), 4, 1, JUDGE_DEVICE);
    assert_true(fabs(j.p - 4.0 / 70) < 1e-12 && j.diff_pct > j.mde_pct);
    assert_int_equal(j.verdict, VERDICT_CHANGED); /* far beyond their scatter */
    j = judged(V(109, 90, 110, 111), 4, V(113, 112, 114, 133), 4, 1, JUDGE_DEVICE);
    assert_true(fabs(j.p - 2.0 / 70) < 1e-12 && j.diff_pct > 3);
    assert_int_equal(j.verdict, VERDICT_NOT_DISTINGUISHABLE); /* as far as each side */
    j = judged(V(100, 101, 102, 107), 4, V(108, 111, 112, 113), 4, 1, JUDGE_DEVICE);
    assert_true(fabs(j.p - 2.0 / 70) < 1e-12);
    assert_int_equal(j.verdict, VERDICT_CHANGED);
    j = judged(V(100, 101, 102, 103, 108), 5, V(107, 111, 112, 113, 114), 5, 1,
               JUDGE_DEVICE);
    assert_true(fabs(j.p - 4.0 / 252) < 1e-12); /* one pair, of more captures */
    assert_int_equal(j.verdict, VERDICT_CHANGED);
}

/* Half the range of the reference's captures, unless the user said otherwise. */
static void test_wall_floor(void **state)
{
    (void)state;
    struct judgement j = judged(V(90, 110), 2, V(98, 99), 2, 15, JUDGE_WALL);
    assert_true(fabs(j.floor_pct - 100 / 9.0) < 1e-9);
    assert_int_equal(j.verdict, VERDICT_WITHIN_FLOOR);
    j = assumed(V(90, 110), 2, V(121, 123), 2,
                (struct noise_assumed){.floor_pct = 2, .chance_pct = 15, .given = true},
                JUDGE_WALL);
    assert_true(j.floor_pct == 2 && j.chance_pct == 0);
    assert_int_equal(j.verdict, VERDICT_SEPARATED);
}

/* What tells why wall time differs makes one capture enough. */
static void test_shown(void **state)
{
    (void)state;
    struct noise_assumed f = {.floor_pct = 15, .shown = true};
    struct judgement j = assumed(V(100), 1, V(109), 1, f, JUDGE_WALL);
    assert_int_equal(j.verdict, VERDICT_OBSERVED);
    assert_true(j.floor_pct == 1 && j.chance_pct == 0);
    j = assumed(V(100), 1, V(100.5), 1, f, JUDGE_WALL);
    assert_int_equal(j.verdict, VERDICT_NOT_JUDGED);
}

/* Where the parts of wall time cannot hide more, one capture tells that nothing
 * differs, and what it differs by without a cause. */
static void test_bounded(void **state)
{
    (void)state;
    struct noise_assumed f = {.floor_pct = 2, .chance_pct = 10, .bounded = true};
    struct judgement j = assumed(V(100), 1, V(101), 1, f, JUDGE_WALL);
    assert_true(j.floor_pct == 2 && j.chance_pct == 10);
    assert_int_equal(j.verdict, VERDICT_WITHIN_FLOOR);
    j = assumed(V(100), 1, V(106), 1, f, JUDGE_WALL);
    assert_int_equal(j.verdict, VERDICT_OBSERVED);
}

/* The median of more captures moves less without a cause. */
static void test_chance_of_more(void **state)
{
    (void)state;
    assert_true(judged(V(100), 1, V(104), 1, 1, JUDGE_DEVICE).chance_pct == 7.5);
    /* One against three moves as one does. */
    struct judgement j = judged(V(100), 1, V(104, 105, 103), 3, 1, JUDGE_DEVICE);
    assert_true(j.chance_pct == 7.5);
    double two = judged(V(100, 101), 2, V(104, 105), 2, 1, JUDGE_DEVICE).chance_pct;
    double three =
        judged(V(100, 101, 99), 3, V(104, 105, 103), 3, 1, JUDGE_DEVICE).chance_pct;
    assert_true(7.5 > two && two > three && three > 5);
}

/* A capture is the mean of its steps, and of one capture few steps show nothing. */
static void test_few_steps(void **state)
{
    (void)state;
    const double *x = V(10, 10, 10, 10), *y = V(10, 10, 10, 18), *z = V(11, 12, 12, 13);
    struct noise_assumed f = {.floor_pct = 15, .shown = true};
    const struct sample from = {x, 4}, one = {y, 4}, all = {z, 4};
    const struct sample *const few[2] = {&from, &one}, *const most[2] = {&from, &all};
    struct judgement j = judge(a, few, (const int[2]){1, 1}, &f, JUDGE_WALL, 7);
    assert_true(j.diff_pct == 20 && j.chance_pct == 40 && j.by_few_steps);
    assert_int_equal(j.verdict, VERDICT_NOT_JUDGED);
    j = judge(a, most, (const int[2]){1, 1}, &f, JUDGE_WALL, 7);
    assert_true(j.diff_pct == 20 && j.chance_pct == 0 && !j.by_few_steps);
    assert_int_equal(j.verdict, VERDICT_LARGE_ONCE);
}

/* About normal: the sum of twelve numbers up to one. */
static double scattered(uint64_t *state, double sigma)
{
    double sum = -6;
    for (int i = 0; i < 12; i++) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        sum += (double)(*state >> 11) / 9007199254740992.0;
    }
    return 100 * (1 + sigma * sum);
}

/* Of 60,000 pairs of the same program no more than one in a hundred is told to be
 * slower by a gate of 5 %, and three standard deviations of that count, however far
 * captures scatter. */
static void test_chance_of_a_gate(void **state)
{
    enum { PAIRS = 60000, EACH = 4 };
    static const double SIGMAS[] = {0.03, 0.05, 0.10};
    const int n[2] = {EACH, EACH};
    uint64_t seed = 27;
    (void)state;
    for (int s = 0; s < 3; s++) {
        int above = 0;
        for (int k = 0; k < PAIRS; k++) {
            double x[2][EACH];
            for (int i = 0; i < EACH; i++)
                for (int side = 0; side < 2; side++)
                    x[side][i] = scattered(&seed, SIGMAS[s]);
            const double *const v[2] = {x[0], x[1]};
            struct judgement j = begin(v, n, 1);
            above += j.mean_pct > 5 && is_above_chance(&j, v);
        }
        assert_true(above <= PAIRS / 100 + 73);
        assert_true(above > PAIRS / 500); /* nor are few told that differ */
    }
}

/* Six distances of -1 to 1 %, times sqrt(6 / 4): the median of three drawn is not 0 in
 * 32 of 216 tries, so the difference of two has a variance of 2 * 32 / 216 * 1.5. Of
 * more captures as far apart the least effect is smaller. */
static void test_detectable(void **state)
{
    (void)state;
    struct judgement j =
        judged(V(99, 100, 101), 3, V(100, 100, 100), 3, 1, JUDGE_DEVICE);
    double want = 3.72 * sqrt(2 * 32 / 216.0 * 1.5);
    assert_true(fabs(j.mde_pct - want) < 0.06 * want);
    static const int sizes[] = {2, 3, 4, 6};
    double last = INFINITY;
    for (int k = 0; k < 4; k++) {
        double values[6];
        for (int i = 0; i < sizes[k]; i++)
            values[i] = i % 2 ? 101 : 99;
        j = judged(values, sizes[k], values, sizes[k], 1, JUDGE_DEVICE);
        assert_true(j.mde_pct < last);
        last = j.mde_pct;
    }
}

/* Eight distances of 1 % from both means: of a mean 1.1547 / sqrt(2) %. */
static void test_scatter(void **state)
{
    (void)state;
    const double *const v[2] = {V(99, 101, 99, 101), V(202, 198, 198, 202)};
    const int n[2] = {4, 4}, once[2] = {4, 1};
    double sigma_pct = sqrt(8.0 / 6 / 2);
    assert_true(fabs(sigma_of_mean_pct(v, n) - sigma_pct) < 1e-9);
    assert_true(fabs(scatter_pct(v, n) - 2.8 * sigma_pct) < 1e-9);
    assert_true(fabs(one_in_hundred_pct(v, n) - (2.33 + 4.9 / 6) * sigma_pct) < 1e-9);
    assert_true(isnan(scatter_pct(v, once)));
}

static void test_what_is_a_difference(void **state)
{
    (void)state;
    static const enum verdict differ[] = {VERDICT_OBSERVED, VERDICT_LARGE_ONCE,
                                          VERDICT_SEPARATED, VERDICT_CHANGED,
                                          VERDICT_OUTSIDE},
                              none[] = {VERDICT_NONE,
                                        VERDICT_NOT_JUDGED,
                                        VERDICT_WITHIN_FLOOR,
                                        VERDICT_OVERLAPPING,
                                        VERDICT_NOT_DISTINGUISHABLE,
                                        VERDICT_INSIDE};
    for (size_t k = 0; k < sizeof differ / sizeof *differ; k++)
        assert_true(verdict_is_difference(differ[k]));
    for (size_t k = 0; k < sizeof none / sizeof *none; k++)
        assert_false(verdict_is_difference(none[k]));
}

static void test_same_seed_same_interval(void **state)
{
    (void)state;
    const double *x = V(100, 103, 99, 101), *y = V(104, 107, 103, 101);
    struct judgement j = judged(x, 4, y, 4, 1, JUDGE_DEVICE);
    struct judgement k = judged(x, 4, y, 4, 1, JUDGE_DEVICE);
    assert_true(j.low_pct == k.low_pct && j.high_pct == k.high_pct);
}

static void test_floors(void **state)
{
    (void)state;
    struct noise_floors f = NOISE_FLOORS;
    struct err e = {0};
    assert_true(noise_floor_read("kernel=5%,4us", &f, &e));
    assert_true(noise_floor_read("device=0%", &f, &e));
    assert_true(f.device_pct == 0);
    assert_true(noise_floor_read("device=2.5%", &f, &e));
    assert_true(f.row_pct == 5 && f.row_us == 4 && f.device_pct == 2.5 &&
                !f.wall_given);
    assert_true(noise_floor_read("wall=8%", &f, &e));
    assert_true(f.wall_pct == 8 && f.wall_given);
    const char *const wrong[] = {"",         "kernel",     "kernel=",  "kernel=3",
                                 "wall=3us", "device=-1%", "other=1%", "device=nan%"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct err no = {0};
        assert_false(noise_floor_read(wrong[i], &f, &no));
        assert_int_equal(no.kind, ERR_USAGE);
    }
}

/* Eight earlier captures: further away than their scatter and the floor. */
static void test_history(void **state)
{
    (void)state;
    const double history[] = {100, 101, 99, 100, 102, 98, 100, 101};
    const struct {
        double value;
        int n, n_candidates;
        enum verdict want;
    } cases[] = {{110, 8, 1, VERDICT_OUTSIDE},
                 {90, 8, 1, VERDICT_OUTSIDE},
                 {105, 8, 1, VERDICT_INSIDE},
                 {110, 7, 1, VERDICT_OBSERVED},
                 {110, 8, 2, VERDICT_OBSERVED}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct judgement j = {.verdict = VERDICT_OBSERVED,
                              .value = {1, cases[i].value},
                              .floor_pct = 15, /* assumed of one capture */
                              .n = {1, cases[i].n_candidates}};
        bool judged = judge_by_history(a, &j, history, cases[i].n, 1);
        assert_int_equal(j.verdict, cases[i].want);
        assert_int_equal(judged, cases[i].want != VERDICT_OBSERVED);
        if (judged) {
            /* 4 x 1.4826 x MAD of 1 x sqrt(1 + 1/8) */
            assert_true(fabs(j.floor_pct - 6.29) < 0.01);
            assert_true(fabs(j.diff_pct - (cases[i].value - 100)) < 1e-9);
        }
    }
    /* A floor that is wider, and a value above twenty others. */
    struct judgement j = {.value = {1, 110}, .n = {1, 1}};
    assert_true(judge_by_history(a, &j, history, 8, 15));
    assert_int_equal(j.verdict, VERDICT_INSIDE);
    assert_true(j.floor_pct == 15);
    assert_true(judge_by_history(a, &j, history, 8, 9));
    assert_int_equal(j.verdict, VERDICT_OUTSIDE);
    double many[20];
    for (int i = 0; i < 20; i++)
        many[i] = 100 + i % 3;
    for (int n = 18; n <= 20; n++) {
        j = (struct judgement){.value = {1, 103}, .n = {1, 1}, .p = -1};
        assert_true(judge_by_history(a, &j, many, n, 1));
        assert_true(j.p == (n < 19 ? -1 : 1.0 / (n + 1)));
    }
    j = (struct judgement){.value = {1, 102}, .n = {1, 1}, .p = -1};
    assert_true(judge_by_history(a, &j, many, 20, 1) && j.p == -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_history),
        cmocka_unit_test(test_rank_sum),
        cmocka_unit_test(test_tiers),
        cmocka_unit_test(test_a_change_is_one_in_a_hundred),
        cmocka_unit_test(test_wall_floor),
        cmocka_unit_test(test_shown),
        cmocka_unit_test(test_few_steps),
        cmocka_unit_test(test_bounded),
        cmocka_unit_test(test_chance_of_more),
        cmocka_unit_test(test_detectable),
        cmocka_unit_test(test_chance_of_a_gate),
        cmocka_unit_test(test_floors),
        cmocka_unit_test(test_scatter),
        cmocka_unit_test(test_what_is_a_difference),
        cmocka_unit_test(test_same_seed_same_interval),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
