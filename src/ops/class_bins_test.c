#include "class_bins.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static int64_t sum(const int64_t *bins, int from, int to)
{
    int64_t total = 0;
    for (int k = from; k < to; k++)
        total += bins[k];
    return total;
}

/* 0 to 400 us in bins of 1 us. A product from 0 to 100; a sum on another stream from 50
 * to 150, of which the part behind the product counts; a kernel of no row at the end,
 * and a collective and a copy that compute nothing. */
static void test_classes(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_op(&c, "aten::mm", -20, 3);
    case_call(&c, "hipLaunchKernel", -19, 1, 1);
    case_op(&c, "aten::sum", -16, 3);
    case_call(&c, "hipLaunchKernel", -15, 1, 2);
    case_kernel(&c, "gemm", 7, 0, 100, 1);
    case_kernel(&c, "sum", 8, 50, 100, 2);
    case_call(&c, "hipLaunchKernel", -9, 1, 3);
    case_kernel(&c, "ncclDevKernel_AllReduce", 8, 160, 40, 3);
    case_call(&c, "hipMemcpyAsync", -8, 1, 4);
    case_copy(&c, "Memcpy DtoH", 210, 30, 4, 4096);
    case_kernel(&c, "last", 7, 390, 10, 99);
    case_open(&c, NULL);
    const struct op_groups *gs = &c.tables.judged;
    const struct timeline_data *d = timeline_data_build(&c.perm, c.tmp, &c.view);
    int8_t class_of[8];
    assert_true(gs->n <= 8);
    for (int32_t g = 0; g < gs->n; g++) {
        struct str name = gs->calls.rows[gs->rows[g].members[0]].name;
        class_of[g] = str_eq(name, S("aten::mm"))    ? 0
                      : str_eq(name, S("aten::sum")) ? 1
                                                     : -1;
    }
    const int8_t *class = kernel_class_of_events(&c.perm, &c.tables, class_of);
    int64_t **ns = class_bins_build(&c.perm, c.tmp, &c.view, d, class, 2);
    assert_int_equal(sum(ns[0], 0, 400), 100000);
    assert_int_equal(sum(ns[0], 100, 400), 0);
    assert_int_equal(sum(ns[1], 100, 150), 50000);
    assert_int_equal(sum(ns[1], 0, 400), 50000);
    assert_int_equal(sum(ns[2], 390, 400), 10000);
    for (int b = 0; b < d->n_bins; b++)
        assert_int_equal(ns[0][b] + ns[1][b] + ns[2][b], d->part_ns[BUSY_COMPUTE][b]);
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_classes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
