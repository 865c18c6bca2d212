#include "sys_multi_kernel.c"

#include "analysis/library_case.h"
#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct multi_kernel_result analysed(struct trace_case *c, struct analysis *a)
{
    struct multi_kernel_result r = {0};
    struct tree_index t = tree_index_build(&c->perm, c->tmp, &c->view);
    struct idle_gaps g = idle_gaps_find(&c->perm, c->tmp, &t);
    *a = case_analysis(c);
    work_set(&c->perm, a, FACT("training", c->tables.traits.training));
    a->patterns = library_open(&c->perm, NULL, 0);
    multi_kernel_analyse(&c->perm, c->tmp, a, &t, &g, &r);
    multi_kernel_findings(&c->perm, c->tmp, a, &t, &r);
    assert_int_equal(a->n_warnings, 0);
    pattern_host_close(a->patterns);
    return r;
}

static void directions_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum copy_direction want;
    } cases[] = {{"Memcpy DtoH (Device -> Pageable)", COPY_D2H},
                 {"CopyDeviceToHost", COPY_D2H},
                 {"MEMORY_COPY_HOST_TO_DEVICE", COPY_H2D},
                 {"Memcpy HtoD (Pinned -> Device)", COPY_H2D},
                 {"Memcpy DtoD (Device -> Device)", COPY_D2D},
                 {"Memcpy PtoP (Device -> Device)", COPY_D2D},
                 {"__amd_rocclr_copyBuffer", COPY_OTHER}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_int_equal(copy_direction_of(str_of(cases[k].name)), cases[k].want);
    assert_int_equal(size_class(4095), 0);
    assert_int_equal(size_class(4096), 1);
    assert_int_equal(size_class(1 << 24), 4);
    assert_int_equal(size_class(INT64_MAX), 4);
}

/* 60 copies each way of 10 us and 1000 bytes, all queued ahead, 1 us between them; then
 * work of 10000 us. */
static void many_small_copies(struct trace_case *c)
{
    case_begin(c);
    for (int k = 0; k < 120; k++) {
        case_op(c, "aten::copy_", 10.0 * k, 6);
        case_call(c, "hipMemcpyAsync", 10.0 * k + 1, 3, k + 1);
        case_copy(
            c, k % 2 ? "Memcpy DtoH (Device -> Host)" : "Memcpy HtoD (Host -> Device)",
            5000 + 11.0 * k, 10, k + 1, 1000);
    }
    case_launch(c, "work", 1300, 5000 + 11.0 * 120, 10000, 900);
    case_open(c, NULL);
}

static void copies_both_ways_are_one_finding(void **state)
{
    (void)state;
    struct trace_case c;
    struct analysis a;
    many_small_copies(&c);
    struct multi_kernel_result r = analysed(&c, &a);
    const struct copy_result *d2h = &r.copies[COPY_D2H];
    assert_int_equal(d2h->count, 60);
    assert_int_equal(d2h->bytes, 60000);
    assert_int_equal(d2h->sizes[0].count, 60);
    assert_int_equal(d2h->repeated_count, 60);
    assert_near(d2h->total_us, 600, 1e-6);
    assert_near(d2h->exposed_us, 600, 1e-6); /* half of 1200 */
    assert_near(d2h->gaps_us, 60, 1e-6);
    /* T = 11320 us: 600 us are 5.3 %, HIGH; 60 copies are more than 50, HIGH. */
    assert_int_equal(d2h->time_severity, SEVERITY_HIGH);
    assert_int_equal(d2h->count_severity, SEVERITY_HIGH);
    assert_int_equal(r.n_patterns, 2);
    assert_int_equal(a.n_findings, 1);
    assert_text(a.findings[0].title,
                "Create small tensors on the GPU instead of copying them by copy_");
    assert_text(a.findings[0].op, "aten::copy_");
    /* 1.2 ms and 120 gaps of 1 us; four fifths of it. */
    assert_near(a.findings[0].impact.low_ms, 1.056, 1e-9);
    assert_near(a.findings[0].impact.high_ms, 1.32, 1e-9);
    case_close(&c);
}

