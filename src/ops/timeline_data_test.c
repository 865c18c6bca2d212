#include "timeline_data.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static int64_t sum(const int64_t *bins, int n)
{
    int64_t total = 0;
    for (int k = 0; k < n; k++)
        total += bins[k];
    return total;
}

static const struct timeline_data *build(struct trace_case *c)
{
    case_open(c, NULL);
    return timeline_data_build(&c->perm, c->tmp, &c->view);
}

/* 0 to 400 us by 400 bins of 1 us. Compute 0 to 100; a collective 50 to 150, of which
 * 50 are exposed; a copy 140 to 170 with 20 exposed; a kernel of 10 us at the end. Busy
 * 0 to 170 and 390 to 400: 180 of 400 us. */
static void test_parts(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_launch(&c, "gemm", -10, 0, 100, 1);
    case_call(&c, "hipLaunchKernel", -9, 1, 2);
    case_kernel(&c, "ncclDevKernel_AllReduce", 8, 50, 100, 2);
    case_call(&c, "hipMemcpyAsync", -8, 1, 3);
    case_copy(&c, "Memcpy DtoH", 140, 30, 3, 4096);
    case_launch(&c, "last", -7, 390, 10, 4);
    const struct timeline_data *d = build(&c);
    assert_int_equal(d->total_ns, 400000);
    assert_int_equal(d->n_bins, 400);
    assert_int_equal(sum(d->part_ns[BUSY_COMPUTE], 400), 110000);
    assert_int_equal(sum(d->part_ns[BUSY_COMM], 400), 50000);
    assert_int_equal(sum(d->part_ns[BUSY_COPY], 400), 20000);
    assert_int_equal(sum(d->part_ns[BUSY_COMPUTE], 400),
                     c.view.timeline.computation_ns);
    assert_int_equal(d->part_ns[BUSY_COMM][99], 0);
    assert_int_equal(d->part_ns[BUSY_COMM][100], 1000);
    assert_int_equal(d->part_ns[BUSY_COPY][150], 1000);

    /* Stream 7: 100 + 30 + 10 us; stream 8: 100 us. Together more than 180: overlap. */
    assert_int_equal(d->n_streams, 2);
    assert_true(str_eq(d->streams[0].name, S("stream 7")));
    assert_int_equal(d->streams[0].busy_ns, 140000);
    assert_int_equal(d->streams[0].launches, 3);
    assert_int_equal(sum(d->streams[1].bin_ns, 400), 100000);
    assert_true(d->streams_overlap);

    /* Delays of kernels: 10, 59 and 397 us; the copy is none. */
    assert_int_equal(d->n_launches, 3);
    assert_true(d->median_delay_us == 59.0);
    assert_true(d->max_delay_us == 397.0);
    assert_int_equal(sum(d->delay.count, DURATION_BINS), 3);
    assert_int_equal(d->n_early, 0);
    assert_int_equal(d->n_short, 0);
    assert_true(isnan(d->launches_per_step));

    /* No steps: ten windows of 40 us; the first is busy throughout. */
    assert_false(d->has_steps);
    assert_int_equal(d->n_steps, 10);
    assert_int_equal(d->steps[0].busy_ns, 40000);
    assert_int_equal(d->steps[9].busy_ns, 10000);
    int64_t busy = 0, launches = 0;
    for (int k = 0; k < 10; k++) {
        busy += d->steps[k].busy_ns;
        launches += d->steps[k].launches;
    }
    assert_int_equal(busy, 180000);
    assert_int_equal(launches, 4);
    assert_null(d->memory);
    case_close(&c);
}

/* Four steps of 100 us, the last one of 150: 50 % above the median. Each launches one
 * kernel of 20 us, which starts 30 us after its call. */
static void test_steps(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    for (int k = 0; k < 4; k++) {
        char name[32];
        snprintf(name, sizeof name, "ProfilerStep#%d", 10 + k);
        case_event(&c, "user_annotation", name, 1, 100 * k, k == 3 ? 150 : 100, "");
        case_launch(&c, "k", 100 * k + 10, 100 * k + 40, 20, 1 + k);
    }
    const struct timeline_data *d = build(&c);
    assert_true(d->has_steps);
    assert_false(d->steps_on_device);
    assert_int_equal(d->n_steps, 4);
    assert_int_equal(d->median_step_ns, 100000);
    assert_int_equal(d->steps[3].number, 13);
    assert_int_equal(d->steps[0].start_ns, 0); /* with the first kernel at 40 us */
    assert_true(d->steps[3].deviation_pct == 50.0);
    assert_true(d->steps[3].slow);
    assert_false(d->steps[2].slow);
    for (int k = 0; k < 4; k++) {
        assert_int_equal(d->steps[k].busy_ns, 20000);
        assert_int_equal(d->steps[k].launches, 1);
    }
    assert_true(d->launches_per_step == 1.0);
    case_close(&c);
}

