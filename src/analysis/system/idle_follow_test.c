#include "idle_follow.c"

#include "analysis/system/follow_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct idle_group *group(const struct follow_case *x,
                                      enum idle_class class, const char *blame)
{
    for (int32_t k = 0; k < x->r.n_groups; k++)
        if (x->r.groups[k].class == class &&
            str_eq(x->r.groups[k].blame, str_of(blame)))
            return &x->r.groups[k];
    fail_msg("no group of %s", blame);
    return NULL;
}

/* A gap from 20 to 1020 us: 900 of it in preprocess, 700 of these in zoom, which takes
 * 100 on the device's side; the call is from 1000 to 1010, the kernel starts at 1020.
 */
static void a_gap_is_split_by_the_table(void **state)
{
    (void)state;
    struct follow_case x;
    case_begin(&x.c);
    case_frame(&x.c, "main.py(1): main", 0, 3000);
    case_launch(&x.c, "k0", 5, 10, 10, 1);
    case_frame(&x.c, "src/prep.py(368): preprocess", 8, 990);
    case_frame(&x.c, "src/zoom.py(7): zoom", 100, 700);
    case_op(&x.c, "aten::relu", 999, 15);
    case_call(&x.c, "hipLaunchKernel", 1000, 10, 2);
    case_kernel(&x.c, "k1", 7, 1020, 10, 2);
    open_follow(&x);
    assert_int_equal(x.r.class_ns[IDLE_PYTHON], 979000);
    assert_int_equal(x.r.class_ns[IDLE_DISPATCH], 1000);
    assert_int_equal(x.r.class_ns[IDLE_LAUNCH], 10000);
    assert_int_equal(x.r.class_ns[IDLE_LATENCY], 10000);
    /* In 400 bins of 2550 ns, 10 us of call are from 990 us after the start: bins 388
     * to 392, of which the first has 390 ns of the operator. */
    assert_int_equal(x.r.class_bins[IDLE_LAUNCH][387], 0);
    assert_int_equal(x.r.class_bins[IDLE_LAUNCH][388], 1950);
    assert_int_equal(x.r.class_bins[IDLE_LAUNCH][389], 2550);
    assert_int_equal(x.r.class_bins[IDLE_LAUNCH][393], 0);
    const struct idle_group *g = group(&x, IDLE_PYTHON, "preprocess");
    assert_ptr_equal(g, &x.r.groups[0]); /* the longest */
    assert_text(g->blame_place, "prep.py:368");
    assert_text(g->leaf, "zoom");
    assert_text(g->leaf_place, "zoom.py:7");
    assert_near(g->leaf_us, 700, 1e-9);
    assert_int_equal(g->longest_from_ns, x.g.rows[0].start_ns);
    assert_int_equal(g->total_ns, 980000);
    assert_int_equal(g->gaps, 1);
    assert_int_equal(g->n_spans, 1);
    assert_int_equal(g->spans[0].end_ns - g->spans[0].start_ns, 980000);
    assert_true(isnan(g->per_step_us));
    case_close(&x.c);
}

/* Of a gap of 1 ms, `loop` has 600 us of its own in six parts, each shorter than the
 * 300 us of `once`, which is called last. */
static void what_is_called_often_counts_in_sum(void **state)
{
    (void)state;
    struct follow_case x;
    case_begin(&x.c);
    case_launch(&x.c, "k0", 5, 10, 10, 1);
    case_frame(&x.c, "src/loop.py(3): loop", 8, 990);
    for (int k = 0; k < 5; k++)
        case_frame(&x.c, "src/part.py(5): part", 120 + 110 * k, 10);
    case_frame(&x.c, "src/once.py(7): once", 680, 300);
    case_launch(&x.c, "k1", 1000, 1020, 10, 2);
    open_follow(&x);
    assert_text(store_name(&x.c.store, x.causes[0].leaf), "src/loop.py(3): loop");
    case_close(&x.c);
}

/* Between two launches products run on the CPU: most in attend, though the longest of
 * them is a copy in load. The gap is that of attend. */
static void work_on_the_cpu_is_its_callers(void **state)
{
    (void)state;
    struct follow_case x;
    case_begin(&x.c);
    case_frame(&x.c, "src/model.py(9): forward", 0, 3000);
    case_launch(&x.c, "k0", 5, 10, 10, 1);
    case_frame(&x.c, "src/cache.py(115): load", 100, 250);
    case_op(&x.c, "aten::copy_", 120, 200);
    case_frame(&x.c, "src/cache.py(363): attend", 400, 500);
    case_frame(&x.c, "torch/_tensor.py(9): wrapped", 405, 490);
    case_op(&x.c, "aten::bmm", 410, 150);
    case_op(&x.c, "aten::bmm", 600, 180);
    case_launch(&x.c, "k1", 1000, 1020, 10, 2);
    open_follow(&x);
    const struct idle_group *g = group(&x, IDLE_CPU_WORK, "attend");
    assert_text(g->blame_place, "cache.py:363");
    assert_text(g->leaf, "aten::bmm");
    assert_int_equal(g->total_ns, 980000);
    case_close(&x.c);
}

