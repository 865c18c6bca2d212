#include "copy_rows.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Of four copies to the device the second alone has the size of that before it and no
 * kernel between; the copy to the host goes another way. Later events come first in the
 * file. */
static void copies_of_one_size_follow_one_another(void **state)
{
    (void)state;
    struct trace_case c;
    struct copy_result copies[COPY_DIRECTIONS] = {{.count = 0}};
    case_begin(&c);
    case_call(&c, "cudaMemcpyAsync", 1, 1, 1);
    case_copy(&c, "Memcpy DtoH (Device -> Pinned)", 700, 50, 1, 2000);
    case_copy(&c, "Memcpy HtoD (Pinned -> Device)", 600, 50, 1, 2000);
    case_copy(&c, "Memcpy HtoD (Pinned -> Device)", 500, 50, 1, 1000);
    case_kernel(&c, "work", 7, 300, 100, 1);
    case_copy(&c, "Memcpy HtoD (Pinned -> Device)", 200, 50, 1, 1000);
    case_copy(&c, "Memcpy HtoD (Pinned -> Device)", 100, 50, 1, 1000);
    case_open(&c, NULL);
    copy_rows_count(c.tmp, &c.view, copies);
    assert_int_equal(copies[COPY_H2D].in_row_count, 1);
    assert_int_equal(copies[COPY_D2H].in_row_count, 0);
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_of_one_size_follow_one_another)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
