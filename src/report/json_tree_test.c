#include "json_tree.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void check(cJSON *o, const char *want)
{
    char *text = cJSON_PrintUnformatted(o);
    assert_string_equal(text, want);
    cJSON_free(text);
    cJSON_Delete(o);
}

static void numbers_are_rounded_and_nan_is_null(void **state)
{
    (void)state;
    cJSON *o = cJSON_CreateObject();
    json_put_ms(o, "t_ms", 1.23456);
    json_put_us(o, "t_us", 24.165); /* halves away from zero on the decimal */
    json_put_pct(o, "share_pct", (double)NAN);
    json_put_number(o, "inf", (double)INFINITY, 2);
    json_put_count(o, "n", 123456789);
    check(o, "{\"t_ms\":1.235,\"t_us\":24.17,\"share_pct\":null,\"inf\":null,"
             "\"n\":123456789}");
}

static void a_nul_does_not_end_a_name(void **state)
{
    (void)state;
    cJSON *o = cJSON_CreateObject();
    json_put_text(o, "name", S("a\0b\0"));
    json_put_text(o, "empty", S(""));
    json_put_text_or_null(o, "none", S(""));
    struct str two[] = {S("x"), S("y")};
    json_put_texts(o, "list", two, 2);
    check(o, "{\"name\":\"a\xEF\xBF\xBD"
             "b\xEF\xBF\xBD\",\"empty\":\"\",\"none\":null,\"list\":[\"x\",\"y\"]}");
}

static void keys_are_sorted_at_every_level(void **state)
{
    (void)state;
    cJSON *o = cJSON_CreateObject();
    json_put_bool(o, "b", true);
    cJSON *list = json_put_array(o, "a");
    cJSON *row = json_push_object(list);
    json_put_count(row, "z", 1);
    json_put_count(row, "Z", 2); /* bytes: capitals first */
    json_put_null(row, "y");
    json_push_text(list, S("stays behind"));
    json_sort_keys(o);
    /* The list is still whole: something can be added behind. */
    json_put_count(row, "zz", 3);
    check(o, "{\"a\":[{\"Z\":2,\"y\":null,\"z\":1,\"zz\":3},\"stays behind\"],"
             "\"b\":true}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_rounded_and_nan_is_null),
        cmocka_unit_test(a_nul_does_not_end_a_name),
        cmocka_unit_test(keys_are_sorted_at_every_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
