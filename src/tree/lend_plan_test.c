/* A trace whose graph replays work, and one that recorded the same work call by call.
 */
#include "tree/lend_plan.h"

#include "formats/trace_open.h"
#include "store/store_case.h"
#include "tree/launch_link.h"
#include "tree/lent_source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define X(cat, name, ts, dur, args)                                                    \
    "{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":\"" name                               \
    "\",\"pid\":1,\"tid\":1,\"ts\":" #ts ",\"dur\":" #dur ",\"args\":{" args "}},"
#define OP(name, ts, dur, dims) X("cpu_op", name, ts, dur, "\"Input Dims\":" dims)
#define FRAME(name, ts, dur)    X("python_function", name, ts, dur, "")
/* As ROCm records a launch into a graph: it starts nothing, but names the kernel. */
#define INTO(kernel, ts)                                                               \
    X("cuda_runtime", "hipLaunchKernel", ts, 1,                                        \
      "\"kernel\":\"" kernel "\",\"correlation\":" #ts)
#define CALL(name, ts)                                                                 \
    X("cuda_runtime", name, ts, 1, "\"kernel\":\"\",\"correlation\":" #ts)
#define GRAPH(ts, dur)                                                                 \
    X("cuda_runtime", "hipGraphLaunch", ts, dur, "\"correlation\":" #ts)
#define KERNEL(name, ts, corr)                                                         \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"" name                                \
    "\",\"pid\":0,\"tid\":7,\"ts\":" #ts ",\"dur\":5,\"args\":{\"correlation\":" #corr \
    ",\"stream\":7}},"
#define END "{\"ph\":\"i\",\"name\":\"end\",\"ts\":1}]"

#define MM(ts)   OP("aten::mm", ts, 3, "[[4,4],[4,4]]") INTO("gemm", ts)
#define RELU(ts) OP("aten::relu", ts, 3, "[[4,4]]") INTO("relu", ts)

static const char captured[] = "[" FRAME("capture.py(1): capture", 0, 90)
    CALL("hipStreamBeginCapture", 2) FRAME("nn.Module: MLP_0", 5, 40) MM(10) RELU(20)
        MM(30) CALL("hipStreamEndCapture", 60) END;

/* Two replays; the second plays the copy that nobody recorded too. */
static const char replayed[] = "[" GRAPH(100, 50) KERNEL("gemm", 110, 100)
    KERNEL("relu", 120, 100) KERNEL("gemm", 130, 100) GRAPH(200, 50)
        KERNEL("gemm", 210, 200) KERNEL("copy", 220, 200) KERNEL("gemm", 230, 200) END;

static struct arena perm, tmp;
static struct event_store to, from, joined;
static char *perm_start, *tmp_start;
static struct lend_plan plan;

static void plan_of(const char *replays, const char *lender)
{
    struct err e = {0};
    perm = arena_reserve((ptrdiff_t)1 << 26);
    tmp = arena_reserve((ptrdiff_t)1 << 26);
    perm_start = perm.at;
    tmp_start = tmp.at;
    assert_true(case_store(&to, replays, 0, &e) && case_store(&from, lender, 0, &e));
    plan = lend_plan_make(&perm, tmp, &to, &from);
}

static void close_all(void)
{
    store_close(&to);
    store_close(&from);
    arena_release(perm_start, &perm);
    arena_release(tmp_start, &tmp);
}

static void test_what_is_lent(void **state)
{
    (void)state;
    plan_of(replayed, captured);
    assert_int_equal(plan.counts.graphs, 2);
    assert_int_equal(plan.counts.graphs_lent, 1);
    assert_int_equal(plan.counts.events_lent, 3);
    assert_int_equal(plan.counts.launches, 3);
    /* The module, three operators, three launches: not who began the capture. */
    assert_int_equal(plan.n, 7);
    assert_true(str_eq(store_name(&from, plan.events[0].from), S("nn.Module: MLP_0")));
    for (int32_t k = 0; k < plan.n; k++) {
        assert_true(plan.events[k].start_ns > 100000 && plan.events[k].dur_ns > 0);
        assert_true(plan.events[k].start_ns + plan.events[k].dur_ns < 150000);
    }
    close_all();
}

/* The same file again, through the source: kernels belong to operators, in the call. */
static void test_joined(void **state)
{
    (void)state;
    struct err e = {0};
    char path[32];
    struct lent_source lent;
    struct event_source trace;
    struct store_options o = {.source = {.one_thread = true}};
    plan_of(replayed, captured);
    case_file(path, replayed, strlen(replayed));
    assert_true(trace_open(&trace, path, o.source, &e));
    assert_true(
        store_take(&joined, lent_source_open(&lent, &perm, trace, &plan), &o, &e));
    joined.lender = path;
    unlink(path);
    struct call_tree t = tree_build(&perm, tmp, &joined, TREE_OPS);
    struct launch_link l = launch_link_build(&perm, tmp, &joined, &t, LINK_BY_IDS_TOO);
    assert_int_equal(joined.census.n_events, to.census.n_events);
    assert_int_equal(l.n_linked, 6);
    event_id relu = l.all[1], call = launch_call(&l, relu);
    event_id op = tree_operator(&joined, &t, call);
    assert_true(str_eq(store_name(&joined, op), S("aten::relu")));
    assert_int_equal(launch_issue(&joined, &t, &l, relu), 0); /* the graph launch */
    assert_int_equal(joined.lane[op], joined.lane[0]);
    assert_int_equal(store_value(&joined, store_texts(&joined, op)->dims)->n, 1);
    /* What nobody lends stays with the call that replays it. */
    assert_true(launch_is_graph(&joined, launch_call(&l, l.all[4])));
    store_close(&joined);
    close_all();
}

/* One sequence of kernels, captured with two shapes: which of them a single replay is,
 * nobody knows. Two replays are taken in order. */
static void test_two_shapes(void **state)
{
    (void)state;
    static const char two[] =
        "[" MM(10) OP("aten::mm", 30, 3, "[[9,4],[4,4]]") INTO("gemm", 30) END;
    plan_of("[" GRAPH(100, 50) KERNEL("gemm", 110, 100) END, two);
    assert_int_equal(plan.counts.ambiguous, 1);
    assert_int_equal(plan.n, 0);
    close_all();
    plan_of("[" GRAPH(100, 50) KERNEL("gemm", 110, 100) GRAPH(200, 50)
                KERNEL("gemm", 210, 200) END,
            two);
    assert_int_equal(plan.counts.graphs_lent, 2);
    assert_int_equal(plan.events[0].from, 0);
    assert_int_equal(plan.events[2].from, 2);
    close_all();
}

/* The call of the graph takes 2 ns: no room for anything. */
static void test_no_room(void **state)
{
    (void)state;
    plan_of("[" GRAPH(100, 0.002) KERNEL("gemm", 110, 100) END, "[" MM(10) END);
    assert_int_equal(plan.counts.graphs, 1);
    assert_int_equal(plan.counts.graphs_lent, 0);
    assert_int_equal(plan.n, 0);
    close_all();
}

/* A run without graphs: its kernels, not its calls, tell what a launch starts. */
static void test_eager_lender(void **state)
{
    (void)state;
    plan_of("[" GRAPH(100, 50) KERNEL("gemm", 110, 100) END,
            "[" OP("aten::mm", 10, 3, "[[4,4],[4,4]]")
                X("cuda_runtime", "cudaLaunchKernel", 11, 1, "\"correlation\":5")
                    KERNEL("gemm", 20, 5) END);
    assert_int_equal(plan.counts.graphs_lent, 1);
    assert_int_equal(plan.n, 2);
    close_all();
}

static void test_nothing_to_lend(void **state)
{
    (void)state;
    plan_of("[" KERNEL("gemm", 110, 100) END, captured);
    assert_int_equal(plan.counts.graphs, 0);
    close_all();
    plan_of(replayed, "[" END);
    assert_int_equal(plan.counts.launches, 0);
    assert_int_equal(plan.n, 0);
    close_all();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_lent), cmocka_unit_test(test_joined),
        cmocka_unit_test(test_two_shapes),   cmocka_unit_test(test_no_room),
        cmocka_unit_test(test_eager_lender), cmocka_unit_test(test_nothing_to_lend),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
