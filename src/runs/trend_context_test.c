#include "runs/trend_context.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena_case.h"
#include "base/near_case.h"

enum { MOST = 70 };

static struct run_row rows[MOST];

/* n runs of total_ns[i], the oldest first, a day apart from 2026-01-01 on. */
static const struct run_row *series(int n, const double *total_ns)
{
    for (int i = 0; i < n; i++) {
        struct run_row *r = &rows[n - 1 - i];
        struct str doc = str_printf(&a,
                                    "{\"window\":{\"total_ns\":%.17g,\"busy_pct\":50,"
                                    "\"busy_ns\":0},\"categories\":[{\"slug\":\"gemm\","
                                    "\"label\":\"GEMM <1>\",\"kernel_sum_ns\":%d}]}",
                                    total_ns[i], 100 + i);
        cJSON *summary = cJSON_Parse(str_c(&a, doc));
        assert_non_null(summary);
        *r = (struct run_row){
            .folder = S("run-1"),
            .series = S("s"),
            .label = str_printf(&a, "run %d", i),
            .when = str_printf(&a, "2026-%02d-%02dT00:00:00Z", 1 + i / 28, 1 + i % 28)};
        run_keep(&a, r, summary);
        cJSON_Delete(summary);
    }
    return rows;
}

static double at(const cJSON *o, const char *key)
{
    const cJSON *v = cJSON_GetObjectItem(o, key);
    if (!cJSON_IsNumber(v))
        fail_msg("%s is no number", key);
    return v->valuedouble;
}

static const cJSON *list_of(const cJSON *o, const char *key)
{
    return cJSON_GetObjectItem(o, key);
}

