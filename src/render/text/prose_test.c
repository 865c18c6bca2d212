#include "prose.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void expect(struct str in, int deeper, const char *want)
{
    struct out o;
    out_memory(&o);
    prose_html(&o, in, deeper);
    out_char(&o, '\0');
    assert_string_equal(out_view(&o).p, want);
    out_free(&o);
}

static void markdown_becomes_html(void **state)
{
    (void)state;
    expect(S("Use *one* `f<T>`."), 0,
           "<p>Use <em>one</em> <code>f&lt;T&gt;</code>.</p>\n");
    expect(S("# T\n"), 2, "<h3>T</h3>\n");
    expect(S("##### T\n"), 3, "<h6>T</h6>\n");
    expect(S(""), 0, "");
}

static void raw_html_does_not_pass(void **state)
{
    (void)state;
    expect(S("<script>alert(1)</script>\n"), 0, "<!-- raw HTML omitted -->\n");
    expect(S("a <img src=x onerror=y> b"), 0, "<p>a <!-- raw HTML omitted --> b</p>\n");
}

static void links_lead_to_the_web_or_the_report(void **state)
{
    (void)state;
    expect(S("[a](javascript:x)"), 0, "<p><a href=\"\">a</a></p>\n");
    expect(S("[a](file:///etc)"), 0, "<p><a href=\"\">a</a></p>\n");
    expect(S("[a](//host/x)"), 0, "<p><a href=\"\">a</a></p>\n");
    expect(S("[a](../x)"), 0, "<p><a href=\"\">a</a></p>\n");
    expect(S("[a](https://example.org)"), 0,
           "<p><a href=\"https://example.org\">a</a></p>\n");
    expect(S("[a](operations.html#op-1)"), 0,
           "<p><a href=\"operations.html#op-1\">a</a></p>\n");
}

static void pictures_become_their_text(void **state)
{
    (void)state;
    expect(S("a ![the *plan*](http://x/y.png) b"), 0, "<p>a the <em>plan</em> b</p>\n");
    expect(S("![![in](a)](b)"), 0, "<p>in</p>\n");
}

static void bytes_are_repaired(void **state)
{
    (void)state;
    expect(S("a\xff z\xe2\x80\xaez"), 0, "<p>a\xef\xbf\xbd z\\u{202e}z</p>\n");
    expect(S("a\0b"), 0,
           "<p>a\xef\xbf\xbd"
           "b</p>\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(markdown_becomes_html),
        cmocka_unit_test(raw_html_does_not_pass),
        cmocka_unit_test(links_lead_to_the_web_or_the_report),
        cmocka_unit_test(pictures_become_their_text),
        cmocka_unit_test(bytes_are_repaired),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
