#include "call_durations.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct arena perm, tmp;

static int set_up(void **state)
{
    (void)state;
    perm = arena_reserve((ptrdiff_t)1 << 26);
    tmp = arena_reserve((ptrdiff_t)1 << 26);
    return 0;
}

/* A bin's middle is within a thirtieth of what it holds, and longer is later. */
static void test_bins(void **state)
{
    (void)state;
    int last = 0;
    for (int64_t ns = 2; ns < (int64_t)1 << 61; ns += ns / 7 + 1) {
        int bin = call_bin(ns);
        assert_true(bin >= last && bin < CALL_BINS);
        assert_true(fabs(call_bin_ns(bin) / (double)ns - 1) < 1.0 / 30);
        last = bin;
    }
    assert_int_equal(call_bin(0), 0);
    assert_true(call_bin(INT64_MAX) < CALL_BINS);
}

/* Nine calls of two kernels, 100 ns and 300 ns; one of 4 us; one behind the span. */
static void test_calls(void **state)
{
    (void)state;
    enum { CALLS = 11 };
    static struct capture_event events[2 * CALLS];
    struct capture_row rows[2] = {{.n_calls = 0}};
    struct capture c = {.rows = rows, .n_rows = 2, .events = events};
    for (int i = 0; i < CALLS; i++) {
        int64_t at = 10000 * i, length = i == 4 ? 3900 : 300;
        events[c.n_events++] = (struct capture_event){
            .start_ns = at, .end_ns = at + 100, .row = 1, .begins = true};
        events[c.n_events++] = (struct capture_event){
            .start_ns = at + 200, .end_ns = at + 200 + length, .row = 1};
    }
    struct step_span span = {0, 10000 * (CALLS - 1)};
    struct call_durations d = call_durations_of(&perm, tmp, &c, &span, 1);
    assert_int_equal(d.first[1], 0);
    assert_int_equal(d.first[2], 2);
    assert_true(d.bins[0].n == 9 && d.bins[1].n == 1);
    int64_t counts[CALL_BINS] = {0};
    assert_true(isnan(call_quantile(counts, 0.5)));
    for (int k = 0; k < 2; k++)
        counts[d.bins[k].bin] += d.bins[k].n;
    assert_true(fabs(call_quantile(counts, 0.5) - 400) < 14);
    assert_true(fabs(call_quantile(counts, 0.95) - 4000) < 140);
    /* The same of what a file has kept, without the events. */
    struct capture kept = {.rows = rows, .n_rows = 2, .bins = d.bins, .n_bins = 2};
    struct call_durations again = call_durations_of(&perm, tmp, &kept, &span, 1);
    assert_int_equal(again.first[2], 2);
    assert_true(again.bins == d.bins);
}

/* A call of each length: no more bins than allowed, and no call lost. */
static void test_many_lengths(void **state)
{
    (void)state;
    struct capture_bin *bins = NULL;
    int32_t n = 0;
    int64_t ns[500], sum = 0, counts[CALL_BINS] = {0};
    for (int i = 0; i < 500; i++)
        ns[i] = 1000 + 37 * i * i;
    count_row(&perm, &bins, &n, 3, ns, 500, counts);
    for (int b = 0; b < CALL_BINS; b++)
        assert_int_equal(counts[b], 0);
    assert_int_equal(n, ROW_BINS_MAX);
    for (int32_t i = 0; i < n; i++) {
        sum += bins[i].n;
        assert_true(bins[i].row == 3 && (!i || bins[i].bin > bins[i - 1].bin));
    }
    assert_int_equal(sum, 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bins),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_many_lengths),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
