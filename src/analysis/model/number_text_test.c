#include "number_text.c"

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
    assert_text(number_ms(&a, (double)NAN), "unknown");
    assert_text(number_us(&a, 24.166), "24.17");
}

static void shares_below_one_have_two_decimals(void **state)
{
    (void)state;
    assert_text(number_pct(&a, 41.05), "41.1");
    assert_text(number_pct(&a, 0.415), "0.42");
    assert_text(number_pct(&a, 0.0), "0");
    assert_text(number_ms_and_pct(&a, 12.083, 40.62), "12.08 ms, 40.6%");
}

static void ranges_are_told_in_the_digits_of_their_end(void **state)
{
    (void)state;
    assert_text(number_span_ms(&a, 0.9, 4.0), "0.90 to 4.00");
    assert_text(number_span_ms(&a, 3.999, 4.0), "4.00"); /* both read alike */
    assert_text(number_span_pct(&a, 0.0, 11.46), "0.0 to 11.5");
}

static void savings_are_told_in_two_digits(void **state)
{
    (void)state;
    /* One unit and as many decimals for all that stand beside a whole. */
    assert_text(number_beside(&a, 1195.1, 1195.1), "1195 ms");
    assert_text(number_beside(&a, 864.6, 1195.1), "865 ms");
    assert_text(number_beside(&a, 0.897, 4.43), "0.90 ms");
    assert_text(number_beside(&a, 29.0, 33.76), "29.0 ms");
    assert_text(number_beside(&a, 9100, 12345), "9.1 s");
    assert_text(number_beside(&a, 0, 0), "0 ms");
    assert_text(number_range_ms(&a, 421.8, 433.2), "420 to 430");
    assert_text(number_range_ms(&a, 433.2, 433.9), "430"); /* no finer than known */
    assert_text(number_range_ms(&a, 9.94, 99.4), "9.9 to 99");
    assert_text(number_range_ms(&a, 9.96, 99.6), "10 to 100");
    assert_text(number_range_ms(&a, 0.0412, 1.05), "0.041 to 1.1");
    assert_text(number_range_ms(&a, 0.0, 12345.0), "0 to 12000");
    assert_text(number_range_ms(&a, 0.0001, 0.0004), "0.000");
    assert_text(number_range_pct(&a, 0.0, 11.46), "0 to 11");
    assert_text(number_range_pct(&a, 0.416, 4.16), "0.42 to 4.2");
    assert_text(number_range_ms(&a, (double)NAN, 1), "unknown to 1.0");
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

static void is(struct str got, const char *want)
{
    if (!str_eq(got, str_of(want)))
        fail_msg("got \"%.*s\", want \"%s\"", STRF(got), want);
}

/* 0.3: one decimal from 100 ms, two from 1, else three; halves away from zero. */
static void times_and_percents(void **state)
{
    (void)state;
    is(text_ms(&a, 658.46), "658.5");
    is(text_ms(&a, 100), "100.0");
    is(text_ms(&a, 10.895), "10.90");
    is(text_ms(&a, 0.9995), "1.000");
    is(text_ms(&a, 0.0895), "0.090");
    is(text_pct(&a, 41.908), "41.9");
    is(text_pct(&a, 0.445), "0.45");
    is(text_pct(&a, 0), "0.0");
    is(text_pct(&a, 0.0049), "less than 0.01"); /* little, and not nothing */
    is(text_pct(&a, (double)NAN), "unknown");
}

static void factors_have_three_digits(void **state)
{
    (void)state;
    is(text_factor(&a, 1.041), "1.04");
    is(text_factor(&a, 71.62), "71.6");
    is(text_factor(&a, 861.92), "862");
}

static void no_zeros_behind(void **state)
{
    (void)state;
    is(text_trimmed(&a, 5.3), "5.3");
    is(text_trimmed(&a, 708), "708");
    is(text_trimmed(&a, 0.514), "0.51");
    is(text_trimmed(&a, 100), "100");
    is(text_trimmed(&a, 0), "0");
}

static void sentences_hold_their_values(void **state)
{
    (void)state;
    is(say(&a, "{} ms ({}%) in {} calls of {}", said_ms(12.225), said_pct(0),
           said((int64_t)7), said_name(S("a`b\n"), 60)),
       "12.23 ms (0.0%) in 7 calls of `a b `");
    is(say(&a, "{}{}: {}.", said("x"), said(S("y")), said_fixed(1.25, 1)), "xy: 1.3.");
    is(say(&a, "{}", said(S("{}"))), "{}"); /* a value is not looked into */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_have_as_many_decimals_as_they_need),
        cmocka_unit_test(shares_below_one_have_two_decimals),
        cmocka_unit_test(ranges_are_told_in_the_digits_of_their_end),
        cmocka_unit_test(savings_are_told_in_two_digits),
        cmocka_unit_test(rates_have_three_digits),
        cmocka_unit_test(words_count_to_ten),
        cmocka_unit_test(files_hold_rounded_numbers),
        cmocka_unit_test(times_and_percents),
        cmocka_unit_test(factors_have_three_digits),
        cmocka_unit_test(no_zeros_behind),
        cmocka_unit_test(sentences_hold_their_values),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
