#include "report/finding_shown.h"

#include "analysis/model/system_results.h"
#include "base/arena_case.h"
#include "base/describe.h"
#include "ops/timeline_data.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct finding of;
static struct report_finding finding;
static struct idle_group group;
static struct system_results results;
static struct timeline_data over_time;
static struct analysis analysis;
static struct report report;

static int begin(void **state)
{
    (void)state;
    of = (struct finding){.op = S("aten::mm"),
                          .replay_recommended = true,
                          .impact = {2, 4, 20, 40, S("")},
                          .impact_kernel = {2, 4, 20, 40, S("")},
                          .until = -1};
    finding =
        (struct report_finding){.of = &of, .anchor = S("f-1a2b"), .rank = S("K1")};
    results = (struct system_results){0};
    results.idle.n_top_gaps = 2;
    analysis = (struct analysis){.system = &results};
    over_time = (struct timeline_data){.origin_ns = 1000};
    report = (struct report){.analysis = &analysis, .over_time = &over_time};
    report.gpus.decides = -1;
    return 0;
}

static struct field_value told(const char *name)
{
    const struct field *f = field_of(shown_finding_fields(), name);
    assert_non_null(f);
    return field_value(f, &(struct described){&finding, &report, &a});
}

static void test_names(void **state)
{
    (void)state;
    assert_text(told("rank").text, "K1");
    assert_text(told("rank_id").text, "k1");
    assert_text(told("hash").text, "1a2b");
    of.tier = TIER_SYSTEM;
    assert_text(told("rank_id").text, "s1");
    of.informational = true;
    assert_text(told("rank").text, "note");
    assert_text(told("rank_id").text, "");
}

static void test_gain(void **state)
{
    (void)state;
    assert_true(told("has_gain").flag && !told("slight").flag && !told("small").flag);
    assert_text(told("gain").text, "20 to 40 ms (2.0 to 4.0% of total time)");
    assert_text(told("gain_kernel").text, "");
    assert_true(told("save_ms").real == 40 && told("save_pct").real == 4);
    of.impact_kernel.high_pct = of.impact_kernel.low_pct;
    of.impact_kernel.high_ms = of.impact_kernel.low_ms;
    assert_text(told("gain_kernel").text, "20 ms (2.0% of total time)");
}

/* Below a thousandth it has no card, unless it is worth one once the host keeps up. */
/* What the host does takes longer under a profiler that records stacks or shapes. */
static void test_slowed_by(void **state)
{
    (void)state;
    report.meta.has_shapes = true;
    assert_text(told("slowed_by").text, "");
    of.idle = &group;
    group.class = IDLE_QUEUED;
    assert_text(told("slowed_by").text, "");
    group.class = IDLE_DISPATCH;
    assert_text(told("slowed_by").text, "shapes");
    report.meta.has_frames = true;
    assert_text(told("slowed_by").text, "call stacks and shapes");
    report.meta.has_shapes = report.meta.has_frames = false;
    assert_text(told("slowed_by").text, "");
}

/* A range of 20 to 40 ms holds what is left of it behind others, or does not. */
static void test_added(void **state)
{
    struct report_finding other = {.of = &of};
    struct report_stage stages[] = {{&other, 900, 100}, {&finding, 870, 30}};
    (void)state;
    report.timeline.total_ms = 1000;
    report.stages = stages;
    report.n_stages = 2;
    assert_false(told("tells_added").flag);
    stages[1].added_ms = 10;
    assert_true(told("tells_added").flag);
    assert_text(told("added").text, "10");
    stages[1].added_ms = 0.5;
    assert_true(told("adds_little").flag);
    assert_text(told("added").text, "");
    stages[1].added_ms = 100;
    assert_text(told("added").text, "100");
    of.until = 0; /* what the row says anyway needs no second figure */
    of.impact_then = (struct impact_range){2, 4, 20, 40, S("")};
    stages[1].added_ms = 12;
    assert_false(told("tells_added").flag);
    of.until = -1;
    stages[0].of = &finding; /* the first is behind none */
    stages[1].of = &other;
    assert_false(told("tells_added").flag || told("adds_little").flag);
}

static void test_measures(void **state)
{
    (void)state;
    of.title = S("Fuse it");
    assert_false(told("measures").flag);
    of.title = S("Profile it");
    assert_true(told("measures").flag);
}

