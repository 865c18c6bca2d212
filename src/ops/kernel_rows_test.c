#include "kernel_rows.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct str name_of_first(const struct trace_case *c)
{
    return c->tables.judged.rows[0].first->name;
}

/* Kernels that a call launched which is in no operator. */
static void launched(struct trace_case *c, const char *call, const char *kernel, int n)
{
    case_begin(c);
    for (int i = 0; i < n; i++) {
        case_call(c, call, 100.0 * i, 1, i + 1);
        case_kernel(c, kernel, 7, 100.0 * i + 20, 8, i + 1);
    }
    case_open(c, NULL);
}

static void a_row_is_named_by_call_and_kernel(void **state)
{
    (void)state;
    struct trace_case c;
    launched(&c, "hipGraphLaunch", "ours", 3);
    assert_int_equal(c.tables.judged.n, 1);
    assert_text(name_of_first(&c), "hipGraphLaunch->ours (Synthetic Op)");
    case_close(&c);
}

/* 500 rows of 60 kB and as much again would be 60 MB. */
static void long_names_are_cut_and_written_once(void **state)
{
    (void)state;
    enum { LONG = 60000 };
    static char call[LONG + 1], kernel[LONG + 1];
    struct trace_case c;
    memset(call, 'c', LONG);
    memset(kernel, 'k', LONG);
    launched(&c, call, kernel, 500);
    assert_int_equal(c.tables.judged.n, 1);
    assert_int_equal(name_of_first(&c).n,
                     ROW_CALL_BYTES + ROW_KERNEL_BYTES + strlen("-> (Synthetic Op)"));
    assert_in_range(c.perm.at - c.perm_start, 1, 2 << 20);
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_is_named_by_call_and_kernel),
        cmocka_unit_test(long_names_are_cut_and_written_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
