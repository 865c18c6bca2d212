#include "markdown_reports.c"

#include "ops/op_row.h"
#include "render/markdown/markdown_parts.h"
#include "render/text/bundle.h"

#include "base/out.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* A report made by hand: T = 100 ms, C = 80 ms, 10 ms idle, 10 ms exposed copies; one
 * GEMM row of 40 ms (50 % of compute, 40 % of wall time) at 20 % of a 708 TFLOPS peak,
 * and a hostile elementwise row of 4 ms without a model. */
static struct arena tmp;
static struct kernel_detail kernels[1] = {{.name = S_INIT("Cijk_MT256")}};
static struct op_group groups[2];
static struct work_row rows[2];
static struct report_section sections[2];
static struct finding findings[3];
static struct report_finding report_findings[3];
static const struct work_row *gemm_rows[1] = {&rows[0]};
static const struct work_row *hostile_rows[1] = {&rows[1]};
static struct projection_row projection[1] = {{60, 13.333, 26.67, 66.67}};
static struct report_priority_row priorities[1];
static struct report_detail detail;
static struct report_charts charts;
static struct system_results system_tier;
static struct analysis analysis;
static struct report report;
static struct markdown_style style;

static void make_rows(void)
{
    groups[0] =
        (struct op_group){.kernels = kernels, .n_kernels = 1, .has_model = true};
    groups[1] = (struct op_group){.n_kernels = 0};
    rows[0] = (struct work_row){.group = &groups[0],
                                .name = S("aten::mm"),
                                .category = WORK_GEMM,
                                .args = S("(64,64) bf16, (64,64) bf16"),
                                .count = 10,
                                .time_ms = 40,
                                .mean_us = 4000,
                                .category_pct = 100,
                                .compute_pct = 50,
                                .total_pct = 40,
                                .efficiency = {.percent = 20,
                                               .flop_per_byte = 170.4,
                                               .peak_tflop_per_s = 708,
                                               .bound = BOUND_COMPUTE},
                                .launcher_path = S("vit.py(1): f")};
    rows[1] = (struct work_row){.group = &groups[1],
                                .name = S("evil`|<b>\n@x"),
                                .category = WORK_ELEMENTWISE,
                                .count = 1,
                                .time_ms = 4,
                                .mean_us = 4000,
                                .category_pct = 100,
                                .compute_pct = 5,
                                .total_pct = 4,
                                .efficiency = {.percent = (double)NAN,
                                               .flop_per_byte = (double)NAN,
                                               .tflop_per_s = (double)NAN,
                                               .tb_per_s = (double)NAN}};
    analysis = (struct analysis){.total_ms = 100, .system = &system_tier};
    for (int i = 0; i < 2; i++) {
        enum work_category c = rows[i].category;
        analysis.categories[c] = (struct category_result){
            .category = c,
            .time_ms = rows[i].time_ms,
            .compute_pct = rows[i].compute_pct,
            .total_pct = rows[i].total_pct,
            .average_efficiency_pct = rows[i].efficiency.percent,
            .operation_count = rows[i].count,
            .rows = &rows[i],
            .n_rows = 1};
        sections[i] = (struct report_section){.of = &analysis.categories[c]};
    }
}

