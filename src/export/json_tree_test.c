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
    json_put(o, J("t_ms", 1.23456), J("t_us", 24.165), /* halves away from zero */
             J("share_pct", (double)NAN), json_fixed("inf", (double)INFINITY, 2),
             J("n", 123456789));
    check(o, "{\"t_ms\":1.235,\"t_us\":24.17,\"share_pct\":null,\"inf\":null,"
             "\"n\":123456789}");
}

static void a_nul_does_not_end_a_name(void **state)
{
    (void)state;
    cJSON *o = cJSON_CreateObject();
    struct str two[] = {S("x"), S("y")};
    json_put(o, J("name", S("a\0b\0")), J("empty", S("")), json_opt("none", S("")),
             json_texts("list", two, 2));
    check(o, "{\"name\":\"a\xEF\xBF\xBD"
             "b\xEF\xBF\xBD\",\"empty\":\"\",\"none\":null,\"list\":[\"x\",\"y\"]}");
}

static void only_a_key_that_may_change_is_copied(void **state)
{
    (void)state;
    static const char *const listed[] = {"listed"};
    char made[] = "made";
    cJSON *o = json_object(J("literal", 1), J(listed[0], 2), J(made, 3));
    assert_true(o->child->type & cJSON_StringIsConst);
    made[0] = 'f';
    check(o, "{\"literal\":1,\"listed\":2,\"made\":3}");
}

static void keys_are_sorted_at_every_level(void **state)
{
    (void)state;
    cJSON *o = cJSON_CreateObject();
    json_put(o, json_bool("b", true));
    cJSON *list = json_put_array(o, "a");
    /* Bytes: capitals first. */
    cJSON *row = json_object(J("z", 1), J("Z", 2), json_null("y"));
    json_push(list, row);
    json_push_text(list, S("stays behind"));
    json_sort_keys(o);
    /* The list is still whole: something can be added behind. */
    json_put(row, J("zz", 3));
    check(o, "{\"a\":[{\"Z\":2,\"y\":null,\"z\":1,\"zz\":3},\"stays behind\"],"
             "\"b\":true}");
}

static void what_a_value_is_shows_in_its_type(void **state)
{
    (void)state;
    const char *words = "w";
    bool yes = true;
    check(json_object(J("bool", yes), J("words", words), J("no word", (char *)NULL),
                      J(NULL, json_list()), J("tree", json_object(J("n", INT64_MIN)))),
          "{\"bool\":true,\"words\":\"w\",\"no word\":\"\",\"tree\":{\"n\":"
          "-9.2233720368547758e+18}}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_rounded_and_nan_is_null),
        cmocka_unit_test(what_a_value_is_shows_in_its_type),
        cmocka_unit_test(a_nul_does_not_end_a_name),
        cmocka_unit_test(only_a_key_that_may_change_is_copied),
        cmocka_unit_test(keys_are_sorted_at_every_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
