#include "markdown_reports_case.h"

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
        {S("charts/wall-time.png"), S("Where wall time goes")},
        {S("charts/categories.png"), S("One category")}};
    charts = (struct report_charts){list, 2};
    char *text = written("fair");
    assert_has(text, "![Where wall time goes](charts/wall-time.png)\n");
    assert_has(text, "![One category](charts/categories.png)\n");
    assert_int_equal(count(text, "!["), 2);
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
    assert_has(standalone, "No finding about compute kernels: without shapes");
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
    struct arena scratch = tmp;
    cJSON *context = markdown_context(&scratch, &report, &charts, &style);
    cJSON *section = context_get(context, "categories")->child;
    cJSON_AddStringToObject(section, "h", "##");
    char *text = rendered("category", section, scratch);
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

/* Findings whose saving has no figure, as asked for. */
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
        struct str name = str_skip(bundle_path(folder, i), folder.n);
        assert_true(str_ends(name, S(".md")));
        char *template = strndup(name.p, (size_t)name.n - 3);
        free(rendered(template, nothing, tmp));
        free(template);
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
        cmocka_unit_test_setup(test_hostile_name, setup),
        cmocka_unit_test_setup(test_charts, setup),
        cmocka_unit_test_setup(test_warnings, setup),
        cmocka_unit_test_setup(test_empty, setup),
        cmocka_unit_test_setup(test_standalone_markers, setup),
        cmocka_unit_test_setup(test_standalone_system_card, setup),
        cmocka_unit_test_setup(test_category_findings, setup),
        cmocka_unit_test_setup(test_missing_category, setup),
        cmocka_unit_test_setup(test_standalone_without_markers, setup),
        cmocka_unit_test_setup(test_stamp, setup),
        cmocka_unit_test_setup(test_impact_not_quantified, setup),
        cmocka_unit_test_setup(test_templates, setup),
        cmocka_unit_test_setup(test_all_files, setup),
    };
    tmp = arena_reserve(1 << 26);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
