#include "analysis/system/sync_norm.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A layer gathers statistics for 100 us, 40 of them beside a kernel; its backward pass
 * reduces gradients for 30. A bucket of gradients behind it is of no layer. */
static struct sync_norm norms_of(const char *layer, const char *backward)
{
    struct trace_case c;
    char node[120];
    snprintf(node, sizeof node, "autograd::engine::evaluate_function: %s", backward);
    case_begin(&c);
    case_event(&c, "cpu_op", layer, 1, 0, 50, "\"Input Dims\":[[64,256,7,7],[256]]");
    case_launch(&c, "ncclDevKernel_AllGather_RING_LL(x)", 10, 100, 100, 1);
    case_launch(&c, "gemm", 60, 160, 200, 2);
    case_op(&c, node, 70, 20);
    case_op(&c, backward, 72, 16);
    case_launch(&c, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", 75, 400, 30, 3);
    case_launch(&c, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", 95, 500, 300, 4);
    case_open(&c, NULL);
    uint8_t *kind = arena_new(&c.perm, uint8_t, c.view.n_counted);
    struct span work = {160000, 360000};
    for (int32_t k = 0; k < c.view.n_counted; k++)
        kind[k] = view_class(&c.view, c.view.counted[k]) == GPU_COMMUNICATION
                      ? COMM_ALL_REDUCE
                      : COMM_KINDS;
    struct sync_norm n =
        sync_norm_find(c.tmp, &c.view, kind, (struct interval_set){&work, 1});
    case_close(&c);
    return n;
}

static void calls_of_layers_are_told_from_others(void **state)
{
    (void)state;
    struct sync_norm n = norms_of("SyncBatchNorm", "SyncBatchNormBackward");
    assert_int_equal(n.count, 2);
    assert_int_equal(n.samples, 64);
    assert_true(n.exposed_us == 90);
    n = norms_of("BatchNorm", "BatchNormBackward");
    assert_int_equal(n.count, 0);
    assert_true(n.exposed_us == 0);
}

/* A layer of 300 us on the host: statistics, a small kernel, a collective, a size that
 * is read, and the kernel that normalises. */
static void what_lies_between_statistics_and_their_use_goes(void **state)
{
    struct trace_case c;
    int32_t copies;
    (void)state;
    for (int shared = 0; shared < 2; shared++) {
        case_begin(&c);
        case_op(&c, shared ? "SyncBatchNorm" : "aten::native_batch_norm", 0, 300);
        case_op(&c, "aten::batch_norm_stats", 10, 10);
        case_launch(&c, "statistics", 12, 20, 60, 1);
        case_launch(&c, "cat", 30, 80, 2, 2);
        case_launch(&c, "ncclDevKernel_AllGather_RING_LL(x)", 40, 90, 50, 3);
        case_call(&c, "hipMemcpyAsync", 60, 4, 4);
        case_copy(&c, "Memcpy DtoH (Device -> Pageable)", 140, 2, 4, 4);
        case_op(&c, "aten::batch_norm_elemt", 250, 10);
        case_launch(&c, "normalise", 252, 260, 90, 5);
        case_open(&c, NULL);
        struct analysis a = {.tables = &c.tables};
        struct loop_work w = sync_norm_work(&c.perm, c.tmp, &a, &c.view, &copies);
        assert_int_equal(w.n_gone, shared);
        assert_int_equal(w.n_gpu, shared ? 5 : 0);
        assert_int_equal(copies, shared);
        if (shared) {
            assert_true(w.gone[0].end_ns - w.gone[0].start_ns == 230000);
            assert_true(w.saved_most_ms > 0.0539 && w.saved_most_ms < 0.0541);
            assert_true(w.saved_least_ms > 0.0439 && w.saved_least_ms < 0.0441);
        }
        case_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_of_layers_are_told_from_others),
        cmocka_unit_test(what_lies_between_statistics_and_their_use_goes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
