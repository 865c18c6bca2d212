#include "sys_fusion.c"

#include "analysis/library_case.h"
#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define POINTWISE "void at::native::vectorized_elementwise_kernel<4, f>"

/* 1 TB/s, so 1 MB takes 1 us. */
static const struct device_spec slow = {.memory_gb_per_s = 1000};

/* Two calls of a quick GELU over 1e6 floats: mul 30 us, sigmoid 20 us, mul 40 us. */
static void quick_gelu_in(struct trace_case *c, const char *region)
{
    static const char *const ops[] = {"aten::mul", "aten::sigmoid", "aten::mul"};
    static const char *const dims[] = {
        "\"Input Dims\":[[1000,1000],[1000,1000]],\"Input "
        "type\":[\"float\",\"float\"],\"Input Strides\":[[1000,1],[1000,1]]",
        "\"Input Dims\":[[1000,1000]],\"Input type\":[\"float\"],\"Input "
        "Strides\":[[1000,1]]"};
    static const double us[] = {30, 20, 40};
    case_begin(c);
    case_frame(c, "nn.Module: Net_0", 0, 500);
    case_op(c, region, 1, 498);
    for (int call = 0, correlation = 0; call < 2; call++) {
        double at = 10 + 200 * call;
        case_frame(c, "nn.Module: QuickGELU_3", at, 100);
        for (int k = 0; k < 3; k++) {
            case_event(c, "cpu_op", ops[k], 1, at + 1 + 20 * k, 10, dims[k % 2]);
            case_launch(c, POINTWISE, at + 2 + 20 * k, 2000 + at + 50 * k, us[k],
                        ++correlation);
        }
    }
    case_open(c, &slow);
}

static void quick_gelu(struct trace_case *c)
{
    quick_gelu_in(c, "forward");
}

static struct fusion_result analysed(struct trace_case *c, struct analysis *a)
{
    struct fusion_result r = {0};
    struct tree_index t = tree_index_build(&c->perm, c->tmp, &c->view);
    *a = case_analysis(c);
    fusion_analyse(&c->perm, c->tmp, a, &t, &r);
    fusion_findings(&c->perm, a, &r);
    return r;
}

/* The same kernels without frames, as often as wanted. */
static struct fusion_result without_frames(struct trace_case *c, struct analysis *a,
                                           int calls)
{
    static const char *const ops[] = {"aten::mul", "aten::sigmoid", "aten::mul"};
    static const char *const dims[] = {
        "\"Input Dims\":[[1000,1000],[1000,1000]],\"Input type\":[\"float\",\"float\"]",
        "\"Input Dims\":[[1000,1000]],\"Input type\":[\"float\"]"};
    case_begin(c);
    for (int call = 0, correlation = 0; call < calls; call++)
        for (int k = 0; k < 4; k++) {
            double at = 10 + 200 * call + 20 * k;
            bool product = k == 3;
            case_event(c, "cpu_op", product ? "aten::mm" : ops[k], 1, at, 10,
                       dims[k % 2]);
            case_launch(c, product ? "Cijk_Ailk" : POINTWISE, at + 1, 2000 + 2 * at, 30,
                        ++correlation);
        }
    case_open(c, &slow);
    return analysed(c, a);
}

/* Three of 30 us; the fused one moves 12 MB: 90 - 12 = 78 us saved of each. */
static void a_chain_without_frames_is_told_by_its_ends(void **state)
{
    (void)state;
    struct trace_case c;
    struct analysis a;
    struct fusion_result r = without_frames(&c, &a, 3);
    assert_int_equal(r.n_accepted, 1);
    const struct fusion_candidate *k = &r.candidates[0];
    assert_true(k->is_chain);
    assert_text(k->base, "mul to mul");
    assert_int_equal(k->instances, 3);
    assert_near(k->saving_ms, 0.234, 1e-9);
    assert_int_equal(k->confidence, CONFIDENCE_HIGH); /* its parts and its sizes */
    assert_true(a.findings[0].claims_rows);
    assert_text(
        a.findings[0].issue,
        "The chain `mul to mul` runs 3 consecutive kernels that a single one could "
        "replace, 3 times.");
    case_close(&c);
    r = without_frames(&c, &a, 1);
    assert_int_equal(r.n_accepted, 0);
    case_close(&c);
}

