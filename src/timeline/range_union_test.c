#include "range_union.c"

#include "base/arena_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static uint32_t next_random(void)
{
    static uint32_t x = 1;
    x = x * 1664525u + 1013904223u;
    return x >> 8;
}

/* As the union of each range on its own, whatever the spans and ranges are. */
static void each_range_is_its_own_union(void **state)
{
    (void)state;
    enum { SPANS = 40, RANGES = 60, TRIES = 50 };
    struct span spans[SPANS], copy[SPANS];
    struct span_range ranges[RANGES];
    for (int t = 0; t < TRIES; t++) {
        int32_t n = (int32_t)(next_random() % SPANS);
        for (int32_t k = 0; k < n; k++) {
            int64_t from = next_random() % 100;
            spans[k] = (struct span){from, from + next_random() % 30};
        }
        for (int32_t k = 0; k < RANGES; k++) {
            int32_t from = (int32_t)(next_random() % (unsigned)(n + 1));
            int32_t length = (int32_t)(next_random() % (unsigned)(n - from + 1));
            ranges[k] = (struct span_range){from, length, -1};
        }
        range_unions(a, spans, n, ranges, RANGES);
        for (int32_t k = 0; k < RANGES; k++) {
            memcpy(copy, spans + ranges[k].from, (size_t)ranges[k].n * sizeof *copy);
            assert_int_equal(ranges[k].ns,
                             interval_length_ns(interval_union(a, copy, ranges[k].n)));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_range_is_its_own_union),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
