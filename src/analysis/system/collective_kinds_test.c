#include "collective_kinds.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* One kernel of 50 us, launched within an annotation if that is not NULL. */
static enum comm_kind_id kind(const char *kernel, const char *note)
{
    struct trace_case c;
    struct multi_kernel_result r = {0};
    case_begin(&c);
    if (note)
        case_event(&c, "user_annotation", note, 1, 0, 30, "");
    case_op(&c, "mine::exchange", 5, 10);
    case_launch(&c, kernel, 6, 100, 50, 1);
    case_open(&c, NULL);
    collective_kinds_measure(&c.perm, c.tmp, &c.view, &c.tables.traits, &r);
    int found = COMM_KINDS;
    for (int k = 0; k < COMM_KINDS; k++)
        found = r.comm[k].count ? k : found;
    case_close(&c);
    return (enum comm_kind_id)found;
}

static void the_annotation_beats_the_kernel(void **state)
{
    static const char generic[] = "ncclDevKernel_Generic_4(ncclDevKernelArgsStorage)";
    (void)state;
    assert_int_equal(kind(generic, NULL), COMM_OTHER);
    assert_int_equal(kind(generic, "nccl:all_reduce"), COMM_ALL_REDUCE);
    assert_int_equal(kind(generic, "forward"), COMM_OTHER);
    assert_int_equal(kind("ncclDevKernel_SendRecv", "nccl:all_to_all"),
                     COMM_ALL_TO_ALL);
    assert_int_equal(kind("ncclDevKernel_SendRecv", NULL), COMM_SEND_RECV);
}

static void exchanges_of_experts_are_all_to_all(void **state)
{
    (void)state;
    assert_int_equal(kind("void deep_ep::internode::dispatch<false>", NULL),
                     COMM_ALL_TO_ALL);
    assert_int_equal(kind("ep::intranode::combine", NULL), COMM_ALL_TO_ALL);
    assert_int_equal(kind("moe_combine_kernel", NULL), COMM_KINDS); /* computes */
}

