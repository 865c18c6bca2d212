#include "host_time.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct host_case {
    struct trace_case c;
    struct tree_index t;
    struct host_time h;
    int64_t zero_ns;
};

static void open_host(struct host_case *x)
{
    case_open(&x->c, NULL);
    x->t = tree_index_build(&x->c.perm, x->c.tmp, &x->c.view);
    x->h = host_time_build(&x->c.perm, x->c.tmp, &x->t);
}

static int32_t lane_of(const struct host_case *x, const char *name)
{
    return x->c.store.lane[case_find(&x->c, name, 0)];
}

/* Self time of an event in the last split, in us. */
static double self_us(const struct host_case *x, const char *name)
{
    int64_t ns = 0;
    for (int32_t k = 0; k < x->h.n_pieces; k++) {
        event_id i = x->h.pieces[k].event;
        if (i < 0 ? !*name : str_eq(store_name(&x->c.store, i), str_of(name)))
            ns += x->h.pieces[k].end_ns - x->h.pieces[k].start_ns;
    }
    return (double)ns / 1e3;
}

static enum idle_class class_in(const struct host_case *x, const char *name)
{
    for (int32_t k = 0; k < x->h.n_pieces; k++)
        if (x->h.pieces[k].event >= 0 &&
            str_eq(store_name(&x->c.store, x->h.pieces[k].event), str_of(name)))
            return x->h.pieces[k].class;
    fail_msg("no piece of %s", name);
    return IDLE_CLASSES;
}

static void assert_without_holes(const struct host_case *x, double from_us,
                                 double to_us)
{
    int64_t at = (int64_t)(from_us * 1e3);
    for (int32_t k = 0; k < x->h.n_pieces; k++) {
        assert_int_equal(x->h.pieces[k].start_ns, at);
        at = x->h.pieces[k].end_ns;
    }
    assert_int_equal(at, (int64_t)(to_us * 1e3));
}

static void the_deepest_event_has_the_time(void **state)
{
    (void)state;
    struct host_case x;
    case_begin(&x.c);
    case_frame(&x.c, "main.py(1): main", 0, 1000);
    case_frame(&x.c, "prep.py(8): zoom", 100, 300);
    case_op(&x.c, "aten::add", 150, 50);
    case_call(&x.c, "hipMalloc", 160, 20, 1);
    case_call(&x.c, "cudaStreamSynchronize", 420, 30, 2);
    case_launch(&x.c, "k", 1100, 1110, 10, 3);
    open_host(&x);
    int32_t lane = lane_of(&x, "aten::add");
    host_time_split(&x.h, lane, -1, 120000, 1050000);
    assert_without_holes(&x, 120, 1050);
    assert_near(self_us(&x, "prep.py(8): zoom"), 280 - 50, 1e-9);
    assert_near(self_us(&x, "aten::add"), 30, 1e-9);
    assert_near(self_us(&x, "hipMalloc"), 20, 1e-9);
    assert_near(self_us(&x, "cudaStreamSynchronize"), 30, 1e-9);
    assert_near(self_us(&x, "main.py(1): main"), 570, 1e-9);
    assert_near(self_us(&x, ""), 50, 1e-9);
    assert_int_equal(class_in(&x, "prep.py(8): zoom"), IDLE_PYTHON);
    assert_int_equal(class_in(&x, "aten::add"), IDLE_DISPATCH);
    assert_int_equal(class_in(&x, "hipMalloc"), IDLE_MEMORY);
    assert_int_equal(class_in(&x, "cudaStreamSynchronize"), IDLE_SYNC);
    /* 280 of 300 us are zoom's; of 400, not nine tenths. */
    event_id zoom = case_find(&x.c, "prep.py(8): zoom", 0);
    assert_int_equal(host_time_cover(&x.h, lane, 110000, 420000), zoom);
    assert_int_equal(host_time_cover(&x.h, lane, 120000, 520000),
                     case_find(&x.c, "main.py(1): main", 0));
    assert_int_equal(host_time_cover(&x.h, lane, 900000, 2000000), -1);
    case_close(&x.c);
}

/* Products of 200 us that launch nothing are work, with the views inside; views alone,
 * a product that launches, and nodes of the backward pass are dispatch. */
