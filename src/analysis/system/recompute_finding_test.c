#include "recompute_finding.c"

#include "analysis/library_case.h"
#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* 25% of memory is free, or less, or nobody knows; 5% of the run is computed again, or
 * less. */
static void it_is_told_unless_memory_is_short(void **state)
{
    (void)state;
    static const struct {
        double share_pct, free_pct, reserved_gib;
        const char *id;
    } cases[] = {{5, 25, 20, "recompute_with_free_memory"},
                 {4.9, 25, 20, NULL},
                 {5, 24.9, 20, NULL},
                 {5, 0, 0, "recompute_selectively"},
                 {4.9, 0, 0, NULL}};
    struct arena perm = arena_reserve(64 << 20);
    char *start = perm.at;
    const char *memory = "assets/patterns/memory.lua";
    struct analysis a = {.patterns = library_open(&perm, &memory, 1)};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const struct work_fact facts[] = {
            FACT("again_ms", 10.0), FACT("share_pct", cases[k].share_pct),
            FACT("free_pct", cases[k].free_pct),
            FACT("reserved_gib", cases[k].reserved_gib), FACT("device_gib", 80.0)};
        int n;
        const struct pattern_hit *hits =
            pattern_host_about(a.patterns, &perm, &a, S("recompute"), facts,
                               (int)(sizeof facts / sizeof *facts), &n);
        assert_int_equal(n, cases[k].id != NULL);
        if (n)
            assert_text(hits[0].id, cases[k].id);
    }
    assert_int_equal(a.n_warnings, 0);
    pattern_host_close(a.patterns);
    arena_release(start, &perm);
}

/* A matmul of 30 us, attention of 20, a convolution of 10 and a sum of 5 below calls
 * that compute again; and a matmul that does not. */
static void products_are_dear_to_compute_again(void **state)
{
    static const char *const names[] = {"ampere_sgemm_128x64_nn", "flash_fwd_kernel",
                                        "cudnn_conv_fprop", "reduce_kernel",
                                        "ampere_sgemm_128x64_nn"};
    static const double us[] = {30, 20, 10, 5, 100};
    struct trace_case c;
    (void)state;
    case_begin(&c);
    for (int k = 0; k < 5; k++)
        case_launch(&c, names[k], 10 * k + 1, 1000 + 200 * k, us[k], k + 1);
    case_open(&c, NULL);
    struct analysis a = case_analysis(&c);
    assert_near(recompute_work(c.tmp, &a).ms, 0, 0);
    uint8_t *again = arena_new(&c.perm, uint8_t, c.store.n);
    for (int k = 0; k < 4; k++)
        again[case_find(&c, "hipLaunchKernel", k)] = 1;
    a.recomputed = again;
    struct recomputed_work w = recompute_work(c.tmp, &a);
    assert_near(w.ms, 0.065, 1e-9);
    assert_near(w.dear_ms, 0.060, 1e-9);
    assert_near(gib(3.5 * 1073741824), 3.5, 1e-9);
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_told_unless_memory_is_short),
        cmocka_unit_test(products_are_dear_to_compute_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
