#include "report/job/job_pages.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"

/* One of each kind of cell. */
struct row {
    struct str name, page;
    int32_t rank;
    int64_t ns, bytes;
    double pct, rate;
};

TELL(struct str, twice, row,
     str_printf(in->tmp, "%d %s", 2 * it->rank, (const char *)in->whole));
COLUMNS(columns, row, {.title = "Name", .of = F(name, NAME)},
        {.title = "#Rank", .of = F(rank, NUMBER), .link = F(page, TEXT)},
        {.title = "#Time, ms", .of = F(ns, NS)},
        {.title = "#Bytes", .of = F(bytes, BYTES)},
        {.title = "#Part, %", .of = F(pct, PCT), .decimals = 1},
        {.title = "#Rate", .of = F(rate, RATE), .decimals = 2},
        {.title = "Twice", .of = CALL(twice, TEXT, twice)});
enum { COLUMNS_TOLD = 7 };

static struct job_document document;
static struct job_maker m;

static struct job_table *table(const struct row *rows, int n, int more)
{
    document = (struct job_document){0};
    m.perm = &a;
    m.d = &document;
    return job_table(&m, S("t"), "rows", columns(), ITEMS(rows, n), "times", more);
}

static void row_is(const struct job_table *t, int row, const char *const *want)
{
    for (int k = 0; k < COLUMNS_TOLD; k++)
        assert_text(job_cell(t, row, k)->text, want[k]);
}

static void a_column_is_told_once(void **state)
{
    static const struct row rows[] = {
        {S_INIT("a"), S_INIT("r/index.html"), 7, -1500000, INT64_C(12345678901), 25,
         -0.006},
        {S_INIT(""), S_INIT(""), 8, 499, -1, (double)NAN, -0.004},
        {S_INIT("b"), S_INIT(""), -1, 500, 0, -0.04, 12.5}};
    (void)state;
    const struct job_table *t = table(rows, 3, 0);
    assert_int_equal(t->n_columns, COLUMNS_TOLD);
    assert_text(t->columns[0].title, "Name");
    assert_false(t->columns[0].numeric);
    assert_text(t->columns[2].title, "Time, ms");
    assert_true(t->columns[2].numeric);
    row_is(t, 0,
           (const char *[]){"a", "7", "-1.500", "12345678901", "25.0", "-0.01",
                            "14 times"});
    row_is(t, 1, (const char *[]){"-", "8", "0.000", "-", "-", "0.00", "16 times"});
    row_is(t, 2, (const char *[]){"b", "-1", "0.001", "0", "0.0", "12.50", "-2 times"});
    assert_text(job_cell(t, 0, 1)->href, "r/index.html");
    assert_int_equal(job_cell(t, 1, 1)->href.n, 0);
    assert_int_equal(job_cell(t, 0, 0)->href.n, 0);
}

static void rows_that_are_left_out_are_counted(void **state)
{
    struct row *rows = arena_new(&a, struct row, JOB_TABLE_ROWS + 3);
    (void)state;
    const struct job_table *t = table(rows, JOB_TABLE_ROWS + 3, 0);
    assert_int_equal(t->n_rows, JOB_TABLE_ROWS);
    assert_int_equal(t->n_left_out, 3);
    assert_text(t->csv, "rows");
    assert_int_equal(table(rows, JOB_TABLE_ROWS, 0)->n_left_out, 0);
    m.rows_max = 2;
    t = table(rows, 5, 0);
    m.rows_max = 0;
    assert_int_equal(t->n_rows, 2);
    assert_int_equal(t->n_left_out, 3);
}

static void further_columns_follow(void **state)
{
    static const struct row one = {.name = S_INIT("a")};
    static const double parts[] = {0, 1, 50, 88, 100};
    static const int heats[] = {0, 0, 2, 4, 4};
    (void)state;
    struct job_table *t = table(&one, 1, 5);
    assert_int_equal(t->n_columns, COLUMNS_TOLD + 5);
    int at = job_title(t, 1, S("Step 2"));
    assert_int_equal(at, COLUMNS_TOLD + 1);
    assert_text(t->columns[at].title, "Step 2");
    assert_true(t->columns[at].numeric);
    job_heat(job_cell(t, 0, COLUMNS_TOLD), parts, 5, 100);
    for (int i = 0; i < 5; i++)
        assert_int_equal(job_cell(t, 0, COLUMNS_TOLD + i)->heat, heats[i]);
    job_heat(job_cell(t, 0, COLUMNS_TOLD), parts, 5, 0); /* nothing to compare with */
    assert_int_equal(job_cell(t, 0, COLUMNS_TOLD + 4)->heat, 4);
}

static void a_column_can_be_left_out(void **state)
{
    (void)state;
    struct told_columns c = columns_without(&a, columns(), 1);
    assert_int_equal(c.n, COLUMNS_TOLD - 1);
    assert_string_equal(c.all[0].title, "Name");
    assert_string_equal(c.all[1].title, "#Time, ms");
    assert_string_equal(c.all[5].title, "Twice");
}

static void what_has_one_name_is_together(void **state)
{
    (void)state;
    table(NULL, 0, 0);
    job_figure(&m, "t", (struct report_figure){.id = S("f")});
    job_figure(&m, "u", (struct report_figure){.id = S("g")});
    assert_int_equal(document.n_shown, 2);
    assert_non_null(document.shown[0].table);
    assert_text(document.shown[0].figure->id, "f");
    assert_null(document.shown[1].table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_column_is_told_once),
        cmocka_unit_test(rows_that_are_left_out_are_counted),
        cmocka_unit_test(further_columns_follow),
        cmocka_unit_test(a_column_can_be_left_out),
        cmocka_unit_test(what_has_one_name_is_together),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