static void make_findings(void)
{
    findings[0] = (struct finding){.id = S("gemm.few_tiles.aten_mm.compute"),
                                   .tier = TIER_COMPUTE,
                                   .tier_number = 1,
                                   .category = WORK_GEMM,
                                   .kind = FIND_PATTERN,
                                   .pattern = S("few_tiles"),
                                   .title = S("Few output tiles"),
                                   .op = S("aten::mm"),
                                   .priority = PRIORITY_CRITICAL,
                                   .priority_basis = S("50.0% of compute above 15%"),
                                   .issue = S("Only 4 tiles keep 304 units busy."),
                                   .algorithmic = S("Split the reduction. Or batch."),
                                   .kernel = S("Evaluate a split kernel."),
                                   .count = 10,
                                   .time_ms = 40,
                                   .compute_pct = 50,
                                   .total_pct = 40,
                                   .efficiency_pct = 20,
                                   .bound = BOUND_COMPUTE,
                                   .peak = S("708 TFLOPS"),
                                   .achieved = S("142 TFLOPS"),
                                   .impact = {26.67, 30, 26.67, 30, S("t e / X")},
                                   .projection = projection,
                                   .n_projection = 1,
                                   .replay_recommended = true};
    findings[1] = findings[0];
    findings[1].id = S("elementwise.unmodelled.evil.none");
    findings[1].tier_number = 2;
    findings[1].category = WORK_ELEMENTWISE;
    findings[1].kind = FIND_UNMODELLED;
    findings[1].title = S("No model");
    findings[1].op = rows[1].name;
    findings[1].priority = PRIORITY_MEDIUM;
    findings[1].issue = S("No model covers it.");
    findings[1].efficiency_pct = (double)NAN;
    findings[1].impact = (struct impact_range){0.6, 1.8, 0.6, 1.8, S("")};
    findings[1].n_projection = 0;
    findings[1].replay_recommended = false;
    findings[2] = (struct finding){
        .id = S("multi_kernel.d2h.copy.none"),
        .tier = TIER_SYSTEM,
        .tier_number = 1,
        .category = WORK_MULTI_KERNEL,
        .kind = FIND_SYSTEM,
        .title = S("Copies to the host"),
        .op = S("D2H copies"),
        .priority = PRIORITY_HIGH,
        .issue = S("120 copies to the host take 10 ms."),
        .algorithmic = S("Keep data on the device. Batch host reads."),
        .efficiency_pct = (double)NAN,
        .impact = {5, 10, 5, 10, S("")},
        .impact_kernel = {(double)NAN, (double)NAN, (double)NAN, (double)NAN, S("")}};
    for (int i = 0; i < 3; i++)
        report_findings[i] = (struct report_finding){.of = &findings[i]};
}

static void make_detail(void)
{
    findings[0].rows = gemm_rows;
    findings[1].rows = hostile_rows;
    findings[0].n_rows = findings[1].n_rows = 1;
    priorities[0] = (struct report_priority_row){1, WORK_GEMM, 26.67, 28.335, 30};
    detail = (struct report_detail){.attention_use = S("Not applicable"),
                                    .sections = sections,
                                    .n_sections = 2,
                                    .priorities = priorities,
                                    .n_priorities = 1};
    system_tier = (struct system_results){0};
    system_tier.multi_kernel.comm_overlap_frac = (double)NAN;
    for (int i = 0; i < COPY_DIRECTIONS; i++)
        system_tier.multi_kernel.copies[i] = (struct copy_result){
            .severity = SEVERITY_HIGH, .count = 120, .bytes = 480, .total_us = 10000};
}

static int setup(void **state)
{
    (void)state;
    style = (struct markdown_style){.no_markers = false};
    make_rows();
    make_findings();
    make_detail();
    report = (struct report){.findings = report_findings,
                             .n_findings = 3,
                             .analysis = &analysis,
                             .detail = &detail};
    report.meta.model = S("ViT");
    report.meta.platform = S("MI300X");
    report.meta.trace_file = S("toy.json.gz");
    report.timeline = (struct report_timeline){.total_ms = 100,
                                               .computation_ms = 80,
                                               .exposed_memcpy_ms = 10,
                                               .idle_ms = 10,
                                               .computation_pct = 80,
                                               .exposed_memcpy_pct = 10,
                                               .idle_pct = 10,
                                               .busy_pct = 90};
    report.device = (struct report_device){
        .known = true, .name = S("MI300X"), .memory_tb_per_s = 5.3, .memory_gb = 192};
    return 0;
}

static char *rendered(const char *template, const cJSON *context)
{
    struct out o;
    struct err e = {0};
    struct arena scratch = tmp;
    struct template_set set = markdown_templates(&scratch);
    out_memory(&o);
    if (!template_render(&o, &set, str_of(template), context, &e))
        fail_msg("%s: %s", e.file, e.what);
    out_char(&o, '\0');
    char *text = strdup(out_view(&o).p);
    out_free(&o);
    return text;
}

static char *written(const char *template)
{
    cJSON *context = markdown_context(tmp, &report, &charts, &style);
    char *text = rendered(template, context);
    cJSON_Delete(context);
    return text;
}

static int count(const char *text, const char *part)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
        n++;
    return n;
}

static void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" is missing in:\n%s", part, text);
}

/* Non-blank lines from behind `from` to the first line that begins with one of the
 * ends. */