static void operators_that_compute_are_work(void **state)
{
    (void)state;
    struct host_case x;
    case_begin(&x.c);
    case_launch(&x.c, "k0", 1, 2, 10, 1);
    case_op(&x.c, "aten::bmm", 100, 200);
    case_op(&x.c, "aten::select", 110, 20);
    case_op(&x.c, "aten::empty", 310, 200);
    case_op(&x.c, "autograd::engine::evaluate_function: X", 520, 200);
    case_op(&x.c, "aten::mm", 730, 200);
    case_call(&x.c, "hipLaunchKernel", 910, 5, 2);
    case_op(&x.c, "aten::short", 940, 40);
    case_op(&x.c, "aten::flatten_all", 1000, 200);
    case_op(&x.c, "aten::cat", 1001, 110);
    case_kernel(&x.c, "k", 7, 2000, 10, 2);
    open_host(&x);
    host_time_split(&x.h, lane_of(&x, "aten::bmm"), -1, 50000, 1500000);
    assert_int_equal(class_in(&x, "aten::bmm"), IDLE_CPU_WORK);
    assert_int_equal(class_in(&x, "aten::select"), IDLE_CPU_WORK);
    assert_int_equal(class_in(&x, "aten::empty"), IDLE_DISPATCH);
    assert_int_equal(class_in(&x, "autograd::engine::evaluate_function: X"),
                     IDLE_DISPATCH);
    assert_int_equal(class_in(&x, "aten::mm"), IDLE_DISPATCH);
    assert_int_equal(class_in(&x, "aten::short"), IDLE_DISPATCH);
    assert_int_equal(class_in(&x, "aten::flatten_all"), IDLE_DISPATCH);
    assert_int_equal(class_in(&x, "aten::cat"), IDLE_CPU_WORK);
    case_close(&x.c);
}

/* The backward thread launches; before its first node the main thread is followed, and
 * after its last the main thread's call that waits for it is followed to it. */
static void another_thread_is_followed(void **state)
{
    (void)state;
    struct host_case x;
    case_begin(&x.c);
    case_frame(&x.c, "main.py(1): main", 0, 900);
    case_frame(&x.c, "loss.py(2): loss", 10, 80);
    case_frame(&x.c, "<built-in method run_backward of object>", 100, 400);
    case_event(&x.c, "cpu_op", "MulBackward0", 2, 120, 100, "");
    case_event(&x.c, "user_annotation", "step", 2, 300, 20, "");
    case_launch(&x.c, "k", 600, 610, 10, 3);
    open_host(&x);
    int32_t main_thread = lane_of(&x, "main.py(1): main");
    int32_t backward = lane_of(&x, "MulBackward0");
    assert_int_equal(x.h.main_lane, backward); /* which has the only annotation */
    host_time_split(&x.h, backward, main_thread, 0, 330000);
    assert_without_holes(&x, 0, 330);
    assert_near(self_us(&x, "loss.py(2): loss"), 80, 1e-9);
    assert_near(self_us(&x, "MulBackward0"), 100, 1e-9);
    assert_near(self_us(&x, "step"), 20, 1e-9); /* nothing else on either */
    assert_int_equal(class_in(&x, "step"), IDLE_NOTHING);
    host_time_split(&x.h, main_thread, backward, 100000, 520000);
    assert_near(self_us(&x, "MulBackward0"), 100, 1e-9);
    assert_near(self_us(&x, "<built-in method run_backward of object>"), 300, 1e-9);
    case_close(&x.c);
}

/* Everything below a compiler's frame, and between the ends of a capture. */
static void compilation_and_capture(void **state)
{
    (void)state;
    struct host_case x;
    case_begin(&x.c);
    case_frame(&x.c, "triton/runtime/jit.py(5): run", 0, 500);
    case_frame(&x.c, "triton/compiler/compiler.py(9): compile", 10, 300);
    case_frame(&x.c, "subprocess.py(1): check_call", 20, 200);
    case_frame(&x.c, "triton/compiler/compiler.py(7): launch_metadata", 320, 10);
    case_call(&x.c, "hipStreamBeginCapture", 600, 5, 1);
    case_frame(&x.c, "model.py(3): forward", 610, 100);
    case_call(&x.c, "hipStreamEndCapture", 720, 5, 2);
    case_frame(&x.c, "model.py(4): after", 730, 10);
    case_launch(&x.c, "k", 800, 810, 10, 3);
    open_host(&x);
    host_time_split(&x.h, lane_of(&x, "model.py(3): forward"), -1, 0, 750000);
    assert_without_holes(&x, 0, 750);
    assert_int_equal(class_in(&x, "subprocess.py(1): check_call"), IDLE_LOAD);
    assert_int_equal(class_in(&x, "triton/compiler/compiler.py(7): launch_metadata"),
                     IDLE_PYTHON);
    assert_int_equal(
        host_time_compile(&x.h, case_find(&x.c, "subprocess.py(1): check_call", 0)),
        case_find(&x.c, "triton/compiler/compiler.py(9): compile", 0));
    assert_int_equal(class_in(&x, "model.py(3): forward"), IDLE_GRAPH);
    assert_int_equal(class_in(&x, "model.py(4): after"), IDLE_PYTHON);
    assert_true(x.h.pieces[0].compiled);
    case_close(&x.c);
}

