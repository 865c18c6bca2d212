#include "recompute_finding.c"

#include "analysis/library_case.h"
#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A forward kernel of 100 us, and one of 50 in `frame`, around which the backward pass
 * of the reentrant form, if asked for, runs another of 200. */
static double again_ms(const char *frame, bool reentrant)
{
    struct trace_case c;
    case_begin(&c);
    case_launch(&c, "gemm", 5, 10, 100, 1);
    case_frame(&c, frame, 200, 700);
    case_frame(&c, "model.py(8): forward", 210, 100);
    case_launch(&c, "gemm", 220, 230, 50, 2);
    if (reentrant)
        case_frame(&c, "<built-in method run_backward of torch._C._EngineBase>", 400,
                   300);
    case_launch(&c, "gemm_backward", 420, 430, 200, 3);
    case_open(&c, NULL);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    double ms = recompute_ms(c.tmp, &t);
    case_close(&c);
    return ms;
}

static void only_what_is_computed_again_counts(void **state)
{
    (void)state;
    assert_near(again_ms("torch/utils/checkpoint.py(282): backward", true), 0.05, 1e-9);
    assert_near(again_ms("torch/utils/checkpoint.py(1400): recompute_fn", false), 0.25,
                1e-9);
    assert_near(again_ms("torch/utils/checkpoint.py(488): checkpoint", false), 0, 0);
    assert_near(again_ms("mine/checkpoint.py(3): backward", true), 0, 0);
}

/* 25% of memory is free, or less; 5% of the run is computed again, or less. */
static void it_is_told_where_memory_is_free(void **state)
{
    (void)state;
    static const struct {
        double share_pct, free_pct;
        int hits;
    } cases[] = {{5, 25, 1}, {4.9, 25, 0}, {5, 24.9, 0}};
    struct arena perm = arena_reserve(64 << 20);
    char *start = perm.at;
    const char *memory = "assets/patterns/memory.lua";
    struct analysis a = {.patterns = library_open(&perm, &memory, 1)};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const struct work_fact facts[] = {FACT("again_ms", 10.0),
                                          FACT("share_pct", cases[k].share_pct),
                                          FACT("free_pct", cases[k].free_pct),
                                          FACT("reserved_gib", 20.0),
                                          FACT("device_gib", 80.0)};
        int n;
        pattern_host_about(a.patterns, &perm, &a, S("recompute"), facts,
                           (int)(sizeof facts / sizeof *facts), &n);
        assert_int_equal(n, cases[k].hits);
    }
    assert_int_equal(a.n_warnings, 0);
    pattern_host_close(a.patterns);
    arena_release(start, &perm);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_is_computed_again_counts),
        cmocka_unit_test(it_is_told_where_memory_is_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