/* mul reads 8 MB and writes 4, sigmoid reads 4 and writes 4. The fused kernel reads the
 * 8 MB of the first and writes the 4 MB of the last: 12 us, although none of the three
 * took less than 20 us. It saves 90 - 12 = 78 us of each call. */
static void savings_are_summed_over_instances(void **state)
{
    (void)state;
    struct trace_case c;
    struct analysis a;
    quick_gelu(&c);
    struct fusion_result r = analysed(&c, &a);
    assert_int_equal(r.n_accepted, 1);
    const struct fusion_candidate *k = &r.candidates[0];
    assert_text(k->base, "QuickGELU");
    assert_text(k->pattern, "Unfused GELU");
    assert_int_equal(k->instances, 2);
    assert_int_equal(k->n_kernels, 3);
    assert_near(k->total_ms, 0.180, 1e-9);
    assert_near(k->kernels[0].mean_us, 30, 1e-9);
    assert_near(k->kernels[0].in_mb, 8, 1e-9);
    assert_near(k->kernels[0].out_mb, 4, 1e-9);
    assert_near(k->moved_mb, 12, 1e-9);
    assert_near(k->fused_us, 12, 1e-9);
    assert_near(k->saving_ms, 0.156, 1e-9);
    /* T: from 2010 to 2350 us. */
    assert_near(k->impact.high_pct, 100 * 0.156 / 0.340, 1e-6);
    assert_near(k->impact.low_ms, 0.1248, 1e-9);
    assert_int_equal(a.n_findings, 1);
    assert_int_equal(a.findings[0].tier, TIER_FUSION);
    assert_text(a.findings[0].id, "kernel_fusion.unfused_gelu.quickgelu.none");
    assert_text(a.findings[0].evidence[0].text,
                "`QuickGELU` launches 3 kernels per call over 2 calls (mul 30.0 µs, "
                "sigmoid 20.0 µs, mul 40.0 µs); together 0.180 ms.");
    case_close(&c);
}

/* What one function runs in a row, of several operators, is one action; of one operator
 * alone, or around a product, the operators have findings of their own. */
