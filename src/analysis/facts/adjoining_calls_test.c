#include "analysis/facts/adjoining_calls.c"

#include "analysis/findings_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static double adjoining_of(struct trace_case *c)
{
    struct analysis a = analyse(c);
    double n = work_number(&a.categories[WORK_GEMM].rows[0], "adjoining_calls");
    case_close(c);
    return n;
}

/* Q, K and V of two layers, then a softmax, the output's matmul and a norm: of eight
 * calls, two in each layer are right behind another. A workspace is set to zero in
 * between. */
static void projections_run_one_behind_the_other(void **state)
{
    (void)state;
    for (int stream = 7; stream <= 8; stream++) {
        struct trace_case c;
        int id = 1;
        case_begin(&c);
        for (int layer = 0; layer < 2; layer++)
            for (int k = 0; k < 6; k++, id++) {
                double at = 10 + 500 * layer + 50 * k;
                if (k == 3 || k == 5)
                    op(&c, "aten::_softmax", "[64,64]", at, "softmax", 2000 + at, 5,
                       id);
                else
                    op(&c, "aten::mm", "[64,64],[64,64]", at, "gemm", 2000 + at, 5, id);
            }
        case_event(&c, "gpu_memset", "Memset (Device)", stream, 2055, 2,
                   "\"correlation\":90,\"stream\":7");
        if (stream == 8) /* what runs on another stream is not between either */
            case_kernel(&c, "elementwise", 8, 2056, 2, 91);
        assert_near(adjoining_of(&c), 4, 0);
    }
}

static void what_has_work_between_does_not_adjoin(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    for (int k = 0; k < 4; k++) {
        double at = 10 + 100 * k;
        op(&c, "aten::mm", "[64,64],[64,64]", at, "gemm", 2000 + at, 5, 2 * k + 1);
        op(&c, "aten::relu", "[64,64]", at + 50, "elementwise", 2050 + at, 5,
           2 * k + 2);
    }
    assert_true(isnan(adjoining_of(&c)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(projections_run_one_behind_the_other),
        cmocka_unit_test(what_has_work_between_does_not_adjoin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
