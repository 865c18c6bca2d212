#include "runs/run_index.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static struct arena a, tmp;
static char root[64];
static int root_fd;
static struct theme theme;
static struct run_row rows[4];

static int make_root(void **state)
{
    struct err e = {0};
    (void)state;
    a = arena_reserve(1 << 26);
    tmp = arena_reserve(1 << 26);
    strcpy(root, "/tmp/run_index.XXXXXX");
    root_fd = mkdtemp(root) ? open(root, O_RDONLY | O_DIRECTORY) : -1;
    return root_fd >= 0 && theme_builtin(&a, S("default"), &theme, &e) ? 0 : -1;
}

static int remove_root(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", root);
    close(root_fd);
    memset(rows, 0, sizeof rows);
    return system(command);
}

#define DOC                                                                            \
    "{\"window\":{\"total_ns\":390000,\"busy_pct\":56.41},\"counts\":{\"critical\":1," \
    "\"high\":2,\"medium\":4},\"checks\":{\"warning\":3,\"failed\":2},\"verdict\":{"   \
    "\"text\":\"Host-bound.\",\"lead\":\"First, pad.\",\"gates\":\"failed\"},\"categories\":[{\"label\":\"GEMM\",\"kernel_sum_pct\":60}" \
    "]}"

static struct run_row row(const char *folder, const char *series, enum share share)
{
    cJSON *doc = cJSON_Parse(DOC);
    struct run_row r = {.folder = str_of(folder),
                        .label = S("a & \"b\""),
                        .series = str_of(series),
                        .device = S("MI300X"),
                        .when = S("2026-01-05"),
                        .share = share};
    run_keep(&a, &r, doc);
    cJSON_Delete(doc);
    return r;
}

/* Two of one series, one of another, one that cannot be read. */
static struct runs four(void)
{
    rows[0] = row("run-3", "s<1>", SHARE_PARTNER);
    rows[1] = row("run-2", "s<1>", SHARE_PUBLIC);
    rows[2] = row("run-1", "t", SHARE_PUBLIC);
    rows[3] = (struct run_row){
        .folder = S("run-0"), .unread = S("it is odd"), .share = SHARE_PUBLIC};
    return (struct runs){rows, 4};
}

static char *file(const char *name)
{
    char path[256], *text = arena_new(&a, char, 1 << 20);
    snprintf(path, sizeof path, "%s/%s", root, name);
    FILE *f = fopen(path, "rb");
    if (!f)
        fail_msg("%s was not written", name);
    size_t n = fread(text, 1, (1 << 20) - 1, f);
    fclose(f);
    text[n] = '\0';
    return text;
}

static void write_runs(const struct runs *r)
{
    struct err e = {0};
    if (!runs_write(root_fd, root, r, &theme, tmp, a, &e))
        fail_msg("%s: %s", e.file, e.what);
}

static void has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no %s in %s", part, text);
}

static void programs_get_a_line_a_run(void **state)
{
    struct runs r = four();
    (void)state;
    write_runs(&r);
    char *text = file("runs.json");
    has(text,
        "{\"run\": \"run-3\", \"label\": \"a & \\\"b\\\"\", \"series\": \"s<1>\", "
        "\"when\": \"2026-01-05\", \"device\": \"MI300X\", \"total_ns\": 390000, "
        "\"busy_pct\": 56.41, \"high\": 3, \"medium\": 4, \"gates\": \"failed\"},");
    has(text, "{\"run\": \"run-0\", \"unread\": \"it is odd\"}\n]}");
    cJSON *doc = cJSON_Parse(text);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(doc, "runs")), 4);
    cJSON_Delete(doc);
}

/* However long its names; and letters are whole. */
static void texts_of_a_line_are_cut(void **state)
{
    static const char *const keys[] = {"label", "series", "device"};
    static const size_t want[] = {LABEL_BYTES - 1, LABEL_BYTES - 1, DEVICE_BYTES - 1};
    char name[200];
    (void)state;
    for (size_t i = 0; i < sizeof name; i++)
        name[i] = i ? "\xc3\xa9"[(i - 1) % 2] : 'x';
    struct str text = {name, sizeof name - 1};
    rows[0] = row("run-1", "", SHARE_PARTNER);
    rows[0].label = rows[0].series = rows[0].device = text;
    cJSON *line = line_of(&rows[0]);
    for (int k = 0; k < 3; k++) {
        const char *cut = cJSON_GetObjectItem(line, keys[k])->valuestring;
        assert_int_equal(strlen(cut), want[k]);
        assert_memory_equal(cut, name, want[k]);
    }
    cJSON_Delete(line);
}

