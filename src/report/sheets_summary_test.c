#include "report/sheets_summary.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"

static struct op_tables tables;
static struct str kinds[] = {S_INIT("GEMM"), S_INIT("it's")};
static struct summary_row rows[] = {{.name = S_INIT("aten::mm"),
                                     .recompute = true,
                                     .direct_ns = 1500000,
                                     .subtree_ns = 2500000,
                                     .count = 4,
                                     .categories = kinds,
                                     .n_categories = 2,
                                     .share_pct = 60,
                                     .cumulative_pct = 80}};

static int begin(void **state)
{
    (void)state;
    tables = (struct op_tables){0};
    tables.facts.device_time = (struct wall_time){.computation_ns = 50000000,
                                                  .exposed_comm_ns = 20000000,
                                                  .exposed_memcpy_ns = 10000000,
                                                  .busy_ns = 80000000,
                                                  .idle_ns = 120000000,
                                                  .total_ns = 200000000,
                                                  .total_comm_ns = 30000000,
                                                  .total_memcpy_ns = 15000000};
    tables.by_category = tables.by_name = (struct op_summary){rows, 1};
    return 0;
}

static const struct cell *cell_of(const struct report_table *t, ptrdiff_t row,
                                  const char *title)
{
    const struct cell *cells = table_row(t, row, &a);
    for (ptrdiff_t k = 0; k < t->n_columns; k++)
        if (str_eq(t->columns[k].title, str_of(title)))
            return &cells[k];
    return NULL;
}

static void row_is(const struct report_table *t, ptrdiff_t row, const char *type,
                   double ms, double pct)
{
    assert_text(cell_of(t, row, "type")->as.text, type);
    assert_true(cell_of(t, row, "time ms")->as.r == ms);
    assert_true(cell_of(t, row, "percent")->as.r == pct);
}

static void parts_of_the_time_have_shares_of_the_total(void **state)
{
    static const struct {
        const char *type;
        double ms, pct;
    } want[] = {{"computation_time", 50, 25},   {"exposed_comm_time", 20, 10},
                {"exposed_memcpy_time", 10, 5}, {"busy_time", 80, 40},
                {"idle_time", 120, 60},         {"total_time", 200, 100},
                {"total_comm_time", 30, 15},    {"total_memcpy_time", 15, 7.5}};
    (void)state;
    struct report_table t = sheet_timeline(&a, &tables);
    assert_int_equal(t.n_rows, 8);
    for (int i = 0; i < 8; i++)
        row_is(&t, i, want[i].type, want[i].ms, want[i].pct);
    tables.facts.device_time.total_ns = 0;
    t = sheet_timeline(&a, &tables);
    row_is(&t, 0, "computation_time", 50, 0);
}

/* Work that runs a second time has a timeline of its own, if there is any. */
static void recomputation_is_apart(void **state)
{
    (void)state;
    tables.facts.has_recompute = true;
    tables.facts.split[0] = (struct wall_time){
        .n_events = 1, .computation_ns = 3000000, .total_ns = 4000000};
    tables.facts.split[1] = (struct wall_time){
        .n_events = 1, .computation_ns = 1000000, .total_ns = 4000000};
    struct report_table t = sheet_timeline(&a, &tables);
    assert_int_equal(t.n_rows, 16);
    row_is(&t, 0, "computation_time", 3, 75);
    row_is(&t, 8, "computation_time", 1, 25);
    assert_false(cell_of(&t, 7, "is_recompute")->as.b);
    assert_true(cell_of(&t, 8, "is_recompute")->as.b);
    tables.facts.split[1].n_events = 0;
    assert_int_equal(sheet_timeline(&a, &tables).n_rows, 8);
}

/* Only in the window of ours, and only where something is left out. */
static void what_is_left_out_is_told(void **state)
{
    (void)state;
    tables.facts.unlinked = UNLINKED_IN_WINDOW;
    tables.facts.recording_ns = 230000000;
    assert_int_equal(sheet_timeline(&a, &tables).n_rows, 8);
    tables.facts.backlog_ns = 7000000;
    struct report_table t = sheet_timeline(&a, &tables);
    assert_int_equal(t.n_rows, 10);
    assert_text(cell_of(&t, 8, "type")->as.text, "backlog_time");
    assert_true(cell_of(&t, 8, "time ms")->as.r == 7);
    assert_int_equal(cell_of(&t, 8, "percent")->kind, CELL_NONE);
    assert_text(cell_of(&t, 9, "type")->as.text, "recording_time");
    tables.facts.unlinked = UNLINKED_ALL;
    assert_int_equal(sheet_timeline(&a, &tables).n_rows, 8);
}

static void summaries_have_times_counts_and_shares(void **state)
{
    (void)state;
    struct report_table t = sheet_by_name(&a, &tables);
    assert_text(cell_of(&t, 0, "name")->as.text, "aten::mm");
    assert_true(cell_of(&t, 0, "total_direct_kernel_time_sum")->as.r == 1500);
    assert_true(cell_of(&t, 0, "total_subtree_kernel_time_sum")->as.r == 2500);
    assert_true(cell_of(&t, 0, "total_direct_kernel_time_ms")->as.r == 1.5);
    assert_true(cell_of(&t, 0, "total_subtree_kernel_time_ms")->as.r == 2.5);
    assert_int_equal(cell_of(&t, 0, "Count")->as.i, 4);
    assert_text(cell_of(&t, 0, "Categories")->as.text, "['GEMM', \"it's\"]");
    assert_true(cell_of(&t, 0, "Percentage (%)")->as.r == 60);
    assert_true(cell_of(&t, 0, "Cumulative Percentage (%)")->as.r == 80);
    assert_null(cell_of(&t, 0, "is_recompute"));
    t = sheet_by_category(&a, &tables);
    assert_text(cell_of(&t, 0, "op category")->as.text, "aten::mm");
    assert_int_equal(cell_of(&t, 0, "Count")->as.i, 4);
    assert_true(cell_of(&t, 0, "total_direct_kernel_time_ms")->as.r == 1.5);
    assert_true(cell_of(&t, 0, "Percentage (%)")->as.r == 60);
    tables.facts.has_recompute = true;
    t = sheet_by_category(&a, &tables);
    assert_true(cell_of(&t, 0, "is_recompute")->as.b);
    assert_true(cell_of(&t, 0, "Cumulative Percentage (%)")->as.r == 80);
    t = sheet_by_name(&a, &tables);
    assert_true(cell_of(&t, 0, "is_recompute")->as.b);
    assert_int_equal(cell_of(&t, 0, "Count")->as.i, 4);
}

#define CASE(test) cmocka_unit_test_setup(test, begin)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(parts_of_the_time_have_shares_of_the_total),
        CASE(recomputation_is_apart),
        CASE(what_is_left_out_is_told),
        CASE(summaries_have_times_counts_and_shares),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