/* 100 us to the host beside a kernel, and 40 us to the device beside nothing. */
static void each_direction_has_its_own_exposed_time(void **state)
{
    (void)state;
    struct trace_case c;
    struct analysis a;
    case_begin(&c);
    case_launch(&c, "work", 0, 100, 200, 1);
    case_call(&c, "hipMemcpyAsync", 10, 3, 2);
    case_copy(&c, "Memcpy DtoH (Device -> Pinned)", 150, 100, 2, 1000);
    case_call(&c, "hipMemcpyAsync", 20, 3, 3);
    case_copy(&c, "Memcpy HtoD (Pinned -> Device)", 300, 40, 3, 1000);
    case_open(&c, NULL);
    struct multi_kernel_result r = analysed(&c, &a);
    assert_near(r.copies[COPY_D2H].exposed_us, 0, 1e-9);
    assert_near(r.copies[COPY_H2D].exposed_us, 40, 1e-9);
    case_close(&c);
}

/* Copies inside a graph have no size of their own. */
static void copies_may_lack_a_size(void **state)
{
    (void)state;
    struct trace_case c;
    struct analysis a;
    case_begin(&c);
    case_call(&c, "hipMemcpyAsync", 10, 3, 2);
    case_copy(&c, "Memcpy DtoD (Device -> Device)", 150, 100, 2, 1 << 20);
    case_event(&c, "gpu_memcpy", "Memcpy DtoD (Device -> Device)", 7, 300, 40,
               "\"stream\":7");
    case_open(&c, NULL);
    struct multi_kernel_result r = analysed(&c, &a);
    const struct copy_result *copy = &r.copies[COPY_D2D];
    assert_int_equal(copy->count, 2);
    assert_int_equal(copy->unsized_count, 1);
    assert_near(copy->unsized_us, 40, 1e-9);
    assert_non_null(
        strstr(str_c(&c.tmp, copy_facts(&c.perm, &a, COPY_D2D, copy)), "1.0 MiB"));
    case_close(&c);
}

/* 20 ms of forward pass, 4 ms of backward pass and an all-reduce of 12 ms that it
 * starts: only the backward pass could hide any of it. Launched outside of that, the
 * forward pass could. */
static void the_forward_pass_hides_no_gradients(void **state)
{
    (void)state;
    for (int backward = 0; backward < 2; backward++) {
        struct trace_case c;
        struct analysis a;
        case_begin(&c);
        case_launch(&c, "gemm", 0, 100, 20000, 1);
        if (backward)
            case_op(&c, "autograd::engine::evaluate_function: MmBackward0", 20, 60);
        case_launch(&c, "gemm", 30, 20100, 4000, 2);
        case_call(&c, "cudaLaunchKernel", 50, 5, 3);
        case_event(&c, "kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", 20,
                   22000, 12000, "\"correlation\":3,\"stream\":20");
        case_open(&c, NULL);
        struct multi_kernel_result r = analysed(&c, &a);
        assert_near(r.backward_us, backward ? 4000 : 0, 1e-6);
        assert_near(a.exposed_comm_ms, 9.9, 1e-6);
        assert_near(comm_room_ms(&a, &r), (backward ? 4 : 24) - 2.1, 1e-6);
        case_close(&c);
    }
}

/* Hooks of autograd copy 12 tensors out; as many of one size come back on a thread
 * without frames. What comes in another size is none of them. */
static void saved_activations_go_both_ways(void **state)
{
    (void)state;
    for (int like = 0; like < 2; like++) {
        struct trace_case c;
        struct analysis a;
        case_begin(&c);
        case_frame(&c, "train.py(8): train_step", 0, 20000);
        for (int k = 0; k < 12; k++) {
            double at = 100 + 700.0 * k;
            case_frame(&c, "torch/autograd/graph.py(340): pack_to_cpu", at, 20);
            case_op(&c, "aten::copy_", at + 1, 15);
            case_call(&c, "cudaMemcpyAsync", at + 2, 8, 2 * k + 1);
            case_copy(&c, "Memcpy DtoH (Device -> Pinned)", at + 20, 300, 2 * k + 1,
                      1 << 24);
            char back[32];
            snprintf(back, sizeof back, "\"correlation\":%d", 2 * k + 2);
            case_event(&c, "cuda_runtime", "cudaMemcpyAsync", 2, at + 350, 8, back);
            case_copy(&c, "Memcpy HtoD (Pinned -> Device)", at + 360, 300, 2 * k + 2,
                      like ? 1 << 24 : 1 << 23);
        }
        case_open(&c, NULL);
        analysed(&c, &a);
        assert_true(a.n_findings >= 1);
        assert_text(a.findings[0].title,
                    "Keep saved activations on the GPU, or recompute them, instead of "
                    "offloading them");
        assert_int_equal(str_has(a.findings[0].algorithmic, S("should come back")),
                         like);
        assert_false(str_has(a.findings[0].algorithmic, S("Compute on the GPU")));
        case_close(&c);
    }
}