/* Each behind a launch of the graph before; what the context does first is part of it.
 */
static void captures_that_recur(void **state)
{
    (void)state;
    static const struct {
        int captures, launch_every, again;
    } cases[] = {{5, 1, 4}, {5, 2, 2}, {5, 9, 0}, {2, 1, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct host_case x;
        case_begin(&x.c);
        for (int i = 0; i < cases[k].captures; i++) {
            double at = 1000.0 * i;
            case_frame(&x.c, "torch/cuda/graphs.py(172): __enter__", at, 100);
            case_frame(&x.c, "<built-in function collect>", at + 10, 80);
            case_call(&x.c, "cudaStreamBeginCapture", at + 92, 5, 4 * i + 1);
            case_call(&x.c, "cudaStreamEndCapture", at + 200, 5, 4 * i + 2);
            if (i % cases[k].launch_every == cases[k].launch_every - 1) {
                case_call(&x.c, "cudaGraphLaunch", at + 300, 5, 4 * i + 3);
                case_kernel(&x.c, "k", 7, at + 310, 10, 4 * i + 3);
            }
        }
        open_host(&x);
        assert_int_equal(x.h.n_captures, cases[k].captures);
        assert_int_equal(x.h.n_recaptures, cases[k].again);
        host_time_split(&x.h, lane_of(&x, "<built-in function collect>"), -1, 0,
                        150000);
        assert_int_equal(class_in(&x, "<built-in function collect>"), IDLE_GRAPH);
        case_close(&x.c);
    }
}

/* Without stacks: 40 us of an operator of 60 us and 20 us of nothing lie in what
 * torch.compile annotates, with one annotation in the other. Another annotation of the
 * user's is none of it, and a wait stays a wait. */
static void annotations_tell_compilation(void **state)
{
    (void)state;
    struct host_case x;
    case_begin(&x.c);
    case_launch(&x.c, "k0", 1, 2, 10, 1);
    case_event(&x.c, "user_annotation", "my_compile (timed)", 1, 20, 30, "");
    case_op(&x.c, "CompiledFunctionBackward", 60, 60);
    case_event(&x.c, "user_annotation", "_compile.compile_inner (dynamo_timed)", 1, 80,
               80, "");
    case_event(&x.c, "user_annotation", "GraphLowering.run (dynamo_timed)", 1, 90, 20,
               "");
    case_call(&x.c, "cudaStreamSynchronize", 140, 20, 2);
    case_launch(&x.c, "k1", 200, 210, 10, 3);
    open_host(&x);
    const char *note = "_compile.compile_inner (dynamo_timed)";
    host_time_split(&x.h, lane_of(&x, note), -1, 15000, 190000);
    assert_without_holes(&x, 15, 190);
    assert_near(self_us(&x, note), 60, 1e-9);
    assert_near(self_us(&x, "CompiledFunctionBackward"), 20, 1e-9);
    assert_int_equal(class_in(&x, note), IDLE_LOAD);
    assert_int_equal(class_in(&x, "my_compile (timed)"), IDLE_NOTHING);
    assert_int_equal(class_in(&x, "CompiledFunctionBackward"), IDLE_DISPATCH);
    assert_int_equal(class_in(&x, "cudaStreamSynchronize"), IDLE_SYNC);
    case_close(&x.c);
}

/* torch.compile notes it as it notes its compilation, which it is not. */
static void a_note_of_a_graph_recorded_is_a_capture(void **state)
{
    (void)state;
    const char *note = "CUDAGraphNode.record (dynamo_timed)";
    struct host_case x;
    case_begin(&x.c);
    case_launch(&x.c, "k0", 1, 2, 10, 1);
    case_event(&x.c, "user_annotation", note, 1, 20, 100, "");
    case_call(&x.c, "cudaStreamBeginCapture", 50, 5, 2);
    case_call(&x.c, "cudaStreamEndCapture", 80, 5, 3);
    case_op(&x.c, "aten::empty", 90, 20);
    case_launch(&x.c, "k1", 200, 210, 10, 4);
    open_host(&x);
    assert_int_equal(x.h.n_captures, 1);
    assert_int_equal(x.h.n_compiled_captures, 1);
    host_time_split(&x.h, lane_of(&x, note), -1, 15000, 190000);
    assert_int_equal(class_in(&x, note), IDLE_GRAPH);
    assert_int_equal(class_in(&x, "aten::empty"), IDLE_GRAPH);
    case_close(&x.c);
}

static void classes_of_calls(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum idle_class class;
    } calls[] = {{"hipDeviceSynchronize", IDLE_SYNC},
                 {"hipMemcpyWithStream", IDLE_SYNC},
                 {"cudaMemcpyAsync", IDLE_RUNTIME},
                 {"cudaFree", IDLE_MEMORY},
                 {"hipHostMalloc", IDLE_MEMORY},
                 {"cudaMemGetInfo", IDLE_MEMORY},
                 {"hipModuleLoadData", IDLE_LOAD},
                 {"cuLibraryLoadData", IDLE_LOAD},
                 {"hipGraphInstantiateWithFlags", IDLE_GRAPH},
                 {"cudaStreamIsCapturing", IDLE_RUNTIME},
                 {"cudaStreamWaitEvent", IDLE_RUNTIME},
                 {"cudaGraphLaunch", IDLE_RUNTIME}};
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++)
        assert_int_equal(host_call_class(role_of_name(str_of(calls[k].name))),
                         calls[k].class);
}

