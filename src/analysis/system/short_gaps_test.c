/* Short gaps before launches; what the host does before the first and behind the last
 * device event does not count. */
#include "short_gaps.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Gaps of so many us, each before a kernel whose launch the device waits for; then one
 * of `lead_us` with nothing before it, and one of `tail_us` with nothing behind. */
struct gaps_case {
    int n;
    double us, lead_us, tail_us;
    bool many, brief;
};

static void assert_gaps(const struct gaps_case *x)
{
    struct trace_case c;
    case_begin(&c);
    for (int k = 0; k <= x->n; k++)
        case_launch(&c, "k", 10 + (10 + x->us) * k, 12 + (10 + x->us) * k, 10, k + 1);
    case_open(&c, NULL);
    struct gap_row rows[64] = {{0}};
    for (int k = 0; k < x->n; k++)
        rows[k] = (struct gap_row){.before = case_find(&c, "k", k),
                                   .after = case_find(&c, "k", k + 1),
                                   .dur_ns = (int64_t)(1000 * x->us)};
    rows[x->n] = (struct gap_row){
        .before = -1, .after = rows[0].before, .dur_ns = (int64_t)(1000 * x->lead_us)};
    rows[x->n + 1] = (struct gap_row){.before = case_find(&c, "k", x->n),
                                      .after = -1,
                                      .dur_ns = (int64_t)(1000 * x->tail_us)};
    struct idle_gaps g = {.rows = rows, .n = x->n + 2};
    assert_int_equal(short_gaps_are_many(&c.view, &g), x->many);
    assert_int_equal(brief_gaps_are_most(&c.view, &g), x->brief);
    case_close(&c);
}

static void what_is_before_and_behind_does_not_count(void **state)
{
    (void)state;
    static const struct gaps_case cases[] = {
        {14, 130, 20000, 0, false, true}, {14, 130, 0, 20000, false, true},
        {8, 130, 20000, 0, false, true},  {7, 130, 20000, 0, false, false},
        {8, 199, 2000, 0, false, true},   {8, 200, 2000, 0, false, false},
        {20, 130, 20000, 0, true, true},  {19, 130, 20000, 0, false, true},
        {20, 999, 20000, 0, true, false}, {20, 1000, 20000, 0, false, false},
        {49, 1000, 500, 0, false, false}, {50, 999, 2000, 0, true, false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_gaps(&cases[k]);
}

/* 20 short gaps of 130 us, and 5.2 ms or more of long ones between kernels. */
static void long_gaps_between_kernels_count(void **state)
{
    (void)state;
    for (int most = 0; most < 2; most++) {
        struct trace_case c;
        case_begin(&c);
        for (int k = 0; k <= 20; k++)
            case_launch(&c, "k", 10 + 140 * k, 12 + 140 * k, 10, k + 1);
        case_launch(&c, "last", 20000, 20010, 10, 90);
        case_open(&c, NULL);
        struct gap_row rows[21];
        for (int k = 0; k < 20; k++)
            rows[k] = (struct gap_row){.before = case_find(&c, "k", k),
                                       .after = case_find(&c, "k", k + 1),
                                       .dur_ns = 130000};
        rows[20] = (struct gap_row){.before = rows[19].after,
                                    .after = case_find(&c, "last", 0),
                                    .dur_ns = most ? 5200001 : 5200000};
        struct idle_gaps g = {.rows = rows, .n = 21};
        assert_int_equal(short_gaps_are_many(&c.view, &g), !most);
        assert_false(brief_gaps_are_most(&c.view, &g));
        case_close(&c);
    }
}

/* 18 brief gaps, 2.34 ms, are 90 % beside a long one of 0.26 ms. */
static void nine_tenths_are_brief(void **state)
{
    enum { BRIEF = 18 };
    (void)state;
    for (int more = 0; more < 2; more++) {
        struct trace_case c;
        case_begin(&c);
        for (int k = 0; k <= BRIEF; k++)
            case_launch(&c, "k", 10 + 140 * k, 12 + 140 * k, 10, k + 1);
        case_launch(&c, "last", 20000, 20010, 10, 90);
        case_open(&c, NULL);
        struct gap_row rows[BRIEF + 1];
        for (int k = 0; k < BRIEF; k++)
            rows[k] = (struct gap_row){.before = case_find(&c, "k", k),
                                       .after = case_find(&c, "k", k + 1),
                                       .dur_ns = 130000};
        rows[BRIEF] = (struct gap_row){.before = case_find(&c, "k", BRIEF),
                                       .after = case_find(&c, "last", 0),
                                       .dur_ns = 260000 + more};
        struct idle_gaps g = {.rows = rows, .n = BRIEF + 1};
        assert_int_equal(brief_gaps_are_most(&c.view, &g), !more);
        case_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_before_and_behind_does_not_count),
        cmocka_unit_test(nine_tenths_are_brief),
        cmocka_unit_test(long_gaps_between_kernels_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
