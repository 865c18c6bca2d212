#include "op_groups.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { PRODUCTS = 6, SUMS = 3, ALL = PRODUCTS + SUMS + 1 };

static struct device_peak peak = {S_INIT("matrix_fp32"), 100};
static const struct device_spec device = {
    .memory_gb_per_s = 1000, .peaks = &peak, .n_peaks = 1};

/* Calls of n us beside those of n + 1: products of n+1 x 64 by 64 x 8, sums of n+1, and
 * a call whose operator has no model. */
static void many_shapes(struct trace_case *c)
{
    static const char *const ops[] = {"aten::mm", "aten::sum", "mine::other"};
    case_begin(c);
    for (int i = 0; i < ALL; i++) {
        const char *op = ops[(i >= PRODUCTS) + (i == ALL - 1)];
        char more[120];
        snprintf(more, sizeof more,
                 "\"Input Dims\":[[%d,64]%s],\"Input type\":[\"float\",\"float\"]",
                 i + 1, i < PRODUCTS ? ",[64,8]" : ",[]");
        case_event(c, "cpu_op", op, 1, 100.0 * i, 50, more);
        case_launch(c, op, 100.0 * i + 10, 100.0 * i + 20, 10 + i, i + 1);
    }
    case_open(c, &device);
}

static const struct op_group *row_named(const struct op_groups *gs, const char *name)
{
    for (int32_t g = 0; g < gs->n; g++)
        if (gs->rows[g].n_folded && str_eq(gs->rows[g].first->name, str_of(name)))
            return &gs->rows[g];
    fail_msg("no row %s", name);
    return NULL;
}

static double sum_us(const struct op_groups *gs)
{
    double us = 0.0;
    for (int32_t g = 0; g < gs->n; g++) {
        us += gs->rows[g].direct_us.sum;
        assert_true(g == 0 || gs->places[g].us <= gs->places[g - 1].us);
    }
    return us;
}

/* The two longest stay: the call without a model, and the last sum. */
static void test_others_of_an_operator_are_one_row(void **state)
{
    (void)state;
    struct trace_case c;
    const int32_t *row_of;
    many_shapes(&c);
    const struct op_groups *all = &c.tables.unified;
    assert_int_equal(all->n, ALL);
    struct op_groups gs = groups_fold(&c.perm, c.tmp, all, 2, &row_of);
    assert_int_equal(gs.n, 4); /* other, a sum, the other products, the other sums */
    const struct op_group *products = row_named(&gs, "aten::mm");
    const struct op_group *sums = row_named(&gs, "aten::sum");
    assert_int_equal(products->n_folded, PRODUCTS);
    assert_int_equal(products->n, PRODUCTS);
    assert_int_equal(sums->n_folded, SUMS - 1);
    assert_true(fabs(products->direct_us.sum - (10 + 11 + 12 + 13 + 14 + 15)) < 1e-9);
    assert_true(fabs(sum_us(&gs) - all->total_us) < 1e-9);
    assert_true(fabs(gs.total_us - all->total_us) < 1e-9);
    assert_null(products->args.dims);
    assert_false(groups_texts(&gs, (int32_t)(products - gs.rows)).any);
    /* The mean of 1 to 6 rows: 2 * 64 * 8 FLOP each. */
    assert_true(fabs(products->gflop * 1e9 - 3.5 * 1024) < 1e-6);
    assert_int_equal(products->cost->n_params, 0);
    /* Bytes in and out bind the first to (64 + 512 + 8) * 4 of 1e12 B/s. */
    assert_true(products->bound == BOUND_MEMORY);
    assert_true(products->roofline_pct > 0.02 && products->roofline_pct < 0.04);
    for (int32_t g = 0; g < all->n; g++) {
        const struct op_group *in = &gs.rows[row_of[g]];
        assert_true(str_eq(in->first->name, groups_first(all, g)->name));
        assert_true(g < 2 ? in->n_folded == 0 && in->args.dims : in->n_folded > 0);
    }
    case_close(&c);
}

