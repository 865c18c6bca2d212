#include "ci/run_summary.c"

#include "render/page/site_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct arena a;
static char *start;
static struct report r;
static cJSON *summary;

static int set_up(void **state)
{
    (void)state;
    a = arena_reserve(1 << 24);
    start = a.at;
    r = case_report(&a);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    cJSON_Delete(summary);
    summary = NULL;
    arena_release(start, &a);
    return 0;
}

static void make(void)
{
    const struct run_facts facts = {.series = S("night & day"),
                                    .date = S("2026-01-31")};
    cJSON_Delete(summary);
    summary = run_summary(&a, &r, &facts);
}

static const cJSON *found(const char *name)
{
    const cJSON *v = run_summary_find(summary, str_of(name));
    if (!v)
        fail_msg("no %s", name);
    return v;
}

static void is_number(const char *name, double want)
{
    const cJSON *v = found(name);
    if (!cJSON_IsNumber(v) || fabs(v->valuedouble - want) > 1e-9)
        fail_msg("%s: %g, not %g", name, cJSON_IsNumber(v) ? v->valuedouble : 0, want);
}

static void is_text(const char *name, const char *want)
{
    const cJSON *v = found(name);
    assert_true(cJSON_IsString(v));
    assert_string_equal(v->valuestring, want);
}

static void every_figure_has_a_dotted_name(void **state)
{
    (void)state;
    make();
    is_number("window.total_ns", 120e6);
    is_number("window.busy_ns", 100e6);
    is_number("window.idle_ns", 20e6);
    is_number("window.kernel_sum_ns", 100e6); /* of both categories */
    is_number("window.idle_pct", 16.7);
    is_number("categories.gemm.kernel_sum_ns", 60e6);
    is_number("categories.gemm.launches", 20);
    is_number("categories.elementwise.efficiency_pct", 113);
    is_text("findings.f-00000001.severity", "critical");
    is_text("checks.list.shapes.result", "warning");
    assert_null(run_summary_find(summary, S("categories.conv.kernel_sum_ns")));
    assert_null(run_summary_find(summary, S("window.none")));
    assert_null(run_summary_find(summary, S("window.total_ns.more")));
}

static void what_is_not_known_is_null(void **state)
{
    (void)state;
    r.after_first_ms = (double)NAN;
    r.categories[0].efficiency_pct = (double)NAN;
    make();
    assert_true(cJSON_IsNull(found("window.after_first_ns")));
    assert_true(cJSON_IsNull(found("categories.gemm.efficiency_pct")));
    assert_true(cJSON_IsNull(found("steps.median_ns"))); /* there are none */
    assert_true(cJSON_IsNull(found("captured_utc")));
    is_text("date", "2026-01-31");
    is_text("series", "night & day");
}

static void a_time_of_the_trace_is_written_as_programs_do(void **state)
{
    (void)state;
    r.meta.captured = S("2025-07-27 10:11:12 UTC");
    make();
    is_text("captured_utc", "2025-07-27T10:11:12Z");
    r.meta.captured = S("2025-07-27 10:11:12 CET");
    make();
    assert_true(cJSON_IsNull(found("captured_utc")));
}

/* A waived finding counts as waived, a note as nothing. */
static void findings_are_counted_by_severity(void **state)
{
    (void)state;
    make();
    is_number("counts.critical", 1);
    is_number("counts.high", 1);
    is_number("counts.medium", 1);
    is_number("counts.low", 0); /* only a note */
    is_number("counts.waived", 0);
    r.findings[1].waived_until = S("2026-03-01");
    r.findings[1].waived_why = S("later");
    r.findings[3].waived_until = S("2026-03-01");
    make();
    is_number("counts.high", 0);
    is_number("counts.waived", 1);
    is_text("findings.f-00000002.waived.why", "later");
}

static void checks_are_counted_by_result(void **state)
{
    (void)state;
    make();
    is_number("checks.failed", 1);
    is_number("checks.warning", 1);
    is_number("checks.not_evaluated", 1);
    is_number("checks.passed", 1);
    is_text("checks.list.efficiency.what_to_do", "Check the peaks of the platform.");
}

static void a_finding_leads_to_its_card(void **state)
{
    (void)state;
    make();
    is_text("findings.f-00000001.href", "recommendations.html#f-00000001");
    is_text("findings.f-00000001.rule", "gemm.low_efficiency");
    is_text("findings.f-00000001.action", "Pad `N` to a multiple of 64.");
    is_number("findings.f-00000001.gain_low_pct", 21);
    struct finding f = *r.findings[0].of;
    f.impact_then = (struct impact_range){.low_ms = 1.5, .high_ms = 2};
    for (f.until = -1; f.until < 1; f.until++) { /* worth more later, or not */
        cJSON *o = document_json(summed_finding_fields(), &f, a);
        const cJSON *low = cJSON_GetObjectItem(o, "gain_then_low_ns"),
                    *high = cJSON_GetObjectItem(o, "gain_then_high_ns");
        assert_int_equal(cJSON_IsNumber(low) && cJSON_IsNumber(high), f.until >= 0);
        if (f.until >= 0) {
            assert_int_equal(low->valuedouble, 1500000);
            assert_int_equal(high->valuedouble, 2000000);
        }
        cJSON_Delete(o);
    }
    f.algorithmic = S("");
    cJSON *o = document_json(summed_finding_fields(), &f, a);
    assert_string_equal(cJSON_GetObjectItem(o, "action")->valuestring,
                        "Tune the GEMM library.");
    cJSON_Delete(o);
}

/* One failed gate fails all; one that is open leaves all open; warnings fail nothing.
 */
static void gates_come_to_one_word(void **state)
{
    static const struct {
        enum gate_status status[2];
        bool warns;
        const char *want;
    } cases[] = {{{GATE_PASSED, GATE_PASSED}, false, "passed"},
                 {{GATE_PASSED, GATE_FAILED}, false, "failed"},
                 {{GATE_FAILED, GATE_NOT_EVALUATED}, false, "failed"},
                 {{GATE_NOT_EVALUATED, GATE_FAILED}, false, "failed"},
                 {{GATE_NOT_EVALUATED, GATE_PASSED}, false, "not_evaluated"},
                 {{GATE_PASSED, GATE_FAILED}, true, "passed"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gate_expr fails = {.text = S("a>1")}, other = fails;
        other.warns = cases[i].warns;
        struct gate_result gates[] = {{.of = &fails, .status = cases[i].status[0]},
                                      {.of = &other, .status = cases[i].status[1]}};
        make();
        run_summary_gates(summary, &(struct gate_results){gates, 2});
        is_text("verdict.gates", cases[i].want);
    }
    make();
    run_summary_gates(summary, &(struct gate_results){0});
    assert_true(cJSON_IsNull(found("verdict.gates")));
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(every_figure_has_a_dotted_name),
        CASE(what_is_not_known_is_null),
        CASE(a_time_of_the_trace_is_written_as_programs_do),
        CASE(findings_are_counted_by_severity),
        CASE(checks_are_counted_by_result),
        CASE(a_finding_leads_to_its_card),
        CASE(gates_come_to_one_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
