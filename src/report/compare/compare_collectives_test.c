#include "compare_collectives.c"

#include "base/arena_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct capture capture_of(struct capture_signature *s, int32_t n_s,
                                 struct capture_collective *calls, int32_t n)
{
    static struct capture_group groups[] = {{.size = 4}, {.size = 1}};
    return (struct capture){.ranks = {.groups = groups,
                                      .n_groups = 2,
                                      .signatures = s,
                                      .n_signatures = n_s,
                                      .collectives = calls,
                                      .n_collectives = n}};
}

static void near(double found, double wanted)
{
    assert_true(fabs(found - wanted) < 1e-9);
}

/* An all-reduce of 10^6 floats among 4 ranks: 4 MB, 1.5 times on the bus. Reference:
 * 40, 60, 50 and 70 us; candidate: two captures with 80 us each. Only the candidate
 * gathers. What has no size, or one rank, does not count. */
static void calls_of_one_size_on_both_sides(void **state)
{
    (void)state;
    struct capture_signature s[] = {{.kind = S_INIT("all-reduce"),
                                     .dtype = S_INIT("Float"),
                                     .in_elements = 1000000,
                                     .out_elements = 1000000},
                                    {.kind = S_INIT("all-gather"),
                                     .dtype = S_INIT("BFloat16"),
                                     .in_elements = 1000,
                                     .out_elements = 4000},
                                    {.kind = S_INIT("all-reduce"),
                                     .dtype = S_INIT("Float"),
                                     .in_elements = -1,
                                     .out_elements = -1},
                                    {.kind = S_INIT("all-reduce"),
                                     .dtype = S_INIT("Float"),
                                     .group = 1,
                                     .in_elements = 9,
                                     .out_elements = 9},
                                    {.kind = S_INIT("all-reduce"),
                                     .dtype = S_INIT("Float"),
                                     .group = -1,
                                     .in_elements = 9,
                                     .out_elements = 9}};
    struct capture_collective before[] = {{.dur_ns = 40000},
                                          {.dur_ns = 60000},
                                          {.dur_ns = 50000},
                                          {.dur_ns = 70000},
                                          {.signature = 2, .dur_ns = 1000},
                                          {.signature = 3, .dur_ns = 1000},
                                          {.signature = 4, .dur_ns = 1000}},
                              after[] = {{.dur_ns = 80000},
                                         {.signature = 1, .dur_ns = 8000}};
    struct capture ref[] = {capture_of(s, 5, before, 7)},
                   cand[] = {capture_of(s, 5, after, 2), capture_of(s, 5, after, 1)};
    struct comparison c = {.captures = {ref, cand}, .n_captures = {1, 2}};
    struct compared_collectives all = compare_collectives(&a, &c);
    assert_int_equal(all.n, 2);
    const struct compared_collective *r = &all.rows[0];
    assert_int_equal(r->kind, COLLECTIVE_ALL_REDUCE);
    assert_int_equal(r->bytes, 4000000);
    near(r->calls[0], 4);
    near(r->calls[1], 1);
    near(r->total_ms[0], 0.22);
    near(r->median_us[0], 55);
    near(r->median_us[1], 80);
    near(r->bus_gb_s[0], 150); /* 4 MB in 40 us are 100 GB/s */
    near(r->bus_gb_s[1], 75);
    near(diff_pct(r), 100 * (80. / 55 - 1));
    r = &all.rows[1];
    assert_int_equal(r->bytes, 8000);
    near(r->calls[1], 0.5);
    assert_true(isnan(r->median_us[0]) && r->calls[0] == 0);
    near(r->bus_gb_s[1], 0.75); /* 3/4 of 1 GB/s */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_of_one_size_on_both_sides),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
