#include "window_edges.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void note(struct trace_case *c, const char *name, double start_us, double dur_us)
{
    case_event(c, "user_annotation", name, 1, start_us, dur_us, "");
}

/* A kernel from 5000 to 6000 us, launched at 4990. */
static void work(struct trace_case *c)
{
    case_launch(c, "gemm", 4990, 5000, 1000, 1);
}

static void expect(struct trace_case *c, enum window_begin begin, double lead_us,
                   double tail_us)
{
    case_open(c, NULL);
    const struct trace_window *w = &c->view.window;
    const struct gpu_timeline *t = &c->view.timeline, *device = &c->view.device;
    assert_int_equal(w->begin, begin);
    assert_int_equal(w->lead_ns, (int64_t)(lead_us * 1000));
    assert_int_equal(w->tail_ns, (int64_t)(tail_us * 1000));
    assert_int_equal(t->start_ns, device->start_ns - w->lead_ns);
    assert_int_equal(t->total_ns, device->total_ns + w->lead_ns + w->tail_ns);
    assert_int_equal(t->idle_ns, device->idle_ns + w->lead_ns + w->tail_ns);
    assert_int_equal(c->tables.facts.time.total_ns, t->total_ns);
    assert_int_equal(c->tables.facts.device_time.total_ns, device->total_ns);
    case_close(c);
}

static void a_step_begins_and_ends_the_window(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_frame(&c, "main.py(1): main", 0, 9000);
    note(&c, "ProfilerStep#3", 1000, 7000);
    work(&c);
    expect(&c, WINDOW_FROM_STEP, 4000, 2000);
}

static void a_step_of_an_engine_does_too(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    note(&c, "step[DECODE bs=4]", 4500, 600);
    work(&c);
    expect(&c, WINDOW_FROM_STEP, 500, 0);
}

static void without_marks_the_device_begins_it(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_frame(&c, "main.py(1): main", 0, 9000);
    note(&c, "forward", 1000, 7000);
    work(&c);
    expect(&c, WINDOW_FROM_DEVICE, 0, 0);
}

static void a_wait_for_data_begins_it(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_frame(&c, "main.py(1): main", 0, 9000);
    note(&c, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 2000, 1000);
    work(&c);
    expect(&c, WINDOW_FROM_DATA_WAIT, 3000, 0);
    case_begin(&c);
    case_frame(&c, "torch/utils/data/dataloader.py(701): __next__", 2500, 1000);
    work(&c);
    expect(&c, WINDOW_FROM_DATA_WAIT, 2500, 0);
}

/* The loader's own making, and a wait while the device works, are none. */
static void other_work_of_loaders_does_not(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_frame(&c, "torch/utils/data/dataloader.py(417): __iter__", 2500, 1000);
    work(&c);
    case_frame(&c, "torch/utils/data/dataloader.py(701): __next__", 5500, 1000);
    expect(&c, WINDOW_FROM_DEVICE, 0, 0);
}

/* Two milliseconds until the device is done with what nobody recorded; a wait of 10 us
 * waits for nothing. */
static void unrecorded_work_is_not_idle(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    note(&c, "ProfilerStep#3", 1000, 5000);
    case_call(&c, "cudaDeviceSynchronize", 1500, 2000, 70);
    case_call(&c, "cudaStreamSynchronize", 4000, 10, 71);
    work(&c);
    expect(&c, WINDOW_FROM_UNSEEN, 1500, 0);
    case_begin(&c);
    note(&c, "ProfilerStep#3", 1000, 5000);
    case_call(&c, "cudaLaunchKernel", 1500, 10, 70); /* whose kernel is missing */
    work(&c);
    expect(&c, WINDOW_FROM_UNSEEN, 3490, 0);
}

static void the_backlog_is_not_idle(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    note(&c, "ProfilerStep#3", 1000, 5000);
    case_kernel(&c, "old", 7, 500, 4000, 91);
    work(&c);
    expect(&c, WINDOW_FROM_BACKLOG, 500, 0);
    case_begin(&c);
    note(&c, "ProfilerStep#3", 1000, 5000);
    case_kernel(&c, "old", 7, 500, 4000, 91);
    case_call(&c, "cudaDeviceSynchronize", 1500, 3010, 70); /* for it */
    work(&c);
    expect(&c, WINDOW_FROM_BACKLOG, 490, 0);
}

/* Launched 3 ms before it starts: the device had other work. */
static void a_queued_first_event_begins_it(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    note(&c, "ProfilerStep#3", 1000, 5000);
    case_launch(&c, "gemm", 2000, 5000, 1000, 1);
    expect(&c, WINDOW_FROM_DEVICE, 0, 0);
}

/* A host that reads a loss waits until the last kernel ends, and goes on. */
static void a_wait_for_the_last_kernel_leaves_the_tail(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    note(&c, "ProfilerStep#3", 1000, 9000);
    case_launch(&c, "gemm", 4990, 5000, 3000, 1);
    case_call(&c, "cudaStreamSynchronize", 5010, 2995, 70);
    expect(&c, WINDOW_FROM_STEP, 4000, 2000);
    case_begin(&c); /* a millisecond longer, it waits for what is not recorded */
    note(&c, "ProfilerStep#3", 1000, 9000);
    case_launch(&c, "gemm", 4990, 5000, 3000, 1);
    case_call(&c, "cudaStreamSynchronize", 5010, 3995, 70);
    expect(&c, WINDOW_FROM_STEP, 4000, 0);
}

static void lost_work_is_no_tail(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    note(&c, "ProfilerStep#3", 4900, 5000);
    work(&c);
    case_call(&c, "cudaLaunchKernel", 7000, 10, 70);
    expect(&c, WINDOW_FROM_STEP, 100, 0);
}

static void the_reference_knows_device_time_alone(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    note(&c, "ProfilerStep#3", 1000, 7000);
    work(&c);
    case_open(&c, NULL);
    struct trace_view v = view_build(
        &c.perm, c.tmp, &c.store, (struct view_options){.unlinked = UNLINKED_LEFT_OUT});
    assert_int_equal(v.timeline.total_ns, 1000000);
    assert_int_equal(v.window.lead_ns + v.window.tail_ns, 0);
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_begins_and_ends_the_window),
        cmocka_unit_test(a_step_of_an_engine_does_too),
        cmocka_unit_test(without_marks_the_device_begins_it),
        cmocka_unit_test(a_wait_for_data_begins_it),
        cmocka_unit_test(other_work_of_loaders_does_not),
        cmocka_unit_test(unrecorded_work_is_not_idle),
        cmocka_unit_test(the_backlog_is_not_idle),
        cmocka_unit_test(a_queued_first_event_begins_it),
        cmocka_unit_test(a_wait_for_the_last_kernel_leaves_the_tail),
        cmocka_unit_test(lost_work_is_no_tail),
        cmocka_unit_test(the_reference_knows_device_time_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
