#include "render/page/page_roofline.c"

#include "render/page/site_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct arena a;
static struct report r;

/* n operations of a known rate, of n, ..., 2, 1 ms and of 1, 2, ... n per cent: of the
 * matrix units the first, of the vector units the second, and so on. */
static void with_points(int n)
{
    a = arena_reserve(1 << 24);
    r = case_report(&a);
    r.ops = arena_new(&a, struct report_op, n);
    r.n_ops = n;
    for (int i = 0; i < n; i++) {
        struct report_op *op = &r.ops[i];
        *op = op_case(S("aten::mm"), n - i, i + 1);
        op->id = str_printf(&a, "op-%08d", i);
        op->share_pct = 1;
        struct op_group *g = op_case_group(op);
        g->flop_per_byte = 100;
        g->tflop_per_s = 50;
        g->compute_spec = i % 2 ? S("vector_fp32") : S("matrix_bf16");
        op_case_row(op)->efficiency.bound = i % 2 ? BOUND_MEMORY : BOUND_COMPUTE;
    }
}

static double number(const cJSON *o, const char *key)
{
    const cJSON *v = cJSON_GetObjectItem(o, key);
    if (!cJSON_IsNumber(v))
        fail_msg("%s is no number", key);
    return v->valuedouble;
}

/* 4 ms at 1 %, 3 at 2, 2 at 3 and 1 at 4: each by its time. What is above the roof, or
 * of no known efficiency, counts for nothing. */
static void the_efficiency_is_of_what_is_below_the_roof(void **state)
{
    (void)state;
    with_points(4);
    assert_true(fabs(efficiency_of(&r) - (4 * 1 + 3 * 2 + 2 * 3 + 1 * 4) / 10.0) <
                1e-9);
    op_case_row(&r.ops[3])->efficiency.percent = 140;
    op_case_row(&r.ops[3])->efficiency.anomaly = true;
    op_case_row(&r.ops[0])->efficiency.percent = (double)NAN;
    assert_true(fabs(efficiency_of(&r) - (3 * 2 + 2 * 3) / 5.0) < 1e-9);
    op_case_group(&r.ops[1])->tflop_per_s = (double)NAN;
    assert_true(fabs(efficiency_of(&r) - 3) < 1e-9);
    op_case_group(&r.ops[2])->flop_per_byte = 0;
    assert_true(isnan(efficiency_of(&r)));
}

static void totals_are_of_the_set(void **state)
{
    (void)state;
    with_points(4);
    op_case_row(&r.ops[1])->efficiency.anomaly = true;
    static const struct {
        struct point_set set;
        struct totals want;
    } cases[] = {{{.spec = {NULL, 0}}, {4, 10, 4, 4, 6}},
                 {{.spec = S_INIT("matrix_bf16")}, {2, 6, 2, 0, 6}},
                 {{.spec = S_INIT("vector_fp32")}, {2, 4, 2, 4, 0}},
                 {{.above_only = true}, {1, 3, 1, 3, 0}}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct totals t = totals_of(&r, &cases[k].set), w = cases[k].want;
        assert_int_equal(t.n, w.n);
        assert_true(t.ms == w.ms && t.pct == w.pct && t.memory_ms == w.memory_ms &&
                    t.compute_ms == w.compute_ms);
    }
}

/* 63 points, of which 60 are rows: 3, 2 and 1 ms are not. */
static void points_that_are_left_out_are_summed(void **state)
{
    const struct point_set all = {0};
    (void)state;
    with_points(POINTS_MAX + 3);
    cJSON *o = json_new();
    add_points(o, &r, &all, a);
    const cJSON *points = cJSON_GetObjectItem(o, "points");
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(points, "rows")),
                     POINTS_MAX);
    assert_true(number(points, "left") == 3);
    assert_true(number(points, "rest_ms") == 6);
    cJSON_Delete(o);
}

static void each_peak_has_its_rate_and_points(void **state)
{
    static const struct {
        const char *name, *unit;
        double value, n;
    } want[] = {{"Memory bandwidth", "TB/s", 5.3, 5},
                {"Matrix bf16", "TFLOP/s", 708, 3},
                {"Vector fp32", "TFLOP/s", 81.7, 2}};
    (void)state;
    with_points(5);
    cJSON *c = json_new();
    add_peaks(c, &r, 5, a);
    const cJSON *row =
        cJSON_GetObjectItem(cJSON_GetObjectItem(c, "peaks"), "rows")->child;
    for (int k = 0; k < 3; k++, row = row->next) {
        assert_non_null(row);
        assert_string_equal(cJSON_GetObjectItem(row, "name")->valuestring,
                            want[k].name);
        assert_string_equal(cJSON_GetObjectItem(row, "unit")->valuestring,
                            want[k].unit);
        assert_true(number(row, "value") == want[k].value);
        assert_true(number(row, "n_ops") == want[k].n);
    }
    assert_null(row);
    cJSON_Delete(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_efficiency_is_of_what_is_below_the_roof),
        cmocka_unit_test(totals_are_of_the_set),
        cmocka_unit_test(points_that_are_left_out_are_summed),
        cmocka_unit_test(each_peak_has_its_rate_and_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
