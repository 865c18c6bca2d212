#include "report/sheets_ops.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"

static struct op_call_row calls[3];
static int32_t members[] = {0, 1, 2};
static struct lane_names lane;
static struct perf_cost cost;
static struct perf_param params[2];
static struct op_group_row rows[3];
static struct group_place places[3];
static struct op_tables tables;
static const struct device_spec device;

/* Statistics that tell which of them is where: 1 to 5 times `by`, the sum 6 times. */
static struct sample_stats stats(double by)
{
    return (struct sample_stats){.n = 2,
                                 .mean = by,
                                 .median = 2 * by,
                                 .std = 3 * by,
                                 .min = 4 * by,
                                 .max = 5 * by,
                                 .sum = 6 * by};
}

static int begin(void **state)
{
    (void)state;
    lane = (struct lane_names){S("python"), S("rank 0"), S("thread 1")};
    params[0] = (struct perf_param){.key = "M", .text = "64", .n = 2, .kind = PERF_INT};
    params[1] =
        (struct perf_param){.key = "bias", .text = "True", .n = 4, .kind = PERF_TEXT};
    cost = (struct perf_cost){
        .compute_spec = S("matrix_bf16"), .params = params, .n_params = 2};
    for (int i = 0; i < 3; i++) {
        calls[i] = (struct op_call_row){.name = S("aten::mm"),
                                        .category = S("GEMM"),
                                        .uid = 17,
                                        .cost = &cost,
                                        .recompute = true};
        rows[i] = (struct op_group_row){.group = {.first = &calls[i],
                                                  .lane = &lane,
                                                  .n = 7 + i,
                                                  .direct_us = stats(1),
                                                  .share_pct = 40 - 10 * i,
                                                  .cumulative_pct = 40,
                                                  .gflop = 8,
                                                  .byte = 3 << 20,
                                                  .flop_per_byte = 2.5,
                                                  .cost = &cost,
                                                  .roofline_us = 0.75,
                                                  .bound = BOUND_MEMORY,
                                                  .has_model = true},
                                        .subtree_us = stats(10),
                                        .host_us = stats(100),
                                        .tb_per_s = stats(1000),
                                        .tflop_per_s = stats(10000),
                                        .roofline_pct = stats(100000)};
        places[i] =
            (struct group_place){.made = &rows[i], .at = i, .n = 1, .us = 40 - 10 * i};
    }
    tables = (struct op_tables){.device = &device};
    tables.unique_args = tables.unified = (struct op_groups){.places = places,
                                                             .n = 1,
                                                             .linked_frac = 1,
                                                             .members = members,
                                                             .calls = {calls, 3},
                                                             .total_us = 100};
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
    if ((x->kind != CELL_INT && x->kind != CELL_REAL) || v != want)
        fail_msg("%s: %g, not %g", title, v, want);
}

/* "TITLE_mean" and so on: 1 to 5 times `by`. */
static void has_stats(const struct report_table *t, const char *title, double by)
{
    static const char *const of[] = {"mean", "median", "std", "min", "max"};
    for (int k = 0; k < 5; k++)
        is_number(t, str_c(&a, str_printf(&a, "%s_%s", title, of[k])), (k + 1) * by);
}

static void is_text(const struct report_table *t, const char *title, const char *want)
{
    const struct cell *x = cell_of(t, 0, title);
    if (!x)
        fail_msg("no column %s", title);
    assert_text(x->as.text, want);
}

static void operators_have_direct_and_subtree_times(void **state)
{
    (void)state;
    struct report_table t = sheet_unique_args(&a, &tables);
    assert_int_equal(t.n_rows, 1);
    is_text(&t, "name", "aten::mm");
    is_text(&t, "op category", "GEMM");
    is_text(&t, "process_name", "python");
    is_text(&t, "process_label", "rank 0");
    is_text(&t, "thread_name", "thread 1");
    is_number(&t, "operation_count", 7);
    has_stats(&t, "total_direct_kernel_time", 1);
    has_stats(&t, "total_subtree_kernel_time", 10);
    is_number(&t, "total_direct_kernel_time_sum", 6);
    is_number(&t, "total_subtree_kernel_time_sum", 60);
    is_number(&t, "ex_UID", 17);
    is_number(&t, "Percentage (%)", 40);
    is_number(&t, "Cumulative Percentage (%)", 40);
    assert_null(cell_of(&t, 0, "is_recompute"));
    tables.facts.has_recompute = true;
    t = sheet_unique_args(&a, &tables);
    assert_true(cell_of(&t, 0, "is_recompute")->as.b);
    is_number(&t, "operation_count", 7);
}

static void modelled_operators_have_figures(void **state)
{
    struct report_table own;
    int32_t own_of[3];
    (void)state;
    struct report_table t = sheet_unified(&a, &tables, &own, own_of);
    is_number(&t, "operation_count", 7);
    is_number(&t, "total_duration_us", 600);
    is_number(&t, "mean_duration_us", 100);
    is_number(&t, "std_duration_us", 300);
    is_number(&t, "GFLOPS", 8);
    is_number(&t, "Data Moved (MB)", 3);
    is_number(&t, "FLOPS/Byte", 2.5);
    is_text(&t, "Compute Spec", "matrix_bf16");
    is_text(&t, "Roofline Bound", "MEMORY_BOUND");
    has_stats(&t, "TB/s", 1000);
    has_stats(&t, "TFLOPS/s", 10000);
    has_stats(&t, "Kernel Time (µs)", 1);
    is_number(&t, "Kernel Time (µs)_sum", 6);
    is_number(&t, "duration_us_median", 200);
    is_number(&t, "duration_us_max", 500);
    is_number(&t, "Roofline Time (µs)_first", 0.75);
    has_stats(&t, "Pct Roofline", 100000);
    is_text(&t, "perf_params", "{'M': 64, 'bias': 'True'}");
    assert_true(cell_of(&t, 0, "has_perf_model")->as.b);
    tables.device = NULL;
    t = sheet_unified(&a, &tables, &own, own_of);
    assert_null(cell_of(&t, 0, "Roofline Bound"));
    assert_null(cell_of(&t, 0, "Pct Roofline_mean"));
    has_stats(&t, "Kernel Time (µs)", 1);
}

