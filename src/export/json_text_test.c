#include "json_text.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void check_string(struct str s, const char *want, const char *want_script)
{
    struct out o;
    out_memory(&o);
    put_string(&o, s, false);
    out_char(&o, '\0');
    assert_string_equal(out_view(&o).p, want);
    o.n = 0;
    json_script_string(&o, s);
    out_char(&o, '\0');
    assert_string_equal(out_view(&o).p, want_script);
    out_free(&o);
}

static void test_strings(void **state)
{
    (void)state;
    check_string(S("a\"b\\c/"), "\"a\\\"b\\\\c/\"", "\"a\\\"b\\\\c/\"");
    check_string(S("\b\t\n\v\f\r\0\x1f\x7f"),
                 "\"\\b\\t\\n\\u000b\\f\\r\\u0000\\u001f\\u007f\"",
                 "\"\\b\\t\\n\\u000b\\f\\r\\u0000\\u001f\\u007f\"");
    check_string(S("</script>&"), "\"</script>&\"", "\"\\u003c/script\\u003e\\u0026\"");
    check_string(S("x\xE2\x80\xA8\xE2\x80\xA9y"), "\"x\\u2028\\u2029y\"",
                 "\"x\\u2028\\u2029y\"");
    check_string(S("\xC2\xB5\xF0\x9F\x98\x80"), "\"\xC2\xB5\xF0\x9F\x98\x80\"",
                 "\"\xC2\xB5\xF0\x9F\x98\x80\"");
    check_string(S("\xED\xA0\x80"), /* a surrogate: three broken bytes */
                 "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"",
                 "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");
    check_string(S(""), "\"\"", "\"\"");
}

static void check_real(double v, const char *want)
{
    struct out o;
    out_memory(&o);
    put_real(&o, v);
    out_char(&o, '\0');
    assert_string_equal(out_view(&o).p, want);
    out_free(&o);
}

static void test_numbers(void **state)
{
    (void)state;
    check_real(12.0, "12");
    check_real(-3.0, "-3");
    check_real(0.1, "0.1");
    check_real(1e-9, "1e-09");
    check_real(9007199254740991.0, "9007199254740991"); /* 2^53 - 1 */
    check_real(1e300, "1e+300");
    check_real((double)NAN, "null");
    check_real(-(double)INFINITY, "null");
}

static void check_tree(const char *json, enum json_use use, const char *want)
{
    cJSON *tree = cJSON_Parse(json);
    assert_non_null(tree);
    struct out o;
    out_memory(&o);
    json_tree(&o, tree, use);
    out_char(&o, '\0');
    assert_string_equal(out_view(&o).p, want);
    out_free(&o);
    cJSON_Delete(tree);
}

static void test_trees(void **state)
{
    (void)state;
    const char *json =
        "{\"z\":1,\"a\":[true,null,{\"<\":\"&\"},[]],\"e\":{},\"x\":1.5}";
    check_tree(json, JSON_FILE,
               "{\n"
               "  \"z\": 1,\n"
               "  \"a\": [\n"
               "    true,\n"
               "    null,\n"
               "    {\n"
               "      \"<\": \"&\"\n"
               "    },\n"
               "    []\n"
               "  ],\n"
               "  \"e\": {},\n"
               "  \"x\": 1.5\n"
               "}\n");
    check_tree(
        json, JSON_LINE,
        "{\"z\": 1, \"a\": [true, null, {\"<\": \"&\"}, []], \"e\": {}, \"x\": 1.5}");
    check_tree(
        json, JSON_SCRIPT,
        "{\"z\":1,\"a\":[true,null,{\"\\u003c\":\"\\u0026\"},[]],\"e\":{},\"x\":1.5}");
    check_tree("[]", JSON_FILE, "[]\n");
    check_tree("\"s\"", JSON_LINE, "\"s\"");
}

/* What is printed reads back as the tree it was printed from, to cJSON's own depth. */
static void test_deepest(void **state)
{
    (void)state;
    char json[2 * CJSON_NESTING_LIMIT + 1];
    memset(json, '[', CJSON_NESTING_LIMIT);
    memset(json + CJSON_NESTING_LIMIT, ']', CJSON_NESTING_LIMIT);
    json[2 * CJSON_NESTING_LIMIT] = '\0';
    check_tree(json, JSON_LINE, json);
}

static void test_deeper_than_allowed(void **state)
{
    (void)state;
    cJSON *top = cJSON_CreateArray(), *at = top;
    for (int i = 0; i < CJSON_NESTING_LIMIT + 1; i++) {
        cJSON *inner = cJSON_CreateArray();
        cJSON_AddItemToArray(at, inner);
        at = inner;
    }
    struct out o;
    out_memory(&o);
    json_tree(&o, top, JSON_LINE);
    /* LIMIT '[' open, then null for what is deeper, then as many ']'. */
    assert_int_equal(out_view(&o).n, 2 * CJSON_NESTING_LIMIT + 4);
    assert_true(str_has(out_view(&o), S("[null]")));
    out_free(&o);
    cJSON_Delete(top);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_trees),
        cmocka_unit_test(test_deepest),
        cmocka_unit_test(test_deeper_than_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
