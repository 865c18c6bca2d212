/* markdown_reports_case.h - a report made by hand, for tests of markdown_reports.c. */
#ifndef RENDER_MARKDOWN_MARKDOWN_REPORTS_CASE_H
#define RENDER_MARKDOWN_MARKDOWN_REPORTS_CASE_H

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
        analysis.by_time[analysis.n_by_time++] = c;
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
                                   .replay_recommended = true,
                                   .until = -1};
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
    report.meta.has_gpu = true;
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

static char *rendered(const char *template, const cJSON *context, struct arena scratch)
{
    struct out o;
    struct err e = {0};
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
    struct arena scratch = tmp;
    cJSON *context = markdown_context(&scratch, &report, &charts, &style);
    char *text = rendered(template, context, scratch);
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

#endif