/* 101 copies would be CRITICAL by count; they take 0.1 us each of 100 ms. */
static void a_count_alone_is_no_emergency(void **state)
{
    (void)state;
    struct trace_case c;
    struct analysis a;
    case_begin(&c);
    for (int k = 0; k < 101; k++) {
        case_call(&c, "hipMemcpyAsync", 10.0 * k, 3, k + 1);
        case_copy(&c, "Memcpy DtoH (Device -> Host)", 5000 + k, 0.1, k + 1, 4);
    }
    case_launch(&c, "work", 1300, 5101, 100000, 900);
    case_open(&c, NULL);
    struct multi_kernel_result r = analysed(&c, &a);
    assert_int_equal(r.copies[COPY_D2H].severity, SEVERITY_CRITICAL);
    assert_int_equal(a.n_findings, 1);
    assert_true(a.findings[0].impact.high_pct < 0.2);
    case_close(&c);
}

/* Work 0..600, an all-reduce 400..1400, work 1400..2000: 200 of 1000 us are hidden, 800
 * of 2000 exposed (40 %, CRITICAL); overlap 20 % (CRITICAL). Four fifths of it
 * are 640 us. */
static void exposed_communication_is_found(void **state)
{
    (void)state;
    struct trace_case c;
    struct analysis a;
    case_begin(&c);
    case_launch(&c, "work", 1, 10000, 600, 1);
    case_op(&c, "record_param_comms", 4, 4);
    case_call(&c, "hipExtLaunchKernel", 5, 1, 2);
    case_kernel(&c, "ncclDevKernel_AllReduce", 22, 10400, 1000, 2);
    case_launch(&c, "work", 10, 11400, 600, 3);
    case_open(&c, NULL);
    struct multi_kernel_result r = analysed(&c, &a);
    assert_int_equal(r.comm_count, 1);
    assert_near(r.comm_overlap_frac, 0.2, 1e-9);
    assert_near(r.overlap_us[GPU_COMMUNICATION][GPU_COMPUTE], 200, 1e-6);
    assert_near(r.overlap_us[GPU_COMPUTE][GPU_COMPUTE], 1200, 1e-6);
    assert_int_equal(r.blocking_severity, SEVERITY_CRITICAL);
    assert_int_equal(r.overlap_severity, SEVERITY_CRITICAL);
    assert_int_equal(r.top_comm[0].stream, 22);
    assert_int_equal(a.n_findings, 1); /* both in one */
    assert_text(a.findings[0].op, "record_param_comms");
    assert_near(a.findings[0].impact.low_ms, 0.64, 1e-9);
    assert_near(a.findings[0].impact.high_ms, 0.8, 1e-9);
    assert_false(r.training);
    assert_text(
        a.findings[0].title,
        "Split the batch: overlap the all-reduce of one half with the other half");
    assert_true(str_has(a.findings[0].algorithmic, S("tensor-parallel all-reduce")));
    case_close(&c);
}

/* 300 us of work, 100 of which run beside 1000 us of communication: overlap could hide
 * 200 us of the 900 that are exposed, and the advice is another. */
static void more_communication_than_work_hides(void **state)
{
    (void)state;
    struct trace_case c;
    struct analysis a;
    case_begin(&c);
    case_launch(&c, "work", 1, 10000, 300, 1);
    case_op(&c, "record_param_comms", 4, 4);
    case_call(&c, "hipExtLaunchKernel", 5, 1, 2);
    case_kernel(&c, "ncclDevKernel_AllReduce", 22, 10200, 1000, 2);
    case_open(&c, NULL);
    analysed(&c, &a);
    assert_int_equal(a.n_findings, 1);
    assert_text(a.findings[0].issue,
                "The device computes nothing for 0.900 ms while collective "
                "communication runs; computation could hide at most 0.200 ms of that.");
    assert_true(str_has(a.findings[0].algorithmic,
                        S("Computation can hide only 0.200 ms of the 0.900 ms")));
    /* Raising the overlap to 70 % would be 0.9 - 0.3 = 0.6 ms, for which there is no
     * room. */
    assert_near(a.findings[0].impact.low_ms, 0.2, 1e-9);
    assert_near(a.findings[0].impact.high_ms, 0.9, 1e-9);
    case_close(&c);
}

