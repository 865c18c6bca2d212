#include "trace_facts.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* The earliest event follows a later one in the file. One launch of 300 us, a
 * graph's of 100 us that the device starts 2 us too early, and a kernel that no call
 * launched, 60 us of which nothing else runs. */
static void a_trace_is_counted_once(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_event(&c, "user_annotation", "ProfilerStep#1", 1, 9, 500, "");
    case_event(&c, "user_annotation", "ProfilerStep#2", 1, 510, 700, "");
    case_event(&c, "cpu_op", "aten::mm", 1, 5, 10,
               "\"Input Dims\":[[4,4],[4,4]],\"Input type\":[\"float\",\"float\"]");
    case_launch(&c, "gemm", 6, 100, 300, 1);
    case_call(&c, "cudaGraphLaunch", 420, 5, 2);
    case_kernel(&c, "replayed", 7, 418, 100, 2);
    case_kernel(&c, "alone", 7, 600, 60, 3);
    case_open(&c, NULL);
    const struct trace_facts *f = &c.tables.facts;
    assert_true(f->has_events && f->has_cpu_op && f->has_shapes && !f->has_frames);
    assert_int_equal(f->first_ns, 5000);
    assert_int_equal(f->step_ms.n, 2);
    assert_near(f->step_ms.max, 0.7, 1e-9);
    assert_int_equal(f->n_device, 3);
    assert_int_equal(f->n_linked, 2);
    assert_int_equal(f->unlinked_ns, 60000);
    assert_int_equal(f->busy_ns, 460000);
    assert_int_equal(f->time.busy_ns, 460000);
    assert_int_equal(f->graph_launches, 1);
    assert_int_equal(f->graph_ns, 100000);
    assert_int_equal(f->kernel_ns, 460000);
    assert_int_equal(f->launched_ns, 300000);
    assert_int_equal(f->shaped_ns, 300000);
    assert_int_equal(f->early, 1);
    assert_int_equal(f->earliest_ns, 2000);
    assert_int_equal(f->n_devices, 1);
    case_close(&c);
}

/* 3 ms of a wait pass before the first launch. None of a copy, of a call that frees, or
 * behind a launch counts, nor a wait that an idle device explains. */
static void waits_before_the_first_launch(void **state)
{
    (void)state;
    static const struct {
        const char *call;
        double at_us, dur_us;
        int64_t ns;
    } cases[] = {
        {"hipDeviceSynchronize", 1000, 3900, 3000000}, /* until the launch */
        {"cudaStreamSynchronize", 1000, 600, 600000},
        {"cudaStreamSynchronize", 1000, 400, 0},
        {"hipFree", 1000, 3000, 0},
        {"hipDeviceSynchronize", 4100, 3000, 0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct trace_case c;
        case_begin(&c);
        case_event(&c, "cuda_runtime", cases[k].call, 2, cases[k].at_us,
                   cases[k].dur_us, "");
        case_launch(&c, "gemm", 4000, 8000, 300, 1);
        case_open(&c, NULL);
        const struct trace_facts *f = &c.tables.facts;
        assert_int_equal(f->early_wait_ns, cases[k].ns);
        assert_true(!f->early_wait_ns || str_eq(f->early_wait, str_of(cases[k].call)));
        case_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_trace_is_counted_once),
                                       cmocka_unit_test(waits_before_the_first_launch)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