static int lines_between(const char *text, const char *from)
{
    const char *at = strstr(text, from);
    assert_non_null(at);
    at = strchr(at, '\n') + 1;
    for (int n = 0;; at = strchr(at, '\n') + 1) {
        if (!*at || strncmp(at, "## ", 3) == 0 || strncmp(at, "---", 3) == 0)
            return n;
        n += *at != '\n';
    }
}

static void test_fair_answers_first(void **state)
{
    (void)state;
    char *text = written("fair");
    assert_has(text, "# ViT - MI300X Standalone Analysis\n");
    assert_has(
        text,
        "ViT on MI300X: 80.00 ms of GPU computation in 100.0 ms (80.0%); "
        "exposed memory copies take 10.0%, the GPU is idle for 10.0%, and "
        "most computation is GEMM (50.0%). Only 4 tiles keep 304 units busy. Start "
        "with *Few output tiles* (`aten::mm`): it would save 26.67 to "
        "30.00 ms (~26.7% to ~30.0% E2E).\n");
    assert_has(text, "| GPU Utilization | 80.0% in computation (below 95%) |");
    assert_true(lines_between(text, "## Executive Summary") <= 20);
    assert_null(strstr(text, "## Warnings"));
    free(text);
}

/* As the report has them, whatever their tier; what is low is no recommendation. */
static void test_fair_order(void **state)
{
    (void)state;
    int order[3];
    for (int percent = 80; percent <= 96; percent += 16) {
        report.timeline.computation_pct = percent;
        assert_int_equal(md_fair_order(&report, order), 3);
        for (int i = 0; i < 3; i++)
            assert_int_equal(order[i], i);
    }
    findings[1].priority = PRIORITY_LOW;
    assert_int_equal(md_fair_order(&report, order), 2);
    assert_int_equal(order[1], 2);
}

static void test_fair_cards(void **state)
{
    (void)state;
    char *text = written("fair");
    assert_has(text, "### \U0001F534 Critical Priority: Few output tiles\n");
    assert_has(
        text,
        "**Do**: Path A: Split the reduction. Path B: Evaluate a split kernel.  \n");
    assert_has(text, "**Worth**: 26.67 to 30.00 ms (~26.7% to ~30.0% E2E)");
    /* The second finding has the same remedies: named, not said again. */
    assert_has(text, "Path A: see `aten::mm` above. Path B: see");
    assert_has(text, "*See [GEMM](#detailed-3-gemm)*");
    assert_int_equal(count(text, "<a id=\"detailed-3-gemm\"></a>"), 1);
    assert_has(text, "estimated from time share, no performance model");
    free(text);
}

/* 26.67 + 0.6 = 27.27 and 30 + 1.8 = 31.8 % of 100 ms. */
static void test_one_card_a_remedy(void **state)
{
    (void)state;
    findings[1].priority = PRIORITY_CRITICAL;
    findings[1].kind = FIND_PATTERN;
    char *text = written("fair");
    assert_has(text, "Critical Priority: Few output tiles (2 operations)\n");
    assert_has(text,
               "**Worth**: 27.27 to 31.80 ms (~27.3% to ~31.8% E2E), both together");
    assert_has(text, "*See [GEMM](#detailed-3-gemm)*");
    assert_int_equal(count(text, "**Why**: Only 4 tiles"), 1);
    free(text);
}

/* Who can have a package is told apart from who cannot, and each reason told once. */
static void test_replay_list(void **state)
{
    (void)state;
    struct report_no_kit none[] = {
        {S("hipGraphLaunch->a (Synthetic Op)"), S("a kernel of a captured graph")},
        {S("nccl:x"), S("communication: it needs the other ranks")},
        {S("hipGraphLaunch->`b`|"), S("a kernel of a captured graph")}};
    report.no_kits = none;
    report.n_no_kits = 3;
    char *text = written("standalone");
    assert_has(text, "### Replay Artifacts\n\nNo replay packages were generated.\n"
                     "\nReplay artifact recommended for kernel team to investigate "
                     "and optimize.\n\n- `aten::mm`: 20.0% of ");
    free(text);
    struct report_kit kits[] = {{S("replay_packages/aten_mm.zip"), 11, 4.0},
                                {S("replay_packages/aten_`.zip"), 1, 8.0}};
    report.kits = kits;
    report.n_kits = 2;
    report_findings[0].no_kit = none[0].reason;
    text = written("fair");
    assert_has(text, "### Replay Artifacts\n\n2 packages in `replay_packages/`.\n");
    free(text);
    text = written("standalone");
    assert_has(text, "### Replay Artifacts\n\n"
                     "- `aten_mm.zip` - 11 shapes, 4.00 ms, 5.0% of compute\n"
                     "- ``aten_`.zip`` - 1 shape, 8.00 ms, 10.0% of compute\n");
    assert_null(strstr(text, "Replay artifact recommended"));
    free(text);
}

