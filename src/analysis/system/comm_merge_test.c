#include "comm_merge.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* 100 gradients of 2 MiB in four steps, 50 ms of 200 ms of communication exposed. */
struct merge_case {
    struct trace_case c;
    struct analysis a;
    struct multi_kernel_result r;
    struct device_spec device;
};

/* In each of four steps of 10 ms a backward pass from 2 to 8 ms: two kernels of 1 and 2
 * ms, and a gap between them; a forward kernel before. */
static void open_merge(struct merge_case *x, bool training)
{
    *x = (struct merge_case){0};
    case_begin(&x->c);
    for (int k = 0; k < 4; k++) {
        double at = 10000 * k;
        int id = 10 * k + 1;
        char step[40], sequence[40];
        snprintf(step, sizeof step, "ProfilerStep#%d", k);
        snprintf(sequence, sizeof sequence, "\"Sequence number\":%d", id);
        case_event(&x->c, "user_annotation", step, 1, at, 9999, "");
        case_event(&x->c, "cpu_op", "aten::mm", 1, at + 1, 20,
                   training ? sequence : "");
        case_launch(&x->c, "gemm", at + 5, at + 1000, 500, id);
        if (!training)
            continue;
        case_event(&x->c, "cpu_op", "autograd::engine::evaluate_function: MmBackward0",
                   2, at + 100, 50, sequence);
        case_event(&x->c, "cpu_op", "MmBackward0", 2, at + 101, 45, sequence);
        for (int i = 0; i < 2; i++) {
            char more[64];
            snprintf(more, sizeof more, "\"correlation\":%d", id + 1 + i);
            case_event(&x->c, "cuda_runtime", "hipLaunchKernel", 2, at + 105 + 10 * i,
                       1, more);
            case_kernel(&x->c, "gemm", 7, at + (i ? 6000 : 2000), i ? 2000 : 1000,
                        id + 1 + i);
        }
    }
    case_open(&x->c, NULL);
    x->a = case_analysis(&x->c);
    x->r = (struct multi_kernel_result){
        .comm_count = 125, .comm_merged_ms = 60, .step_count = 4};
    x->a.exposed_comm_ms = 50;
    x->a.computation_ms = 40;
    x->r.comm[COMM_ALL_REDUCE] = (struct comm_kind){.count = 100,
                                                    .mib = 2,
                                                    .exposed_us = 50000,
                                                    .seen_gb_per_s = 10,
                                                    .link_gb_per_s = 20};
    x->c.tables.device = &x->device;
}

static struct finding merged(struct merge_case *x, const char *pattern)
{
    struct pattern_hit hit = {.id = str_of(pattern)};
    struct finding f = {.impact.basis = S("before")};
    comm_merge(&x->c.perm, x->c.tmp, &x->a, &x->r, &hit, 1, &f);
    return f;
}

#define ALL_REDUCE "all_reduce_per_parameter"

/* 200 MiB take 10.5 to 21 ms on the link, 8 buckets of 25 MiB. */
static void merged_calls_still_cross_the_link(void **state)
{
    (void)state;
    struct merge_case x;
    open_merge(&x, false);
    struct finding f = merged(&x, ALL_REDUCE);
    assert_near(f.merged_part, 92.0 / 125, 1e-9);
    double fast_ms = 200 * 1.048576 / 20, slow_ms = 2 * fast_ms;
    /* 30 ms of computation could hide all, but for a tenth of the last bucket */
    double room_ms = comm_room_ms(&x.a, &x.r);
    assert_near(room_ms, 30, 1e-9);
    assert_near(f.impact.low_ms, 50 - slow_ms, 1e-6);
    assert_near(f.impact.high_ms, 50 - fast_ms / 50, 1e-6);
    assert_text(
        f.impact.basis,
        "the exposed time but what the summed messages take on the link and "
        "nothing can hide; 74% of the calls merged, with what the host does for "
        "them");
    assert_int_equal(f.n_evidence, 1);
    assert_text(
        f.evidence[0].text,
        "Merged they are 200.0 MiB in 8 buckets: 10.49 to 20.97 ms on the link.");
    x.device.peer_link_gb_per_s = 15; /* the trace shows more than the link has */
    x.a.computation_ms = 15;          /* 5 ms are left to hide it */
    fast_ms = 200 * 1.048576 / 15;
    assert_near(merged(&x, ALL_REDUCE).impact.high_ms, 50 - (fast_ms - 5), 1e-6);
    x.r.comm[COMM_ALL_REDUCE].link_gb_per_s = 0;
    assert_near(merged(&x, ALL_REDUCE).impact.high_ms, 50 - (fast_ms - 5), 1e-6);
    x.r.comm[COMM_ALL_REDUCE].exposed_us = 8000; /* less than it needs */
    assert_near(merged(&x, ALL_REDUCE).impact.low_ms, 0, 1e-9);
    case_close(&x.c);
}

