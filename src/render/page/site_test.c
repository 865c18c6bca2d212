#include "site.c"

#include "base/abilities.h"
#include "render/page/site_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>
#include <string.h>

static struct arena memory, scratch;
static char dir[64];
static struct publish folder;

static int set_up(void **state)
{
    (void)state;
    struct err e = {0};
    memory = arena_reserve(1 << 28);
    scratch = arena_reserve(1 << 26);
    strcpy(dir, "/tmp/site_test.XXXXXX");
    return mkdtemp(dir) && publish_begin(&folder, dir, false, &e) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    publish_abort(&folder, NULL);
    return remove(dir);
}

static void write_case(struct report *r)
{
    struct theme t;
    struct err e = {0};
    assert_true(theme_builtin(&memory, S("default"), &t, &e));
    struct site_options o = {.theme = &t, .csv = true};
    if (!site_write(r, &o, &folder, memory, &e))
        fail_msg("%s: %s", e.file, e.what);
}

/* What another thread writes: tables before the pages that link to them, then the rest.
 */
static bool write_beside(void *asked, bool all, struct arena tmp, struct err *e)
{
    struct out o;
    const char *path = publish_path(
        &folder, &tmp,
        all ? "report.json" : "perf_report_csvs/unified_perf_summary.csv", e);
    *(int *)asked += all ? 10 : 1;
    if (!path || !out_open(&o, path, e))
        return false;
    for (int i = 0; i < (all ? 3000 : 12698); i++)
        out_char(&o, 'x');
    return out_close(&o, e);
}

static char *page(const char *name)
{
    struct err e = {0};
    const char *path = publish_path(&folder, &memory, name, &e);
    FILE *f = fopen(path, "rb");
    if (!f)
        fail_msg("%s was not written", name);
    char *text = arena_new(&memory, char, 1 << 20);
    size_t n = fread(text, 1, (1 << 20) - 1, f);
    fclose(f);
    assert_true(n > 500);
    return text;
}

static void has(const char *name, const char *part)
{
    if (!strstr(page(name), part))
        fail_msg("%s has no %s", name, part);
}

static const char *const pages[] = {
    "index.html",      "recommendations.html", "category-gemm.html",
    "operations.html", "kernels.html",         "category-elementwise.html",
    "roofline.html",   "checks.html",          "about.html"};

static void no_page_lets_a_name_act(void **state)
{
    (void)state;
    struct report r = case_report(&memory);
    write_case(&r);
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        const char *text = page(pages[i]);
        assert_null(strstr(text, "<svg onload"));
        assert_null(strstr(text, "case<1>"));
        /* "[x](http://x)" in a sentence is text, not a link. */
        assert_null(strstr(text, "href=\"http"));
        assert_null(strstr(text, "style="));
    }
    has("operations.html", "&lt;svg onload");
}

static void findings_are_joined_to_their_evidence(void **state)
{
    (void)state;
    struct report r = case_report(&memory);
    write_case(&r);
    has("index.html", "href=\"recommendations.html#f-00000001\"");
    has("operations.html", "href=\"recommendations.html#f-00000001\"");
    has("category-gemm.html", "href=\"recommendations.html#f-00000001\"");
    has("recommendations.html", "id=\"f-00000001\"");
    has("recommendations.html", "id=\"k1\"");
    has("recommendations.html", "href=\"operations.html#op-00000001\"");
    has("recommendations.html",
        "href=\"replay_packages/aten_addmm_replay_package.zip\"");
    /* The two operations of F1: 10 ms and 40 ms. */
    has("recommendations.html", "together 50.00 ms");
    has("checks.html", "id=\"c-efficiency\"");
    has("checks.html", "The analysis of norm failed");
}

/* K1 and F1 show their rows in a table; S1 between them has none, nor has the note. */
static void rows_are_told_once(void **state)
{
    (void)state;
    struct report r = case_report(&memory);
    write_case(&r);
    const char *text = page("recommendations.html"), *row = "over 10 calls";
    const char *s1 = strstr(text, "id=\"s1\""), *f1 = strstr(text, "id=\"f1\"");
    assert_true(s1 && f1 && s1 < f1);
    const char *told = strstr(text, row);
    assert_true(told && s1 < told && told < f1);
    const char *note = strstr(f1, "id=\"f-00000004\""), *again = strstr(f1, row);
    assert_true(note && again && note < again);
}

