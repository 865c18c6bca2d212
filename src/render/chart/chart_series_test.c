#include "chart_series.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A step of 12 bins is drawn as a whole number of them, or the bins as a whole number
 * of steps, at any width: never as five and a half. */
static void test_steps_and_bins(void **state)
{
    (void)state;
    struct report_figure f = {.n_series = 2, .n_bins = 396, .bins_per_step = 12};
    for (double width = 20; width < 1200; width += 7) {
        int together = bins_together(&f, width), n = bins_of(&f, width);
        assert_true(12 % together == 0 || together % 12 == 0);
        assert_true(n <= (int)(width / 2) && n * together >= f.n_bins);
    }
    assert_int_equal(bins_together(&f, 960), 1);
    f.n_series = 6; /* coarser */
    assert_int_equal(bins_together(&f, 960), 3);
    f.bins_per_step = 0;
    f.n_bins = 400;
    assert_int_equal(bins_of(&f, 960), 134);
}

/* The last one may cover fewer. */
static void test_means(void **state)
{
    (void)state;
    static const double v[] = {10, 20, 60, 0, 50};
    struct figure_series s = {S(""), S(""), SLOT_COMPUTE, v, false};
    assert_true(bin_value(&s, 5, 0, 3, false) == 30);
    assert_true(bin_value(&s, 5, 1, 3, false) == 25);
    assert_true(bin_value(&s, 5, 0, 3, true) == 60);
    static const double gaps[] = {10, NAN, 30, NAN, NAN, NAN};
    s.values = gaps;
    assert_true(bin_value(&s, 6, 0, 3, false) == 20);
    assert_true(isnan(bin_value(&s, 6, 1, 3, false)));
    struct chart_area area = {0, 0, 100, 10};
    assert_true(bin_px(&area, 3, 5) == 60 && bin_px(&area, 6, 5) == 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_steps_and_bins),
                                       cmocka_unit_test(test_means)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
