#include "real_digits.c"

#include <math.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static uint64_t noise(void)
{
    static uint64_t x = 88172645463325252u;
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    return x;
}

static void same_as_by_trial(double v)
{
    char got[REAL_DIGITS_MAX], want[REAL_DIGITS_MAX];
    int got_exponent, want_exponent;
    int n = real_digits(v, got, &got_exponent);
    int m = digits_by_trial(v, want, &want_exponent);
    if (n != m || memcmp(got, want, (size_t)n) != 0 || got_exponent != want_exponent)
        fail_msg("%a: %.*s e%d, want %.*s e%d", v, n, got, got_exponent, m, want,
                 want_exponent);
}

/* The arithmetic agrees with the C library on numbers of every size, on powers of two
 * and on what is next to them, where the gaps differ. */
static void test_any_number(void **state)
{
    (void)state;
    for (int i = 0; i < 20000; i++) {
        double v = ldexp((double)(noise() >> 11), (int)(noise() % 140) - 130);
        double power = ldexp(1.0, (int)(noise() % 120) - 70);
        if (v > 0)
            same_as_by_trial(v);
        same_as_by_trial(power);
        same_as_by_trial(nextafter(power, 0));
        same_as_by_trial(nextafter(power, (double)INFINITY));
    }
}

/* Quotients, as ratios and means are, and decimals with their neighbours. */
static void test_numbers_of_reports(void **state)
{
    (void)state;
    for (int i = 0; i < 20000; i++) {
        double n = (double)(1 + noise() % 1000000), d = (double)(1 + noise() % 100000);
        same_as_by_trial(n / d);
        same_as_by_trial(n / 1000);
        same_as_by_trial(nextafter(n / 100, 0));
        same_as_by_trial(n * 1e9 / 7);
    }
}

static void digits_are(double v, const char *want, int want_exponent)
{
    char digits[REAL_DIGITS_MAX + 1] = {0};
    int exponent, n = real_digits(v, digits, &exponent);
    assert_int_equal(n, strlen(want));
    assert_memory_equal(digits, want, (size_t)n);
    assert_int_equal(exponent, want_exponent);
}

static void test_digits_and_exponent(void **state)
{
    (void)state;
    digits_are(1.0, "1", 0);
    digits_are(1200.0, "12", 3);
    digits_are(0.001, "1", -3);
    digits_are(0.1 + 0.2, "30000000000000004", -1);
    digits_are(9.999999999999999e14, "9999999999999999", 14); /* and no carry */
    digits_are(5e-324, "5", -324);
    digits_are(DBL_MAX, "17976931348623157", 308);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_number),
        cmocka_unit_test(test_numbers_of_reports),
        cmocka_unit_test(test_digits_and_exponent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
