#include "report_phases.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A step of one launch, which keeps the device busy from `from_us` for `dur_us`. */
static void step(struct trace_case *c, const char *name, int k, double from_us,
                 double dur_us)
{
    case_event(c, "user_annotation", name, 1, 10 * k, 5, "");
    case_launch(c, "gemm", 10 * k + 1, from_us, dur_us, 1 + k);
}

static struct report report_of(struct trace_case *c)
{
    struct report r = {0};
    struct report_source s = {&c->perm, &c->tables, NULL, NULL};
    case_open(c, NULL);
    r.timeline.total_ms = (double)c->view.timeline.total_ns / 1e6;
    report_phases_fill(&s, c->tmp, report_event_categories(&c->perm, &s, &r), &r);
    return r;
}

static void shares_total_the_window(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    step(&c, "step[EXTEND bs=1 toks=512]", 0, 100, 600);
    step(&c, "step[EXTEND bs=3 toks=4096]", 1, 700, 1000);
    step(&c, "step[DECODE bs=4]", 2, 1750, 40);
    step(&c, "step[DECODE bs=4]", 3, 1850, 40);
    step(&c, "step[MIXED bs=5]", 4, 2000, 100);
    struct report r = report_of(&c);
    assert_int_equal(r.phases.n, 4);
    assert_true(r.phases.several);
    double sum = 0;
    for (int k = 0; k < r.phases.n; k++)
        sum += r.phases.list[k].wall_pct;
    assert_near(sum, 100, 1e-9);
    const struct report_phase *prefill = report_phase_of(&r, PHASE_PREFILL),
                              *decode = report_phase_of(&r, PHASE_DECODE);
    assert_text(prefill->load, "1 to 3 requests, 512 to 4096 tokens");
    assert_near(prefill->mean_ms, 0.8, 1e-9);
    assert_text(decode->load, "batch 4");
    assert_near(decode->apart_ms, 0.1, 1e-9);
    assert_near(decode->between_idle_ms, 0.06, 1e-9);
    assert_near(decode->waits_pct, 100 * 60 / 140.0, 1e-9);
    assert_text(report_phase_of(&r, PHASE_MIXED)->load, "");
    assert_text(r.phases.headline,
                "Prefill takes 76.2% of the time (2 steps of 0.800 ms on average), "
                "decode 3.8% (2 steps of 0.040 ms on average), both at once 4.8% (one "
                "step of 0.100 ms), neither 15.2%.");
    case_close(&c);
}

static void a_single_phase_names_the_window(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    step(&c,
         "execute_16_context_0(sq0sk0sqsq0sqsk0)_generation_16(sq16sk8193sqsq16"
         "sqsk8193)",
         0, 100, 100);
    step(&c, "step[DECODE bs=16]", 1, 250, 50);
    struct report r = report_of(&c);
    assert_false(r.phases.several);
    assert_text(r.phases.headline,
                "The window holds two decode steps (batch 16, 512 tokens of context "
                "each): 51.7% of its time.");
    case_close(&c);
}

static void both_at_once_is_said_so(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    step(&c, "execute_context_1(7)_generation_2(2)", 0, 100, 100);
    struct report r = report_of(&c);
    assert_text(r.phases.headline,
                "The window holds one step of prefill and decode at once (prompts of 1 "
                "request, 7 tokens; batch 2): 50.0% of its time.");
    case_close(&c);
}

/* What users name may be many steps. */
static void words_name_stretches(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    step(&c, "prefill", 0, 100, 60);
    step(&c, "decode", 1, 160, 40);
    struct report r = report_of(&c);
    assert_text(r.phases.headline,
                "Prefill takes 60.0% of the time (one stretch of 0.060 ms), decode "
                "40.0% (one stretch of 0.040 ms), neither 0%.");
    case_close(&c);
}

static void running_requests_are_explained(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    step(&c, "execute_new_0_cached_3", 0, 100, 100);
    struct report r = report_of(&c);
    assert_text(r.phases.headline,
                "The window holds one step of running requests (batch 3: decode, or "
                "later chunks of prompts): 50.0% of its time.");
    case_close(&c);
}

static void nothing_told_is_nothing_said(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    step(&c, "generate_masks 0", 0, 100, 100);
    struct report r = report_of(&c);
    assert_int_equal(r.phases.n, 0);
    assert_int_equal(r.phases.headline.n, 0);
    assert_null(report_phase_of(&r, PHASE_DECODE));
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_total_the_window),
        cmocka_unit_test(a_single_phase_names_the_window),
        cmocka_unit_test(both_at_once_is_said_so),
        cmocka_unit_test(words_name_stretches),
        cmocka_unit_test(running_requests_are_explained),
        cmocka_unit_test(nothing_told_is_nothing_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
