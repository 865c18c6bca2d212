#include "analysis/lua/lua_match.c"

#include "analysis/lua/lua_sandbox.h"
#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* A file that finds `want` in what match(s, p) returns, all values joined by '|'. */
static void matches(const char *s, const char *p, const char *want)
{
    struct lua_sandbox box;
    struct sandbox_error e;
    char text[400];
    snprintf(text, sizeof text,
             "local r = table.pack(string.match([==[%s]==], [==[%s]==]))\n"
             "for i = 1, r.n do r[i] = tostring(r[i]) end\n"
             "r = table.concat(r, '|') if r ~= [==[%s]==] then error(r, 0) end",
             s, p, want);
    lua_sandbox_open(&box, S("m"));
    if (!lua_sandbox_load(&box, str_of(text), &e))
        fail_msg("%s with %s: %s, not %s", s, p, e.text, want);
    lua_sandbox_close(&box);
}

static void malformed(const char *p)
{
    struct lua_sandbox box;
    struct sandbox_error e;
    char text[400];
    snprintf(text, sizeof text, "string.match('aaa', [==[%s]==])", p);
    lua_sandbox_open(&box, S("m"));
    assert_false(lua_sandbox_load(&box, str_of(text), &e));
    if (!strstr(e.text, "malformed pattern"))
        fail_msg("%s: %s", p, e.text);
    lua_sandbox_close(&box);
}

/* Expected values from the reference manual's rules, 6.4.1. */
static void classes_and_sets(void **state)
{
    (void)state;
    matches("Cijk_MT256x128x64", "MT(%d+)x(%d+)x(%d+)", "256|128|64");
    matches("a1 B_", "%a%d%s%u%p", "a1 B_");
    matches("ab12", "%D+", "ab");
    matches("x]y", "[]]", "]");
    matches("x-y", "[%-]", "-");
    matches("x^y", "[y^]", "^");
    matches("abc", "[^a-b]", "c");
    matches("a-z", "[a-]+", "a-");
    matches("0xFFg", "%x+g", "FFg");
    matches("A.b", ".%..", "A.b");
    matches("  trim  ", "^%s*(.-)%s*$", "trim");
    matches("abc", "d", "nil");
    matches("<a<<b2>", "<%a%d", "<b2");
    matches("a<", "<%a", "nil");
    matches("", "<", "nil");
    matches("bcabcb", "b?c", "bc");
    matches("bc", "x*c", "c");
    matches("a]b", "]b", "]b");
}

static void repetition(void **state)
{
    (void)state;
    matches("aaab", "a*b", "aaab");
    matches("aaab", "a-b", "aaab");
    matches("aaa", "a-", "");
    matches("aaab", "a+", "aaa");
    matches("b", "a+", "nil");
    matches("ab", "a?b", "ab");
    matches("b", "a?b", "b");
    matches("aXbXc", "(.*)X", "aXb");
    matches("aXbXc", "(.-)X", "a");
    matches("abc$", "c$$", "c$");
    matches("abc", "^b", "nil");
    matches("abc", "abc$", "abc");
}

static void captures(void **state)
{
    (void)state;
    matches("key=value", "(%w+)=(%w+)", "key|value");
    matches("abc", "()b()", "2|3");
    matches("((a)b)", "%((%((.)%).)%)", "(a)b|a");
    matches("say 'it'", "(['])(.-)%1", "'|it");
    matches("f(a(b)c)d", "%b()", "(a(b)c)");
    matches("f(a", "%b()", "nil");
    matches("THE (quick) fox", "%f[%a]%a+%f[%A]", "THE");
    matches("x fox", "%f[%w]fo", "fo");
}

static void malformed_ones(void **state)
{
    (void)state;
    static const char *const bad[] = {"%",   "[a", "[^",   "[%", "(a",   "a)", "%b",
                                      "%bx", "%f", "%f[a", "%1", "(%1)", "[]"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        malformed(bad[i]);
}

static void places(void **state)
{
    (void)state;
    struct lua_sandbox box;
    struct sandbox_error e;
    lua_sandbox_open(&box, S("m"));
    bool done = lua_sandbox_load(
        &box,
        S("local f = string.find\n"
          "local a, b, c = f('hello', 'l(l)') assert(a == 3 and b == 4 and c == 'l')\n"
          "assert(f('hello', 'l', -1) == nil and f('hello', 'l', -2) == 4)\n"
          "assert(f('hello', 'h', -99) == 1 and f('a.b', '.', 2, true) == 2)\n"
          "assert(f('abc', '', 4) == 4 and f('abc', '', 5) == nil)\n"
          "assert(f('a\\0b', '%z') == nil and f('a\\0b', 'b') == 3)\n"
          "assert(f('a\\0b', '[^a]') == 2 and f('', '') == 1 and f('', 'x') == nil)\n"
          "assert(f('xx', '', 1, true) == 1 and f('xyz', 'yz', 1, true) == 2)\n"),
        &e);
    if (!done)
        fail_msg("%s", e.text);
    lua_sandbox_close(&box);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_and_sets), cmocka_unit_test(repetition),
        cmocka_unit_test(captures),         cmocka_unit_test(malformed_ones),
        cmocka_unit_test(places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
