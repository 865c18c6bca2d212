#include "run_trend.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"

static struct trend_point *points_of(const double *values, int n, enum trend_kind kind)
{
    static double whole[64];
    for (int i = 0; i < n; i++)
        whole[i] = 100;
    return trend_of(&a, values, whole, n, kind);
}

/* Of one run before it, 15 % of the clock is noise: 80 +- 12. */
static void test_floor_of_few(void **state)
{
    (void)state;
    const double values[] = {80, 91, 100};
    struct trend_point *p = points_of(values, 3, TREND_WALL);
    assert_true(isnan(p[0].low) && !p[0].changed);
    assert_true(fabs(p[1].low - 68) < 1e-9 && fabs(p[1].high - 92) < 1e-9);
    assert_false(p[1].changed);
    /* Median 85.5, band to 98.3. */
    assert_true(p[2].changed && fabs(p[2].diff_pct - 100 * 14.5 / 85.5) < 1e-9);
    assert_true(points_of(values, 3, TREND_ROW)[1].changed); /* 3 % of a row */
}

/* Eight before it: median 10.5, MAD 0.5; 4 * 1.4826 * 0.5 * sqrt(1 + 1/8) = 3.145, more
 * than the floor of 1 %. */
static void test_scatter_of_many(void **state)
{
    (void)state;
    double values[] = {10, 11, 10, 11, 10, 11, 10, 11, 13.6};
    struct trend_point *p = points_of(values, 9, TREND_WALL);
    assert_true(fabs(p[8].high - (10.5 + 4 * 1.4826 * 0.5 * sqrt(1.125))) < 1e-9);
    assert_false(p[8].changed);
    values[8] = 13.7;
    assert_true(points_of(values, 9, TREND_WALL)[8].changed);
}

/* Half the range of what the clock was seen to do: 10 to 11.4 is 0.7 about the median,
 * where most agree. Time in kernels has no such room. */
static void test_range_of_many(void **state)
{
    (void)state;
    double values[] = {10, 11.4, 10, 10, 10, 10, 10, 10, 10.75};
    struct trend_point *p = points_of(values, 9, TREND_WALL);
    assert_true(fabs(p[8].low - 9.3) < 1e-9 && fabs(p[8].high - 10.7) < 1e-9);
    assert_true(p[8].changed);
    values[8] = 10.65;
    assert_false(points_of(values, 9, TREND_WALL)[8].changed);
    assert_true(points_of(values, 9, TREND_DEVICE)[8].changed);
}

/* One odd run is one change; a second like it makes it the new normal. */
static void test_what_stays(void **state)
{
    (void)state;
    const double odd[] = {10, 10, 20, 10, 10};
    struct trend_point *p = points_of(odd, 5, TREND_WALL);
    assert_true(!p[1].changed && p[2].changed && !p[3].changed && !p[4].changed);
    const double step[] = {10, 10, 20, 20, 20, 10};
    p = points_of(step, 6, TREND_WALL);
    assert_true(p[2].changed && !p[3].changed && !p[4].changed && p[5].changed);
    /* The second is held against the first, which it confirms. */
    assert_true(fabs(p[3].low - 17) < 1e-9 && fabs(p[3].high - 23) < 1e-9);
    assert_true(fabs(p[4].high - 23) < 1e-9);
}

/* Beyond its floor, but less than half a per cent of the run; and unknown values. */
static void test_too_little_and_unknown(void **state)
{
    (void)state;
    const double little[] = {0.1, 0.1, 0.4}, none[] = {10, (double)NAN, 20};
    assert_false(points_of(little, 3, TREND_WALL)[2].changed);
    struct trend_point *p = points_of(none, 3, TREND_WALL);
    assert_true(isnan(p[1].value) && !p[1].changed && p[2].changed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_floor_of_few), cmocka_unit_test(test_scatter_of_many),
        cmocka_unit_test(test_range_of_many), cmocka_unit_test(test_what_stays),
        cmocka_unit_test(test_too_little_and_unknown)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
