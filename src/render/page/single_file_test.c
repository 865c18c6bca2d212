#include "single_file.c"

#include "render/page/site.h"
#include "render/page/site_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct arena memory;
static struct theme theme;
static char dir[64];

static int set_up(void **state)
{
    (void)state;
    struct err e = {0};
    memory = arena_reserve(1 << 28);
    strcpy(dir, "/tmp/single_file_test.XXXXXX");
    return mkdtemp(dir) && theme_builtin(&memory, S("default"), &theme, &e) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    return remove(dir);
}

static struct single_file made(void)
{
    static const struct report_table rows = {.name = S_INIT("unified_perf_summary"),
                                             .n_rows = 1};
    struct report r = case_report(&memory);
    struct single_file f;
    r.tables = &rows;
    r.n_tables = 1;
    struct err e = {0};
    single_open(&f);
    struct site_options o = {.theme = &theme, .csv = true, .single = &f};
    if (!site_write(&r, &o, NULL, memory, &e))
        fail_msg("%s: %s", e.file, e.what);
    return f;
}

static bool holds(const struct single_file *f, const char *part)
{
    return str_has(out_view(&f->document), str_of(part));
}

static void all_pages_are_sections(void **state)
{
    (void)state;
    struct single_file f = made();
    assert_true(holds(&f, "<section class=\"sheet\" id=\"page-index\""));
    assert_true(holds(&f, "<section class=\"sheet\" id=\"page-category-gemm\""));
    assert_true(holds(&f, "<section class=\"sheet\" id=\"page-about\""));
    assert_true(holds(&f, "<a href=\"#page-operations\">Operations</a>"));
    /* In the order of reading, although the first page is written last. */
    assert_true(str_find(out_view(&f.document), S("id=\"page-index\"")) <
                str_find(out_view(&f.document), S("id=\"page-recommendations\"")));
    assert_false(holds(&f, "href=\"index.html\""));
    assert_false(holds(&f, "<svg onload")); /* the case's hostile name */
    single_close(&f);
}

static void tables_are_listed_as_left_out(void **state)
{
    (void)state;
    struct single_file f = made();
    assert_true(holds(&f, "<code>perf_report_csvs/</code>"));
    assert_true(holds(&f, "<code>unified_perf_summary.csv</code>"));
    assert_false(holds(&f, ".csv\""));
    single_close(&f);
}

/* printf '%s' abc | sha256sum | xxd -r -p | base64, and of the empty text. */
static void hashes_are_those_of_a_policy(void **state)
{
    (void)state;
    assert_true(str_eq(policy_hash(&memory, S("abc")),
                       S("sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=")));
    assert_true(str_eq(policy_hash(&memory, S("")),
                       S("sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")));
}

static void rules_for_headings_sink(void **state)
{
    (void)state;
    struct out o;
    out_memory(&o);
    sink_headings(&o, S("h1, h2 {a: #h1}.h2 a>h3:x{} h2.k{} width: 1h2; h"));
    struct str got = out_text(&o, &memory);
    assert_string_equal(str_c(&memory, got),
                        "h2, h3 {a: #h1}.h2 a>h4:x{} h3.k{} width: 1h2; h");
}

static void a_tag_in_the_script_is_refused(void **state)
{
    (void)state;
    struct err e = {0};
    assert_true(check_inline(S("a < b && c <d"), "script", &e));
    assert_false(check_inline(S("'</script>'"), "script", &e));
    assert_int_equal(e.kind, ERR_INTERNAL);
}

/* A document of exactly 1 MB is written, one byte more is not. */
static void the_limit_is_a_refusal_that_names_parts(void **state)
{
    (void)state;
    struct single_file f = made();
    struct err e = {0};
    char path[128];
    snprintf(path, sizeof path, "%s/one.html", dir);
    out_free(&f.document);
    out_memory(&f.document);
    for (int k = 0; k < 100000; k++)
        out_lit(&f.document, "0123456789");
    assert_true(single_write(&f, path, 1, &e));
    assert_true(single_place(&f, path, 1, &e));
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_size, 1000000);
    out_char(&f.document, 'x');
    assert_true(single_write(&f, path, 1, &e));
    assert_false(single_place(&f, path, 1, &e));
    assert_int_equal(e.kind, ERR_OUTPUT);
    assert_non_null(strstr(e.what, "limit is 1; largest are "));
    assert_non_null(strstr(e.what, ".html 0."));
    assert_non_null(strstr(e.what, "--single-file-limit"));
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_size, 1000000); /* the old one stays */
    assert_int_equal(remove(path), 0);
    single_close(&f);
}

