#include "render/markdown/markdown_fields.h"

#include "base/arena_case.h"
#include "base/describe.h"
#include "render/text/seen.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct finding found[2];
static struct report_finding findings[2];
static struct category_result category;
static struct report_section section;
static struct report_priority_row priority;
static struct report_detail detail;
static struct analysis analysis;
static struct report_kit kit;
static struct report report;

static int begin(void **state)
{
    (void)state;
    found[0] = (struct finding){.op = S("aten::mm"),
                                .title = S("Tune `aten::mm` now"),
                                .title_at = 6,
                                .title_op = 8,
                                .issue = S("It is slow. The rest waits."),
                                .algorithmic = S("Fuse it."),
                                .impact = {2, 4, 20, 40, S("replayed")},
                                .impact_kernel = {2, 4, 20, 40, S("")},
                                .until = -1};
    found[1] = found[0];
    for (int k = 0; k < 2; k++)
        findings[k] = (struct report_finding){.of = &found[k]};
    category = (struct category_result){
        .category = WORK_GEMM, .time_ms = 30, .compute_pct = 60, .n_rows = 1};
    section = (struct report_section){.of = &category};
    priority = (struct report_priority_row){.category = WORK_GEMM};
    detail = (struct report_detail){.sections = &section,
                                    .n_sections = 1,
                                    .priorities = &priority,
                                    .n_priorities = 1};
    analysis = (struct analysis){.n_by_time = 0};
    kit = (struct report_kit){.file = S("replay_packages/mm.zip"), .time_ms = 10};
    report = (struct report){.findings = findings,
                             .n_findings = 1,
                             .detail = &detail,
                             .analysis = &analysis,
                             .kits = &kit,
                             .n_kits = 1};
    report.timeline.computation_ms = 50;
    return 0;
}

/* What a template finds by a path from a struct. */
static const cJSON *node_of(const struct description *d, const void *of,
                            const char *path)
{
    static cJSON room;
    struct seen v = {.d = d, .of = of, .whole = &report};
    for (struct str rest = str_of(path); rest.n;) {
        ptrdiff_t dot = str_find(rest, S("."));
        v = seen_member(&v, dot < 0 ? rest : str_head(rest, dot));
        rest = dot < 0 ? S("") : str_skip(rest, dot + 1);
        if (seen_count(&v) >= 0)
            v = seen_item(&v, 0);
    }
    return seen_value(&v, &a, &room);
}

static bool is(const struct description *d, const void *of, const char *path)
{
    return cJSON_IsTrue(node_of(d, of, path));
}

static const char *text(const char *path)
{
    return node_of(md_finding_fields(), findings, path)->valuestring;
}

static bool flag(const char *path)
{
    return is(md_finding_fields(), findings, path);
}

static double number(const char *path)
{
    return node_of(md_finding_fields(), findings, path)->valuedouble;
}

/* A name of the trace in a title stands apart, with the spaces beside it. */
static void test_title(void **state)
{
    (void)state;
    found[0].title = S("Tune aten::mm now");
    found[0].title_at = 5;
    assert_string_equal(text("title_before"), "Tune ");
    assert_string_equal(text("title_op"), "aten::mm");
    assert_string_equal(text("title_after"), " now");
    assert_true(flag("space_before") && flag("space_after"));
    assert_false(flag("named") || flag("title_shared"));
    found[0].title = S("Tune");
    found[0].title_at = found[0].title_op = 0;
    assert_true(flag("named"));
    assert_false(flag("space_before") || flag("space_after"));
}

static void test_shared_title(void **state)
{
    (void)state;
    report.n_findings = 2;
    assert_true(flag("title_shared"));
    found[0].kind = FIND_UNMODELLED;
    assert_false(flag("title_shared"));
    found[0].kind = FIND_BOTTLENECK;
    found[1].tier = TIER_SYSTEM;
    assert_false(flag("title_shared"));
}

