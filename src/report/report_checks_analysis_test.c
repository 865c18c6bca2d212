#include "report/report_checks_analysis.c"

#include "report/op_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"

static struct report r;
static struct analysis an;
static struct op_tables tables;
static struct report_source source;
static struct check_list list;

static int begin(void **state)
{
    (void)state;
    r = (struct report){.analysis = &an};
    an = (struct analysis){.tables = &tables};
    tables = (struct op_tables){0};
    source = (struct report_source){.perm = &a, .t = &tables, .a = &an};
    list = (struct check_list){.s = &source, .r = &r, .perm = &a, .cap = 40};
    return 0;
}

/* What a check finds, and its sentence. */
static void finds(struct measured (*check)(const struct check_list *),
                  enum report_check_result result, const char *sentence)
{
    struct measured m = check(&list);
    if (!str_eq(m.value, str_of(sentence)))
        fail_msg("\"%.*s\"", STRF(m.value));
    assert_int_equal(m.result, result);
}

/* A thousandth of the total may be missing or too much. */
static void parts_of_the_time_add_up(void **state)
{
    (void)state;
    r.timeline = (struct report_timeline){.total_ms = 1000,
                                          .computation_ms = 600,
                                          .exposed_comm_ms = 200,
                                          .exposed_memcpy_ms = 100,
                                          .idle_ms = 101};
    finds(balance, CHECK_PASSED,
          "Computation, exposed communication, exposed copies and idle time are "
          "1001.000 ms of 1000.000 ms.");
    r.timeline.idle_ms = 98.9;
    finds(balance, CHECK_FAILED,
          "Computation, exposed communication, exposed copies and idle time are "
          "998.900 ms of 1000.000 ms.");
}

/* Ten per cent of computation; rows that copy have a part of the exposed copies. */
static void operations_add_up_to_computation(void **state)
{
    struct op_group group = {0};
    struct work_row row = {.group = &group};
    (void)state;
    finds(time_sanity, CHECK_NOT_EVALUATED, "No operation has device time.");
    r.timeline.computation_ms = 100;
    r.timeline.exposed_memcpy_ms = 25;
    an.categories[WORK_GEMM] =
        (struct category_result){.time_ms = 80, .rows = &row, .n_rows = 1};
    an.categories[WORK_OTHER].time_ms = 30;
    an.by_time[0] = WORK_GEMM;
    an.by_time[1] = WORK_OTHER;
    an.n_by_time = 2;
    finds(time_sanity, CHECK_PASSED,
          "Operations sum to 110.0 ms; the device computes for 100.0 ms.");
    an.categories[WORK_OTHER].time_ms = 31;
    finds(time_sanity, CHECK_WARNING,
          "Operations sum to 111.0 ms; the device computes for 100.0 ms.");
    group.copies = true;
    finds(time_sanity, CHECK_WARNING,
          "Operations sum to 111.0 ms; the device computes or copies for 125.0 ms.");
    an.categories[WORK_OTHER].time_ms = 40;
    finds(time_sanity, CHECK_PASSED,
          "Operations sum to 120.0 ms; the device computes or copies for 125.0 ms.");
}

static void work_without_a_launch_is_told(void **state)
{
    (void)state;
    finds(attribution, CHECK_PASSED, "Every device event has a launch call.");
    r.timeline.backlog_events = 1;
    finds(attribution, CHECK_PASSED,
          "Every device event of the window has a launch call.");
    r.timeline.unlinked_events = 1;
    r.timeline.unlinked_ms = 2;
    r.timeline.unlinked_busy_pct = 0.1;
    r.timeline.unlinked_included = true;
    finds(attribution, CHECK_PASSED,
          "1 device event has no launch call in the trace: 2.00 ms in which nothing "
          "else runs (0.10% of busy time) are counted, in categories by the kernels' "
          "names.");
    assert_string_equal(attribution(&list).what_to_do,
                        "Record launch calls, too: {host}.");
    tables.facts.n_linked = 1;
    assert_null(attribution(&list).what_to_do);
    r.timeline.unlinked_busy_pct = 0.11;
    r.timeline.unlinked_included = false;
    assert_int_equal(attribution(&list).result, CHECK_WARNING);
    assert_string_equal(attribution(&list).what_to_do,
                        "Run without --exclude-unlinked to count them.");
}

