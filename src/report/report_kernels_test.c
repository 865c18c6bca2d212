#include "report_kernels.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena_case.h"
#include "base/near_case.h"

static const struct kernel_row gemm = {.kernel = S_INIT("ampere_sgemm_128x64_tn"),
                                       .op = S_INIT("aten::mm"),
                                       .category = S_INIT("cpu_op"),
                                       .stream = 7,
                                       .us = {.n = 4,
                                              .sum = 2000,
                                              .mean = 500,
                                              .median = 480,
                                              .std = 20,
                                              .min = 450,
                                              .max = 600},
                                       .p95_us = 590,
                                       .kernels_pct = 41,
                                       .total_pct = 42,
                                       .window_pct = 43};

/* Each in its place: the sum in ms, what is of one kernel in us. */
static void test_row(void **state)
{
    (void)state;
    struct report_kernel r;
    fill_row(&gemm, &r);
    assert_text(r.name, "ampere_sgemm_128x64_tn");
    assert_text(r.op, "aten::mm");
    assert_int_equal(r.stream, 7);
    assert_int_equal(r.count, 4);
    assert_near(r.total_ms, 2, 1e-9);
    assert_near(r.mean_us, 500, 1e-9);
    assert_near(r.min_us, 450, 1e-9);
    assert_near(r.max_us, 600, 1e-9);
    assert_near(r.p95_us, 590, 1e-9);
    assert_near(r.std_us, 20, 1e-9);
    assert_near(r.share_pct, 43, 1e-9);
    assert_false(r.backlog);
}

/* Of the backlog the share is not known; of what is not, it is nothing. */
static void test_share(void **state)
{
    (void)state;
    struct kernel_row k = gemm;
    struct report_kernel r;
    k.window_pct = (double)NAN;
    fill_row(&k, &r);
    assert_near(r.share_pct, 0, 1e-9);
    k.backlog = true;
    fill_row(&k, &r);
    assert_true(isnan(r.share_pct));
    assert_true(r.backlog);
}

/* What communicates by its name is communication, whatever its label. */
static void test_work(void **state)
{
    (void)state;
    struct kernel_row k = gemm;
    struct report_kernel r;
    fill_row(&k, &r);
    assert_int_not_equal(r.work, WORK_COMMUNICATION);
    k.communicates = true;
    fill_row(&k, &r);
    assert_int_equal(r.work, WORK_COMMUNICATION);
    assert_int_equal(r.slot, figure_slot_of(work_category_name(WORK_COMMUNICATION)));
    k.communicates = false;
    k.kernel = S("q");
    fill_row(&k, &r);
    assert_int_equal(r.work, WORK_OTHER);
}

/* A name that ends where an operator's begins is not another one's. */
static void test_identity(void **state)
{
    (void)state;
    struct kernel_row one = {.kernel = S("ab"), .op = S("c"), .category = S("")};
    struct kernel_row other = {.kernel = S("a"), .op = S("bc"), .category = S("")};
    struct out o;
    out_memory(&o);
    struct str first = str_copy(&a, identity(&o, &one));
    assert_false(str_eq(first, identity(&o, &other)));
    one.stream = 1;
    assert_false(str_eq(first, identity(&o, &one)));
    one.stream = 0;
    assert_true(str_eq(first, identity(&o, &one)));
    out_free(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_row),
        cmocka_unit_test(test_share),
        cmocka_unit_test(test_work),
        cmocka_unit_test(test_identity),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