/* One order, that of the list: the tier of a finding does not matter. */
static void cards_are_in_the_order_of_the_list(void **state)
{
    (void)state;
    struct report r = case_report(&memory);
    struct finding system = *r.findings[0].of, unknown = *r.findings[1].of;
    system.tier = TIER_SYSTEM;
    unknown.kind = FIND_UNMODELLED;
    unknown.issue = S("What `mystery` takes is unknown.");
    r.findings[0].of = &system;
    r.findings[1].of = &unknown;
    r.meta.has_gpu = r.meta.has_cpu_op = r.meta.has_frames = true;
    r.meta.has_shapes = false;
    write_case(&r);
    const char *text = page("recommendations.html");
    const char *first = strstr(text, "<article class=\"finding\" id=\"f-00000001\"");
    const char *third = strstr(text, "<article class=\"finding\" id=\"f-00000003\"");
    assert_true(first && third && first < third);
    /* No card, but what the trace lacks. */
    assert_null(strstr(text, "<article class=\"finding\" id=\"f-00000002\""));
    const char *record = strstr(text, "<div class=\"record\" id=\"f-00000002\"");
    assert_true(record && record > third && strstr(record, "mystery"));
    assert_non_null(strstr(record, "record_shapes=True"));
    assert_null(strstr(record, "stack=True"));
}

static void a_finding_says_whether_it_can_be_run_alone(void **state)
{
    (void)state;
    struct report r = case_report(&memory);
    r.findings[0].kit = S("");
    r.findings[0].no_kit = S("a kernel of a <b>captured</b> graph");
    r.findings[2].kit = S("");
    struct finding addmm = *r.findings[2].of;
    addmm.replay_recommended = true;
    addmm.op = S("aten::addmm");
    r.findings[2].of = &addmm;
    write_case(&r);
    has("recommendations.html", "It cannot be replayed alone (a kernel of a "
                                "&lt;b&gt;captured&lt;/b&gt; graph).");
    has("recommendations.html",
        "<code>--replay aten::addmm</code> makes a replay package.");
}

static void links_to_files_tell_their_sizes(void **state)
{
    (void)state;
    struct report r = case_report(&memory);
    struct report_table rows = {.name = S("unified_perf_summary"), .n_rows = 1};
    struct theme t;
    struct err e = {0};
    int asked = 0;
    r.tables = &rows;
    r.n_tables = 1;
    assert_true(theme_builtin(&memory, S("default"), &t, &e));
    struct site_options o = {.theme = &t,
                             .csv = true,
                             .json = true,
                             .wait = write_beside,
                             .writers = &asked};
    assert_true(site_write(&r, &o, &folder, memory, &e));
    assert_int_equal(asked, 11);
    has("operations.html", "unified_perf_summary.csv</a> (12.4\u00a0KiB, CSV)");
    has("recommendations.html", "</a> (12.4\u00a0KiB, CSV)");
    has("index.html", "report.json</a> <span class=\"context\">JSON, 2.93\u00a0KiB<");
    has("index.html", "<span class=\"context\">CSV, 12.4\u00a0KiB<");
    has("about.html", "<a href=\"index.html#downloads\">Downloads</a>");
    /* One that nobody wrote. */
    has("index.html", "kernel_summary.csv</a> <span class=\"context\">CSV<");
}

static void charts_are_files_too(void **state)
{
    (void)state;
    struct report r = case_report(&memory);
    write_case(&r);
    has("recommendations.html", "href=\"charts/gains.svg\"");
    has("charts/gains.svg", "<svg");
    /* PNG files were not promised. */
    assert_null(strstr(page("recommendations.html"), ".png"));
    struct chart_files charts = chart_files_list(&memory, scratch, &r, false);
    assert_true(str_eq(chart_find(&charts, CHART_WALL_TIME, -1)->png,
                       S("charts/wall-time.png")));
    assert_int_equal(chart_find(&charts, CHART_ROOFLINE, -1)->png.n, 0);
    assert_int_equal(chart_find(&charts, CHART_ROOFLINE, 1)->png.n, 0);
    struct chart_files all = chart_files_list(&memory, scratch, &r, true);
    assert_true(str_ends(chart_find(&all, CHART_ROOFLINE, 1)->png, S("-roofline.png")));
    /* Those of the markdown reports, however many are drawn. */
    const struct chart_files *both[] = {&charts, &all};
    for (int i = 0; i < 2; i++) {
        struct report_charts shown = chart_files_main(&memory, both[i]);
        assert_int_equal(shown.n, 2);
        assert_true(str_eq(shown.at[0].file, S("charts/wall-time.png")));
        assert_true(str_eq(shown.at[1].file, S("charts/categories.png")));
    }
    assert_non_null(chart_find(&charts, CHART_ROOFLINE, 1));
    assert_null(chart_find(&charts, CHART_ROOFLINE, 7));
}