static void work_from_before_the_recording_is_told(void **state)
{
    (void)state;
    finds(backlog, CHECK_NOT_EVALUATED, "No device event has a launch call.");
    finds(beginning, CHECK_NOT_EVALUATED, "No device event has a launch call.");
    assert_string_equal(beginning(&list).what_to_do,
                        "Record launch calls, too: {host}.");
    tables.facts.n_linked = 1;
    assert_int_equal(backlog(&list).result, CHECK_PASSED);
    tables.facts.early_wait_ns = 4000000;
    tables.facts.early_wait = S("hipDeviceSynchronize");
    static const char unseen[] =
        "hipDeviceSynchronize waits 4.00 ms for work that is not "
        "recorded, before anything recorded is launched.";
    finds(backlog, CHECK_NOT_EVALUATED, unseen);
    finds(beginning, CHECK_NOT_EVALUATED, unseen);
    tables.facts.early_wait_ns = 0;
    r.timeline.backlog_events = 2;
    r.timeline.backlog_ms = 3;
    r.timeline.backlog_busy_pct = 5;
    finds(
        backlog, CHECK_PASSED,
        "2 device events were launched before the recording began: their 3.00 ms (5.0% "
        "of busy time) are in no figure.");
    assert_null(backlog(&list).what_to_do);
    r.timeline.backlog_busy_pct = 5.01;
    r.timeline.backlog_included = true;
    assert_int_equal(backlog(&list).result, CHECK_WARNING);
    assert_string_equal(backlog(&list).what_to_do,
                        "Run without --include-backlog to leave them out.");
    assert_int_equal(beginning(&list).result, CHECK_PASSED);
    r.timeline.queued_ms = 4;
    assert_true(
        str_starts(beginning(&list).value,
                   S("The first device event begins 4.00 ms after its launch")));
    r.timeline.artefact_ms = 6; /* says more */
    assert_true(str_starts(beginning(&list).value, S("The device waits for 6.00 ms")));
    assert_int_equal(beginning(&list).result, CHECK_WARNING);
}

/* From 5 % of kernel time on. */
static void graphs_have_no_operations(void **state)
{
    (void)state;
    assert_int_equal(graph_launches(&list).value.n, 0);
    tables.facts.kernel_ns = 100000000;
    tables.facts.graph_ns = 4999999;
    tables.facts.graph_launches = 1;
    assert_int_equal(graph_launches(&list).result, CHECK_PASSED);
    tables.facts.graph_ns = 5000000;
    finds(graph_launches, CHECK_WARNING,
          "1 GPU graph launch replays 5.00 ms of kernels (5.0% of kernel time), for "
          "which the trace has neither operations nor shapes.");
    tables.facts.graph_ns = 0;
    tables.facts.lent_ns = 7000000;
    assert_true(str_starts(graph_launches(&list).value,
                           S("7.00 ms of kernels of graphs have the operations")));
    assert_int_equal(graph_launches(&list).result, CHECK_PASSED);
}

/* Work without a launch is in no launching call, and so not in the sum of models. */
static void both_groupings_add_up_alike(void **state)
{
    struct op_call_row launchers[] = {{.direct_ns = 60000000}, {.direct_ns = 40000000}};
    struct op_call_row models[] = {{.direct_ns = 99000000},
                                   {.direct_ns = 50000000, .unlinked = true}};
    (void)state;
    assert_int_equal(views(&list).value.n, 0);
    tables.launchers.rows = launchers;
    tables.launchers.n = 2;
    tables.models.rows = models;
    tables.models.n = 2;
    finds(views, CHECK_PASSED,
          "By launching call 100.0 ms, by modelled operation 99.00 ms.");
    models[0].direct_ns = 98999999;
    assert_int_equal(views(&list).result, CHECK_WARNING);
}