/* Sizes beside a kernel, else of the tensors of the annotation around its launch. */
static void messages_have_the_size_of_their_annotation(void **state)
{
    (void)state;
    static const struct {
        const char *kernel, *note;
        double mib, needs_us;
    } cases[] = {
        {"", "\"Input Dims\":[[262144]],\"Input type\":[\"float\"]", 1,
         50 + 2 * 1048.576},
        {"", "\"Input Dims\":[[[1024,64],[65536]]],\"Input type\":[\"long int\"]", 1,
         50 + 2 * 1048.576},
        {",\"In msg nelems\":1048576,\"dtype\":\"Float\"",
         "\"Input Dims\":[[262144]],\"Input type\":[\"float\"]", 4, 50 + 8 * 1048.576},
        {"", "\"Input Dims\":[[262144]],\"Input type\":[\"mine\"]", (double)NAN,
         (double)NAN},
        {"", "", (double)NAN, (double)NAN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trace_case c;
        struct multi_kernel_result r = {0};
        struct comm_kind *k = &r.comm[COMM_ALL_REDUCE];
        char more[200];
        case_begin(&c);
        case_event(&c, "user_annotation", "nccl:all_reduce", 1, 0, 30, cases[i].note);
        case_call(&c, "cudaLaunchKernel", 6, 1, 1);
        snprintf(more, sizeof more, "\"correlation\":1,\"stream\":7%s",
                 cases[i].kernel);
        case_event(&c, "kernel", "ncclDevKernel_AllReduce_Sum_f32", 7, 100, 50, more);
        case_open(&c, NULL);
        collective_kinds_measure(&c.perm, c.tmp, &c.view, &c.tables.traits, &r);
        if (isnan(cases[i].mib))
            assert_true(isnan(k->mib) && isnan(k->needs_us));
        else {
            assert_true(fabs(k->mib - cases[i].mib) < 1e-9);
            assert_true(fabs(k->needs_us - cases[i].needs_us) < 1e-6);
        }
        case_close(&c);
    }
}

/* Messages of 4, 4 and 40 MB, in 1, 4 and 10 ms: 4, 1 and 4 GB/s, and one of unknown
 * size. */
static void the_typical_rate_is_one_of_calls(void **state)
{
    (void)state;
    static const double mb[] = {4, 4, 40, 0}, ms[] = {1, 4, 10, 100};
    struct trace_case c;
    struct multi_kernel_result r = {0};
    case_begin(&c);
    for (int k = 0; k < 4; k++) {
        char size[80] = "", args[200];
        if (mb[k] > 0)
            snprintf(size, sizeof size, ",\"In msg nelems\":%.0f,\"dtype\":\"Float\"",
                     mb[k] * 250000);
        snprintf(args, sizeof args, "\"stream\":7,\"correlation\":%d%s", k + 1, size);
        case_event(&c, "kernel", "ncclDevKernel_AllReduce_Sum_f32", 7, 1e6 * k,
                   1000 * ms[k], args);
    }
    case_open(&c, NULL);
    collective_kinds_measure(&c.perm, c.tmp, &c.view, &c.tables.traits, &r);
    assert_near(r.comm[COMM_ALL_REDUCE].median_gb_per_s, 4, 1e-6);
    assert_near(r.comm[COMM_ALL_REDUCE].median_mib, 4 / 1.048576, 1e-4);
    case_close(&c);
}

static struct comm_kind late_of(double long_us, int32_t late, int32_t n, bool sized)
{
    struct comm_kind c = {0};
    double us[64];
    for (int32_t i = 0; i < n; i++)
        us[i] = i < late ? long_us : 1000;
    note_late(&c, us, n, 1000, sized);
    return c;
}

/* Of unknown size, few calls are late, and only by more than a message can take. */
static void calls_of_unknown_size_are_late_if_few_and_long(void **state)
{
    (void)state;
    assert_int_equal(late_of(12000, 2, 40, false).late_count, 2);
    assert_int_equal(late_of(12000, 2, 40, false).late_unsized, 2);
    assert_true(late_of(12000, 2, 40, false).late_us == 22000);
    assert_int_equal(late_of(12000, 3, 40, false).late_count, 0); /* larger ones */
    assert_int_equal(late_of(12000, 1, 39, false).late_count, 0);
    assert_int_equal(late_of(9000, 2, 40, false).late_count, 0);
    assert_int_equal(late_of(9000, 3, 40, true).late_count, 3);
    assert_int_equal(late_of(9000, 3, 40, true).late_unsized, 0);
}

/* Eight sends of 1 ms, seven receives of 100 ms and one of 700: the receives wait, and
 * one of them by 600 ms more than the others; the sends say nothing of that. */
static void receives_are_compared_with_receives(void **state)
{
    (void)state;
    struct trace_case c;
    struct multi_kernel_result r = {0};
    case_begin(&c);
    for (int k = 0; k < 16; k++) {
        char args[200];
        double us = k % 2 ? (k == 15 ? 700000 : 100000) : 1000;
        snprintf(
            args, sizeof args,
            "\"device\":0,\"stream\":7,\"correlation\":%d,\"Collective name\":\"%s\","
            "\"In msg nelems\":1000000,\"dtype\":\"Float\"",
            k + 1, k % 2 ? "recv" : "send");
        case_event(&c, "kernel", "ncclDevKernel_SendRecv", 7, 1e6 * k, us, args);
    }
    case_open(&c, NULL);
    collective_kinds_measure(&c.perm, c.tmp, &c.view, &c.tables.traits, &r);
    const struct comm_kind *p2p = &r.comm[COMM_SEND_RECV];
    assert_int_equal(p2p->count, 16);
    assert_near(p2p->median_us, 100000, 1e-6);
    assert_int_equal(p2p->late_count, 1);
    assert_near(p2p->late_us, 600000, 1e-6);
    assert_near(p2p->alike_us, 8 * 1000 + 7 * 100000 + 700000, 1e-6);
    assert_near(p2p->transfer_us, 8 * 1000 + 8 * 100000, 1e-6);
    assert_near(p2p->fastest_us, 1000, 1e-6);
    case_close(&c);
}

/* Eight all-reduces of one size, each queued right behind the one before: one takes 1
 * ms, so the 10 ms of the others are no transfer, though they follow each other. */
static void the_fastest_of_a_size_tells_the_transfer(void **state)
{
    (void)state;
    struct trace_case c;
    struct multi_kernel_result r = {0};
    case_begin(&c);
    double at_us = 1000;
    for (int k = 0; k < 8; k++) {
        char args[200];
        double us = k == 3 ? 1000 : 10000;
        snprintf(args, sizeof args,
                 "\"device\":0,\"stream\":7,\"correlation\":%d,"
                 "\"In msg nelems\":1000000,\"dtype\":\"Float\"",
                 k + 1);
        case_call(&c, "cudaLaunchKernel", 10 * k, 5, k + 1);
        case_event(&c, "kernel", "ncclDevKernel_AllReduce_Sum", 7, at_us, us, args);
        at_us += us + 1;
    }
    case_open(&c, NULL);
    collective_kinds_measure(&c.perm, c.tmp, &c.view, &c.tables.traits, &r);
    const struct comm_kind *k = &r.comm[COMM_ALL_REDUCE];
    assert_int_equal(k->queued, 7);
    assert_near(k->transfer_us, 8000, 1e-6);
    assert_near(k->needs_us, 8 * 50 + 8 * 2 * 4000, 1e-6); /* twice 4 MB each */
    assert_near(collective_waits_pct(k), 100 * (1 - 8.0 / 71), 1e-9);
    assert_true(collective_is_waiting(k));
    struct comm_kind even = {.alike_us = 100, .transfer_us = 41, .total_us = 100};
    assert_false(collective_is_waiting(&even));
    case_close(&c);
}

/* Of so many elements, launched within 2 us by a call at `call_us`. */
static void all_reduce(struct trace_case *c, int correlation, const char *elements,
                       const char *dtype, double call_us, double start_us, double us)
{
    char args[160];
    snprintf(args, sizeof args,
             "\"correlation\":%d,\"stream\":20,\"In msg nelems\":%s,\"dtype\":\"%s\"",
             correlation, elements, dtype);
    case_call(c, "cudaLaunchKernel", call_us, 2, correlation);
    case_event(c, "kernel", "ncclDevKernel_AllReduce_Sum_f32", 20, start_us, us, args);
}

/* A value is reduced for 50 us while nothing else runs, and two buckets of gradients,
 * which the backward pass starts, for 100 us each, 40 of them beside a kernel. */
static void single_values_are_told_from_gradients(void **state)
{
    (void)state;
    struct trace_case c;
    struct multi_kernel_result r = {0};
    static const char *const size[] = {"1000000", "1000000", "1"};
    static const double call_us[] = {520, 530, 610}, start_us[] = {570, 670, 800};
    case_begin(&c);
    case_op(&c, "autograd::engine::evaluate_function: MmBackward0", 500, 100);
    case_launch(&c, "gemm", 510, 560, 50, 9);
    for (int k = 0; k < 3; k++) {
        all_reduce(&c, k + 1, size[k], "Float", call_us[k], start_us[k],
                   k < 2 ? 100 : 50);
    }
    case_open(&c, NULL);
    collective_kinds_measure(&c.perm, c.tmp, &c.view, &c.tables.traits, &r);
    const struct comm_kind *k = &r.comm[COMM_ALL_REDUCE];
    assert_int_equal(k->scalars, 1);
    assert_near(k->scalars_exposed_us, 50, 1e-6);
    assert_int_equal(k->backward, 2);
    assert_near(k->backward_exposed_us, 160, 1e-6);
    assert_near(k->exposed_us, 210, 1e-6);
    assert_near(r.backward_us, 50, 1e-6);
    assert_int_equal(collective_most_exposed(r.comm), COMM_ALL_REDUCE);
    struct work_fact facts[8 * COMM_KINDS];
    int n = collective_kinds_facts(r.comm, 4, facts, 0);
    static const struct {
        const char *key;
        double value;
    } want[] = {{"_count", 3},    {"_ms", 0.25},      {"_exposed_ms", 0.21},
                {"_backward", 2}, {"_per_step", 0.5}, {"_median_us", 100}};
    int found = 0;
    for (int i = 0; i < n; i++)
        for (size_t w = 0; w < sizeof want / sizeof *want; w++)
            if (str_eq(str_of(facts[i].key),
                       str_printf(&c.perm, "all_reduce%s", want[w].key))) {
                assert_near(facts[i].number, want[w].value, 1e-9);
                found++;
            }
    assert_int_equal(found, sizeof want / sizeof *want);
    case_close(&c);
}

/* Of three buckets of 100 us two begin inside a backward node, or one, or they are in
 * 16 bits: the third may be sent behind the last node. */
static void gradients_in_fp32_are_those_of_the_backward_pass(void **state)
{
    static const struct {
        const char *dtype;
        int inside;
        double wide_us;
    } cases[] = {{"Float", 2, 300}, {"Float", 1, 100}, {"BFloat16", 2, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trace_case c;
        struct multi_kernel_result r = {0};
        case_begin(&c);
        case_op(&c, "autograd::engine::evaluate_function: MmBackward0", 500, 100);
        case_launch(&c, "gemm", 510, 560, 50, 9);
        for (int k = 0; k < 3; k++) {
            all_reduce(&c, k + 1, "1000000", cases[i].dtype,
                       k < cases[i].inside ? 520 + 2 * k : 610 + 2 * k, 700 + 100 * k,
                       100);
        }
        case_open(&c, NULL);
        collective_kinds_measure(&c.perm, c.tmp, &c.view, &c.tables.traits, &r);
        assert_near(r.comm[COMM_ALL_REDUCE].wide_us, cases[i].wide_us, 1e-6);
        case_close(&c);
    }
}

/* Decoding reduces rows of 4 KiB and less between its layers: these are its work. */
static void small_messages_of_inference_are_no_metrics(void **state)
{
    (void)state;
    struct trace_case c;
    struct multi_kernel_result r = {0};
    case_begin(&c);
    case_call(&c, "cudaLaunchKernel", 10, 2, 1);
    case_event(&c, "kernel", "ncclDevKernel_AllReduce_Sum_bf16", 20, 20, 50,
               "\"correlation\":1,\"stream\":20,\"In msg nelems\":2048,"
               "\"dtype\":\"BFloat16\"");
    case_open(&c, NULL);
    collective_kinds_measure(&c.perm, c.tmp, &c.view, &c.tables.traits, &r);
    assert_int_equal(r.comm[COMM_ALL_REDUCE].count, 1);
    assert_int_equal(r.comm[COMM_ALL_REDUCE].scalars, 0);
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fastest_of_a_size_tells_the_transfer),
        cmocka_unit_test(single_values_are_told_from_gradients),
        cmocka_unit_test(gradients_in_fp32_are_those_of_the_backward_pass),
        cmocka_unit_test(small_messages_of_inference_are_no_metrics),
        cmocka_unit_test(the_annotation_beats_the_kernel),
        cmocka_unit_test(receives_are_compared_with_receives),
        cmocka_unit_test(exchanges_of_experts_are_all_to_all),
        cmocka_unit_test(the_typical_rate_is_one_of_calls),
        cmocka_unit_test(messages_have_the_size_of_their_annotation),
        cmocka_unit_test(calls_of_unknown_size_are_late_if_few_and_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