static void memory_event(struct trace_case *c, double at_us, int type, long long bytes)
{
    out_printf(
        &c->text,
        "%s{\"ph\":\"i\",\"s\":\"t\",\"cat\":\"cpu_instant_event\",\"name\":\"["
        "memory]\",\"pid\":9,\"tid\":1,\"ts\":%.3f,\"args\":{\"Bytes\":8,\"Device "
        "Type\":%d,\"Device Id\":0,\"Total Allocated\":%lld,\"Total "
        "Reserved\":4096}}",
        c->n_events++ ? ",\n" : "", at_us, type, bytes);
}

/* The accelerator's records, though the host has more; the peak is at 50 us. */
static void test_memory(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    for (int k = 0; k < 10; k++)
        memory_event(&c, k, 0, 7);
    memory_event(&c, 0, 1, 1000);
    memory_event(&c, 50, 1, 3000);
    memory_event(&c, 100, 1, 2000);
    const struct timeline_data *d = build(&c);
    assert_int_equal(d->n_bins, 0);
    assert_int_equal(d->n_steps, 0);
    assert_non_null(d->memory);
    assert_int_equal(d->memory->n_records, 3);
    assert_int_equal(d->memory->peak_allocated, 3000);
    assert_int_equal(d->memory->peak_at_ns, 50000);
    assert_int_equal(d->memory->peak_reserved, 4096);
    assert_int_equal(d->memory->allocated[0], 1000);
    assert_int_equal(d->memory->allocated[199], 1000);
    assert_int_equal(d->memory->allocated[200], 3000);
    assert_int_equal(d->memory->allocated[TIMELINE_BINS - 1], 3000); /* then 2000 */
    case_close(&c);
}

/* A kernel of one nanosecond: one bin. Nothing at all: none. */
static void test_small(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_launch(&c, "k", 5, 4, 0.001, 1); /* starts before its call: clocks */
    const struct timeline_data *d = build(&c);
    assert_int_equal(d->n_bins, 1);
    assert_int_equal(d->part_ns[BUSY_COMPUTE][0], 1);
    assert_int_equal(d->n_early, 1);
    assert_int_equal(sum(d->delay.count, DURATION_BINS), 0);
    case_close(&c);

    case_begin(&c);
    d = build(&c);
    assert_int_equal(d->n_bins + d->n_streams + d->n_steps, 0);
    assert_true(isnan(d->median_delay_us));
    case_close(&c);
}

/* Bins of a length that the number of bins does not divide still hold all of it. */
static void test_uneven(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_launch(&c, "a", 0, 0, 333.337, 1);
    case_launch(&c, "b", 0, 500.001, 77.777, 2);
    const struct timeline_data *d = build(&c);
    assert_int_equal(d->total_ns, 577778);
    assert_int_equal(timeline_bin_ns(d, 400), 577778);
    assert_int_equal(sum(d->part_ns[BUSY_COMPUTE], 400), 333337 + 77777);
    for (int k = 0; k < 400; k++)
        assert_true(d->part_ns[BUSY_COMPUTE][k] <=
                    timeline_bin_ns(d, k + 1) - timeline_bin_ns(d, k));
    case_close(&c);
}

/* Steps that are alike have the same number of bins, to half a bin over the run; others
 * leave the bins as many as there may be. */
static void test_bins_do_not_beat_with_steps(void **state)
{
    (void)state;
    static const struct {
        int64_t total_ns, step_ns;
        int n_bins, each;
    } cases[] = {{7300000, 1000000, 350, 48},
                 {400000, 10000, 400, 10},
                 {1000000, 9000, 333, 3},
                 {1000000, 2000, 400, 0},
                 {400, 100, 384, 96}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct trace_view v = {.steps = {.n_steady = 4, .median_ns = cases[k].step_ns}};
        struct timeline_data d = {.total_ns = cases[k].total_ns};
        choose_bins(&v, &d);
        assert_int_equal(d.n_bins, cases[k].n_bins);
        assert_int_equal(d.bins_per_step, cases[k].each);
        v.steps.n_steady = 2;
        d = (struct timeline_data){.total_ns = cases[k].total_ns};
        choose_bins(&v, &d);
        assert_int_equal(d.n_bins, 400);
        assert_int_equal(d.bins_per_step, 0);
    }
}

/* Two such delays do not fit into 64 bits together. */
static void test_delays_of_a_century(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    for (int k = 1; k <= 4; k++)
        case_far_launch(&c, k);
    const struct timeline_data *d = build(&c);
    double most_us = 0x1p62 / 1e3;
    assert_int_equal(d->n_launches, 4);
    assert_near(d->median_delay_us, most_us, 1);
    assert_near(d->max_delay_us, most_us, 1);
    assert_int_equal(d->delay.total_ns[DURATION_BINS - 1], INT64_MAX);
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bins_do_not_beat_with_steps),
        cmocka_unit_test(test_delays_of_a_century),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_small),
        cmocka_unit_test(test_uneven),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
