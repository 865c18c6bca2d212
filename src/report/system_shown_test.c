#include "report/system_shown.h"

#include "base/arena_case.h"
#include "base/describe.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct system_results results;
static struct analysis analysis;
static struct report report;

static int begin(void **state)
{
    (void)state;
    results = (struct system_results){0};
    analysis = (struct analysis){.total_ms = 200, .system = &results};
    report = (struct report){.analysis = &analysis, .gpus.decides = -1};
    report.timeline.total_ms = 200;
    return 0;
}

static struct field_value told(const struct description *d, const void *of,
                               const char *name)
{
    const struct field *f = field_of(d, name);
    assert_non_null(f);
    return field_value(f, &(struct described){of, &report, &a});
}

static double of_timeline(const char *name)
{
    return told(shown_timeline_fields(), &report.timeline, name).real;
}

static bool is_timeline(const char *name)
{
    return told(shown_timeline_fields(), &report.timeline, name).flag;
}

/* What is not there is unknown, so that no line is written for it. */
static void test_timeline(void **state)
{
    (void)state;
    struct report_timeline *t = &report.timeline;
    assert_true(isnan(of_timeline("artefact")) && isnan(of_timeline("backlog")));
    assert_true(isnan(of_timeline("total_s")) && !is_timeline("edges"));
    t->artefact_ms = t->backlog_ms = 3;
    t->total_ms = 1000;
    t->tail_ms = 1;
    assert_true(of_timeline("artefact") == 3 && of_timeline("backlog") == 3);
    assert_true(of_timeline("total_s") == 1 && is_timeline("edges"));
    t->backlog_included = true;
    assert_true(isnan(of_timeline("backlog")));
}

static void test_limits_of_the_timeline(void **state)
{
    (void)state;
    struct report_timeline *t = &report.timeline;
    *t = (struct report_timeline){
        .computation_pct = 95, .exposed_comm_pct = 3, .exposed_memcpy_pct = 2};
    assert_false(is_timeline("above_95"));
    assert_false(is_timeline("healthy") || is_timeline("comm_5"));
    assert_false(is_timeline("copies_2") || is_timeline("idle_20"));
    t->exposed_memcpy_pct = 1.9;
    assert_true(is_timeline("healthy"));
    t->computation_pct = 79;
    t->idle_pct = 51;
    assert_true(is_timeline("idle_20") && is_timeline("idle_50"));
    assert_false(is_timeline("healthy"));
}

static void test_windows(void **state)
{
    (void)state;
    report.timeline.n_windows = 2;
    report.timeline.windows[1].of = S("Tables");
    const struct field *f = field_of(shown_windows_fields(), "items");
    struct field_items items =
        field_items(f, &(struct described){&report.timeline, &report, &a});
    assert_int_equal(items.n, 2);
    assert_text(told(f->item(), field_item(&items, 1), "of").text, "Tables");
}

static void test_gaps(void **state)
{
    (void)state;
    struct idle_result *idle = &results.idle;
    const struct description *d = shown_idle_fields();
    assert_false(told(d, idle, "some_gaps").flag);
    assert_null(told(d, idle, "gaps").item);
    assert_true(isnan(told(d, idle, "saves_ms").real));
    idle->gap_count = idle->n_top_gaps = 1;
    idle->top_gaps[0] = (struct idle_gap){.start_us = 1500, .duration_us = 500};
    idle->recoverable_low_ms = 4;
    idle->recoverable_high_ms = 9;
    assert_true(told(d, idle, "some_gaps").flag && told(d, idle, "one_gap").flag);
    assert_true(told(d, idle, "one_top_gap").flag);
    assert_ptr_equal(told(d, idle, "gaps").item, idle);
    assert_true(told(d, idle, "saves_ms").real == 8);
    assert_false(told(d, idle, "gap_causes").flag);
    idle->top_gaps[0].cause = S("the host waits");
    assert_true(told(d, idle, "gap_causes").flag);
    d = shown_gap_fields();
    assert_true(told(d, idle->top_gaps, "start_ms").real == 1.5);
    assert_true(told(d, idle->top_gaps, "length_ms").real == 0.5);
}

static void test_groups(void **state)
{
    (void)state;
    struct idle_group g = {
        .class = IDLE_PEER, .total_ns = 20000000, .leaf_us = 2500, .gaps = 3};
    results.idle.pool_ns[POOL_HOST] = 40000000;
    results.idle.class_ns[IDLE_PYTHON] = 40000000;
    const struct description *d = shown_group_fields();
    assert_true(told(d, &g, "plain").flag);
    assert_true(told(d, &g, "leaf_ms").real == 2.5);
    assert_true(told(d, &g, "total_pct").real == 10);
    assert_true(told(d, &g, "idle_pct").real == 50);
    assert_text(told(d, &g, "class").text, "wait for another GPU");
    g.class = IDLE_PYTHON;
    assert_false(told(d, &g, "plain").flag);
}