static void test_sentences(void **state)
{
    (void)state;
    assert_string_equal(text("issue_first"), "It is slow.");
    assert_string_equal(text("issue_more"), "The rest waits.");
    assert_string_equal(text("algorithmic_first"), "Fuse it.");
    assert_false(flag("how"));
    found[0].kernel = S("Tile it.");
    assert_true(flag("how"));
}

static void test_words(void **state)
{
    (void)state;
    assert_true(flag("tier.compute") && flag("comm_kind"));
    found[0].tier = TIER_SYSTEM;
    found[0].category = WORK_CPU_IDLE;
    assert_true(flag("tier.system") && flag("idle_kind") && !flag("comm_kind"));
    found[0].category = WORK_MULTI_KERNEL;
    found[0].pattern = S("d2h_memcpy");
    assert_true(flag("copies_kind") && !flag("idle_kind") && !flag("comm_kind"));
    assert_true(flag("bound.none") && flag("priority.low") && flag("kind.bottleneck"));
}

static void test_impact(void **state)
{
    (void)state;
    assert_true(flag("impact.some") && !flag("impact.none") && !flag("impact.unknown"));
    assert_true(number("impact.mid_pct") == 3);
    assert_true(number("low.impact.high_ms") == 20 && flag("low.impact.some"));
    assert_true(number("high.impact.low_ms") == 40);
    found[0].impact.low_ms = 0;
    assert_true(flag("low.impact.none") && flag("high.impact.some"));
    found[0].impact = (struct impact_range){0, 0, 0, 0, S("")};
    assert_true(flag("impact.none") && !flag("impact.some"));
    found[0].impact.low_pct = (double)NAN;
    assert_true(flag("impact.unknown") && !flag("impact.none") && !flag("impact.some"));
}

/* Only where they differ from what both paths save now. */
static void test_other_savings(void **state)
{
    (void)state;
    assert_null(node_of(md_finding_fields(), findings, "path_b"));
    assert_null(node_of(md_finding_fields(), findings, "then"));
    found[0].impact_kernel.high_pct = 3;
    assert_true(number("path_b.impact.high_pct") == 3);
    found[0].until = 0;
    found[0].impact_then = (struct impact_range){5, 6, 50, 60, S("")};
    assert_true(number("then.impact.low_pct") == 5);
}

static void test_projection(void **state)
{
    (void)state;
    struct projection_row row = {60, 10, 1, 50};
    assert_false(flag("projected"));
    found[0].projection = &row;
    found[0].n_projection = 1;
    assert_true(flag("projected"));
    found[0].impact.high_pct = 0.09;
    assert_false(flag("projected"));
}

static void test_longest_row(void **state)
{
    (void)state;
    struct work_row rows[3] = {{.time_ms = 1, .args = S("a")},
                               {.time_ms = 2, .args = S("b")},
                               {.time_ms = 2, .args = S("c")}};
    const struct work_row *list[] = {&rows[0], &rows[1], &rows[2]};
    assert_null(md_longest_row(&found[0]));
    found[0].rows = list;
    found[0].n_rows = 3;
    assert_ptr_equal(md_longest_row(&found[0]), &rows[1]);
    assert_string_equal(text("first_args"), "b");
    assert_null(node_of(md_finding_fields(), findings, "called_from"));
    rows[1].launcher_path = S("vit.py(1): f");
    assert_string_equal(text("called_from.launcher"), "vit.py(1): f");
}

static bool of_section(const char *path)
{
    return is(md_section_fields(), &section, path);
}

static void test_category(void **state)
{
    (void)state;
    assert_true(of_section("is.gemm") && of_section("filled") && !of_section("empty"));
    assert_true(node_of(md_section_fields(), &section, "share_pct")->valuedouble == 60);
    assert_true(
        isfinite(node_of(md_section_fields(), &section, "criterion_ms")->valuedouble));
    category.n_rows = 0;
    assert_true(of_section("empty") && !of_section("filled"));
    category.status = ANALYSER_ERROR;
    assert_true(of_section("status.error") && of_section("failed"));
    assert_false(of_section("empty") || of_section("filled"));
    category.category = WORK_COMMUNICATION;
    category.total_pct = 7;
    assert_true(node_of(md_section_fields(), &section, "share_pct")->valuedouble == 7);
    assert_true(cJSON_IsNull(node_of(md_section_fields(), &section, "criterion_ms")));
}

