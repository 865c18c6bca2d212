/* A checkpoint that a step writes: its copies and its file are one finding. */
#include "analysis/findings_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static int n_of_copies(const struct analysis *a)
{
    int n = 0;
    for (int k = 0; k < a->n_findings; k++)
        n += a->findings[k].copies && !a->findings[k].idle;
    return n;
}

/* 9 copies of 1 ms by `to_cpu`, then 30 ms in which a file is written: by the function
 * around both, or behind what the copies are for. */
static struct finding saved(bool together, int *n_copies)
{
    struct trace_case c;
    int k = 0;
    double at = 10;
    case_begin(&c);
    case_frame(&c, "train.py(9): train", 0, 60000);
    case_launch(&c, "gemm", 2, 10, 5000, ++k);
    case_frame(&c, together ? "train.py(40): keep" : "train.py(50): score", at,
               together ? 44000 : 14105);
    case_frame(&c, "state.py(7): to_cpu", at + 1, 14100);
    for (int i = 0; i < 9; i++) {
        double from = 5020 + 1010 * i;
        case_op(&c, "aten::copy_", i ? from - 10 : at + 2, i ? 1006 : 6000);
        case_call(&c, "hipMemcpyAsync", i ? from - 8 : at + 3, i ? 1002 : 5998, ++k);
        case_copy(&c, "Memcpy DtoH (Device -> Pageable)", from, 980, k, 4 << 20);
    }
    case_frame(&c, "torch/serialization.py(943): save", 14120, 29800);
    case_launch(&c, "gemm", 44100, 44110, 5000, ++k);
    struct analysis a = analyse_with(&c, library);
    struct finding found = {0};
    for (int i = 0; i < a.n_findings; i++)
        if (str_eq(a.findings[i].cause, S("checkpoint")) && a.findings[i].idle)
            found = a.findings[i];
    *n_copies = n_of_copies(&a);
    case_close(&c);
    return found;
}

static void copies_of_a_checkpoint_go_with_it(void **state)
{
    (void)state;
    int n;
    struct finding f = saved(true, &n);
    assert_int_equal(n, 0);
    assert_int_equal(f.n_gpu, 9);
    assert_true(f.impact.high_ms > 38);
    f = saved(false, &n);
    assert_int_equal(n, 1);
    assert_true(f.n_gpu == 0 && f.impact.high_ms < 31);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_of_a_checkpoint_go_with_it)};
    return cmocka_run_group_tests(tests, open_library, close_library);
}
