#include "analysis/facts/facts_trace.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* 362 TFLOP/s and 864 GB/s: 419 FLOP a byte, an eighth of which are 52 tokens. */
static void decoding_few_tokens_reads_weights(void **state)
{
    static const struct {
        const char *steps[2];
        double tokens, few;
    } cases[] = {{{"step[DECODE bs=4]", "step[DECODE bs=52]"}, 52, 1},
                 {{"step[DECODE bs=4]", "step[DECODE bs=53]"}, 53, 0},
                 {{"step[DECODE bs=4]", "step[EXTEND bs=2 toks=4096]"}, 0, 0},
                 {{"decode", "decode"}, 0, 0},
                 {{"aten::mm", "aten::mm"}, 0, 0}};
    static struct device_peak peaks[] = {{S_INIT("matrix_bf16"), 362},
                                         {S_INIT("matrix_fp16"), 362}};
    static const struct device_spec device = {
        .memory_gb_per_s = 864, .peaks = peaks, .n_peaks = 2};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct trace_case c;
        case_begin(&c);
        for (int i = 0; i < 2; i++) {
            case_event(&c, "user_annotation", cases[k].steps[i], 1, 100.0 * i, 90,
                       "\"k\":1");
            case_launch(&c, "gemm", 100.0 * i + 1, 100.0 * i + 20, 50, i + 1);
        }
        case_open(&c, &device);
        struct analysis a = case_analysis(&c);
        a.n_facts = 0;
        facts_of_trace(&c.perm, &a);
        assert_true(work_trace_number(&a, "decode_tokens") == cases[k].tokens);
        assert_true(work_trace_number(&a, "few_tokens") == cases[k].few);
        case_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decoding_few_tokens_reads_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