/* Twelve copies to the device of 1 ms, named pageable or pinned, beside work. */
static struct str advice_on_copies(const char *name, double work_us)
{
    struct trace_case c;
    struct analysis a;
    case_begin(&c);
    for (int k = 0; k < 12; k++) {
        case_call(&c, "cudaMemcpyAsync", 10.0 * k, 3, k + 1);
        case_copy(&c, name, 5000 + 1000.0 * k, 1000, k + 1, 10 << 20);
    }
    case_launch(&c, "work", 1300, 17000, work_us, 900);
    case_open(&c, NULL);
    analysed(&c, &a);
    assert_int_equal(a.n_findings, 1);
    static char text[1000];
    snprintf(text, sizeof text, "%.*s", STRF(a.findings[0].algorithmic));
    case_close(&c);
    return str_of(text);
}

/* Twelve copies of one size inside the frames given, outermost first; without steps. */
static struct str title_of_copies_in(const char *const *frames, int n)
{
    struct trace_case c;
    struct analysis a;
    static char text[1000];
    case_begin(&c);
    for (int f = 0; f < n; f++)
        case_frame(&c, frames[f], f, 900 - 2 * f);
    for (int k = 0; k < 12; k++) {
        case_call(&c, "cudaMemcpyAsync", 10.0 * k + 20, 3, k + 1);
        case_copy(&c, "Memcpy HtoD (Pageable -> Device)", 5000 + 1000.0 * k, 1000,
                  k + 1, 10 << 20);
    }
    case_launch(&c, "work", 300, 17000, 9000, 900);
    case_open(&c, NULL);
    analysed(&c, &a);
    snprintf(text, sizeof text, "%.*s", STRF(a.findings[0].title));
    case_close(&c);
    return str_of(text);
}

static void who_copies_tells_what_to_do(void **state)
{
    (void)state;
    static const char *const offload[] = {"model.py(9): forward",
                                          "accelerate/hooks.py(340): pre_forward"};
    static const char *const layer[] = {"run.py(3): step", "model.py(9): forward"};
    static const char *const loop[] = {"run.py(3): step", "run.py(7): load"};
    assert_true(
        str_starts(title_of_copies_in(offload, 2), S("Keep more of the model")));
    assert_true(str_starts(title_of_copies_in(layer, 2), S("Make or keep on the GPU")));
    assert_true(str_starts(title_of_copies_in(loop, 2), S("Pin the host memory")));
}

/* A wrapper's copies of 9 us: eight of buffers for a broadcast, twelve of gradients out
 * of buckets, all by one operator. Each has its own option. */
static void copies_of_buffers_and_buckets_are_told_apart(void **state)
{
    (void)state;
    struct trace_case c;
    struct analysis a;
    case_begin(&c);
    case_frame(&c,
               "torch/nn/parallel/distributed.py(2110): "
               "_distribute_broadcast_coalesced",
               10, 80);
    case_op(&c, "torch.distributed.ddp.reducer::copy_bucket_to_grad", 100, 150);
    for (int k = 0; k < 20; k++) {
        double us = k < 8 ? 11 + 8.0 * k : 30 + 10.0 * k;
        case_op(&c, "aten::copy_", us, 5);
        case_call(&c, "cudaMemcpyAsync", us + 1, 3, k + 1);
        case_copy(&c, "Memcpy DtoD (Device -> Device)", 500 + 10.0 * k, 9, k + 1, 4096);
    }
    case_launch(&c, "work", 300, 1000, 900, 900);
    case_open(&c, NULL);
    analysed(&c, &a);
    assert_int_equal(a.n_findings, 1);
    assert_text(a.findings[0].title, "Let DDP copy less: broadcast_buffers=False and "
                                     "gradient_as_bucket_view=True");
    assert_true(str_has(a.findings[0].algorithmic, S("8 copies (0.072 ms) flatten")));
    assert_true(
        str_has(a.findings[0].algorithmic, S("buckets: 12 copies (0.108 ms).")));
    case_close(&c);
}