static void test_slight(void **state)
{
    (void)state;
    of.impact.high_pct = 0.09;
    assert_true(told("slight").flag && !told("has_gain").flag && told("small").flag);
    of.until = 0;
    of.impact_then.high_pct = 0.1;
    assert_false(told("small").flag);
    of.until = -1;
    of.informational = true;
    assert_false(told("small").flag);
}

static void test_unknown_gain(void **state)
{
    (void)state;
    of.impact = (struct impact_range){(double)NAN, (double)NAN, (double)NAN,
                                      (double)NAN, S("")};
    assert_false(told("has_gain").flag || told("slight").flag || told("small").flag);
    assert_text(told("gain").text, "");
    assert_true(told("save_ms").real == 0 && told("save_pct").real == 0);
}

static void test_package(void **state)
{
    (void)state;
    assert_text(told("kit_of").text, "aten::mm");
    finding.no_kit = S("its shapes are unknown");
    assert_text(told("kit_of").text, "");
    finding.no_kit = S("");
    finding.kit = S("replay_packages/x.zip");
    assert_text(told("kit_of").text, "");
}

/* Found by its begin, which the timeline counts from its origin. */
static void test_gap(void **state)
{
    (void)state;
    assert_int_equal(told("gap_number").whole, 0);
    results.idle.top_gaps[0] = (struct idle_gap){.start_us = 5};
    results.idle.top_gaps[1] = (struct idle_gap){.start_us = 2000};
    group = (struct idle_group){.longest_from_ns = 1000 + 2000000, .gaps = 1};
    of.idle = &group;
    assert_int_equal(told("gap_number").whole, 2);
    assert_true(told("gap_at_ms").real == 2);
    assert_true(told("only_gap").flag);
    group.longest_from_ns++;
    group.gaps = 2;
    assert_int_equal(told("gap_number").whole, 0);
    assert_true(isnan(told("gap_at_ms").real));
    assert_false(told("only_gap").flag);
}

/* A gap leads to what holds most of it, and to what leads to it. */
static void test_finding_of_gap(void **state)
{
    (void)state;
    struct idle_span spans[] = {{.start_ns = 10, .end_ns = 20},
                                {.start_ns = 90, .end_ns = 120}};
    group = (struct idle_group){.spans = spans, .n_spans = 2};
    of.idle = &group;
    report.findings = &finding;
    report.n_findings = 1;
    assert_ptr_equal(finding_of_gap(&report, 100, 150), &finding);
    assert_null(finding_of_gap(&report, 20, 90));
    group.longest_from_ns = 20;
    assert_ptr_equal(finding_of_gap(&report, 20, 90), &finding);
}

static void test_moments(void **state)
{
    (void)state;
    assert_text(told("moments").text, "");
    of.moments[0] = 7;
    of.moments[1] = 1;
    of.moments[3] = (uint64_t)1 << 63;
    assert_text(told("moments").text, "0-2 64-64 255-255");
}

/* Where the issue goes on, as of idle time of several causes, its first sentence alone
 * would tell less than is saved. */
static void test_what_it_is_about_in_all(void **state)
{
    (void)state;
    of.idle = &group;
    of.time_ms = 4.5;
    of.total_pct = 45;
    of.issue = S("The GPU waits 3.00 ms for its launch.");
    assert_int_equal(told("in_all").text.n, 0);
    of.issue = S("The GPU waits 3.00 ms for its launch. The GPU is idle for 1.50 ms.");
    assert_text(told("in_all").text,
                "With other gaps of the same cause: 4.50 ms (45.0% of the run).");
    of.idle = NULL;
    assert_int_equal(told("in_all").text.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_names, begin),
        cmocka_unit_test_setup(test_gain, begin),
        cmocka_unit_test_setup(test_slight, begin),
        cmocka_unit_test_setup(test_slowed_by, begin),
        cmocka_unit_test_setup(test_added, begin),
        cmocka_unit_test_setup(test_measures, begin),
        cmocka_unit_test_setup(test_unknown_gain, begin),
        cmocka_unit_test_setup(test_package, begin),
        cmocka_unit_test_setup(test_gap, begin),
        cmocka_unit_test_setup(test_finding_of_gap, begin),
        cmocka_unit_test_setup(test_what_it_is_about_in_all, begin),
        cmocka_unit_test_setup(test_moments, begin)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