static void pages_say_what_the_runs_are(void **state)
{
    struct runs r = four();
    (void)state;
    write_runs(&r);
    char *page = file("index.html");
    has(page, "s&lt;1&gt;");
    has(page, "a &amp; &quot;b&quot;");
    has(page, "href=\"run-3/index.html\"");
    has(page, "it is odd");
    has(page, "<p class=\"lead\">Host-bound. First, pad.</p>"); /* of the run above */
    assert_null(strstr(page, "s<1>"));
    has(file("trend.html"), "s&lt;1&gt;");
}

/* An index is as loose as the strictest of its runs; empty, it is not shared. */
static void the_strictest_run_decides(void **state)
{
    struct runs r = four(), none = {0};
    (void)state;
    write_runs(&r);
    has(file("runs.json"), "\"share_level\": \"partner\"");
    r.n = 3;
    rows[0].share = SHARE_INTERNAL;
    write_runs(&r);
    has(file("runs.json"), "\"share_level\": \"internal\"");
    rows[0].share = SHARE_PUBLIC;
    write_runs(&r);
    has(file("runs.json"), "\"share_level\": \"public\"");
    write_runs(&none);
    has(file("runs.json"), "\"share_level\": \"internal\"");
}

static void runs_of_one_series_are_a_table(void **state)
{
    struct runs r = four();
    cJSON *c = json_new();
    (void)state;
    assert_int_equal(series_length(&r, 0), 2);
    assert_int_equal(series_length(&r, 2), 1);
    put_series(c, &r, false, &a);
    const cJSON *all = cJSON_GetObjectItem(c, "all_series"),
                *first = cJSON_GetArrayItem(all, 0),
                *one = cJSON_GetArrayItem(cJSON_GetObjectItem(first, "rows"), 0);
    assert_int_equal(cJSON_GetArraySize(all), 2);
    assert_true(cJSON_GetObjectItem(c, "n_runs")->valuedouble == 3);
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(c, "some_unread")));
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(c, "has_trend")));
    cJSON *trend = json_new();
    put_series(trend, &r, true, &a); /* of the series of two alone */
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(trend, "all_series")), 1);
    cJSON_Delete(trend);
    r.n = 1;
    assert_false(has_trend(&r));
    assert_true(cJSON_GetObjectItem(one, "high")->valuedouble == 3);
    assert_true(cJSON_GetObjectItem(one, "bad")->valuedouble == 5);
    assert_string_equal(cJSON_GetObjectItem(one, "largest")->valuestring, "GEMM");
    assert_true(cJSON_GetObjectItem(one, "largest_pct")->valuedouble == 60);
    assert_true(
        cJSON_IsTrue(cJSON_GetObjectItem(cJSON_GetObjectItem(one, "gates"), "failed")));
    cJSON_Delete(c);
}

/* The same runs give the same bytes, and assets are written once. */
static void writing_again_changes_nothing(void **state)
{
    struct runs r = four();
    (void)state;
    write_runs(&r);
    char *index = file("index.html"), *trend = file("trend.html");
    write_runs(&r);
    assert_string_equal(file("index.html"), index);
    assert_string_equal(file("trend.html"), trend);
}

static void pages_of_others_stay(void **state)
{
    struct runs r = four();
    struct err e = {0};
    char path[128];
    (void)state;
    snprintf(path, sizeof path, "%s/index.html", root);
    FILE *f = fopen(path, "w");
    fputs("mine", f);
    fclose(f);
    assert_false(runs_write(root_fd, root, &r, &theme, tmp, a, &e));
    assert_int_equal(e.kind, ERR_OUTPUT);
    has(e.what, "that tracefolio did not write");
    assert_string_equal(file("index.html"), "mine");
}

/* What a killed writer was writing is removed. */
static void leftovers_are_removed(void **state)
{
    struct runs r = four();
    char path[128];
    (void)state;
    snprintf(path, sizeof path, "%s/" NEW_PREFIX "123", root);
    fclose(fopen(path, "w"));
    write_runs(&r);
    assert_int_equal(access(path, F_OK), -1);
}

#define ROOTED(test) cmocka_unit_test_setup_teardown(test, make_root, remove_root)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROOTED(programs_get_a_line_a_run),      ROOTED(texts_of_a_line_are_cut),
        ROOTED(pages_say_what_the_runs_are),    ROOTED(the_strictest_run_decides),
        ROOTED(runs_of_one_series_are_a_table), ROOTED(writing_again_changes_nothing),
        ROOTED(pages_of_others_stay),           ROOTED(leftovers_are_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
