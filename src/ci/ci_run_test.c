#include "ci/ci_run.c"

#include "render/page/site_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/arena_case.h"

static struct ci_run c;
static struct err e;

static bool begun(struct ci_options o)
{
    e = (struct err){0};
    return ci_begin(&c, &a, &o, &e);
}

static void a_link_goes_into_markdown_as_it_is(void **state)
{
    static const struct {
        const char *url;
        bool good;
    } cases[] = {{"https://x.org/r?a=1&b=2#c", true},
                 {"http://x", true},
                 {"ftp://x", false},
                 {"https://x y", false},
                 {"https://x(1)", false},
                 {"https://x\"", false},
                 {"https://x\xc3\xa4", false},
                 {"httpsx://", false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(url_is_good(cases[i].url), cases[i].good);
}

static void a_date_is_given(void **state)
{
    (void)state;
    assert_true(begun((struct ci_options){0}));
    assert_int_equal(c.date.n, 0); /* no clock is asked */
    assert_true(begun((struct ci_options){.date = "2026-01-31"}));
    assert_text(c.date, "2026-01-31");
    assert_false(begun((struct ci_options){.date = "31.1.2026"}));
    assert_int_equal(e.kind, ERR_USAGE);
}

static void what_is_asked_is_checked_before_work(void **state)
{
    (void)state;
    assert_false(begun((struct ci_options){.report_url = "x.org"}));
    assert_true(strstr(e.what, "--report-url: expected a link") != NULL);
    assert_false(begun((struct ci_options){.email = "/dev/stdout"}));
    assert_true(strstr(e.what, "--email: writes two files") != NULL);
    assert_false(begun((struct ci_options){.annotations = "svn"}));
    assert_false(begun((struct ci_options){.source_root = "/dev/null"}));
    assert_true(strstr(e.what, "--source-root: expected a folder") != NULL);
    assert_true(begun((struct ci_options){.source_root = "/"}));
    assert_true(begun((struct ci_options){.badge = "busy"}));
    assert_true(begun((struct ci_options){.badge = "gates"}));
    assert_false(begun((struct ci_options){.badge = "nonsense"}));
    assert_false(begun((struct ci_options){.waivers = "/dev/null"}));
    assert_true(strstr(e.what, "--waivers requires the date of this run") != NULL);
    assert_true(begun((struct ci_options){.annotations = "github"}));
    assert_int_equal(c.host, ANNOTATE_GITHUB);
}

static void a_mail_has_its_text_beside(void **state)
{
    char path[PATH_MAX];
    (void)state;
    c = (struct ci_run){.o.email = "out/mail.html"};
    assert_string_equal(email_text_path(&c, path), "out/mail.txt");
    c.o.email = "out/mail";
    assert_string_equal(email_text_path(&c, path), "out/mail.txt");
    c.o.email = ".html.html";
    assert_string_equal(email_text_path(&c, path), ".html.txt");
}

static void two_options_cannot_name_one_file(void **state)
{
    struct asked_places places = {0};
    (void)state;
    e = (struct err){0};
    c = (struct ci_run){
        .o = {.junit = "/tmp/ci_run_test.xml", .sarif = "/tmp/ci_run_test.sarif"}};
    if (!ci_spares(&c, &places, &e))
        fail_msg("%s", e.what);
    c.o.sarif = c.o.junit;
    assert_false(ci_spares(&c, &places, &e));
    assert_string_equal(e.what,
                        "two options name it: each file needs a name of its own");
    e = (struct err){0};
    c.o.junit = c.o.sarif = "/dev/stdout"; /* streams are nobody's */
    assert_true(ci_spares(&c, &places, &e));
}

/* Of two waivers one is over. */
static void waivers_hold_until_their_day(void **state)
{
    struct waiver list[] = {
        {.id = S("f-00000001"), .until = S("2026-01-30"), .why = S("old")},
        {.id = S("gemm.x"), .until = S("2026-01-31"), .why = S("no\xff")}};
    struct finding findings[] = {{.id = S("gemm.x")}, {.id = S("gemm.y")}};
    int n;
    (void)state;
    c = (struct ci_run){.waivers = {.at = list, .n = 2, .today = S("2026-01-31")}};
    const struct waiver *holding = ci_waivers(&c, &a, &n);
    assert_int_equal(n, 1);
    assert_text(holding[0].id, "gemm.x");
    assert_text(holding[0].why, "no\xef\xbf\xbd");
    const struct str *ids = ci_waived(&c, &a, findings, 2, &n);
    assert_int_equal(n, 1);
    assert_text(ids[0], "gemm.x");
    struct str id = S("0123456789abcdef"), other = ci_report_id(&c, &a, id);
    assert_int_equal(other.n, id.n);
    assert_false(str_eq(other, id));
    list[1].why = S("yes"); /* all that is written of them is in the id */
    assert_false(str_eq(ci_report_id(&c, &a, id), other));
    c.waivers.n = 0;
    assert_text(ci_report_id(&c, &a, id), "0123456789abcdef");
}

/* A waiver of a finding that this run has: by its key, or by its id. */
static void a_waiver_names_a_finding(void **state)
{
    struct arena perm = arena_reserve(1 << 24);
    char *first = perm.at;
    struct report r = case_report(&perm);
    struct waiver by_key = {.id = S("gemm.low_efficiency.aten_addmm.compute")},
                  by_id = {.id = S("f-00000002")}, none = {.id = S("f-00000009")};
    (void)state;
    assert_true(begun((struct ci_options){0}));
    ci_take(&c, &perm, &r, NULL, 0);
    assert_true(names_a_finding(&by_key, c.summary));
    assert_true(names_a_finding(&by_id, c.summary));
    assert_false(names_a_finding(&none, c.summary));
    ci_close(&c);
    assert_null(c.summary);
    arena_release(first, &perm);
}

static struct str label(struct str text)
{
    struct out o;
    out_memory(&o);
    escape_label(&o, a, text);
    return out_text(&o, &a);
}

static void labels_of_metrics_are_quoted(void **state)
{
    (void)state;
    assert_text(label(S("a\"b\\c\nd")), "a\\\"b\\\\c\\\\nd");
}

static struct str wrapped(const char *text)
{
    struct out o;
    out_memory(&o);
    put_wrapped(&o, str_of(text));
    return out_text(&o, &a);
}

#define TEN     "123456789 "
#define SEVENTY TEN TEN TEN TEN TEN TEN TEN

/* At most 80 columns; what goes on is below the text of its line. */
static void lines_are_wrapped_below_their_text(void **state)
{
    (void)state;
    assert_text(wrapped("short\nlines\n"), "short\nlines\n");
    assert_text(wrapped(SEVENTY "1234567890"), SEVENTY "1234567890\n"); /* 80 */
    assert_text(wrapped(SEVENTY "12345678901"),
                TEN TEN TEN TEN TEN TEN "123456789\n12345678901\n");
    assert_text(wrapped(" 12. " SEVENTY "123456"),
                " 12. " TEN TEN TEN TEN TEN TEN "123456789\n     123456\n");
    assert_int_equal(indent_of(S("  - x")), 2);
    assert_int_equal(indent_of(S("12 x")), 0);
    assert_int_equal(indent_of(S("3. x")), 3);
}

int main(void)
{
    unsetenv("SOURCE_DATE_EPOCH");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_link_goes_into_markdown_as_it_is),
        cmocka_unit_test(a_date_is_given),
        cmocka_unit_test(what_is_asked_is_checked_before_work),
        cmocka_unit_test(a_mail_has_its_text_beside),
        cmocka_unit_test(two_options_cannot_name_one_file),
        cmocka_unit_test(waivers_hold_until_their_day),
        cmocka_unit_test(a_waiver_names_a_finding),
        cmocka_unit_test(labels_of_metrics_are_quoted),
        cmocka_unit_test(lines_are_wrapped_below_their_text),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
