#include "report/report_checks_trace.c"

#include "analysis/system/comm_sizes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"

static struct report r;
static struct analysis an;
static struct system_results results;
static struct op_tables tables;
static struct trace_facts *const f = &tables.facts;
static struct report_source source;
static struct check_list list;

static int begin(void **state)
{
    (void)state;
    results = (struct system_results){0};
    an = (struct analysis){.tables = &tables, .system = &results};
    r = (struct report){.analysis = &an};
    tables = (struct op_tables){0};
    source = (struct report_source){.perm = &a, .t = &tables, .a = &an};
    list = (struct check_list){.s = &source, .r = &r, .perm = &a, .cap = 40};
    return 0;
}

static void finds(struct measured (*check)(const struct check_list *),
                  enum report_check_result result, const char *sentence)
{
    struct measured m = check(&list);
    if (!str_eq(m.value, str_of(sentence)))
        fail_msg("\"%.*s\"", STRF(m.value));
    assert_int_equal(m.result, result);
}

/* Stacks of an old recording are texts of its operators. */
static void callers_may_be_named_without_frames(void **state)
{
    (void)state;
    finds(frames, CHECK_NOT_EVALUATED, "The trace holds no Python frames.");
    f->names_callers = true;
    finds(frames, CHECK_NOT_EVALUATED,
          "Operators name the code that called them, but no times of Python code are "
          "recorded.");
    finds(frames_cost, CHECK_NOT_EVALUATED, "No Python frames are recorded.");
}

static void an_input_may_end_early(void **state)
{
    (void)state;
    f->n_events = 12;
    finds(input, CHECK_PASSED, "12 events were read to the end of the file.");
    f->saw_nan = true;
    finds(input, CHECK_WARNING,
          "12 events were read to the end of the file, which holds NaN or Infinity: "
          "JSON does not have them, and they are taken as unknown.");
    f->unclosed = true; /* matters more */
    finds(input, CHECK_WARNING,
          "The file ends before its list of events does, after 12 events.");
}

static void what_is_left_out_is_counted(void **state)
{
    (void)state;
    finds(durations, CHECK_PASSED, "None found.");
    f->without_times = 1;
    finds(durations, CHECK_WARNING,
          "1 event has no start, no duration or a negative one and is left out.");
    f->without_times = 2;
    f->out_of_bounds = 1;
    finds(durations, CHECK_WARNING,
          "2 events have no start, no duration, a negative one, or times or sizes too "
          "large to add up, and are left out.");
    f->crossing = 3;
    finds(nesting, CHECK_WARNING,
          "3 host events cross the end of their caller and are left out of the tree.");
    tables.families.left_out = 1;
    finds(nesting, CHECK_WARNING,
          "1 operator is nested too deep for a row in the tables of models.");
    finds(duplicates, CHECK_NOT_EVALUATED, "No device event has a launch call.");
    f->n_linked = 9;
    f->duplicate_links = 1;
    finds(duplicates, CHECK_WARNING,
          "1 device event shares stream and correlation with a later one.");
    f->repaired_names = 2;
    finds(names, CHECK_WARNING,
          "2 distinct names were not valid UTF-8 and are shown repaired.");
    f->cut_names = 1;
    finds(names, CHECK_WARNING,
          "1 name of more than 65,536 bytes is shown without its end.");
}

static void clocks_agree_if_nothing_starts_early(void **state)
{
    (void)state;
    finds(clocks, CHECK_NOT_EVALUATED, "No device event has a launch call.");
    f->n_linked = 5;
    finds(clocks, CHECK_PASSED, "No device event starts before its launch call.");
    f->early = 1;
    f->earliest_ns = 1500;
    finds(clocks, CHECK_WARNING,
          "1 device event starts before its launch call, by up to 1.50 µs.");
    f->early = 2;
    finds(clocks, CHECK_WARNING,
          "2 device events start before their launch calls, by up to 1.50 µs.");
}

