#include "tree/launch_link.c"

#include "store/store_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define HOST(cat, name, ts, dur, corr)                                                 \
    "{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":\"" name                               \
    "\",\"pid\":1,\"tid\":1,\"ts\":" #ts ",\"dur\":" #dur                              \
    ",\"args\":{\"correlation\":" #corr "}},"
#define KERNEL(name, stream, ts, corr)                                                 \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"" name                                \
    "\",\"pid\":0,\"tid\":" #stream ",\"ts\":" #ts                                     \
    ",\"dur\":5,\"args\":{\"correlation\":" #corr ",\"stream\":" #stream "}},"
#define FLOW(ph, pid, tid, id)                                                         \
    "{\"ph\":\"" ph "\",\"id\":" #id ",\"pid\":" #pid ",\"tid\":" #tid                 \
    ",\"ts\":1,\"cat\":\"ac2g\",\"name\":\"ac2g\"},"
#define END "{\"ph\":\"i\",\"name\":\"end\",\"ts\":1}]"

static struct arena perm, tmp;
static struct event_store s;
static struct call_tree tree;

static enum link_by by = LINK_BY_ARROWS;

static struct launch_link link_case(const char *json)
{
    struct err e = {0};
    perm = arena_reserve((ptrdiff_t)1 << 28);
    tmp = arena_reserve((ptrdiff_t)1 << 28);
    assert_true(case_store(&s, json, 0, &e));
    tree = tree_build(&perm, tmp, &s, TREE_OPS);
    return launch_link_build(&perm, tmp, &s, &tree, by);
}

/* Operator 0 launches k1 (arrow from 7 to stream 3). k2 has the id of a call without an
 * arrow start, as a memset on some runtimes: unlinked. k3 has no call at all. */
static void test_arrows(void **state)
{
    (void)state;
    by = LINK_BY_ARROWS;
    struct launch_link l = link_case(
        "[" HOST("cpu_op", "op", 0, 50, 1)
            HOST("cuda_runtime", "cudaLaunchKernel", 2, 3, 7)
                HOST("cuda_runtime", "hipMemsetAsync", 10, 3, 8) KERNEL("k1", 3, 20, 7)
                    KERNEL("k2", 3, 30, 8) KERNEL("k3", 3, 40, 9) FLOW("s", 1, 1, 7)
                        FLOW("f", 0, 3, 7) FLOW("f", 1, 1, 8) END);
    assert_int_equal(l.n_all, 3);
    assert_int_equal(l.n_linked, 1);
    assert_int_equal(launch_call(&l, 3), 1);
    assert_int_equal(launch_call(&l, 4), -1);
    int32_t n;
    event_id *below = launch_range(&l, &tree, 0, &n);
    assert_int_equal(n, 1);
    assert_int_equal(below[0], 3);
    store_close(&s);
}

/* A graph launch gets all kernels of its id; of two kernels with one id on the stream
 * of the arrow an ordinary launch gets the last. */
static void test_ids_where_no_arrow_is(void **state)
{
    (void)state;
    by = LINK_BY_IDS_TOO;
    struct launch_link l = link_case(
        "[" HOST("cpu_op", "op", 0, 50, 1)
            HOST("cuda_runtime", "cudaLaunchKernel", 2, 3, 7)
                HOST("cuda_runtime", "hipMemsetAsync", 10, 3, 8) KERNEL("k1", 3, 20, 7)
                    KERNEL("k2", 3, 30, 8) KERNEL("k3", 3, 40, 9) FLOW("s", 1, 1, 7)
                        FLOW("f", 0, 3, 7) END);
    assert_int_equal(l.n_linked, 2);
    assert_int_equal(launch_call(&l, 4), 2);
    assert_int_equal(launch_call(&l, 5), -1);
    int32_t n;
    launch_range(&l, &tree, 0, &n);
    assert_int_equal(n, 2);
    by = LINK_BY_ARROWS;
    store_close(&s);
}

static void test_graphs_and_duplicates(void **state)
{
    (void)state;
    struct launch_link l = link_case(
        "[" HOST("cuda_runtime", "cudaGraphLaunch", 2, 3, 7)
            HOST("cuda_runtime", "cudaLaunchKernel", 10, 3, 8) KERNEL("g1", 3, 20, 7)
                KERNEL("g2", 4, 20, 7) KERNEL("d1", 3, 30, 8) KERNEL("d2", 3, 40, 8)
                    FLOW("s", 1, 1, 8) FLOW("f", 0, 3, 8) END);
    assert_int_equal(launch_call(&l, 2), 0);
    assert_int_equal(launch_call(&l, 3), 0);
    assert_int_equal(launch_call(&l, 4), -1);
    assert_int_equal(launch_call(&l, 5), 1);
    assert_int_equal(l.n_duplicates, 1);
    store_close(&s);
}

static void test_without_any_arrow_ids_link(void **state)
{
    (void)state;
    struct launch_link l =
        link_case("[" HOST("cuda_runtime", "cudaLaunchKernel", 2, 3, 7)
                      KERNEL("k", 3, 20, 7) KERNEL("other", 3, 30, 9) END);
    assert_int_equal(l.n_linked, 1);
    assert_int_equal(launch_call(&l, 1), 0);
    store_close(&s);
}

/* What each call launched is one range, those of a subtree too: the outer operator 0
 * has all but k3, whatever the order of the file; the empty one between has none. */
static void test_ranges_of_subtrees(void **state)
{
    (void)state;
    struct launch_link l = link_case(
        "[" HOST("cpu_op", "outer", 0, 50, 0) HOST("cpu_op", "inner", 10, 20, 0)
            HOST("cuda_runtime", "cudaLaunchKernel", 2, 3, 1)
                HOST("cuda_runtime", "cudaGraphLaunch", 12, 3, 2)
                    HOST("cpu_op", "empty", 60, 5, 0) HOST("cpu_op", "next", 70, 9, 0)
                        HOST("cuda_runtime", "cudaLaunchKernel", 71, 3, 3)
                            KERNEL("k3", 3, 90, 3) KERNEL("g1", 3, 40, 2)
                                KERNEL("k1", 3, 20, 1) KERNEL("g2", 3, 30, 2) END);
    static const struct {
        event_id host, gpu[3];
        int32_t n;
    } want[] = {{0, {9, 8, 10}, 3}, {1, {8, 10}, 2}, {2, {9}, 1}, {3, {8, 10}, 2},
                {4, {0}, 0},        {5, {7}, 1},     {6, {7}, 1}};
    for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
        int32_t n;
        const event_id *gpu = launch_range(&l, &tree, want[k].host, &n);
        assert_int_equal(n, want[k].n);
        assert_memory_equal(gpu, want[k].gpu, (size_t)n * sizeof *gpu);
    }
    assert_int_equal(launch_start(&l.order, tree.n_order), 4);
    assert_int_equal(launch_place(&l, 8), 1);
    assert_int_equal(launch_place(&l, 3), -1);
    store_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arrows), cmocka_unit_test(test_ids_where_no_arrow_is),
        cmocka_unit_test(test_graphs_and_duplicates),
        cmocka_unit_test(test_without_any_arrow_ids_link),
        cmocka_unit_test(test_ranges_of_subtrees)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
