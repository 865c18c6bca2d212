#include "kernel_data_flow.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct kernel_flow flow_of(struct trace_case *c, const char *kernel)
{
    struct flow_index x = flow_index_build(&c->tmp, &c->tables);
    return kernel_flow_of(&x, &c->store, case_find(c, kernel, 0));
}

/* mm of (100,200)x(200,50) floats in two kernels of 30 and 10 us: 20000 + 10000
 * elements read, 5000 written, 4 bytes each, 2e6 FLOP; three quarters belong to the
 * first. */
static void products_read_their_operands(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_event(&c, "cpu_op", "aten::mm", 1, 0, 20,
               "\"Input Dims\":[[100,200],[200,50]],\"Input "
               "type\":[\"float\",\"float\"],\"Input Strides\":[[200,1],[50,1]]");
    case_launch(&c, "gemm", 1, 100, 30, 1);
    case_launch(&c, "post", 3, 130, 10, 2);
    case_open(&c, NULL);
    struct kernel_flow f = flow_of(&c, "gemm");
    assert_true(f.modelled);
    assert_near(f.in_byte, 0.75 * 120000, 1e-6);
    assert_near(f.out_byte, 0.75 * 20000, 1e-6);
    assert_near(f.flop, 0.75 * 2e6, 1e-3);
    case_close(&c);
}

/* 1000 floats: neg reads half of 8000; add two thirds of
 * 12000. */
static void others_read_by_kind(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_event(
        &c, "cpu_op", "aten::neg", 1, 0, 5,
        "\"Input Dims\":[[1000]],\"Input type\":[\"float\"],\"Input Strides\":[[1]]");
    case_launch(&c, "neg", 1, 100, 10, 1);
    case_event(
        &c, "cpu_op", "aten::add", 1, 10, 5,
        "\"Input Dims\":[[1000],[1000],[]],\"Input "
        "type\":[\"float\",\"float\",\"Scalar\"],\"Input Strides\":[[1],[1],[]]");
    case_launch(&c, "add", 11, 120, 10, 2);
    case_op(&c, "aten::unknown", 20, 5);
    case_launch(&c, "unknown", 21, 140, 10, 3);
    case_open(&c, NULL);
    assert_near(flow_of(&c, "neg").in_byte, 4000, 1e-6);
    assert_near(flow_of(&c, "neg").out_byte, 4000, 1e-6);
    assert_near(flow_of(&c, "add").in_byte, 8000, 1e-6);
    assert_near(flow_of(&c, "add").out_byte, 4000, 1e-6);
    assert_false(flow_of(&c, "unknown").modelled);
    assert_true(isnan(flow_of(&c, "unknown").in_byte));
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_read_their_operands),
        cmocka_unit_test(others_read_by_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