/* Two functions multiply on the host, in a step of an optimizer and behind it. */
static void what_is_around_an_operator(void **state)
{
    (void)state;
    struct host_case x;
    case_begin(&x.c);
    case_event(&x.c, "user_annotation", "ProfilerStep#1", 1, 0, 2000, "");
    case_event(&x.c, "user_annotation", "train", 1, 10, 1900, "");
    case_event(&x.c, "user_annotation", "Optimizer.step#Adam.step", 1, 20, 400, "");
    case_frame(&x.c, "main.py(1): main", 0, 2000);
    case_frame(&x.c, "small.py(2): small", 30, 380);
    case_op(&x.c, "aten::bmm", 100, 200);
    case_frame(&x.c, "large.py(3): large", 500, 1000);
    case_op(&x.c, "aten::mm", 600, 300);
    case_op(&x.c, "aten::bmm", 1000, 250);
    case_launch(&x.c, "k", 2100, 2110, 10, 1);
    open_host(&x);
    const struct event_store *s = &x.c.store;
    event_id first = case_find(&x.c, "aten::bmm", 0),
             last = case_find(&x.c, "aten::bmm", 1),
             train = case_find(&x.c, "train", 0);
    int32_t *by_name = arena_new(&x.c.tmp, int32_t, s->names.n + 1);
    by_name[s->name[case_find(&x.c, "ProfilerStep#1", 0)]] = 9; /* a mark */
    by_name[s->name[case_find(&x.c, "Optimizer.step#Adam.step", 0)]] = 2;
    by_name[s->name[train]] = 3;
    assert_int_equal(host_time_note(&x.h, by_name, first), train);
    by_name[s->name[train]] = 2;
    assert_int_equal(host_time_note(&x.h, by_name, first), -1);
    assert_text(host_time_optimizer(&x.h, first), "Optimizer.step#Adam.step");
    assert_text(host_time_optimizer(&x.h, last), "");
    assert_text(host_time_around(&x.h, &x.c.perm, first),
                "ProfilerStep#1, train, Optimizer.step#Adam.step, small.py(2): small, "
                "main.py(1): main, ");
    assert_int_equal(host_time_code(&x.h, first),
                     case_find(&x.c, "small.py(2): small", 0));
    assert_int_equal(host_time_code(&x.h, train),
                     case_find(&x.c, "main.py(1): main", 0));
    host_time_split(&x.h, lane_of(&x, "aten::mm"), -1, 0, 2000000);
    assert_near(self_us(&x, "aten::bmm"), 450, 1e-9);
    assert_int_equal(host_time_worker(&x.h), case_find(&x.c, "large.py(3): large", 0));
    host_time_split(&x.h, lane_of(&x, "aten::mm"), -1, 0, 700000);
    assert_int_equal(host_time_worker(&x.h), case_find(&x.c, "small.py(2): small", 0));
    case_close(&x.c);
}

