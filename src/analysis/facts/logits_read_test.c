#include "analysis/facts/logits_read.h"

#include "analysis/findings_case.h"
#include "analysis/model/system_results.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A softmax over the logits of 4 x 64 positions, 100 us, and then what else is read. */
static struct logits_read read_by(const char *name, const char *dims)
{
    struct trace_case c;
    case_begin(&c);
    op(&c, "aten::mm", "[256,64],[64,20000]", 10, "gemm", 100, 50, 1);
    op(&c, "aten::copy_", "[4,64,20000],[4,64,20000]", 30, "copy", 200, 40, 2);
    op(&c, "aten::_log_softmax", "[4,64,20000]", 50, "softmax", 300, 100, 3);
    if (name)
        op(&c, name, dims, 70, "kernel", 500, 3, 4);
    struct analysis a = analyse(&c);
    struct logits_read l = logits_read_of(&a, 256, 20000, 1);
    case_close(&c);
    return l;
}

static void what_follows_a_softmax_tells_how_much_of_it_is_read(void **state)
{
    (void)state;
    assert_near(read_by("aten::index", "[4,20000],[2]").rows, 4, 1e-9);
    assert_near(read_by("aten::index", "[4,20000],[2]").beside_ms, 0.14, 1e-9);
    assert_near(read_by(NULL, "").rows, 256, 1e-9); /* nobody knows by whom */
    assert_near(read_by(NULL, "").beside_ms, 0.04, 1e-9);
    assert_near(read_by("aten::gather", "[4,64,20000],[4,64,1]").rows, 256, 1e-9);
    assert_near(read_by("aten::sum", "[4,64,20000]").rows, 256, 1e-9);
    assert_near(read_by("aten::index", "[32,20000],[2]").rows, 256, 1e-9);
}

static void view(struct trace_case *c, const char *dims, double at)
{
    char more[120];
    snprintf(more, sizeof more, "\"Input Dims\":[%s]", dims);
    case_event(c, "cpu_op", "aten::select", 1, at, 4, more);
}

static void to_host(struct trace_case *c, const char *name, double at, double start_us,
                    int correlation)
{
    case_event(c, "cpu_op", name, 1, at, 8,
               "\"Input Dims\":[[4,64,20000],[4,64,20000]]");
    case_call(c, "cudaMemcpyAsync", at + 1, 2, correlation);
    case_copy(c, "Memcpy DtoH (Device -> Pageable)", start_us, 40, correlation,
              10240000);
}

/* Two matmuls and casts of all 256 positions; of each, `times` views take `rows`, of
 * which two more take a column each, and `name` works on all. */
static struct logits_read selected_by(const char *rows, int times, const char *name,
                                      const char *kernel)
{
    struct trace_case c;
    case_begin(&c);
    for (int k = 0; k < 2; k++) {
        double at = 1000 * k;
        op(&c, "aten::mm", "[256,64],[64,20000]", at + 10, "gemm", at + 100, 50,
           3 * k + 1);
        op(&c, "aten::copy_", "[4,64,20000],[4,64,20000]", at + 30, "copy", at + 200,
           40, 3 * k + 2);
        if (name && kernel)
            op(&c, name, "[4,64,20000],[4,64,20000]", at + 50, kernel, at + 300, 40,
               3 * k + 3);
        else if (name)
            to_host(&c, name, at + 50, at + 300, 3 * k + 3);
        for (int i = 0; i < times; i++) {
            view(&c, "[4,64,20000],[],[]", at + 60 + 20 * i);
            view(&c, rows, at + 65 + 20 * i);
            view(&c, rows, at + 70 + 20 * i);
        }
    }
    struct analysis a = analyse_with(&c, library);
    struct logits_read l = logits_read_of(&a, 256, 20000, 2);
    assert_true(!!of_pattern(&a, "unread_logits") == (l.rows * 16 <= 256));
    case_close(&c);
    return l;
}

static void views_tell_how_much_is_read_where_no_kernel_does(void **state)
{
    (void)state;
    assert_near(selected_by("[4,20000],[],[]", 1, NULL, NULL).rows, 4, 1e-9);
    assert_near(selected_by("[4,20000],[],[]", 1, NULL, NULL).beside_ms, 0.08, 1e-9);
    assert_near(selected_by("[64,20000],[],[]", 4, NULL, NULL).rows, 256, 1e-9);
    /* Something else reads all of them, here or on the host. */
    assert_true(isnan(selected_by("[4,20000],[],[]", 1, "aten::sum", "sum").rows));
    assert_true(isnan(selected_by("[4,20000],[],[]", 1, "aten::copy_", NULL).rows));
    assert_true(isnan(selected_by("[4,64],[],[]", 1, NULL, NULL).rows));
}

