#include "estimates_json.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct op_call_row call[4];
static struct op_group group[4];
static struct work_row row[4];
static struct analysis analysis;
static struct arena tmp;

static void set_row(int k, const char *op, const char *base, double pct,
                    double total_pct, const char *library)
{
    call[k] =
        (struct op_call_row){.name = str_of(op), .category = str_of(base), .uid = k};
    group[k] = (struct op_group){.first = &call[k],
                                 .roofline_pct = pct,
                                 .bound = isnan(pct) ? BOUND_NONE : BOUND_MEMORY};
    row[k] = (struct work_row){.group = &group[k],
                               .name = call[k].name,
                               .total_pct = total_pct,
                               .category = WORK_GEMM,
                               .library = str_of(library)};
}

static int set_up(void **state)
{
    (void)state;
    tmp = arena_reserve(1 << 20);
    analysis = (struct analysis){0};
    analysis.categories[WORK_GEMM] =
        (struct category_result){.category = WORK_GEMM, .rows = row, .n_rows = 4};
    return 0;
}

static cJSON *e_findings(void)
{
    return json_object(J("list", estimate_groups_json(tmp, &analysis, NULL)));
}

static double number(const cJSON *o, int k, const char *key)
{
    const cJSON *list = cJSON_GetObjectItem(o, "list");
    return cJSON_GetNumberValue(cJSON_GetObjectItem(cJSON_GetArrayItem(list, k), key));
}

static const char *text(const cJSON *o, int k, const char *key)
{
    const cJSON *list = cJSON_GetObjectItem(o, "list");
    return cJSON_GetStringValue(cJSON_GetObjectItem(cJSON_GetArrayItem(list, k), key));
}

/* High is the gap to the roof times the share: (1 - 0.2) 50 + (1 - 0.25) 8 = 46; middle
 * 0.875 and low 0.75 of it. Without a model 0.15, 0.30 and 0.45 of the share: 20. */
static void rows_are_grouped_by_band(void **state)
{
    (void)state;
    set_row(0, "aten::mm", "GEMM", 20, 50, "Tensile");
    set_row(1, "aten::bmm", "GEMM", 25, 8, "Tensile");
    set_row(2, "my::op", "other", (double)NAN, 20, "");
    set_row(3, "aten::mm", "GEMM", 104, 10, "Tensile"); /* above the roof: nothing */
    cJSON *o = e_findings();
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(o, "list")), 2);
    assert_string_equal(text(o, 0, "category"), "gemm");
    assert_string_equal(text(o, 0, "efficiency_band"), "0-30");
    assert_true(number(o, 0, "high") == 46.0);
    assert_true(number(o, 0, "mid") == 40.25);
    assert_true(number(o, 0, "low") == 34.5);
    assert_string_equal(text(o, 1, "op"), "my::op");
    assert_true(number(o, 1, "low") == 3.0 && number(o, 1, "mid") == 6.0 &&
                number(o, 1, "high") == 9.0);
    cJSON_Delete(o);
}

/* Bands end at 30 and 60; a group below 0.5 % in the middle is dropped. */
static void edges_belong_to_the_upper_band(void **state)
{
    (void)state;
    set_row(0, "a", "GEMM", 30, 10, "");
    set_row(1, "b", "GEMM", 60, 10, "");
    set_row(2, "c", "GEMM", 29.99, 10, "");
    set_row(3, "d", "CONV_fwd", 50, 1, ""); /* middle 0.875 0.5 = 0.4375 */
    cJSON *o = e_findings();
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(o, "list")), 3);
    assert_string_equal(text(o, 0, "efficiency_band"), "0-30");
    assert_string_equal(text(o, 1, "efficiency_band"), "30-60");
    assert_string_equal(text(o, 2, "efficiency_band"), "60-100");
    cJSON_Delete(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_grouped_by_band),
        cmocka_unit_test(edges_belong_to_the_upper_band),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
