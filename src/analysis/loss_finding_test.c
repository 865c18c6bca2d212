/* The loss over a vocabulary: one call takes the place of both of its passes. */
#include "analysis/findings_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Four steps of three kernels of 800 us, a matmul, and three again, of which the first
 * sets the gradient of the logits to zero for 100 us. */
static void both_passes_are_told_once(void **state)
{
    (void)state;
    static const char *const ops[] = {"aten::copy_",
                                      "aten::_log_softmax",
                                      "aten::nll_loss_forward",
                                      "aten::mm",
                                      "aten::nll_loss_backward",
                                      "aten::_log_softmax_backward_data",
                                      "aten::copy_",
                                      "aten::mm"};
    struct trace_case c;
    char more[100];
    case_begin(&c);
    for (int i = 0; i < 32; i++) {
        const char *name = ops[i % 8];
        bool product = str_eq(str_of(name), S("aten::mm"));
        op(&c, name, product ? "[512,512],[512,512]" : "[8192,50304],[8192,50304]",
           10 + 20 * i, product ? "Cijk_Ailk" : "softmax_warp_forward", 2000 + 1000 * i,
           product ? 30 : 800, i + 1);
        if (i % 8 != 4)
            continue;
        case_call(&c, "cudaMemsetAsync", 10.2 + 20 * i, 0.5, 100 + i);
        snprintf(more, sizeof more, "\"correlation\":%d,\"stream\":7,\"bytes\":9",
                 100 + i);
        case_event(&c, "gpu_memset", "Memset (Device)", 7, 1890 + 1000 * i, 100, more);
    }
    struct analysis a = analyse_with(&c, library);
    const struct finding *f = of_pattern(&a, "Unfused cross entropy");
    assert_non_null(f);
    for (int i = 0, n = 0; i < a.n_findings; i++) {
        n += str_eq(a.findings[i].pattern, f->pattern);
        assert_true(n <= 1);
    }
    assert_text(f->title, "Fuse the cross entropy into one kernel");
    assert_int_equal(f->count, 8);
    assert_near(f->time_ms, 4 * (6 * 0.8 + 0.1), 1e-9);
    assert_int_equal(f->n_rows, 5); /* both passes copy */
    assert_true(str_has(f->issue, S("nll_loss_forward` runs 3")));
    assert_true(str_has(f->issue, S("nll_loss_backward to")));
    case_close(&c);
}

/* A log-softmax that a loss over alignments reads is not of a cross entropy. */
static void no_cross_entropy_aligns(void **state)
{
    (void)state;
    static const char *const losses[] = {"aten::nll_loss2d_forward", "aten::_ctc_loss"};
    for (int k = 0; k < 2; k++) {
        const char *const ops[] = {"aten::_log_softmax", "aten::mm", losses[k],
                                   "aten::mm", "aten::_log_softmax_backward_data"};
        struct trace_case c;
        case_begin(&c);
        for (int i = 0; i < 5; i++) {
            bool product = str_eq(str_of(ops[i]), S("aten::mm"));
            op(&c, ops[i], product ? "[512,512],[512,512]" : "[800,64,5000]",
               10 + 20 * i, product ? "Cijk_Ailk" : "softmax_warp_forward",
               2000 + 1000 * i, product ? 30 : 800, i + 1);
        }
        struct analysis a = analyse_with(&c, library);
        assert_int_equal(a.n_warnings, 0);
        assert_int_equal(of_pattern(&a, "loss_softmax") != NULL, k == 0);
        case_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_passes_are_told_once),
        cmocka_unit_test(no_cross_entropy_aligns),
    };
    return cmocka_run_group_tests(tests, open_library, close_library);
}