static struct copy_result *copies(enum copy_direction d)
{
    struct copy_result *c = &results.multi_kernel.copies[d];
    *c = (struct copy_result){.count = 10,
                              .bytes = 1000,
                              .total_us = 2000,
                              .exposed_us = 500,
                              .severity = SEVERITY_HIGH};
    return c;
}

static void test_copies(void **state)
{
    (void)state;
    struct copy_result *c = copies(COPY_D2H);
    const struct description *d = shown_copies_fields();
    assert_text(told(d, c, "direction").text, "D2H");
    assert_true(told(d, c, "total_ms").real == 2);
    assert_true(told(d, c, "byte_per_ms").real == 500);
    assert_true(told(d, c, "mean_bytes").real == 100);
    assert_true(told(d, c, "exposed_ms").real == 0.5);
    assert_true(told(d, c, "sized").flag && told(d, c, "recorded").flag);
    assert_false(told(d, c, "some_rate").flag);
    assert_true(isnan(told(d, c, "per_step").real));
    results.multi_kernel.step_count = 4;
    assert_true(told(d, c, "per_step").real == 2.5);
    c->unsized_count = 6; /* as inside GPU graphs: of the other 4 the rate is */
    c->unsized_us = c->total_us / 2;
    assert_true(told(d, c, "byte_per_ms").real == 1000);
    assert_true(told(d, c, "mean_bytes").real == 250);
    assert_int_equal(told(d, c, "sized_count").whole, 4);
    c->unsized_count = 0;
    c->unsized_us = 0;
    assert_int_equal(told(d, c, "sized_count").whole, 0);
}

static void test_cause_of_copies(void **state)
{
    (void)state;
    struct copy_result *in = copies(COPY_H2D), *out = copies(COPY_D2H);
    const struct description *d = shown_copies_fields();
    assert_text(told(d, out, "cause").text, "scalars");
    assert_text(told(d, in, "cause").text, "tensors");
    in->bytes = out->bytes = 1 << 20;
    assert_text(told(d, out, "cause").text, "results");
    assert_text(told(d, in, "cause").text, "input");
    in->severity = SEVERITY_NONE;
    assert_text(told(d, in, "cause").text, "small");
    in->count = 0;
    copies(COPY_OTHER)->count = 0;
    assert_text(told(d, in, "cause").text, "absent");
    copies(COPY_OTHER)->count = 35;
    assert_text(told(d, in, "cause").text, "unknown");
    copies(COPY_OTHER)->count = 0;
}

/* Without sizes there is no rate and no mean. */
static void test_copies_without_sizes(void **state)
{
    (void)state;
    struct copy_result *c = copies(COPY_D2H);
    const struct description *d = shown_copies_fields();
    c->bytes = -1;
    assert_true(isnan(told(d, c, "mean_bytes").real));
    assert_true(isnan(told(d, c, "gb_per_s").real));
    assert_false(told(d, c, "recorded").flag || told(d, c, "sized").flag);
    assert_text(told(d, c, "cause").text, "results");
}

static void test_communication(void **state)
{
    (void)state;
    struct multi_kernel_result *k = &results.multi_kernel;
    const struct description *d = shown_multi_kernel_fields();
    report.timeline.total_comm_ms = 7;
    report.timeline.exposed_comm_ms = 3;
    k->comm_overlap_frac = 0.25;
    k->memcpy_overlap_frac = (double)NAN;
    assert_true(told(d, k, "hidden_ms").real == 4);
    assert_true(told(d, k, "overlap_pct").real == 25);
    assert_true(told(d, k, "some_hidden").flag && !told(d, k, "some_comm").flag);
    k->comm_overlap_frac = (double)NAN;
    assert_false(told(d, k, "some_hidden").flag);
    k->status = ANALYSER_ERROR;
    assert_true(told(d, k, "failed").flag);
    assert_text(told(d, k, "status").text, "error");
}

static void test_devices_at_once(void **state)
{
    (void)state;
    struct report_at_once one = {.devices = 1, .time_ms = 50};
    report.gpus.at_once = &one;
    report.gpus.n = 1;
    const struct field *f = field_of(shown_gpus_fields(), "at_once");
    assert_true(told(f->item(), &one, "pct").real == 25);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_timeline, begin),
        cmocka_unit_test_setup(test_limits_of_the_timeline, begin),
        cmocka_unit_test_setup(test_windows, begin),
        cmocka_unit_test_setup(test_gaps, begin),
        cmocka_unit_test_setup(test_groups, begin),
        cmocka_unit_test_setup(test_copies, begin),
        cmocka_unit_test_setup(test_cause_of_copies, begin),
        cmocka_unit_test_setup(test_copies_without_sizes, begin),
        cmocka_unit_test_setup(test_communication, begin),
        cmocka_unit_test_setup(test_devices_at_once, begin)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
