#include "idle_findings.c"

#include "analysis/library_case.h"
#include "analysis/system/host_time.h"
#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct idle_case {
    struct trace_case c;
    struct tree_index t;
    struct analysis a;
    struct idle_result r;
};

static void find(struct idle_case *x, double threshold_pct)
{
    case_open(&x->c, NULL);
    x->t = tree_index_build(&x->c.perm, x->c.tmp, &x->c.view);
    struct idle_gaps g = idle_gaps_find(&x->c.perm, x->c.tmp, &x->t);
    x->a = case_analysis(&x->c);
    x->a.patterns = library_open(&x->c.perm, NULL, 0);
    x->r = (struct idle_result){0};
    struct host_time host = host_time_build(&x->c.perm, x->c.tmp, &x->t);
    idle_count(x->c.tmp, &x->a, &x->c.view, &x->r);
    idle_analyse(&x->c.perm, x->c.tmp, &x->a, &host, &g, &x->r);
    idle_findings(&x->c.perm, &x->a, &x->t, &x->r, threshold_pct);
}

static void close_case(struct idle_case *x)
{
    assert_int_equal(x->a.n_warnings, 0);
    pattern_host_close(x->a.patterns);
    case_close(&x->c);
}

/* 1 ms of work, then preprocess for 9 ms, 7 of these in zoom. */
static void a_group_is_a_finding(void **state)
{
    (void)state;
    struct idle_case x;
    case_begin(&x.c);
    case_frame(&x.c, "main.py(1): main", 0, 30000);
    case_launch(&x.c, "k0", 5, 10, 1000, 1);
    case_frame(&x.c, "src/prep.py(368): preprocess", 900, 9100);
    case_frame(&x.c, "src/zoom.py(7): zoom", 2000, 7000);
    case_launch(&x.c, "k1", 10005, 10010, 1000, 2);
    find(&x, 50);
    assert_int_equal(x.a.n_findings, 1);
    const struct finding *f = &x.a.findings[0];
    assert_text(f->id, "cpu_idle.host_python.preprocess__prep_py_368.none");
    assert_text(f->title,
                "Run zoom (zoom.py:7) one batch ahead in a thread, or on the GPU");
    assert_text(f->issue,
                "The GPU is idle for 9.00 ms (81.8% of the run) while the host runs "
                "`preprocess` (prep.py:368); `zoom` (zoom.py:7) takes 7.00 ms of it.");
    assert_true(str_starts(f->algorithmic, S("Prepare the next input in a thread")));
    assert_text(f->evidence[0].text,
                "9.00 ms in 1 gap: Python, `preprocess` (prep.py:368).");
    assert_near(f->impact.high_ms, 8.995, 1e-6); /* all but the start latency */
    assert_near(f->impact.low_ms, 0.8 * 8.995, 1e-6);
    assert_int_equal(x.r.n_patterns, 1);
    close_case(&x);
}

/* Two nodes of a graph, 2 ms apart: they need not be neighbours, and nobody else holds
 * the device. */
static void gaps_of_graphs_blame_no_other_process(void **state)
{
    (void)state;
    struct idle_case x;
    case_begin(&x.c);
    case_call(&x.c, "cudaGraphLaunch", 5, 5, 1);
    case_kernel(&x.c, "node", 7, 20, 1500, 1);
    case_kernel(&x.c, "node", 7, 3520, 1500, 1);
    find(&x, 50);
    assert_int_equal(x.a.n_findings, 1);
    assert_text(x.a.findings[0].title,
                "Record the nodes of GPU graphs: the GPU waits between or after them");
    assert_int_equal(x.r.pool_ns[POOL_GRAPH], 2000000);
    close_case(&x);
}

/* A library is set up for 4 ms in the first product: another such call in the second
 * one makes it a part of each. */
static void what_happens_once_saves_nothing(void **state)
{
    (void)state;
    for (int recurs = 0; recurs < 2; recurs++) {
        struct idle_case x;
        case_begin(&x.c);
        case_launch(&x.c, "k0", 5, 10, 1000, 1);
        for (int k = 0; k < 2; k++) {
            case_op(&x.c, "aten::addmm", 1100 + 10000 * k, 5000);
            if (k == 0 || recurs)
                case_call(&x.c, "cudaFree", 1200 + 10000 * k, 4000, 0);
            case_launch(&x.c, "gemm", 6000 + 10000 * k, 6010 + 10000 * k,
                        recurs ? 5000 : 9900, 2 + k);
        }
        find(&x, 0);
        const struct finding *f = &x.a.findings[0];
        assert_text(f->pattern, recurs ? "host_memory" : "host_set_up");
        assert_true(recurs ? f->impact.high_ms > 3.9 : !(f->impact.high_ms > 0));
        close_case(&x);
    }
}

/* The host schedules for 2 ms, prepares for 2 ms and launches for 0.9 ms, then is 14 ms
 * ahead: three causes, one recording, and no saving. */