/* An operator in a title is code, whatever its letters; a category is not. */
static void test_operators_in_titles(void **state)
{
    (void)state;
    findings[0].pattern = S("low_efficiency");
    findings[0].title = S("mm at 20.0% of peak compute");
    char *text = written("fair");
    assert_has(text, "Critical Priority: `mm` at 20.0% of peak compute\n");
    free(text);
    findings[0].title = S("GEMM at 20.0% of peak compute");
    text = written("fair");
    assert_has(text, "Critical Priority: GEMM at 20.0% of peak compute\n");
    free(text);
}

/* One question for all that could be replayed, one for all slow launch calls. */
static void test_questions(void **state)
{
    (void)state;
    static const struct idle_gap gaps[] = {
        {.duration_us = 2500, .before = S_INIT("k1"), .class = IDLE_PYTHON},
        {.duration_us = 1500, .before = S_INIT("k2"), .class = IDLE_LAUNCH},
        {.duration_us = 1250, .before = S_INIT("k3"), .class = IDLE_LAUNCH}};
    memcpy(system_tier.idle.top_gaps, gaps, sizeof gaps);
    system_tier.idle.n_top_gaps = 3;
    findings[1].replay_recommended = true;
    char *text = written("rough");
    assert_has(text, "- Do launch calls that keep the device waiting for up to 1.50 ms "
                     "recur once the process is warm?\n"
                     "- Are these as slow when replayed alone: `aten::mm`, ");
    free(text);
}

/* A finding over rows of two operators says so. */
static void test_more_operators(void **state)
{
    (void)state;
    static const struct work_row *both[2] = {&rows[0], &rows[1]};
    findings[0].rows = both;
    findings[0].n_rows = 2;
    char *text = written("fair");
    assert_has(text, "on 2 shapes of 2 operators, 10 calls");
    free(text);
    text = written("standalone");
    assert_has(text,
               "**Identification:** `aten::mm` and 1 more operator take 40.00 ms");
    assert_has(text, "**Reasoning for Slowdown:** Only 4 tiles keep 304 units busy.");
    free(text);
}

/* Texts that differ in names and figures alone are one remedy; of operations without a
 * model the card tells the sum. 40 + 40 ms are 50 + 50 % of compute. */
static void test_one_card_for_what_is_not_known(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        findings[i].priority = PRIORITY_HIGH;
        findings[i].kind = FIND_UNMODELLED;
        findings[i].pattern = S("unmodelled");
        findings[i].issue = S("It takes long, and its efficiency is unknown.");
    }
    findings[0].algorithmic = S("Supply a model of `aten::mm`, for 1.5 ms.");
    findings[1].algorithmic = S("Supply a model of `evil`, for 22.25 ms.");
    char *text = written("fair");
    assert_has(text,
               "High Priority: 2 operations: 80.00 ms without a performance model\n");
    assert_has(text, "**Why**: Their efficiency is unknown.");
    free(text);
    findings[1].algorithmic = S("Trace `evil` again.");
    text = written("fair");
    assert_null(strstr(text, "Their efficiency"));
    free(text);
}

/* A note is no bottleneck, but without it nothing would be said of most of the work. */
static void test_work_that_nothing_judges(void **state)
{
    (void)state;
    analysis.n_findings = report.n_findings = 1;
    findings[0].kind = FIND_UNMODELLED;
    findings[0].informational = true;
    findings[0].priority = PRIORITY_LOW;
    findings[0].impact = (struct impact_range){0, 0, 0, 0, S("")};
    findings[0].title = S("96.1% of kernel time has no performance model");
    findings[0].algorithmic = S("Trace the step without graph replay.");
    findings[0].compute_pct = 96.1;
    char *text = written("fair");
    assert_has(text, " 96.1% of kernel time has no performance model, so most of the "
                     "work cannot be judged;");
    assert_has(text, "no bottleneck meets the criteria. Trace the step without");
    assert_has(text, "No bottleneck meets the criteria, but 96.1% of kernel time");
    assert_null(strstr(text, "✅"));
    free(text);
}

