#include "idle_gaps.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Device work at 100..110, 110..120, 300..310, 500..510, 700..710 and 900..910.
 *
 *   120..300  a scalar read waits from 60 to 125, the next launch is at 290   sync
 *   310..500  launched at 305, before the gap                                 queued
 *   510..700  launched at 690                                                 host
 *   710..900  a blocking copy from 650 to 712, launched at 890                copy */
static void causes(struct trace_case *c)
{
    case_begin(c);
    case_frame(c, "main.py(1): main", 0, 2000);
    case_launch(c, "k0", 10, 100, 10, 1);
    case_launch(c, "k1", 12, 110, 10, 2);
    case_op(c, "aten::item", 58, 68);
    case_op(c, "aten::_local_scalar_dense", 59, 66.5);
    case_call(c, "hipStreamSynchronize", 60, 65, 90);
    case_frame(c, "loop.py(8): think", 130, 150);
    case_op(c, "aten::relu", 289, 3);
    case_launch(c, "k2", 290, 300, 10, 3);
    case_launch(c, "k3", 305, 500, 10, 4);
    case_op(c, "aten::copy_", 649, 64);
    case_call(c, "hipMemcpyWithStream", 650, 62, 91);
    case_launch(c, "k5", 890, 900, 10, 6);
    case_event(c, "cuda_runtime", "hipLaunchKernel", 2, 690, 1, "\"correlation\":5");
    case_kernel(c, "k4", 7, 700, 10, 5);
    case_open(c, NULL);
}

static void gaps_and_waits(void **state)
{
    (void)state;
    struct trace_case c;
    causes(&c);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    struct idle_gaps g = idle_gaps_find(&c.perm, c.tmp, &t);
    assert_int_equal(g.n_syncs, 2); /* three nested events are one */
    assert_int_equal(g.n, 4);
    assert_int_equal(g.rows[0].dur_ns, 180000);
    assert_int_equal(g.rows[0].sync, 0);
    assert_true(g.rows[1].queued && g.rows[1].sync < 0);
    assert_true(!g.rows[2].queued && g.rows[2].sync < 0);
    assert_int_equal(g.rows[3].sync, 1);
    assert_text(store_name(&c.store, g.syncs[0].op), "aten::_local_scalar_dense");
    assert_text(store_name(&c.store, g.rows[0].before), "k1");
    assert_text(store_name(&c.store, g.rows[0].after), "k2");
    case_close(&c);
}

/* A device event of another stream may cover the end of the first one. */
static void gaps_lie_between_merged_intervals(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_launch(&c, "long", 1, 100, 100, 1);
    case_call(&c, "hipLaunchKernel", 3, 1, 2);
    case_kernel(&c, "inside", 8, 110, 20, 2);
    case_launch(&c, "touching", 5, 200, 10, 3);
    case_launch(&c, "after", 7, 250, 10, 4);
    case_open(&c, NULL);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    struct idle_gaps g = idle_gaps_find(&c.perm, c.tmp, &t);
    assert_int_equal(g.n, 1);
    assert_int_equal(g.rows[0].start_ns - c.view.timeline.start_ns, 110000);
    assert_int_equal(g.rows[0].dur_ns, c.view.timeline.idle_ns);
    case_close(&c);
}

/* Calls in calls: of those nearest to the launch, the outermost with a namespace. */
static void operations_are_sought_nearby(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_op(&c, "aten::far", 0, 4000);
    for (int k = 1; k < CALLERS_MAX; k++)
        case_op(&c, "aten::near", k, 4000 - 2 * k);
    case_launch(&c, "k", 1000, 1100, 10, 1);
    case_op(&c, "aten::all", 5000, 4000);
    for (int k = 2; k < CALLERS_MAX; k++)
        case_op(&c, "inner", 5000 + k, 4000 - 2 * k);
    case_launch(&c, "k", 6000, 6100, 10, 2);
    case_open(&c, NULL);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    event_id deep =
        launched_operation(&t, launch_call(&c.view.launch, case_find(&c, "k", 0)));
    event_id all =
        launched_operation(&t, launch_call(&c.view.launch, case_find(&c, "k", 1)));
    assert_text(store_name(&c.store, deep), "aten::near");
    assert_text(store_name(&c.store, all), "aten::all");
    case_close(&c);
}

/* aten::item of a tensor in host memory waits for nothing. */
static void reading_host_memory_is_no_sync(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_op(&c, "aten::item", 10, 5);
    case_op(&c, "aten::_local_scalar_dense", 11, 3);
    case_launch(&c, "k", 20, 100, 10, 1);
    case_call(&c, "cudaMemcpyAsync", 30, 1, 9);
    case_call(&c, "cudaEventSynchronize", 40, 1, 10);
    case_open(&c, NULL);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    struct idle_gaps g = idle_gaps_find(&c.perm, c.tmp, &t);
    assert_int_equal(g.n_syncs, 1);
    assert_text(store_name(&c.store, g.syncs[0].event), "cudaEventSynchronize");
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_and_waits),
        cmocka_unit_test(gaps_lie_between_merged_intervals),
        cmocka_unit_test(operations_are_sought_nearby),
        cmocka_unit_test(reading_host_memory_is_no_sync),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