static void three_names_are_told_and_the_rest_counted(void **state)
{
    struct report_op ops[5];
    (void)state;
    for (int k = 0; k < 5; k++)
        ops[k] = op_case(str_printf(&a, "op%d", k), 1, 100);
    r.ops = ops;
    r.n_ops = 5;
    finds(efficiency, CHECK_NOT_EVALUATED, "");
    r.device.known = true;
    r.n_ops = 0;
    finds(efficiency, CHECK_NOT_EVALUATED, "No operation has a performance model.");
    r.n_ops = 5;
    finds(efficiency, CHECK_PASSED, "Every modelled operation is below its roof.");
    op_case_row(&ops[1])->efficiency.percent = 100.1;
    finds(efficiency, CHECK_WARNING,
          "Above 100% of the roof: op1. Their operands are cached or expanded, or the "
          "times are wrong.");
    for (int k = 0; k < 5; k++)
        op_case_row(&ops[k])->high_variance = k < 4;
    finds(spread, CHECK_WARNING,
          "Timings vary strongly for 4 operations: op0, op1, op2 and 1 more.");
    r.n_ops = 3;
    finds(spread, CHECK_WARNING,
          "Timings vary strongly for 3 operations: op0, op1, op2.");
    r.n_ops = 0;
    finds(spread, CHECK_PASSED, "No large operation varies by more than its mean.");
}

/* A type without a peak is named once; work on bytes needs none. */
static void peaks_may_be_missing_or_of_another_device(void **state)
{
    struct work_row rows[] = {
        {.efficiency = {.no_peak = true, .compute_spec = S_INIT("vector_fp64")}},
        {.efficiency = {.no_peak = true, .compute_spec = S_INIT("vector_fp64")}},
        {.efficiency = {.no_peak = true, .compute_spec = S_INIT("matrix_fp8")},
         .args = S_INIT("(8) uint8")},
        {.efficiency = {.no_peak = true, .compute_spec = S_INIT("matrix_fp8")},
         .args = S_INIT("(8) uint8, (8) fp8e4m3")},
        {.efficiency = {.compute_spec = S_INIT("matrix_bf16")}}};
    (void)state;
    assert_int_equal(peaks(&list).result, CHECK_NOT_EVALUATED);
    r.device.known = true;
    r.meta.platform = S("MI300X");
    finds(peaks, CHECK_PASSED, "The peaks of MI300X are used.");
    an.categories[WORK_OTHER] = (struct category_result){.rows = rows, .n_rows = 3};
    finds(peaks, CHECK_WARNING,
          "No peak of MI300X is known for vector_fp64: how efficient such work is, is "
          "unknown.");
    an.categories[WORK_OTHER].n_rows = 5;
    finds(peaks, CHECK_WARNING,
          "No peak of MI300X is known for vector_fp64, matrix_fp8: how efficient such "
          "work is, is unknown.");
    r.device.misfit = S("The trace is of an H100.");
    finds(peaks, CHECK_WARNING, "The trace is of an H100.");
}

static void assumed_strides_have_a_share(void **state)
{
    struct perf_cost dense = {.assumed_dense = true}, known = {0};
    struct op_group rows[] = {{.cost = &dense, .direct_us.sum = 30000},
                              {.cost = &known, .direct_us.sum = 50000},
                              {.direct_us.sum = 20000}};
    (void)state;
    tables.judged.rows = rows;
    tables.judged.n = 3;
    finds(strides, CHECK_WARNING,
          "No strides are recorded: for 30.0% of the time of operations, tensors are "
          "taken to be dense.");
    dense.assumed_dense = false;
    finds(strides, CHECK_PASSED, "No figure rests on assumed strides.");
    tables.judged.rows = &rows[2]; /* nothing else has a model */
    tables.judged.n = 1;
    finds(strides, CHECK_NOT_EVALUATED, "No operation has a performance model.");
}

/* Findings of kernels take as long as their rows, those of a pattern at most as long;
 * those that name their events take what these do. */
