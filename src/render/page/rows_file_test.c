#include "rows_file.c"

#include "render/page/site_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct arena memory;

static struct site site_of(const struct report *r)
{
    struct arena tmp = arena_first_half(&memory);
    return (struct site){.r = r, .kernels = kernel_lines_make(&memory, tmp, r)};
}

/* The object behind the variable's name; the caller deletes it. */
static cJSON *object_of(void (*put)(struct out *, const struct site *, struct arena),
                        const struct report *r)
{
    struct out o;
    struct site s = site_of(r);
    out_memory(&o);
    put(&o, &s, memory);
    struct str script = out_text(&o, &memory), head = S("window.tracefolioRows=");
    assert_true(str_starts(script, head));
    assert_true(str_ends(script, S("};\n")));
    script = str_skip(str_head(script, script.n - 2), head.n);
    cJSON *parsed = cJSON_ParseWithLength(script.p, (size_t)script.n);
    assert_non_null(parsed);
    return parsed;
}

static const cJSON *row_at(const cJSON *object, int index)
{
    return cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(object, "rows"), index);
}

static const char *cell_at(const cJSON *row, int column)
{
    return cJSON_GetArrayItem(row, column)->valuestring;
}

static void cells_are_in_the_columns_of_the_page(void **state)
{
    (void)state;
    memory = arena_reserve(1 << 26);
    struct report r = case_report(&memory);
    struct work_row *first = op_case_row(&r.ops[0]);
    first->name = S("aten::mm");
    first->time_ms = 12.234567;
    first->efficiency.anomaly = true;
    first->efficiency.percent = 104.0;
    cJSON *all = object_of(rows_operations, &r);
    const cJSON *row = row_at(all, 0), *name = cJSON_GetArrayItem(row, 0);
    assert_int_equal(cJSON_GetArraySize(row), 19); /* heads of op_table.html, and two */
    assert_string_equal(cell_at(name, 0), "aten::mm");
    assert_string_equal(cell_at(name, 1), "");
    assert_string_equal(cell_at(name, 2), str_c(&memory, r.ops[0].id));
    assert_int_equal(cJSON_GetArrayItem(row, 1)->valueint, r.ops[0].category + 2);
    assert_string_equal(cell_at(row, 3), "12.23|12.234567");
    assert_string_equal(cell_at(row, 5), "104.0||⚠ above roof");
    assert_string_equal(cell_at(row, 17), "20.4"); /* of 60 ms: its category */
    assert_string_equal(cell_at(row, 18), "20.4");
    cJSON_Delete(all);
    all = object_of(rows_kernels, &r);
    assert_int_equal(cJSON_GetArraySize(row_at(all, 0)), 12); /* of kernels.html */
    cJSON_Delete(all);
}

static void long_names_give_way(void **state)
{
    (void)state;
    memory = arena_reserve(1 << 28);
    struct report r = case_report(&memory);
    enum { MANY = 400, LONG = 6000 };
    char *text = arena_new(&memory, char, LONG);
    for (int i = 0; i < LONG; i++)
        text[i] = "\xc3\xa9"[i % 2]; /* a cut may not fall inside */
    struct report_op *ops = arena_new(&memory, struct report_op, MANY);
    op_case_row(&r.ops[0])->name = (struct str){text, LONG};
    for (int i = 0; i < MANY; i++)
        ops[i] = r.ops[0];
    r.ops = ops;
    r.n_ops = MANY;
    struct out o;
    struct site s = site_of(&r);
    out_memory(&o);
    rows_operations(&o, &s, memory);
    assert_true(out_view(&o).n <= ROWS_BYTES_MAX);
    assert_false(str_has(out_view(&o), S("\xef\xbf\xbd")));
    assert_true(str_has(out_view(&o), S("é…")));
    out_free(&o);
}

static void hostile_names_stay_texts(void **state)
{
    (void)state;
    memory = arena_reserve(1 << 26);
    struct report r = case_report(&memory);
    op_case_row(&r.ops[0])->name =
        S("</script>eval(1) x.innerHTML https://h\xe2\x80\xa8\xe2\x80\xae");
    struct out o;
    struct site s = site_of(&r);
    out_memory(&o);
    rows_operations(&o, &s, memory);
    struct str script = out_view(&o);
    static const char *const never[] = {"</",     "eval(",        "innerHTML",
                                        "https:", "\xe2\x80\xa8", "\xe2\x80\xae"};
    for (size_t k = 0; k < sizeof never / sizeof *never; k++)
        assert_false(str_has(script, str_of(never[k])));
    out_free(&o);
    cJSON *all = object_of(rows_operations, &r);
    assert_string_equal(cell_at(cJSON_GetArrayItem(row_at(all, 0), 0), 0),
                        "</script>eval(1) x.innerHTML https://h\\u{2028}\\u{202e}");
    cJSON_Delete(all);
}

/* One page has all rows: nothing is written, and nothing asked for. */
static void whole_tables_need_no_file(void **state)
{
    (void)state;
    memory = arena_reserve(1 << 26);
    struct report r = case_report(&memory);
    assert_false(rows_wanted_operations(&r));
    assert_false(rows_wanted_kernels(&r));
    r.categories[0].n_ops = SITE_CATEGORY_ROWS + 1;
    assert_true(rows_wanted_operations(&r));
    r.n_kernels = SITE_TABLE_ROWS + 1;
    assert_true(rows_wanted_kernels(&r));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_in_the_columns_of_the_page),
        cmocka_unit_test(long_names_give_way),
        cmocka_unit_test(hostile_names_stay_texts),
        cmocka_unit_test(whole_tables_need_no_file)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
