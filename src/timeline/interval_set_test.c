#include "timeline/interval_set.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static char *start;
static struct arena a;

static int setup(void **state)
{
    (void)state;
    a = arena_reserve(1 << 22);
    start = a.at;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_release(start, &a);
    return 0;
}

/* [0,4) [2,6) touch-merge with [6,7); [9,9) is empty and stays alone. */
static void test_union_merges_touching(void **state)
{
    (void)state;
    struct span s[] = {{9, 9}, {2, 6}, {0, 4}, {6, 7}};
    struct interval_set u = interval_union(a, s, 4);
    assert_int_equal(u.n, 2);
    assert_int_equal(u.spans[0].start_ns, 0);
    assert_int_equal(u.spans[0].end_ns, 7);
    assert_int_equal(interval_length_ns(u), 7);
}

/* [0,10) [20,30) minus [2,3) [5,22) [29,40): [0,2) [3,5) [22,29) = 2 + 2 + 7 ns. */
static void test_minus(void **state)
{
    (void)state;
    struct span x[] = {{0, 10}, {20, 30}}, y[] = {{2, 3}, {5, 22}, {29, 40}};
    struct interval_set d =
        interval_minus(&a, (struct interval_set){x, 2}, (struct interval_set){y, 3});
    assert_int_equal(d.n, 3);
    assert_int_equal(interval_length_ns(d), 11);
    assert_int_equal(d.spans[2].start_ns, 22);
}

static void test_minus_of_nothing(void **state)
{
    (void)state;
    struct span x[] = {{0, 10}};
    struct interval_set none = {x, 0}, one = {x, 1};
    assert_int_equal(interval_length_ns(interval_minus(&a, one, none)), 10);
    assert_int_equal(interval_length_ns(interval_minus(&a, none, one)), 0);
    assert_int_equal(interval_length_ns(interval_minus(&a, one, one)), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_union_merges_touching),
                                       cmocka_unit_test(test_minus),
                                       cmocka_unit_test(test_minus_of_nothing)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
