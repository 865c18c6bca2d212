/* What findings about fused attention advise. */
#include "analysis/findings_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Four calls of 200 us on sequences of 141, far below what is expected. */
static void told_of(int batch, const char *want)
{
    struct trace_case c;
    struct arena perm = arena_reserve(64 << 20);
    char more[400];
    snprintf(more, sizeof more,
             "\"Input Dims\":[[%d,8,141,64],[%d,8,141,64],[%d,8,141,64],[],[],[],[]],"
             "\"Input type\":[\"c10::BFloat16\",\"c10::BFloat16\",\"c10::BFloat16\","
             "\"Scalar\",\"Scalar\",\"Scalar\",\"\"],"
             "\"Concrete Inputs\":[\"\",\"\",\"\",\"0.\",\"False\",\"False\",\"\"]",
             batch, batch, batch);
    case_begin(&c);
    for (int k = 0; k < 4; k++) {
        case_event(&c, "cpu_op", "aten::_scaled_dot_product_flash_attention", 1,
                   10 + 300 * k, 8, more);
        case_launch(&c, "attn_fwd", 11 + 300 * k, 15 + 300 * k, 200, k + 1);
    }
    struct pattern_host *h = library_open(&perm, NULL, 0);
    struct analysis a = analyse_with(&c, h);
    struct str title = S("");
    for (int i = 0; i < a.n_findings; i++)
        if (a.findings[i].category == WORK_SDPA_FWD)
            title = a.findings[i].title;
    assert_text(title, want);
    pattern_host_close(h);
    case_close(&c);
}

/* There is nothing to pack in a batch of one. */
static void one_sequence_is_not_packed(void **state)
{
    (void)state;
    told_of(1, "Raise the batch for scaled_dot_product_flash_attention: one sequence "
               "of N=141 is too short");
    told_of(2, "Pack sequences: scaled_dot_product_flash_attention is slow at N=141");
}

static void dims_of(char *more, size_t room, int n, const char *const *dims)
{
    int at = snprintf(more, room, "\"Input Dims\":[");
    for (int i = 0; i < 7; i++)
        at += snprintf(more + at, room - (size_t)at, "%s%s", i ? "," : "",
                       i < n ? dims[i] : "[]");
    at += snprintf(more + at, room - (size_t)at, "],\"Input type\":[");
    for (int i = 0; i < 7; i++)
        at += snprintf(more + at, room - (size_t)at, "%s\"%s\"", i ? "," : "",
                       i < n ? "c10::BFloat16" : "Scalar");
    snprintf(more + at, room - (size_t)at,
             "],\"Concrete Inputs\":[\"\",\"\",\"\",\"\",\"True\",\"0.\",\"False\"]");
}

/* Three layers on 4096 positions, forward and backward, with a mask of all pairs that
 * each layer copies; or without. */
static struct analysis masked_layers(struct trace_case *c, bool masked)
{
    static const char forward[] = "aten::_scaled_dot_product_efficient_attention",
                      backward[] =
                          "aten::_scaled_dot_product_efficient_attention_backward";
    const char *q = "[4,12,4096,128]", *mask = masked ? "[4,12,4096,4096]" : "[]";
    char more[700];
    case_begin(c);
    for (int k = 0; k < 3; k++) {
        double at = 1000 * k, on = 30000 * k;
        if (masked) {
            dims_of(more, sizeof more, 2, (const char *const[]){mask, mask});
            case_event(c, "cpu_op", "aten::copy_", 1, at + 10, 8, more);
            case_launch(c, "copy", at + 11, on + 100, 1000, 3 * k + 1);
        }
        dims_of(more, sizeof more, masked ? 4 : 3,
                (const char *const[]){q, q, q, mask});
        case_event(c, "cpu_op", forward, 1, at + 30, 8, more);
        case_launch(c, "fmha_cutlassF_bf16", at + 31, on + 2000, 3000, 3 * k + 2);
        dims_of(more, sizeof more, masked ? 7 : 4,
                (const char *const[]){q, q, q, q, mask, q, "[4,12,4096]"});
        case_event(c, "cpu_op", backward, 1, at + 60, 8, more);
        case_launch(c, "fmha_cutlassB_bf16", at + 61, on + 6000, 9000, 3 * k + 3);
    }
    return analyse_with(c, library);
}

/* What it costs forward, backward and to copy has one cause. */
static void a_dense_mask_is_one_finding(void **state)
{
    (void)state;
    for (int masked = 0; masked < 2; masked++) {
        struct trace_case c;
        struct analysis a = masked_layers(&c, masked);
        const struct finding *f = of_pattern(&a, "dense_mask");
        assert_true(!!f == !!masked);
        assert_true(!!of_pattern(&a, "attention_below_band") == !masked);
        if (f) {
            assert_near(f->time_ms, 3 * (1 + 3 + 9), 1e-9);
            assert_true(str_has(f->issue, S("which 3 copies write: 3.00 ms")));
            assert_true(f->impact_kernel.low_ms > 0.3 * f->time_ms &&
                        f->impact_kernel.high_ms < f->time_ms);
        }
        case_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_sequence_is_not_packed),
        cmocka_unit_test_setup_teardown(a_dense_mask_is_one_finding, open_library,
                                        close_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