static void test_a_name_of_several_words_is_one(void **state)
{
    (void)state;
    struct idle_group idle = {.class = IDLE_NOTHING, .blame = S("step_one 0 1")};
    findings[0].idle = &idle;
    findings[0].title = S("GPU idle 5 ms inside step_one 0 1, host work not recorded");
    char *text = written("fair");
    assert_has(text, "GPU idle 5 ms inside `step_one 0 1`, host");
    free(text);
    idle =
        (struct idle_group){.class = IDLE_FIRST_LAUNCH, .blame = S("first launches")};
    findings[0].title = S("GPU idle 5 ms in first launches of 9 kernels");
    text = written("fair");
    assert_has(text, "GPU idle 5 ms in first launches of 9");
    free(text);
}

/* 30 of 40 ms of computation. */
static void test_a_device_that_computes_little(void **state)
{
    (void)state;
    report.timeline.computation_pct = 40;
    report.timeline.computation_ms = 40;
    char *text = written("fair");
    assert_has(text, " E2E); that is up to 75.0% of the computation  \n");
    free(text);
}

static void test_hostile_name(void **state)
{
    (void)state;
    static const char *const writers[] = {"fair", "rough", "standalone"};
    for (int i = 0; i < 3; i++) {
        char *text = written(writers[i]);
        /* In a line as it is, in a cell with the bar escaped; the newline is shown. */
        assert_true(count(text, "``evil`|<b>\\n@x``") +
                        count(text, "``evil`\\|<b>\\n@x``") ==
                    count(text, "@x"));
        assert_true(count(text, "@x") > 0);
        free(text);
    }
}

static void test_charts(void **state)
{
    (void)state;
    struct report_chart list[] = {
        {S("chart-wall-time"), S("charts/wall-time.svg"), S("charts/wall-time.png"),
         S("Where wall time goes")},
        {S("chart-gemm-roofline"), S("charts/g.svg"), S("charts/g.png"),
         S("One category")},
        {S("chart-gains"), S("charts/gains.svg"), S(""), S("No PNG was asked for")}};
    charts = (struct report_charts){list, 3};
    char *text = written("fair");
    assert_has(text, "![Where wall time goes](charts/wall-time.png)\n");
    assert_int_equal(count(text, "!["), 1);
    free(text);
    charts.n = 0;
}

static void test_warnings(void **state)
{
    (void)state;
    struct report_warning list[] = {{S("gemm"), S("It failed."), true},
                                    {S("trace"), S("Something is odd."), false}};
    report.warnings = list;
    report.n_warning_list = 2;
    char *text = written("fair");
    assert_has(text, "## Warnings\n");
    assert_has(text, "| `gemm` | Compute kernel | It failed. |");
    assert_has(text, "- Something is odd.\n");
    free(text);
}

/* No GPU work, no operators: every report says so and none breaks. */
static void test_empty(void **state)
{
    (void)state;
    detail = (struct report_detail){.attention_use = S("Not applicable")};
    analysis = (struct analysis){.n_findings = 0};
    report = (struct report){.analysis = &analysis, .detail = &detail};
    char *fair = written("fair"), *rough = written("rough"),
         *standalone = written("standalone");
    assert_has(fair, "# Workload - Unknown Platform Standalone Analysis");
    assert_has(fair, "The trace records no GPU work");
    assert_has(fair, "No bottleneck meets the criteria; see");
    assert_has(standalone, "No compute kernel optimization opportunities identified");
    assert_has(rough, "## Questions for Further Investigation\n\nNone.");
    free(fair);
    free(rough);
    free(standalone);
}

