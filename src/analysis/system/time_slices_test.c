#include "analysis/system/time_slices.c"

#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { KINDS = 4, CALLS = 20 };

/* Kinds of calls of 0.1 to 0.4 ms; every fifth takes longer by what `more` says. */
static struct time_slices slices_of(int kinds, double (*more)(int k, int i))
{
    static struct like_call calls[KINDS][CALLS];
    struct like_kind kind[KINDS];
    struct arena perm = arena_reserve(1 << 20);
    char *start = perm.at;
    for (int k = 0; k < KINDS; k++) {
        for (int i = 0; i < CALLS; i++) {
            double us = 100 * (k + 1);
            us += k < kinds && i % 5 == k ? more(k, i) : 0;
            calls[k][i] = (struct like_call){i, us};
        }
        kind[k] = (struct like_kind){calls[k], CALLS, 100 * (k + 1), 100 * (k + 1)};
    }
    struct like_work w = {kind, KINDS, 1, 0};
    struct time_slices s = time_slices_find(perm, &w);
    arena_release(start, &perm);
    return s;
}

static double slices(int k, int i)
{
    return (i == 10 + k ? 2 : 1) * 2000 + 5 * k;
}

/* Five times as long as the others of a kind. */
static double two_sizes(int k, int i)
{
    return k == 0 || i < CALLS / 2 ? 400 * (k + 1) : 0;
}

static double any_length(int k, int i)
{
    return 500 + 137 * k + 71 * i;
}

static double short_ones(int k, int i)
{
    (void)k, (void)i;
    return 200;
}

static void assert_near(double a, double b)
{
    assert_true(fabs(a - b) < 1e-9);
}

static void interrupted_kernels_have_one_length_more(void **state)
{
    (void)state;
    struct time_slices s = slices_of(KINDS, slices);
    assert_int_equal(s.calls, 16);
    assert_int_equal(s.kinds, 4);
    assert_true(fabs(s.slice_ms - 2.0) < 0.02);
    assert_true(s.excess_ms > 32 && s.excess_ms < 42);
    assert_near(s.share, 1);
    assert_near(s.spread, 4);
    assert_near(slices_of(3, slices).share, 0.6); /* of 1000 us the fourth takes 400 */
    assert_near(slices_of(3, slices).spread, 3);
    assert_near(slices_of(KINDS, two_sizes).spread,
                1); /* 3 times what the first has more */
}

static void other_spread_is_none(void **state)
{
    (void)state;
    assert_int_equal(slices_of(KINDS, any_length).calls, 0);
    assert_int_equal(slices_of(KINDS, short_ones).calls, 0);
    assert_int_equal(slices_of(2, slices).calls, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interrupted_kernels_have_one_length_more),
        cmocka_unit_test(other_spread_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
