#include "export/pipeline_system.c"

#include "export/described_json.h"
#include "report/table_case.h"

#include <cjson/cJSON.h>
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
static struct sheets sheets;
static struct pipeline_source source;
static cJSON *doc;

static int begin(void **state)
{
    (void)state;
    results = (struct system_results){0};
    an = (struct analysis){.system = &results, .tables = &tables};
    tables = (struct op_tables){0};
    sheets = (struct sheets){0};
    r = (struct report){.timeline = {.total_ms = 200,
                                     .computation_ms = 100,
                                     .total_comm_ms = 30,
                                     .exposed_comm_ms = 20,
                                     .total_memcpy_ms = 15,
                                     .exposed_memcpy_ms = 10,
                                     .idle_ms = 70,
                                     .idle_pct = 35,
                                     .computation_pct = 50,
                                     .exposed_comm_pct = 11,
                                     .exposed_memcpy_pct = 6}};
    source =
        (struct pipeline_source){.t = &tables, .a = &an, .r = &r, .sheets = &sheets};
    return 0;
}

static int end(void **state)
{
    (void)state;
    cJSON_Delete(doc);
    doc = NULL;
    return 0;
}

static void made(const struct description *d, const void *of)
{
    const struct json_walk w = {.whole = &source, .tmp = &a};
    cJSON_Delete(doc);
    doc = described_json(d, of, &w);
}

static const cJSON *at(const char *path)
{
    const cJSON *o = doc;
    struct str rest = str_of(path);
    while (o && rest.n) {
        const char *name = str_c(&a, str_take(&rest, S(".")));
        o = cJSON_IsArray(o) ? cJSON_GetArrayItem(o, *name - '0')
                             : cJSON_GetObjectItemCaseSensitive(o, name);
    }
    if (!o)
        fail_msg("no %s", path);
    return o;
}

static void is_number(const char *path, double want)
{
    if (!cJSON_IsNumber(at(path)) || at(path)->valuedouble != want)
        fail_msg("%s: %g, not %g", path, at(path)->valuedouble, want);
}

static void is_text(const char *path, const char *want)
{
    assert_true(cJSON_IsString(at(path)));
    assert_string_equal(at(path)->valuestring, want);
}

/* Directions with copies, and the sum of all: 40 ms of 200. */
static void copies_are_told_by_direction(void **state)
{
    struct multi_kernel_result *m = &results.multi_kernel;
    (void)state;
    m->copies[COPY_H2D] = (struct copy_result){.count = 4,
                                               .total_us = 30000,
                                               .max_us = 9000,
                                               .bytes = 4096,
                                               .severity = SEVERITY_HIGH};
    m->copies[COPY_D2H] = (struct copy_result){
        .count = 1, .total_us = 10000, .bytes = -1, .severity = SEVERITY_NONE};
    made(measured_fields(), m);
    struct str to = copy_direction_word(COPY_H2D), back = copy_direction_word(COPY_D2H);
    is_number("memcpy_summary.total_count", 5);
    is_number("memcpy_summary.total_time_us", 40000);
    const char *of =
        str_c(&a, str_printf(&a, "memcpy_summary.by_direction.%.*s.", STRF(to)));
    is_number(str_c(&a, str_printf(&a, "%scount", of)), 4);
    is_number(str_c(&a, str_printf(&a, "%savg_time_us", of)), 7500);
    is_number(str_c(&a, str_printf(&a, "%smax_time_us", of)), 9000);
    is_number(str_c(&a, str_printf(&a, "%stotal_bytes", of)), 4096);
    is_number(str_c(&a, str_printf(&a, "%savg_bytes", of)), 1024);
    made(copies_rated_fields(), m);
    is_number("total_time_ms", 40);
    is_number("percent_of_total", 20);
    assert_int_equal(cJSON_GetArraySize(at("issues")), 2);
    for (int k = 0; k < 2; k++) {
        bool first = str_eq(
            str_of(at(k ? "issues.1.direction" : "issues.0.direction")->valuestring),
            to);
        is_number(k ? "issues.1.percent_of_total" : "issues.0.percent_of_total",
                  first ? 15 : 5);
        assert_int_equal(cJSON_IsTrue(at(k ? "issues.1.flagged" : "issues.0.flagged")),
                         first);
        is_text(k ? "issues.1.description" : "issues.0.description",
                str_c(&a, first ? str_printf(&a,
                                             "4 copies %.*s take 30.00 ms, 15.0%% of "
                                             "total time",
                                             STRF(to))
                                : str_printf(&a,
                                             "1 copy %.*s takes 10.00 ms, 5.0%% of "
                                             "total time",
                                             STRF(back))));
    }
}

static void overlap_is_in_us_and_shares(void **state)
{
    (void)state;
    results.multi_kernel.comm_overlap_frac = 0.25;
    results.multi_kernel.memcpy_overlap_frac = 0.5;
    made(overlap_fields(), &source);
    is_number("total_time_us", 200000);
    is_number("computation_time_us", 100000);
    is_number("total_comm_time_us", 30000);
    is_number("exposed_comm_time_us", 20000);
    is_number("total_memcpy_time_us", 15000);
    is_number("exposed_memcpy_time_us", 10000);
    is_number("comm_overlap_ratio", 0.25);
    is_number("memcpy_overlap_ratio", 0.5);
    is_number("comm_percent_of_total", 10);
    is_number("memcpy_percent_of_total", 5);
}