/* From 90 % of the time of calls on, shapes are there. */
static void shapes_are_of_nine_tenths(void **state)
{
    (void)state;
    finds(shapes, CHECK_NOT_EVALUATED, "No operation launched device work.");
    f->launched_ns = 1000;
    f->shaped_ns = 900;
    finds(shapes, CHECK_PASSED,
          "Shapes are recorded for 90.0% of the time of operations.");
    f->shaped_ns = 899;
    finds(shapes, CHECK_WARNING,
          "Shapes are recorded for 89.9% of the time of operations.");
    f->shaped_ns = 0;
    assert_true(str_starts(shapes(&list).value, S("No argument shapes are recorded")));
    f->shapes_hidden = true;
    assert_int_equal(shapes(&list).result, CHECK_NOT_EVALUATED);
    assert_string_equal(shapes(&list).what_to_do, "Run without --hide-shapes.");
}

/* Ten calls of Python for each kernel, and a device that waits for a tenth of the time:
 * only both make the recording a reason. */
static void stacks_cost_where_the_device_waits(void **state)
{
    (void)state;
    finds(frames_cost, CHECK_NOT_EVALUATED, "No stacks are recorded.");
    r.meta.has_frames = true;
    f->n_frames = 1000;
    f->n_device = 100;
    r.timeline.total_ms = 50;
    results.idle.pool_ns[POOL_HOST] = 5000000;
    finds(
        frames_cost, CHECK_WARNING,
        "1000 calls of Python are recorded, 10 for each kernel or copy; the GPU waits "
        "for the host for 10.0% of the time.");
    results.idle.pool_ns[POOL_HOST]--;
    finds(frames_cost, CHECK_PASSED,
          "1000 calls of Python are recorded, 10 for each kernel or copy.");
    results.idle.pool_ns[POOL_HOST]++;
    f->n_frames = 999;
    finds(frames_cost, CHECK_PASSED,
          "999 calls of Python are recorded, 10.0 for each kernel or copy.");
    f->n_device = 0;
    finds(
        frames_cost, CHECK_WARNING,
        "999 calls of Python are recorded, 999 for each kernel or copy; the GPU waits "
        "for the host for 10.0% of the time.");
}

/* A quarter of the median, on either side. */
static void a_quarter_of_set_up_is_no_warm_run(void **state)
{
    (void)state;
    finds(warm, CHECK_NOT_EVALUATED, "There is no device work.");
    r.meta.has_gpu = true;
    r.timeline.total_ms = 100;
    finds(warm, CHECK_PASSED, "The GPU does not wait for one-time set-up.");
    results.idle.pool_ns[POOL_ONCE] = 24900000;
    finds(warm, CHECK_PASSED,
          "The GPU waits for one-time set-up for 24.9% of the run.");
    results.idle.pool_ns[POOL_ONCE] = 25000000;
    finds(warm, CHECK_WARNING,
          "The GPU waits for one-time set-up for 25.0% of the run.");
    struct finding again = {.category = WORK_CPU_IDLE, .pattern = S("host_recapture")};
    struct report_finding shown = {.of = &again};
    r.findings = &shown;
    r.n_findings = 1;
    finds(warm, CHECK_PASSED, "The GPU does not wait for one-time set-up.");
    struct idle_group group = {.total_ns = 42400000};
    struct finding shapes = {.pattern = S("host_operator_compile"), .idle = &group};
    an.findings = &shapes;
    an.n_findings = 1;
    finds(warm, CHECK_WARNING,
          "The GPU waits for operators that are compiled for 42.4% of the run.");
    group.total_ns = 24900000;
    assert_int_equal(warm(&list).result, CHECK_PASSED);
}

static void steps_take_about_as_long(void **state)
{
    (void)state;
    finds(steps, CHECK_NOT_EVALUATED, "No steps are marked.");
    f->step_ms = (struct sample_stats){.n = 1};
    finds(steps, CHECK_NOT_EVALUATED, "One step is marked.");
    f->step_ms = (struct sample_stats){.n = 4, .median = 100, .min = 75, .max = 125};
    assert_int_equal(steps(&list).result, CHECK_PASSED);
    f->step_ms.max = 126;
    assert_int_equal(steps(&list).result, CHECK_WARNING);
    f->step_ms.max = 125;
    f->step_ms.min = 74;
    assert_int_equal(steps(&list).result, CHECK_WARNING);
    f->steps.source = STEPS_PROFILER; /* marks of a host that runs ahead say nothing */
    r.timeline.idle_pct = 4.9;
    assert_int_equal(steps(&list).result, CHECK_NOT_EVALUATED);
    r.timeline.idle_pct = 5;
    assert_int_equal(steps(&list).result, CHECK_WARNING);
    f->steps.source = STEPS_ENGINE;
    r.phases.several = true;
    assert_string_equal(steps(&list).what_to_do,
                        "Look at prefill and decode apart: system page.");
}

