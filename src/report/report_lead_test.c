#include "report/report_lead.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"

enum { FINDINGS = 3 };

static struct finding of[FINDINGS];
static struct report_finding findings[FINDINGS];
static struct analysis an;
static struct report r;

/* A run of 200 ms; three findings that save 10 to 30, 4 and 1 ms. */
static int begin(void **state)
{
    static const double low[] = {10, 4, 1}, high[] = {30, 4, 1};
    (void)state;
    for (int k = 0; k < FINDINGS; k++) {
        of[k] = (struct finding){
            .title = k ? S("Fuse two") : S("Pad N"),
            .tier = TIER_COMPUTE,
            .impact = {low[k] / 2, high[k] / 2, low[k], high[k], S_INIT("")},
            .part_high = 1};
        findings[k] = (struct report_finding){.of = &of[k]};
    }
    an = (struct analysis){
        .findings = of, .together = {15, 20, 30, 40, S_INIT("")}, .n_together = 2};
    r = (struct report){.findings = findings,
                        .n_findings = FINDINGS,
                        .analysis = &an,
                        .timeline.total_ms = 200};
    return 0;
}

static void sentence_is(const char *want)
{
    report_lead_fill(&a, &r);
    assert_text(report_first_sentence(&a, &r), want);
}

static void the_first_finding_leads(void **state)
{
    (void)state;
    sentence_is(
        "First, pad N. This saves 10 to 30 ms (200.0 ms becomes about 180.0 ms). "
        "Fixing the first two saves 30 to 40 ms, less than their sum, as savings "
        "overlap.");
    assert_true(r.after_first_ms == 180);
    assert_true(r.after_together_ms == 165);
    assert_ptr_equal(r.leads, &findings[0]);
    assert_text(r.leads_title, "pad N");
    of[0].informational = true; /* a remark leads nothing */
    report_lead_fill(&a, &r);
    assert_ptr_equal(r.first, &of[1]);
    assert_ptr_equal(r.leads, &findings[1]);
    assert_true(r.after_first_ms == 196);
}

/* Of a saving of less than 1 % of the time nothing is led. */
static void a_small_saving_leads_nothing(void **state)
{
    (void)state;
    of[0].impact = (struct impact_range){0.5, 1.4, 1, 2.8, S("")};
    sentence_is("No finding would save 1% of the time.");
    assert_null(r.leads);
    of[2].pattern = S("unknown_kernel"); /* but a kernel that nothing is known of */
    report_lead_fill(&a, &r);
    assert_ptr_equal(r.first, &of[2]);
    of[0].impact.high_pct = 1.5;
    report_lead_fill(&a, &r);
    assert_ptr_equal(r.first, &of[0]);
    assert_ptr_equal(r.leads, &findings[0]);
    r.n_findings = 0;
    sentence_is("No finding.");
    assert_true(isnan(r.after_first_ms));
}

static void what_is_recorded_first_promises_nothing(void **state)
{
    (void)state;
    of[0].recording = true;
    sentence_is("First, pad N.");
    assert_null(r.leads);
    assert_true(isnan(r.after_first_ms));
    begin(state);
    r.verdict_kind = VERDICT_WARM_UP;
    sentence_is("First, record after warm-up. Then pad N.");
    assert_null(r.leads);
    begin(state);
    r.verdict_kind = VERDICT_HIDDEN;
    of[2].pattern = S("hidden_work");
    report_lead_fill(&a, &r);
    assert_ptr_equal(r.first, &of[2]);
    assert_null(r.leads);
    r.verdict_kind = VERDICT_INPUT;
    of[1].pattern = S("host_loader");
    report_lead_fill(&a, &r);
    assert_ptr_equal(r.first, &of[0]); /* a loader of which nothing else is to record */
    of[1].recording = true;
    report_lead_fill(&a, &r);
    assert_ptr_equal(r.first, &of[1]);
}

