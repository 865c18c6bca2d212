#include "tree_data.c"

#include "analysis/trace_case.h"
#include "base/out.h"
#include "base/python_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A module launches mul and add in each of 3 calls. */
static void modules(struct trace_case *c)
{
    case_begin(c);
    case_frame(c, "train.py(3): main", 0, 1000);
    for (int k = 0; k < 3; k++) {
        double at = 10 + 100 * k;
        case_frame(c, "nn.Module: Scale_4", at, 50);
        case_event(c, "cpu_op", "aten::mul", 1, at + 1, 5,
                   "\"Input Dims\":[[8,4],[4]],\"Input type\":[\"float\",\"float\"]");
        case_launch(c, "mul_kernel", at + 2, 2000 + at, 10, 2 * k + 1);
        case_op(c, "aten::add", at + 20, 5);
        case_launch(c, "add_kernel", at + 21, 2020 + at, 20, 2 * k + 2);
    }
    case_open(c, NULL);
}

/* The unified row of an operator as the only row of its category. */
static struct work_row row_of(const struct trace_case *c, const char *op)
{
    for (int32_t k = 0; k < c->tables.judged.n; k++)
        if (str_eq(c->tables.judged.rows[k].first->name, str_of(op)))
            return (struct work_row){.group = &c->tables.judged.rows[k],
                                     .name = str_of(op),
                                     .category_pct = 50,
                                     .count = 3};
    abort();
}

static void a_row_has_chain_subtree_and_siblings(void **state)
{
    (void)state;
    struct trace_case c;
    modules(&c);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    struct analysis a = case_analysis(&c);
    struct work_row row = row_of(&c, "aten::mul");
    a.categories[WORK_ELEMENTWISE] =
        (struct category_result){.rows = &row, .n_rows = 1};
    int n;
    struct tree_data *d = tree_data_build(&c.perm, c.tmp, &a, &t, WORK_ELEMENTWISE, &n);
    assert_int_equal(n, 1);
    assert_int_equal(d->ex_uid, store_uid(&c.store, case_find(&c, "aten::mul", 0)));
    struct out dims;
    out_memory(&dims);
    python_value(&dims, d->input_dims, false);
    assert_text(out_view(&dims), "[[8, 4], [4]]");
    out_free(&dims);
    assert_int_equal(d->n_parents, 2);
    assert_text(d->parents[0].name, "nn.Module: Scale_4");
    assert_text(d->parents[0].cat, "python_function");
    assert_int_equal(d->parents[1].depth, 2);
    assert_int_equal(d->n_modules, 1);
    assert_text(d->modules[0], "Scale");
    assert_text(d->launcher_path, "train.py(3): main");
    assert_int_equal(d->n_nodes, 2);
    assert_near(d->nodes[0].gpu_us, 10, 1e-9);
    assert_true(d->nodes[1].is_gpu);
    assert_int_equal(d->nodes[1].stream, 7);
    assert_int_equal(d->n_siblings, 1);
    assert_text(d->siblings[0].name, "aten::add");
    assert_near(d->siblings[0].gpu_us, 20, 1e-9);
    assert_text(d->siblings[0].kernels[0], "add_kernel");
    assert_int_equal(d->instance_count, 3);
    assert_false(d->fusion_opportunity || d->truncated);
    assert_text(d->notes, "");
    case_close(&c);
}

/* Above 10 % of the category, else the five longest. */
static void large_rows_are_chosen(void **state)
{
    (void)state;
    struct trace_case c;
    modules(&c);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    struct analysis a = case_analysis(&c);
    struct work_row rows[7];
    int n;
    for (int k = 0; k < 7; k++)
        rows[k] = row_of(&c, "aten::mul");
    a.categories[WORK_OTHER] = (struct category_result){.rows = rows, .n_rows = 7};
    tree_data_build(&c.perm, c.tmp, &a, &t, WORK_OTHER, &n);
    assert_int_equal(n, 7);
    rows[2].category_pct = 10; /* not above */
    tree_data_build(&c.perm, c.tmp, &a, &t, WORK_OTHER, &n);
    assert_int_equal(n, 2);
    rows[0].category_pct = 9;
    tree_data_build(&c.perm, c.tmp, &a, &t, WORK_OTHER, &n);
    assert_int_equal(n, 5);
    case_close(&c);
}

static void missing_frames_are_noted(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_op(&c, "aten::mul", 1, 5);
    case_launch(&c, "mul_kernel", 2, 20, 10, 1);
    case_open(&c, NULL);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    struct analysis a = case_analysis(&c);
    struct work_row row = row_of(&c, "aten::mul");
    a.categories[WORK_OTHER] = (struct category_result){.rows = &row, .n_rows = 1};
    int n;
    struct tree_data *d = tree_data_build(&c.perm, c.tmp, &a, &t, WORK_OTHER, &n);
    assert_true(str_starts(d->notes, S("No Python frames")));
    assert_int_equal(d->n_modules, 0);
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_has_chain_subtree_and_siblings),
        cmocka_unit_test(large_rows_are_chosen),
        cmocka_unit_test(missing_frames_are_noted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
