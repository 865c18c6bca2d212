#include "report_numbers.c"

#include "base/arena_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void times_have_as_many_decimals_as_they_need(void **state)
{
    (void)state;
    assert_text(number_ms(&a, 125.25), "125.3"); /* halves go away from zero */
    assert_text(number_ms(&a, 12.225), "12.23");
    assert_text(number_ms(&a, 0.4116), "0.412");
    assert_text(number_ms(&a, 100.0), "100.0");
    assert_text(number_ms(&a, 1.0), "1.00");
    assert_text(number_ms(&a, 0.0), "0");
    assert_text(number_ms(&a, 0.0000004), "0.000"); /* not nothing */
    assert_text(number_ms(&a, (double)NAN), "not known");
    assert_text(number_us(&a, 24.166), "24.17");
}

static void shares_below_one_have_two_decimals(void **state)
{
    (void)state;
    assert_text(number_pct(&a, 41.05), "41.1");
    assert_text(number_pct(&a, 0.415), "0.42");
    assert_text(number_pct(&a, 0.0), "0");
    assert_text(number_ms_and_pct(&a, 12.083, 40.62), "12.08 ms, 40.6 %");
}

static void ranges_are_told_in_the_digits_of_their_end(void **state)
{
    (void)state;
    assert_text(number_range_ms(&a, 0.9, 4.0), "0.90 to 4.00");
    assert_text(number_range_ms(&a, 3.999, 4.0), "4.00"); /* both read alike */
    assert_text(number_range_pct(&a, 0.0, 11.46), "0.0 to 11.5");
}

static void rates_have_three_digits(void **state)
{
    (void)state;
    assert_text(number_rate(&a, 5.3), "5.3");
    assert_text(number_rate(&a, 708.2), "708");
    assert_text(number_rate(&a, 0.0456), "0.0456");
    assert_text(number_rate(&a, 12.0), "12");
    assert_text(number_rate(&a, 0.0), "0");
}

static void words_count_to_ten(void **state)
{
    (void)state;
    assert_text(number_word(&a, 0), "no");
    assert_text(number_word(&a, 10), "ten");
    assert_text(number_word(&a, 11), "11");
    assert_text(number_word(&a, -1), "-1");
}

static void files_hold_rounded_numbers(void **state)
{
    (void)state;
    /* 2.675 is 2.67499999... in binary; a reader expects 2.68. */
    assert_true(number_rounded(2.675, 2) == 2.68);
    assert_true(number_rounded(-0.0004, 3) == 0.0);
    assert_true(number_rounded(1e300, 2) == 1e300);
    /* The quick way and the careful one agree. */
    for (int k = 0; k < 100000; k++) {
        char digits[64];
        double v = 1.0 / 7.0 * k - 0.0001 * (k % 1000);
        digits[fixed_text(digits, v, k % 5)] = 0;
        assert_true(number_rounded(v, k % 5) == strtod(digits, NULL));
    }
    assert_true(isnan(number_rounded((double)NAN, 2)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_have_as_many_decimals_as_they_need),
        cmocka_unit_test(shares_below_one_have_two_decimals),
        cmocka_unit_test(ranges_are_told_in_the_digits_of_their_end),
        cmocka_unit_test(rates_have_three_digits),
        cmocka_unit_test(words_count_to_ten),
        cmocka_unit_test(files_hold_rounded_numbers),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