/* A method is told with its class; the framework's frames and operators are in the
 * user's code; what a program begins with is none. */
static void code_is_the_users(void **state)
{
    (void)state;
    struct follow_case x;
    case_begin(&x.c);
    case_frame(&x.c, "main.py(1): main", 0, 9000);
    case_launch(&x.c, "k0", 5, 10, 10, 1);
    case_frame(&x.c, "nn.Module: Attention_3", 25, 955);
    case_frame(&x.c, "torch/nn/modules/module.py(1): _call_impl", 26, 953);
    case_frame(&x.c, "src/attention.py(217): forward", 27, 951);
    case_frame(&x.c, "torch/_tensor.py(9): wrapped", 28, 949);
    case_op(&x.c, "aten::reshape", 29, 946);
    case_launch(&x.c, "k1", 985, 990, 10, 2);
    case_frame(&x.c, "threading.py(359): wait", 1010, 980);
    case_launch(&x.c, "k2", 1995, 2000, 10, 3);
    open_follow(&x);
    const struct idle_group *g = group(&x, IDLE_DISPATCH, "aten::reshape");
    assert_text(g->code, "Attention.forward");
    assert_text(g->code_place, "attention.py:217");
    g = group(&x, IDLE_PYTHON, "wait");
    assert_int_equal(g->code.n, 0);
    assert_false(g->leaf_is_code);
    case_close(&x.c);
}

/* Where nearly all is in one builtin, what calls it is to be changed, not the loop that
 * holds the rest, too. */
static void code_is_around_what_takes_the_time(void **state)
{
    (void)state;
    for (int most = 0; most < 2; most++) {
        struct follow_case x;
        case_begin(&x.c);
        case_launch(&x.c, "k0", 5, 10, 10, 1);
        case_frame(&x.c, "src/engine.py(231): step", 22, 970);
        case_frame(&x.c, "src/matcher.py(316): fill", 30, most ? 760 : 600);
        case_frame(&x.c, "<built-in method fill of PyCapsule object>", 31,
                   most ? 755 : 590);
        case_launch(&x.c, "k1", 985, 1000, 10, 2);
        open_follow(&x);
        const struct idle_group *g = group(&x, IDLE_PYTHON, "step");
        assert_text(g->code, most ? "fill" : "step");
        case_close(&x.c);
    }
}

/* Queued, first launch of 2 ms, a second one of the same kernel, and no call at all. */
static void late_starts_and_slow_calls(void **state)
{
    (void)state;
    struct follow_case x;
    case_begin(&x.c);
    case_launch(&x.c, "k0", 5, 10, 10, 1);
    case_launch(&x.c, "k1", 12, 50, 10, 2);
    case_call(&x.c, "hipLaunchKernel", 60, 2000, 3);
    case_kernel(&x.c, "new", 7, 2070, 10, 3);
    case_call(&x.c, "hipLaunchKernel", 2080, 2000, 4);
    case_kernel(&x.c, "new", 7, 4080, 10, 4);
    open_follow(&x);
    assert_int_equal(x.r.class_ns[IDLE_QUEUED], 30000);
    assert_int_equal(x.r.class_ns[IDLE_FIRST_LAUNCH], 2000000);
    assert_int_equal(x.r.class_ns[IDLE_LAUNCH], 2000000);
    assert_int_equal(x.r.class_ns[IDLE_LATENCY], 10000);
    assert_text(group(&x, IDLE_FIRST_LAUNCH, "first launches")->leaf, "new");
    assert_int_equal(group(&x, IDLE_LAUNCH, "hipLaunchKernel")->calls, 1);
    assert_int_equal(group(&x, IDLE_QUEUED, "between kernels")->gaps, 1);
    case_close(&x.c);
}

/* Before 2022 the mark of a step is an operator: it is none that takes the time. */
static void the_mark_of_a_step_takes_no_time(void **state)
{
    (void)state;
    struct follow_case x;
    case_begin(&x.c);
    case_op(&x.c, "ProfilerStep#3", 0, 3000);
    case_launch(&x.c, "k0", 5, 10, 10, 1);
    case_launch(&x.c, "k1", 1000, 1005, 10, 2);
    open_follow(&x);
    assert_int_equal(x.r.groups[0].leaf.n, 0);
    assert_true(x.r.groups[0].total_ns >= 980000);
    case_close(&x.c);
}

/* What a first launch has loaded reaches the device behind the call. A start that is as
 * late behind a launch of the same kernel again, or behind a first launch that took a
 * few us, has another cause; so has one that takes no longer than any start. */
