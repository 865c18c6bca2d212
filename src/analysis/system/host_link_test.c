#include "host_link.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Only long copies say how fast the link is, and only pinned ones. */
static void long_pinned_copies_are_measured(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t bytes;
        double us, gb_per_s;
    } cases[] = {{"Memcpy HtoD (Pinned -> Device)", 8 << 20, 1000, 8.388608},
                 {"Memcpy HtoD (Pinned -> Device)", (8 << 20) - 1, 1000, 0},
                 {"Memcpy HtoD (Pageable -> Device)", 8 << 20, 1000, 0}};
    const struct device_spec device = {.host_link_gb_per_s = 31.5};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trace_case c;
        case_begin(&c);
        case_call(&c, "cudaMemcpyAsync", 10, 2, 1);
        case_copy(&c, cases[i].name, 20, cases[i].us, 1, cases[i].bytes);
        case_open(&c, NULL);
        struct host_link l = host_link_of(&c.view, &device);
        assert_near(l.pinned_gb_per_s, cases[i].gb_per_s, 1e-9);
        assert_near(l.platform_gb_per_s, 31.5, 0);
        case_close(&c);
    }
}

/* Up to as fast as a pinned copy of a MiB or more shows, and 90 % of that at least;
 * where there is none, 75 % to 90 % of the data sheet, or of PCIe 3 with 16 lanes. No
 * slower than a copy of other memory. */
static void a_link_is_as_fast_as_is_seen_or_sold(void **state)
{
    static const struct {
        const char *name;
        int64_t bytes;
        double us, sheet, low, high;
        enum link_source source;
    } cases[] = {{"Memcpy HtoD (Pinned -> Device)", 1 << 20, 100, 31.5, 9.437184,
                  10.48576, LINK_SEEN},
                 {"Memcpy HtoD (Pinned -> Device)", (1 << 20) - 1, 100, 31.5, 23.625,
                  28.35, LINK_PLATFORM},
                 {"Memcpy HtoD (Pinned -> Device)", (1 << 20) - 1, 100, 0, 11.8125,
                  14.175, LINK_ASSUMED},
                 {"Memcpy HtoD (Pageable -> Device)", 1 << 20, 100, 0, 11.8125, 14.175,
                  LINK_ASSUMED},
                 {"Memcpy HtoD (Pageable -> Device)", 1 << 20, 80, 0, 13.1072, 14.175,
                  LINK_ASSUMED},
                 {"Memcpy HtoD (Pageable -> Device)", 1 << 20, 50, 0, 20.97152,
                  20.97152, LINK_ASSUMED},
                 {"Memcpy DtoD (Device -> Device)", 1 << 20, 50, 0, 11.8125, 14.175,
                  LINK_ASSUMED}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct device_spec device = {.host_link_gb_per_s = cases[i].sheet};
        struct trace_case c;
        case_begin(&c);
        case_call(&c, "cudaMemcpyAsync", 10, 2, 1);
        case_copy(&c, cases[i].name, 20, cases[i].us, 1, cases[i].bytes);
        case_call(&c, "cudaMemcpyAsync", 410, 2, 2); /* as fast, of a KiB */
        case_copy(&c, "Memcpy HtoD (Pinned -> Device)", 420, 0.01, 2, 1024);
        case_open(&c, NULL);
        struct host_link l = host_link_of(&c.view, &device);
        assert_near(l.low_gb_per_s, cases[i].low, 1e-9);
        assert_near(l.high_gb_per_s, cases[i].high, 1e-9);
        assert_int_equal(l.source, cases[i].source);
        case_close(&c);
    }
}

/* 10 MB at 10 and at 20 GB/s, 2 us to start each; no longer than they took; of unknown
 * size all of that. */
static void copies_take_what_the_link_does(void **state)
{
    const struct host_link l = {.low_gb_per_s = 10, .high_gb_per_s = 20};
    struct copy_result to = {0};
    (void)state;
    host_link_add(&l, 10000000, 5000, &to);
    assert_near(to.slow_us, 1002, 1e-9);
    assert_near(to.fast_us, 502, 1e-9);
    host_link_add(&l, 10000000, 700, &to);
    assert_near(to.slow_us, 1702, 1e-9);
    assert_near(to.fast_us, 1004, 1e-9);
    host_link_add(&l, -1, 50, &to);
    assert_near(to.slow_us, 1752, 1e-9);
    assert_near(to.fast_us, 1054, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_pinned_copies_are_measured),
        cmocka_unit_test(a_link_is_as_fast_as_is_seen_or_sold),
        cmocka_unit_test(copies_take_what_the_link_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