/* Only the backward pass hides gradients: 12 ms of work in it, in 24 ms. Its last
 * bucket is a quarter, or a fiftieth, of the 50 MiB of a step. */
static void gradients_hide_behind_the_backward_pass(void **state)
{
    (void)state;
    struct merge_case x;
    open_merge(&x, true);
    double fast_ms = 200 * 1.048576 / 20, slow_ms = 2 * fast_ms;
    struct finding f = merged(&x, ALL_REDUCE);
    assert_near(f.impact.low_ms, 50 - fmax(slow_ms - 12, slow_ms / 4), 1e-6);
    assert_near(f.impact.high_ms, 50 - fast_ms / 50, 1e-6);
    x.r.comm[COMM_ALL_REDUCE].seen_gb_per_s = 15; /* 14 ms: its last bucket is more */
    f = merged(&x, ALL_REDUCE);
    assert_near(f.impact.low_ms, 50 - 200 * 1.048576 / 15 / 4, 1e-6);
    x.r.comm[COMM_ALL_REDUCE].seen_gb_per_s = 7; /* 30 ms, of which 12 are hidden */
    f = merged(&x, ALL_REDUCE);
    assert_near(f.impact.low_ms, 50 - (200 * 1.048576 / 7 - 12), 1e-6);
    x.r.comm[COMM_ALL_REDUCE].link_gb_per_s = 8; /* 26.2 ms, of which 24 are hidden */
    f = merged(&x, ALL_REDUCE);
    assert_near(f.impact.high_ms, 50 - (200 * 1.048576 / 8 - 24), 1e-6);
    case_close(&x.c);
}

static void few_calls_stay_what_they_are(void **state)
{
    (void)state;
    struct merge_case x;
    open_merge(&x, false);
    struct comm_kind *k = &x.r.comm[COMM_ALL_REDUCE];
    k->mib = 2.04; /* 51 MiB a step: three buckets */
    assert_near(merged(&x, ALL_REDUCE).merged_part, 88.0 / 125, 1e-9);
    k->mib = 2;
    k->backward = 90;
    k->in_rows = 95; /* more than the backward pass has: 95 calls become 8 */
    assert_near(merged(&x, ALL_REDUCE).merged_part, 87.0 / 125, 1e-9);
    k->rows = 10; /* at least one bucket a row */
    assert_near(merged(&x, ALL_REDUCE).merged_part, 85.0 / 125, 1e-9);
    k->backward = 95;
    k->rows = 0;
    k->mib = (double)NAN; /* one bucket a step of what is not known */
    k->seen_gb_per_s = 0;
    struct finding f = merged(&x, ALL_REDUCE);
    assert_near(f.merged_part, 96.0 / 125, 1e-9);
    assert_text(f.impact.basis,
                "before; 77% of the calls merged, with what the host does for them");
    k->mib = 60; /* more than a bucket: none is merged */
    assert_near(merged(&x, ALL_REDUCE).merged_part, 0, 1e-9);
    assert_near(merged(&x, "gradient_buckets").merged_part, 0,
                1e-9); /* no such calls */
    x.r.comm[COMM_REDUCE_SCATTER] = (struct comm_kind){.count = 10, .mib = 1};
    assert_near(merged(&x, "gradient_buckets").merged_part, 6.0 / 125, 1e-9);
    assert_near(merged(&x, "other").merged_part, 0, 1e-9);
    case_close(&x.c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merged_calls_still_cross_the_link),
        cmocka_unit_test(gradients_hide_behind_the_backward_pass),
        cmocka_unit_test(few_calls_stay_what_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
