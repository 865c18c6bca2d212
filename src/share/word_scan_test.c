#include "word_scan.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct arena a, scratch;

static int reserve(void **state)
{
    (void)state;
    a = arena_reserve(1 << 24);
    scratch = arena_reserve(1 << 25);
    return 0;
}

static struct word_hits hits_of(const char *words, struct str text)
{
    struct forbidden f;
    struct word_hits hits = {0};
    struct err e = {0};
    assert_true(forbidden_parse(&a, str_of(words), "words", &f, &e));
    scan_bytes(&f, S("x"), text, &a, scratch, &hits);
    return hits;
}

static int found(const char *word, struct str text)
{
    struct word_hits hits = hits_of(word, text);
    int n = 0;
    for (int i = 0; i < hits.n; i++)
        n += !hits.at[i].why;
    return n;
}

static int unread_in(struct str text)
{
    struct word_hits hits = hits_of("nothing", text);
    return hits.n;
}

static void test_as_read(void **state)
{
    (void)state;
    assert_int_equal(found("Secret", S("a SECRET b")), 1);
    assert_int_equal(found("se_cret", S("<p>se_<wbr>cret</p>")), 1);
    assert_int_equal(found("a<b", S("a&lt;b")), 1);
    assert_int_equal(found("secret", S("&#x53;ecret")), 1);
    assert_int_equal(found("secret", S("\\u0053ecret")), 1);
    assert_int_equal(found("se_cret", S("se\\_cret")), 1);
    assert_int_equal(found("se cret", S("se `cret`")), 1);
    assert_int_equal(found("secret", S("sec ret <secre")), 0);
    assert_int_equal(found("se cret", S("%73e%20cret")), 1);
    assert_int_equal(found("secret", S("line\\nsecret\\n")), 1);
    assert_int_equal(found("m\xc3\xbcller", S("M%C3%BCller")), 1);
}

static void test_words(void **state)
{
    (void)state;
    assert_int_equal(found("eve", S("every event in sleeve, seven")), 0);
    assert_int_equal(found("eve", S("the Eve_2 of")), 1);
    assert_int_equal(found("falcon", S("class ProjectFalconMLP")), 1);
    assert_int_equal(found("mlp", S("class FalconMLPModel")), 1);
    assert_int_equal(found("lpm", S("class FalconMLPModel")), 0);
    assert_int_equal(found("4096", S("[4096, 1]")), 1);
    assert_int_equal(found("4096", S("14096")), 0);
    assert_int_equal(found("rank", S("rank7")), 1);
    assert_int_equal(found("*falcon*", S("superfalcons")), 1);
    assert_int_equal(found("*falcon", S("superfalcons")), 0);
    assert_int_equal(found("/home/", S("at/home/eve")), 1);
    assert_int_equal(found("\xe9\xa1\xb9\xe7\x9b\xae",
                           S("\xe5\xa4\xa7\xe9\xa1\xb9\xe7\x9b\xae\xe5")),
                     1);
}

/* Also where a part of the text ends in it. */
static void test_long(void **state)
{
    (void)state;
    enum { BYTES = 3 << 20 };
    char *p = arena_take_raw(&a, 1, 1, BYTES);
    for (int at = PART_BYTES - 20; at < PART_BYTES + 20; at++) {
        memset(p, 'y', BYTES);
        memcpy(p + at, " secret ", 8);
        assert_int_equal(found("secret", (struct str){p, BYTES}), 1);
        memcpy(p + at, "ysecrety", 8);
        assert_int_equal(found("secret", (struct str){p, BYTES}), 0);
    }
}

static void test_wide(void **state)
{
    (void)state;
    assert_int_equal(found("secret", S("a\0 \0s\0e\0c\0r\0e\0t\0")), 1);
    assert_int_equal(found("secret", S("\0 \0s\0e\0c\0r\0e\0t")), 1);
    assert_int_equal(found("\xc3\xbc"
                           "ber",
                           S("\xff\xfe\xfc\0b\0e\0r\0")),
                     1);
    assert_int_equal(found("\xc3\xbc"
                           "ber",
                           S("\xfe\xff\0\xfc\0b\0e\0r")),
                     1);
}

static void test_base64(void **state)
{
    (void)state;
    assert_int_equal(found("secret", S("url(data:text/plain;base64,c2VjcmV0)")), 1);
    assert_int_equal(found("secret", S("\"YSBzZWNyZXQgaXMgaGVyZQ==\"")), 1);
    assert_int_equal(found("secret", S("xYSBzZWNyZXQgaXMgaGVyZQ==")), 1);
    assert_int_equal(found("secret", S("xxxYSBzZWNyZXQgaXMgaGVyZQ==")), 1);
    /* In lines, as mails have it. */
    assert_int_equal(found("secret", S("eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh"
                                       "4eHh4eHh4eHh4eCBzZWNyZXQg\r\n"
                                       "eHh4\r\n")),
                     1);
}

static void test_not_examined(void **state)
{
    (void)state;
    assert_int_equal(unread_in(S("\x1f\x8b\x08")), 1);
    assert_int_equal(unread_in(S("PK\3\4PK\1\2nothing ")), 2);
    assert_int_equal(unread_in(S("\x89PNG\r\n\x1a\n\0\0\1\0IDATxxxx")), 1);
    assert_int_equal(unread_in(S("\xfd\x37zXZ\0")), 1);
    assert_int_equal(unread_in(S("\x28\xb5\x2f\xfd")), 1);
    assert_int_equal(unread_in(S("%PDF-1.7")), 1);
    assert_int_equal(unread_in(S("x\x9c is a text")), 0);
    assert_int_equal(unread_in(S("BZ is none")), 0);
}

/* What is cut short or means nothing does not stop it. */
static void test_damaged(void **state)
{
    (void)state;
    assert_int_equal(found("secret", S("\x1f\x8b\x08")), 0);
    assert_int_equal(found("secret", S("PK\3\4PK\1\2secret")), 1);
    assert_int_equal(found("secret", S("\x89PNG\r\n\x1a\n\xff\xff\xff\xffzTXt secret")),
                     1);
    assert_int_equal(found("secret", S("&#99999999;\\u12\\")), 0);
    assert_int_equal(found("secret", S("")), 0);
}

static void test_one_hit_a_place(void **state)
{
    (void)state;
    assert_int_equal(found("secret", S("secret secret <b>sec</b>ret")), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_read),      cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_words),        cmocka_unit_test(test_long),
        cmocka_unit_test(test_wide),         cmocka_unit_test(test_base64),
        cmocka_unit_test(test_not_examined), cmocka_unit_test(test_one_hit_a_place)};
    return cmocka_run_group_tests(tests, reserve, NULL);
}