static void scales_end_at_round_numbers(void **state)
{
    static const double cases[][2] = {{1, 1},    {1.01, 2},  {2, 2},       {3, 5},
                                      {5.1, 10}, {390, 500}, {0.03, 0.05}, {1e9, 1e9}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_true(fabs(round_up(cases[i][0]) / cases[i][1] - 1) < 1e-9);
}

static void a_chart_is_drawn_to_scale(void **state)
{
    static const double totals[] = {100, 200, 400};
    (void)state;
    cJSON *c = chart(&a, series(3, totals), 3, "window.total_ns", TREND_WALL, S(""));
    const cJSON *points = list_of(c, "points"), *grid = list_of(c, "grid");
    assert_int_equal(cJSON_GetArraySize(points), 3);
    /* 500 ns at the top, 14 px; 0 at the bottom, 154 px. */
    assert_near(at(cJSON_GetArrayItem(grid, 0), "y"), 154, 0.01);
    assert_near(at(cJSON_GetArrayItem(grid, 2), "y"), 14, 0.01);
    assert_near(at(cJSON_GetArrayItem(grid, 2), "value"), 500, 1e-9);
    static const double x[] = {66, 267, 468}, y[] = {126, 98, 42};
    for (int i = 0; i < 3; i++) { /* the oldest first */
        assert_near(at(cJSON_GetArrayItem(points, i), "value"), totals[i], 1e-9);
        assert_near(at(cJSON_GetArrayItem(points, i), "x"), x[i], 0.01);
        assert_near(at(cJSON_GetArrayItem(points, i), "y"), y[i], 0.01);
    }
    assert_string_equal(list_of(c, "line")->valuestring,
                        "66.0,126.0 267.0,98.0 468.0,42.0");
    assert_string_equal(list_of(c, "first")->valuestring, "2026-01-01");
    assert_string_equal(list_of(c, "last")->valuestring, "2026-01-03");
    cJSON_Delete(c);
}

/* 5 s, not "5000.0 ms", which the margin cuts. */
static void an_axis_has_a_unit_with_few_digits(void **state)
{
    static const double totals[] = {2e6, 2.3e9};
    (void)state;
    cJSON *c = chart(&a, series(2, totals), 2, "window.total_ns", TREND_WALL, S(""));
    assert_string_equal(list_of(c, "of_axis")->valuestring, " s");
    assert_near(at(cJSON_GetArrayItem(list_of(c, "grid"), 1), "value"), 2.5, 1e-9);
    cJSON_Delete(c);
}

static void percentages_are_of_a_hundred(void **state)
{
    static const double totals[] = {1, 1};
    (void)state;
    cJSON *c = chart(&a, series(2, totals), 2, "window.busy_pct", TREND_WALL, S(""));
    assert_true(cJSON_IsTrue(list_of(c, "is_pct")));
    assert_near(at(cJSON_GetArrayItem(list_of(c, "grid"), 2), "value"), 100, 1e-9);
    assert_near(at(cJSON_GetArrayItem(list_of(c, "points"), 0), "y"), 84, 0.01);
    cJSON_Delete(c);
}

/* Bytes as GiB, on a scale of their own. */
static void other_units_have_their_name(void **state)
{
    static const double totals[] = {3e9, 6e9};
    (void)state;
    cJSON *c =
        chart(&a, series(2, totals), 2, "window.total_ns", TREND_DEVICE, S("GiB"));
    assert_string_equal(list_of(c, "unit")->valuestring, "GiB");
    assert_near(at(cJSON_GetArrayItem(list_of(c, "points"), 1), "value"),
                6e9 / (1 << 30), 1e-9);
    assert_near(at(cJSON_GetArrayItem(list_of(c, "grid"), 2), "value"), 10, 1e-9);
    cJSON_Delete(c);
}

/* Of no run, or of 0 in all of them. */
static void a_figure_that_is_not_there_has_no_chart(void **state)
{
    static const double totals[] = {1, 2};
    (void)state;
    assert_null(chart(&a, series(2, totals), 2, "window.idle_ns", TREND_WALL, S("")));
    assert_null(chart(&a, series(2, totals), 2, "window.busy_ns", TREND_DEVICE, S("")));
}

/* 66 runs: the last 60 are points, the six before them a range of one month. */
static void older_runs_are_ranges_of_months(void **state)
{
    double totals[66];
    (void)state;
    for (int i = 0; i < 66; i++)
        totals[i] = i == 3 ? 90 : 100 + i;
    cJSON *c = chart(&a, series(66, totals), 66, "window.total_ns", TREND_WALL, S(""));
    const cJSON *ranges = list_of(c, "ranges"), *range = cJSON_GetArrayItem(ranges, 0);
    assert_int_equal(cJSON_GetArraySize(list_of(c, "points")), TREND_POINTS);
    assert_int_equal(cJSON_GetArraySize(ranges), 1);
    assert_string_equal(list_of(range, "month")->valuestring, "2026-01");
    assert_true(at(range, "runs") == 6);
    assert_true(at(range, "low") == 90);
    assert_true(at(range, "high") == 105);
    cJSON_Delete(c);
}

/* Twice as long after ten alike: up by 100 %, and counted. */
static void a_change_is_marked(void **state)
{
    double totals[11];
    (void)state;
    for (int i = 0; i < 11; i++)
        totals[i] = i == 10 ? 200e6 : 100e6;
    cJSON *c = chart(&a, series(11, totals), 11, "window.total_ns", TREND_WALL, S(""));
    const cJSON *change =
        list_of(cJSON_GetArrayItem(list_of(c, "points"), 10), "change");
    assert_true(cJSON_IsTrue(list_of(change, "up")));
    assert_near(at(change, "pct"), 100, 1e-9);
    assert_true(at(c, "n_changes") == 1);
    assert_true(
        cJSON_IsNull(list_of(cJSON_GetArrayItem(list_of(c, "points"), 9), "change")));
    cJSON_Delete(c);
}

static void a_series_has_charts_of_its_figures_and_categories(void **state)
{
    static const double totals[] = {100, 110};
    (void)state;
    cJSON *c = trend_context(&a, series(2, totals), 2, 4);
    const cJSON *charts = list_of(c, "charts"), *last = cJSON_GetArrayItem(charts, 1);
    assert_int_equal(cJSON_GetArraySize(charts), 2); /* total, and one category */
    assert_true(
        cJSON_IsTrue(list_of(list_of(cJSON_GetArrayItem(charts, 0), "of"), "total")));
    assert_string_equal(list_of(last, "label")->valuestring, "GEMM <1>");
    assert_true(at(last, "number") == 2 && at(last, "series") == 4);
    cJSON_Delete(c);
}

/* Of the newest run's collectives those that are not small, four at most; runs without
 * one have no point of it. */
static void collectives_are_followed_by_size(void **state)
{
    static const double totals[] = {1, 1, 1};
    (void)state;
    series(3, totals);
    for (int i = 0; i < 3; i++) {
        struct str sizes = S("");
        for (int k = 0; k < (i == 1 ? 0 : 6); k++)
            sizes = str_printf(&a,
                               "%.*s%s{\"slug\":\"all-reduce-%d-4\",\"kind\":"
                               "\"all-reduce\",\"bytes\":%d,\"ranks\":4,"
                               "\"bus_gb_per_s\":%d,\"small\":%s}",
                               STRF(sizes), k ? "," : "", k + 1, k + 1,
                               100 + 10 * i + k, k == 1 ? "true" : "false");
        struct str doc =
            str_printf(&a,
                       "{\"window\":{\"total_ns\":1},\"collectives\":{\"sizes\":"
                       "[%.*s]},\"categories\":[]}",
                       STRF(sizes));
        cJSON *summary = cJSON_Parse(str_c(&a, doc));
        assert_non_null(summary);
        rows[i].n_categories = rows[i].n_sizes = 0;
        run_keep(&a, &rows[i], summary);
        cJSON_Delete(summary);
    }
    cJSON *c = trend_context(&a, rows, 3, 1);
    const cJSON *charts = list_of(c, "charts");
    assert_int_equal(cJSON_GetArraySize(charts), 1 + 4); /* and the total */
    static const int want[] = {1, 3, 4, 5};
    for (int k = 0; k < 4; k++) {
        const cJSON *one = cJSON_GetArrayItem(charts, 1 + k);
        const cJSON *points = list_of(one, "points");
        assert_true(cJSON_IsTrue(list_of(list_of(one, "of"), "size")));
        assert_string_equal(list_of(one, "unit")->valuestring, "GB/s");
        assert_true(at(one, "bytes") == want[k] && at(one, "ranks") == 4);
        assert_int_equal(cJSON_GetArraySize(points), 2);
        assert_true(at(cJSON_GetArrayItem(points, 1), "value") == 99 + want[k]);
        assert_true(at(cJSON_GetArrayItem(points, 0), "value") == 119 + want[k]);
    }
    cJSON_Delete(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scales_end_at_round_numbers),
        cmocka_unit_test(a_chart_is_drawn_to_scale),
        cmocka_unit_test(an_axis_has_a_unit_with_few_digits),
        cmocka_unit_test(percentages_are_of_a_hundred),
        cmocka_unit_test(other_units_have_their_name),
        cmocka_unit_test(a_figure_that_is_not_there_has_no_chart),
        cmocka_unit_test(older_runs_are_ranges_of_months),
        cmocka_unit_test(a_change_is_marked),
        cmocka_unit_test(a_series_has_charts_of_its_figures_and_categories),
        cmocka_unit_test(collectives_are_followed_by_size),
    };
    int failed = cmocka_run_group_tests(tests, set_up, tear_down);
    return failed;
}
