/* Benchmarks of an autotuner: in every step they are to go, in the first alone a
 * warm-up takes them. */
#include "analysis/findings_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Three steps of 10 ms, the first `tuned` of them with 5 ms of benchmarks; the host is
 * far ahead. */
static struct analysis steps(struct trace_case *c, int tuned)
{
    case_begin(c);
    for (int k = 0; k < 3; k++) {
        double host = 400.0 * k, gpu = 1000 + 10000.0 * k;
        char step[40];
        snprintf(step, sizeof step, "ProfilerStep#%d", k);
        case_event(c, "user_annotation", step, 1, host, 390, "\"k\":1");
        if (k < tuned) {
            case_frame(c, "triton/testing.py(95): do_bench", host + 10, 100);
            for (int i = 0; i < 5; i++)
                case_launch(c, "candidate", host + 20 + 15 * i, gpu + 1000 * i, 990,
                            100 * k + i + 1);
        }
        case_launch(c, "gemm", host + 200, gpu + 5200, 4700, 100 * k + 50);
    }
    return analyse_with(c, library);
}

static void what_recurs_is_to_go(void **state)
{
    (void)state;
    for (int tuned = 0; tuned < 4; tuned++) {
        struct trace_case c;
        struct analysis a = steps(&c, tuned);
        const struct finding *f = of_pattern(&a, "autotune_in_step");
        assert_int_equal(f != NULL, tuned > 0);
        if (f) {
            assert_near(f->time_ms, 4.95 * tuned, 1e-6);
            assert_int_equal(f->recording, tuned == 1);
            assert_int_equal(f->count, 5 * tuned);
            assert_near(f->whole_ms, f->time_ms, 1e-9);
            assert_int_equal(f->about, ABOUT_AUTOTUNE);
            assert_int_equal(f->confidence, CONFIDENCE_HIGH);
            assert_true(tuned == 1 || f->impact.low_ms >= 0.9 * f->impact.high_ms);
            assert_true(str_starts(f->title, tuned == 1 ? S("Record after warm-up")
                                                        : S("Keep the autotuner out")));
            assert_true(tuned == 1 ? !(f->impact.high_ms > 0)
                                   : f->impact.high_ms > 4.5 * tuned);
        }
        case_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_recurs_is_to_go),
    };
    return cmocka_run_group_tests(tests, open_library, close_library);
}