static void the_start_of_a_recording_is_one_finding(void **state)
{
    (void)state;
    struct idle_case x;
    case_begin(&x.c);
    case_frame(&x.c, "loop.py(1): event_loop", 0, 30000);
    case_launch(&x.c, "k0", 5, 10, 5, 1);
    case_frame(&x.c, "src/plan.py(7): plan", 20, 1980);
    case_launch(&x.c, "k1", 2005, 2015, 5, 2);
    case_frame(&x.c, "src/prepare.py(9): prepare", 2021, 1970);
    case_call(&x.c, "cudaGraphLaunch", 4100, 900, 3);
    case_kernel(&x.c, "moe", 7, 5000, 7000, 3);
    case_kernel(&x.c, "gemm", 7, 12001, 7000, 3);
    find(&x, 50);
    assert_int_equal(x.a.n_findings, 1);
    const struct finding *f = &x.a.findings[0];
    assert_text(f->pattern, "host_start");
    assert_true(f->recording && !(f->impact.high_ms > 0));
    assert_near(f->time_ms, (double)x.r.pool_ns[POOL_START] / 1e6, 1e-9);
    assert_int_equal(x.r.pool_ns[POOL_START], 4980000);
    assert_int_equal(x.r.pool_ns[POOL_HOST], 0);
    close_case(&x);
}

/* 2 ms of 200 are 1 %, 1 ms is less. */
static void small_groups_are_none_unless_asked_for(void **state)
{
    (void)state;
    for (int asked = 0; asked < 2; asked++) {
        struct idle_case x;
        case_begin(&x.c);
        case_frame(&x.c, "main.py(1): main", 0, 300000);
        case_launch(&x.c, "k0", 5, 10, 100000, 1);
        case_launch(&x.c, "k1", 101005, 101010, 100000, 2);
        find(&x, asked ? 0 : 50);
        assert_int_equal(x.a.n_findings, asked);
        if (asked)
            assert_true(x.a.findings[0].asked);
        close_case(&x);
    }
}