static void a_late_start_behind_a_first_launch_is_of_it(void **state)
{
    (void)state;
    struct follow_case x;
    case_begin(&x.c);
    case_launch(&x.c, "k0", 5, 10, 10, 1);
    case_call(&x.c, "cudaLaunchKernel", 30, 2000, 2);
    case_kernel(&x.c, "new", 7, 4030, 10, 2);
    case_call(&x.c, "cudaLaunchKernel", 4050, 2000, 3);
    case_kernel(&x.c, "new", 7, 6350, 10, 3);
    case_launch(&x.c, "quick", 6370, 6771, 10, 4);
    case_call(&x.c, "cudaLaunchKernel", 6800, 1000, 5);
    case_kernel(&x.c, "other", 7, 7899, 10, 5);
    open_follow(&x);
    assert_int_equal(x.r.class_ns[IDLE_FIRST_LAUNCH], 2000000 + 2000000 + 1000000);
    assert_int_equal(x.r.class_ns[IDLE_LATENCY] / 1000, 300 + 400 + 99);
    assert_int_equal(group(&x, IDLE_FIRST_LAUNCH, "first launches")->calls, 2);
    case_close(&x.c);
}

/* The first copy of a kind loads no code: its call is slow for another reason. */
static void a_copy_has_no_first_launch(void **state)
{
    (void)state;
    struct follow_case x;
    case_begin(&x.c);
    case_launch(&x.c, "k0", 5, 10, 10, 1);
    case_call(&x.c, "hipMemcpyAsync", 20, 2000, 2);
    case_copy(&x.c, "Memcpy HtoD (Host -> Device)", 2030, 10, 2, 1024);
    open_follow(&x);
    assert_int_equal(x.r.class_ns[IDLE_FIRST_LAUNCH], 0);
    assert_int_equal(x.r.class_ns[IDLE_LAUNCH], 2000000);
    case_close(&x.c);
}

/* Work without a call ends a gap only where it counts. */
static void work_without_a_call(void **state)
{
    (void)state;
    struct follow_case x;
    case_begin(&x.c);
    case_launch(&x.c, "k0", 5, 10, 10, 1);
    case_kernel(&x.c, "lost", 7, 60, 10, 99);
    case_launch(&x.c, "k1", 95, 100, 10, 2);
    open_follow(&x);
    if (x.g.n == 2)
        assert_int_equal(x.r.class_ns[IDLE_UNLINKED], 40000);
    else
        assert_int_equal(x.r.class_ns[IDLE_UNLINKED], 0);
    case_close(&x.c);
}

/* hipFree in 3 gaps of two operators is one group, named itself. */
static void calls_are_named_themselves(void **state)
{
    (void)state;
    struct follow_case x;
    case_begin(&x.c);
    for (int k = 0; k < 4; k++) {
        double at = 1000 + 3000.0 * k;
        case_op(&x.c, k == 3 ? "aten::cat" : "aten::conv2d", at - 490, 2980);
        case_call(&x.c, "hipFree", at + 100, 2000, 100 + k);
        case_call(&x.c, "hipFree", at + 2200, 100, 200 + k);
        case_launch(&x.c, "k", at + 2400, at + 2401, 10, k + 1);
    }
    open_follow(&x);
    const struct idle_group *g = group(&x, IDLE_MEMORY, "hipFree");
    assert_ptr_equal(g, &x.r.groups[0]);
    assert_int_equal(g->total_ns, 3 * 2100000);
    assert_int_equal(g->calls, 6);
    assert_int_equal(g->gaps, 3);
    assert_int_equal(g->n_spans, 6);
    assert_text(g->leaf, "aten::conv2d");
    assert_int_equal(group(&x, IDLE_DISPATCH, "aten::conv2d")->total_ns +
                         group(&x, IDLE_DISPATCH, "aten::cat")->total_ns +
                         x.r.class_ns[IDLE_LAUNCH],
                     x.c.view.timeline.idle_ns - g->total_ns);
    case_close(&x.c);
}

/* Memory that comes from the driver and goes back to it has one cause. */
static void taking_and_giving_memory_is_one_group(void **state)
{
    (void)state;
    static const char *const want[] = {"cudaFree", "cudaFree and cudaMalloc"};
    for (int takes = 0; takes < 2; takes++) {
        struct follow_case x;
        case_begin(&x.c);
        case_launch(&x.c, "k0", 5, 10, 10, 1);
        case_call(&x.c, "cudaMalloc", 100, takes ? 1500 : 10, 101);
        case_call(&x.c, "cudaFree", 2000, 2000, 102);
        case_call(&x.c, "cudaMallocHost", 4500, 500, 103); /* of the host */
        case_launch(&x.c, "k1", 6000, 6010, 10, 2);
        open_follow(&x);
        const struct idle_group *g = group(&x, IDLE_MEMORY, want[takes]);
        assert_int_equal(g->calls, 2);
        assert_int_equal(g->total_ns, takes ? 3500000 : 2010000);
        assert_int_equal(group(&x, IDLE_MEMORY, "cudaMallocHost")->total_ns, 500000);
        case_close(&x.c);
    }
}

