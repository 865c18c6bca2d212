#include "report_verdict.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct arena memory;

static struct report run_of(struct analysis *a, double compute, double idle,
                            double comm, double copies)
{
    return (struct report){.analysis = a,
                           .meta = {.has_gpu = true},
                           .timeline = {.total_ms = 2000,
                                        .computation_pct = compute,
                                        .idle_pct = idle,
                                        .exposed_comm_pct = comm,
                                        .exposed_memcpy_pct = copies}};
}

static void assert_kind(struct report r, enum verdict_kind kind, const char *begin)
{
    struct report_source s = {.perm = &memory, .a = r.analysis};
    report_verdict_fill(&s, &r);
    assert_int_equal(r.verdict_kind, kind);
    assert_true(str_starts(r.verdict, str_of(begin)));
}

static void each_kind(void **state)
{
    (void)state;
    struct system_results results = {.idle = {.class_ns = {[IDLE_PYTHON] = 9}}};
    struct analysis a = {.system = &results};
    assert_kind(run_of(&a, 80, 20, 0, 0), VERDICT_DEVICE,
                "Device-bound: the GPU computes for 80.0% of 2.00 s.");
    assert_kind(run_of(&a, 60, 39, 1, 0), VERDICT_HOST,
                "Host-bound: the GPU is idle for 39.0% of 2.00 s");
    assert_kind(
        run_of(&a, 40, 25, 35, 0), VERDICT_COMMUNICATION,
        "Communication-bound: collectives that no computation hides take 35.0%");
    assert_kind(run_of(&a, 40, 25, 5, 30), VERDICT_COPIES, "Copy-bound: copies");
    assert_kind((struct report){.analysis = &a}, VERDICT_UNJUDGED,
                "The trace holds no device events");

    struct finding loader = {.category = WORK_CPU_IDLE,
                             .pattern = S("host_loader"),
                             .title = S("GPU idle 700 ms while the step waits"),
                             .impact = {25, 35, 500, 700, S("")}};
    struct report_finding one = {.of = &loader};
    struct report r = run_of(&a, 60, 39, 1, 0);
    r.findings = &one;
    r.n_findings = 1;
    assert_kind(r, VERDICT_INPUT, "Input-bound: ");
    struct report_source s = {.perm = &memory, .a = &a};
    a.n_together = 2;
    a.together = (struct impact_range){30, 40, 600, 800, S("")};
    report_verdict_fill(&s, &r);
    assert_true(
        str_eq(r.lead, S("First: GPU idle 700 ms while the step waits. Mending "
                         "it saves 500.0 to 700.0 ms (2.00 s becomes about "
                         "1.40 s), the first two together 600.0 to 800.0 ms.")));

    loader.pattern = S("host_no_input");
    assert_kind(r, VERDICT_NO_WORK,
                "Without work: the GPU is idle for 39.0% of 2.00 s");
    results.idle.class_ns[IDLE_LOAD] = 10;
    loader.pattern = S("host_recompile"); /* more than once is no warm-up */
    assert_kind(r, VERDICT_HOST, "Host-bound: ");
    loader.pattern = S("host_loader");
    results.idle.class_ns[IDLE_LOAD] = 0;

    results.idle.class_ns[IDLE_FIRST_LAUNCH] = 10;
    assert_kind(r, VERDICT_WARM_UP, "Mostly warm-up: ");
    assert_true(str_eq(verdict_word(VERDICT_WARM_UP), S("mostly warm-up")));
    report_verdict_fill(&s, &r); /* mending the start saves nothing later */
    assert_true(str_eq(r.lead, S("First: record again after warm-up steps; GPU idle "
                                 "700 ms while the step waits.")));
}

