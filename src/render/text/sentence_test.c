#include "sentence.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define CODE(text) "<code class=\"name\" translate=\"no\" dir=\"ltr\">" text "</code>"

static void expect(struct str in, const char *want)
{
    struct out o;
    out_memory(&o);
    sentence_html(&o, in);
    out_char(&o, '\0');
    assert_string_equal(out_view(&o).p, want);
    out_free(&o);
}

static void code_and_emphasis_are_markup(void **state)
{
    (void)state;
    expect(S("Call `a<b>` **once**, *not* twice."),
           "Call " CODE("a&lt;b&gt;") " <b>once</b>, <em>not</em> twice.");
    expect(S("(`a\\` and `__b__`)"), "(" CODE("a\\") " and " CODE("__b__") ")");
    expect(S(""), "");
}

/* Whatever markdown or HTML would make of it. */
static void nothing_else_is(void **state)
{
    (void)state;
    expect(S("[x](http://x) <http://x> ![y](z)"),
           "[x](http://x) &lt;http://x&gt; ![y](z)");
    expect(S("<script>1</script> &amp; &#60; \\*"),
           "&lt;script&gt;1&lt;/script&gt; &amp;amp; &amp;#60; \\*");
    expect(S("(__init__, <string>:3) snake_case_"),
           "(__init__, &lt;string&gt;:3) snake_case_");
    expect(S("M*N*K is 2 * 3 * 4, 2**3**4"), "M*N*K is 2 * 3 * 4, 2**3**4");
    expect(S("a `b"), "a `b");
    expect(S("``"), "``");
    expect(S("```c\n"), "```c");
    expect(S("a  b\xff\xe2\x80\xae"), "a  b\xef\xbf\xbd\\u{202e}");
}

static void a_number_keeps_its_unit(void **state)
{
    (void)state;
    static char room[256];
    struct arena a = {.at = room, .end = room + sizeof room};
    expect(
        S("3.73 to 4.11 ms (33.13 ms becomes 1.17 s), 8 msgs, 5 % a"),
        "3.73 to 4.11\u00a0ms (33.13\u00a0ms becomes 1.17\u00a0s), 8 msgs, 5\u00a0% a");
    expect(S("`a 1 ms` 2 ms"),
           "<code class=\"name\" translate=\"no\" dir=\"ltr\">a 1 ms</code> 2\u00a0ms");
    struct str whole = sentence_whole(&a, S("1 ms, 2 m, 3 TB/s"));
    arena_new(&a, char, 8); /* lies behind it, not on its end */
    assert_true(str_eq(whole, S("1\u00a0ms, 2 m, 3\u00a0TB/s")));
    assert_int_equal(sentence_whole(&a, S("")).n, 0);
}

/* Counts, not years or sizes: "N=4429", "12345.6", "line 1234". */
static void numbers_are_as_pages_write_them(void **state)
{
    (void)state;
    static char room[256];
    struct arena a = {.at = room, .end = room + sizeof room};
    expect(S("In 1880 gaps, 83.70 us each"), "In 1,880 gaps, 83.70\u00a0µs each");
    expect(S("1234567 events at N=4429, line 1234; 0012 calls, 123 gaps"),
           "1,234,567 events at N=4429, line 1234; 0012 calls, 123 gaps");
    expect(S("12345.6 ms"), "12345.6\u00a0ms");
    struct str whole = sentence_whole(&a, S("2759 events, 5 us"));
    assert_true(str_eq(whole, S("2,759 events, 5\u00a0µs")));
}

static void no_beginning_makes_a_block(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "# a", "- a", "+ a", "* a", "1. a",   "2) a", "> a",
        "---", "***", "===", "~~~", "[a]: b", "|a|b", "* * *"};
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++)
        expect(str_of(lines[k]), lines[k][0] == '>' ? "&gt; a" : lines[k]);
    expect(S("    a\nb"), "a\\nb");
}

/* Quantities alone are rounded, never added to: names, versions and counts stay. */
static void a_first_screen_has_three_digits(void **state)
{
    (void)state;
    static char room[1024];
    struct arena a = {.at = room, .end = room + sizeof room};
    struct str brief = sentence_brief(
        &a,
        S("`f 12.345 ms` 393.1 ms (32.9%), 91.57 µs each, 0.510 ms, 1195.1 ms, "
          "12.34 to 56.78 s, 100.0%, v2.10.12, x.py:16.345 ms, 4293 gaps, 3.40 µs"));
    assert_true(str_eq(brief, S("`f 12.345 ms` 393 ms (32.9%), 91.6 µs each, 0.510 ms, "
                                "1195 ms, 12.3 to 56.8 s, 100%, v2.10.12, x.py:16.345 "
                                "ms, 4293 gaps, 3.40 µs")));
    assert_int_equal(sentence_brief(&a, S("")).n, 0);
    assert_true(str_eq(sentence_brief(&a, S("1.")), S("1.")));
    assert_true(str_eq(sentence_count(&a, S("239093")), S("239,093")));
    assert_true(str_eq(sentence_count(&a, S("997")), S("997")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_first_screen_has_three_digits),
        cmocka_unit_test(code_and_emphasis_are_markup),
        cmocka_unit_test(nothing_else_is),
        cmocka_unit_test(a_number_keeps_its_unit),
        cmocka_unit_test(numbers_are_as_pages_write_them),
        cmocka_unit_test(no_beginning_makes_a_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