static void put(const char *path, const char *text)
{
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
}

static bool refused(const char *name, const char *const *reads, bool force,
                    const char *what)
{
    struct publish folder = {.parent = "/nowhere", .name = "report"};
    struct err e = {0};
    struct asked_places b = {&folder, reads, force};
    bool done = single_check(name, &b, &e);
    if (!done && !strstr(e.what, what))
        fail_msg("%s", e.what);
    return !done;
}

static void only_our_files_are_replaced(void **state)
{
    (void)state;
    char path[128], trace[128], hard[128];
    snprintf(path, sizeof path, "%s/one.html", dir);
    snprintf(trace, sizeof trace, "%s/t.json", dir);
    snprintf(hard, sizeof hard, "%s/hard.json", dir);
    const char *none[] = {NULL}, *reads[] = {"/no/such", trace, NULL};
    assert_false(refused(path, none, false, "")); /* nothing is there */
    put(path, "");
    assert_false(refused(path, none, false, ""));
    put(path, "a thesis");
    assert_true(refused(path, none, false, "tracefolio wrote"));
    assert_false(refused(path, none, true, ""));
    put(path, SINGLE_MARK);
    assert_false(refused(path, none, false, ""));
    put(trace, SINGLE_MARK);
    assert_true(refused(trace, reads, true, "is read by this run"));
    assert_int_equal(link(trace, hard), 0);
    assert_true(refused(hard, reads, true, "is read by this run"));
    assert_true(refused("/dev/null", none, true, "is a device or a pipe"));
    remove(path);
    assert_int_equal(symlink("t.json", path), 0);
    assert_true(refused(path, none, true, "is a link"));
    remove(path);
    assert_int_equal(mkfifo(path, 0666), 0);
    assert_true(refused(path, none, true, "is a device or a pipe"));
    remove(path);
    remove(hard);
    remove(trace);
}

/* What a killed run left goes next time; what only looks like it stays. */
static void leftovers_go(void **state)
{
    (void)state;
    struct single_file f = made();
    struct err e = {0};
    struct timespec old[2] = {{1, 0}, {1, 0}};
    char path[128], left[3][128];
    snprintf(path, sizeof path, "%s/one.html", dir);
    for (int k = 0; k < 3; k++) {
        snprintf(left[k], sizeof left[k], "%s/.one.html.tmp-abcde%d", dir, k);
        put(left[k], k == 1 ? "a thesis" : SINGLE_MARK);
        if (k < 2)
            utimensat(AT_FDCWD, left[k], old, 0);
    }
    assert_true(single_write(&f, path, 1, &e));
    assert_int_equal(access(path, F_OK), -1);
    single_close(&f);
    assert_int_equal(access(left[0], F_OK), -1);
    assert_int_equal(remove(left[1]), 0);
    assert_int_equal(remove(left[2]), 0); /* of just now; then the folder is empty */
}

static void the_place_is_checked(void **state)
{
    (void)state;
    const char *none[] = {NULL};
    struct publish folder = {.parent = "/tmp"};
    snprintf(folder.name, sizeof folder.name, "%s", dir + strlen("/tmp/"));
    struct asked_places b = {&folder, none, false};
    char path[128];
    struct err e = {0};
    snprintf(path, sizeof path, "%s.html", dir); /* beside, with the same head */
    assert_true(single_check(path, &b, &e));
    assert_true(single_check("one.html", &b, &e));
    snprintf(path, sizeof path, "%s/one.html", dir);
    assert_false(single_check(path, &b, &e));
    assert_int_equal(e.kind, ERR_USAGE);
    e = (struct err){0};
    assert_false(single_check(dir, &b, &e));
    e = (struct err){0};
    assert_false(single_check("/no/such/one.html", &b, &e));
    assert_int_equal(e.kind, ERR_OUTPUT);
    e = (struct err){0};
    assert_false(single_check("", &b, &e));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(only_our_files_are_replaced, set_up, tear_down),
        cmocka_unit_test_setup_teardown(leftovers_go, set_up, tear_down),
        cmocka_unit_test_setup_teardown(all_pages_are_sections, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tables_are_listed_as_left_out, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(hashes_are_those_of_a_policy, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(rules_for_headings_sink, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_tag_in_the_script_is_refused, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_limit_is_a_refusal_that_names_parts, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_place_is_checked, set_up, tear_down)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
