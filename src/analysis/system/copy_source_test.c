#include "copy_source.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Three times: an operator of `us` on the CPU, the copy of what it makes, a kernel.
 * With frames a function of the user's holds both, and the kernel too if `all`. */
static struct copy_source of(double us, bool frames, bool all)
{
    struct trace_case c;
    case_begin(&c);
    if (frames)
        case_frame(&c, "swin.py(88): forward", 0, 30000);
    for (int k = 0; k < 3; k++) {
        double at = 9000 * k + 10;
        if (frames)
            case_frame(&c, "swin.py(120): get_index", at, all ? us + 300 : us + 150);
        case_op(&c, "aten::view", at + 1, 2);
        case_op(&c, "aten::sub", at + 5, us);
        case_op(&c, "aten::to", at + us + 10, 120);
        case_op(&c, "aten::copy_", at + us + 12, 110);
        case_call(&c, "cudaMemcpyAsync", at + us + 15, 100, 10 + k);
        case_copy(&c, "Memcpy HtoD (Pageable -> Device)", at + us + 20, 90, 10 + k,
                  1 << 20);
        case_op(&c, "aten::add", at + us + 160, 20);
        case_launch(&c, "add", at + us + 165, at + us + 170, 50, 20 + k);
    }
    case_open(&c, NULL);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    struct copy_source made = copy_source_of(&c.perm, &t);
    if (made.n)
        assert_int_equal(made.at[0].end_ns - made.at[0].start_ns,
                         1000 * (int64_t)(frames ? us + 150 : us + 125));
    made.at = NULL;
    case_close(&c);
    return made;
}

static void the_host_makes_what_it_copies(void **state)
{
    (void)state;
    assert_int_equal(of(2000, true, false).copies, 3);
    assert_int_equal(of(2000, true, false).n, 3);
    assert_int_equal(of(2000, false, false).copies, 3);
    assert_int_equal(of(2000, true, true).copies, 0); /* it does more than that */
    assert_int_equal(of(40, true, false).copies, 0);  /* or takes no time */
    assert_int_equal(of(40, false, false).copies, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_host_makes_what_it_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
