#include "lane_boxes.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct arena memory;

struct sums {
    int64_t busy_ns, n, longest_ns;
};

/* Boxes come by start, share no time, and are never longer than they reach. */
static struct sums checked(const struct lane_boxes *b)
{
    struct sums s = {0};
    for (int32_t k = 0; k < b->n; k++) {
        const struct lane_box *at = &b->at[k];
        assert_true(k == 0 || b->at[k - 1].end_ns <= at->start_ns);
        assert_true(at->busy_ns <= at->end_ns - at->start_ns);
        assert_true(at->longest_ns <= at->busy_ns);
        s.busy_ns += at->busy_ns;
        s.n += at->n;
        if (at->longest_ns > s.longest_ns)
            s.longest_ns = at->longest_ns;
    }
    return s;
}

/* 20,000 events of 300 to 5,000 ns, and every thousandth of 1 ms. */
static struct sums fill(struct lane_boxes *b)
{
    struct sums want = {0};
    int64_t at = 17;
    uint32_t seed = 1;
    for (int32_t k = 0; k < 20000; k++) {
        seed = seed * 1664525u + 1013904223u;
        int64_t ns = k % 1000 == 999 ? 1000000 : 300 + (int64_t)(seed >> 16) % 4700;
        lane_boxes_add(b, at, at + ns, k % 7);
        at += ns + (int64_t)(seed & 0xfff);
        want.busy_ns += ns;
        want.n++;
        want.longest_ns = 1000000;
    }
    return want;
}

static void test_all_fit(void **state)
{
    (void)state;
    struct lane_boxes b = lane_boxes_make(&memory, 20000);
    struct sums want = fill(&b), got = checked(&b);
    assert_int_equal(b.n, 20000);
    assert_int_equal(b.below_ns, 0);
    assert_memory_equal(&want, &got, sizeof want);
}

static void test_sums_are_kept(void **state)
{
    (void)state;
    static const int32_t rooms[] = {19999, 4000, 300, 50, 2, 1};
    for (size_t r = 0; r < sizeof rooms / sizeof *rooms; r++) {
        struct lane_boxes b = lane_boxes_make(&memory, rooms[r]);
        struct sums want = fill(&b), got = checked(&b);
        assert_true(b.n > 0 && b.n <= rooms[r]);
        assert_memory_equal(&want, &got, sizeof want);
        while (lane_boxes_coarsen(&b)) {
            got = checked(&b);
            assert_memory_equal(&want, &got, sizeof want);
        }
        assert_int_equal(b.n, 1);
    }
}

/* What is as long as the limit stays alone. */
static void test_long_boxes_stay(void **state)
{
    (void)state;
    struct lane_boxes b = lane_boxes_make(&memory, 1000);
    int long_ones = 0;
    fill(&b);
    assert_true(b.below_ns > 0 && b.below_ns < 1000000);
    for (int32_t k = 0; k < b.n; k++) {
        bool is_long = b.at[k].n == 1 && b.at[k].busy_ns == 1000000;
        long_ones += is_long;
        assert_true(b.at[k].n == 1 ||
                    b.at[k].end_ns - b.at[k].start_ns < 2 * b.below_ns);
    }
    assert_int_equal(long_ones, 20);
}

/* 400 and 500 in one window of 1 us, 300 in the next; the longest gives the name. */
static void test_windows(void **state)
{
    (void)state;
    struct lane_boxes b = lane_boxes_make(&memory, 8);
    lane_boxes_add(&b, 0, 400, 1);
    lane_boxes_add(&b, 410, 910, 2);
    lane_boxes_add(&b, 1000, 1300, 3);
    lane_boxes_add(&b, 1300, 1300, 4);
    assert_int_equal(b.n, 3);
    assert_true(lane_boxes_coarsen(&b));
    assert_int_equal(b.below_ns, 1000);
    assert_int_equal(b.n, 2);
    assert_int_equal(b.at[0].end_ns, 910);
    assert_int_equal(b.at[0].busy_ns, 900);
    assert_int_equal(b.at[0].n, 2);
    assert_int_equal(b.at[0].name, 2);
    assert_int_equal(b.at[1].name, 3);
    lane_boxes_extend(&b, 1500);
    assert_int_equal(b.at[1].busy_ns, 500);
    assert_int_equal(b.at[1].longest_ns, 500);
}

int main(void)
{
    memory = arena_reserve((ptrdiff_t)1 << 28);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_fit), cmocka_unit_test(test_sums_are_kept),
        cmocka_unit_test(test_long_boxes_stay), cmocka_unit_test(test_windows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
