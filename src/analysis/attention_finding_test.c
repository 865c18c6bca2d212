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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_sequence_is_not_packed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