static void pinned_copies_need_no_pinning(void **state)
{
    (void)state;
    assert_true(str_has(advice_on_copies("Memcpy HtoD (Pageable -> Device)", 20000),
                        S("Pin the host memory")));
    assert_false(str_has_nocase(
        advice_on_copies("Memcpy HtoD (Pinned -> Device)", 20000), S("pin the")));
    assert_false(str_has_nocase(advice_on_copies("Memcpy HtoD (Host -> Device)", 20000),
                                S("pin the")));
}

/* 10 MiB at 11.8 GB/s of the assumed link take 0.890 ms, 10.7 of the 12: of these, not
 * of the 12, computation has to hide half. */
static void what_pinning_leaves_is_what_has_to_be_hidden(void **state)
{
    (void)state;
    struct str pageable = advice_on_copies("Memcpy HtoD (Pageable -> Device)", 5500);
    assert_true(str_has(pageable, S("Pinned, they still take about 10.68 ms of the "
                                    "12.00 ms")));
    assert_true(str_has(pageable, S("separate stream")));
    assert_true(str_has(advice_on_copies("Memcpy HtoD (Pinned -> Device)", 5500),
                        S("can hide only 5.50 ms of 12.00 ms")));
}

/* Twelve large copies of `first_us` each, then as many the other way, or none. */
static struct str advice_both_ways(struct arena *perm, double first_us, bool back)
{
    struct trace_case c;
    struct analysis a;
    case_begin(&c);
    for (int k = 0; k < (back ? 24 : 12); k++) {
        case_call(&c, "cudaMemcpyAsync", 10.0 * k, 3, k + 1);
        case_copy(&c,
                  k < 12 ? "Memcpy DtoH (Device -> Pageable)"
                         : "Memcpy HtoD (Pageable -> Device)",
                  5000 + 3000.0 * k, k < 12 ? first_us : 1000, k + 1, 4 << 20);
    }
    case_launch(&c, "work", 1300, 90000, 20000, 900);
    case_open(&c, NULL);
    analysed(&c, &a);
    struct str text = S("");
    for (int k = 0; k < a.n_findings; k++)
        if (a.findings[k].copies)
            text = str_copy(perm, a.findings[k].algorithmic);
    case_close(&c);
    return text;
}

/* Copies both ways are one finding: the longer way first, each named. */
static void copies_both_ways_say_which(void **state)
{
    (void)state;
    struct arena perm = arena_reserve(1 << 20);
    char *start = perm.at;
    struct str both = advice_both_ways(&perm, 2000, true);
    assert_true(str_starts(both, S("To the host: ")));
    assert_true(str_has(both, S(" To the GPU: ")));
    both = advice_both_ways(&perm, 500, true);
    assert_true(str_starts(both, S("To the GPU: ")));
    assert_true(str_has(both, S(" To the host: ")));
    struct str one = advice_both_ways(&perm, 2000, false);
    assert_true(one.n > 0 && !str_has(one, S("To the ")));
    arena_release(start, &perm);
}

/* Twelve copies of 4 MiB to the device for 24 ms, twelve back for 36, each in a frame,
 * and work between; on a device of `memory` bytes, if it is known. */
static struct finding moves(const char *frame, const char *memory)
{
    struct trace_case c;
    struct analysis a;
    struct finding found = {0};
    c = (struct trace_case){0};
    out_memory(&c.text);
    out_printf(&c.text, "{\"deviceProperties\":[%s],\"traceEvents\":[", memory);
    for (int k = 0; k < 24; k++) {
        double at = 20.0 * k;
        case_frame(&c, frame, at, 15);
        case_op(&c, "aten::copy_", at + 1, 10);
        case_call(&c, "cudaMemcpyAsync", at + 2, 3, k + 1);
        case_copy(&c,
                  k < 12 ? "Memcpy HtoD (Pageable -> Device)"
                         : "Memcpy DtoH (Device -> Pageable)",
                  k < 12 ? 5000 + 2000.0 * k : 50000 + 3000.0 * k, k < 12 ? 2000 : 3000,
                  k + 1, 4 << 20);
    }
    case_launch(&c, "work", 600, 30000, 50000, 900);
    case_open(&c, NULL);
    analysed(&c, &a);
    for (int k = 0; k < a.n_findings; k++)
        if (a.findings[k].copies)
            found = a.findings[k];
    found.title = str_has(found.title, S("Keep more of the model")) ? S("keep") : S("");
    case_close(&c);
    return found;
}