/* Computation of 74% bounds the run unless what it would save waits for the host. */
static void a_device_with_slack_does_not_bind(void **state)
{
    (void)state;
    struct system_results results = {0};
    struct analysis a = {.system = &results};
    struct finding f = {.tier = TIER_COMPUTE,
                        .title = S("fp32 convolutions"),
                        .until = -1,
                        .impact = {30, 30, 600, 600, S("")}};
    struct report_finding one = {.of = &f};
    struct report r = run_of(&a, 74, 23, 0, 3);
    r.findings = &one;
    r.n_findings = 1;
    assert_kind(r, VERDICT_DEVICE, "Device-bound: ");
    f.until = 0;
    f.impact_then = f.impact;
    f.impact.high_ms = 20;
    assert_kind(r, VERDICT_HOST, "Host-bound: ");
    f.kind = FIND_UNMODELLED;
    f.compute_pct = 49;
    assert_null(report_unjudged(&r));
    f.compute_pct = 51;
    assert_ptr_equal(report_unjudged(&r), &f);
}

static struct str contrast_of(enum verdict_kind kind, double prefill_waits_pct,
                              double decode_waits_pct, double decode_pct)
{
    struct report_phase list[] = {{.phase = PHASE_PREFILL,
                                   .id = S("prefill"),
                                   .wall_pct = 40,
                                   .waits_pct = prefill_waits_pct},
                                  {.phase = PHASE_DECODE,
                                   .id = S("decode"),
                                   .wall_pct = decode_pct,
                                   .waits_pct = decode_waits_pct}};
    struct report r = {.verdict_kind = kind, .phases = {.list = list, .n = 2}};
    return phase_sentence(&memory, &r);
}

static void one_phase_may_wait_alone(void **state)
{
    (void)state;
    const struct str decode = S("Only decode waits for the host: the GPU is idle for "
                                "60.0% of the time in and between its steps, in "
                                "prefill for 3.0%.");
    assert_true(str_eq(contrast_of(VERDICT_HOST, 3, 60, 50), decode));
    assert_true(str_starts(contrast_of(VERDICT_DEVICE, 60, 3, 50), S("Only prefill")));
    assert_int_equal(contrast_of(VERDICT_HOST, 30, 60, 50).n, 0);
    assert_int_equal(contrast_of(VERDICT_DEVICE, 3, 6, 50).n, 0);
    assert_int_equal(contrast_of(VERDICT_HOST, 3, 60, 5).n, 0);
    assert_int_equal(contrast_of(VERDICT_COMMUNICATION, 3, 60, 50).n, 0);
}

/* The contrast of phases is a sentence of its own, at the end of the verdict. */
static void the_verdict_is_kept_without_the_contrast(void **state)
{
    (void)state;
    struct report_phase list[] = {
        {.phase = PHASE_PREFILL, .id = S("prefill"), .wall_pct = 40, .waits_pct = 3},
        {.phase = PHASE_DECODE, .id = S("decode"), .wall_pct = 50, .waits_pct = 60}};
    struct system_results results = {.idle = {.class_ns = {[IDLE_PYTHON] = 9}}};
    struct analysis a = {.system = &results};
    struct report r = run_of(&a, 60, 39, 1, 0);
    struct report_source s = {.perm = &memory, .a = &a};
    const struct str alone =
        S("Host-bound: the GPU is idle for 39.0% of 2.00 s and waits for the host.");
    report_verdict_fill(&s, &r);
    assert_true(str_eq(r.verdict, alone) && str_eq(r.verdict_alone, alone));
    r.phases.list = list;
    r.phases.n = 2;
    report_verdict_fill(&s, &r);
    assert_true(str_eq(r.verdict_alone, alone));
    assert_true(str_starts(str_skip(r.verdict, alone.n), S(" Only decode waits")));
}

int main(void)
{
    memory = arena_reserve(1 << 20);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind),
        cmocka_unit_test(one_phase_may_wait_alone),
        cmocka_unit_test(the_verdict_is_kept_without_the_contrast),
        cmocka_unit_test(a_device_with_slack_does_not_bind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