static const struct {
    const char *id, *facts; /* that differ from those of no pattern */
    const char *says;       /* in a title or path */
} cases[] = {
    {"host_bound", "class=host_bound graph_pct=0 repeated_pct=100 steps=3",
     "GPU graph"},
    {"host_bound", "class=host_bound graph_pct=90 repeated_pct=100 dispatch_pct=60",
     "!GPU graph"},
    {"host_bound", "class=host_bound dispatch_pct=60 where=`Linear`",
     "`torch.compile`"},
    {"host_bound", "class=host_bound dispatch_pct=60 compiled_pct=80",
     "!torch.compile"},
    {"host_bound", "class=host_bound after_sync_pct=60 sync=aten::item", "!aten::item"},
    {"host_bound",
     "class=host_bound repeated_pct=100 waits_per_step=24 dispatch_pct=60",
     "!GPU graph"},
    {"host_bound",
     "class=host_bound repeated_pct=100 waits_per_step=24 sync=aten::nonzero",
     "it waits for the GPU 24 times, most often in `aten::nonzero`"},
    {"host_bound_optimizer",
     "class=host_bound where_most=Optimizer.step#Adam.step where_most_pct=60 "
     "repeated_pct=100",
     "fused=True"},
    {"host_bound_optimizer",
     "class=host_bound where_most=Optimizer.zero_grad#SGD where_most_pct=60",
     "set_to_none=True"},
    {"host_bound",
     "class=host_bound where_most=Optimizer.step#Adam.step where_most_pct=30 "
     "repeated_pct=100",
     "GPU graph"},
    {"host_blocking", "class=host_bound blocking_pct=97 repeated_pct=100",
     "LAUNCH_BLOCKING"},
    {"host_experts",
     "class=host_bound blame=expert+loop root=MoeBlock gaps=500 dispatch_pct=60",
     "Compute the experts of `MoeBlock` in one grouped GEMM"},
    {"host_bound",
     "class=host_bound blame=launches root=MoeBlock dispatch_pct=60 expert_turns=64",
     "!grouped GEMM"},
    {"host_optimizer", "class=dispatch blame=Optimizer.step#SGD.step", "fused=True"},
    {"host_dispatch",
     "class=dispatch blame=Optimizer.step#SGD.step leaf=aten::_fused_sgd_",
     "!fused=True"},
    {"host_optimizer", "class=dispatch blame=Optimizer.zero_grad#SGD",
     "set_to_none=True"},
    {"host_no_input",
     "class=python blame=poll blame_place=selectors.py:451 gaps=5 longest_ms=90",
     "the process that schedules them"},
    {"host_loader",
     "class=cpu_work blame=aten::cat around=_SingleProcessDataLoaderIter.__next__",
     "Load data in workers"},
    {"host_loader",
     "class=python blame=get blame_place=queue.py:154 around=dataloader.py:__next__",
     "add more, or make samples cheaper"},
    {"host_recompile",
     "class=load blame=catch_errors blame_place=convert_frame.py:1040 in_steps=3",
     "mark_dynamic"},
    {"host_recompile",
     "class=load blame=torch.compile in_steps=3 steps=3 repeated_pct=99",
     "every step compiles again"},
    {"host_recompile",
     "class=load blame=torch.compile in_steps=3 steps=4 repeated_pct=40",
     "or pad them to a few sizes"},
    {"host_load", "class=load blame=torch.compile in_steps=2 steps=2", "after warm-up"},
    {"host_load",
     "class=load blame=catch_errors blame_place=convert_frame.py:1040 in_steps=2",
     "after warm-up"},
    {"host_load", "class=load blame=cuModuleLoadData in_steps=9", "after warm-up"},
    {"host_operator_compile", "class=load blame=aclopCompileAndExecute",
     "set_compile_mode"},
    {"host_loader",
     "class=nothing blame=enumerate(DataLoader)#_SingleProcessDataLoaderIter",
     "num_workers"},
    {"host_loader", "class=nothing blame=enumerate(DataLoader)#_MultiProcessingIter",
     "!num_workers"},
    {"host_loader", "class=python blame=poll around=dataloader.py(1310):get_data",
     "do not keep up"},
    {"host_loader",
     "class=nothing leads=1 gaps=1 blame=enumerate(DataLoader)#_MultiProcessingIter",
     "Record more than one step"},
    {"host_loader",
     "class=nothing leads=1 gaps=2 blame=enumerate(DataLoader)#_MultiProcessingIter",
     "!Record more"},
    {"host_loader",
     "class=nothing leads=1 gaps=1 blame=enumerate(DataLoader)#_SingleProcessIter",
     "!Record more"},
    {"host_batch",
     "class=nothing leads=1 gaps=1 blame=from+the+DataLoader+to+the+copy+of+its+batch",
     "Record more than one step"},
    {"host_batch",
     "class=python gaps=4 leaf=resize "
     "blame=from+the+DataLoader+to+the+copy+of+its+batch",
     "Prepare batches in the DataLoader's workers"},
    {"host_flatten",
     "class=dispatch blame=aten::unflatten_dense_tensors "
     "around=DistributedDataParallel.forward",
     "broadcast_buffers=False"},
    {"host_flatten", "class=dispatch blame=aten::unflatten_dense_tensors",
     "gradient_as_bucket_view"},
    {"host_python",
     "class=python blame=step graph_pct=80 leaf=plan leaf_pct=60 time_ms=9 beside_ms=8",
     "run `plan` for the next batch"},
    {"host_python",
     "class=python blame=step graph_pct=80 leaf=plan leaf_pct=60 time_ms=9 beside_ms=9",
     "Make `plan` cheaper: the GPU graph waits for it"},
    {"host_dispatch", "class=dispatch blame=plan graph_pct=80 time_ms=9 beside_ms=9",
     "Capture `plan` into the GPU graph"},
    {"host_start", "class=python blame=step graph_pct=80 start_pct=50",
     "Record several steps"},
    {"host_python", "class=python blame=step graph_pct=80 start_pct=49 time_ms=1",
     "one batch ahead"},
    {"host_python", "class=python blame=load leaf=resize leaf_pct=80", "in a thread"},
    {"host_python", "class=python blame=f leaf=g leaf_pct=80", "Make `g` cheaper"},
    {"host_python",
     "class=python blame=f steps=4 in_steps=4 in_step_ms=3 per_step_ms=3",
     "It costs 3.00 ms in every step."},
    {"host_python", "class=python blame=f steps=9 in_steps=4 in_step_ms=3",
     "It costs 3.00 ms in 4 of 9 steps."},
    {"host_python", "class=python blame=f steps=4 in_steps=1 first_step=7 in_step_ms=3",
     "in one of 4 steps (ProfilerStep#7)."},
    {"host_python", "class=python blame=f steps=4 in_steps=4 per_step_ms=2",
     "It costs 2.00 ms a step on average."},
    {"host_python",
     "class=python leaf=g leaf_pct=80 longest_part_ms=50 leaf_usual_us=4000 steps=9 "
     "in_steps=3 every_nth=3 in_step_ms=50",
     "Find out what stops Python in `g` in every third step"},
    {"host_python",
     "class=python leaf=g leaf_pct=80 longest_part_ms=50 leaf_usual_us=4000 steps=3 "
     "in_steps=3 in_step_ms=50",
     "!stops"},
    {"host_python",
     "class=python leaf=g leaf_pct=80 longest_part_ms=50 leaf_usual_us=6000 steps=9 "
     "in_steps=3 every_nth=3 in_step_ms=50",
     "!stops"},
    {"host_python",
     "class=python leaf=g leaf_pct=80 longest_part_ms=50 leaf_usual_us=50000 steps=9 "
     "leaf_only_calls=1 in_steps=2 in_step_ms=50",
     "in 2 of 9 steps"},
    {"host_python",
     "class=python blame=f leaf=collect leaf_pct=99 time_ms=40 long_ms=40 "
     "after_sync_pct=99 sync=aten::item",
     "Make `collect` cheaper"},
    {"host_python",
     "class=python blame=f leaf=next leaf_pct=99 time_ms=40 long_ms=40 longest_ms=5 "
     "hidden_without_pct=90 sync=aten::_local_scalar_dense sync_place=t.py:9",
     "Defer the wait in `item()` (t.py:9): it keeps the host from running ahead Keep"},
    {"host_python",
     "class=python blame=f leaf=next leaf_pct=99 time_ms=40 long_ms=40 longest_ms=5 "
     "hidden_without_pct=90 sync=cudaDeviceSynchronize",
     "Remove the wait, or launch the next work before it"},
    {"host_python",
     "class=python blame=f leaf=next leaf_pct=99 time_ms=40 long_ms=40 longest_ms=5 "
     "hidden_without_pct=50 sync=aten::item sync_place=t.py:9",
     "Make `next` cheaper"},
    {"host_python", "class=python blame=step blame_place=cpu_adam.py:119",
     "Keep the optimizer on the GPU"},
    {"host_python", "class=python blame=step blame_place=adam.py:119", "!optimizer"},
    {"queued_start", "class=queued kernel_us=3 call_us=1", "larger batch"},
    {"queued_start", "class=queued kernel_us=19 call_us=1", "!batch"},
    {"host_python", "class=python blame=write leaf_place=serialization.py:850",
     "pinned memory"},
    {"host_cpu_work", "class=cpu_work blame=sample leaf=aten::softmax gaps=12",
     "computes on the CPU"},
    {"host_dispatch",
     "class=cpu_work blame=aten::arange leaf=aten::arange gaps=1 call_ms=29",
     "Profile the host"},
    {"host_dispatch",
     "class=dispatch blame=aten::arange leaf=aten::arange gaps=1 calls=1 call_ms=29 "
     "first_call=1",
     "Record after warm-up"},
    {"host_dispatch",
     "class=dispatch blame=aten::arange leaf=aten::arange gaps=1 calls=1 call_ms=2",
     "!warm-up"},
    {"host_set_up", "class=load sets_up=1 blame=first_calls leaf=aten::addmm",
     "after warm-up"},
    {"host_pool_grows", "class=memory blame=cudaMalloc calls=96", "after warm-up"},
    {"host_memory", "class=memory blame=cudaMalloc calls=96 given_back=1",
     "caching allocator is"},
    {"host_runtime", "class=runtime blame=f leaf=cudaGetDeviceProperties",
     "Call `cudaGetDeviceProperties` once before the loop"},
    {"hidden_work", "class=hidden blame=behind+graph+launches", "without GPU graphs"},
    {"hidden_work", "class=hidden blame=before+kernels+that+start+in+a+burst",
     "time stamps"},
    {"hidden_work", "class=hidden blame=while+the+host+waits", "the profiler misses"},
    {"start_latency", "class=latency gaps=5 call_ms=92 longest_part_ms=463 time_ms=463",
     "blocked the GPU for 463.0 ms"},
    {"start_latency",
     "class=latency gaps=5 call_us=92000 longest_part_ms=93 time_ms=463",
     "launched kernels start late"},
    {"queued_start",
     "class=queued blame=between+kernels gaps=3 longest_part_ms=493 time_ms=494",
     "one gap of 493.0 ms"},
    {"host_unseen", "class=nothing has_ops=1", "Record Python stacks"},
    {"host_jax_wait", "class=nothing has_ops=1 has_frames=1 blame=try_to_block",
     "before waiting for this one"},
    {"host_unseen", "class=nothing has_ops=1 has_frames=1 blame=try_to_run",
     "native frames"},
    {"host_unseen", "class=nothing has_ops=0", "host activity"},
    {"host_sync", "class=sync blame=cudaDeviceSynchronize blame_place=t.py:2",
     "the wait in `cudaDeviceSynchronize` (t.py:2)"},
    {"host_sync", "class=sync blame=cudaDeviceSynchronize", "record events"},
    {"host_sync", "class=sync blame=aten::item blame_place=t.py:2",
     "Remove or defer the wait in `item()` (t.py:2)"},
    {"host_sync", "class=sync blame=aten::item", "Keep the value on the GPU"},
    {"host_sync", "class=sync blame=aten::item has_stacks=1", "!with_stack"},
    {"host_sync", "class=sync blame=aten::nonzero", "a mask"},
    {"host_sync", "class=sync blame=aten::to", "non_blocking=True"},
    {"host_sync", "class=sync blame=aten::to reads_device=1 calls=8 steps=2",
     "Gather the values"},
    {"host_sync", "class=sync blame=aten::to reads_device=1 calls=7 steps=2",
     "Copy with `non_blocking=True`"},
    {"host_sync", "class=sync blame=aten::to calls=8 steps=2",
     "Copy with `non_blocking=True`"},
    {"host_sync", "class=sync blame=aten::where", "a mask"},
    {"host_sync", "class=sync blame=aten::item call_us=1069 call_ms=1.069",
     "for 1.07 ms"},
    {"host_sync",
     "class=sync blame=synchronize blame_place=__init__.py:980 code=hook "
     "code_place=hooks.py:22",
     "the wait in `synchronize` (hook, hooks.py:22)"},
    {"host_sync",
     "class=sync blame=aten::item blame_place=read,t.py:2 code=read code_place=t.py:2",
     "(read,t.py:2)"},
    {"host_memory", "class=memory blame=hipFree calls=1360 gaps=900",
     "caching allocator is"},
    {"host_memory", "class=memory blame=hipFree calls=3", "warm up"},
    {"host_memory_full",
     "class=memory blame=hipFree calls=420 given_back=392 repeated=28 "
     "freed_to_repeat=392",
     "a smaller batch"},
    {"host_memory_full",
     "class=memory blame=cudaFree given_back=2 repeated=1 freed_to_repeat=1",
     "expandable_segments:True"},
    {"host_memory",
     "class=memory blame=cudaFree calls=99 given_back=3 repeated=1 freed_to_repeat=1",
     "caching allocator is"},
    {"host_memory", "class=memory blame=hipFree calls=99 leaf=_cuda_emptyCache",
     "Do not call `empty_cache()`"},
    {"host_memory",
     "class=memory blame=cudaFree calls=18 given_back=12 taken=52 leaf=empty_cache",
     "in 12 calls, and operators take it again in 52 calls"},
    {"host_memory", "class=memory blame=hipHostMalloc calls=50", "pinned memory"},
    {"host_load", "class=load blame=hipModuleLoadData", "once per process"},
    {"host_graph", "class=graph blame=hipGraphInstantiate", "captured once"},
    {"host_graph", "class=graph blame=hipGraphInstantiate captures=8 recaptures=2",
     "captured once"},
    {"host_recapture", "class=graph captures=5 recaptures=4 gaps=10 time_ms=50",
     "Capture each GPU graph once, and pad batches to its size"},
    {"first_launch", "class=first_launch calls=1 leaf=k",
     "launched for the first time"},
    {"slow_launch_call", "class=launch blame=cudaGraphLaunch calls=1",
     "Record several launches"},
    {"slow_launch_call", "class=launch blame=cudaGraphLaunch calls=9", "fewer nodes"},
    {"slow_launch_call", "class=launch blame=cudaMemcpyAsync leaf=aten::to", "pinned"},
    {"slow_launch_call", "class=launch blame=cudaLaunchKernel", "queue is full"},
    {"host_bound", "class=host_bound nothing_pct=60",
     "Record operators and Python frames to see"},
    {"host_bound", "class=host_bound nothing_pct=60 repeated_pct=100", "!Record"},
    {"start_latency", "class=latency blame=after gaps=3", "empty"},
    {"start_latency", "class=latency gaps=1 call_us=5300 longest_ms=5.3",
     "what blocked the GPU"},
    {"queued_start", "class=queued blame=between_kernels gaps=2",
     "fewer, larger kernels"},
    {"queued_start", "class=queued blame=before_a_collective",
     "compare the traces of all ranks"},
    {"queued_start",
     "class=queued blame=between_kernels gaps=9 time_ms=9 stalled_ms=8 longest_ms=8",
     "Look outside this process"},
    {"host_graph_breaks", "class=host_bound resumes=2 regions=3 compiled_pct=60",
     "resumes in 2 places"},
    {"host_graph_breaks", "class=host_bound regions=8 compiled_pct=60", "TORCH_LOGS"},
    {"host_bound", "class=host_bound regions=7 compiled_pct=60", "GPU graph"},
    {"unlinked_start", "class=unlinked share_pct=24", "host activity"},
    {"unlinked_idle", "class=unlinked share_pct=26", "Record the calls of the runtime"},
    /* What was asked for is not asked for again, unless much hangs on it. */
    {"host_unseen", "class=nothing has_ops=1 share_pct=6 stacks_asked=1", "stacks"},
    /* The same shapes are said only where shapes are recorded. */
    {"host_bound", "class=host_bound repeated_pct=95 steps=3 has_shapes=1",
     "in every step with the same shapes"},
    {"host_bound", "class=host_bound repeated_pct=95 steps=3", "!shapes"},
    /* What is compiled is the user's code with its place, or the model: never an
     * operator, nor what a program begins with. */
    {"host_dispatch",
     "class=dispatch blame=aten::_convolution leaf=aten::_convolution gaps=9 "
     "dispatch_pct=90 code=Net.forward code_place=net.py:9",
     "Compile `Net.forward` (net.py:9)"},
    {"host_dispatch",
     "class=dispatch blame=aten::_convolution leaf=aten::_convolution gaps=9 "
     "dispatch_pct=90",
     "!_convolution"},
    {"host_bound", "class=host_bound dispatch_pct=60 root=BertModel", "`BertModel`"},
    {"host_bound", "class=host_bound dispatch_pct=60 where=`aten::mm` steps=3",
     "Compile the step"},
    {"host_dispatch", "class=dispatch dispatch_pct=90 gaps=9 blame=backward",
     "the code inside `backward`"},
    {"host_dispatch",
     "class=dispatch dispatch_pct=90 gaps=9 blame=backward step_late=1",
     "!the code inside"},
    {"host_sync",
     "class=sync blame=aten::item reads_device=1 code=clip_gradients "
     "code_place=a.py:1",
     "clip_grad_norm_"},
    /* What the caller says, not the socket or lock at its end; nor is it the GPU's
       work. */
    {"host_python",
     "class=python results_pct=90 results_bytes=-1 gaps=3 leaf=_read_status "
     "leaf_pct=95 "
     "around=requests/sessions.py(500):_request,_mlflow/tracking/fluent.py(1004) "
     "code=log_step code_place=a.py:1 longest_ms=20",
     "Log metrics in a background thread, not in `log_step`"},
    {"host_python",
     "class=python input_pct=90 gaps=3 leaf=_read_status leaf_pct=95 "
     "around=requests/sessions.py(500):_request longest_ms=20 steps=3",
     "Wait for the network in a background thread, not in the step"},
    {"host_results",
     "class=python results_pct=90 results_bytes=-1 gaps=3 leaf=sample leaf_pct=95 "
     "around=main.py(3):_main longest_ms=20",
     "on the GPU"},
    /* Stacks are asked for once in a report, and where they are not recorded. */
    {"host_dispatch", "class=dispatch dispatch_pct=90 gaps=9", "with_stack"},
    {"host_dispatch", "class=dispatch dispatch_pct=90 gaps=9 stacks_asked=1",
     "!with_stack"},
    {"host_dispatch", "class=dispatch dispatch_pct=90 gaps=9 has_stacks=1",
     "!with_stack"},
    {"host_unseen", "class=nothing has_ops=1 has_stacks=1 has_frames=1",
     "native frames"},
    /* A library asks again in each of its calls, whatever its caller keeps. */
    {"host_runtime",
     "class=runtime blame=f leaf=cudaOccupancyMaxActive leaf_in_operator=1",
     "!returns once"},
    {"host_runtime",
     "class=runtime blame=f leaf=cudaOccupancyMaxActive leaf_in_operator=1",
     "The library behind"},
    /* Workers are those of a data loader. */
    {"host_python", "class=python blame=preprocess has_loader=1", "DataLoader worker"},
    {"host_python", "class=python blame=preprocess", "!worker"},
    {"host_results",
     "class=python blame=pick code=pick code_place=i.py:3 results_pct=80 "
     "results_bytes=-1",
     "Run `pick` (i.py:3) on the GPU: it works on what it copied from there"},
    {"host_results", "class=python blame=sample results_pct=80 results_bytes=65537",
     "torch.multinomial"},
    {"host_python", "class=python blame=sample results_pct=80 results_bytes=1024",
     "!on the GPU"},
    {"host_engine",
     "class=python results_pct=80 results_bytes=1024 longest_ms=5 gaps=5 "
     "parts=`update`+(detokenizer.py:95)+8+ms",
     "`update` (detokenizer.py:95) 8 ms"},
    {"host_engine",
     "class=python blame=step around=engine/core.py(2):loop gaps=2 "
     "parts=`plan`+(scheduler.py:7)+3+ms",
     "Overlap the engine's Python"},
    {"host_python",
     "class=python blame=step around=engine/core.py(2):loop gaps=1 "
     "parts=`plan`+(scheduler.py:7)+3+ms",
     "!engine"},
    {"host_python",
     "class=python leaf=observe leaf_pct=90 leaf_usual_us=5 longest_part_ms=60 gaps=3 "
     "in_step_ms=70 in_steps=3 steps=9 around=engine/core.py(2):loop "
     "parts=`plan`+(scheduler.py:7)+3+ms",
     "stops Python"},
    {"host_python",
     "class=python blame=step around=engine.py(2):train gaps=2 "
     "parts=`step`+(lr_scheduler.py:7)+3+ms",
     "!engine"},
    {"host_python", "class=python blame=sample results_pct=40", "!torch.multinomial"},
    {"host_input", "class=python blame=load code=load code_place=i.py:3 input_pct=80",
     "Run `load` (i.py:3) for the next input in a thread, or on the GPU"},
    {"host_input", "class=python blame=preprocess input_pct=80 gaps=1", "next input"},
    {"host_python", "class=python blame=find_device input_pct=80 gaps=1",
     "!next input"},
    {"host_python",
     "class=python blame=step leaf=<built-in+function+collect> leaf_pct=90 "
     "input_pct=80 "
     "gaps=5",
     "Remove the explicit gc.collect() in the step"},
    {"host_python",
     "class=python blame=<built-in+function+collect> "
     "blame_place=clear_cache,+memory.py:41 gaps=3",
     "Remove the explicit gc.collect() in clear_cache (memory.py:41)"},
    {"host_python", "class=python blame=collect_outputs leaf=collect_outputs gaps=3",
     "!gc.collect"},
    {"host_python",
     "class=python leaf=g leaf_pct=80 longest_part_ms=50 leaf_usual_us=4000 gaps=1",
     "Find out what stops Python in `g`"},
    {"host_python",
     "class=python leaf=g leaf_pct=80 longest_part_ms=50 leaf_usual_us=6000 gaps=1",
     "!stops"},
    {"host_bound", "class=host_bound nothing_pct=60 has_ops=1",
     "Record Python frames to see"},
    {"host_bound", "class=host_bound nothing_pct=60 has_ops=0",
     "Record operators and Python frames to see"},
    {"host_input", "class=nothing input_pct=80 gaps=3", "!worker"},
    {"host_input", "class=dispatch blame=aten::stack input_pct=80 has_loader=1",
     "in a DataLoader worker"},
    {"host_dispatch", "class=dispatch blame=aten::stack input_pct=20", "!next input"},
};

