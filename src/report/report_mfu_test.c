#include "report_mfu.c"

#include "analysis/facts/model_use.h"
#include "analysis/model/system_results.h"
#include "base/arena_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* The share of a window that is mostly set-up is none of the model's; that of marked
 * steps is. */
static void a_cold_window_tells_no_mfu(void **state)
{
    (void)state;
    struct model_use use = {.used_pct = 20,
                            .mfu_pct = 20,
                            .hfu_pct = (double)NAN,
                            .type = S("fp32"),
                            .type_pct = 100,
                            .peak_tflop_per_s = 19.5,
                            .covered_pct = 100};
    struct system_results system = {0};
    struct analysis of = {.use = &use, .system = &system};
    struct report_source s = {.perm = &a, .a = &of};
    struct report r = {.analysis = &of, .timeline.total_ms = 100};
    report_mfu_fill(&s, &r);
    assert_text(r.mfu.says, "MFU 20.0% of the dense fp32 peak (19.5 TFLOP/s). "
                            "Performance models cover 100.0% of kernel time.");
    r.mfu.says = S("");
    system.idle.class_ns[IDLE_FIRST_LAUNCH] = 10000000;
    report_mfu_fill(&s, &r);
    assert_text(r.mfu.says, "");
    use.n_steps = 2;
    report_mfu_fill(&s, &r);
    assert_true(r.mfu.says.n > 0);
}

/* A lower bound of what models cover little of says next to nothing. */
static void a_bound_of_little_tells_no_mfu(void **state)
{
    (void)state;
    struct model_use use = {.used_pct = 4,
                            .mfu_pct = 4,
                            .hfu_pct = (double)NAN,
                            .type = S("bf16"),
                            .type_pct = 100,
                            .peak_tflop_per_s = 362,
                            .n_steps = 2,
                            .covered_pct = 24,
                            .lower_bound = true};
    struct system_results system = {0};
    struct analysis of = {.use = &use, .system = &system};
    struct report_source s = {.perm = &a, .a = &of};
    struct report r = {.analysis = &of, .timeline.total_ms = 100};
    report_mfu_fill(&s, &r);
    assert_text(r.mfu.says, "");
    use.covered_pct = 25;
    report_mfu_fill(&s, &r);
    assert_true(str_starts(r.mfu.says, S("MFU at least 4.0%")));
    use.used_pct = use.mfu_pct = 0.9;
    r = (struct report){.analysis = &of, .timeline.total_ms = 100};
    report_mfu_fill(&s, &r);
    assert_text(r.mfu.says, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cold_window_tells_no_mfu),
        cmocka_unit_test(a_bound_of_little_tells_no_mfu)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