/* A replay of several at once; not of one alone, nor of what it knows nothing of. */
static void findings_save_together(void **state)
{
    (void)state;
    an.n_together = 1;
    report_lead_fill(&a, &r);
    assert_true(isnan(r.after_together_ms));
    begin(state);
    an.no_system_impact = true;
    report_lead_fill(&a, &r);
    assert_true(isnan(r.after_together_ms));
    begin(state);
    of[0].part_high = (double)NAN; /* no replay of the first */
    report_lead_fill(&a, &r);
    assert_true(isnan(r.after_together_ms));
    begin(state);
    an.together = of[0].impact; /* the second adds nothing */
    sentence_is("First, pad N. This saves 10 to 30 ms (200.0 ms becomes about 180.0 "
                "ms).");
}

static void stages_are_what_is_left(void **state)
{
    (void)state;
    an.stages[0] =
        (struct saving_stage){.finding = 0, .saved = {.low_ms = 10, .high_ms = 30}};
    an.stages[1] =
        (struct saving_stage){.finding = 1, .saved = {.low_ms = 30, .high_ms = 40}};
    an.sets[1] = an.stages[0].saved;
    an.n_sets = 2;
    report_lead_fill(&a, &r);
    assert_int_equal(r.n_stages, 2);
    assert_ptr_equal(r.stages[1].of, &findings[1]);
    assert_true(r.stages[0].after_ms == 180 && r.stages[1].after_ms == 165);
    assert_true(r.stages[0].added_ms == 20 && r.stages[1].added_ms == 15);
    assert_int_equal(r.n_sets, 2);
    assert_true(r.sets_ms[0] == 200 && r.sets_ms[1] == 180);
    r.n_stages = 0;
    an.stages[1].finding = 2;
    r.n_findings = 2; /* which the report does not show: no set is whole */
    report_lead_fill(&a, &r);
    assert_int_equal(r.n_stages, 1);
    assert_int_equal(r.n_sets, 0);
}

/* What asks to measure leads with what is at stake, and is no fix. */
static void a_measurement_saves_nothing(void **state)
{
    (void)state;
    of[0].title = S("Profile it");
    an.stages[0].finding = 1;
    an.stages[1].finding = 2;
    sentence_is(
        "First, profile it. At stake: 10 to 30 ms. The first two fixes save 30 "
        "to 40 ms, more than their sum, as the first lets the others save more.");
    assert_null(r.leads);
}

/* 10 to 30 ms and, once the host keeps up, 20 to 30 of the second: a reader adds up 30
 * to 60, not the 14 to 34 of each alone. */
static void what_is_saved_later_is_in_the_sum(void **state)
{
    (void)state;
    of[1].until = 0;
    of[1].impact_then = (struct impact_range){10, 15, 20, 30, S("")};
    an.stages[1].finding = 1;
    an.together = (struct impact_range){15, 30, 30, 60, S("")};
    sentence_is("First, pad N. This saves 10 to 30 ms (200.0 ms becomes about 180.0 "
                "ms). Fixing the first two saves 30 to 60 ms, with what some save only "
                "once another is fixed.");
    of[1].impact_then.high_ms = 20; /* 30 to 50 */
    sentence_is("First, pad N. This saves 10 to 30 ms (200.0 ms becomes about 180.0 "
                "ms). Fixing the first two saves 30 to 60 ms, more than their sum, as "
                "the first lets the others save more.");
}

/* A device that computes for 97 % of the time, mostly in a kernel of 55 % of its roof;
 * a finding saves 3 to 4 ms of 200, or what a kernel could be is not known. */