static void modules_that_move_there_and_back_could_stay(void **state)
{
    (void)state;
    const char *move = "torch/nn/modules/module.py(780): _apply";
    struct finding f = moves(move, "");
    assert_text(f.title, "keep");
    assert_true(f.impact.low_ms > 0.82 * f.impact.high_ms); /* pinned alone */
    f = moves(move, "{\"id\":0,\"totalGlobalMem\":104857600}");
    assert_near(f.impact.low_ms, 0.8 * f.impact.high_ms, 1e-6);
    assert_text(moves("run.py(3): load", "").title, "");
}

/* A kernel of `before_us`, a copy of 11 812 500 bytes in 3 ms, and work that needs it;
 * with a large pinned copy before it all, or without. */
static struct impact_range one_copy(const char *name, double before_us, bool pinned)
{
    struct trace_case c;
    struct analysis a;
    case_begin(&c);
    case_launch(&c, "other", 5, 100 - before_us, before_us, 1);
    if (pinned) {
        case_call(&c, "cudaMemcpyAsync", 15, 3, 2);
        case_copy(&c, "Memcpy HtoD (Pinned -> Device)", 100, 200, 2, 5 << 20);
    }
    case_call(&c, "cudaMemcpyAsync", 20, 3, 3);
    case_copy(&c, name, pinned ? 300 : 100, 3000, 3, 11812500);
    case_launch(&c, "work", 30, 3300, 5000, 4);
    case_open(&c, NULL);
    analysed(&c, &a);
    assert_int_equal(a.n_findings, 1);
    struct impact_range x = a.findings[0].impact;
    case_close(&c);
    return x;
}

/* PCIe 3.0 x16 takes 1000 or 833.3 us for it, and 2 us to start; before it, 33 us are
 * computed that it could run beside. */
static void pinning_saves_what_the_link_does_not_take(void **state)
{
    (void)state;
    struct impact_range x = one_copy("Memcpy HtoD (Pageable -> Device)", 33, false);
    assert_near(x.low_ms, 3.0 - 1.002, 1e-6);
    assert_near(x.high_ms, 3.0 - 0.835333 + 0.033, 1e-5);
}

/* 5 MiB in 200 us are 26.2 GB/s: as fast is the copy of both, once it is pinned. */
static void pinned_copies_say_how_fast_the_link_is(void **state)
{
    (void)state;
    struct impact_range x = one_copy("Memcpy HtoD (Pageable -> Device)", 33, true);
    double fast_us = 11812500 / 26214.4 + 2;
    assert_near(x.high_ms, 3.0 - fast_us / 1e3 + 0.033, 1e-5);
}

/* Pinned already, it can only be hidden. */
static void what_computation_cannot_hide_stays(void **state)
{
    (void)state;
    struct impact_range x = one_copy("Memcpy HtoD (Pinned -> Device)", 33, false);
    assert_near(x.high_ms, 0.033, 1e-6);
    x = one_copy("Memcpy HtoD (Pinned -> Device)", 90, false);
    assert_near(x.low_ms, 0.8 * 0.09, 1e-6);
}

/* A backward pass with 40 all-reduces, one a parameter, or 40 all-to-alls: beside its
 * products, or in a row. */
static void backward_collectives(struct trace_case *c, struct analysis *a,
                                 const char *op, const char *kernel,
                                 bool products_between)
{
    case_begin(c);
    case_launch(c, "work", 1, 9800, 600, 900);
    case_op(c, "autograd::engine::evaluate_function: AccumulateGrad", 10, 900);
    for (int k = 0; k < 40; k++) {
        case_op(c, op, 11 + 20.0 * k, 5);
        case_call(c, "cudaLaunchKernel", 12 + 20.0 * k, 1, k + 1);
        case_kernel(c, kernel, 22, 10500 + 30.0 * k, 25, k + 1);
        if (products_between)
            case_launch(c, "ampere_sgemm", 14 + 20.0 * k, 10525 + 30.0 * k, 5, 100 + k);
    }
    case_open(c, NULL);
    analysed(c, a);
}

