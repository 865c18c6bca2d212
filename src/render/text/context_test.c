#include "render/text/context.h"

#include "base/arena.h"
#include "render/text/seen.h"
#include "report/system_shown.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct arena memory;
static const struct idle_gap gap = {.start_us = 2000, .cause = S_INIT("a call")};
static const struct op_share share = {.count = 7, .total_us = 3000};

static double number(const cJSON *o, const char *key)
{
    cJSON room;
    struct seen root = seen_node(o), v = seen_member(&root, str_of(key));
    return seen_value(&v, &memory, &room)->valuedouble;
}

static bool is_there(const cJSON *o, const char *key)
{
    struct seen root = seen_node(o), v = seen_member(&root, str_of(key));
    return v.node || v.d || v.f;
}

/* What is put comes first, then what was lent before, whatever came first. */
static void test_lent_before_and_after(void **state)
{
    (void)state;
    cJSON *o = json_new();
    json_put(o, M("first", 1), M("second", 2));
    context_lend(o, shown_gap_fields(), &gap, NULL);
    json_put(o, M("length_ms", 5));
    context_lend(o, shown_share_fields(), &share, NULL);
    json_put(o, M("last", 6));
    assert_true(number(o, "first") == 1 && number(o, "second") == 2);
    assert_true(number(o, "last") == 6);
    assert_true(number(o, "start_ms") == 2 && number(o, "length_ms") == 5);
    assert_true(number(o, "total_ms") == 3 && number(o, "count") == 7);
    assert_false(is_there(o, "third"));
    cJSON_Delete(o);
}

static void test_get_skips_what_is_lent(void **state)
{
    (void)state;
    cJSON *o = context_lend(json_new(), shown_gap_fields(), &gap, NULL);
    json_put(o, M("number", 3));
    assert_true(context_get(o, "number")->valuedouble == 3);
    assert_null(context_get(o, "cause"));
    cJSON_Delete(o);
}

static void test_told_or_null(void **state)
{
    (void)state;
    cJSON *o = json_new();
    json_put(o, context_told("gap", shown_gap_fields(), &gap, NULL),
             context_told("none", shown_gap_fields(), NULL, NULL));
    assert_true(number(context_get(o, "gap"), "start_ms") == 2);
    assert_true(cJSON_IsNull(context_get(o, "none")));
    cJSON_Delete(o);
}

/* An item of another list has what is lent to that one, and does not free it. */
static void test_reference_to_what_lends(void **state)
{
    (void)state;
    cJSON *one = json_list(), *other = json_list();
    context_lend(context_push(one), shown_gap_fields(), &gap, NULL);
    context_push_ref(other, one->child);
    assert_true(number(other->child, "start_ms") == 2);
    cJSON_Delete(other);
    assert_true(number(one->child, "start_ms") == 2);
    cJSON_Delete(one);
}

static void test_names_are_marked(void **state)
{
    (void)state;
    cJSON *o = json_new();
    json_put(o, context_name("kernel", S("k\xff")), M("text", S("t")));
    assert_true(context_is_name(context_get(o, "kernel")));
    assert_false(context_is_name(context_get(o, "text")));
    assert_string_equal(context_get(o, "kernel")->valuestring, "k\xEF\xBF\xBD");
    cJSON_Delete(o);
}

static void test_lists_of_nothing_are_null(void **state)
{
    (void)state;
    struct str two[] = {S("a"), S("b")};
    cJSON *o = json_new(), *list = json_list();
    json_push_text(list, S("x"));
    json_put(o, context_items("none", two, 0), context_items("some", two, 2),
             context_listed("empty", json_list(), 4), context_listed("full", list, 4),
             context_some("zero", 0), context_some("one", 1));
    assert_true(cJSON_IsNull(context_get(o, "none")));
    assert_int_equal(cJSON_GetArraySize(context_get(context_get(o, "some"), "items")),
                     2);
    assert_true(cJSON_IsNull(context_get(o, "empty")));
    assert_true(number(context_get(o, "full"), "more") == 4);
    assert_true(cJSON_IsNull(context_get(o, "zero")) && number(o, "one") == 1);
    cJSON_Delete(o);
}

int main(void)
{
    memory = arena_reserve(1 << 16);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lent_before_and_after),
        cmocka_unit_test(test_get_skips_what_is_lent),
        cmocka_unit_test(test_told_or_null),
        cmocka_unit_test(test_reference_to_what_lends),
        cmocka_unit_test(test_names_are_marked),
        cmocka_unit_test(test_lists_of_nothing_are_null)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