static void findings_agree_with_their_rows(void **state)
{
    static int both[] = {0, 1};
    struct report_op ops[] = {op_case(S("x"), 10, 50), op_case(S("y"), 5, 50)};
    struct finding of = {.kind = FIND_BOTTLENECK, .time_ms = 15, .global_rank = 1};
    struct report_finding f = {.of = &of, .ops = both, .n_ops = 2};
    (void)state;
    r.ops = ops;
    r.n_ops = 2;
    r.findings = &f;
    r.n_findings = 1;
    finds(findings, CHECK_PASSED, "Findings that agree with their rows: 1.");
    of.time_ms = 14;
    finds(findings, CHECK_FAILED, "Findings that differ from their rows or ranks: 1.");
    of.kind = FIND_PATTERN;
    assert_int_equal(findings(&list).result, CHECK_PASSED);
    of.time_ms = 15.1;
    of.global_rank = 2;
    finds(findings, CHECK_FAILED, "Findings that differ from their rows or ranks: 2.");
    of.about = ABOUT_EVENTS;
    finds(findings, CHECK_FAILED, "Findings that differ from their rows or ranks: 1.");
    of.about = ABOUT_ROWS;
    of.tier = TIER_SYSTEM;
    finds(findings, CHECK_FAILED, "Findings that differ from their rows or ranks: 1.");
}

/* By priority, then by what is saved, for which less than a thousandth is nothing. */
static void findings_are_in_order(void **state)
{
    struct finding of[3] = {{.priority = PRIORITY_HIGH, .impact = {.high_pct = 5}},
                            {.priority = PRIORITY_HIGH, .impact = {.high_pct = 4}},
                            {.priority = PRIORITY_LOW, .impact = {.high_pct = 9}}};
    struct report_finding list_of[3];
    (void)state;
    for (int k = 0; k < 3; k++) {
        of[k].impact.low_pct = of[k].impact.high_pct;
        list_of[k] = (struct report_finding){.of = &of[k]};
    }
    r.findings = list_of;
    r.n_findings = 3;
    finds(order, CHECK_PASSED, "Findings out of order: 0 of 3.");
    list_of[0].of = &of[1];
    list_of[1].of = &of[0];
    finds(order, CHECK_FAILED, "Findings out of order: 1 of 3.");
    of[0].informational = true; /* remarks are of no rank */
    assert_int_equal(order(&list).result, CHECK_PASSED);
    of[0].informational = false;
    of[0].impact.low_pct = of[0].impact.high_pct = 0.09;
    of[1].impact.low_pct = of[1].impact.high_pct = 0.01;
    assert_int_equal(order(&list).result, CHECK_PASSED); /* both are nothing */
    list_of[0].of = &of[2];
    list_of[2].of = &of[1];
    assert_int_equal(order(&list).result, CHECK_FAILED);
}

static void starts_are_bound_by_what_is_recorded(void **state)
{
    struct schedule_facts f = {.recorded_ns = 12345678, .exact = true};
    (void)state;
    finds(replay, CHECK_NOT_EVALUATED, "The trace has no device events.");
    f.ns_by[0] = 50;
    f.ns_by[2] = 30;
    assert_text(starts(&a, &f), "62.5% by their stream, 37.5% by their launch");
    f.ns_by[3] = 20;
    assert_text(starts(&a, &f),
                "50.0% by their stream, 30.0% by their launch, 20.0% by "
                "nothing recorded");
    an.replay = f;
    assert_int_equal(replay(&list).result, CHECK_WARNING);
    an.replay.usable = true;
    assert_int_equal(replay(&list).result, CHECK_PASSED);
    an.replay.exact = false;
    finds(replay, CHECK_FAILED, "The replay misses the recorded 12.346 ms.");
}

static void failed_analyses_are_counted(void **state)
{
    struct warning w[] = {{.failure = true}, {.failure = false}};
    (void)state;
    an.warnings = w;
    an.n_warnings = 2;
    finds(analyses, CHECK_FAILED, "Analyses or patterns that failed: 1.");
    w[0].failure = false;
    finds(analyses, CHECK_PASSED, "No analysis and no pattern failed.");
}

#define CASE(test) cmocka_unit_test_setup(test, begin)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(parts_of_the_time_add_up),
        CASE(operations_add_up_to_computation),
        CASE(work_without_a_launch_is_told),
        CASE(work_from_before_the_recording_is_told),
        CASE(graphs_have_no_operations),
        CASE(both_groupings_add_up_alike),
        CASE(three_names_are_told_and_the_rest_counted),
        CASE(peaks_may_be_missing_or_of_another_device),
        CASE(assumed_strides_have_a_share),
        CASE(findings_agree_with_their_rows),
        CASE(findings_are_in_order),
        CASE(starts_are_bound_by_what_is_recorded),
        CASE(failed_analyses_are_counted),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