/* Frames in frames without end cost each piece of a gap no more than a few levels. */
static void callers_are_sought_nearby(void **state)
{
    (void)state;
    enum { DEEP = TREE_LEVELS_MAX + 50 };
    struct host_case x;
    case_begin(&x.c);
    case_frame(&x.c, "main.py(1): main", 0, 20000);
    for (int k = 1; k < DEEP; k++)
        case_frame(&x.c, "torch/_dynamo/convert_frame.py(1): f", k, 20000 - 2 * k);
    case_op(&x.c, "aten::bmm", 5000, 200);
    case_launch(&x.c, "k", 6000, 6010, 10, 1);
    open_host(&x);
    event_id op = case_find(&x.c, "aten::bmm", 0),
             top = case_find(&x.c, "main.py(1): main", 0);
    int32_t lane = lane_of(&x, "aten::bmm");
    assert_int_equal(host_time_compile(&x.h, op),
                     case_find(&x.c, "torch/_dynamo/convert_frame.py(1): f",
                               DEEP - TREE_LEVELS_MAX));
    assert_int_equal(code_around(&x.t, op), op);
    assert_int_equal(host_time_code(&x.h, op), -1);
    assert_true(host_time_cover(&x.h, lane, 2000000, 20000000) != top);
    case_close(&x.c);
}

static void names_tell_what_code_does(void **state)
{
    enum { COMPILES = BIT_COMPILES, COMPILED = BIT_COMPILED };
    static const struct {
        const char *name;
        int bits;
    } names[] = {{"aten::mm", 0},
                 {"torch/_inductor/async_compile.py(3): wait", COMPILES | COMPILED},
                 {"torch/_dynamo/symbolic_convert.py(3): step", COMPILES},
                 {"triton/compiler/compiler.py(3): compile", COMPILES},
                 {"triton/compiler/compiler.py(3): launch_metadata", 0},
                 {"backend_compile (dynamo_timed)", COMPILES},
                 {"CUDAGraphNode.record (dynamo_timed)", 0},
                 {"Torch-Compiled Region: 0/0", COMPILED},
                 {"/tmp/torchinductor_u/ab/cab.py(9): call", COMPILED},
                 {"wandb/sdk/run.py(4): log", BIT_WRITES},
                 {"<built-in function print>", BIT_WRITES},
                 {"torch/autograd/graph.py(7): run_backward", BIT_WAITS},
                 {"ProfilerStep#3", BIT_MARKS},
                 {"Optimizer.step#Adam.step", BIT_MARKS},
                 {"my Optimizer.step", 0}};
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        assert_int_equal(judge(str_of(names[k].name)), BIT_JUDGED | names[k].bits);
    assert_true(host_call_is_pool(role_of_name(S("cudaFree"))));
    assert_true(host_call_is_pool(role_of_name(S("hipMalloc"))));
    assert_false(host_call_is_pool(role_of_name(S("hipHostMalloc"))));
    assert_false(host_call_is_pool(role_of_name(S("cudaMemGetInfo"))));
    assert_false(host_call_is_pool(role_of_name(S("cudaLaunchKernel"))));
}

/* A call of 900 of 1000 us covers them, one of a ns less does not; a frame of plumbing
 * only where there is nothing else. */
static void nine_tenths_are_covered(void **state)
{
    static const char *const torch = "torch/nn/modules/module.py(1): _call_impl";
    (void)state;
    for (int k = 0; k < 4; k++) {
        struct host_case x;
        case_begin(&x.c);
        if (k != 3)
            case_frame(&x.c, "main.py(1): main", 0, 3000);
        case_frame(&x.c, k < 2 ? "prep.py(8): zoom" : torch, 1000,
                   k == 1 ? 899.999 : 900);
        case_call(&x.c, "hipMemcpy", 1000, 900, 1);
        case_launch(&x.c, "k", 3100, 3110, 10, 2);
        open_host(&x);
        event_id i = host_time_cover(&x.h, lane_of(&x, "hipMemcpy"), 1000000, 2000000);
        assert_text(store_name(&x.c.store, i), k == 0   ? "prep.py(8): zoom"
                                               : k == 3 ? torch
                                                        : "main.py(1): main");
        case_close(&x.c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_deepest_event_has_the_time),
        cmocka_unit_test(operators_that_compute_are_work),
        cmocka_unit_test(another_thread_is_followed),
        cmocka_unit_test(compilation_and_capture),
        cmocka_unit_test(captures_that_recur),
        cmocka_unit_test(annotations_tell_compilation),
        cmocka_unit_test(a_note_of_a_graph_recorded_is_a_capture),
        cmocka_unit_test(classes_of_calls),
        cmocka_unit_test(names_tell_what_code_does),
        cmocka_unit_test(nine_tenths_are_covered),
        cmocka_unit_test(callers_are_sought_nearby),
        cmocka_unit_test(what_is_around_an_operator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
