#include "finding_priority.c"

#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct arena arena;

static enum priority of(bool top, bool gemm, double e, double p, double pc)
{
    return priority_of((struct priority_input){.top = top,
                                               .gemm = gemm,
                                               .efficiency_pct = e,
                                               .compute_pct = p,
                                               .category_pct = pc});
}

/* The table of 5.2, strict at its limits. */
static void two_columns(void **state)
{
    (void)state;
    assert_int_equal(of(true, false, 29, 20, 15.1), PRIORITY_CRITICAL);
    assert_int_equal(of(true, false, 29, 20, 15), PRIORITY_HIGH);
    assert_int_equal(of(true, false, (double)NAN, 20, 50),
                     PRIORITY_HIGH); /* never critical */
    assert_int_equal(of(false, false, 39, 20, 10.1), PRIORITY_HIGH);
    assert_int_equal(of(false, false, 39, 20, 10), PRIORITY_MEDIUM);
    assert_int_equal(of(false, false, 70, 5, 5), PRIORITY_LOW);
    assert_int_equal(of(false, true, 29, 15.1, 1), PRIORITY_CRITICAL);
    assert_int_equal(of(false, true, 39, 5, 5), PRIORITY_HIGH);
    assert_int_equal(of(false, true, 70, 10.1, 5), PRIORITY_HIGH);
}

static void small_parts_matter_less(void **state)
{
    (void)state;
    assert_int_equal(of(true, false, 1, 4.99, 50), PRIORITY_HIGH);
    assert_int_equal(of(true, false, 1, 0.99, 50), PRIORITY_MEDIUM);
    assert_int_equal(of(true, false, 1, 0.49, 50), PRIORITY_LOW);
}

static void remarks_and_healthy_work_are_capped(void **state)
{
    (void)state;
    struct priority_input in = {.top = true,
                                .informational = true,
                                .efficiency_pct = 5,
                                .compute_pct = 90,
                                .category_pct = 90};
    assert_int_equal(priority_of(in), PRIORITY_MEDIUM);
    in.informational = false;
    in.healthy = true;
    assert_int_equal(priority_of(in), PRIORITY_MEDIUM);
}

/* 5.3's figures: 13.71 ms at 1.36 % of peak in 121.27 ms. At 20 %: 13.71 * 1.36 / 20 =
 * 0.93228 ms; (13.71 - 0.93228) / 121.27 = 10.5366 %; 1 - 1.36 / 20 = 93.2 %. */
static void projection_of_the_specification(void **state)
{
    (void)state;
    int n;
    struct projection_row *r = projection_of(
        &arena, 13.71, 1.36, (struct expectation){40, 60, 80}, 121.27, &n);
    assert_int_equal(n, 4); /* 20, 50, 60, 80 */
    assert_float_equal(r[0].time_ms, 0.93228, 1e-9);
    assert_float_equal(r[0].e2e_pct, 10.5366, 1e-4);
    assert_float_equal(r[0].op_pct, 93.2, 1e-9);
    assert_float_equal(r[1].time_ms, 0.372912, 1e-9);
    assert_float_equal(r[2].target_pct, 60, 0);
    assert_float_equal(r[3].e2e_pct, 11.1132, 1e-4);
}

static void nothing_left_to_gain(void **state)
{
    (void)state;
    int n;
    struct projection_row *r =
        projection_of(&arena, 10, 90, (struct expectation){40, 60, 80}, 100, &n);
    assert_int_equal(n, 1);
    assert_float_equal(r[0].target_pct, 100, 0);
    assert_null(projection_of(&arena, 10, (double)NAN, (struct expectation){40, 60, 80},
                              100, &n));
    assert_int_equal(n, 0);
}

/* 40.44 % in the band 50 to 70: 658.46 (1 - 40.44/50) = 125.897 ms, (1 - 40.44/70) =
 * 278.058 ms. At 79 % the target is 84 for both ends. */
static void impact_by_band(void **state)
{
    (void)state;
    struct impact_range i = impact_of_efficiency(
        &arena, 658.46, 40.44, (struct expectation){50, 50, 70}, 658.46);
    assert_float_equal(i.low_ms, 125.897552, 1e-6);
    assert_float_equal(i.high_ms, 278.058251, 1e-6);
    assert_float_equal(i.low_pct, 19.12, 1e-9);
    i = impact_of_efficiency(&arena, 84, 79, (struct expectation){50, 50, 70}, 100);
    assert_float_equal(i.low_ms, 5, 1e-9);
    assert_float_equal(i.high_ms, 5, 1e-9);
    i = impact_of_efficiency(&arena, 10, 99, (struct expectation){50, 50, 70}, 100);
    assert_float_equal(i.high_ms, 0.1, 1e-9); /* never beyond the peak */
}

/* Below 1 % medium at most, below 0.3 % low. */
static void small_savings_are_no_high_priority(void **state)
{
    (void)state;
    assert_int_equal(priority_capped(PRIORITY_CRITICAL, 1), PRIORITY_CRITICAL);
    assert_int_equal(priority_capped(PRIORITY_CRITICAL, 0.99), PRIORITY_MEDIUM);
    assert_int_equal(priority_capped(PRIORITY_HIGH, 0.29), PRIORITY_LOW);
    assert_int_equal(priority_capped(PRIORITY_LOW, 50), PRIORITY_LOW);
    assert_int_equal(priority_raised(PRIORITY_LOW, 1.9), PRIORITY_LOW);
    assert_int_equal(priority_raised(PRIORITY_LOW, 2), PRIORITY_MEDIUM);
    assert_int_equal(priority_raised(PRIORITY_MEDIUM, 9.9), PRIORITY_MEDIUM);
    assert_int_equal(priority_raised(PRIORITY_MEDIUM, 10), PRIORITY_HIGH);
    assert_int_equal(priority_raised(PRIORITY_LOW, 50), PRIORITY_CRITICAL);
}

int main(void)
{
    arena = arena_reserve(1 << 20);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_savings_are_no_high_priority),
        cmocka_unit_test(two_columns),
        cmocka_unit_test(small_parts_matter_less),
        cmocka_unit_test(remarks_and_healthy_work_are_capped),
        cmocka_unit_test(projection_of_the_specification),
        cmocka_unit_test(nothing_left_to_gain),
        cmocka_unit_test(impact_by_band),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