static void devices_may_share_a_timeline(void **state)
{
    (void)state;
    finds(devices, CHECK_NOT_EVALUATED, "The trace holds no device events.");
    f->n_devices = 1;
    finds(devices, CHECK_PASSED, "All device events are of one device.");
    f->n_devices = 2;
    finds(devices, CHECK_WARNING, "Device events of 2 devices share one timeline.");
    r.gpus.n = 2;
    assert_true(str_starts(devices(&list).value, S("One process uses 2 devices.")));
}

/* Blocks alone say nothing of how full a device is that is not known. */
static void grids_are_of_nine_tenths(void **state)
{
    struct fill_sum *fill = &tables.fill.all;
    (void)state;
    assert_int_equal(geometry(&list).value.n, 0);
    *fill = (struct fill_sum){
        .kernel_ns = 1000, .grid_ns = 900, .known_ns = 900, .known_pct = 90};
    finds(geometry, CHECK_PASSED, "Grids are recorded for 90.0% of kernel time.");
    fill->known_pct = 89.9;
    assert_int_equal(geometry(&list).result, CHECK_NOT_EVALUATED);
    assert_string_equal(geometry(&list).what_to_do, "");
    f->graph_ns = 1;
    assert_true(str_starts(str_of(geometry(&list).what_to_do),
                           S("Record once without GPU graphs")));
    f->shapes_hidden = true;
    assert_string_equal(geometry(&list).what_to_do, "Run without --hide-shapes.");
    fill->grid_ns = 901;
    assert_true(
        str_starts(geometry(&list).value, S("The trace has grids, but not how")));
}

/* What is known, and what the rest is: as many as are named, or more. */
static void unknown_categories_are_named(void **state)
{
    (void)state;
    assert_int_equal(categories(&list).value.n, 0);
    f->n_unknown = 1;
    f->unknown[0] = S("odd");
    f->unknown_n[0] = 1;
    finds(categories, CHECK_WARNING,
          "1 event of a category that is not known is left out: odd (1).");
    f->n_unknown = 9;
    f->unknown[1] = S("new");
    f->unknown_n[1] = 2;
    finds(categories, CHECK_WARNING,
          "9 events of a category that is not known are left out: odd (1), new (2) and "
          "others.");
    f->n_unknown = 3;
    finds(categories, CHECK_WARNING,
          "3 events of a category that is not known are left out: odd (1), new (2).");
}

static void what_is_not_recorded_says_how(void **state)
{
    struct comm_sizes sizes = {0};
    (void)state;
    assert_int_equal(memory(&list).result, CHECK_NOT_EVALUATED);
    assert_int_equal(frames(&list).result, CHECK_NOT_EVALUATED);
    assert_int_equal(host(&list).result, CHECK_WARNING);
    r.meta.has_cpu_op = r.meta.has_frames = true;
    finds(host, CHECK_PASSED, "Host operations are in the trace.");
    finds(frames, CHECK_PASSED, "Python frames are in the trace.");
    assert_int_equal(collective_sizes(&list).value.n, 0);
    r.timeline.total_comm_ms = 1;
    assert_int_equal(collective_sizes(&list).result, CHECK_NOT_EVALUATED);
    r.comm_sizes = &sizes;
    assert_int_equal(collective_sizes(&list).result, CHECK_PASSED);
    assert_string_equal(counters(&list).what_to_do, "Record once with {counters}.");
    f->kind.vendor = S("Ascend"); /* for which there is no such profiler */
    assert_string_equal(counters(&list).what_to_do, "");
}

#define CASE(test) cmocka_unit_test_setup(test, begin)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(an_input_may_end_early),
        CASE(callers_may_be_named_without_frames),
        CASE(what_is_left_out_is_counted),
        CASE(clocks_agree_if_nothing_starts_early),
        CASE(shapes_are_of_nine_tenths),
        CASE(stacks_cost_where_the_device_waits),
        CASE(a_quarter_of_set_up_is_no_warm_run),
        CASE(steps_take_about_as_long),
        CASE(devices_may_share_a_timeline),
        CASE(grids_are_of_nine_tenths),
        CASE(unknown_categories_are_named),
        CASE(what_is_not_recorded_says_how),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
