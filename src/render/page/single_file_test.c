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
    struct report r = case_report(&memory);
    struct single_file f;
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
    assert_true(single_save(&f, path, 1, &e));
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_size, 1000000);
    out_char(&f.document, 'x');
    assert_false(single_save(&f, path, 1, &e));
    assert_int_equal(e.kind, ERR_OUTPUT);
    assert_non_null(strstr(e.what, "limit is 1; largest are "));
    assert_non_null(strstr(e.what, ".html 0."));
    assert_non_null(strstr(e.what, "--single-file-limit"));
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_size, 1000000); /* the old one stays */
    assert_int_equal(remove(path), 0);
    single_close(&f);
}

static void the_place_is_checked(void **state)
{
    (void)state;
    struct publish folder = {.parent = "/tmp"};
    snprintf(folder.name, sizeof folder.name, "%s", dir + strlen("/tmp/"));
    char path[128];
    struct err e = {0};
    snprintf(path, sizeof path, "%s.html", dir); /* beside, with the same head */
    assert_true(single_check(path, &folder, &e));
    assert_true(single_check("one.html", &folder, &e));
    snprintf(path, sizeof path, "%s/one.html", dir);
    assert_false(single_check(path, &folder, &e));
    assert_int_equal(e.kind, ERR_USAGE);
    e = (struct err){0};
    assert_false(single_check(dir, &folder, &e));
    e = (struct err){0};
    assert_false(single_check("/no/such/one.html", &folder, &e));
    assert_int_equal(e.kind, ERR_OUTPUT);
    e = (struct err){0};
    assert_false(single_check("", &folder, &e));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
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