/* One of four passed; not evaluated is neither passed nor failed. */
static void all_pages_count_the_checks_alike(void **state)
{
    (void)state;
    struct report r = case_report(&memory);
    write_case(&r);
    has("index.html", "<p>1 of 4 checks passed, one could not be evaluated; the "
                      "most serious first:</p>");
    has("checks.html", "1 of 4 checks passed, one failed, one warns.");
    has("checks.html", "1 could not be evaluated, which is not the same as passed.");
}

static void one_is_not_several(void **state)
{
    (void)state;
    struct report r = case_report(&memory);
    r.n_kernels = 1;
    write_case(&r);
    has("kernels.html", "One kernel takes all kernel time.");
}

static void what_is_not_recorded_says_how_to(void **state)
{
    (void)state;
    static const struct source_abilities few = {.stacks = S_INIT("level = 1")};
    struct report r = case_report(&memory);
    r.meta.has_shapes = r.meta.shapes_hidden = false;
    r.meta.has_graphs = true;
    write_case(&r);
    has("recommendations.html", ">record_shapes=True</code></td>");
    has("recommendations.html", ">with_stack=True</code></td>");
    has("recommendations.html", ">--enforce-eager</code> of vLLM");
    r.meta.how = &few;
    r.meta.shapes_hidden = true;
    write_case(&r);
    has("recommendations.html", "run without <code class=\"name\" translate=\"no\" "
                                "dir=\"ltr\">--hide-shapes</code></td>");
    has("recommendations.html", ">level = 1</code></td>");
    r.meta.shapes_hidden = r.meta.has_cpu_op = false;
    write_case(&r);
    has("recommendations.html", "why the device waits</td><td>—</td>");
    assert_null(strstr(page("recommendations.html"), "Shapes of arguments"));
}

static bool is_written(const char *name)
{
    struct err e = {0};
    return access(publish_path(&folder, &memory, name, &e), R_OK) == 0;
}

/* Nothing but host events: the pages of device work are not there, nor links to them.
 */
static void a_report_of_the_host_has_the_pages_it_fills(void **state)
{
    (void)state;
    struct report r = {.meta = {.run_label = S("empty")},
                       .verdict_alone = S("No device.")};
    write_case(&r);
    has("checks.html", "No check casts doubt on");
    has("index.html", "How to record a GPU");
    assert_true(is_written("about.html"));
    assert_false(is_written("recommendations.html"));
    assert_false(is_written("roofline.html"));
    assert_null(strstr(page("index.html"), "roofline.html"));
    assert_null(strstr(page("index.html"), "system.html"));
}

/* A finding of low priority leads where its saving is worth the work, and only there.
 */
static void low_findings_lead_by_their_saving(void **state)
{
    (void)state;
    struct report r = case_report(&memory);
    struct finding low[2] = {*r.findings[0].of, *r.findings[1].of};
    low[0].priority = low[1].priority = PRIORITY_LOW;
    low[0].impact.low_pct = 0.2;
    low[0].impact.high_pct = 0.5;
    low[1].impact.low_pct = 0.1;
    low[1].impact.high_pct = 0.4;
    r.findings[0].of = &low[0];
    r.findings[1].of = &low[1];
    r.n_findings = 2;
    write_case(&r);
    assert_non_null(strstr(page("index.html"), "recommendations.html#f-00000001"));
    assert_null(strstr(page("index.html"), "recommendations.html#f-00000002"));
    has("index.html", "All 2 findings, with evidence");
}

static void low_savings_leave_the_summary_without_findings(void **state)
{
    (void)state;
    struct report r = case_report(&memory);
    struct finding low = *r.findings[0].of;
    low.priority = PRIORITY_LOW;
    low.impact.low_pct = low.impact.high_pct = 0.2;
    r.findings[0].of = &low;
    r.n_findings = 1;
    write_case(&r);
    has("index.html", "No finding would save 0.3% of the run.");
    has("index.html", "Evidence and reasoning for every finding");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(no_page_lets_a_name_act, set_up, tear_down),
        cmocka_unit_test_setup_teardown(findings_are_joined_to_their_evidence, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(rows_are_told_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(cards_are_in_the_order_of_the_list, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_finding_says_whether_it_can_be_run_alone,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(links_to_files_tell_their_sizes, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(charts_are_files_too, set_up, tear_down),
        cmocka_unit_test_setup_teardown(all_pages_count_the_checks_alike, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(one_is_not_several, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_not_recorded_says_how_to, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(low_findings_lead_by_their_saving, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(low_savings_leave_the_summary_without_findings,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_report_of_the_host_has_the_pages_it_fills,
                                        set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
