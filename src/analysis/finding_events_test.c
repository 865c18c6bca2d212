#include "finding_events.c"

#include "analysis/findings_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* From `at` on: three copies of a shape, `copy_us` each, and attention over it. */
static void attention(struct trace_case *c, const char *name, const char *dims,
                      double at, double start_us, double copy_us, int correlation)
{
    char two[80], three[120];
    snprintf(two, sizeof two, "%s,%s", dims, dims);
    snprintf(three, sizeof three, "%s,%s", two, dims);
    case_frame(c, "attention.py(18): run", at, 100);
    for (int k = 0; k < 3; k++) {
        case_frame(c, "<built-in method contiguous of Tensor>", at + 1 + 10 * k, 9);
        op(c, "aten::copy_", two, at + 2 + 10 * k, "elementwise_kernel",
           start_us + copy_us * k, copy_us, correlation + k);
    }
    case_frame(c, "<built-in function attention>", at + 40, 20);
    op(c, name, three, at + 42, "attn", start_us + 3 * copy_us, 60, correlation + 3);
}

static const struct finding *about_copies(const struct analysis *a,
                                          enum work_category category)
{
    for (int i = 0; i < a->n_findings; i++)
        if (a->findings[i].category == category &&
            str_eq(a->findings[i].pattern, S("contiguous_copies")))
            return &a->findings[i];
    return NULL;
}

/* What goes are the copies beside the attention call, ten times as long as the call. */
static void copies_around_attention_go_not_the_attention(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    attention(&c, "aten::_scaled_dot_product_flash_attention", "[2,4,64,32]", 0, 20,
              200, 1);
    struct analysis a = analyse_with(&c, library);
    const struct finding *f = about_copies(&a, WORK_SDPA_FWD);
    assert_non_null(f);
    assert_true(str_starts(f->title, S("Pass Q, K and V to ")));
    assert_true(f->impact.low_ms > 0.4 && f->impact.high_ms > 0.5);
    case_close(&c);
}

static int64_t its_events_ns(struct trace_case *c, const struct analysis *a,
                             const struct finding *f, int32_t *n)
{
    struct device_events e = finding_events(&c->perm, a, f);
    int64_t ns = 0;
    for (int32_t k = 0; k < e.n; k++)
        ns += store_dur_ns(&c->store, e.at[k]);
    *n = e.n;
    return ns;
}

/* Forward copies take 200 us each, those of the backward pass 150: each finding is
 * about its own three, and neither about attention. */
static void copies_belong_to_their_direction(void **state)
{
    (void)state;
    struct trace_case c;
    int32_t n;
    case_begin(&c);
    attention(&c, "aten::_scaled_dot_product_flash_attention", "[2,4,64,32]", 0, 100,
              200, 1);
    attention(&c, "aten::_scaled_dot_product_flash_attention_backward", "[2,4,128,32]",
              200, 1000, 150, 11);
    struct analysis a = analyse_with(&c, library);
    const struct finding *fwd = about_copies(&a, WORK_SDPA_FWD),
                         *bwd = about_copies(&a, WORK_SDPA_BWD);
    assert_non_null(fwd);
    assert_non_null(bwd);
    assert_int_equal(its_events_ns(&c, &a, fwd, &n), 3 * 200000);
    assert_int_equal(n, 3);
    assert_int_equal(its_events_ns(&c, &a, bwd, &n), 3 * 150000);
    assert_int_equal(n, 3);
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_around_attention_go_not_the_attention),
        cmocka_unit_test(copies_belong_to_their_direction),
    };
    return cmocka_run_group_tests(tests, open_library, close_library);
}
