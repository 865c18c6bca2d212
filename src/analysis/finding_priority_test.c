#include "finding_priority.c"

#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/near_case.h"

static struct arena arena;

/* One scale for whatever it is about, each step at its limit. */
static void priority_is_the_share_of_the_run(void **state)
{
    (void)state;
    assert_int_equal(priority_of_share(25), PRIORITY_CRITICAL);
    assert_int_equal(priority_of_share(24.99), PRIORITY_HIGH);
    assert_int_equal(priority_of_share(5), PRIORITY_HIGH);
    assert_int_equal(priority_of_share(4.99), PRIORITY_MEDIUM);
    assert_int_equal(priority_of_share(1), PRIORITY_MEDIUM);
    assert_int_equal(priority_of_share(0.99), PRIORITY_LOW);
    assert_int_equal(priority_of_share((double)NAN), PRIORITY_LOW);
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
    assert_near(r[0].time_ms, 0.93228, 1e-9);
    assert_near(r[0].e2e_pct, 10.5366, 1e-4);
    assert_near(r[0].op_pct, 93.2, 1e-9);
    assert_near(r[1].time_ms, 0.372912, 1e-9);
    assert_near(r[2].target_pct, 60, 0);
    assert_near(r[3].e2e_pct, 11.1132, 1e-4);
    r = projection_of(&arena, 100, 46, (struct expectation){15, 20, 60}, 200, &n);
    assert_int_equal(n, 2); /* 60, 80: 50 is less than 5 above */
    assert_near(r[0].target_pct, 60, 0);
    r = projection_of(&arena, 100, 15, (struct expectation){15, 20, 60}, 200, &n);
    assert_int_equal(n, 4); /* 20 once, 50, 60, 80 */
    assert_near(r[0].target_pct, 20, 0);
    assert_near(r[3].target_pct, 80, 0);
}

static void nothing_left_to_gain(void **state)
{
    (void)state;
    int n;
    struct projection_row *r =
        projection_of(&arena, 10, 90, (struct expectation){40, 60, 80}, 100, &n);
    assert_int_equal(n, 1);
    assert_near(r[0].target_pct, 100, 0);
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
        &arena, 658.46, 40.44, (struct expectation){50, 50, 70}, 1316.92);
    assert_near(i.low_ms, 125.897552, 1e-6);
    assert_near(i.high_ms, 278.058251, 1e-6);
    assert_near(i.low_pct, 9.56, 1e-9);
    assert_near(i.high_pct, 21.114286, 1e-6);
    assert_string_equal(str_c(&arena, i.basis), "from 40.4% of peak to 50.0-70.0%");
    i = impact_of_efficiency(&arena, 84, 79, (struct expectation){50, 50, 70}, 100);
    assert_near(i.low_ms, 5, 1e-9);
    assert_near(i.high_ms, 5, 1e-9);
    assert_string_equal(str_c(&arena, i.basis), "from 79.0% of peak to 84.0%");
    assert_true(isnan(impact_of_saving(1, 2, 0, S("")).high_pct));
    i = impact_of_efficiency(&arena, 10, 99, (struct expectation){50, 50, 70}, 100);
    assert_near(i.high_ms, 0.1, 1e-9); /* never beyond the peak */
}

int main(void)
{
    arena = arena_reserve(1 << 20);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(priority_is_the_share_of_the_run),
        cmocka_unit_test(projection_of_the_specification),
        cmocka_unit_test(nothing_left_to_gain),
        cmocka_unit_test(impact_by_band),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