/* What compiles in short gaps is a group of its own, and not where these are. */
static void short_gaps_are_where_their_own_time_is(void **state)
{
    (void)state;
    struct follow_case x;
    case_begin(&x.c);
    for (int k = 0; k < 61; k++) {
        double at = 50.0 * k;
        case_op(&x.c, k % 2 ? "aten::add" : "aten::mul", at, 45);
        case_call(&x.c, k % 2 ? "aclopCompileAndExecute" : "hipLaunchKernel", at + 1,
                  k % 2 ? 40 : 1, k + 1);
        case_kernel(&x.c, "k", 7, at + 44, 5, k + 1);
    }
    open_follow(&x);
    const struct idle_group *g = group(&x, IDLE_HOST_BOUND, "launches");
    assert_int_equal(g->total_ns, 30 * 45000 + 30 * 5000);
    assert_int_equal(g->n_where, 2);
    assert_text(g->where[0].name, "aten::mul");
    assert_near(g->where[0].total_us, 30 * 45, 1e-6);
    assert_near(g->where[1].total_us, 30 * 5, 1e-6);
    case_close(&x.c);
}

/* Two reads, each a call that copies and one that waits for it: the device is idle
 * before the copy and behind it. */
static void a_read_of_two_calls_is_one_wait(void **state)
{
    (void)state;
    struct follow_case x;
    case_begin(&x.c);
    for (int k = 0; k < 2; k++) {
        double at = 10000.0 * k;
        case_launch(&x.c, "k", at + 5, at + 10, 990, 4 * k + 1);
        case_op(&x.c, "aten::to", at + 20, 1100);
        case_call(&x.c, "hipMemcpyWithStream", at + 22, 1000, 4 * k + 2);
        case_copy(&x.c, "Memcpy DtoH", at + 1010, 5, 4 * k + 2, 8);
        case_call(&x.c, "hipStreamSynchronize", at + 1025, 90, 4 * k + 3);
        case_launch(&x.c, "k", at + 1300, at + 1310, 10, 4 * k + 4);
    }
    open_follow(&x);
    const struct idle_group *g = group(&x, IDLE_SYNC, "aten::to");
    assert_int_equal(g->calls, 2);
    case_close(&x.c);
}

/* 60 gaps of 45 us are one group; with 15 there is no such group. */
static void many_short_gaps_are_one_group(void **state)
{
    (void)state;
    for (int n = 8; n <= 61; n += 53) {
        struct follow_case x;
        case_begin(&x.c);
        for (int k = 0; k < n; k++) {
            double at = 50.0 * k;
            case_op(&x.c, k % 2 ? "aten::add" : "aten::mul", at, 30);
            case_launch(&x.c, "k", at + 1, at + 3, 5, k + 1);
        }
        open_follow(&x);
        bool many = x.r.groups[0].class == IDLE_HOST_BOUND;
        assert_int_equal(many, n == 61);
        if (many) {
            const struct idle_group *g = &x.r.groups[0];
            assert_int_equal(x.r.n_groups, 1);
            assert_int_equal(g->gaps, 60);
            assert_near(g->class_us[IDLE_LATENCY], 60, 1e-6);
            assert_near(g->class_us[IDLE_LAUNCH], 60, 1e-6);
            assert_int_equal(x.r.class_ns[IDLE_HOST_BOUND], 0);
            assert_int_equal(g->n_where, 2);
            assert_text(g->where[0].name, "aten::add"); /* equal: the first */
        }
        case_close(&x.c);
    }
}

/* Of few launches, only gaps that no single host call explains: 15 of 45 us are one
 * group, 15 of 245 us, 7 of 45 us, or 14 of them beside one of 295 us are not. */
static void few_short_gaps_are_one_group_if_they_are_brief(void **state)
{
    (void)state;
    static const struct {
        int n;
        double apart_us, last_us;
        bool many;
    } cases[] = {{16, 50, 50, true},
                 {16, 250, 250, false},
                 {8, 50, 50, false},
                 {16, 50, 300, false}};
    for (int i = 0; i < 4; i++) {
        struct follow_case x;
        case_begin(&x.c);
        double at = 0;
        for (int k = 0; k < cases[i].n; k++) {
            case_op(&x.c, "aten::add", at, 30);
            case_launch(&x.c, "k", at + 1, at + 3, 5, k + 1);
            at += k == cases[i].n - 2 ? cases[i].last_us : cases[i].apart_us;
        }
        open_follow(&x);
        assert_int_equal(x.r.groups[0].class == IDLE_HOST_BOUND, cases[i].many);
        case_close(&x.c);
    }
}

/* The step waits for its loader from 0 to 600 us, prepares the batch until 900 and
 * copies it; it ends 300 us behind its last kernel. */
