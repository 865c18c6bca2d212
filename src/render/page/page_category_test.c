#include "render/page/page_category.c"

#include "render/page/site_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct arena a;
static struct report r;
static struct report_category *g;
static struct site site;
static const struct site_options no_options;
static struct category_page page;

static void begin(void)
{
    a = arena_reserve(1 << 24);
    r = case_report(&a);
    g = &r.categories[0];
    g->ops = NULL;
    g->n_ops = 0;
    site = (struct site){.r = &r, .o = &no_options, .perm = &a};
    page = (struct category_page){&site, &r, g, 0};
}

/* n operations of one category, of 1, 2, ... n ms. */
static void with_operations(int n)
{
    begin();
    r.ops = arena_new(&a, struct report_op, n);
    r.n_ops = g->n_ops = n;
    g->ops = case_ints(&a, 0, n);
    g->time_ms = n * (n + 1) / 2.0;
    for (int i = 0; i < n; i++) {
        r.ops[i] = op_case(S("aten::mm"), i + 1, 50);
        r.ops[i].category = 0;
        r.ops[i].id = str_printf(&a, "op-%08d", i);
    }
}

static double number(const cJSON *o, const char *key)
{
    const cJSON *v = cJSON_GetObjectItem(o, key);
    if (!cJSON_IsNumber(v))
        fail_msg("%s is no number", key);
    return v->valuedouble;
}

static int count_of(const cJSON *o, const char *key)
{
    return cJSON_GetArraySize(cJSON_GetObjectItem(o, key));
}

static cJSON *operations_of(int n)
{
    cJSON *c = json_new();
    with_operations(n);
    add_operations(c, &page, a);
    return c;
}

/* What is on no row is told in sum: 101 + 102 + 103 ms. */
static void rows_that_are_left_out_are_summed(void **state)
{
    (void)state;
    cJSON *c = operations_of(SITE_CATEGORY_ROWS + 3);
    assert_int_equal(count_of(c, "rows"), SITE_CATEGORY_ROWS);
    assert_int_equal((int)number(c, "left"), 3);
    assert_true(number(c, "rest_ms") == 306);
    assert_true(fabs(number(c, "rest_pct") - 100 * 306 / g->time_ms) < 1e-9);
    assert_true(cJSON_IsFalse(cJSON_GetObjectItem(c, "whole")));
    cJSON_Delete(c);
}

static void a_table_that_fits_is_whole(void **state)
{
    (void)state;
    cJSON *c = operations_of(SITE_CATEGORY_ROWS);
    assert_int_equal(count_of(c, "rows"), SITE_CATEGORY_ROWS);
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(c, "left")));
    assert_true(number(c, "rest_ms") == 0);
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(c, "whole")));
    cJSON_Delete(c);
}

static void kernels_that_are_left_out_are_summed(void **state)
{
    struct report_part parts[KERNELS_MAX + 2];
    (void)state;
    begin();
    for (int i = 0; i < KERNELS_MAX + 2; i++)
        parts[i] = (struct report_part){
            .name = S("k"), .kernel = -1, .total_ms = 100 + i, .count = 1};
    g->kernels = parts;
    g->n_kernels = KERNELS_MAX + 2;
    g->time_ms = 1000;
    cJSON *c = json_new();
    add_kernels(c, &page, a);
    const cJSON *kernels = cJSON_GetObjectItem(c, "kernels");
    assert_int_equal(count_of(kernels, "rows"), KERNELS_MAX);
    assert_int_equal((int)number(kernels, "left"), 2);
    assert_true(number(kernels, "rest_ms") == 150 + 151);
    assert_true(fabs(number(kernels, "rest_pct") - 30.1) < 1e-9);
    cJSON_Delete(c);
}

/* 22 chains, the longest first; the last two are only in the sum: 1 + 2 ms. */
static void callers_that_are_left_out_are_summed(void **state)
{
    enum { N = CALLERS_MAX + 2 };
    static struct str chains[N][2];
    (void)state;
    with_operations(N);
    for (int i = 0; i < N; i++) {
        chains[i][0] = S("ViT");
        chains[i][1] = str_printf(&a, "Layer<%d>", i);
        op_case_row(&r.ops[i])->module_chain = chains[i];
        op_case_row(&r.ops[i])->n_modules = 2;
    }
    cJSON *c = json_new();
    add_callers(c, &page, a);
    const cJSON *callers = cJSON_GetObjectItem(c, "callers"),
                *first = cJSON_GetObjectItem(callers, "rows")->child;
    assert_int_equal(count_of(callers, "rows"), CALLERS_MAX);
    assert_string_equal(cJSON_GetObjectItem(first, "module")->valuestring, "Layer<21>");
    assert_string_equal(cJSON_GetObjectItem(first, "chain")->valuestring, "ViT");
    assert_true(number(first, "time_ms") == N);
    assert_true(number(callers, "rest_ms") == 3);
    assert_int_equal((int)number(callers, "left"), 2);
    cJSON_Delete(c);
}

/* Operations below one path of modules are one caller. */
static void callers_are_whole_paths(void **state)
{
    static struct str one[] = {S_INIT("A"), S_INIT("Norm")},
                      two[] = {S_INIT("B"), S_INIT("Norm")};
    (void)state;
    with_operations(3);
    for (int i = 0; i < 3; i++) {
        op_case_row(&r.ops[i])->module_chain = i == 1 ? two : one;
        op_case_row(&r.ops[i])->n_modules = 2;
    }
    struct caller *list;
    assert_int_equal(collect_callers(&a, &page, &list), 2);
    assert_true(list[0].ms == 4 && list[0].operations == 2 && list[0].first == 0);
    assert_true(list[1].ms == 2 && list[1].operations == 1 && list[1].first == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_that_are_left_out_are_summed),
        cmocka_unit_test(a_table_that_fits_is_whole),
        cmocka_unit_test(kernels_that_are_left_out_are_summed),
        cmocka_unit_test(callers_that_are_left_out_are_summed),
        cmocka_unit_test(callers_are_whole_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
