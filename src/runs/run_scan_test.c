#include "runs/run_scan.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/arena_case.h"
#include "base/out.h"

static char root[64];
static int root_fd;

static int make_root(void **state)
{
    set_up(state);
    strcpy(root, "/tmp/run_scan.XXXXXX");
    root_fd = mkdtemp(root) ? open(root, O_RDONLY | O_DIRECTORY) : -1;
    return root_fd >= 0 ? 0 : -1;
}

static int remove_root(void **state)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", root);
    close(root_fd);
    return system(command) || tear_down(state);
}

static void put(const char *folder, const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", root, folder);
    mkdir(path, 0777);
    if (!name)
        return;
    snprintf(path, sizeof path, "%s/%s/%s", root, folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* A folder of ours; NULL: without a summary. */
static void put_run(const char *folder, const char *summary)
{
    put(folder, MANIFEST_NAME, MANIFEST_MARK);
    if (summary)
        put(folder, "summary.json", summary);
}

static struct run_row one(const char *summary)
{
    struct run_row r;
    put_run("run-1", summary);
    char path[128];
    snprintf(path, sizeof path, "%s/run-1", root);
    assert_true(run_read(&a, path, &r));
    return r;
}

static void a_summary_names_its_series(void **state)
{
    static const struct {
        const char *doc, *series;
    } cases[] = {
        {"{\"schema\":\"1.3\",\"series\":\"x\",\"model\":\"m\",\"device\":\"d\"}", "x"},
        {"{\"schema\":\"1.3\",\"model\":\"m\",\"device\":\"d\"}", "m on d"},
        {"{\"schema\":\"1.3\",\"model\":\"m\"}", "m"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct run_row r = one(cases[i].doc);
        assert_int_equal(r.unread.n, 0);
        assert_text(r.series, cases[i].series);
    }
}

static void a_date_stands_in_for_a_time(void **state)
{
    (void)state;
    struct run_row r =
        one("{\"schema\":\"1.0\",\"date\":\"2026-01-31\",\"run_label\":\"a\","
            "\"share_level\":\"partner\",\"window\":{\"total_ns\":5}}");
    assert_text(r.when, "2026-01-31");
    assert_text(r.label, "a");
    assert_int_equal(r.share, SHARE_PARTNER);
    assert_true(run_figure(&r, "window.total_ns") == 5);
    assert_true(run_figure(&r, "window.busy_ns") != run_figure(&r, "window.busy_ns"));
    r = one("{\"schema\":\"1.0\",\"date\":\"2026-01-31\","
            "\"captured_utc\":\"2026-01-30T10:00:00Z\"}");
    assert_text(r.when, "2026-01-30T10:00:00Z");
    assert_int_equal(r.share, SHARE_INTERNAL); /* what says nothing is not shared */
}

static void jobs_and_comparisons_have_a_verdict(void **state)
{
    (void)state;
    struct run_row r = one("{\"schema\":\"2.0\",\"kind\":\"job\",\"verdict\":\"v\","
                           "\"share_level\":\"public\",\"ranks_present\":8}");
    assert_int_equal(r.kind, RUN_OF_JOB);
    assert_text(r.label, "8 ranks");
    assert_text(r.verdict, "v");
    assert_int_equal(r.share, SHARE_PUBLIC);
    assert_false(run_is_of_trace(&r));
    static const struct {
        const char *doc, *label;
    } cases[] = {{"{\"reference\":{\"label\":\"a\"},\"target\":{\"label\":\"b\"},"
                  "\"verdict\":[\"v\",\"w\"]}",
                  "b against a"},
                 {"{\"reference\":\"a\",\"candidate\":\"b\",\"verdict\":[\"v\"]}",
                  "b against a"},
                 {"{\"reference\":3,\"verdict\":[\"v\"]}", "unnamed against unnamed"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put_run("run-3", NULL);
        put("run-3", "comparison_data.json", cases[i].doc);
        char path[128];
        snprintf(path, sizeof path, "%s/run-3", root);
        assert_true(run_read(&a, path, &r));
        assert_int_equal(r.unread.n, 0);
        assert_int_equal(r.kind, RUN_OF_COMPARISON);
        assert_text(r.label, cases[i].label);
        assert_text(r.verdict, "v");
        assert_int_equal(r.share, SHARE_INTERNAL);
    }
    char path[128];
    snprintf(path, sizeof path, "%s/run-3/comparison_data.json", root);
    assert_int_equal(unlink(path), 0);
    snprintf(path, sizeof path, "%s/run-3/" MANIFEST_NAME, root);
    assert_int_equal(unlink(path), 0);
}

static void what_cannot_be_read_says_why(void **state)
{
    static const struct {
        const char *doc, *why;
    } cases[] = {{"", "it has no summary.json"},
                 {"{", "its summary.json is not JSON"},
                 {"{}", "its summary.json is of another version"},
                 {"{\"schema\":\"2.0\"}", "its summary.json is of another version"},
                 {"{\"schema\":1}", "its summary.json is of another version"},
                 {"{\"schema\":\"1.0\",\"kind\":\"job\"}",
                  "its summary.json is of another version"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct run_row r = one(cases[i].doc);
        assert_text(r.unread, cases[i].why);
    }
    put_run("run-2", NULL);
    struct run_row r;
    char path[128];
    snprintf(path, sizeof path, "%s/run-2", root);
    assert_true(run_read(&a, path, &r));
    assert_text(r.unread, "it has no summary.json");
    snprintf(path, sizeof path, "%s/run-2/summary.json", root);
    assert_int_equal(mkdir(path, 0777), 0); /* no plain file */
    path[strlen(path) - strlen("/summary.json")] = '\0';
    assert_true(run_read(&a, path, &r));
    assert_text(r.unread, "its summary.json cannot be read");
}

/* A thousand findings are not kept: a row takes what it shows. */
static void a_document_is_not_kept(void **state)
{
    (void)state;
    struct out o;
    out_memory(&o);
    out_lit(&o, "{\"schema\":\"1.0\",\"findings\":[");
    for (int i = 0; i < 1000; i++)
        out_printf(&o, "%s{\"title\":\"finding %d\"}", i ? "," : "", i);
    out_lit(&o, "],\"categories\":[{\"slug\":\"gemm\",\"label\":\"GEMM\","
                "\"kernel_sum_ns\":7}],\"verdict\":{\"gates\":\"passed\"}}");
    const char *summary = str_c(&a, out_text(&o, &a));
    char *before = a.at;
    struct run_row r = one(summary);
    assert_true(a.at - before < 4096);
    assert_true(run_figure(&r, "categories.gemm.kernel_sum_ns") == 7);
    assert_true(isnan(run_figure(&r, "categories.norm.kernel_sum_ns")));
    assert_text(r.gates, "passed");
}

/* By series, then the newest first; what cannot be read comes last. */
static void runs_are_in_order(void **state)
{
    static const char *const want[] = {"run-c", "run-b", "run-a", "run-d", "run-e"};
    struct runs r;
    struct err e = {0};
    (void)state;
    put_run("run-a", "{\"schema\":\"1.0\",\"series\":\"s\",\"date\":\"2026-01-01\"}");
    put_run("run-b", "{\"schema\":\"1.0\",\"series\":\"s\",\"date\":\"2026-01-02\","
                     "\"run_label\":\"1\"}");
    put_run("run-c", "{\"schema\":\"1.0\",\"series\":\"s\",\"date\":\"2026-01-02\","
                     "\"run_label\":\"2\"}");
    put_run("run-d", "{\"schema\":\"1.0\",\"series\":\"t\",\"date\":\"2026-01-09\"}");
    put_run("run-e", "{");
    put("run-a", "keep", "");
    put("other", "summary.json", "{\"schema\":\"1.0\"}"); /* not ours */
    put_run(".run-f", "{\"schema\":\"1.0\"}");            /* being written */
    assert_true(runs_scan(&a, root_fd, root, &r, &e));
    assert_int_equal(r.n, 5);
    for (int i = 0; i < 5; i++) {
        assert_text(r.at[i].folder, want[i]);
        assert_int_equal(r.at[i].pinned, i == 2);
        assert_int_equal(r.at[i].unread.n > 0, i == 4);
    }
}

/* A link to a run is not a run of this root. */
static void links_are_not_followed(void **state)
{
    struct runs r;
    struct err e = {0};
    char from[128], to[128];
    (void)state;
    put_run("run-a", "{\"schema\":\"1.0\"}");
    snprintf(from, sizeof from, "%s/run-a", root);
    snprintf(to, sizeof to, "%s/run-link", root);
    assert_int_equal(symlink(from, to), 0);
    assert_true(runs_scan(&a, root_fd, root, &r, &e));
    assert_int_equal(r.n, 1);
}

static void the_hash_is_of_the_names_of_runs(void **state)
{
    (void)state;
    uint64_t none = runs_names_hash(root_fd);
    put_run("run-a", NULL);
    uint64_t one_run = runs_names_hash(root_fd);
    assert_true(none != one_run);
    put(".run-b", NULL, NULL);
    assert_true(runs_names_hash(root_fd) == one_run);
    put_run("run-c", NULL);
    assert_true(runs_names_hash(root_fd) != one_run);
}

static void levels_are_words(void **state)
{
    enum share s;
    struct err e = {0};
    (void)state;
    assert_true(share_read("public", &s, &e));
    assert_int_equal(s, SHARE_PUBLIC);
    assert_false(share_read("pubic", &s, &e));
    assert_int_equal(e.kind, ERR_USAGE);
    assert_non_null(strstr(e.what, "public"));
}

#define ROOTED(test) cmocka_unit_test_setup_teardown(test, make_root, remove_root)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOTED(a_summary_names_its_series),
        ROOTED(a_date_stands_in_for_a_time),
        ROOTED(jobs_and_comparisons_have_a_verdict),
        ROOTED(what_cannot_be_read_says_why),
        ROOTED(a_document_is_not_kept),
        ROOTED(runs_are_in_order),
        ROOTED(links_are_not_followed),
        ROOTED(the_hash_is_of_the_names_of_runs),
        cmocka_unit_test(levels_are_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
