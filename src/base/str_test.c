#include "base/str.c"

#include <stdio.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_compare(void **state)
{
    (void)state;
    assert_true(str_cmp(S("a"), S("ab")) < 0);
    assert_true(str_cmp(S("b"), S("ab")) > 0);
    assert_int_equal(str_cmp(S(""), S("")), 0);
    assert_true(str_eq((struct str){NULL, 0}, S("")));
    assert_true(str_eq(S("a\0b"), S("a\0b")));
    assert_false(str_eq(S("a\0b"), S("a\0c")));
    assert_true(str_eq_nocase(S("NcCl"), S("nccl")));
    assert_true(str_has_nocase(S("void RCCLx"), S("rccl")));
    assert_false(str_has_nocase(S("rcc"), S("rccl")));
    assert_false(str_has_nocase((struct str){0}, S("rccl")));
}

/* Wherever it is, in texts shorter and longer than what is looked at in one step.
 */
static void test_found_at_every_place(void **state)
{
    (void)state;
    for (ptrdiff_t n = 4; n < 70; n++)
        for (ptrdiff_t at = 0; at + 4 <= n; at++) {
            char text[80];
            memset(text, at % 2 ? 'r' : 'R',
                   (size_t)n + 4); /* "rr..." begins it nearly */
            memcpy(text + at, "RcCl", 4);
            assert_true(str_has_nocase((struct str){text, n}, S("rccl")));
            assert_false(str_has_nocase((struct str){text, at + 3}, S("rccl")));
            assert_int_equal(str_find((struct str){text, n}, S("RcCl")), at);
            assert_int_equal(str_find((struct str){text, n}, S("c")), at + 1);
            assert_int_equal(str_find((struct str){text, n}, S("RcCL")), -1);
            text[at + 2] = 'x';
            assert_false(str_has_nocase((struct str){text, n}, S("rccl")));
            assert_int_equal(str_find((struct str){text, n}, S("RcCl")), -1);
        }
    assert_true(str_has_nocase(S("a[b"), S("[B")));
    assert_false(str_has_nocase(S("a{b"), S("[b"))); /* 32 apart, and no letters */
}