static void one_all_reduce_per_parameter(void **state)
{
    (void)state;
    struct trace_case c;
    struct analysis a;
    backward_collectives(&c, &a, "c10d::allreduce_", "ncclDevKernel_Generic", true);
    assert_int_equal(a.n_findings, 1);
    assert_text(a.findings[0].title,
                "Reduce gradients in buckets instead of parameter by parameter");
    assert_true(str_has(
        a.findings[0].algorithmic,
        S("40 all-reduces per step, one per parameter, 25.00 µs at the median")));
    case_close(&c);
    backward_collectives(&c, &a, "c10d::allreduce_", "ncclDevKernel_Generic", false);
    assert_text(a.findings[0].title,
                "Reduce gradients in buckets instead of parameter by parameter");
    assert_true(
        str_has(a.findings[0].algorithmic, S("40 all-reduces follow each other")));
    case_close(&c);
    backward_collectives(&c, &a, "c10d::alltoall_base_", "ncclKernel_SendRecv", false);
    assert_text(a.findings[0].title,
                "Overlap the all-to-all with work that does not need its result");
    assert_false(str_has(a.findings[0].algorithmic, S("bucket")));
    assert_true(str_has(a.findings[0].algorithmic, S("Overlap the all-to-all with")));
    case_close(&c);
}

/* 20 all-reduces of 25 us behind a kernel, without any backward pass: `between` runs
 * before each, or the host is slow by `gap_us`. */
static struct str advice_without_backward(struct arena *perm, const char *between,
                                          double gap_us, const char *launch)
{
    struct trace_case c;
    struct analysis a;
    case_begin(&c);
    case_launch(&c, "work", 1, 20, 600, 900);
    double at_us = 700;
    for (int k = 0; k < 20; k++, at_us += 40 + gap_us) {
        case_call(&c, launch, 10 + 20.0 * k, 1, k + 1);
        case_kernel(&c, "ncclDevKernel_AllReduce_Sum_f32", 22, at_us, 25, k + 1);
        if (between)
            case_launch(&c, between, 14 + 20.0 * k, at_us + 26, 5, 100 + k);
    }
    case_open(&c, NULL);
    analysed(&c, &a);
    struct str text = S("");
    for (int i = 0; i < a.n_findings; i++)
        if (str_has(a.findings[i].algorithmic, S("all-reduce")))
            text = str_copy(perm, a.findings[i].algorithmic);
    case_close(&c);
    return text;
}

/* A loop over parameters is that whatever is recorded around it: a scaled gradient
 * between two calls changes nothing. Layers split over devices multiply between theirs,
 * and those of a graph have no calls to spare. */
static void small_all_reduces_in_a_row(void **state)
{
    (void)state;
    struct arena perm = arena_reserve(1 << 20);
    char *start = perm.at;
    const struct str word = S("20 all-reduces follow each other");
    const char *launch = "cudaLaunchKernel", *scale = "elementwise_kernel<MulFunctor>";
    assert_true(str_has(advice_without_backward(&perm, NULL, 0, launch), word));
    assert_true(str_has(advice_without_backward(&perm, scale, 0, launch), word));
    assert_false(
        str_has(advice_without_backward(&perm, "ampere_sgemm", 0, launch), word));
    assert_false(str_has(advice_without_backward(&perm, NULL, 2000, launch), word));
    assert_false(
        str_has(advice_without_backward(&perm, NULL, 0, "cudaGraphLaunch"), word));
    arena_release(start, &perm);
}

/* 600 us of work, then ten all-reduces of 256 KiB in 20 us and ten of 896 KiB in 70 us:
 * 13.1 GB/s without any latency, so that 11.25 MiB take 900 us in one piece, too. Of
 * that no more can go than computation hides. */
static void merged_all_reduces_still_cross_the_link(void **state)
{
    (void)state;
    struct trace_case c;
    struct analysis a;
    double at_us = 700;
    case_begin(&c);
    case_launch(&c, "work", 1, 20, 600, 900);
    for (int k = 0; k < 20; k++) {
        char more[120];
        snprintf(more, sizeof more,
                 "\"correlation\":%d,\"stream\":22,\"In msg nelems\":%d,"
                 "\"dtype\":\"Float\"",
                 k + 1, k < 10 ? 65536 : 229376);
        case_call(&c, "cudaLaunchKernel", 10 + 20.0 * k, 1, k + 1);
        case_event(&c, "kernel", "ncclDevKernel_AllReduce_Sum_f32", 22, at_us,
                   k < 10 ? 20 : 70, more);
        at_us += 100;
    }
    case_open(&c, NULL);
    analysed(&c, &a);
    assert_int_equal(a.n_findings, 1);
    assert_text(a.findings[0].title, "Merge small all-reduces that follow each other");
    assert_near(a.findings[0].merged_part, 0.95, 1e-9);
    assert_near(a.findings[0].impact.low_ms, 0, 1e-6);
    assert_near(a.findings[0].impact.high_ms, 0.6, 1e-6);
    case_close(&c);
}

