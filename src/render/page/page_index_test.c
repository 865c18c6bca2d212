#include "render/page/page_index.c"

#include "render/page/site_case.h"
#include "render/text/theme.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct arena a;
static char *start;
static struct report r;
static struct site_options options;
static const struct theme no_theme;
static struct site site;
static cJSON *c;

static int begin(void **state)
{
    (void)state;
    a = arena_reserve(1 << 24);
    start = a.at;
    r = case_report(&a);
    options = (struct site_options){0};
    site = (struct site){.r = &r, .o = &options, .perm = &a, .theme = &no_theme};
    c = json_new();
    return 0;
}

static int end(void **state)
{
    (void)state;
    cJSON_Delete(c);
    arena_release(start, &a);
    return 0;
}

static const cJSON *at(const char *key)
{
    return cJSON_GetObjectItem(c, key);
}

/* As JSON, the text is there. */
static void shows(const cJSON *of, const char *text)
{
    char *all = cJSON_PrintUnformatted(of);
    if (!all || !strstr(all, text))
        fail_msg("no %s in %s", text, all ? all : "nothing");
    cJSON_free(all);
}

static void notes_are_prose_below_a_heading(void **state)
{
    (void)state;
    add_notes(c, S(" \n\t"));
    assert_null(at("notes_html"));
    add_notes(c, S("# Why\n\n**two** <b>runs</b>\n"));
    const char *html = at("notes_html")->valuestring;
    assert_non_null(strstr(html, "<h3>Why</h3>"));
    assert_non_null(strstr(html, "<strong>two</strong>"));
    assert_null(strstr(html, "<b>"));
}

static void gates_that_warn_fail_nothing(void **state)
{
    static const struct {
        enum gate_status status;
        bool warns;
        const char *severity;
    } cases[] = {{GATE_FAILED, true, "warning"},
                 {GATE_FAILED, false, "failed"},
                 {GATE_PASSED, false, "passed"},
                 {GATE_PASSED, true, "passed"},
                 {GATE_NOT_EVALUATED, false, "not-evaluated"}};
    enum { N = sizeof cases / sizeof *cases };
    struct gate_expr of[N];
    struct gate_result list[N];
    (void)state;
    add_gates(c, &(struct gate_results){list, 0});
    assert_null(at("gates"));
    for (int k = 0; k < N; k++) {
        of[k] = (struct gate_expr){.text = S("idle>5%"), .warns = cases[k].warns};
        list[k] = (struct gate_result){&of[k], cases[k].status, S("it is 7%"), 7};
    }
    add_gates(c, &(struct gate_results){list, N});
    shows(at("gates"), "\"failed\":1,\"judged\":3");
    const cJSON *rows = cJSON_GetObjectItem(at("gates"), "list");
    assert_int_equal(cJSON_GetArraySize(rows), N);
    for (int k = 0; k < N; k++)
        shows(cJSON_GetArrayItem(rows, k), cases[k].severity);
    shows(cJSON_GetArrayItem(rows, 0), "\"gate\":\"idle>5%\",\"says\":\"it is 7%\"");
}

/* Operations of 12, 11, ... 1 ms: the last two are told in sum. */
static void the_rest_of_the_operations_is_summed(void **state)
{
    enum { N = TOP_ROWS + 2 };
    (void)state;
    r.ops = arena_new(&a, struct report_op, N);
    r.n_ops = N;
    for (int k = 0; k < N; k++)
        r.ops[k] = case_op(&a, "op-1", "aten::mm", 0, N - k);
    add_top(c, &site, a);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(at("top"), "rows")),
                     TOP_ROWS);
    shows(at("top"), "\"left\":2,\"rest_ms\":3,\"rest_pct\":3");
}

/* What is worth little is further down, unless it is urgent; what leads is above. */
static void findings_of_the_first_screen(void **state)
{
    static struct finding of[8];
    struct report_finding *list = arena_new(&a, struct report_finding, 8);
    (void)state;
    for (int k = 0; k < 8; k++) {
        of[k] = (struct finding){.priority = PRIORITY_LOW,
                                 .title = S("Fuse the chain"),
                                 .impact = {.low_pct = 0.2, .high_pct = 0.4}};
        list[k] = r.findings[0];
        list[k].of = &of[k];
    }
    r.findings = list;
    r.n_findings = 8;
    r.leads = &list[0];
    of[1].informational = true;
    of[2].impact.low_pct = 0.1; /* a quarter of a percent */
    of[3].impact.low_pct = 0.1;
    of[3].priority = PRIORITY_MEDIUM;
    add_findings(c, &r); /* 0, 3, 4, 5, 6; of seven that are no notes */
    assert_int_equal(cJSON_GetArraySize(at("findings")), 4);
    shows(c, "\"headed\":true,\"shown\":true,\"several\":true,\"next\":true,\"more\":7,"
             "\"slight\":false");
}

static void one_action_has_one_line(void **state)
{
    static struct finding of[3];
    struct report_finding *list = arena_new(&a, struct report_finding, 3);
    (void)state;
    for (int k = 0; k < 3; k++) {
        of[k] = (struct finding){.priority = PRIORITY_HIGH,
                                 .recording = k < 2,
                                 .title = S("Record with stacks: no frames")};
        list[k] = r.findings[0];
        list[k].of = &of[k];
    }
    r.findings = list;
    r.n_findings = 3;
    r.leads = NULL;
    add_findings(c, &r);
    const cJSON *lines = at("findings");
    assert_int_equal(cJSON_GetArraySize(lines), 2);
    const cJSON *also = cJSON_GetObjectItem(cJSON_GetArrayItem(lines, 0), "also");
    assert_int_equal(cJSON_GetArraySize(also), 1);
}

/* 100 ms become 75.04, which 75.01 is not less than in three digits. */
static void stages_are_parts_of_a_thousand(void **state)
{
    (void)state;
    cJSON *list = json_put_array(c, "stages");
    r.timeline.total_ms = 100;
    add_stage(list, &r, 75.04, 100, &r.findings[0], a);
    add_stage(list, &r, 75.01, 75.04, &r.findings[0], a);
    add_stage(list, &r, 100, 100, NULL, a);
    shows(cJSON_GetArrayItem(list, 0), "\"permille\":750,\"same\":false");
    shows(cJSON_GetArrayItem(list, 1), "\"permille\":750,\"same\":true");
    shows(cJSON_GetArrayItem(list, 2), "\"permille\":1000,\"same\":false");
    assert_true(permille(&r, 200) == 1000 && permille(&r, -1) == 0);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(notes_are_prose_below_a_heading),
        CASE(gates_that_warn_fail_nothing),
        CASE(the_rest_of_the_operations_is_summed),
        CASE(findings_of_the_first_screen),
        CASE(one_action_has_one_line),
        CASE(stages_are_parts_of_a_thousand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
