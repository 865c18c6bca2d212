#include "waterfall.c"

#include "base/arena_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void check(const struct sweep_item *items, int n, const struct step_span *spans,
                  int n_spans, const int64_t want[5])
{
    int64_t parts[5] = {0};
    waterfall_sweep(a, items, n, spans, n_spans, 2, parts);
    for (int i = 0; i < 5; i++)
        assert_int_equal(parts[i], want[i]);
}

/* Two kernels of class 1 beside one of class 0: thirds, the rest to the first class. */
static void test_classes_share(void **state)
{
    (void)state;
    check((struct sweep_item[]){{0, 10, 0}, {0, 10, 1}, {0, 10, 1}}, 3,
          (struct step_span[]){{0, 10}}, 1, (int64_t[]){4, 6, 0, 0, 0});
}

/* Kernels hide communication, which hides copies. */
static void test_what_hides_what(void **state)
{
    (void)state;
    check((struct sweep_item[]){{2, 4, 0}, {3, 8, SWEEP_COMM}, {1, 12, SWEEP_COPY}}, 3,
          (struct step_span[]){{0, 20}}, 1, (int64_t[]){2, 0, 4, 5, 9});
}

/* Work outside the spans does not count, nor what lies between them. */
static void test_spans(void **state)
{
    (void)state;
    check((struct sweep_item[]){{5, 25, 0}, {40, 50, 1}}, 2,
          (struct step_span[]){{0, 10}, {20, 30}}, 2, (int64_t[]){10, 0, 0, 0, 10});
    assert_int_equal(span_overlap_ns((struct step_span[]){{0, 10}, {20, 30}}, 2, 5, 25),
                     10);
    assert_int_equal(
        span_overlap_ns((struct step_span[]){{0, 10}, {20, 30}}, 2, 10, 20), 0);
}

/* What begins as a span ends is of the next. */
static void test_span_at_a_time(void **state)
{
    (void)state;
    static const struct step_span spans[] = {{0, 10}, {10, 20}, {30, 40}};
    static const int64_t at_ns[] = {0, 9, 10, 19, 20, 30, 39, 40};
    static const int want[] = {0, 0, 1, 1, 2, 2, 2, 3};
    for (int k = 0; k < 8; k++)
        assert_int_equal(span_from(spans, 3, at_ns[k]), want[k]);
}

/* Shares of a long stretch do not overflow. */
static void test_long(void **state)
{
    (void)state;
    int64_t most = (int64_t)1 << 62, parts[5] = {0};
    struct sweep_item items[] = {{0, most, 0}, {0, most, 1}, {0, most, 1}};
    waterfall_sweep(a, items, 3, (struct step_span[]){{0, most}}, 1, 2, parts);
    assert_int_equal(parts[0] + parts[1], most);
    assert_int_equal(parts[1], most / 3 * 2 + most % 3 * 2 / 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_classes_share), cmocka_unit_test(test_what_hides_what),
        cmocka_unit_test(test_spans),         cmocka_unit_test(test_span_at_a_time),
        cmocka_unit_test(test_long),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
