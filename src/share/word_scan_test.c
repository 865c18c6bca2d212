#include "word_scan.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct arena a;

static int reserve(void **state)
{
    (void)state;
    a = arena_reserve(1 << 24);
    return 0;
}

static int found(const char *word, struct str text)
{
    struct str words[] = {str_of(word)};
    struct forbidden f = {words, 1};
    struct word_hits hits = {0};
    scan_bytes(&f, S("x"), text, &a, a, &hits);
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
}

/* What is cut short or means nothing does not stop it. */
static void test_damaged(void **state)
{
    (void)state;
    assert_int_equal(found("secret", S("\x1f\x8b\x08")), 0);
    assert_int_equal(found("secret", S("PK\3\4PK\1\2secret")), 1);
    assert_int_equal(found("secret", S("\x89PNG\r\n\x1a\n\xff\xff\xff\xffzTXtsecret")),
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_as_read),
                                       cmocka_unit_test(test_damaged),
                                       cmocka_unit_test(test_one_hit_a_place)};
    return cmocka_run_group_tests(tests, reserve, NULL);
}
