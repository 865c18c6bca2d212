#include "share/readings.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"

static void markup_is_read_as_it_is_shown(void **state)
{
    static const struct {
        const char *text, *shown, *with_tags;
    } cases[] = {{"a<b>c</b>", "ac", "a<b>c</b>"},
                 {"x &lt;y&gt; &amp;amp;", "x <y> &amp;", "x <y> &amp;"},
                 {"&#65;&#x42;&#X43;", "ABC", "ABC"},
                 {"&#x110000;", "&#x110000;", "&#x110000;"},
                 {"&nope;", "&nope;", "&nope;"},
                 {"\\u0041\\x42\\n\\/", "AB /", "AB /"},
                 {"sec%72et%", "secret%", "secret%"},
                 {"%C3%A4", "\xc3\xa4", "\xc3\xa4"},
                 {"`code`", "code", "code"},
                 {"1 < 2", "1 < 2", "1 < 2"},
                 {"se&#99;<i>ret</i>", "secret", "sec<i>ret</i>"}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        assert_text(reading_of_markup(&a, str_of(cases[k].text), false),
                    cases[k].shown);
        assert_text(reading_of_markup(&a, str_of(cases[k].text), true),
                    cases[k].with_tags);
    }
}

static void wide_text_is_read_in_either_order(void **state)
{
    (void)state;
    assert_text(reading_of_wide(&a, S("s\0e\0c\0")), "sec");
    assert_text(reading_of_utf16(&a, S("\xff\xfe"
                                       "a\0\xe4\0")),
                "a\xc3\xa4");
    assert_text(reading_of_utf16(&a, S("\xfe\xff"
                                       "\0a\0\xe4")),
                "a\xc3\xa4");
    assert_text(reading_of_utf16(&a, S("\xfe\xff\xd8\x3d\xde\x00")),
                "\xf0\x9f\x98\x80");
    assert_text(reading_of_utf16(&a, S("a\0b\0")), ""); /* without a mark */
    assert_text(reading_of_utf16(&a, S("\xff\xfe"
                                       "a\0b")),
                "a"); /* cut */
}

/* The next run of base64, decoded; empty: there is none. */
static struct str decoded(const char *text)
{
    struct str s = str_of(text), run;
    return reading_next_base64(&a, &s, &run) ? reading_of_base64(&a, run, 0) : S("");
}

static void base64_is_found_and_read(void **state)
{
    (void)state;
    assert_text(decoded("x c2VjcmV0LXdvcmQh y"), "secret-word!"); /* 16 letters */
    assert_text(decoded("x c2VjcmV0LXdvcmQ y"), "");              /* 15 */
    assert_text(decoded("base64,c2Vj"), "sec");
    assert_text(decoded("base64 c2Vj"), "");
    assert_text(decoded("data:base64,c2VjcmV0 c2Vj"), "secret");
    assert_text(decoded("_-_-_-_-_-_-_-_-"),
                "\xff\xef\xfe\xff\xef\xfe\xff\xef\xfe\xff\xef\xfe");
}

/* Mails break after 60 letters or more; shorter lines are lines of their own. */
static void lines_of_base64_are_joined(void **state)
{
    char text[200];
    struct str s, run;
    (void)state;
    for (int less = 0; less < 2; less++) {
        int n = 60 - less;
        memset(text, 'A', sizeof text);
        text[n] = '\r';
        text[n + 1] = '\n';
        memset(text + n + 2, 'B', 20);
        s = (struct str){text, n + 22};
        assert_true(reading_next_base64(&a, &s, &run));
        assert_int_equal(run.n, less ? n : n + 20);
        assert_int_equal(s.n, less ? 22 : 0);
    }
}

/* What is in front may belong to something else. */
static void letters_may_be_skipped(void **state)
{
    (void)state;
    assert_text(reading_of_base64(&a, S("xc2Vj"), 1), "sec");
    assert_text(reading_of_base64(&a, S("c2V"), 0), "se"); /* six bits are left */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(markup_is_read_as_it_is_shown),
        cmocka_unit_test(wide_text_is_read_in_either_order),
        cmocka_unit_test(base64_is_found_and_read),
        cmocka_unit_test(lines_of_base64_are_joined),
        cmocka_unit_test(letters_may_be_skipped),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