/* The keys that group_facts fills; texts first. */
static const char *const text_keys[] = {
    "class",      "blame", "blame_place", "around",     "leaf",          "leaf_place",
    "what",       "sync",  "sync_place",  "where",      "where_most",    "code",
    "code_place", "parts", "root",        "stacks_how", "activities_how"};
/* clang-format off */
static const char *const number_keys[] = {
    "gaps", "calls", "time_ms", "share_pct", "idle_pct", "leaf_ms", "call_ms",
    "call_us", "long_ms", "longest_ms", "longest_part_ms", "per_step_ms", "steps",
    "leaf_pct", "after_sync_pct", "hidden_without_pct", "compiled_pct", "python_pct",
    "dispatch_pct", "runtime_pct", "latency_pct", "nothing_pct", "launches_per_s",
    "gap_us", "launches_per_step", "has_ops", "kernel_us", "graph_pct", "repeated_pct",
    "where_most_pct", "stalled_ms", "late_ms", "inside_ms", "input_pct", "leaf_call_us",
    "leaf_launches", "reads_device", "waits", "waits_per_step", "blocking_pct",
    "in_steps", "in_step_ms", "results_pct", "every_nth", "first_step", "leaf_usual_us",
    "leaf_only_calls", "leaf_is_code", "leaf_in_operator", "has_frames", "has_stacks",
    "has_shapes", "resumes", "regions", "versions", "has_loader", "sets_up", "given_back", "taken",
    "repeated", "freed_to_repeat", "reserved_gib", "device_gib", "first_call", "leads",
    "start_pct", "start_ms", "start_share_pct", "beside_ms", "captures", "recaptures",
    "expert_turns", "results_bytes"};