static void test_standalone_markers(void **state)
{
    (void)state;
    char *text = written("standalone");
    assert_has(text, "<!-- impact-begin kind=p_item category=gemm low=26.67 mid=28.34 "
                     "high=30.00 -->\n**Impact**: ");
    assert_has(text, "<!-- top-ops-row low=26.67 high=30.00 -->");
    assert_has(text, "<!-- reasoning-candidate tier=compute rank=2 -->");
    assert_int_equal(count(text, "<!-- impact-begin"), count(text, "<!-- impact-end"));
    assert_int_equal(count(text, "<a id=\"detailed-analysis-system-p1\"></a>"), 1);
    assert_has(text, "(#detailed-analysis-system-p1)");
    assert_has(text,
               "| `aten::mm` | `(64,64) bf16`<br>`(64,64) bf16` | `vit.py(1): f` | "
               "`Cijk_MT256` | 40.00 | 40.0% | 10 | 170.4 | 20.0% of 708 TFLOPS | "
               "compute |");
    assert_has(text, "No kernel fusion opportunities detected.");
    free(text);
}

/* The same text for a reader, whose cards keep their lines apart. */
static void test_standalone_without_markers(void **state)
{
    (void)state;
    char *with = written("standalone");
    style.no_markers = true;
    char *without = written("standalone");
    assert_int_equal(count(without, "<!--") + count(without, "-->"), 0);
    assert_int_equal(count(without, "**Impact**: "), count(with, "**Impact**: "));
    assert_has(without, "  \n**Impact**: ");
    assert_int_equal(count(without, "| \n"), 0);
    free(with);
    free(without);
}

static void test_standalone_system_card(void **state)
{
    (void)state;
    char *text = written("standalone");
    assert_has(text, "### \U0001F7E1 P1: Copies to the host\n\n" /* high */
                     "**Issue**: 120 copies to the host take 10 ms.  \n"
                     "**Action**: Keep data on the device.  \n");
    free(text);
}

/* The first category, without the title of its file. */
static char *written_category(void)
{
    cJSON *context = markdown_context(tmp, &report, &charts, &style);
    cJSON *section = cJSON_GetObjectItem(context, "categories")->child;
    cJSON_AddStringToObject(section, "h", "##");
    char *text = rendered("category", section);
    cJSON_Delete(context);
    return text;
}

static void test_category_findings(void **state)
{
    (void)state;
    char *text = written_category();
    assert_has(text,
               "Status: SUCCESS\n\n## Overview\n\nGEMMs account for 50.0% of compute "
               "time (40.00 ms in 10 calls). Average efficiency: 20.0%.");
    assert_has(text,
               "### 1. `aten::mm`\n\n- **Time:** 40.00 ms (50.0% of compute)\n"
               "- **Efficiency:** 20.0% of peak MAF (142 TFLOPS of 708 TFLOPS)\n");
    assert_has(text, "- **Priority:** Critical\n");
    assert_has(text, "| 60% of peak | 13.33 ms | ~26.7% | ~66.7% faster for this op |");
    assert_has(text, "- Quantized GEMMs detected: 0\n");
    free(text);
    analysis.categories[WORK_GEMM].status = ANALYSER_ERROR;
    analysis.categories[WORK_GEMM].error = S("gemm.lua:3: no");
    text = written_category();
    assert_string_equal(text, "Status: ERROR\n\n## Error\n\ngemm.lua:3: no\n");
    free(text);
}

static void test_missing_category(void **state)
{
    (void)state;
    analysis.categories[WORK_MOE_FUSED].category = WORK_MOE_FUSED;
    sections[0].of = &analysis.categories[WORK_MOE_FUSED];
    char *text = written_category();
    assert_string_equal(text,
                        "Status: NO_DATA\n\nNo MoE operations found in trace - model "
                        "does not use Mixture of Experts\n");
    free(text);
}

static void test_fair_by_number(void **state)
{
    (void)state;
    struct top_operation mm = {
        .rank = 1, .name = S("aten::mm"), .time_ms = 40, .compute_pct = 50};
    struct report_top_op top = {.of = &mm};
    report.top = &top;
    report.n_top = 1;
    style.by_number = true;
    char *text = written("fair");
    assert_has(text,
               "### Top Bottlenecks\n\n| Rank | Operation | Time | % Compute |\n");
    assert_has(text, "| 1 | `aten::mm` | 40.00 ms | 50.0% |\n");
    assert_has(text, "### \U0001F534 Priority 1: ");
    assert_has(text, "### \U0001F7E2 Priority 2: ");
    assert_int_equal(count(text, "Critical Priority:") + count(text, "High Priority:"),
                     0);
    assert_int_equal(count(text, "Top Operations (from"), 0);
    free(text);
}