/* Less than 0.1 ms of communication is too little to rate. */
static void overlap_is_rated_where_there_is_enough(void **state)
{
    struct multi_kernel_result *m = &results.multi_kernel;
    (void)state;
    m->comm_overlap_frac = 0.25;
    m->overlap_severity = SEVERITY_HIGH;
    made(overlap_rated_fields(), m);
    is_text("description", "Less communication than the target overlaps computation");
    is_number("overlap_percent", 25);
    is_number("target_percent", 70);
    assert_true(cJSON_IsTrue(at("flagged")));
    m->overlap_severity = SEVERITY_NONE;
    made(overlap_rated_fields(), m);
    is_text("severity", "GOOD");
    r.timeline.total_comm_ms = 0.09;
    made(overlap_rated_fields(), m);
    is_text("severity", "NONE");
    is_text("description", "insufficient communication data");
}

static void blocking_is_told_by_its_severity(void **state)
{
    struct multi_kernel_result *m = &results.multi_kernel;
    (void)state;
    m->blocking_severity = SEVERITY_CRITICAL;
    made(blocking_fields(), m);
    is_text("description", "The trace holds no communication");
    m->comm_count = 1;
    made(blocking_fields(), m);
    is_text("description", "Communication severely blocks compute");
    is_number("exposed_comm_time_ms", 20);
    is_number("total_comm_time_ms", 30);
    is_number("exposed_percent_of_total", 11);
}

/* 2 % off passes; the message names the quantity. */
static void the_table_and_the_events_agree(void **state)
{
    struct cell cells[] = {TEXT("computation_time"),
                           REAL(98),
                           TEXT("total_time"),
                           REAL(210),
                           TEXT("other"),
                           REAL(1)};
    struct table_column columns[] = {{.title = S("type")}, {.title = S("time ms")}};
    struct report_table timeline = {.name = S("gpu_timeline"),
                                    .columns = columns,
                                    .cells = cells,
                                    .n_columns = 2,
                                    .n_rows = 3};
    (void)state;
    sheets.tables = &timeline;
    sheets.n = 1;
    const struct described in = {&results.multi_kernel, &source, &a};
    struct field_items list = cross_checks(&in);
    const struct cross_check *check = list.first;
    assert_int_equal(list.n, 2);
    assert_true(check[0].table_ms == 98 && check[0].events_ms == 100);
    assert_true(off_pct(&check[0]) == 2);
    made(cross_check_fields(), &check[0]);
    is_text("status", "PASS");
    is_number("timeline_ms", 98);
    is_number("overlap_analysis_ms", 100);
    made(cross_check_fields(), &check[1]);
    is_text("status", "WARN");
    is_text("message", "total_time differs by 4.8%");
    tables.facts.has_recompute = true; /* two timelines share no figure */
    assert_int_equal(cross_checks(&in).n, 0);
}

static void idle_time_is_told_with_its_causes(void **state)
{
    struct idle_result *i = &results.idle;
    struct system_pattern patterns[] = {{.name = S("a")},
                                        {.name = S("b"), .solution = S("Do it.")}};
    struct idle_group groups[] = {{.class = IDLE_PYTHON,
                                   .blame = S("f"),
                                   .gaps = 3,
                                   .calls = 4,
                                   .total_ns = 5000000,
                                   .leaf_us = 6000,
                                   .per_step_us = 7000}};
    (void)state;
    i->kernel_count = 9;
    i->avg_kernel_us = 12;
    i->max_gap_us = 40;
    i->avg_gap_us = 13;
    i->class_ns[IDLE_PYTHON] = 5000000;
    i->patterns = patterns;
    i->n_patterns = 2;
    i->groups = groups;
    i->n_groups = 1;
    made(idle_metrics_fields(), i);
    is_number("gpu_utilization.idle_time_ms", 70);
    is_number("gpu_utilization.idle_time_percent", 35);
    is_number("gpu_utilization.computation_percent", 50);
    is_number("gpu_utilization.communication_percent", 11);
    is_number("gpu_utilization.memcpy_percent", 6);
    is_number("kernel_analysis.total_kernel_count", 9);
    is_number("kernel_analysis.avg_kernel_time_us", 12);
    is_number("kernel_analysis.avg_inter_kernel_gap_us", 13);
    is_number("kernel_analysis.max_gap_us", 40);
    is_number("idle_classes.0.time_ms", 5);
    is_number("idle_groups.0.gap_count", 3);
    is_number("idle_groups.0.call_count", 4);
    is_number("idle_groups.0.time_ms", 5);
    is_number("idle_groups.0.leaf_time_ms", 6);
    is_number("idle_groups.0.per_step_ms", 7);
    is_text("idle_groups.0.blame", "f");
    assert_int_equal(cJSON_GetArraySize(at("patterns_detected")), 2);
    assert_int_equal(cJSON_GetArraySize(at("recommendations")), 1);
    is_text("recommendations.0", "Do it.");
    is_number("target_idle_percent", 20);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(copies_are_told_by_direction),
        CASE(overlap_is_in_us_and_shares),
        CASE(overlap_is_rated_where_there_is_enough),
        CASE(blocking_is_told_by_its_severity),
        CASE(the_table_and_the_events_agree),
        CASE(idle_time_is_told_with_its_causes),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