/* clang-format on */
enum { N_TEXTS = sizeof text_keys / sizeof *text_keys };
enum { N_NUMBERS = sizeof number_keys / sizeof *number_keys };

/* The value of KEY in "KEY=VALUE ...", or NULL. */
static const char *value_of(struct arena *a, const char *all, const char *key)
{
    char *word, *save, *copy = str_c(a, str_of(all));
    for (word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        size_t n = strlen(key);
        if (strncmp(word, key, n) != 0 || word[n] != '=')
            continue;
        for (char *p = word; *p; p++) /* a blank, as ends a word */
            *p = *p == '+' ? ' ' : *p;
        return word + n + 1;
    }
    return NULL;
}

static bool ask(struct pattern_host *h, struct arena *perm, const char *facts,
                struct pattern_hit *hit)
{
    struct analysis a = {0};
    struct facts f = {.n = 0};
    for (int k = 0; k < N_TEXTS; k++) {
        const char *v = value_of(perm, facts, text_keys[k]);
        if (!v && !strcmp(text_keys[k], "stacks_how"))
            v = "with_stack=True";
        if (!v && !strcmp(text_keys[k], "what"))
            v = value_of(perm, facts, "blame");
        text(&f, text_keys[k], v ? str_of(v) : S(""));
    }
    for (int k = 0; k < N_NUMBERS; k++) {
        const char *v = value_of(perm, facts, number_keys[k]);
        number(&f, number_keys[k], v ? atof(v) : 0);
    }
    static const char *const of_the_report[] = {"stacks_asked", "step_late"};
    for (int k = 0; k < 2; k++) {
        const char *v = value_of(perm, facts, of_the_report[k]);
        number(&f, of_the_report[k], v ? atof(v) : 0);
    }
    bool found = pattern_host_group(h, perm, &a, f.list, f.n, hit);
    assert_int_equal(a.n_warnings, 0);
    return found;
}

