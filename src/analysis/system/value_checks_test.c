#include "analysis/system/value_checks.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Ten times: an operator compares, one reduces, and item() reads the result, in a copy
 * and a wait. In an operator around them, or in none. */
static struct value_checks checks_of(const char *compare, const char *around)
{
    struct trace_case c;
    struct idle_span waits[20];
    case_begin(&c);
    for (int k = 0; k < 10; k++) {
        double at = 100.0 * k;
        if (around)
            case_op(&c, around, at, 90);
        case_op(&c, compare, at + 1, 10);
        case_launch(&c, "elementwise", at + 2, at + 10, 5, 3 * k + 1);
        case_op(&c, "aten::any", at + 12, 10);
        case_launch(&c, "reduce", at + 13, at + 20, 5, 3 * k + 2);
        case_op(&c, "aten::item", at + 24, 40);
        case_op(&c, "aten::_local_scalar_dense", at + 25, 38);
        case_call(&c, "cudaMemcpyAsync", at + 26, 10, 3 * k + 3);
        case_copy(&c, "Memcpy DtoH (Device -> Pageable)", at + 30, 2, 3 * k + 3, 1);
        case_call(&c, "cudaStreamSynchronize", at + 40, 20, 0);
    }
    case_open(&c, NULL);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    for (int k = 0; k < 20; k++) {
        event_id call =
            case_find(&c, k % 2 ? "cudaStreamSynchronize" : "cudaMemcpyAsync", k / 2);
        waits[k] = (struct idle_span){c.store.lane[call], call, c.store.start_ns[call],
                                      store_end_ns(&c.store, call)};
    }
    struct value_checks found = value_checks_of(&c.perm, &t, waits, 20);
    case_close(&c);
    return found;
}

static void what_is_read_tells_why(void **state)
{
    static const struct {
        const char *compare, *around;
        int n, backward;
    } cases[] = {
        {"aten::isnan", "autograd::engine::evaluate_function: MmBackward0", 10, 10},
        {"aten::isfinite", "mine::check", 10, 0},
        {"aten::isinf", NULL, 10, 0},
        {"aten::gt", "autograd::engine::evaluate_function: MmBackward0", 0, 0}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct value_checks c = checks_of(cases[k].compare, cases[k].around);
        assert_int_equal(c.reads, 10);
        assert_int_equal(c.n, cases[k].n);
        assert_int_equal(c.work.n_gpu, 3 * cases[k].n); /* 5 us, 5 us, a copy of 2 */
        assert_near(c.work.device_ms, 0.012 * cases[k].n, 1e-9);
        assert_int_equal(c.backward, cases[k].backward);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_read_tells_why)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