static void the_edges_of_the_window_have_causes(void **state)
{
    (void)state;
    struct follow_case x;
    case_begin(&x.c);
    case_event(&x.c, "user_annotation", "ProfilerStep#3", 1, 0, 1400, "");
    case_event(&x.c, "user_annotation", "enumerate(DataLoader)#next", 1, 0, 600, "");
    case_frame(&x.c, "prep.py(3): resize", 600, 300);
    case_call(&x.c, "cudaMemcpyAsync", 900, 10, 1);
    case_copy(&x.c, "Memcpy HtoD (Pinned -> Device)", 910, 90, 1, 8);
    case_launch(&x.c, "gemm", 920, 1000, 100, 2);
    case_frame(&x.c, "log.py(3): write", 1100, 300);
    open_follow(&x);
    assert_int_equal(x.g.n, 2);
    assert_int_equal(x.g.rows[0].before, -1);
    assert_int_equal(x.g.rows[1].after, -1);
    assert_int_equal(group(&x, IDLE_NOTHING, "enumerate(DataLoader)#next")->total_ns,
                     600000);
    const struct idle_group *batch =
        group(&x, IDLE_PYTHON, "from the DataLoader to the copy of its batch");
    assert_int_equal(batch->total_ns, 300000);
    assert_text(batch->leaf, "resize");
    assert_int_equal(group(&x, IDLE_PYTHON, "write")->total_ns, 300000);
    case_close(&x.c);
}

/* What passes before the loader is asked, 200 us of 1510, makes no input. */
static void what_is_before_the_loader_makes_no_input(void **state)
{
    (void)state;
    struct follow_case x;
    case_begin(&x.c);
    case_event(&x.c, "user_annotation", "ProfilerStep#3", 1, 0, 2000, "");
    case_event(&x.c, "user_annotation", "enumerate(DataLoader)#next", 1, 200, 600, "");
    case_op(&x.c, "aten::stack", 800, 600);
    case_call(&x.c, "cudaMemcpyAsync", 1500, 10, 1);
    case_copy(&x.c, "Memcpy HtoD (Pinned -> Device)", 1510, 90, 1, 8);
    case_launch(&x.c, "gemm", 1520, 1600, 400, 2);
    open_follow(&x);
    assert_int_equal(x.r.pool_ns[POOL_HOST], 200000);
    assert_int_equal(x.r.pool_ns[POOL_INPUT], 1310000);
    case_close(&x.c);
}

/* Another thread launches what the one that waits for the loader puts into a queue. */
static void the_loader_waits_on_the_thread_that_fills_the_queue(void **state)
{
    (void)state;
    struct follow_case x;
    case_begin(&x.c);
    case_event(&x.c, "user_annotation", "ProfilerStep#3", 1, 0, 2000, "");
    case_event(&x.c, "user_annotation", "enumerate(DataLoader)#next", 1, 200, 900, "");
    case_event(&x.c, "cpu_op", "Dequeue@aclnnAdd", 2, 1500, 100, "");
    case_event(&x.c, "cuda_runtime", "cudaLaunchKernel", 2, 1510, 10,
               "\"correlation\":1");
    case_kernel(&x.c, "add", 7, 1600, 400, 1);
    open_follow(&x);
    assert_int_equal(group(&x, IDLE_NOTHING, "enumerate(DataLoader)#next")->total_ns,
                     900000);
    case_close(&x.c);
}

/* Between the launches of k0 and k1 a graph is launched: its kernels are recorded, or
 * the gap behind its launch, from 30 us on, is theirs. */
static void a_graph_without_kernels_hides_work(void **state)
{
    (void)state;
    for (int recorded = 0; recorded < 2; recorded++) {
        struct follow_case x;
        case_begin(&x.c);
        case_launch(&x.c, "k0", 5, 10, 10, 1);
        case_call(&x.c, "cudaGraphLaunch", 30, 5, 2);
        if (recorded)
            case_kernel(&x.c, "node", 7, 40, 10, 2);
        case_launch(&x.c, "k1", 1000, 1020, 10, 3);
        open_follow(&x);
        assert_int_equal(x.r.class_ns[IDLE_HIDDEN], recorded ? 0 : 990000);
        assert_int_equal(x.r.hidden_ns[HIDDEN_GRAPH], recorded ? 0 : 990000);
        assert_int_equal(x.r.pool_ns[POOL_HIDDEN], recorded ? 0 : 990000);
        assert_int_equal(x.r.graph_launches_hidden, !recorded);
        assert_int_equal(x.r.pool_ns[POOL_HOST], recorded ? 990000 : 10000);
        if (!recorded)
            group(&x, IDLE_HIDDEN, "behind graph launches without kernels");
        case_close(&x.c);
    }
}

/* A graph's three nodes of 30 us, gap_us apart, then a copy that was queued before
 * they were done, another gap_us behind them. */