/* What no call launched is no row; shares are of the rest: 80 % of all time. */
static void kernels_without_a_launch_are_no_operators(void **state)
{
    struct report_table own;
    int32_t own_of[3];
    (void)state;
    calls[1].unlinked = true;
    tables.unified.n = 3;
    tables.unified.linked_frac = 0.8;
    struct report_table t = sheet_unified(&a, &tables, &own, own_of);
    assert_int_equal(t.n_rows, 2);
    assert_true(cell_of(&t, 0, "Percentage (%)")->as.r == 50);
    assert_true(cell_of(&t, 0, "Cumulative Percentage (%)")->as.r == 50);
    assert_true(cell_of(&t, 1, "Percentage (%)")->as.r == 25);
    assert_true(cell_of(&t, 1, "Cumulative Percentage (%)")->as.r == 75);
    assert_int_equal(cell_of(&t, 1, "operation_count")->as.i, 9);
    assert_int_equal(own_of[0], -1);
}

/* Figures of our own models are in a table of their own: all of them, or those of
 * bytes. */
static void the_reference_does_not_know_our_models(void **state)
{
    struct perf_cost ours = cost;
    struct report_table own;
    int32_t own_of[3];
    (void)state;
    ours.origin = PERF_OWN;
    rows[1].group.cost = calls[1].cost = &ours;
    rows[1].group.has_model = false;
    tables.unified.n = 2;
    struct report_table t = sheet_unified(&a, &tables, &own, own_of);
    assert_int_equal(own.n_rows, 1);
    assert_int_equal(own_of[0], -1);
    assert_int_equal(own_of[1], 0);
    static const char *const blank[] = {"GFLOPS",          "TFLOPS/s_mean",
                                        "Data Moved (MB)", "FLOPS/Byte",
                                        "TB/s_mean",       "Roofline Time (µs)_first",
                                        "Pct Roofline_max"};
    for (size_t k = 0; k < sizeof blank / sizeof *blank; k++) {
        assert_int_equal(cell_of(&t, 1, blank[k])->kind, CELL_NONE);
        assert_int_equal(cell_of(&own, 0, blank[k])->kind, CELL_REAL);
    }
    assert_int_equal(cell_of(&t, 1, "perf_params")->kind, CELL_NONE);
    assert_true(cell_of(&t, 1, "Kernel Time (µs)_mean")->as.r == 1);
    assert_false(cell_of(&t, 1, "has_perf_model")->as.b);
    assert_true(cell_of(&own, 0, "has_perf_model")->as.b);
    assert_int_equal(cell_of(&own, 0, "operation_count")->as.i, 8);
    ours.origin = PERF_OWN_BYTES; /* it knows the FLOP */
    t = sheet_unified(&a, &tables, &own, own_of);
    assert_true(cell_of(&t, 1, "GFLOPS")->as.r == 8);
    assert_true(cell_of(&t, 1, "TFLOPS/s_mean")->as.r == 10000);
    assert_int_equal(cell_of(&t, 1, "Data Moved (MB)")->kind, CELL_NONE);
    assert_int_equal(cell_of(&t, 1, "TB/s_mean")->kind, CELL_NONE);
}

static void a_family_has_its_parameters(void **state)
{
    const char *keys[] = {"bias", "M", "N"};
    struct family_sheet f = {.name = S("GEMM"), .params = keys, .n_params = 3};
    (void)state;
    f.groups = (struct op_groups){.places = places, .n = 1};
    struct report_table t = sheet_family(&a, &tables, &f);
    assert_text(t.name, "GEMM");
    is_text(&t, "param: bias", "True");
    is_number(&t, "param: M", 64);
    assert_int_equal(cell_of(&t, 0, "param: N")->kind, CELL_NONE);
    is_number(&t, "GFLOPS_first", 8);
    is_number(&t, "Data Moved (MB)_first", 3);
    is_number(&t, "FLOPS/Byte_first", 2.5);
    has_stats(&t, "TB/s", 1000);
    has_stats(&t, "TFLOPS/s", 10000);
    has_stats(&t, "Pct Roofline", 100000);
    has_stats(&t, "Kernel Time (µs)", 1);
    is_number(&t, "Kernel Time (µs)_sum", 6);
    is_number(&t, "name_count", 7);
    is_number(&t, "UID_first", 17);
    is_number(&t, "Roofline Time (µs)_first", 0.75);
    is_text(&t, "Roofline Bound_first", "MEMORY_BOUND");
    is_text(&t, "process_label_first", "rank 0");
    is_text(&t, "thread_name_first", "thread 1");
}

#define CASE(test) cmocka_unit_test_setup(test, begin)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(operators_have_direct_and_subtree_times),
        CASE(modelled_operators_have_figures),
        CASE(kernels_without_a_launch_are_no_operators),
        CASE(the_reference_does_not_know_our_models),
        CASE(a_family_has_its_parameters),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
