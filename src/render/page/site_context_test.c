#include "render/page/site_context.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"

/* n letters, or n bytes of letters of two bytes each. */
static struct str letters(int n, const char *letter)
{
    struct str one = str_of(letter);
    char *p = arena_new(&a, char, n);
    for (int i = 0; i < n; i++)
        p[i] = one.p[i % one.n];
    return (struct str){p, n};
}

static cJSON *rows_of(int n, struct str name)
{
    cJSON *c = json_new(), *rows = json_put_array(c, "rows");
    for (int i = 0; i < n; i++)
        json_row(rows, context_name("label", name), M("name", name), M("n", i));
    return c;
}

static const char *text_at(const cJSON *c, int row, const char *key)
{
    const cJSON *rows = cJSON_GetObjectItem(c, "rows");
    return cJSON_GetObjectItem(cJSON_GetArrayItem(rows, row), key)->valuestring;
}

/* 64 names of 4,000 bytes are twice what a page has room for; those of the trace are
 * cut, under whatever key, and our own texts are not. */
static void names_of_the_trace_are_cut(void **state)
{
    (void)state;
    cJSON *c = rows_of(64, letters(4000, "k"));
    fit_names(c);
    for (int i = 0; i < 64; i++) {
        assert_in_range(strlen(text_at(c, i, "label")), NAME_LEAST,
                        HTML_NAME_BYTES_MAX / 2);
        assert_string_equal(text_at(c, i, "label") + strlen(text_at(c, i, "label")) - 3,
                            "…");
        assert_int_equal(strlen(text_at(c, i, "name")), 4000);
    }
    cJSON_Delete(c);
}

static void names_that_fit_stay(void **state)
{
    (void)state;
    cJSON *c = rows_of(16, letters(4000, "k"));
    fit_names(c);
    for (int i = 0; i < 16; i++)
        assert_int_equal(strlen(text_at(c, i, "label")), 4000);
    cJSON_Delete(c);
}

/* A letter of two bytes is whole or not there. */
static void letters_are_not_cut(void **state)
{
    (void)state;
    cJSON *c = rows_of(1000, letters(4000, "é"));
    fit_names(c);
    const char *cut = text_at(c, 999, "label");
    size_t n = strlen(cut) - 3;
    assert_in_range(n, NAME_LEAST - 5, NAME_LEAST - 3);
    assert_int_equal(n % 2, 0);
    cJSON_Delete(c);
}

/* '<' is four bytes and more in a page, so that half as many names of it fit. */
static void what_is_escaped_counts_more(void **state)
{
    (void)state;
    cJSON *plain = rows_of(20, letters(4000, "k")),
          *marks = rows_of(20, letters(4000, "<"));
    fit_names(plain);
    fit_names(marks);
    assert_int_equal(strlen(text_at(plain, 0, "label")), 4000);
    assert_in_range(strlen(text_at(marks, 0, "label")), NAME_LEAST,
                    HTML_NAME_BYTES_MAX / 2);
    cJSON_Delete(plain);
    cJSON_Delete(marks);
}

static void a_row_that_is_lent_is_cut_once(void **state)
{
    (void)state;
    cJSON *c = rows_of(64, letters(4000, "k")), *again = json_put_array(c, "again");
    context_push_ref(again, cJSON_GetArrayItem(cJSON_GetObjectItem(c, "rows"), 0));
    fit_names(c);
    fit_names(c);
    assert_in_range(strlen(text_at(c, 0, "label")), NAME_LEAST,
                    HTML_NAME_BYTES_MAX / 2);
    cJSON_Delete(c);
}

static double number(const cJSON *o, const char *key)
{
    const cJSON *v = cJSON_GetObjectItem(o, key);
    if (!cJSON_IsNumber(v))
        fail_msg("%s is no number", key);
    return v->valuedouble;
}

/* 450 rows of 180 a page, and 10 that are on no page: told on the last. */
static void pages_of_a_table_know_their_rows(void **state)
{
    static const int want[][3] = {{1, 180, 0}, {181, 360, 0}, {361, 450, 10}};
    (void)state;
    for (int part = 1; part <= 3; part++) {
        cJSON *c = json_new();
        ctx_pager(c, "operations", part, 450, 10, 12.5, a);
        const cJSON *pager = cJSON_GetObjectItem(c, "pager");
        assert_true(cJSON_IsFalse(cJSON_GetObjectItem(c, "whole")));
        assert_true(number(pager, "first") == want[part - 1][0]);
        assert_true(number(pager, "last") == want[part - 1][1]);
        assert_true(number(pager, "n") == 460);
        assert_true(!cJSON_GetObjectItem(pager, "previous") == (part == 1));
        assert_true(!cJSON_GetObjectItem(pager, "next") == (part == 3));
        assert_true(cJSON_IsNull(cJSON_GetObjectItem(pager, "unlisted")) == (part < 3));
        cJSON_Delete(c);
    }
}

static void a_table_of_one_page_has_no_pager(void **state)
{
    (void)state;
    cJSON *c = json_new();
    ctx_pager(c, "operations", 1, SITE_TABLE_ROWS, 0, 0, a);
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(c, "whole")));
    assert_null(cJSON_GetObjectItem(c, "pager"));
    cJSON_Delete(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_the_trace_are_cut),
        cmocka_unit_test(names_that_fit_stay),
        cmocka_unit_test(letters_are_not_cut),
        cmocka_unit_test(what_is_escaped_counts_more),
        cmocka_unit_test(a_row_that_is_lent_is_cut_once),
        cmocka_unit_test(pages_of_a_table_know_their_rows),
        cmocka_unit_test(a_table_of_one_page_has_no_pager),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
