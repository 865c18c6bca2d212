#include "op_parts.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct op_group *judged(const struct trace_case *c, const char *name)
{
    for (int32_t g = 0; g < c->tables.judged.n; g++)
        if (str_eq(c->tables.judged.rows[g].first->name, str_of(name)))
            return &c->tables.judged.rows[g];
    return NULL;
}

/* Two calls of a region: a product of 50 us, a generated kernel of 8, in each. */
static void region(struct trace_case *c, const char *op, const char *product)
{
    case_begin(c);
    for (int i = 0; i < 2; i++) {
        double at = 200.0 * i;
        case_event(c, "cpu_op", op, 1, at, 50, "\"Input Dims\":[[64,64]]");
        case_launch(c, "triton_poi_fused_add_1", at + 10, at + 20, 8, 2 * i + 1);
        case_launch(c, product, at + 12, at + 30, 50, 2 * i + 2);
    }
    case_open(c, NULL);
}

static void each_kernel_of_a_region_is_a_row(void **state)
{
    (void)state;
    struct trace_case c;
    region(&c, "CompiledFunction", "ampere_sgemm_64x64_nn");
    assert_int_equal(c.tables.unified.n, 1);
    assert_int_equal(c.tables.judged.n, 2);
    assert_int_equal(c.tables.n_distinct, 2);
    const struct op_group *product =
        judged(&c, "CompiledFunction->ampere_sgemm_64x64_nn (Synthetic Op)");
    assert_non_null(product);
    assert_int_equal(product->n, 2);
    assert_near(product->direct_us.sum, 100, 1e-6);
    assert_null(product->args.dims); /* which are the region's */
    assert_ptr_equal(product, &c.tables.judged.rows[c.tables.judged_of[0]]);
    case_close(&c);
}

/* What is of one kind, and what has a name, stays whole. */
static void others_stay_whole(void **state)
{
    (void)state;
    struct trace_case c;
    region(&c, "CompiledFunction", "triton_red_fused_sum_2");
    assert_int_equal(c.tables.judged.n, 1);
    case_close(&c);
    region(&c, "mylib::block", "ampere_sgemm_64x64_nn");
    assert_int_equal(c.tables.judged.n, 1);
    assert_null(c.tables.judged_of);
    case_close(&c);
}

/* "aten::nonzero" computes and then copies a number to the host. */
static void copies_leave_their_operator(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_op(&c, "aten::nonzero", 0, 50);
    case_launch(&c, "DeviceSelectSweepKernel", 10, 20, 8, 1);
    case_call(&c, "cudaMemcpyAsync", 20, 2, 2);
    case_copy(&c, "Memcpy DtoH (Device -> Pageable)", 30, 5, 2, 8);
    case_open(&c, NULL);
    const struct op_group *left = judged(&c, "aten::nonzero");
    assert_int_equal(c.tables.judged.n, 2);
    assert_near(left->direct_us.sum, 8, 1e-6);
    assert_false(left->first->synthetic);
    case_close(&c);
}

enum { LONG = 60000, KERNELS = 300 };

/* A name of 60 kB, and of each kernel a row of its own. */
static void names_of_parts_have_an_end(void **state)
{
    (void)state;
    static char op[LONG + 1];
    struct trace_case c;
    char kernel[64];
    memset(op, 'x', LONG);
    memcpy(op, "CompiledFunction", strlen("CompiledFunction"));
    case_begin(&c);
    case_op(&c, op, 0, 100.0 * KERNELS);
    for (int i = 0; i < KERNELS; i++) {
        snprintf(kernel, sizeof kernel, "%s_%d",
                 i % 2 ? "ampere_sgemm_64x64_nn" : "triton_poi_fused_add", i);
        case_launch(&c, kernel, 100.0 * i, 100.0 * i + 20, 8, i + 1);
    }
    case_open(&c, NULL);
    assert_int_equal(c.tables.judged.n, KERNELS);
    for (int32_t g = 0; g < KERNELS; g++)
        assert_in_range(c.tables.judged.rows[g].first->name.n, ROW_CALL_BYTES, 1000);
    assert_in_range(c.perm.at - c.perm_start, 1, 4 << 20);
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kernel_of_a_region_is_a_row),
        cmocka_unit_test(others_stay_whole),
        cmocka_unit_test(copies_leave_their_operator),
        cmocka_unit_test(names_of_parts_have_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