static void test_too_many_operators_are_one_row_a_category(void **state)
{
    (void)state;
    struct trace_case c;
    const int32_t *row_of;
    many_shapes(&c);
    struct op_groups gs = groups_fold(&c.perm, c.tmp, &c.tables.unified, 1, &row_of);
    int32_t folded = 0;
    for (int32_t g = 0; g < gs.n; g++) {
        folded += gs.rows[g].n_folded;
        if (gs.rows[g].n_folded)
            assert_true(str_eq(gs.rows[g].first->name, S("other operators")));
    }
    assert_int_equal(folded, ALL - 1);
    assert_true(fabs(sum_us(&gs) - c.tables.unified.total_us) < 1e-9);
    case_close(&c);
}

static void test_few_rows_stay(void **state)
{
    (void)state;
    struct trace_case c;
    many_shapes(&c);
    assert_null(c.tables.judged_of);
    assert_int_equal(c.tables.judged.n, ALL);
    assert_ptr_equal(c.tables.judged.places, c.tables.unified.places);
    for (int32_t g = 0; g < ALL; g++)
        assert_int_equal(c.tables.judged.rows[g].n_folded, 0);
    case_close(&c);
}

/* Two gradients of a filter in one row: what they multiply depends on the filter, which
 * only the operator around them has. 27 and 3 weights for each of 256 outputs, 2272 and
 * 1504 bytes; in 100 and 10 us at 1 TB/s that is 0.002272 % and 0.01504 %. */
static void test_each_call_by_its_own_cost(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    for (int i = 0; i < 2; i++) {
        char more[160];
        snprintf(more, sizeof more,
                 "\"Input Dims\":[[2,3,4,4],[2,8,4,4],[8,3,%d,%d]],"
                 "\"Input type\":[\"float\",\"float\",\"float\"]",
                 i ? 1 : 3, i ? 1 : 3);
        case_event(&c, "cpu_op", "aten::cudnn_convolution_backward", 1, 200 * i, 50,
                   more);
        case_event(&c, "cpu_op", "aten::cudnn_convolution_backward_weight", 1,
                   200 * i + 1, 40,
                   "\"Input Dims\":[[],[2,8,4,4],[2,3,4,4]],"
                   "\"Input type\":[\"\",\"float\",\"float\"]");
        case_launch(&c, "wgrad", 200 * i + 10, 200 * i + 20, i ? 10 : 100, i + 1);
    }
    case_open(&c, &device);
    assert_int_equal(c.tables.judged.n, 1);
    const struct op_group *g = &c.tables.judged.rows[0];
    assert_int_equal(g->n, 2);
    assert_near(g->gflop * 1e9, (13824 + 1536) / 2, 1e-6);
    assert_near(g->byte, (2272 + 1504) / 2, 1e-9);
    assert_near(g->roofline_pct, (0.002272 + 0.01504) / 2, 1e-9);
    assert_int_equal(g->cost->n_params, 0);
    case_close(&c);
}

/* Without shapes, copies and kernels of one operator are one row: what takes longer
 * decides, whatever the first call did. */
static void test_copies_and_kernels_of_one_operator(void **state)
{
    (void)state;
    for (int kernel_us = 10; kernel_us <= 100; kernel_us += 90) {
        struct trace_case c;
        case_begin(&c);
        case_op(&c, "aten::copy_", 0, 50);
        case_call(&c, "hipMemcpyAsync", 10, 1, 1);
        case_copy(&c, "Memcpy HtoD (Pageable -> Device)", 20, 50, 1, 100);
        case_op(&c, "aten::copy_", 100, 50);
        case_launch(&c, "elementwise_kernel", 110, 120, kernel_us, 2);
        case_open(&c, &device);
        assert_int_equal(c.tables.judged.n, 1);
        const struct op_group *g = &c.tables.judged.rows[0];
        assert_true(g->copies);
        assert_int_equal(g->computes, kernel_us > 50);
        case_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_others_of_an_operator_are_one_row),
        cmocka_unit_test(test_too_many_operators_are_one_row_a_category),
        cmocka_unit_test(test_few_rows_stay),
        cmocka_unit_test(test_each_call_by_its_own_cost),
        cmocka_unit_test(test_copies_and_kernels_of_one_operator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
