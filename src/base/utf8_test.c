#include "utf8.c"

#include "base/out.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void check_one(const char *bytes, int32_t code)
{
    struct str s = str_of(bytes);
    ptrdiff_t n = s.n;
    assert_int_equal(utf8_next(&s), code);
    assert_int_equal(s.n, code == UTF8_BROKEN ? n - 1 : 0);
    if (code != UTF8_BROKEN) {
        char buf[4];
        assert_int_equal(utf8_bytes(buf, (uint32_t)code), n);
        assert_memory_equal(buf, bytes, (size_t)n);
    }
}

static void test_first_and_last_of_each_length(void **state)
{
    (void)state;
    check_one("\x01", 0x01);
    check_one("\x7F", 0x7F);
    check_one("\xC2\x80", 0x80);
    check_one("\xDF\xBF", 0x7FF);
    check_one("\xE0\xA0\x80", 0x800);
    check_one("\xED\x9F\xBF", 0xD7FF);
    check_one("\xEE\x80\x80", 0xE000);
    check_one("\xEF\xBF\xBF", 0xFFFF);
    check_one("\xF0\x90\x80\x80", 0x10000);
    check_one("\xF4\x8F\xBF\xBF", 0x10FFFF);
}

static void test_broken(void **state)
{
    (void)state;
    check_one("\x80", UTF8_BROKEN);             /* a continuation alone */
    check_one("\xC0\x80", UTF8_BROKEN);         /* overlong NUL */
    check_one("\xC1\xBF", UTF8_BROKEN);         /* overlong DEL */
    check_one("\xC3", UTF8_BROKEN);             /* cut */
    check_one("\xC3(", UTF8_BROKEN);            /* no continuation */
    check_one("\xE0\x9F\xBF", UTF8_BROKEN);     /* overlong U+07FF */
    check_one("\xED\xA0\x80", UTF8_BROKEN);     /* surrogate U+D800 */
    check_one("\xF0\x8F\xBF\xBF", UTF8_BROKEN); /* overlong U+FFFF */
    check_one("\xF4\x90\x80\x80", UTF8_BROKEN); /* above U+10FFFF */
    check_one("\xF5\x80\x80\x80", UTF8_BROKEN);
    check_one("\xFF", UTF8_BROKEN);
}

/* The byte after the slice belongs to somebody else. */
static void test_does_not_read_beyond(void **state)
{
    (void)state;
    struct str s = {"\xE2\x82\xAC", 2};
    assert_int_equal(utf8_next(&s), UTF8_BROKEN);
    assert_int_equal(utf8_next(&s), UTF8_BROKEN);
    assert_int_equal(s.n, 0);
}

static void test_what_is_no_code_point_is_replaced(void **state)
{
    (void)state;
    struct out o;
    out_memory(&o);
    out_code_point(&o, 0xD800);
    out_code_point(&o, 0x110000);
    assert_true(str_eq(out_view(&o), S("\xEF\xBF\xBD\xEF\xBF\xBD")));
    out_free(&o);
}

static void test_a_terminal_gets_one_harmless_line(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to;
    } cases[] = {{"plain \xC3\xA9", "plain \xC3\xA9"},
                 {"\x1B[2J\n\x7F", "\\x1b[2J\\x0a\\x7f"},
                 {"\xC2\x9B"
                  "2J",
                  "\\xc2\\x9b2J"}, /* CSI of one character */
                 {"a\xE2\x80\xAE"
                  "b",
                  "a\\xe2\\x80\\xaeb"}, /* right to left */
                 {"\xE2\x80\xA8\xD8\x9C", "\\xe2\\x80\\xa8\\xd8\\x9c"},
                 {"\x9B", "\\x9b"}}; /* no UTF-8 */
    char buf[64];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        utf8_visible(buf, sizeof buf, str_of(cases[i].from));
        assert_string_equal(buf, cases[i].to);
    }
    utf8_visible(buf, 16, S("0123456789"));
    assert_string_equal(buf, "0123");
}

static void test_a_head_ends_between_characters(void **state)
{
    (void)state;
    struct str s = S("a\xC2\xB5\xE2\x80\xA6");
    const ptrdiff_t want[] = {0, 1, 1, 3, 3, 3, 6, 6};
    for (int n = 0; n < 8; n++)
        assert_int_equal(utf8_head(s, n).n, want[n]);
    assert_int_equal(utf8_head(S("\x80\x80\x80"), 2).n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_and_last_of_each_length),
        cmocka_unit_test(test_broken),
        cmocka_unit_test(test_does_not_read_beyond),
        cmocka_unit_test(test_what_is_no_code_point_is_replaced),
        cmocka_unit_test(test_a_head_ends_between_characters),
        cmocka_unit_test(test_a_terminal_gets_one_harmless_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
