#include "render/page/page_kernels.c"

#include "render/page/site_case.h"
#include "render/text/theme.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/near_case.h"

static struct arena a;
static struct report r;
static struct site site;
static const struct site_options no_options;
static const struct theme no_theme;
static const struct chart_files no_charts;

/* n kernels, the longest first, which are launched n, ..., 2, 1 times but that the
 * first and the last have each other's; each has 1 % of the time. */
static void with_kernels(int n)
{
    a = arena_reserve(1 << 24);
    r = case_report(&a);
    r.kernels = arena_new(&a, struct report_kernel, n);
    r.n_kernels = n;
    for (int i = 0; i < n; i++)
        r.kernels[i] = (struct report_kernel){.id = str_printf(&a, "k-%08d", i),
                                              .name = str_printf(&a, "kernel_%d", i),
                                              .work = WORK_GEMM,
                                              .count = i == 0       ? 1
                                                       : i == n - 1 ? n
                                                                    : n - i,
                                              .total_ms = n - i,
                                              .share_pct = 1};
    site = (struct site){.r = &r,
                         .o = &no_options,
                         .theme = &no_theme,
                         .charts = &no_charts,
                         .perm = &a};
    struct arena tmp = arena_first_half(&a);
    site.kernels = kernel_lines_make(&a, tmp, &r);
}

static double number(const cJSON *o, const char *key)
{
    const cJSON *v = cJSON_GetObjectItem(o, key);
    if (!cJSON_IsNumber(v))
        fail_msg("%s is no number", key);
    return v->valuedouble;
}

/* Which kernel a row is of, by its link. */
static int kernel_of(const cJSON *row)
{
    const char *href = context_get(row, "href")->valuestring, *at = strstr(href, "#k-");
    assert_non_null(at);
    return (int)strtol(at + 3, NULL, 10);
}

static const cJSON *rows_of(const cJSON *c, int n)
{
    const cJSON *rows = cJSON_GetObjectItem(c, "rows");
    assert_int_equal(cJSON_GetArraySize(rows), n);
    return rows->child;
}

/* 12 kernels of 12, 11, ... 1 launches: the first ten lack 2 and 1. */
static void the_most_launched_are_first_and_summed(void **state)
{
    enum { N = 12, ALL = N * (N + 1) / 2, LEAST_TWO = 2 + 1 };
    (void)state;
    with_kernels(N);
    cJSON *c = by_count_of(&site, a);
    const cJSON *row = rows_of(c, N);
    for (int k = 0; k < N; k++, row = row->next)
        assert_int_equal(kernel_of(row), k == 0 ? N - 1 : k == N - 1 ? 0 : k);
    assert_int_equal((int)number(c, "first"), FIRST);
    assert_int_equal((int)number(c, "launches"), ALL);
    assert_near(number(c, "most_pct"), 100.0 * (ALL - LEAST_TWO) / (double)ALL, 1e-9);
    assert_true(number(c, "left_launches") == 0);
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(c, "whole")));
    cJSON_Delete(c);
}

/* Three kernels are on no row: those of 3, 2 and 1 launches. */
static void launches_that_are_left_out_are_summed(void **state)
{
    (void)state;
    with_kernels(SITE_COUNT_ROWS + 3);
    cJSON *c = by_count_of(&site, a);
    (void)rows_of(c, SITE_COUNT_ROWS);
    assert_true(number(c, "left") == 3);
    assert_true(number(c, "left_launches") == 6);
    assert_true(cJSON_IsFalse(cJSON_GetObjectItem(c, "whole")));
    cJSON_Delete(c);
}

/* The first ten in sum; work of before the recording is no part of them. */
static void the_longest_are_first_and_summed(void **state)
{
    (void)state;
    with_kernels(SITE_TABLE_ROWS + 5);
    r.kernels[1].backlog = true;
    for (int part = 1; part <= 2; part++) {
        cJSON *c = part_of(&site, part, a);
        const cJSON *row = rows_of(c, part == 1 ? SITE_TABLE_ROWS : 5);
        assert_int_equal(kernel_of(row), (part - 1) * SITE_TABLE_ROWS);
        assert_true(number(c, "first_pct") == FIRST - 1);
        assert_true(number(c, "backlog") == 1);
        assert_true(number(c, "n_kernels") == SITE_TABLE_ROWS + 5);
        cJSON_Delete(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_most_launched_are_first_and_summed),
        cmocka_unit_test(launches_that_are_left_out_are_summed),
        cmocka_unit_test(the_longest_are_first_and_summed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
