#include "report/page_shown.h"

#include "base/arena_case.h"
#include "base/describe.h"
#include "report/op_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct report_op ops[3];
static int of_all[] = {0, 1, 2};
static struct report_category category;
static struct report report;

static int begin(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        ops[k] = op_case(S("aten::mm"), 20, 30);
        op_case_group(&ops[k])->cost = (const struct perf_cost *)"";
    }
    category = (struct report_category){
        .time_ms = 60, .efficiency_pct = 30, .ops = of_all, .n_ops = 3};
    report = (struct report){.ops = ops, .n_ops = 3};
    return 0;
}

static struct field_value told(const struct description *d, const void *of,
                               const char *name)
{
    const struct field *f = field_of(d, name);
    assert_non_null(f);
    return field_value(f, &(struct described){of, &report, &a});
}

/* What a verdict is about comes first where the first finding is about something
 * else. */
static void collectives_that_bind_say_for_how_long(void **state)
{
    (void)state;
    static struct finding of;
    static struct report_finding first = {.of = &of};
    const struct description *d = shown_front_fields();
    of.category = WORK_CPU_IDLE;
    report.verdict_kind = VERDICT_COMMUNICATION;
    report.timeline.exposed_comm_pct = 38.7;
    assert_true(isnan(told(d, &report, "exposed_pct").real)); /* no finding */
    report.findings = &first;
    report.n_findings = 1;
    assert_true(told(d, &report, "exposed_pct").real == 38.7);
    of.category = WORK_MULTI_KERNEL;
    assert_true(isnan(told(d, &report, "exposed_pct").real));
    of.category = WORK_CPU_IDLE;
    report.verdict_kind = VERDICT_HOST;
    assert_true(isnan(told(d, &report, "exposed_pct").real));
}

static void test_head(void **state)
{
    (void)state;
    const struct description *d = shown_meta_fields();
    report.meta.share_level = S("internal");
    report.device.misfit = S("Another device.");
    assert_text(told(d, &report.meta, "share_mark").text, "");
    assert_text(told(d, &report.meta, "device_note").text, "Another device.");
    assert_false(told(d, &report.meta, "is_public").flag);
    report.meta.share_level = S("public");
    assert_text(told(d, &report.meta, "share_mark").text, "public");
    assert_true(told(d, &report.meta, "is_public").flag);
    report.meta.model = S("Workload");
    report.model.precision = S("Cannot be inferred from trace");
    assert_text(told(d, &report.meta, "model").text, "");
    assert_text(told(d, &report.meta, "precision").text, "");
    report.meta.model = S("LlamaForCausalLM");
    report.model.precision = S("BF16");
    assert_text(told(d, &report.meta, "model").text, "LlamaForCausalLM");
    assert_text(told(d, &report.meta, "precision").text, "BF16");
}

static void test_front(void **state)
{
    (void)state;
    const struct description *d = shown_front_fields();
    assert_null(told(d, &report, "largest").item);
    report.categories = &category;
    report.n_categories = 1;
    assert_ptr_equal(told(d, &report, "largest").item, &category);
}

static void test_checks(void **state)
{
    (void)state;
    const struct description *d = shown_checks_fields();
    report.n_checked[CHECK_PASSED] = 5;
    assert_false(told(d, &report, "bad").flag);
    report.n_checked[CHECK_WARNING] = 1;
    report.n_checked[CHECK_FAILED] = 2;
    assert_true(told(d, &report, "bad").flag && told(d, &report, "one_warned").flag);
    assert_int_equal(told(d, &report, "n_bad").whole, 3);
    struct report_check check = {.result = CHECK_NOT_EVALUATED};
    assert_false(told(shown_check_fields(), &check, "told").flag);
    check.result = CHECK_FAILED;
    assert_true(told(shown_check_fields(), &check, "told").flag);
}

/* Where most of it has no model, the rest says nothing of it. */
static void test_category(void **state)
{
    (void)state;
    const struct description *d = shown_category_fields();
    assert_false(told(d, &category, "partly").flag);
    assert_true(told(d, &category, "efficiency_pct").real == 30);
    category.unmodelled_ms = 30;
    assert_true(told(d, &category, "partly").flag);
    assert_true(told(d, &category, "unmodelled_pct").real == 50);
    assert_true(told(d, &category, "efficiency_pct").real == 30);
    category.unmodelled_ms = 30.6;
    assert_true(fabs(told(d, &category, "unmodelled_pct").real - 51) < 1e-9);
    assert_true(isnan(told(d, &category, "efficiency_pct").real));
}

