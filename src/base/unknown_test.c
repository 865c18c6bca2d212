#include "base/unknown.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct str words[] = {S_INIT("--platform"), S_INIT("--formats"),
                                   S_INIT("--force"), S_INIT("md"), S_INIT("--ref")};
enum { WORDS = sizeof words / sizeof *words };

static void test_the_nearest_word_is_meant(void **state)
{
    (void)state;
    static const struct {
        const char *typed, *meant;
    } cases[] = {
        {"--platfrom", "--platform"}, /* two letters swapped */
        {"dm", ""},                   /* half of a word says nothing */
        {"--platform", "--platform"}, /* none */
        {"--PLATFORN", "--platform"},
        {"--frce", "--force"},    /* one left out */
        {"--plat", "--platform"}, /* the only one that begins so */
        {"--fo", ""},             /* two begin so */
        {"--platxyz", ""},        /* too far */
        {"--pdf", ""},            /* a letter of three alone is as it was */
        {"--raf", "--ref"},
        {"xy", ""}, /* two changes of two letters mean nothing */
        {"", ""},
        {"--a-word-longer-than-any-that-somebody-could-mean", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct str got = nearest_word(str_of(cases[i].typed), words, WORDS);
        if (!str_eq(got, str_of(cases[i].meant)))
            fail_msg("%s: %.*s", cases[i].typed, STRF(got));
    }
}

static void test_what_there_is_is_listed(void **state)
{
    (void)state;
    struct err e = {0};
    assert_false(err_unknown(&e, "format", S("mdd"), &words[3], 1, ""));
    assert_string_equal(e.what, "unknown format 'mdd'; the formats are md");
    e = (struct err){0};
    struct str many[LISTED + 1];
    for (int i = 0; i <= LISTED; i++)
        many[i] = words[0];
    err_unknown(&e, "option", S("-x"), many, LISTED + 1, "see the help");
    assert_string_equal(e.what, "unknown option '-x'; see the help");
    assert_int_equal(e.kind, ERR_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_nearest_word_is_meant),
        cmocka_unit_test(test_what_there_is_is_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
