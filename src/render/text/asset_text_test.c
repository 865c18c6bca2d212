#include "asset_text.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void lean_is(const char *script, const char *lean)
{
    struct out o;
    out_memory(&o);
    script_lean(&o, str_of(script));
    struct str got = out_view(&o);
    assert_int_equal(got.n, (ptrdiff_t)strlen(lean));
    assert_memory_equal(got.p, lean, (size_t)got.n);
    out_free(&o);
}

static void test_spaces_of_code_go(void **state)
{
    (void)state;
    lean_is("  var a = [1, 2], b = { c: a };\n", "var a=[1,2],b={c:a};\n");
    lean_is("if (a && !b) return a / b;\n\n", "if(a&&!b)return a/b;\n");
    lean_is("for (var k in all) delete all[k];\n", "for(var k in all)delete all[k];\n");
}

/* Two signs in a row would be another operator. */
static void test_signs_keep_their_spaces(void **state)
{
    (void)state;
    lean_is("x = a + +b - -c;\n", "x=a + +b - -c;\n");
}

static void test_texts_and_expressions_stay(void **state)
{
    (void)state;
    lean_is("say('a , b' + \"c = d\");\n", "say('a , b' + \"c = d\");\n");
    lean_is("say('it\\'s , so');\n", "say('it\\'s , so');\n");
    lean_is("ok = /[/ ,] = ( \\/ )/.test(a);\n", "ok=/[/ ,] = ( \\/ )/.test(a);\n");
    lean_is("return / = '/.test(a) ? b : c;\n", "return/ = '/.test(a)?b:c;\n");
    lean_is("half = (a + b) / 2, c = '/';\n", "half=(a + b)/2,c='/';\n");
}

static void test_comments_go(void **state)
{
    (void)state;
    lean_is("/* one\n * two */\nvar a; /* three */\n", "var a;\n");
    lean_is("var a = '/* no */';\n", "var a='/* no */';\n");
}

/* One comment behind a rule stays: it may be part of a value. */
static void test_a_style_sheet_keeps_its_rules(void **state)
{
    (void)state;
    struct out o;
    out_memory(&o);
    asset_lean(&o, S("/* one\n * two */\n\n  a { b: c; } /* d */\n"));
    assert_true(str_eq(out_view(&o), S("a { b: c; } /* d */\n")));
    out_free(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spaces_of_code_go),
        cmocka_unit_test(test_signs_keep_their_spaces),
        cmocka_unit_test(test_texts_and_expressions_stay),
        cmocka_unit_test(test_comments_go),
        cmocka_unit_test(test_a_style_sheet_keeps_its_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