static void test_flawed_operations(void **state)
{
    (void)state;
    const struct description *d = shown_category_fields();
    assert_int_equal(told(d, &category, "without").whole, 0);
    op_case_group(&ops[0])->cost = NULL;
    op_case_row(&ops[1])->efficiency.anomaly = true;
    op_case_row(&ops[1])->high_variance = op_case_row(&ops[2])->high_variance = true;
    assert_int_equal(told(d, &category, "without").whole, 1);
    assert_int_equal(told(d, &category, "above").whole, 1);
    assert_int_equal(told(d, &category, "unsteady").whole, 2);
}

static bool of_run(const struct timeline_data *t, const char *name)
{
    return told(shown_run_fields(), t, name).flag;
}

/* One of these says where a step begins. */
static void test_steps_of_a_run(void **state)
{
    (void)state;
    struct timeline_data t = {.step_source = STEPS_PROFILER_DEVICE, .has_steps = true};
    t.steps_on_device = true;
    assert_true(of_run(&t, "on_device") && !of_run(&t, "by_device"));
    t.step_source = STEPS_PERIOD;
    assert_true(of_run(&t, "by_period") && !of_run(&t, "by_device"));
    t.step_source = STEPS_PROFILER;
    assert_true(of_run(&t, "by_device") && !of_run(&t, "on_host"));
    t.steps_on_device = false;
    assert_true(of_run(&t, "on_host") && !of_run(&t, "by_device"));
}

static void test_step(void **state)
{
    (void)state;
    const struct description *d = shown_step_fields();
    struct timeline_step s = {
        .number = -1, .dur_ns = 200, .busy_ns = 50, .deviation_pct = (double)NAN};
    assert_true(told(d, &s, "busy_pct").real == 25);
    assert_false(told(d, &s, "numbered").flag || told(d, &s, "above").flag);
    s = (struct timeline_step){.number = 0, .deviation_pct = 0.1};
    assert_true(isnan(told(d, &s, "busy_pct").real));
    assert_true(told(d, &s, "numbered").flag && told(d, &s, "above").flag);
}

/* A clock that is off shows no delay below zero. */
static void test_launches(void **state)
{
    (void)state;
    const struct description *d = shown_launches_fields();
    struct timeline_data t = {.median_delay_us = -3, .launches_per_step = (double)NAN};
    assert_true(told(d, &t, "shown_delay_us").real == 0);
    assert_true(told(d, &t, "median_delay_us").real == -3);
    assert_false(told(d, &t, "has_steps").flag);
    assert_int_equal(told(d, &t, "graph_launches").whole, 0);
}

/* The peak is that of what binds it; without an efficiency there is none to name. */
static void test_example(void **state)
{
    (void)state;
    struct report_peak peaks[] = {{S("vector_fp32"), 82}, {S("matrix_bf16"), 708}};
    const struct description *d = shown_example_fields();
    report.device =
        (struct report_device){.memory_tb_per_s = 5.3, .peaks = peaks, .n_peaks = 2};
    op_case_group(&ops[0])->compute_spec = S("matrix_bf16");
    assert_true(told(d, &ops[0], "peak").real == 708);
    op_case_row(&ops[0])->efficiency.bound = BOUND_MEMORY;
    assert_true(told(d, &ops[0], "peak").real == 5.3);
    op_case_row(&ops[1])->efficiency.percent = (double)NAN;
    assert_true(isnan(told(d, &ops[1], "peak").real));
    op_case_group(&ops[2])->compute_spec = S("matrix_fp4");
    assert_true(isnan(told(d, &ops[2], "peak").real));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(collectives_that_bind_say_for_how_long, begin),
        cmocka_unit_test_setup(test_head, begin),
        cmocka_unit_test_setup(test_front, begin),
        cmocka_unit_test_setup(test_checks, begin),
        cmocka_unit_test_setup(test_category, begin),
        cmocka_unit_test_setup(test_flawed_operations, begin),
        cmocka_unit_test_setup(test_steps_of_a_run, begin),
        cmocka_unit_test_setup(test_step, begin),
        cmocka_unit_test_setup(test_launches, begin),
        cmocka_unit_test_setup(test_example, begin)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
