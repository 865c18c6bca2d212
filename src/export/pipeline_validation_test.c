#include "export/pipeline_validation.c"

#include "analysis/model/system_results.h"

#include <cjson/cJSON.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"

static struct report_check checks[12];
static struct report_category categories[4];
static struct finding findings[5];
static struct warning warnings[2];
static struct system_results results;
static struct op_tables tables;
static struct analysis an;
static struct report r;
static cJSON *doc;

/* Three compute categories and communication; nothing failed, no check was made. */
static int begin(void **state)
{
    (void)state;
    results = (struct system_results){0};
    results.multi_kernel.comm_count = 3;
    tables = (struct op_tables){.facts.has_cpu_op = true};
    an = (struct analysis){.system = &results,
                           .tables = &tables,
                           .by_time = {WORK_GEMM, WORK_SDPA_FWD, WORK_ELEMENTWISE},
                           .n_by_time = 3,
                           .findings = findings,
                           .warnings = warnings};
    an.categories[WORK_COMMUNICATION].n_rows = 2;
    r = (struct report){.checks = checks, .categories = categories};
    return 0;
}

static int end(void **state)
{
    (void)state;
    cJSON_Delete(doc);
    doc = NULL;
    return 0;
}

static void add_check(const char *id, enum report_check_result result,
                      const char *value)
{
    checks[r.n_checks++] = (struct report_check){
        .id = str_of(id), .value = str_of(value), .result = result};
}

static void add_finding(enum work_category c)
{
    findings[an.n_findings++] = (struct finding){.category = c};
}

static void add_category(enum work_category c)
{
    categories[r.n_categories++] = (struct report_category){
        .id = work_category_name(c), .label = work_category_display(c)};
}

static void add_warning(enum work_category c, const char *text, bool failure)
{
    warnings[an.n_warnings++] = (struct warning){
        .source = work_category_name(c), .text = str_of(text), .failure = failure};
}

/* "STATUS: message; message" */
static void says(const char *check, const char *want)
{
    const struct pipeline_source s = {.t = &tables, .a = &an, .r = &r};
    struct pipeline_files f = {.perm = &a, .tmp = &a, .source = &s};
    pipeline_put_validation(&f, &s);
    assert_int_equal(f.n, 1);
    assert_text(f.at[0].path, "metadata/validation.json");
    cJSON_Delete(doc);
    doc = f.at[0].tree;
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(doc, "checks");
    const cJSON *c = cJSON_GetObjectItemCaseSensitive(list, check), *message;
    assert_non_null(c);
    struct str text =
        str_of(cJSON_GetObjectItemCaseSensitive(c, "status")->valuestring);
    const char *before = ": ";
    cJSON_ArrayForEach(message, cJSON_GetObjectItemCaseSensitive(c, "messages"))
    {
        text = str_printf(&a, "%.*s%s%s", STRF(text), before, message->valuestring);
        before = "; ";
    }
    assert_text(text, want);
}

static void the_worse_of_two_checks_counts(void **state)
{
    (void)state;
    says("time_sanity", "INFO"); /* neither was made */
    add_check("time-sanity", CHECK_PASSED, "t");
    says("time_sanity", "INFO: t");
    add_check("balance", CHECK_PASSED, "b");
    says("time_sanity", "PASS: t; b");
    add_check("efficiency", CHECK_NOT_EVALUATED, "e");
    add_check("peaks", CHECK_PASSED, "p");
    says("efficiency_anomalies", "INFO: e; p");
    add_check("order", CHECK_FAILED, "o");
    add_check("findings", CHECK_NOT_EVALUATED, "f");
    says("priority_consistency", "WARN: f; o");
    checks[0].result = CHECK_WARNING;
    says("time_sanity", "WARN: t; b");
    says("marker_structure",
         "INFO: Markers are written with the reports and not read back");
}

/* Idle time is always analysed; communication is a category of the system. */
static void analyses_are_counted_by_tier(void **state)
{
    (void)state;
    says("compute_coverage", "PASS: 3 analyses, each with its findings");
    says("system_coverage", "PASS: 3 analyses, each with its findings");
    results.fusion.n_candidates = 1;
    says("system_coverage", "PASS: 4 analyses, each with its findings");
    results.multi_kernel.comm_count = 0;
    an.categories[WORK_COMMUNICATION].n_rows = 0;
    says("system_coverage", "PASS: 2 analyses, each with its findings");
    an.n_by_time = 2;
    says("compute_coverage", "PASS: 2 analyses, each with its findings");
}

static void what_failed_is_told_in_its_tier(void **state)
{
    (void)state;
    add_warning(WORK_GEMM, "above its roof", false);
    says("compute_coverage", "PASS: 3 analyses, each with its findings");
    add_warning(WORK_GEMM, "gemm failed", true);
    says("compute_coverage", "WARN: gemm failed");
    says("system_coverage", "PASS: 3 analyses, each with its findings");
    an.n_warnings = 0;
    add_warning(WORK_COMMUNICATION, "communication failed", true);
    add_warning(WORK_CATEGORIES - 1, "the last failed", true);
    says("compute_coverage", "PASS: 3 analyses, each with its findings");
    says("system_coverage", "WARN: communication failed; the last failed");
}

static void the_three_largest_categories_are_told(void **state)
{
    (void)state;
    says("top_categories", "INFO");
    for (int k = 0; k < 3; k++)
        add_category(an.by_time[k]);
    add_category(WORK_COMMUNICATION);
    add_finding(WORK_GEMM);
    add_finding(WORK_ELEMENTWISE);
    add_finding(WORK_GEMM);
    add_finding(WORK_COMMUNICATION);
    says("top_categories",
         str_c(&a, str_printf(&a,
                              "INFO: %.*s: 2 findings; %.*s: within expectations; "
                              "%.*s: 1 finding",
                              STRF(categories[0].label), STRF(categories[1].label),
                              STRF(categories[2].label))));
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(the_worse_of_two_checks_counts),
        CASE(analyses_are_counted_by_tier),
        CASE(what_failed_is_told_in_its_tier),
        CASE(the_three_largest_categories_are_told),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
