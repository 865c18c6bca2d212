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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_of_layers_are_told_from_others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
