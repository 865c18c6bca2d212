#include "json_value.c"

#include "base/out.h"
#include "base/python_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Every expectation is what Python 3.11 prints for repr(json.loads(text)), lists turned
 * into tuples where `tuple` is asked. NULL: an error. */
static void check(bool tuples, const char *json, const char *want)
{
    struct arena a = arena_reserve(1 << 20);
    char *start = a.at;
    struct out o;
    out_memory(&o);
    const struct value *v = json_value(&a, str_of(json));
    assert_int_equal(v->kind != VALUE_BROKEN, want != NULL);
    if (want)
        python_value(&o, v, tuples);
    else
        out_str(&o, (struct str){v->text, v->n});
    out_char(&o, '\0');
    assert_string_equal(out_view(&o).p, want ? want : json);
    out_free(&o);
    arena_release(start, &a);
}

static void test_lists(void **state)
{
    (void)state;
    check(false, "[[512],[141,512]]", "[[512], [141, 512]]");
    check(false, " [ [ ] , [ 1 ] ]\n", "[[], [1]]");
    check(false, "[\"\",\"0.\",\"True\"]", "['', '0.', 'True']");
    check(false, "[true,false,null]", "[True, False, None]");
    check(false, "[{\"a\":[1],\"b\":{}}]", "[{'a': [1], 'b': {}}]");
}

static void test_tuples(void **state)
{
    (void)state;
    check(true, "[[8,512],[],\"c10::Half\",null]", "((8, 512), (), 'c10::Half', None)");
    check(true, "[]", "()");
    check(true, "[1]", "(1,)");
    check(true, "[[[2]]]", "(((2,),),)");
    check(true, "[[1],[2]]", "((1,), (2,))");
    check(true, "[{\"a\":[1,[2]]},[3]]", "({'a': [1, [2]]}, (3,))");
}

static void test_scalars(void **state)
{
    (void)state;
    check(true, "17", "17");
    check(true, "\"x\"", "'x'");
    check(true, "null", "None");
}

/* 2^63 - 1 and 2^64 are beyond the 53 bits of a double. */
static void test_integers_keep_every_digit(void **state)
{
    (void)state;
    check(false, "[9223372036854775807,-9223372036854775808,18446744073709551616,-0]",
          "[9223372036854775807, -9223372036854775808, 18446744073709551616, 0]");
}

static void test_reals(void **state)
{
    (void)state;
    check(false, "[1.0,1e-9,7.2192e-05,1E16,1e15,-0.0,1e400,0.1]",
          "[1.0, 1e-09, 7.2192e-05, 1e+16, 1000000000000000.0, -0.0, inf, 0.1]");
    check(false, "[NaN,Infinity,-Infinity]", "[nan, inf, -inf]");
    /* 70 digits: longer than the buffer on the stack; 1/3 to that precision is 1/3. */
    check(false,
          "[0.33333333333333333333333333333333333333333333333333333333333333333333]",
          "[0.3333333333333333]");
}

static void test_quotes_and_escapes(void **state)
{
    (void)state;
    check(false, "[\"it's\"]", "[\"it's\"]");
    check(false, "[\"say \\\"hi\\\"\"]", "['say \"hi\"']");
    check(false, "[\"it's \\\"hi\\\"\"]", "['it\\'s \"hi\"']");
    check(false, "[\"\\u0027\"]", "[\"'\"]");
    check(false, "[\"a\\\\b\\/\\n\\t\\r\\b\\f\\u0000\\u007f\"]",
          "['a\\\\b/\\n\\t\\r\\x08\\x0c\\x00\\x7f']");
}

static void test_characters_beyond_ascii(void **state)
{
    (void)state;
    check(false, "[\"\\u00b5s \xC2\xB5s\"]", "['\xC2\xB5s \xC2\xB5s']");
    check(false, "[\"\\u00a0\\u00ad\\u200b\\u202e\\ufeff\"]",
          "['\\xa0\\xad\\u200b\\u202e\\ufeff']");
    check(false, "[\"\\ud83d\\ude00\"]", "['\xF0\x9F\x98\x80']");
    check(false, "[\"\\ud83d\", \"\\ude00x\", \"\\ud83d\\u0041\"]",
          "['\\ud83d', '\\ude00x', '\\ud83dA']");
    check(false, "[\"\\udbff\\udffd\"]", "['\\U0010fffd']"); /* private use */
    check(false, "[\"\xFF\"]", "['\xEF\xBF\xBD']");
}

static void test_what_is_not_json(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",          "[",           "]",      "[1,]",       "[,1]",  "[1 2]",
        "[1}",       "{\"a\"}",     "{1:2}",  "{\"a\":1,}", "[01]",  "[1.]",
        "[.5]",      "[1e]",        "[+1]",   "[-]",        "[tru]", "[\"a]",
        "[\"\\x\"]", "[\"\\u12\"]", "[\"\\",  "[1]]",       "[1] 2", "[\"\n\"]",
        "['a']",     "nul",         "[-Inf]", "{\"a\":}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        check(false, bad[i], NULL);
        check(true, bad[i], NULL);
    }
}

static void test_depth(void **state)
{
    (void)state;
    char json[2 * VALUE_DEPTH + 3];
    memset(json, '[', VALUE_DEPTH);
    memset(json + VALUE_DEPTH, ']', VALUE_DEPTH);
    json[2 * VALUE_DEPTH] = '\0';
    check(false, json, json); /* prints as it is read */
    memset(json, '[', VALUE_DEPTH + 1);
    memset(json + VALUE_DEPTH + 1, ']', VALUE_DEPTH + 1);
    json[2 * VALUE_DEPTH + 2] = '\0';
    check(false, json, NULL);
    char million[1000000];
    memset(million, '[', sizeof million);
    struct arena a = arena_reserve(1 << 20);
    char *start = a.at;
    const struct value *v = json_value(&a, (struct str){million, sizeof million});
    assert_int_equal(v->kind, VALUE_BROKEN);
    assert_in_range(a.at - start, sizeof *v, 4 * sizeof *v); /* and guards */
    arena_release(start, &a);
}

static void test_string_of_a_name(void **state)
{
    (void)state;
    struct out o;
    out_memory(&o);
    python_string(&o, S("a\0b\x80'\\\xE2\x80\xAE"));
    assert_true(str_eq(out_view(&o), S("\"a\\x00b\xEF\xBF\xBD'\\\\\\u202e\"")));
    out_free(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_tuples),
        cmocka_unit_test(test_scalars),
        cmocka_unit_test(test_integers_keep_every_digit),
        cmocka_unit_test(test_reals),
        cmocka_unit_test(test_quotes_and_escapes),
        cmocka_unit_test(test_characters_beyond_ascii),
        cmocka_unit_test(test_what_is_not_json),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_string_of_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
