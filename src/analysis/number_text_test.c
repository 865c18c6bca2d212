#include "number_text.c"

#include <math.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct arena arena;

static void is(struct str got, const char *want)
{
    if (!str_eq(got, str_of(want)))
        fail_msg("got \"%.*s\", want \"%s\"", STRF(got), want);
}

/* 0.3: one decimal from 100 ms, two from 1, else three; halves away from zero. */
static void times_and_percents(void **state)
{
    (void)state;
    is(text_ms(&arena, 658.46), "658.5");
    is(text_ms(&arena, 100), "100.0");
    is(text_ms(&arena, 10.895), "10.90");
    is(text_ms(&arena, 0.9995), "1.000");
    is(text_ms(&arena, 0.0895), "0.090");
    is(text_pct(&arena, 41.908), "41.9");
    is(text_pct(&arena, 0.445), "0.45");
    is(text_pct(&arena, 0), "0.0");
    is(text_pct(&arena, 0.0049), "less than 0.01"); /* little, and not nothing */
    is(text_pct(&arena, (double)NAN), "not known");
}

static void factors_have_three_digits(void **state)
{
    (void)state;
    is(text_factor(&arena, 1.041), "1.04");
    is(text_factor(&arena, 71.62), "71.6");
    is(text_factor(&arena, 861.92), "862");
}

static void no_zeros_behind(void **state)
{
    (void)state;
    is(text_trimmed(&arena, 5.3), "5.3");
    is(text_trimmed(&arena, 708), "708");
    is(text_trimmed(&arena, 0.514), "0.51");
    is(text_trimmed(&arena, 100), "100");
    is(text_trimmed(&arena, 0), "0");
}

int main(void)
{
    arena = arena_reserve(1 << 20);
    const struct CMUnitTest tests[] = {cmocka_unit_test(times_and_percents),
                                       cmocka_unit_test(factors_have_three_digits),
                                       cmocka_unit_test(no_zeros_behind)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