static void test_stamp(void **state)
{
    (void)state;
    char *plain = written("rough");
    style.stamp = S("2026-01-31 12:00 UTC");
    char *text = written("rough"), *fair = written("fair");
    assert_has(text, "\n\nWritten 2026-01-31 12:00 UTC.\n");
    assert_int_equal(count(plain, "Written ") + count(fair, "2026-01-31"), 0);
    free(plain);
    free(text);
    free(fair);
}

/* Findings whose saving nobody wants a figure for. */
static void test_impact_not_quantified(void **state)
{
    (void)state;
    for (int i = 0; i < report.n_findings; i++)
        findings[i].impact = (struct impact_range){(double)NAN, (double)NAN,
                                                   (double)NAN, (double)NAN, S("")};
    char *text = written("fair");
    assert_has(text, "Start with *");
    assert_has(text, "**Worth**: not quantifiable from trace data  \n");
    assert_int_equal(count(text, "nan"), 0);
    free(text);
}

/* Every template can be read, also those of no file of their own. */
static void test_templates(void **state)
{
    (void)state;
    struct str folder = S("templates/md/");
    cJSON *nothing = cJSON_CreateObject();
    for (int i = 0; i < bundle_count(folder); i++) {
        struct arena scratch = tmp;
        struct str name = str_skip(bundle_path(folder, i), folder.n);
        assert_true(str_ends(name, S(".md")));
        free(rendered(str_c(&scratch, str_head(name, name.n - 3)), nothing));
    }
    cJSON_Delete(nothing);
}

static void test_all_files(void **state)
{
    (void)state;
    char target[] = "/tmp/markdown_reports_XXXXXX", path[256];
    static const char *const names[] = {"standalone_analysis.md",
                                        "standalone_analysis_fair.md",
                                        "standalone_analysis_rough.md",
                                        "analysis.md",
                                        "category_findings/gemm_findings.md",
                                        "category_findings/elementwise_findings.md",
                                        "system_findings/cpu_idle_findings.md",
                                        "system_findings/multi_kernel_findings.md",
                                        "system_findings/kernel_fusion_findings.md"};
    struct publish p;
    struct err e = {0};
    assert_non_null(mkdtemp(target));
    style.analysis_md = true;
    assert_true(publish_begin(&p, target, true, &e));
    assert_true(markdown_write(&report, &charts, &style, &p, tmp, &e));
    assert_true(publish_commit(&p, tmp, &e));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", target, names[i]);
        assert_int_equal(access(path, R_OK), 0);
    }
    snprintf(path, sizeof path, "rm -r %s", target);
    assert_int_equal(system(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_fair_answers_first, setup),
        cmocka_unit_test_setup(test_fair_order, setup),
        cmocka_unit_test_setup(test_work_that_nothing_judges, setup),
        cmocka_unit_test_setup(test_a_name_of_several_words_is_one, setup),
        cmocka_unit_test_setup(test_fair_cards, setup),
        cmocka_unit_test_setup(test_one_card_a_remedy, setup),
        cmocka_unit_test_setup(test_replay_list, setup),
        cmocka_unit_test_setup(test_operators_in_titles, setup),
        cmocka_unit_test_setup(test_questions, setup),
        cmocka_unit_test_setup(test_more_operators, setup),
        cmocka_unit_test_setup(test_one_card_for_what_is_not_known, setup),
        cmocka_unit_test_setup(test_a_device_that_computes_little, setup),
        cmocka_unit_test_setup(test_hostile_name, setup),
        cmocka_unit_test_setup(test_charts, setup),
        cmocka_unit_test_setup(test_warnings, setup),
        cmocka_unit_test_setup(test_empty, setup),
        cmocka_unit_test_setup(test_standalone_markers, setup),
        cmocka_unit_test_setup(test_standalone_system_card, setup),
        cmocka_unit_test_setup(test_category_findings, setup),
        cmocka_unit_test_setup(test_missing_category, setup),
        cmocka_unit_test_setup(test_standalone_without_markers, setup),
        cmocka_unit_test_setup(test_fair_by_number, setup),
        cmocka_unit_test_setup(test_stamp, setup),
        cmocka_unit_test_setup(test_impact_not_quantified, setup),
        cmocka_unit_test_setup(test_templates, setup),
        cmocka_unit_test_setup(test_all_files, setup),
    };
    tmp = arena_reserve(1 << 26);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
