#include "compare/bootstrap.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"

#define SAMPLE(...)                                                                    \
    {                                                                                  \
        (const double[]){__VA_ARGS__},                                                 \
            sizeof((double[]){__VA_ARGS__}) / sizeof(double)                           \
    }

/* The first numbers of xoshiro256** from the state {1, 2, 3, 4}. */
static void numbers_are_those_of_the_generator(void **state)
{
    struct generator g = {{1, 2, 3, 4}};
    (void)state;
    assert_true(next(&g) == 11520);
    assert_true(next(&g) == 0);
    assert_true(next(&g) == 1509978240);
    assert_true(next(&g) == 1215971899390074240);
}

/* Steps that do not vary leave no doubt. */
static void without_scatter_an_interval_is_a_point(void **state)
{
    const struct sample a_side[] = {SAMPLE(10, 10), SAMPLE(10, 10)},
                        b_side[] = {SAMPLE(12, 12, 12)};
    const struct sample *const sides[] = {a_side, b_side};
    double low, high;
    (void)state;
    bootstrap_interval(a, sides, (const int[]){2, 1}, 7, &low, &high);
    assert_true(low == 20 && high == 20);
}

/* Of values of 10 to 14 against 20, no draw is beyond 20 / 14 and 20 / 10; equal seeds
 * give equal intervals. */
static void an_interval_lies_within_what_was_seen(void **state)
{
    const struct sample a_side[] = {SAMPLE(10), SAMPLE(11), SAMPLE(12), SAMPLE(13),
                                    SAMPLE(14)},
                        b_side[] = {SAMPLE(20)};
    const struct sample *const sides[] = {a_side, b_side};
    const int n[] = {5, 1};
    double low, high, again_low, again_high;
    (void)state;
    bootstrap_interval(a, sides, n, 7, &low, &high);
    bootstrap_interval(a, sides, n, 7, &again_low, &again_high);
    assert_true(low == again_low && high == again_high);
    assert_true(low >= 100 * (20 / 14.0 - 1) - 1e-9 && high <= 100);
    assert_true(low < 100 * (20 / 12.0 - 1) && high > 100 * (20 / 12.0 - 1));
}

static void few_captures_detect_little(void **state)
{
    static const double a_side[] = {99, 101}, b_side[] = {49.5, 50.5}, one[] = {1};
    const double *const sides[] = {a_side, b_side}, *const few[] = {a_side, one};
    const double *const wide[] = {(const double[]){98, 102}, b_side};
    const int n[] = {2, 2};
    double pool[4];
    (void)state;
    assert_true(isnan(bootstrap_least_pct(a, few, (const int[]){2, 1}, 7)));
    /* 1 % from the mean each, widened by the root of 4 / 2. */
    assert_int_equal(pool_pct(sides, n, pool), 4);
    for (int i = 0; i < 4; i++)
        assert_true(fabs(fabs(pool[i]) - sqrt(2)) < 1e-9);
    double least = bootstrap_least_pct(a, sides, n, 7);
    /* The lower of two draws of +-1.41: +1.41 once in four. The difference of two of
     * these is 2.83 in 6 of 16: a root mean square of 1.73. */
    assert_true(fabs(least - 5.36 * sqrt(3)) < 0.4);
    assert_true(bootstrap_least_pct(a, wide, n, 7) > least);
}

static void factors_fall_with_freedom(void **state)
{
    (void)state;
    assert_true(detected_factor(1) == 14.08);
    assert_true(detected_factor(7) == 3.26);
    assert_true(fabs(detected_factor(10) - 3.11) < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_those_of_the_generator),
        cmocka_unit_test(without_scatter_an_interval_is_a_point),
        cmocka_unit_test(an_interval_lies_within_what_was_seen),
        cmocka_unit_test(few_captures_detect_little),
        cmocka_unit_test(factors_fall_with_freedom),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
