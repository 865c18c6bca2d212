/* Compiled regions that end where the host reads a value: one finding about the wait.
 */
#include "analysis/findings_case.h"
#include "analysis/model/system_results.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { REGIONS = 12 };

/* In each region 8 kernels of 5 us, each launched 40 us behind the one before; then a
 * value is read: behind the first `n_between` regions, and within `n_within` others. */
static void findings_of(int n_between, int n_within, const char *patterns[8], int *n)
{
    static char name[8][80];
    struct trace_case c;
    int k = 0;
    case_begin(&c);
    for (int i = 0; i < REGIONS; i++) {
        double at = 10 + 600 * i;
        char region[40];
        snprintf(region, sizeof region, "Torch-Compiled Region: %d/0", i);
        case_op(&c, region, at, i < n_between ? 400 : 580);
        for (int j = 0; j < 8; j++)
            case_launch(&c, "triton_poi_fused_add_0", at + 20 + 40 * j,
                        at + 26 + 40 * j, 5, ++k);
        if (i >= n_between + n_within)
            continue;
        case_op(&c, "aten::item", at + 410, 100);
        case_op(&c, "aten::_local_scalar_dense", at + 411, 98);
        case_call(&c, "hipMemcpyAsync", at + 412, 4, ++k);
        case_copy(&c, "Memcpy DtoH (Device -> Pinned)", at + 420, 2, k, 4);
        case_call(&c, "hipStreamSynchronize", at + 417, 90, 0);
    }
    struct analysis a = analyse_with(&c, library);
    for (*n = 0; *n < a.n_findings && *n < 8; (*n)++) {
        const struct finding *f = &a.findings[*n];
        snprintf(name[*n], sizeof name[*n], "%.*s%s", STRF(f->pattern),
                 f->between ? "+" : "");
        patterns[*n] = name[*n];
    }
    case_close(&c);
}

static bool has(const char *patterns[8], int n, const char *one)
{
    for (int k = 0; k < n; k++)
        if (strcmp(patterns[k], one) == 0)
            return true;
    return false;
}

static void breaks_are_told_with_the_waits_that_make_them(void **state)
{
    (void)state;
    const char *patterns[8];
    int n;
    /* four fifths of 11 breaks, and of all waits */
    static const struct {
        int n_between, n_within;
        bool together;
    } cases[] = {{12, 0, true}, {0, 12, false}, {9, 0, true},
                 {8, 0, false}, {10, 2, true},  {9, 3, false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        findings_of(cases[k].n_between, cases[k].n_within, patterns, &n);
        assert_int_equal(has(patterns, n, "host_sync+"), cases[k].together);
        assert_int_equal(has(patterns, n, "host_sync"), !cases[k].together);
        assert_int_equal(has(patterns, n, "host_graph_breaks"), !cases[k].together);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(breaks_are_told_with_the_waits_that_make_them)};
    return cmocka_run_group_tests(tests, open_library, close_library);
}