/* What to do, without figures of time: those are in the issue. */
static bool is_action(struct str title)
{
    return title.n > 0 && title.n <= TITLE_MOST && title.p[0] >= 'A' &&
           title.p[0] <= 'Z' && !str_starts(title, S("GPU idle")) &&
           !str_has(title, S(" ms")) && !str_has(title, S("%")) &&
           !str_has(title, S("unknown"));
}

static void each_pattern_knows_its_group(void **state)
{
    (void)state;
    struct arena perm = arena_reserve(256 << 20);
    char *start = perm.at;
    struct pattern_host *h = library_open(&perm, NULL, 0);
    struct pattern_hit hit;
    assert_false(ask(h, &perm, "class=other", &hit));
    assert_false(
        ask(h, &perm, "class=nothing has_ops=1 share_pct=4 stacks_asked=1", &hit));
    assert_false(ask(h, &perm, "class=queued kernel_us=20 call_us=1", &hit));
    assert_true(ask(h, &perm,
                    "class=queued blame=between_copies kernel_us=20 call_us=1", &hit));
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        assert_true(ask(h, &perm, cases[k].facts, &hit));
        assert_text(hit.id, cases[k].id);
        struct str all =
            str_printf(&perm, "%.*s %.*s", STRF(hit.title), STRF(hit.path_a));
        struct finding f = {0};
        finding_title(&perm, &f, hit.title, S(""));
        if (!is_action(f.title) || str_has(f.title, S("...")))
            fail_msg("%s: %.*s", cases[k].facts, STRF(f.title));
        bool absent = cases[k].says[0] == '!';
        if (str_has(all, str_of(cases[k].says + absent)) == absent)
            fail_msg("%s: %.*s", cases[k].facts, STRF(all));
    }
    for (int i = 0; i < pattern_host_count(h); i++)
        if (str_eq(pattern_host_info(h, i).category, S("cpu_idle")) &&
            pattern_host_info(h, i).hits == 0) /* every pattern has a case */
            fail_msg("no case for %.*s", STRF(pattern_host_info(h, i).id));
    pattern_host_close(h);
    arena_release(start, &perm);
}

