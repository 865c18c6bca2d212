#include "chart_scale.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/near_case.h"

static void expect_ticks(const struct chart_scale *s, const char *const *want)
{
    int n = 0;
    for (; want[n]; n++) {
        assert_true(n < s->n_ticks);
        assert_string_equal(s->ticks[n].text, want[n]);
    }
    assert_int_equal(s->n_ticks, n);
}

static void linear_ticks_are_round(void **state)
{
    (void)state;
    /* 12.2 in at most 6 steps: 2.03 apart, so 5; whole steps up to 15, or to 12.2. */
    struct chart_scale s = chart_linear(12.2, false, 7, 0, 100);
    expect_ticks(&s, (const char *const[]){"0", "5", "10", "15", NULL});
    s = chart_linear(12.2, true, 7, 0, 100);
    expect_ticks(&s, (const char *const[]){"0", "5", "10", NULL});
    assert_near(chart_px(&s, 12.2), 100, 1e-9);
    assert_near(chart_px(&s, 6.1), 50, 1e-9);
    /* 0.3 in 6 steps: 0.05. */
    s = chart_linear(0.3, false, 7, 0, 100);
    expect_ticks(&s, (const char *const[]){"0.00", "0.05", "0.10", "0.15", "0.20",
                                           "0.25", "0.30", NULL});
    /* 100 in one step. */
    s = chart_linear(100, false, 2, 0, 100);
    expect_ticks(&s, (const char *const[]){"0", "100", NULL});
}

/* A narrow scale that ends at its data still says how long a part of it is. */
static void an_exact_scale_has_more_than_its_zero(void **state)
{
    (void)state;
    struct chart_scale s = chart_linear(459.1, true, 2, 0, 100);
    expect_ticks(&s, (const char *const[]){"0", "200", "400", NULL});
    s = chart_linear(9.3, true, 2, 0, 100);
    expect_ticks(&s, (const char *const[]){"0", "5", NULL});
    s = chart_linear(1.7, true, 2, 0, 100);
    expect_ticks(&s, (const char *const[]){"0", "1", NULL});
    for (double high = 1e-6; high < 1e9; high *= 1.07) {
        s = chart_linear(high, true, 2, 0, 100);
        assert_in_range(s.n_ticks, 2, 5);
    }
}

static void log_ticks_are_decades(void **state)
{
    (void)state;
    struct chart_scale s = chart_log(0.3, 700, 7, 0, 400);
    expect_ticks(&s, (const char *const[]){"0.1", "1", "10", "100", "1000", NULL});
    assert_near(chart_px(&s, 10), 200, 1e-9); /* two of four decades */
    s = chart_log(1, 10, 7, 0, 100);
    expect_ticks(&s, (const char *const[]){"1", "2", "5", "10", NULL});
    /* Eight decades in at most four ticks: every third. */
    s = chart_log(1e-4, 1e4, 4, 0, 100);
    expect_ticks(&s, (const char *const[]){"0.0001", "0.1", "100", NULL});
    s = chart_log(1e-7, 1e2, 4, 0, 100);
    expect_ticks(&s, (const char *const[]){"1e-7", "0.0001", "0.1", "100", NULL});
}

/* No input makes more ticks than the type has room for, or a place outside the axis. */
static void any_number_is_survived(void **state)
{
    (void)state;
    const double odd[] = {0,     -1,    1e-300, 1e300, HUGE_VAL, -HUGE_VAL, (double)NAN,
                          1e-12, 1e-10, 1e14,   1e18,  0.1,      7,         999999};
    int n = (int)(sizeof odd / sizeof *odd);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int ticks = -1; ticks < 12; ticks++) {
                struct chart_scale s[] = {chart_linear(odd[i], k % 2, ticks, 10, 90),
                                          chart_log(odd[i], odd[k], ticks, 10, 90)};
                for (int m = 0; m < 2; m++) {
                    assert_true(s[m].n_ticks >= 1 && s[m].n_ticks <= CHART_TICKS_MAX);
                    double px = chart_px(&s[m], odd[k]);
                    assert_true(px >= 10 && px <= 90);
                }
            }
}

static void labels_fit_and_are_repaired(void **state)
{
    (void)state;
    struct chart_label l;
    /* In hundredths of an em: a 61, b 63, c 55. */
    assert_near(chart_text_px(S("abc"), 10), 17.9, 1e-9);
    chart_fit(&l, S("abc"), 10, 17.9);
    assert_true(str_eq(l.s, S("abc")));
    chart_fit(&l, S("a\nb\xff"), 10, 500);
    assert_true(str_eq(l.s, S("a\\nb\xef\xbf\xbd")));
    chart_fit(&l, S("aten::_scaled_dot_product_flash_attention"), 12, 120);
    assert_true(str_has(l.s, S("\xe2\x80\xa6")));
    assert_true(str_starts(l.s, S("aten::")) && str_ends(l.s, S("ion")));
    assert_true(chart_text_px(l.s, 12) <= 120);
    /* Arguments are cut at their end; where the name needs the room, it stays whole or
     * keeps its end, by which generated kernels are told apart. */
    chart_fit(&l, S("aten::mm (8192,2432) bf16, (2432,9728) bf1\xe2\x80\xa6"), 12, 180);
    assert_true(str_starts(l.s, S("aten::mm (8192,2432)")));
    assert_int_equal(str_find(l.s, S("\xe2\x80\xa6")), l.s.n - 3);
    chart_fit(&l, S("triton_red_fused_add_native_layer_norm_view_19 (2,4096) bf16"), 12,
              180);
    assert_true(str_starts(l.s, S("triton_")) && str_ends(l.s, S("_19")));
    chart_fit(&l, S("abc"), 10, 0);
    assert_true(l.s.n <= 3);
    char *big = malloc(100000);
    assert_non_null(big);
    memset(big, 'i', 100000);
    chart_fit(&l, (struct str){big, 100000}, 1, 1e9);
    assert_true(l.s.n < (ptrdiff_t)sizeof l.text);
    for (int i = 0; i + 3 < 100000; i += 4)
        memcpy(big + i, "\xf0\x9f\x98\x80", 4);
    chart_fit(&l, (struct str){big, 100000}, 12, 1e9);
    assert_true(l.s.n < (ptrdiff_t)sizeof l.text);
    for (struct str s = l.s; s.n > 0;)
        assert_true(utf8_next(&s) != UTF8_BROKEN); /* never cut within a character */
    free(big);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_ticks_are_round),
        cmocka_unit_test(an_exact_scale_has_more_than_its_zero),
        cmocka_unit_test(log_ticks_are_decades),
        cmocka_unit_test(any_number_is_survived),
        cmocka_unit_test(labels_fit_and_are_repaired),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
