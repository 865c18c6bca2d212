#include "analysis/system/launched_within.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A frame from 100 to 200 us and one from 300 to 400: one kernel and one fill in the
 * first and one kernel in the second, whenever they run, and kernels before, between
 * and behind, and on another thread. */
static void kernels_of_frames(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_frame(&c, "triton/testing.py(95): do_bench", 100, 100);
    case_frame(&c, "triton/testing.py(95): do_bench", 300, 100);
    case_launch(&c, "before", 90, 95, 7, 1);
    case_launch(&c, "inside", 110, 250, 5, 2);
    case_call(&c, "cudaMemsetAsync", 120, 5, 3);
    case_event(&c, "gpu_memset", "Memset (Device)", 7, 270, 2,
               "\"correlation\":3,\"stream\":7");
    case_launch(&c, "between", 210, 280, 9, 4);
    case_launch(&c, "inside", 310, 350, 3, 5);
    case_launch(&c, "behind", 410, 420, 9, 6);
    case_open(&c, NULL);
    struct launched x = launched_within(&c.perm, &c.view, CAT_PYTHON, "do_bench", true);
    assert_int_equal(x.n, 3);
    assert_int_equal(x.total_ns, 10000);
    x = launched_within(&c.perm, &c.view, CAT_PYTHON, "do_bench", false);
    assert_int_equal(x.n, 2);
    x = launched_within(&c.perm, &c.view, CAT_ANNOTATION, "do_bench", true);
    assert_int_equal(x.n, 0);
    x = launched_within(&c.perm, &c.view, CAT_PYTHON, "do_other", true);
    assert_int_equal(x.n, 0);
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_of_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
