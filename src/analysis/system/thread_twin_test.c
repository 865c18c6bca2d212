#include "thread_twin.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A call of thread `tid` in an operation, and what XLA says of it on another line. */
static void operation(struct trace_case *c, const char *name, int tid, int said_tid,
                      double at_us, int correlation)
{
    char more[32];
    snprintf(more, sizeof more, "\"correlation\":%d", correlation);
    case_event(c, "cpu_op", name, said_tid, at_us - 2, 8, "");
    case_event(c, "cpu_op", name, tid, at_us, 2, "");
    case_event(c, "cuda_runtime", "hipModuleLaunchKernel", tid, at_us, 2, more);
    case_kernel(c, "k", 7, at_us + 10, 5, correlation);
}

static int32_t lane_of(const struct trace_case *c, const char *name, int nth)
{
    return c->store.lane[case_find(c, name, nth)];
}

/* Two threads run the same program, for a moment at the same time. */
static void calls_and_words_of_a_thread_belong_together(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_event(&c, "cpu_op", "of 1", 11, 0, 1, "");
    case_event(&c, "cpu_op", "of 2", 12, 0, 1, "");
    case_event(&c, "python_function", "main.py(1): main", 13, 0, 900, "");
    for (int k = 0; k < 4; k++) {
        operation(&c, "fusion", 1, 11, 100 + 100 * k, 2 * k);
        operation(&c, "fusion", 2, 12, (k ? 150 : 101) + 100 * k, 2 * k + 1);
    }
    case_open(&c, NULL);
    assert_null(thread_twins_find(&c.perm, c.tmp, &c.view)); /* not of JAX */
    c.store.abilities = &jax_abilities;
    int32_t *twins = thread_twins_find(&c.perm, c.tmp, &c.view);
    int32_t first = c.store.lane[launch_call(&c.view.launch, case_find(&c, "k", 0))],
            second = c.store.lane[launch_call(&c.view.launch, case_find(&c, "k", 1))];
    assert_int_not_equal(first, second);
    assert_int_equal(twins[first], lane_of(&c, "of 1", 0));
    assert_int_equal(twins[second], lane_of(&c, "of 2", 0));
    assert_int_equal(twins[lane_of(&c, "main.py(1): main", 0)], -1);
    assert_int_equal(twins[lane_of(&c, "of 1", 0)], -1);
    case_close(&c);
}

/* Words of which nobody knows whose they are: no other line, or two alike. */
static void whose_words_is_not_guessed(void **state)
{
    (void)state;
    for (int both = 0; both < 2; both++) {
        struct trace_case c;
        case_begin(&c);
        for (int k = 0; k < 3; k++) {
            operation(&c, "fusion", 1, both ? 11 : 1, 100 + 100 * k, k);
            if (both)
                case_event(&c, "cpu_op", "fusion", 12, 98 + 100 * k, 8, "");
            case_event(&c, "cpu_op", "another", 12, 90 + 100 * k, 40, "");
        }
        case_open(&c, NULL);
        c.store.abilities = &jax_abilities;
        int32_t *twins = thread_twins_find(&c.perm, c.tmp, &c.view);
        for (int32_t l = 0; l < c.store.n_lanes; l++)
            assert_int_equal(twins[l], -1);
        case_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_and_words_of_a_thread_belong_together),
        cmocka_unit_test(whose_words_is_not_guessed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
