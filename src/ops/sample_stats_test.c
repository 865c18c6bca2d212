#include "ops/sample_stats.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void near(double got, double want)
{
    assert_true(fabs(got - want) < 1e-12);
}

/* 4 1 NaN 3 2: sum 10, mean 2.5, median (2 + 3) / 2, squares of the deviations
 * 2.25 + 2.25 + 0.25 + 0.25 = 5, so std sqrt(5 / 3) and sqrt(5 / 4) for the population.
 */
static void test_even_count(void **state)
{
    (void)state;
    double v[] = {4, 1, (double)NAN, 3, 2};
    struct sample_stats s = stats_of(v, 5);
    assert_int_equal(s.n, 4);
    near(s.sum, 10);
    near(s.mean, 2.5);
    near(s.median, 2.5);
    near(s.std, sqrt(5.0 / 3.0));
    near(stats_population_std(&s), sqrt(5.0 / 4.0));
    near(s.min, 1);
    near(s.max, 4);
}

/* The same figures without those that take time. */
static void test_sums_alone(void **state)
{
    (void)state;
    double v[] = {4, 1, (double)NAN, 3, 2}, none = (double)NAN;
    struct sample_stats s = stats_sum(v, 5);
    assert_int_equal(s.n, 4);
    near(s.sum, 10);
    near(s.mean, 2.5);
    near(s.min, 1);
    near(s.max, 4);
    assert_true(isnan(s.median) && isnan(s.std));
    s = stats_sum(&none, 1);
    assert_int_equal(s.n, 0);
    assert_true(s.sum == 0 && isnan(s.mean) && isnan(s.max));
}

/* The median of any order, of many equal values, and of orders that are made to be slow
 * to select from. */
static void test_median_of_any_order(void **state)
{
    (void)state;
    enum { MOST = 3000 };
    static double v[MOST], sorted[MOST];
    uint64_t x = 88172645463325252u;
    for (int n = 1; n < MOST; n = n < 40 ? n + 1 : n * 2 + 1)
        for (int kind = 0; kind < 5; kind++) {
            for (int i = 0; i < n; i++) {
                x ^= x << 13, x ^= x >> 7, x ^= x << 17;
                v[i] = kind == 0   ? (double)(x % 1000)
                       : kind == 1 ? (double)(x % 2)
                       : kind == 2 ? i
                       : kind == 3 ? n - i
                                   : fabs(i - n / 2.0);
            }
            memcpy(sorted, v, sizeof v);
            qsort(sorted, (size_t)n, sizeof *sorted, by_value);
            struct sample_stats s = stats_of(v, n);
            near(s.median, (sorted[(n - 1) / 2] + sorted[n / 2]) / 2);
            near(s.min, sorted[0]);
            near(s.max, sorted[n - 1]);
        }
}

static void test_one_and_none(void **state)
{
    (void)state;
    double v[] = {7};
    struct sample_stats one = stats_of(v, 1), none = stats_of(v, 0);
    near(one.median, 7);
    assert_true(isnan(one.std));
    near(stats_population_std(&one), 0);
    assert_true(isnan(none.mean) && none.sum == 0.0 && none.n == 0);
}

/* 0.1 added 300 times: one after another gives 30.00000000000022; by halves (152 + 148,
 * then 76 + 76 and 72 + 76, in eights) the error stays in the last place. */
static void test_sum_by_halves(void **state)
{
    (void)state;
    double v[300], plain = 0.0;
    for (int i = 0; i < 300; i++)
        plain += v[i] = 0.1;
    assert_true(fabs(plain - 30.0) > 1e-13);
    assert_true(fabs(stats_sum_by_halves(v, 300) - 30.0) < 1e-14);
    near(stats_sum_by_halves(v, 7), 0.7);
    near(stats_sum_by_halves(v, 0), 0.0);
    near(stats_of(v, 300).sum, 30.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_even_count), cmocka_unit_test(test_sums_alone),
        cmocka_unit_test(test_median_of_any_order), cmocka_unit_test(test_one_and_none),
        cmocka_unit_test(test_sum_by_halves)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
