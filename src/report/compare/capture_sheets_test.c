#include "capture_sheets.c"

#include "base/arena_case.h"
#include "report/compare/sheet_csv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define HEAD                                                                           \
    "name,op category,operation_count,Kernel Time (µs)_sum,trunc_kernel_details\n"
#define KERNEL(name) "{'name': '" name "', 'stream': 7}"

static struct capture_row row(const char *line)
{
    struct report_table t;
    struct err e = {0};
    struct str text = str_printf(&a, HEAD "%s\n", line);
    assert_true(sheet_of_csv(&a, S("unified_perf_summary"), text, "t.csv", &t, &e));
    struct capture c =
        capture_of_sheets(&a, &(struct sheets){.tables = &t, .n = 1}, S("x"), NULL);
    assert_int_equal(c.n_rows, 1);
    return c.rows[0];
}

/* The memset in front of a matmul, as CUDA libraries have it, and one alone. */
static void a_row_is_of_its_work(void **state)
{
    (void)state;
    struct capture_row r = row("aten::mm,GEMM,48,96.5,\"[" KERNEL(
        "Memset (Device)") ", " KERNEL("nvjet_tst_128x256_64x4...") "]\"");
    assert_int_equal(r.category, WORK_GEMM);
    assert_text(r.kernel, "nvjet_tst_128x256_64x4");
    assert_int_equal(r.kernel_ns, 96500);
    assert_int_equal(r.n_calls, 48);
    r = row("aten::zero_,other,2,3,\"[" KERNEL("Memset (Device)") "]\"");
    assert_int_equal(r.category, WORK_COPY);
    assert_text(r.kernel, "Memset (Device)");
    r = row("aten::mm,GEMM,1,3,");
    assert_int_equal(r.category, WORK_GEMM);
}

/* "time ms" of the timeline, and kernels in us under a title of ms. */
static void a_unit_that_cannot_be_is_corrected(void **state)
{
    (void)state;
    struct report_table t[2];
    struct err e = {0};
    assert_true(sheet_of_csv(&a, S("gpu_timeline"),
                             S("type,time ms\ntotal_time,66505.8\n"), "t.csv", &t[0],
                             &e));
    assert_true(sheet_of_csv(&a, S("kernel_summary"),
                             S("name,Count,Total Kernel Time (ms)\nk,2,27018592.5\n"),
                             "t.csv", &t[1], &e));
    struct sheets s = {.tables = t, .n = 2};
    struct capture c = capture_of_sheets(&a, &s, S("x"), NULL);
    assert_int_equal(c.rows[0].kernel_ns, 27018592500);
    s = (struct sheets){.tables = &t[1], .n = 1}; /* nothing says that it cannot be */
    c = capture_of_sheets(&a, &s, S("x"), NULL);
    assert_int_equal(c.rows[0].kernel_ns, 27018592500000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_is_of_its_work),
        cmocka_unit_test(a_unit_that_cannot_be_is_corrected)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