/* Log-probs of four batches of 256 tokens: a cast, a softmax and a gather, and a
 * composite of four kernels, all over the logits; or of 32 tokens, as they decode. */
static void passes_over_logits_are_one_finding(void **state)
{
    (void)state;
    static const char *const steps[] = {
        "aten::copy_", "aten::div_", "aten::_log_softmax", "aten::gather",
        "aten::amax",  "aten::sub",  "aten::exp_",         "aten::sum"};
    for (int rows = 256; rows >= 32; rows -= 224) {
        struct trace_case c;
        char mm[60], logits[60], dims[160];
        snprintf(mm, sizeof mm, "[%d,64],[64,20000]", rows);
        snprintf(logits, sizeof logits, "[%d,20000]", rows);
        snprintf(dims, sizeof dims, "\"Input Dims\":[%s],\"Input type\":[\"float\"]",
                 logits);
        case_begin(&c);
        for (int k = 0; k < 4; k++) {
            double at = 400 * k, on = 9000 + 2000 * k;
            op(&c, "aten::mm", mm, at + 10, "Cijk_gemm", on, 300, 9 * k + 1);
            for (int i = 0; i < 8; i++) {
                if (i == 4)
                    case_event(&c, "cpu_op", "aten::logsumexp", 1, at + 109, 85, dims);
                op(&c, steps[i], logits, at + 30 + 20 * i,
                   i > 3 ? "reduce_kernel" : "copy", on + 300 + 100 * i, 100,
                   9 * k + 2 + i);
            }
        }
        struct analysis a = analyse_with(&c, library);
        const struct finding *f = of_pattern(&a, "logprob_passes");
        assert_true(!!f == (rows == 256));
        if (f) {
            assert_near(f->time_ms, 4 * 8 * 0.1, 1e-9);
            assert_text(f->title,
                        "Compute the log-probs block by block, not in 8 passes "
                        "over all logits");
            assert_true(str_has(f->issue, S("256 positions x 20000 tokens")));
            assert_true(f->impact_kernel.low_ms > 0.8 * f->time_ms);
            for (int k = 0; k < a.system->fusion.n_candidates; k++)
                assert_true(a.system->fusion.candidates[k].reason.n > 0);
            for (int k = 0; k < a.n_findings; k++)
                assert_true(&a.findings[k] == f || a.findings[k].tier == TIER_SYSTEM ||
                            str_eq(a.findings[k].op, S("aten::mm")));
        }
        case_close(&c);
    }
}

/* A module of a matmul and what goes over all logits, where one in 64 is read. */
static void logits_that_nobody_reads_are_not_fused(void **state)
{
    (void)state;
    for (int few = 0; few < 2; few++) {
        struct trace_case c;
        case_begin(&c);
        for (int k = 0; k < 10; k++) {
            double at = 400 * k, on = 9000 + 1000 * k;
            case_frame(&c, "nn.Module: Head_0", at, 300);
            op(&c, "aten::mm", "[256,64],[64,20000]", at + 10, "Cijk_gemm", on, 50,
               4 * k + 1);
            op(&c, "aten::mul", "[256,20000],[256,20000]", at + 30, "mul", on + 50, 100,
               4 * k + 2);
            op(&c, "aten::argmax", few ? "[4,20000]" : "[256,20000]", at + 310, "max",
               on + 200, 10, 4 * k + 3);
        }
        struct analysis a = analyse(&c);
        const struct fusion_result *r = &a.system->fusion;
        assert_true(r->n_candidates > 0);
        assert_int_equal(str_eq(r->candidates[0].reason,
                                S("most logits that it makes are not read")),
                         few);
        case_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_follows_a_softmax_tells_how_much_of_it_is_read),
        cmocka_unit_test(views_tell_how_much_is_read_where_no_kernel_does),
        cmocka_unit_test(passes_over_logits_are_one_finding),
        cmocka_unit_test(logits_that_nobody_reads_are_not_fused),
    };
    return cmocka_run_group_tests(tests, open_library, close_library);
}