static void test_fits(void **state)
{
    (void)state;
    static const struct {
        const char *text, *pattern;
        bool fits;
    } cases[] = {{"gemm_a", "gemm_a", true},
                 {"gemm_a", "gemm", false},
                 {"gemm_a", "gemm*", true},
                 {"a gemm b", "*gemm*", true},
                 {"gem", "*gemm*", false},
                 {"", "", true},
                 {"", "*", true},
                 {"a", "", false},
                 {"abc", "a?c", true},
                 {"ac", "a?c", false},
                 {"aXbXc", "a*X?", true},
                 {"aXbXcc", "a*X?", false},
                 {"a*", "a\\*", false},
                 {"a[b", "a[b", true}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_int_equal(str_fits(str_of(cases[k].text), str_of(cases[k].pattern)),
                         cases[k].fits);
    char text[4001];
    memset(text, 'a', 4000);
    text[4000] = 0;
    assert_false(str_fits(str_of(text), S("*a*a*a*a*a*a*a*a*a*b"))); /* and soon */
}

static void test_parts(void **state)
{
    (void)state;
    assert_int_equal(str_find(S("abcabc"), S("ca")), 2);
    assert_int_equal(str_find(S("abc"), S("x")), -1);
    assert_int_equal(str_find(S(""), S("x")), -1);
    assert_int_equal(str_find(S("abc"), S("")), 0);
    assert_true(str_starts(S("aten::mm"), S("aten::")));
    assert_true(str_ends(S("k.kd"), S(".kd")));
    assert_false(str_ends(S("d"), S(".kd")));
    assert_true(str_eq(str_trim(S(" \t a b\n")), S("a b")));
    assert_int_equal(str_skip(S("abc"), 9).n, 0);
}

static void test_taken_apart(void **state)
{
    (void)state;
    struct str rest = S("a::b::");
    assert_true(str_eq(str_take(&rest, S("::")), S("a")));
    assert_true(str_eq(str_take(&rest, S("::")), S("b")));
    assert_int_equal(rest.n, 0);
    assert_int_equal(str_take(&rest, S("::")).n, 0);
    rest = S("none");
    assert_true(str_eq(str_take(&rest, S("::")), S("none")));
    assert_int_equal(rest.n, 0);
}

static void test_one_of_several_words(void **state)
{
    (void)state;
    assert_true(str_among(S("mm"), "mm bmm addmm"));
    assert_true(str_among(S("addmm"), "mm bmm addmm"));
    assert_false(str_among(S("add"), "mm bmm addmm"));
    assert_false(str_among(S("mm bmm"), "mm bmm addmm"));
    assert_false(str_among(S(""), "mm bmm addmm"));
    assert_false(str_among(S("mm"), ""));
}

static void test_integers(void **state)
{
    (void)state;
    int64_t v;
    assert_true(str_int(S("-42"), &v) && v == -42);
    assert_true(str_int(S("999999999999999999"), &v) && v == 999999999999999999);
    assert_true(str_int(S("9223372036854775807"), &v) && v == INT64_MAX);
    assert_true(str_int(S("-9223372036854775808"), &v) && v == INT64_MIN);
    assert_false(str_int(S("9223372036854775808"), &v)); /* overflows: refused */
    assert_false(str_int(S("-9223372036854775809"), &v));
    assert_false(str_int(S("10000000000000000000"), &v));
    assert_false(str_int(S(""), &v));
    assert_false(str_int(S("-"), &v));
    assert_false(str_int(S("1.0"), &v));
    assert_false(str_int(S("0x1"), &v));
}

/* Where a text does not fit, memory is out; so one fits that takes all there is. */
static void test_printf(void **state)
{
    (void)state;
    char all[64];
    struct arena a = {.at = all, .end = all + sizeof all};
    struct str first = str_printf(&a, "%d|%s", 12, "x");
    struct str none = str_printf(&a, "%s", "");
    struct str rest = str_printf(&a, "%0*d", (int)(a.end - a.at) - 1, 7);
    assert_true(str_eq(first, S("12|x")) && none.n == 0);
    assert_true(a.at == a.end && rest.p[rest.n - 1] == '7' && rest.p[0] == '0');
    static char large[(1 << 20) + 100]; /* more than is tried at once */
    struct arena b = {.at = large, .end = large + sizeof large};
    struct str zeros = str_printf(&b, "%0*d", (1 << 20) + 9, 7);
    assert_int_equal(zeros.n, (1 << 20) + 9);
    assert_true(zeros.p[0] == '0' && zeros.p[zeros.n - 1] == '7');
}

/* Texts that differ in one place fall apart, whatever their length and the place: no
 * two hashes alike, and no two alike in the low bits that a table looks at first. */
static void test_hashes_spread(void **state)
{
    (void)state;
    enum { N = 4096 };
    static uint64_t plain[N], table[N];
    char text[] =
        "void at::native::kernel<0000>(int, float, at::native::Functor<float>)";
    for (int length = 30; length < 70; length += 7) {
        int alike = 0;
        for (int i = 0; i < N; i++) {
            int at = 24 + i % 4 * (length - 28) / 4;
            struct str s = {text, length};
            char digits[5];
            snprintf(digits, sizeof digits, "%04x", (unsigned)i);
            memset(text + 24, 'x', sizeof text - 25);
            memcpy(text + at, digits, 4);
            plain[i] = str_hash(s);
            table[i] = str_table_hash(s);
            for (int k = 0; k < i; k++) {
                assert_true(plain[k] != plain[i]);
                assert_true(table[k] != table[i]);
                alike += (table[k] & 0xffff) == (table[i] & 0xffff);
            }
        }
        assert_in_range(alike, 60, 200); /* of 8.4 million pairs, 128 by chance */
    }
}

/* Pages are called by it: another value would be another name. */
static void test_hash_stays(void **state)
{
    (void)state;
    assert_true(str_hash(S("aten::mm")) == 0x5534e04604e6edf2u);
    assert_true(str_hash(S("")) == 0x4d0a2bbc5de25cfeu);
}

static void test_plural(void **state)
{
    (void)state;
    const int64_t many[] = {0, 2, -1, 11, 101, INT64_MAX};
    assert_string_equal(str_plural(1, "file differs", "files differ"), "file differs");
    for (size_t i = 0; i < sizeof many / sizeof *many; i++)
        assert_string_equal(str_plural(many[i], "file", "files"), "files");
}

static void test_capital(void **state)
{
    (void)state;
    struct arena a = arena_reserve(1 << 16);
    char *start = a.at;
    static const char *const cases[][2] = {
        {"in each step", "In each step"}, {"a", "A"},   {"GPU", "GPU"}, {"", ""},
        {"2 ranks", "2 ranks"},           {"µs", "µs"}, {"zz", "Zz"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(str_c(&a, str_capital(&a, str_of(cases[i][0]))),
                            cases[i][1]);
    arena_release(start, &a);
}

static void test_ordinal(void **state)
{
    (void)state;
    struct arena a = arena_reserve(1 << 16);
    char *start = a.at;
    static const struct {
        int64_t n;
        const char *want;
    } cases[] = {{1, "1st"},   {2, "2nd"},   {3, "3rd"},     {4, "4th"}, {11, "11th"},
                 {12, "12th"}, {21, "21st"}, {113, "113th"}, {0, "0th"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_true(str_eq(str_ordinal(&a, cases[i].n), str_of(cases[i].want)));
    arena_release(start, &a);
}

static void test_replaced(void **state)
{
    (void)state;
    struct arena a = arena_reserve(1 << 16);
    char *start = a.at;
    static const char *const cases[][4] = {{"a-b-a", "a", "xy", "xy-b-xy"},
                                           {"aaa", "aa", "b", "ba"},
                                           {"abc", "d", "e", "abc"},
                                           {"abc", "b", "", "ac"},
                                           {"", "b", "c", ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct str s = str_replaced(&a, str_of(cases[i][0]), str_of(cases[i][1]),
                                    str_of(cases[i][2]));
        assert_true(str_eq(s, str_of(cases[i][3])));
    }
    arena_release(start, &a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compare),    cmocka_unit_test(test_found_at_every_place),
        cmocka_unit_test(test_fits),       cmocka_unit_test(test_parts),
        cmocka_unit_test(test_integers),   cmocka_unit_test(test_plural),
        cmocka_unit_test(test_printf),     cmocka_unit_test(test_hashes_spread),
        cmocka_unit_test(test_hash_stays), cmocka_unit_test(test_taken_apart),
        cmocka_unit_test(test_ordinal),    cmocka_unit_test(test_capital),
        cmocka_unit_test(test_replaced),   cmocka_unit_test(test_one_of_several_words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
