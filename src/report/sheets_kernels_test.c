#include "report/sheets_kernels.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"

static struct op_tables tables;
static struct kernel_row kernel = {
    .category = S_INIT("GEMM"),
    .op = S_INIT("aten::mm"),
    .kernel = S_INIT("Cijk"),
    .stream = 7,
    .us = {.n = 3, .sum = 60, .mean = 20, .std = 4, .min = 15, .max = 25},
    .kernels_pct = 30,
    .total_pct = 12};
static struct short_kernel_row brief = {.op = S_INIT("aten::mul"),
                                        .kernel = S_INIT("mul_k"),
                                        .n = 5,
                                        .sum_us = 10,
                                        .mean_us = 2,
                                        .total_pct = 0.5};
static double edges[] = {0, 5, 10};
static int64_t counts[] = {4, 1};
static struct collective_row collective = {.stream = 9, .in_mib = 4, .out_mib = 8};

static int begin(void **state)
{
    (void)state;
    tables = (struct op_tables){0};
    tables.facts.has_cpu_op = true;
    tables.kernels.rows = &kernel;
    tables.kernels.n = 1;
    tables.kernels.edges = edges;
    tables.kernels.counts = counts;
    tables.kernels.n_bins = 2;
    tables.kernels.short_rows = &brief;
    tables.kernels.n_short = 1;
    collective.us = kernel.us;
    for (int k = 0; k < COLLECTIVE_KEYS; k++)
        collective.key[k] = str_of(collective_keys[k]);
    tables.collectives.rows = &collective;
    tables.collectives.n = 1;
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

static void is_number(const struct report_table *t, const char *title, double want)
{
    const struct cell *x = cell_of(t, 0, title);
    if (!x)
        fail_msg("no column %s", title);
    double v = x->kind == CELL_INT ? (double)x->as.i : x->as.r;
    if (v != want)
        fail_msg("%s: %g, not %g", title, v, want);
}

static void kernels_have_sums_and_two_shares(void **state)
{
    (void)state;
    struct report_table t = sheet_kernels(&a, &tables);
    assert_text(cell_of(&t, 0, "Parent op category")->as.text, "GEMM");
    assert_text(cell_of(&t, 0, "Parent cpu_op")->as.text, "aten::mm");
    assert_text(cell_of(&t, 0, "Kernel name")->as.text, "Cijk");
    is_number(&t, "Kernel stream", 7);
    is_number(&t, "Kernel duration (µs)_sum", 60);
    is_number(&t, "Kernel duration (µs)_count", 3);
    is_number(&t, "Kernel duration (µs)_mean", 20);
    is_number(&t, "Kernel duration (µs)_min", 15);
    is_number(&t, "Kernel duration (µs)_max", 25);
    is_number(&t, "Percent of kernels time (%)", 30);
    is_number(&t, "Percent of total time (%)", 12);
    tables.facts.has_cpu_op = false; /* nothing to name */
    t = sheet_kernels(&a, &tables);
    assert_null(cell_of(&t, 0, "Parent cpu_op"));
    is_number(&t, "Kernel duration (µs)_sum", 60);
}

static void work_of_the_step_before_is_told(void **state)
{
    (void)state;
    assert_false(str_has(sheet_kernels(&a, &tables).purpose, S("step before")));
    tables.facts.n_backlog = 1;
    tables.facts.backlog_ns = 2500000;
    tables.facts.unlinked = UNLINKED_IN_WINDOW;
    assert_true(
        str_ends(sheet_kernels(&a, &tables).purpose,
                 S("; 1 device event of the step before the recording, 2.500 ms "
                   "in all, is in it and outside the window of all other "
                   "figures")));
    tables.facts.unlinked = UNLINKED_ALL; /* as the reference: all is in */
    assert_false(str_has(sheet_kernels(&a, &tables).purpose, S("step before")));
}

static void bins_are_from_edge_to_edge(void **state)
{
    (void)state;
    struct report_table t = sheet_histogram(&a, &tables);
    assert_int_equal(t.n_rows, 2);
    assert_true(cell_of(&t, 1, "bin_start")->as.r == 5);
    assert_true(cell_of(&t, 1, "bin_end")->as.r == 10);
    assert_int_equal(cell_of(&t, 1, "count")->as.i, 1);
}

/* By operator and arguments; where none has shapes, by name, and then the sum has the
 * title of the reference. */
static void short_kernels_are_by_operator_or_name(void **state)
{
    (void)state;
    struct report_table t = sheet_short_kernels(&a, &tables);
    assert_text(cell_of(&t, 0, "Parent cpu_op")->as.text, "aten::mul");
    assert_text(cell_of(&t, 0, "Kernel name")->as.text, "mul_k");
    is_number(&t, "Short Kernel duration (µs) sum", 10);
    is_number(&t, "Short Kernel count", 5);
    is_number(&t, "Short Kernel duration (µs) mean", 2);
    is_number(&t, "Short Kernel duration (µs) percent of total time", 0.5);
    tables.kernels.short_by_name = true;
    t = sheet_short_kernels(&a, &tables);
    assert_null(cell_of(&t, 0, "Parent cpu_op"));
    is_number(&t, "Kernel duration (µs)", 10);
    tables.facts.has_cpu_op = false;
    t = sheet_short_kernels(&a, &tables);
    is_number(&t, "Short Kernel duration (µs) sum", 10);
}

static void collectives_have_keys_and_sizes(void **state)
{
    (void)state;
    struct report_table t = sheet_collectives(&a, &tables);
    is_number(&t, "rank", 0);
    for (int k = 0; k < COLLECTIVE_KEYS; k++)
        assert_text(cell_of(&t, 0, collective_keys[k])->as.text, collective_keys[k]);
    is_number(&t, "stream", 9);
    is_number(&t, "In msg size (MB)_first", 4);
    is_number(&t, "Out msg size (MB)_first", 8);
    is_number(&t, "dur_sum", 60);
    is_number(&t, "dur_mean", 20);
    is_number(&t, "dur_std", 4);
    is_number(&t, "dur_min", 15);
    is_number(&t, "dur_max", 25);
    is_number(&t, "operation_count", 3);
}

#define CASE(test) cmocka_unit_test_setup(test, begin)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(kernels_have_sums_and_two_shares),
        CASE(work_of_the_step_before_is_told),
        CASE(bins_are_from_edge_to_edge),
        CASE(short_kernels_are_by_operator_or_name),
        CASE(collectives_have_keys_and_sizes),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