static void a_chain_of_several_operators_is_told_once(void **state)
{
    (void)state;
    static const struct {
        const char *second;
        int n_rows;
        bool claims;
    } cases[] = {{POINTWISE, 2, true}, {POINTWISE, 1, false}, {"Cijk_a", 2, false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct trace_case c;
        struct analysis a;
        quick_gelu(&c);
        analysed(&c, &a);
        struct fusion_kernel kernels[] = {{.name = S(POINTWISE)},
                                          {.name = str_of(cases[k].second)}};
        const struct fusion_candidate chain = {.base = S("squash"),
                                               .pattern = S("Elementwise chain"),
                                               .kind = FUSION_OF_CHAIN,
                                               .kernels = kernels,
                                               .n_kernels = 2,
                                               .instances = 2,
                                               .n_rows = cases[k].n_rows};
        fusion_finding(&c.perm, &a, &chain);
        assert_int_equal(a.findings[a.n_findings - 1].claims_rows, cases[k].claims);
        case_close(&c);
    }
}

/* Its kernels and the idle time between their launches are one action; what the same
 * pattern says of gradients set to zero is another. */
static void an_optimizer_is_told_once(void **state)
{
    (void)state;
    static const struct {
        const char *title;
        bool one;
    } cases[] = {
        {"Use the fused form of `Adam.step`: it runs operator by operator", true},
        {"Set gradients to None in `Adam` instead of zeroing them", false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct trace_case c;
        struct analysis a;
        struct idle_group late = {.total_ns = 21690000};
        quick_gelu(&c);
        analysed(&c, &a);
        struct finding *idle = add_system_finding(
            &c.perm, &a, WORK_CPU_IDLE, S("host_bound_optimizer"), S("step"), 21.69);
        idle->title = str_of(cases[k].title);
        idle->issue = S("The GPU waits 21.69 ms.");
        idle->idle = &late;
        struct finding *f = add_system_finding(
            &c.perm, &a, WORK_KERNEL_FUSION, S("Unfused optimizer"), S("adam"), 27.17);
        f->issue = S("It runs 11 kernels.");
        int n = a.n_findings;
        join_optimizer(&c.perm, &a, f);
        f = &a.findings[a.n_findings - 1];
        assert_int_equal(a.n_findings, n - cases[k].one);
        assert_ptr_equal(f->between, cases[k].one ? &late : NULL);
        assert_text(f->issue, cases[k].one
                                  ? "It runs 11 kernels. The GPU waits 21.69 ms."
                                  : "It runs 11 kernels.");
        case_close(&c);
    }
}

/* Three copies that a caller makes one after another are not a chain. */
static void copies_are_no_chain(void **state)
{
    (void)state;
    struct trace_case c;
    struct analysis a;
    case_begin(&c);
    for (int call = 0, correlation = 0; call < 2; call++) {
        double at = 10 + 200 * call;
        case_frame(&c, "nn.Module: Attention_3", at, 100);
        for (int k = 0; k < 3; k++) {
            case_event(
                &c, "cpu_op", "aten::copy_", 1, at + 1 + 20 * k, 10,
                "\"Input Dims\":[[1000,1000],[1000,1000]],\"Input "
                "type\":[\"float\",\"float\"],\"Input Strides\":[[1000,1],[1000,1]]");
            case_launch(&c, POINTWISE, at + 2 + 20 * k, 2000 + at + 50 * k, 30,
                        ++correlation);
        }
    }
    case_open(&c, &slow);
    struct fusion_result r = analysed(&c, &a);
    assert_int_equal(r.n_accepted, 0);
    assert_text(r.candidates[0].reason, "copies of separate tensors");
    case_close(&c);
}

/* A matmul of 100 us, then `kernel` of 800 and a gate of 40, ten times: an unknown
 * kernel is none of its epilogue, a norm or one with a model is. */
static void unknown_kernels_are_no_epilogue(void **state)
{
    (void)state;
    static const struct {
        const char *op, *kernel;
        double saving_us;
    } cases[] = {{"SelectiveScanFn", "selective_scan_fwd_kernel", 40},
                 {"mine::norm", "rms_norm_kernel", 840},
                 {"aten::mul", "elementwise_kernel", 840}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct trace_case c;
        struct analysis a;
        case_begin(&c);
        case_frame(&c, "nn.Module: Net_0", 0, 5000);
        for (int call = 0; call < 10; call++) {
            double at = 10 + 400 * call, on = 9000 + 1000 * call;
            const char *dims =
                "\"Input Dims\":[[1000,1000],[1000,1000]],\"Input type\":[\"float\","
                "\"float\"],\"Input Strides\":[[1000,1],[1000,1]]";
            case_frame(&c, "nn.Module: Mamba_1", at, 300);
            case_event(&c, "cpu_op", "aten::mm", 1, at + 1, 10, dims);
            case_launch(&c, "ampere_sgemm_128x64_nn", at + 2, on, 100, 4 * call + 1);
            case_op(&c, cases[k].op, at + 20, 10);
            case_launch(&c, cases[k].kernel, at + 21, on + 100, 800, 4 * call + 2);
            case_event(&c, "cpu_op", "aten::silu", 1, at + 40, 10, dims);
            case_launch(&c, POINTWISE, at + 41, on + 900, 20, 4 * call + 3);
            case_event(&c, "cpu_op", "aten::mul", 1, at + 60, 10, dims);
            case_launch(&c, POINTWISE, at + 61, on + 920, 20, 4 * call + 4);
        }
        case_open(&c, &slow);
        struct fusion_result r = analysed(&c, &a);
        assert_int_equal(r.n_accepted, 1);
        assert_near(r.candidates[0].saving_ms, 10 * cases[k].saving_us / 1e3, 1e-9);
        assert_int_equal(r.candidates[0].kernels[1].stays, k == 0);
        case_close(&c);
    }
}

/* Behind a matmul of 100 us a SiLU and a product of 20 us each, ten times: its epilogue
 * takes in all of them; one kernel beside it reads 8 MB, the output of the matmul and a
 * gate, and writes 4, in 12 us. */
static void one_kernel_beside_a_matmul_saves_less(void **state)
{
    (void)state;
    static const char *const dims[] = {"\"Input Dims\":[[1000,1000]],\"Input type\":["
                                       "\"float\"]",
                                       "\"Input Dims\":[[1000,1000],[1000,1000]],"
                                       "\"Input type\":[\"float\",\"float\"]"};
    struct trace_case c;
    struct analysis a;
    case_begin(&c);
    case_frame(&c, "nn.Module: Net_0", 0, 5000);
    for (int call = 0; call < 10; call++) {
        double at = 10 + 400 * call, on = 9000 + 1000 * call;
        case_frame(&c, "nn.Module: Mlp_1", at, 300);
        case_event(&c, "cpu_op", "aten::mm", 1, at + 1, 10, dims[1]);
        case_launch(&c, "ampere_sgemm_128x64_nn", at + 2, on, 100, 3 * call + 1);
        case_event(&c, "cpu_op", "aten::silu", 1, at + 40, 10, dims[0]);
        case_launch(&c, POINTWISE, at + 41, on + 100, 20, 3 * call + 2);
        case_event(&c, "cpu_op", "aten::mul", 1, at + 60, 10, dims[1]);
        case_launch(&c, POINTWISE, at + 61, on + 120, 20, 3 * call + 3);
    }
    case_open(&c, &slow);
    struct fusion_result r = analysed(&c, &a);
    assert_int_equal(r.n_accepted, 1);
    const struct fusion_candidate *k = &r.candidates[0];
    assert_near(k->total_ms, 1.4, 1e-9);
    assert_near(k->saving_ms, 0.4, 1e-9);
    assert_near(k->impact.high_ms, 0.4, 1e-9);
    assert_near(k->impact.low_ms, 0.8 * 0.28, 1e-9);
    assert_near(k->fused_us, 100, 1e-9);
    assert_near(k->moved_mb, 12, 1e-9);
    assert_int_equal(k->n_products, 1);
    assert_int_equal(k->n_eligible, 3);
    assert_true(str_has(k->impact.basis, S("beside the matmuls")));
    case_close(&c);
}

/* A matmul that splits K sets its workspace to zero first: that is no matmul of its
 * own, and it stays with its matmul. The SiLU and the product of 40 us each go, ten
 * times. */
static void a_workspace_is_no_kernel(void **state)
{
    (void)state;
    static const char *const dims =
        "\"Input Dims\":[[1000,1000],[1000,1000]],\"Input type\":[\"float\",\"float\"]";
    struct trace_case c;
    struct analysis a;
    case_begin(&c);
    case_frame(&c, "nn.Module: Net_0", 0, 5000);
    for (int call = 0; call < 10; call++) {
        double at = 10 + 400 * call, on = 9000 + 1000 * call;
        case_frame(&c, "nn.Module: Mlp_1", at, 300);
        for (int k = 0; k < 2; k++) {
            char more[64];
            int id = 6 * call + 2 * k + 1;
            snprintf(more, sizeof more, "\"correlation\":%d,\"stream\":7", id);
            case_event(&c, "cpu_op", "aten::mm", 1, at + 1 + 100 * k, 20, dims);
            case_call(&c, "cudaMemsetAsync", at + 2 + 100 * k, 1, id);
            case_event(&c, "gpu_memset", "Memset (Device)", 7, on + 200 * k, 2, more);
            case_launch(&c, "ampere_sgemm_128x64_nn", at + 5 + 100 * k,
                        on + 2 + 200 * k, 100, id + 1);
        }
        case_event(&c, "cpu_op", "aten::silu", 1, at + 40, 10, dims);
        case_launch(&c, POINTWISE, at + 41, on + 110, 40, 6 * call + 5);
        case_event(&c, "cpu_op", "aten::mul", 1, at + 160, 10, dims);
        case_launch(&c, POINTWISE, at + 161, on + 310, 40, 6 * call + 6);
    }
    case_open(&c, &slow);
    struct fusion_result r = analysed(&c, &a);
    assert_int_equal(r.n_accepted, 1);
    assert_int_equal(r.candidates[0].n_kernels, 6);
    assert_int_equal(fusion_kernel_count(&r.candidates[0]), 4);
    assert_near(r.candidates[0].saving_ms, 0.8, 1e-9);
    assert_text(fusion_ops_text(&c.perm, &r.candidates[0], false), "mm, silu, mm, mul");
    assert_text(fusion_ops_text(&c.perm, &r.candidates[0], true), "silu, mul");
    assert_text(
        a.findings[0].evidence[0].text,
        "`Mlp` launches 4 kernels per call over 10 calls (mm 100.0 µs, silu 40.0 µs, "
        "mm 100.0 µs, ...); together 2.84 ms.");
    case_close(&c);
}

/* A forward pass reads all logits, 1,000 x 8,000 in 16 bits, however little it writes.
 */
static void a_loss_reads_its_logits(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_event(&c, "cpu_op", "aten::copy_", 1, 1, 10,
               "\"Input Dims\":[[1000,8000],[1000,8000],[]],"
               "\"Input type\":[\"float\",\"c10::BFloat16\",\"Scalar\"]");
    case_launch(&c, POINTWISE, 2, 100, 30, 1);
    case_event(&c, "cpu_op", "aten::nll_loss_forward", 1, 20, 10,
               "\"Input Dims\":[[1000,8000],[1000],[],[],[]],\"Input type\":[\"float\","
               "\"long int\",\"\",\"Scalar\",\"Scalar\"]");
    case_launch(&c, "nll_loss_forward_reduce_cuda_kernel_2d", 21, 200, 5, 2);
    case_open(&c, &slow);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    struct analysis a = case_analysis(&c);
    struct fusion_run f = {.perm = &c.perm, .a = &a, .t = &t};
    f.flow = flow_index_build(&c.tmp, a.tables);
    event_id kernel[2] = {case_find(&c, POINTWISE, 0),
                          case_find(&c, "nll_loss_forward_reduce_cuda_kernel_2d", 0)};
    struct kernel_group g = {.n_kernels = 2, .kernels = kernel, .n_instances = 1};
    assert_true(kernel_flow_of(&f.flow, c.view.s, kernel[1]).modelled);
    assert_true(known_byte(&f, &g, kernel, FUSION_OF_LOSS) >= 16e6);
    case_close(&c);
}

/* mul, sigmoid and mul of 30, 20 and 40 us; tensors of 4 MB. */
static void known_forms_move_what_they_need(void **state)
{
    (void)state;
    struct trace_case c;
    quick_gelu(&c);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    struct analysis a = case_analysis(&c);
    struct fusion_run f = {.perm = &c.perm, .a = &a, .t = &t};
    f.flow = flow_index_build(&c.tmp, a.tables);
    enum kernel_label labels[3] = {KERNEL_ELEMENTWISE, KERNEL_ELEMENTWISE,
                                   KERNEL_ELEMENTWISE};
    struct str ops[3] = {S("mul"), S("sigmoid"), S("mul")};
    event_id kernel[3];
    for (int k = 0; k < 3; k++)
        kernel[k] = case_find(&c, POINTWISE, k);
    struct kernel_group g = {.n_kernels = 3,
                             .kernels = kernel,
                             .n_instances = 1,
                             .labels = labels,
                             .ops = ops};
    assert_near(known_byte(&f, &g, kernel, FUSION_OF_OPTIMIZER), 28e6, 1);
    assert_near(known_byte(&f, &g, kernel, FUSION_OF_LOSS), 8e6, 1);
    assert_true(isnan(known_byte(&f, &g, kernel, FUSION_OF_CHAIN)));
    struct fused_cost x = fuse(&f, &g, kernel, FUSION_OF_OPTIMIZER);
    assert_near(x.fused_us, 28, 1e-9);
    assert_near(x.saving_us, 62, 1e-9);
    assert_near(x.moved_byte, 28e6, 1);
    x = fuse_light(&f, &g, kernel, 0, 2, (double)NAN); /* 8 MB in, 4 out */
    assert_near(x.fused_us, 12, 1e-9);
    assert_near(x.saving_us, 38, 1e-9);
    struct device_peak peak = {S_INIT("vector_bf16"), 0.1};
    struct device_spec weak = {.memory_gb_per_s = 4000, .peaks = &peak, .n_peaks = 1};
    c.tables.device = &weak; /* 3 us of bytes; 1e6 operations of mul take 10 */
    x = fuse_light(&f, &g, kernel, 2, 3, (double)NAN);
    assert_near(x.fused_us, 10 + 0.15 * 3, 1e-9);
    weak.n_peaks = 0;
    x = fuse_light(&f, &g, kernel, 2, 3, (double)NAN);
    assert_near(x.fused_us, 5, 1e-9); /* no kernel is shorter */
    case_close(&c);
}

static void candidates_are_by_what_they_save(void **state)
{
    (void)state;
    struct fusion_candidate x = {.accepted = true, .saving_ms = 1, .total_ms = 9},
                            y = x;
    y.accepted = false;
    assert_true(by_saving(&x, &y) < 0 && by_saving(&y, &x) > 0);
    x.accepted = false; /* both told by their time */
    y.total_ms = 10;
    assert_true(by_saving(&x, &y) > 0);
    x.accepted = y.accepted = true;
    x.saving_ms = 2;
    assert_true(by_saving(&x, &y) < 0);
    y.saving_ms = 2;
    x.base = S("a");
    y.base = S("b");
    x.n_kernels = 2;
    assert_true(by_saving(&x, &y) < 0);
    y.base = S("a");
    assert_true(by_saving(&x, &y) > 0); /* fewer kernels first */
    uint8_t taken[4] = {1, 0, 0, 0};
    event_id kernels[] = {0, 1, 2};
    struct kernel_group g = {.kernels = kernels, .n_kernels = 3, .n_instances = 1};
    assert_false(is_taken(taken, &g));
    assert_true(taken[2] && !taken[3]);
    kernels[0] = kernels[1] = 3;
    assert_false(is_taken(taken, &g));
    g.n_kernels = 2;
    kernels[1] = 2;
    taken[3] = 0;
    assert_true(is_taken(taken, &g)); /* half of them */
    assert_false(taken[3]);
}

/* Products stay; what stands around them is what could be fused. */
static void what_is_around_products_is_named(void **state)
{
    (void)state;
    struct arena perm = arena_reserve(64 << 20);
    struct fusion_kernel kernels[] = {{.name = S("Cijk_a"), .op = S("mm")},
                                      {.name = S("elementwise_silu"), .op = S("silu")},
                                      {.name = S("elementwise_mul"), .op = S("mul")}};
    struct fusion_candidate k = {.base = S("MLP"),
                                 .pattern = S("Unfused gated activation"),
                                 .kernels = kernels,
                                 .n_kernels = 3,
                                 .n_products = 1,
                                 .instances = 24};
    struct finding f = {0};
    struct analysis a = {.patterns = library_open(&perm, NULL, 0)};
    say_fusion(&perm, &a, &f, &k);
    assert_text(
        f.issue,
        "`MLP` runs `silu, mul` as separate kernels around its matmul, 24 times.");
    assert_true(str_has(f.algorithmic, S("into the matmul before them")));
    k.n_products = 0;
    say_fusion(&perm, &a, &f, &k);
    assert_text(
        f.issue,
        "`MLP` runs 3 consecutive kernels that a single one could replace, 24 times.");
    assert_true(str_starts(f.algorithmic, S("Run `MLP` as one kernel: ")));
    assert_int_equal(a.n_warnings, 0);
    pattern_host_close(a.patterns);
}

static void nothing_is_estimated_without_a_device(void **state)
{
    (void)state;
    struct trace_case c;
    struct analysis a;
    quick_gelu(&c);
    c.tables.device = NULL;
    struct fusion_result r = analysed(&c, &a);
    assert_int_equal(r.n_accepted, 0);
    assert_int_equal(a.n_findings, 0);
    assert_text(r.candidates[0].reason, "no peaks of the device are known");
    case_close(&c);
}

/* max + 15 % of the rest. */
static void resources_overlap(void **state)
{
    (void)state;
    assert_near(overlapped_us(10, 4, 2), 10.9, 1e-12);
    assert_near(overlapped_us(0, 0, 0), 0, 0);
}

/* What a compiler left apart is not for it to fuse. */
static void compiled_regions_are_left_alone(void **state)
{
    (void)state;
    struct trace_case c;
    struct analysis a;
    quick_gelu_in(&c, "Torch-Compiled Region: 0/0");
    struct fusion_result r = analysed(&c, &a);
    assert_int_equal(r.n_accepted, 0);
    assert_int_equal(a.n_findings, 0);
    bool told = false;
    for (int k = 0; k < r.n_candidates; k++)
        told =
            told || str_eq(r.candidates[k].reason, S("its region is compiled already"));
    assert_true(told);
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_of_several_operators_is_told_once),
        cmocka_unit_test(an_optimizer_is_told_once),
        cmocka_unit_test(compiled_regions_are_left_alone),
        cmocka_unit_test(savings_are_summed_over_instances),
        cmocka_unit_test(a_chain_without_frames_is_told_by_its_ends),
        cmocka_unit_test(copies_are_no_chain),
        cmocka_unit_test(what_is_around_products_is_named),
        cmocka_unit_test(unknown_kernels_are_no_epilogue),
        cmocka_unit_test(nothing_is_estimated_without_a_device),
        cmocka_unit_test(resources_overlap),
        cmocka_unit_test(one_kernel_beside_a_matmul_saves_less),
        cmocka_unit_test(known_forms_move_what_they_need),
        cmocka_unit_test(a_loss_reads_its_logits),
        cmocka_unit_test(a_workspace_is_no_kernel),
        cmocka_unit_test(candidates_are_by_what_they_save),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