static void nodes_that_cover_little_hide_work(void **state)
{
    (void)state;
    static const struct {
        double gap_us;
        int64_t hidden_ns;
    } cases[] = {{31, 93000}, {29, 0}, {19, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct follow_case x;
        double gap_us = cases[k].gap_us;
        case_begin(&x.c);
        case_call(&x.c, "cudaGraphLaunch", 5, 5, 1);
        for (int node = 0; node < 3; node++)
            case_kernel(&x.c, "node", 7, 20 + node * (30 + gap_us), 30, 1);
        case_call(&x.c, "cudaMemcpyAsync", 12, 5, 2);
        case_copy(&x.c, "Memcpy DtoH (Device -> Pinned)", 20 + 3 * (30 + gap_us), 4, 2,
                  64);
        open_follow(&x);
        assert_int_equal(x.r.hidden_ns[HIDDEN_NODES], cases[k].hidden_ns);
        assert_int_equal(x.r.graph_launches_partial, cases[k].hidden_ns > 0);
        assert_int_equal(x.r.graph_covered_ns, cases[k].hidden_ns ? 90000 : 0);
        assert_int_equal(x.r.graph_uncovered_ns, cases[k].hidden_ns);
        assert_int_equal(x.r.pool_ns[POOL_HIDDEN], cases[k].hidden_ns);
        assert_int_equal(x.r.pool_ns[POOL_GRAPH],
                         cases[k].hidden_ns ? 0 : llround(3e3 * gap_us));
        case_close(&x.c);
    }
}

/* The wait behind a graph of 90 us belongs to it: 600 us without its nodes. Where the
 * host comes late by itself, nothing is missing. */
static void a_wait_behind_a_graph_is_a_part_of_it(void **state)
{
    (void)state;
    for (int waits = 0; waits < 2; waits++) {
        struct follow_case x;
        case_begin(&x.c);
        case_call(&x.c, "cudaGraphLaunch", 5, 5, 1);
        case_kernel(&x.c, "node", 7, 20, 30, 1);
        case_kernel(&x.c, "node", 7, 80, 30, 1);
        if (waits)
            case_call(&x.c, "cudaStreamSynchronize", 15, 695, 2);
        case_launch(&x.c, "k1", 750, 760, 10, 3);
        open_follow(&x);
        assert_int_equal(x.r.graph_launches_partial, waits);
        assert_int_equal(x.r.graph_uncovered_ns, waits ? 630000 : 0);
        assert_int_equal(x.r.hidden_ns[HIDDEN_NODES], waits ? 30000 : 0);
        assert_int_equal(x.r.hidden_ns[HIDDEN_WAIT], waits ? 600000 : 0);
        case_close(&x.c);
    }
}

/* The host waits 600 us for a device on which nothing runs; 40 us are the way back, and
 * the 5 us waited before delay what follows; returning memory takes time of its own. */
static void a_wait_for_nothing_hides_work(void **state)
{
    (void)state;
    static const struct {
        const char *call;
        double us;
        enum idle_class class;
    } cases[] = {{"cudaStreamSynchronize", 600, IDLE_HIDDEN},
                 {"hipMemcpyWithStream", 600, IDLE_HIDDEN},
                 {"cudaStreamSynchronize", 40, IDLE_SYNC},
                 {"cudaFree", 600, IDLE_MEMORY}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct follow_case x;
        case_begin(&x.c);
        case_launch(&x.c, "k0", 5, 10, 10, 1);
        case_call(&x.c, cases[k].call, 15, cases[k].us + 5, 50);
        case_launch(&x.c, "k1", 1000, 1020, 10, 2);
        open_follow(&x);
        int64_t late_ns = cases[k].class == IDLE_SYNC ? 5000 : 0;
        int64_t ns = llround(cases[k].us * 1e3) + late_ns;
        assert_int_equal(x.r.class_ns[cases[k].class], ns);
        assert_int_equal(x.r.pool_ns[POOL_CALLS],
                         cases[k].class == IDLE_HIDDEN ? 0 : ns);
        case_close(&x.c);
    }
}

/* A read of a value waits 400 us for the device; then the host is late for two short
 * kernels. All of it is the read's, by the name and place that its user knows. */
static void a_wait_is_the_cause_of_what_follows(void **state)
{
    (void)state;
    struct follow_case x;
    case_begin(&x.c);
    case_frame(&x.c, "src/train.py(51): log_loss", 20, 1000);
    case_launch(&x.c, "k0", 5, 10, 400, 1);
    case_op(&x.c, "aten::item", 30, 410);
    case_op(&x.c, "aten::_local_scalar_dense", 31, 408);
    case_call(&x.c, "cudaMemcpyAsync", 32, 4, 2);
    case_copy(&x.c, "Memcpy DtoH (Device -> Pinned)", 410, 2, 2, 4);
    case_call(&x.c, "cudaStreamSynchronize", 37, 395, 91);
    case_launch(&x.c, "k1", 450, 456, 3, 3);
    case_launch(&x.c, "k2", 470, 476, 3, 4);
    open_follow(&x);
    assert_int_equal(x.r.class_ns[IDLE_SYNC], 44000 + 17000);
    assert_int_equal(x.r.pool_ns[POOL_CALLS], 61000);
    const struct idle_group *g = group(&x, IDLE_SYNC, "aten::item");
    assert_text(g->blame_place, "log_loss, train.py:51");
    assert_text(g->leaf, "cudaStreamSynchronize");
    assert_near(g->late_us, 16 + 17, 1e-9); /* from 440 on */
    assert_int_equal(g->calls, 1);
    case_close(&x.c);
}

/* Three rounds of two reads, each in an annotation: names that recur are places of
 * their own, names that count the rounds are one, and without any the operator is. */
static void without_frames_annotations_tell_waits_apart(void **state)
{
    (void)state;
    static const struct {
        const char *name; /* then a number: one of two, or that of the round */
        int numbers, groups;
        const char *place;
    } cases[] = {{"masks 0", 2, 2, "masks 0 0"}, {"round", 6, 1, ""}, {NULL, 1, 1, ""}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct follow_case x;
        int groups = 0;
        case_begin(&x.c);
        for (int i = 0; i < 6; i++) {
            double at = 1000 * i;
            char name[32];
            snprintf(name, sizeof name, "%s %d", cases[k].name ? cases[k].name : "",
                     i % cases[k].numbers);
            if (cases[k].name)
                case_event(&x.c, "user_annotation", name, 1, at + 20, 700, "");
            case_launch(&x.c, "k0", at + 5, at + 10, 400, 10 * i + 1);
            case_op(&x.c, "aten::item", at + 30, 410);
            case_call(&x.c, "cudaMemcpyAsync", at + 32, 4, 10 * i + 2);
            case_copy(&x.c, "Memcpy DtoH (Device -> Pinned)", at + 410, 2, 10 * i + 2,
                      4);
            case_call(&x.c, "cudaStreamSynchronize", at + 37, 395, 0);
            case_launch(&x.c, "k1", at + 450, at + 456, 3, 10 * i + 3);
        }
        open_follow(&x);
        for (int32_t g = 0; g < x.r.n_groups; g++)
            groups += x.r.groups[g].class == IDLE_SYNC;
        assert_int_equal(groups, cases[k].groups);
        assert_text(group(&x, IDLE_SYNC, "aten::item")->blame_place, cases[k].place);
        case_close(&x.c);
    }
}

/* The call that starts the copy waits first: for what is recorded, or for nothing. */
static void a_copy_that_waits_is_no_launch(void **state)
{
    (void)state;
    for (int is_long = 0; is_long < 2; is_long++) {
        struct follow_case x;
        case_begin(&x.c);
        case_launch(&x.c, "k0", 5, 10, 10, 1);
        case_call(&x.c, "hipMemcpyWithStream", 15, is_long ? 1000 : 45, 2);
        case_copy(&x.c, "Memcpy DtoH (Device -> Pageable)", is_long ? 1000 : 50, 4, 2,
                  64);
        open_follow(&x);
        assert_int_equal(x.r.class_ns[is_long ? IDLE_HIDDEN : IDLE_SYNC],
                         is_long ? 980000 : 30000);
        assert_int_equal(x.r.class_ns[IDLE_LAUNCH], 0);
        case_close(&x.c);
    }
}

/* Twenty kernels, launched in 2 ms: started within 5 us they have the time of a later
 * moment; started one after the other in 60 us they were held up. */
static void kernels_in_a_burst_have_no_time(void **state)
{
    (void)state;
    for (int held_up = 0; held_up < 2; held_up++) {
        struct follow_case x;
        case_begin(&x.c);
        case_launch(&x.c, "k0", 5, 10, 10, 1);
        for (int k = 0; k < 20; k++)
            case_launch(&x.c, "k", 100 + 100 * k, 5000 + (held_up ? 3 : 0.25) * k, 2,
                        k + 2);
        open_follow(&x);
        assert_int_equal(x.r.class_ns[IDLE_HIDDEN], held_up ? 0 : 4900000);
        assert_int_equal(x.r.hidden_ns[HIDDEN_BURST], held_up ? 0 : 4900000);
        assert_int_equal(x.r.pool_ns[POOL_QUEUED] > 4800000, held_up);
        case_close(&x.c);
    }
}

/* Who would have to act: the host's lateness is not the device's. */
static void late_starts_are_not_the_hosts(void **state)
{
    (void)state;
    struct follow_case x;
    case_begin(&x.c);
    case_launch(&x.c, "k0", 5, 10, 10, 1);
    case_launch(&x.c, "k1", 12, 500, 10, 2); /* queued for 480 us */
    case_launch(&x.c, "k2", 600, 620, 10, 3);
    case_launch(&x.c, "k3", 700, 1300, 10, 4); /* starts 599 us after its launch */
    open_follow(&x);
    assert_int_equal(x.r.pool_ns[POOL_QUEUED], 480000 + 599000);
    assert_int_equal(x.r.pool_ns[POOL_HOST], x.c.view.timeline.idle_ns - 1079000);
    assert_int_equal(group(&x, IDLE_LATENCY, "after the launch call")->longest_part_ns,
                     599000);
    case_close(&x.c);
}

/* Of 60 launches that come late 34 are in one model, and 20 in another; or 6. */
static void two_models_hold_short_gaps(void **state)
{
    (void)state;
    for (int other = 6; other <= 20; other += 14) {
        struct follow_case x;
        case_begin(&x.c);
        case_frame(&x.c, "nn.Module: TextModel_0", 1, 3398);
        case_frame(&x.c, "nn.Module: Encoder_0", 3401, 100 * other - 2);
        for (int k = 0; k < 60; k++)
            case_launch(&x.c, "kernel", 100 * k + 50, 100 * k + 55, 40, k + 1);
        open_follow(&x);
        const struct idle_group *g = group(&x, IDLE_HOST_BOUND, "launches");
        assert_text(g->root, "TextModel");
        assert_text(g->root_beside, other == 20 ? "Encoder" : "");
        case_close(&x.c);
    }
}

/* 60 launches that come late in a frame, which calls another for every ten; a graph is
 * launched before it, or in it, or nowhere. */
static void code_beside_graphs_is_named(void **state)
{
    (void)state;
    enum { BEFORE, WITHIN, NOWHERE };
    for (int graph = BEFORE; graph <= NOWHERE; graph++) {
        struct follow_case x;
        case_begin(&x.c);
        case_frame(&x.c, "serve.py(9): step", 1, 7000);
        case_frame(&x.c, "serve.py(30): draft", 101, 6100);
        if (graph != NOWHERE) {
            case_call(&x.c, "cudaGraphLaunch", graph == BEFORE ? 50 : 110, 5, 99);
            case_kernel(&x.c, "node", 7, graph == BEFORE ? 60 : 120, 5, 99);
        }
        for (int k = 0; k < 60; k++) {
            if (k % 10 == 0)
                case_frame(&x.c, "model.py(5): layer", 100 * k + 140, 990);
            case_launch(&x.c, "kernel", 100 * k + 150, 100 * k + 155, 40, k + 1);
        }
        open_follow(&x);
        const struct idle_group *g = group(&x, IDLE_HOST_BOUND, "launches");
        assert_text(g->beside, graph == BEFORE ? "draft" : "");
        assert_text(g->beside_place, graph == BEFORE ? "serve.py:30" : "");
        case_close(&x.c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_beside_graphs_is_named),
        cmocka_unit_test(two_models_hold_short_gaps),
        cmocka_unit_test(without_frames_annotations_tell_waits_apart),
        cmocka_unit_test(a_graph_without_kernels_hides_work),
        cmocka_unit_test(nodes_that_cover_little_hide_work),
        cmocka_unit_test(a_wait_behind_a_graph_is_a_part_of_it),
        cmocka_unit_test(a_wait_for_nothing_hides_work),
        cmocka_unit_test(a_wait_is_the_cause_of_what_follows),
        cmocka_unit_test(a_copy_that_waits_is_no_launch),
        cmocka_unit_test(kernels_in_a_burst_have_no_time),
        cmocka_unit_test(late_starts_are_not_the_hosts),
        cmocka_unit_test(a_gap_is_split_by_the_table),
        cmocka_unit_test(what_is_called_often_counts_in_sum),
        cmocka_unit_test(work_on_the_cpu_is_its_callers),
        cmocka_unit_test(code_is_the_users),
        cmocka_unit_test(code_is_around_what_takes_the_time),
        cmocka_unit_test(late_starts_and_slow_calls),
        cmocka_unit_test(a_read_of_two_calls_is_one_wait),
        cmocka_unit_test(the_mark_of_a_step_takes_no_time),
        cmocka_unit_test(a_late_start_behind_a_first_launch_is_of_it),
        cmocka_unit_test(a_copy_has_no_first_launch),
        cmocka_unit_test(work_without_a_call),
        cmocka_unit_test(calls_are_named_themselves),
        cmocka_unit_test(taking_and_giving_memory_is_one_group),
        cmocka_unit_test(short_gaps_are_where_their_own_time_is),
        cmocka_unit_test(many_short_gaps_are_one_group),
        cmocka_unit_test(few_short_gaps_are_one_group_if_they_are_brief),
        cmocka_unit_test(the_edges_of_the_window_have_causes),
        cmocka_unit_test(what_is_before_the_loader_makes_no_input),
        cmocka_unit_test(the_loader_waits_on_the_thread_that_fills_the_queue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
