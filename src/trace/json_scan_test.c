#include "trace/json_scan.c"

#include <stdio.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* The rest of the text after one value, or NULL and the state. */
static const char *scan_text(const char *text, enum scan_state *state)
{
    struct json_scan j = {.end = text + strlen(text)};
    const char *p = scan_value(&j, text);
    *state = j.state;
    scan_free(&j);
    return p;
}

static bool accepts(const char *text)
{
    enum scan_state state;
    const char *p = scan_text(text, &state);
    /* A number may go on after the end of the text, so numbers stand in arrays here. */
    return p && *scan_space(p) == '\0';
}

/* Rules of RFC 8259, one line each; what a conforming parser must take. */
static void test_accepts(void **state)
{
    (void)state;
    const char *const good[] = {"[]",
                                "{}",
                                " [ ] ",
                                "[null,true,false]",
                                "\"\"",
                                "[-0]",
                                "[0]",
                                "[-1.5e+10]",
                                "[1E5]",
                                "[1e-2]",
                                "[0.1]",
                                "[\"\\u00e9\\uD83D\\uDE00\\n\\\\\\/\\\"\"]",
                                "{\"a\":1,\"a\":2}",
                                "{\"\":{}}",
                                "[[[[1]]],{\"x\":[{}]}]",
                                "\t[\r\n1 ,2]",
                                "[\"\x7f\"]",
                                "[\"\xc3\xa9\"]",
                                "[123456789012345678901234567890]",
                                "[NaN,Infinity,-Infinity,nan,inf,-inf,-nan]"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (!accepts(good[i]))
            fail_msg("refused: %s", good[i]);
}

static void test_rejects(void **state)
{
    (void)state;
    const char *const bad[] = {
        "[1,]",       "[,1]",      "[1 2]",         "{\"a\"}",     "{\"a\":}",
        "{\"a\":1,}", "{a:1}",     "{1:2}",         "{'a':1}",     "[01]",
        "[1.]",       "[.5]",      "[-]",           "[+1]",        "[1e]",
        "[1e+]",      "[0x1]",     "[--1]",         "[tru]x",      "[True]",
        "[nul1]",     "[\"\\x\"]", "[\"\\u12g4\"]", "[\"a\nb\"]",  "[\"\t\"]",
        "[1}",        "{\"a\":1]", "[\"a\",,]",     "]",           "}",
        ":",          ",",         "[1:2]",         "{\"a\":1:2}", "{\"a\",1}",
        "[\"a\":1]",  "[- 1]",     "[Infinit1]"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        enum scan_state s;
        const char *p = scan_text(bad[i], &s);
        if (p || s != SCAN_BAD)
            fail_msg("taken: %s (state %d)", bad[i], (int)s);
    }
}

/* Every proper start of a document is short, never bad and never whole. */
static void test_every_start_is_short(void **state)
{
    (void)state;
    const char *const whole = "{\"k\": [1, -2.5e3, \"a\\u0041b\", true, null, NaN, "
                              "-Infinity, {\"x\": []}]}";
    for (size_t n = 0; n < strlen(whole); n++) {
        char start[128] = {0};
        memcpy(start, whole, n);
        enum scan_state s;
        assert_null(scan_text(start, &s));
        if (s != SCAN_SHORT)
            fail_msg("not short at %zu: %s", n, start);
    }
    assert_true(accepts(whole));
}

static void test_a_million_levels(void **state)
{
    (void)state;
    enum { LEVELS = 1000000 };
    char *text = malloc(2 * LEVELS + 1);
    assert_non_null(text);
    memset(text, '[', LEVELS);
    memset(text + LEVELS, ']', LEVELS);
    text[2 * LEVELS] = '\0';
    assert_true(accepts(text));
    text[2 * LEVELS - 1] = '}';
    assert_false(accepts(text));
    free(text);
}

static int64_t milli(const char *text, bool *known)
{
    char padded[64];
    snprintf(padded, sizeof padded, "%s,", text);
    struct json_scan j = {.end = padded + strlen(padded)};
    int64_t v = -7;
    const char *p = scan_milli(&j, padded, &v, known);
    assert_true(p && *p == ',');
    scan_free(&j);
    return v;
}

static void test_milli(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t want;
    } cases[] = {{"0", 0},
                 {"12", 12000},
                 {"12.5", 12500},
                 {"-1.25", -1250},
                 {"2915995397672.546", 2915995397672546},   /* us since boot */
                 {"1623212388426902", 1623212388426902000}, /* us since 1970, 2021 */
                 {"12345678", 12345678000}, /* read eight digits at a time */
                 {"12345678.9", 12345678900},
                 {"123456789.01", 123456789010},
                 {"99999999.9996", 100000000000},
                 {"1234567.5", 1234567500},
                 {"0.0004", 0},
                 {"0.0005", 1},
                 {"1.9996", 2000},
                 {"1e3", 1000000},
                 {"\"42.125\"", 42125}};
    bool known;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(milli(cases[i].text, &known), cases[i].want);
        assert_true(known);
    }
    const char *const unknown[] = {"NaN",   "null", "\"x\"", "[1]",
                                   "1e300", "\"\"", "true"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        milli(unknown[i], &known);
        assert_false(known);
    }
}

/* The quick way of reading a number takes nothing that the rules refuse. */
static void test_numbers_that_are_none(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "01,", "00.5,",     "1.,",       "1.}",       ".5,",       "1.5x,",
        "+1,", "00000001,", "1234567:,", "1234567/,", "12345678.,"};
    bool known;
    int64_t v;
    for (size_t i = 0; i < 3 * sizeof bad / sizeof *bad; i++) {
        const char *text = bad[i / 3];
        struct json_scan j = {.end = text + strlen(text)};
        const char *p = i % 3 == 0   ? scan_milli(&j, text, &v, &known)
                        : i % 3 == 1 ? scan_int(&j, text, &v, &known)
                                     : scan_value(&j, text);
        if (p) /* or it ends where the grammar of numbers does */
            assert_true(*p != ',' && *p != '}');
        else
            assert_int_equal(j.state, SCAN_BAD);
    }
    static const char *const cut[] = {"1", "12.", "12.5", "1e"};
    for (size_t i = 0; i < sizeof cut / sizeof *cut; i++) {
        struct json_scan j = {.end = cut[i] + strlen(cut[i])};
        assert_null(scan_milli(&j, cut[i], &v, &known));
        assert_int_equal(j.state, SCAN_SHORT);
    }
}

static void test_decode(void **state)
{
    (void)state;
    static const struct {
        const char *raw, *want;
    } cases[] = {{"a\\n\\t\\\"\\\\\\/b", "a\n\t\"\\/b"},
                 {"\\u00e9", "\xc3\xa9"},
                 {"\\uD83D\\uDE00", "\xf0\x9f\x98\x80"},
                 {"\\uD83D", "\xef\xbf\xbd"},   /* half a pair */
                 {"\\uDE00x", "\xef\xbf\xbdx"}, /* the other half */
                 {"\\uD83D\\u0041", "\xef\xbf\xbd"
                                    "A"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char buf[64];
        ptrdiff_t n = string_decode(str_of(cases[i].raw), buf);
        assert_int_equal(n, strlen(cases[i].want));
        assert_memory_equal(buf, cases[i].want, (size_t)n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_accepts),
                                       cmocka_unit_test(test_rejects),
                                       cmocka_unit_test(test_every_start_is_short),
                                       cmocka_unit_test(test_a_million_levels),
                                       cmocka_unit_test(test_milli),
                                       cmocka_unit_test(test_numbers_that_are_none),
                                       cmocka_unit_test(test_decode)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