/* The facts of a real group are those that the cases above use. */
static void facts_have_the_keys(void **state)
{
    (void)state;
    struct idle_case x;
    case_begin(&x.c);
    case_launch(&x.c, "k0", 5, 10, 10, 1);
    case_launch(&x.c, "k1", 95, 100, 10, 2);
    find(&x, 50);
    struct facts f = {.n = 0};
    group_facts(&x.c.perm, &x.a, &x.t, &x.r, &x.r.groups[0], &f);
    assert_int_equal(f.n, N_TEXTS + N_NUMBERS);
    for (int k = 0; k < f.n; k++) {
        bool known = false;
        for (int i = 0; i < N_TEXTS; i++)
            known |= f.list[k].text && !strcmp(f.list[k].key, text_keys[i]);
        for (int i = 0; i < N_NUMBERS; i++)
            known |= !f.list[k].text && !strcmp(f.list[k].key, number_keys[i]);
        if (!known)
            fail_msg("%s", f.list[k].key);
    }
    close_case(&x);
}

/* A user's file is asked first, and an unknown fact is a warning. */
static void users_patterns_come_first(void **state)
{
    (void)state;
    struct arena perm = arena_reserve(256 << 20);
    char *start = perm.at;
    static const char mine[] =
        "pattern {id = 'wrong', category = 'cpu_idle', scope = 'idle', "
        "summary = 's', path_a = 'x', "
        "when = function(g) return g.nothing_such end}\n"
        "pattern {id = 'mine', category = 'cpu_idle', scope = 'idle', "
        "summary = 's', title = 'Idle in {blame}', path_a = '{blame}', "
        "when = function(g) return g.leaf == 'zoom' end}";
    char path[] = "/tmp/idle_findings_test.XXXXXX";
    const char *extension = path;
    int fd = mkstemp(path);
    assert_true(write(fd, mine, sizeof mine - 1) == (ssize_t)sizeof mine - 1);
    close(fd);
    struct analysis a = {0};
    struct pattern_hit hit;
    struct pattern_host *h = library_open(&perm, &extension, 1);
    unlink(path);
    struct facts f = {.n = 0};
    text(&f, "class", S("python")); /* which the built-in library knows, too */
    text(&f, "blame", S("prep"));
    text(&f, "leaf", S("zoom"));
    assert_true(pattern_host_group(h, &perm, &a, f.list, f.n, &hit));
    assert_text(hit.id, "mine");
    assert_text(hit.title, "Idle in `prep`");
    assert_text(hit.path_a, "`prep`");
    assert_int_equal(a.n_warnings, 1);
    assert_true(str_has(a.warnings[0].text, S("a group has no 'nothing_such'")));
    pattern_host_close(h);
    arena_release(start, &perm);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_group_is_a_finding),
        cmocka_unit_test(gaps_of_graphs_blame_no_other_process),
        cmocka_unit_test(what_happens_once_saves_nothing),
        cmocka_unit_test(the_start_of_a_recording_is_one_finding),
        cmocka_unit_test(small_groups_are_none_unless_asked_for),
        cmocka_unit_test(each_pattern_knows_its_group),
        cmocka_unit_test(facts_have_the_keys),
        cmocka_unit_test(users_patterns_come_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