static void a_tuned_run_is_told_first(void **state)
{
    (void)state;
    static struct work_row row;
    struct report_op ops[] = {{.row = &row}};
    row = (struct work_row){.time_ms = 190, .efficiency.percent = 55};
    of[0].impact = (struct impact_range){1.5, 2, 3, 4, S("")};
    of[1].impact.high_pct = of[2].impact.high_pct = 0.5;
    r.ops = ops;
    r.n_ops = 1;
    r.verdict_kind = VERDICT_DEVICE;
    r.timeline.computation_pct = 97;
    sentence_is(
        "Well tuned: no finding would save more than 2.0% of the time, and 100.0% "
        "of kernel time runs at the rate expected of its kind. What is left: "
        "pad N (3.0 to 4.0 ms).");
    assert_null(r.leads);
    r.timeline.total_comm_ms = 9;
    r.timeline.exposed_comm_pct = 0.5;
    row.efficiency.percent = (double)NAN;
    of[0].title = S("Measure k");
    of[0].impact = (struct impact_range){NAN, NAN, NAN, NAN, S("")};
    sentence_is(
        "Nothing to fix outside its kernels: no finding would save more than 0.50% of "
        "the time, and collectives are exposed for 0.50% of it. The trace does not "
        "show how fast most of these could be. To find out, measure k.");
    of[1].impact.high_pct = 1;
    report_lead_fill(&a, &r);
    assert_true(str_starts(r.tuned, S("Little to fix outside its kernels:")));
    of[1].impact.high_pct = 3; /* is worth it */
    report_lead_fill(&a, &r);
    assert_int_equal(r.tuned.n, 0);
    of[1].impact.high_pct = 0.5;
    r.timeline.computation_pct = 94; /* it waits */
    report_lead_fill(&a, &r);
    assert_int_equal(r.tuned.n, 0);
}

/* Of a run that is eager, what one compiler does of the first findings. */
static void compiling_does_several(void **state)
{
    static const unsigned both = 3;
    struct compiled compiled = {.n = 1};
    (void)state;
    findings[0].rank = S("S1");
    findings[1].rank = S("F1");
    of[0].title = S("Compile Net: it launches too slowly");
    an.stages[0] = (struct saving_stage){.finding = 0};
    an.stages[1] = (struct saving_stage){.finding = 1};
    an.sets[both] = (struct impact_range){.low_ms = 30, .high_ms = 50};
    an.n_sets = 4;
    report_lead_fill(&a, &r);
    assert_int_equal(r.compile.n, 2);
    assert_true(r.compile.after_ms == 160);
    assert_text(r.compile.what, "Net");
    assert_text(r.compile.ranks, "S1 and F1");
    r.compiled = &compiled;
    report_lead_fill(&a, &r);
    assert_int_equal(r.compile.n, 0);
    r.compiled = NULL;
    r.meta.how = &jax_abilities;
    report_lead_fill(&a, &r);
    assert_int_equal(r.compile.n, 0);
    r.meta.how = NULL;
    of[1].title = S("Pad N");
    report_lead_fill(&a, &r);
    assert_int_equal(r.compile.n, 0);
    an.n_sets = 0; /* not replayed */
    of[1].title = S("Fuse two");
    report_lead_fill(&a, &r);
    assert_int_equal(r.compile.n, 0);
}

static void a_step_gets_as_much_shorter(void **state)
{
    (void)state;
    r.steps.n = 4;
    r.steps.n_steady = 2;
    r.steps.source = STEPS_PROFILER;
    r.steps.median_ms = 50;
    report_lead_fill(&a, &r);
    assert_true(r.steps.after_first_ms == 45);
    r.steps.median_ms = 40; /* the others take longer: the fix may be of these alone */
    report_lead_fill(&a, &r);
    assert_true(isnan(r.steps.after_first_ms));
    r.steps.median_ms = 50;
    r.steps.source = STEPS_PERIOD;
    report_lead_fill(&a, &r);
    assert_true(isnan(r.steps.after_first_ms));
    r.steps.source = STEPS_PROFILER;
    r.steps.n_steady = 1;
    report_lead_fill(&a, &r);
    assert_true(isnan(r.steps.after_first_ms));
}

#define CASE(test) cmocka_unit_test_setup(test, begin)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(the_first_finding_leads),
        CASE(a_small_saving_leads_nothing),
        CASE(what_is_recorded_first_promises_nothing),
        CASE(findings_save_together),
        CASE(stages_are_what_is_left),
        CASE(a_measurement_saves_nothing),
        CASE(what_is_saved_later_is_in_the_sum),
        CASE(a_tuned_run_is_told_first),
        CASE(compiling_does_several),
        CASE(a_step_gets_as_much_shorter),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
