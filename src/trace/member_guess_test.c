#include "member_guess.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* Keys of one object of numbers, joined by spaces; "!" if it is not JSON. */
static void keys_of(struct member_guess *g, const char *object, char *keys, size_t size)
{
    char text[1024 + MEMBER_BYTES] = {0};
    size_t at = 0;
    assert_true(strlen(object) < 1024);
    strcpy(text, object);
    struct json_scan j = {.end = text + strlen(text)};
    const char *p = text + 1;
    struct member *last = &g->start;
    struct str key;
    keys[0] = '\0';
    while ((p = member_next(g, &j, p, &last, &key)) && (p = scan_value(&j, p))) {
        at += (size_t)snprintf(keys + at, size - at, "%.*s ", STRF(key));
        if (*scan_space(p) == '}')
            break;
    }
    if (!p)
        strcpy(keys + at, "!");
    scan_free(&j);
}

static void has_keys(struct member_guess *g, const char *object, const char *want)
{
    char keys[1024];
    keys_of(g, object, keys, sizeof keys);
    assert_string_equal(keys, want);
}

/* Whatever came before, an object says what it says. */
static void test_after_any_other_object(void **state)
{
    (void)state;
    static const char *const forms[][2] = {
        {"{\"a\": 1, \"b\": 2}", "a b "},
        {"{\"a\":1,\"b\":2}", "a b "},
        {"{\"b\": 1, \"a\": 2}", "b a "},
        {"{\"a\": 1, \"b\" : 2, \"c\": 3 }", "a b c "},
        {"{\"a\": 1 , \"c\": 2}", "a c "},
        {"{\"ab\": 1, \"bc\": 2}", "ab bc "},
        {"{\"a\": 1, \"a key of more bytes than are compared\": 2, \"b\": 3}",
         "a a key of more bytes than are compared b "},
        {"{\"\": 1, \"\\\"\": 2}", " \\\" "},
    };
    enum { FORMS = sizeof forms / sizeof *forms };
    struct member_guess g;
    guess_open(&g);
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < FORMS; i++)
            for (int k = 0; k < FORMS; k++) {
                has_keys(&g, forms[i][0], forms[i][1]);
                has_keys(&g, forms[k][0], forms[k][1]);
            }
}

/* A comma belongs between members: what was learned there does not pass at the start,
 * nor the other way round. */
static void test_no_comma_is_guessed(void **state)
{
    (void)state;
    struct member_guess g;
    guess_open(&g);
    for (int i = 0; i < 3; i++) {
        has_keys(&g, "{\"a\": 1, \"b\": 2}", "a b ");
        has_keys(&g, "{, \"b\": 2}", "!");
        has_keys(&g, "{\"a\": 1\"a\": 2}", "a !");
        has_keys(&g, "{\"a\": 1,, \"b\": 2}", "a !");
    }
}

/* Truncated anywhere, it gives no extra member. */
static void test_cut(void **state)
{
    (void)state;
    const char whole[] = "{\"abc\": 1, \"def\": 2}";
    char part[sizeof whole], keys[64];
    struct member_guess g;
    guess_open(&g);
    has_keys(&g, whole, "abc def ");
    for (size_t n = 1; n < sizeof whole - 1; n++) {
        memcpy(part, whole, n);
        part[n] = '\0';
        keys_of(&g, part, keys, sizeof keys);
        assert_true(n < 10 ? strcmp(keys, "!") == 0 : strncmp(keys, "abc ", 4) == 0);
        assert_null(strstr(keys, "def"));
    }
    has_keys(&g, whole, "abc def ");
}

/* More different members than there is room for are still read. */
static void test_many(void **state)
{
    (void)state;
    struct member_guess g;
    char object[64], want[64];
    guess_open(&g);
    for (int i = 0; i < 3 * MEMBERS_MAX; i++) {
        snprintf(object, sizeof object, "{\"a\": 1, \"k%d\": 2, \"b\": 3}", i);
        snprintf(want, sizeof want, "a k%d b ", i);
        has_keys(&g, object, want);
    }
    assert_int_equal(g.n, MEMBERS_MAX);
}

/* What a key means is asked once, not for every object. */
static void test_meaning_stays(void **state)
{
    (void)state;
    const char text[64] = "\"a\": 1, \"b\": 2}";
    struct json_scan j = {.end = text + strlen(text)};
    struct member_guess g;
    struct str key;
    guess_open(&g);
    for (int i = 0; i < 3; i++) {
        struct member *last = &g.start;
        assert_non_null(member_next(&g, &j, text, &last, &key));
        assert_int_equal(last->meaning, i ? 7 : MEMBER_UNKNOWN);
        last->meaning = 7;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_after_any_other_object),
        cmocka_unit_test(test_no_comma_is_guessed),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_meaning_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