/* 100 us of work, then 12 all-reduces of 100 us each, of one size if it is recorded. */
static double most_of_all_reduces_ms(const char *size)
{
    struct trace_case c;
    struct analysis a;
    case_begin(&c);
    case_launch(&c, "work", 1, 100, 100, 900);
    for (int k = 0; k < 12; k++) {
        char more[200];
        snprintf(more, sizeof more, "\"correlation\":%d,\"stream\":22%s", k + 1, size);
        case_op(&c, "c10d::allreduce_", 11 + 5 * k, 4);
        case_call(&c, "cudaLaunchKernel", 12 + 5 * k, 1, k + 1);
        case_event(&c, "kernel", "ncclDevKernel_AllReduce", 22, 200 + 100 * k, 100,
                   more);
    }
    case_open(&c, NULL);
    analysed(&c, &a);
    assert_true(str_eq(a.findings[0].pattern, S("nccl_blocking_compute")));
    double ms = a.findings[0].impact.high_ms;
    case_close(&c);
    return ms;
}

/* Calls of one size that all take as long wait for nobody: half of that is left. Nor
 * do eleven of twelve, queued behind each other, whatever size they have. */
static void what_surely_is_transfer_stays(void **state)
{
    (void)state;
    assert_near(
        most_of_all_reduces_ms(",\"In msg nelems\":1048576,\"dtype\":\"Float\""),
        0.1 + 0.5 * 1.1, 1e-6);
    assert_near(most_of_all_reduces_ms(""), 0.1 + 1.1 * (1 - 0.5 * 11 / 12), 1e-6);
}

static void unlinked_work_is_counted_apart(void **state)
{
    (void)state;
    struct trace_case c;
    struct analysis a;
    case_begin(&c);
    case_launch(&c, "work", 1, 100, 50, 1);
    case_kernel(&c, "backlog", 7, 20, 40, 77);
    case_open(&c, NULL);
    struct multi_kernel_result r = analysed(&c, &a);
    assert_int_equal(r.unlinked_count, 1);
    assert_near(r.unlinked_us, 40, 1e-9);
    assert_true(isnan(r.comm_overlap_frac) && isnan(r.memcpy_overlap_frac));
    assert_int_equal(a.n_findings, 0);
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(directions_by_name),
        cmocka_unit_test(copies_both_ways_are_one_finding),
        cmocka_unit_test(each_direction_has_its_own_exposed_time),
        cmocka_unit_test(copies_may_lack_a_size),
        cmocka_unit_test(the_forward_pass_hides_no_gradients),
        cmocka_unit_test(saved_activations_go_both_ways),
        cmocka_unit_test(a_count_alone_is_no_emergency),
        cmocka_unit_test(exposed_communication_is_found),
        cmocka_unit_test(what_surely_is_transfer_stays),
        cmocka_unit_test(more_communication_than_work_hides),
        cmocka_unit_test(pinned_copies_need_no_pinning),
        cmocka_unit_test(who_copies_tells_what_to_do),
        cmocka_unit_test(copies_of_buffers_and_buckets_are_told_apart),
        cmocka_unit_test(what_pinning_leaves_is_what_has_to_be_hidden),
        cmocka_unit_test(pinning_saves_what_the_link_does_not_take),
        cmocka_unit_test(pinned_copies_say_how_fast_the_link_is),
        cmocka_unit_test(what_computation_cannot_hide_stays),
        cmocka_unit_test(one_all_reduce_per_parameter),
        cmocka_unit_test(copies_both_ways_say_which),
        cmocka_unit_test(modules_that_move_there_and_back_could_stay),
        cmocka_unit_test(small_all_reduces_in_a_row),
        cmocka_unit_test(merged_all_reduces_still_cross_the_link),
        cmocka_unit_test(unlinked_work_is_counted_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