static const cJSON *of_report(const char *path)
{
    return node_of(md_report_fields(), &report, path);
}

static void test_report(void **state)
{
    (void)state;
    report.meta.device_name = S("AMD Instinct");
    assert_string_equal(of_report("platform")->valuestring, "AMD Instinct");
    report.meta.platform = S("MI300X");
    assert_string_equal(of_report("platform")->valuestring, "MI300X");
    assert_string_equal(of_report("meta.command")->valuestring,
                        "tracefolio analyze - -p MI300X");
    assert_true(cJSON_IsTrue(of_report("meta.unnamed")));
    assert_string_equal(of_report("packages.file")->valuestring, "mm.zip");
    assert_true(of_report("packages.compute_pct")->valuedouble == 20);
    report.timeline.computation_ms = 0;
    assert_true(of_report("packages.compute_pct")->valuedouble == 0);
    assert_null(of_report("top_category"));
}

static void test_device(void **state)
{
    (void)state;
    struct report_peak peaks[] = {{S("vector_fp32"), 82}, {S("matrix_bf16"), 708}};
    assert_true(cJSON_IsNull(of_report("device.memory_gb")));
    assert_true(cJSON_IsNull(of_report("device.bf16")));
    report.device = (struct report_device){
        .known = true, .memory_gb = 192, .peaks = peaks, .n_peaks = 2};
    assert_true(of_report("device.memory_gb")->valuedouble == 192);
    assert_true(of_report("device.bf16")->valuedouble == 708);
    assert_true(cJSON_IsNull(of_report("device.fp8")));
}

/* Times are those of its section; a category without one has none. */
static void test_priorities(void **state)
{
    (void)state;
    assert_true(of_report("priorities.time_ms")->valuedouble == 30);
    assert_true(of_report("priorities.compute_pct")->valuedouble == 60);
    assert_true(cJSON_IsTrue(of_report("priorities.of_compute")));
    priority.category = WORK_CPU_IDLE;
    assert_true(cJSON_IsNull(of_report("priorities.time_ms")));
    assert_true(cJSON_IsFalse(of_report("priorities.of_compute")));
}

static void test_fused(void **state)
{
    (void)state;
    struct fusion_candidate c = {
        .module = S("Mlp"), .fused_us = 5, .moved_mb = 2, .n_products = 1};
    const struct description *d = md_candidate_fields();
    assert_string_equal(node_of(d, &c, "place")->valuestring, "Mlp");
    assert_true(node_of(d, &c, "around_us")->valuedouble == 5);
    assert_true(cJSON_IsNull(node_of(d, &c, "moved_mb")));
    c.base = S("mul to add");
    c.n_products = 0;
    assert_string_equal(node_of(d, &c, "place")->valuestring, "mul to add");
    assert_true(cJSON_IsNull(node_of(d, &c, "around_us")));
    assert_true(node_of(d, &c, "moved_mb")->valuedouble == 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_title, begin),
        cmocka_unit_test_setup(test_shared_title, begin),
        cmocka_unit_test_setup(test_sentences, begin),
        cmocka_unit_test_setup(test_words, begin),
        cmocka_unit_test_setup(test_impact, begin),
        cmocka_unit_test_setup(test_other_savings, begin),
        cmocka_unit_test_setup(test_projection, begin),
        cmocka_unit_test_setup(test_longest_row, begin),
        cmocka_unit_test_setup(test_category, begin),
        cmocka_unit_test_setup(test_report, begin),
        cmocka_unit_test_setup(test_device, begin),
        cmocka_unit_test_setup(test_priorities, begin),
        cmocka_unit_test_setup(test_fused, begin)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
