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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_pinned_copies_are_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
