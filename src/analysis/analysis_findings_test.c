#include "analysis_findings.c"

#include "analysis/findings_case.h"
#include "analysis/model/work_facts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/near_case.h"

/* 2 * 256 * 512 * 131072 FLOP = 3.436e10: 48.53 us at 708 TFLOPS; of 1089 us 4.456 %.
 * All of compute and the first of the top operations: critical. */
static void slow_product(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    op(&c, "aten::mm", "[256,131072],[131072,512]", 0, "Cijk_MT256x128x64", 20, 1089,
       1);
    struct analysis a = analyse(&c);
    const struct finding *f = compute_finding(&a, "aten::mm");
    assert_non_null(f);
    assert_int_equal(f->priority, PRIORITY_CRITICAL);
    assert_int_equal(f->kind, FIND_BOTTLENECK);
    assert_text(f->id, "gemm.low_efficiency.aten__mm.compute");
    assert_near(f->efficiency_pct, 4.4566, 1e-3);
    assert_text(f->title, "Choose a faster kernel for mm");
    assert_int_equal(f->title_at, 27);
    assert_int_equal(f->title_op, 2);
    assert_text(f->peak, "708 TFLOPS");
    assert_text(f->achieved, "31.55 TFLOPS");
    assert_near(f->impact.low_pct, 100 * (1 - 4.4566 / 60), 1e-2);
    assert_int_equal(f->tier_number, 1);
    assert_int_equal(f->rows[0]->claimed_by, f - a.findings);
    assert_near(work_number(f->rows[0], "tiles"), 4, 0);
    case_close(&c);
}

/* 64 calls of 10 us whose bytes take next to nothing: no fewer than 64 times the 2 us
 * of the shortest kernel stay; of those of 6 us, which have work, nothing is known. */
static void a_call_is_no_shorter_than_the_shortest_kernels(void **state)
{
    (void)state;
    for (int us = 2; us <= 6; us += 4) {
        struct trace_case c;
        case_begin(&c);
        for (int k = 0; k < 64; k++)
            op(&c, "aten::mm", "[16,16],[16,16]", 20.0 * k, "Cijk_a", 2000 + 10.0 * k,
               10, k + 1);
        op(&c, "aten::mul", "[4],[4]", 1300, "tiny", 2640, us, 65);
        struct analysis a = analyse(&c);
        const struct finding *f = compute_finding(&a, "aten::mm");
        assert_non_null(f);
        if (us == 2)
            assert_near(f->impact_kernel.high_ms, 0.640 - 64 * 0.002, 1e-6);
        else
            assert_true(f->impact_kernel.high_ms > 0.6);
        assert_true(str_has(f->impact_kernel.basis,
                            S("no call takes less than 2.0 µs")) == (us == 2));
        case_close(&c);
    }
}

/* 2 * 8192^3 FLOP at 708 TFLOPS: 1553 us; in 1900 us 81.7 %. Nothing to say. */
static void good_product_is_no_finding(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    op(&c, "aten::mm", "[8192,8192],[8192,8192]", 0, "Cijk_MT256x256x64", 20, 1900, 1);
    struct analysis a = analyse(&c);
    assert_null(compute_finding(&a, "aten::mm"));
    assert_near(a.categories[WORK_GEMM].average_efficiency_pct, 81.74, 0.01);
    case_close(&c);
}

/* 1553 us of work in 700 us: 222 % of peak is not a measurement, and nothing to build
 * on. */
static void anomalies_are_left_out(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    op(&c, "aten::mm", "[8192,8192],[8192,8192]", 0, "Cijk_a", 20, 700, 1);
    struct analysis a = analyse(&c);
    assert_null(compute_finding(&a, "aten::mm"));
    assert_true(isnan(a.categories[WORK_GEMM].average_efficiency_pct));
    bool told = false;
    for (int i = 0; i < a.n_warnings; i++)
        told = told || str_starts(a.warnings[i].text, S("[ANOMALY]"));
    assert_true(told);
    case_close(&c);
}

/* A copy is work of its operator but no computation, and here most of it all. */
static void shares_never_exceed_the_whole(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    op(&c, "aten::mm", "[512,512],[512,512]", 0, "Cijk_a", 20, 100, 1);
    case_op(&c, "aten::copy_", 30, 8);
    case_call(&c, "hipMemcpyAsync", 31, 1, 2);
    case_copy(&c, "Memcpy DtoD (Device -> Device)", 200, 900, 2, 1000000);
    struct analysis a = analyse(&c);
    assert_true(a.computation_ms < 0.11 && a.categories[WORK_COPY].time_ms > 0.89);
    double sum_pct = 0;
    for (int i = 0; i < a.n_by_time; i++)
        sum_pct += a.categories[a.by_time[i]].compute_pct;
    assert_near(sum_pct, 100, 1e-6);
    assert_near(a.categories[WORK_GEMM].compute_pct, 100, 1e-6);
    case_close(&c);
}

/* Operators that no model knows, and others that lack what a model needs: one line, no
 * card and no saving, with the reasons. */
static void unmodelled_work_is_one_line(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_call(&c, "hipGraphLaunch", 1, 5, 1);
    case_kernel(&c, "void ck::moe_gemm<int>(x)", 7, 100, 400, 1);
    op(&c, "mylib::thing", "[64,64],[]", 30, "thing_kernel", 600, 300, 2);
    /* Its model needs the stride and padding. */
    op(&c, "aten::convolution", "[8,64,56,56],[64,64,3,3]", 60, "conv_kernel", 1000,
       200, 3);
    op(&c, "mylib::thing", "[64,32],[]", 90, "thing_kernel", 1300, 50, 4);
    op(&c, "aten::mm", "[8192,8192],[8192,8192]", 120, "Cijk_MT256x256x64", 1400, 1900,
       5);
    case_op(&c, "mylib::bare", 150, 8);
    case_launch(&c, "bare_kernel", 151, 3400, 150, 6);
    struct analysis a = analyse(&c);
    const struct finding *f = NULL;
    int n = 0;
    for (int i = 0; i < a.n_findings; i++)
        if (a.findings[i].kind == FIND_UNMODELLED) {
            f = &a.findings[i];
            n++;
        }
    assert_int_equal(n, 1); /* 1100 of 3000 us */
    assert_text(f->title,
                "Record the step once without graph replay to judge its kernels");
    assert_text(f->issue, "36.7% of kernel time, 1.10 ms, has no performance model: "
                          "`ck::moe_gemm` 0.400 ms, `mylib::thing` 0.350 ms, "
                          "`aten::convolution` 0.200 ms, `mylib::bare` 0.150 ms.");
    assert_text(
        f->algorithmic,
        "0.400 ms are replayed by graphs, of which a trace has only kernel "
        "names: record the step once without graph replay. 0.150 ms lack shapes: "
        "record with `record_shapes=True`. 0.200 ms lack scalar arguments: "
        "record with a profiler that keeps them. 0.350 ms need a model of "
        "`mylib::thing` 0.350 ms (extension file).");
    assert_true(f->informational && f->tier_number == 0);
    assert_int_equal(f->priority, PRIORITY_LOW);
    assert_near(f->impact.high_ms, 0, 0);
    assert_int_equal(f->n_rows, 5);
    case_close(&c);
}

/* A product of 80 % of peak, and one like it of 40 %: the gap is half of its time. One
 * of another size is not compared. */
static void products_are_ranked_in_their_class(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    op(&c, "aten::mm", "[8192,8192],[8192,8192]", 0, "Cijk_a", 20, 1941, 1);
    op(&c, "aten::bmm", "[1,8192,8192],[1,8192,4096]", 30, "Cijk_b", 2000, 1941, 2);
    op(&c, "aten::addmm", "[64],[64,64],[64,64]", 60, "Cijk_c", 4000, 20, 3);
    struct analysis a = analyse(&c);
    const struct finding *f = compute_finding(&a, "aten::bmm");
    assert_non_null(f);
    assert_near(work_number(f->rows[0], "best_pct"), 80, 0.1);
    assert_near(f->impact.high_ms, 1.941 / 2, 0.01);
    assert_near(f->impact.low_ms, 0.8 * 1.941 / 2, 0.01);
    assert_null(compute_finding(&a, "aten::mm"));
    for (int32_t i = 0; i < a.categories[WORK_GEMM].n_rows; i++)
        if (str_eq(a.categories[WORK_GEMM].rows[i].name, S("aten::addmm")))
            assert_true(isnan(work_number(&a.categories[WORK_GEMM].rows[i], "gap_ms")));
    case_close(&c);
}

/* Two large matmuls as slow as each other, at `pct` of the peak, beside a smaller one
 * at `small_pct`, that is, 2 * 16384 * 768 * 50257 and * 3072 FLOP at 708 TFLOPS. */
static struct analysis large_products(struct trace_case *c, const char *kernel,
                                      double pct, double small_pct)
{
    double us = 1786.2 * 100 / pct;
    case_begin(c);
    op(c, "aten::mm", "[16384,768],[768,50257]", 0, kernel, 20, us, 1);
    op(c, "aten::mm", "[50257,16384],[16384,768]", 30, kernel, 40000, us, 2);
    op(c, "aten::mm", "[16384,768],[768,3072]", 60, "Cijk_c", 80000,
       109.2 * 100 / small_pct, 3);
    return analyse_with(c, library);
}

/* Peers that are as slow say nothing: smaller work does, else the peak. */
static void large_products_far_from_the_peak_are_told(void **state)
{
    (void)state;
    static const char *const ALIGN1 =
        "cutlass_80_wmma_tensorop_bf16_s161616gemm_align1";
    struct trace_case c;
    struct analysis a = large_products(&c, ALIGN1, 13, 60);
    const struct finding *f = of_pattern(&a, "misaligned_gemm");
    assert_non_null(f);
    assert_text(f->title, "Pad 50257 to 50304 in mm");
    assert_true(str_has(f->algorithmic, S("the vocabulary")));
    assert_int_equal(f->n_rows, 2);
    assert_near(f->impact.high_ms, f->time_ms * (1 - 13 / 60.0), 0.1);
    case_close(&c);

    a = large_products(&c, "Cijk_a", 13, 13);
    f = of_pattern(&a, "compute_bound_gemm");
    assert_non_null(f);
    assert_text(f->title, "Find out why all large matmuls are slow, mm first");
    assert_near(f->impact.high_ms, f->time_ms * (1 - 13 / 80.0), 0.1);
    case_close(&c);

    a = large_products(&c, "Cijk_a", 41, 60);
    assert_null(of_pattern(&a, "compute_bound_gemm"));
    case_close(&c);
}

/* One at the roof of memory says nothing of what one bound by compute could reach. */
static void products_of_another_bound_are_no_peers(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    op(&c, "aten::mm", "[8192,8192],[8192,8192]", 0, "Cijk_a", 20, 2588, 1);
    op(&c, "aten::bmm", "[8192,8192,64],[8192,64,128]", 30, "Cijk_b", 4000, 2352, 2);
    struct analysis a = analyse(&c);
    const struct category_result *gemm = &a.categories[WORK_GEMM];
    assert_int_equal(gemm->n_rows, 2);
    for (int32_t i = 0; i < 2; i++) {
        assert_true(gemm->rows[i].efficiency.percent > 50);
        assert_true(isnan(work_number(&gemm->rows[i], "best_pct")));
    }
    assert_true(gemm->rows[0].efficiency.bound != gemm->rows[1].efficiency.bound);
    case_close(&c);
}

/* Ten calls of one shape of 100 us; the fourth and the sixth take 1000. Twelve of
 * another shape, of which only the first does. */
static void calls_far_longer_than_the_rest(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    for (int k = 0; k < 10; k++)
        op(&c, "aten::mm", "[8192,1024],[1024,1024]", 10 * k, "Cijk_a",
           1000 + 1000.0 * k, k == 3 || k == 5 ? 1000 : 100, k + 1);
    for (int k = 0; k < 12; k++)
        op(&c, "aten::mm", "[8192,1024],[1024,512]", 200 + 10 * k, "Cijk_a",
           21000 + 1000.0 * k, k == 0 ? 900 : 20, k + 21);
    struct analysis a = analyse(&c);
    const struct work_row *r = &a.categories[WORK_GEMM].rows[0],
                          *first = &a.categories[WORK_GEMM].rows[1];
    assert_near(work_number(r, "outlier_calls"), 2, 0);
    assert_near(work_number(r, "outlier_pct"), 100 * 2000.0 / 2800, 1e-6);
    assert_near(work_number(r, "outlier_excess_ms"), 1.8, 1e-9);
    assert_near(work_number(r, "outlier_first_ms"), 3, 1e-9);
    assert_near(work_number(r, "outlier_last_ms"), 5, 1e-9);
    assert_true(isnan(work_number(r, "first_call_us")));
    assert_near(work_number(first, "first_call_us"), 900, 1e-9);
    assert_true(isnan(work_number(first, "outlier_calls")));
    const struct finding *f = compute_finding(&a, "aten::mm");
    assert_non_null(f);
    assert_true(str_has(f->evidence[0].text,
                        S("2 of 10 calls take 71.4% of that, 3.00 to 5.00 ms after the "
                          "start; the median call takes 100.0 µs.")));
    case_close(&c);
}

/* Twelve kernels of 100 us and four of 1000, here and there or in turn, behind
 * operators without shapes; all on one grid, or the long ones on a larger one. Of
 * operators with shapes, too. */
static double outliers_of_grids(const char *dims, int grid, int larger, bool in_turn,
                                bool *varies)
{
    struct trace_case c;
    case_begin(&c);
    out_free(&c.text);
    out_memory(&c.text);
    out_lit(&c.text,
            "{\"deviceProperties\":[{\"id\":0,\"numSms\":108}],\"traceEvents\":[");
    for (int k = 0; k < 16; k++) {
        bool is_long = in_turn ? k % 4 == 3 : k % 5 == 3 || k == 5;
        char more[120];
        case_event(&c, "cpu_op", "mylib::thing", 1, 10 * k, 8, dims);
        case_call(&c, "cudaLaunchKernel", 10 * k + 1, 1, k + 1);
        snprintf(more, sizeof more, "\"correlation\":%d,\"stream\":7,\"grid\":[%d,1,1]",
                 k + 1, is_long ? larger : grid);
        case_event(&c, "kernel", "thing_kernel", 7, 1000 + 1000.0 * k,
                   is_long ? 1000 : 100, more);
    }
    struct analysis a = analyse_with(&c, library);
    const struct finding *f = of_pattern(&a, "outlier_calls");
    double high_ms = f ? f->impact.high_ms : 0;
    *varies = a.categories[WORK_OTHER].rows[0].high_variance;
    case_close(&c);
    return high_ms;
}

/* Gradients of inputs: a stride that no argument tells makes some of them four times as
 * large, which the operator around them has. */
static bool strides_are_outliers(int side)
{
    struct trace_case c;
    case_begin(&c);
    for (int k = 0; k < 16; k++) {
        bool is_long = k % 4 == 3;
        int x = is_long ? side : 8;
        char more[160];
        snprintf(more, sizeof more,
                 "\"Input Dims\":[[2,3,%d,%d],[2,8,8,8],[8,3,3,3]],"
                 "\"Input type\":[\"float\",\"float\",\"float\"]",
                 x, x);
        case_event(&c, "cpu_op", "aten::cudnn_convolution_backward", 1, 20 * k, 15,
                   more);
        case_event(&c, "cpu_op", "aten::cudnn_convolution_backward_input", 1,
                   20 * k + 1, 12,
                   "\"Input Dims\":[[],[2,8,8,8],[8,3,3,3]],"
                   "\"Input type\":[\"\",\"float\",\"float\"]");
        case_launch(&c, "dgrad", 20 * k + 2, 1000 + 1000.0 * k, is_long ? 1000 : 100,
                    k + 1);
    }
    struct analysis a = analyse_with(&c, library);
    bool told = of_pattern(&a, "outlier_calls") != NULL;
    case_close(&c);
    return told;
}

/* Only calls of the same work show that something slowed some of them. */
static void outliers_do_the_same_work(void **state)
{
    (void)state;
    const char *shaped = "\"Input Dims\":[[64,64]],\"Input type\":[\"float\"]";
    const char *const dims[] = {"", shaped};
    bool varies;
    for (int k = 0; k < 2; k++) {
        assert_near(outliers_of_grids(dims[k], 64, 64, false, &varies), 4 * 0.9, 1e-3);
        assert_true(varies);
        assert_near(outliers_of_grids(dims[k], 64, 256, false, &varies), 0, 0);
        assert_false(varies);
    }
    /* Every fourth call, or a grid of one block for each of 108 SMs: other work. */
    assert_near(outliers_of_grids("", 64, 64, true, &varies), 0, 0);
    assert_false(varies);
    assert_near(outliers_of_grids("", 216, 216, false, &varies), 0, 0);
    assert_false(varies);
    assert_near(outliers_of_grids(shaped, 216, 216, true, &varies), 4 * 0.9, 1e-3);
    assert_true(strides_are_outliers(8));
    assert_false(strides_are_outliers(16));
}

/* Elementwise work of 5 us a call: starting the kernel is most of it. */
static void short_calls_are_merged_not_tuned(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    for (int k = 0; k < 40; k++)
        op(&c, "aten::mul", "[64,64],[64,64]", 10 * k, "elementwise_kernel",
           1000 + 10 * k, 5, k + 1);
    struct analysis a = analyse(&c);
    const struct finding *f = compute_finding(&a, "aten::mul");
    assert_non_null(f);
    assert_true(str_starts(f->algorithmic,
                           S("Fuse the calls with their neighbours or merge them")));
    assert_text(f->kernel, "At this size a faster kernel gains little.");
    case_close(&c);
}

/* Copies within the device are a finding of the system tier, and only there. */
static void copies_are_told_of_once(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    for (int k = 0; k < 20; k++) {
        case_event(&c, "cpu_op", "aten::copy_", 1, 10 * k, 8,
                   "\"Input Dims\":[[64],[64]],\"Input type\":[\"float\",\"float\"]");
        case_call(&c, "hipMemcpyAsync", 10 * k + 1, 1, k + 1);
        case_copy(&c, "Memcpy DtoD (Device -> Device)", 1000 + 100 * k, 90, k + 1, 256);
    }
    op(&c, "mylib::thing", "[64,64],[]", 900, "thing_kernel", 4000, 500, 99);
    struct analysis a = analyse(&c);
    assert_null(compute_finding(&a, "aten::copy_"));
    bool told = false;
    for (int i = 0; i < a.n_findings; i++)
        told = told || str_eq(a.findings[i].pattern, S("high_d2d_memcpy"));
    assert_true(told);
    case_close(&c);
}

/* A group of two classes says both, and expects what either allows. */
static void classes_of_a_group(void **state)
{
    (void)state;
    struct arena perm = arena_reserve(1 << 20);
    struct work_row rows[3] = {{0}, {0}, {0}}, *members[3];
    static const char *const classes[] = {"pointwise", "large", "pointwise"};
    static const double lo[] = {40, 60, 40}, hi[] = {60, 80, 60};
    for (int i = 0; i < 3; i++) {
        members[i] = &rows[i];
        work_set(&perm, &rows[i], FACT("conv_class", str_of(classes[i])),
                 FACT("expected_lo_pct", lo[i]), FACT("expected_hi_pct", hi[i]));
    }
    struct finding_group g = {.rows = members, .n_rows = 3};
    assert_text(classes_of(&perm, &g), "pointwise and large");
    struct work_row all = rows[0];
    widen_expectation(&perm, &all, &g);
    assert_near(work_number(&all, "expected_lo_pct"), 40, 0);
    assert_near(work_number(&all, "expected_hi_pct"), 80, 0);
}

/* Work without a launch call is among them, by the kernel's name. */
static void top_operations_have_unlinked_work(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_op(&c, "aten::add", 0, 20);
    case_launch(&c, "vectorized_elementwise_kernel", 2, 10, 40, 1);
    for (int k = 0; k < 3; k++)
        case_kernel(&c, "nvjet_tst", 7, 60 + 100 * k, 90, 70 + k);
    struct analysis a = analyse(&c);
    assert_int_equal(a.n_top, 2);
    assert_text(a.top[0].name, "nvjet_tst");
    assert_int_equal(a.top[0].count, 3);
    assert_int_equal(a.top[0].category, WORK_GEMM);
    assert_near(a.top[0].time_ms, 0.27, 1e-9);
    case_close(&c);
}

/* The launcher has one name, the modelled operator another: both meet. */
static void top_operations_join_names(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_event(
        &c, "cpu_op", "aten::layer_norm", 1, 0, 20,
        "\"Input Dims\":[[64,512],[],[512],[512],[],[]],\"Input "
        "type\":[\"float\",\"ScalarList\",\"float\",\"float\",\"Scalar\",\"Scalar\"],"
        "\"Concrete Inputs\":[\"\",\"[512]\",\"\",\"\",\"1e-5\",\"True\"]");
    case_op(&c, "aten::native_layer_norm", 1, 18);
    case_launch(&c, "layer_norm_kernel", 2, 30, 100, 1);
    struct analysis a = analyse(&c);
    assert_int_equal(a.n_top, 1);
    assert_text(a.top[0].name, "aten::native_layer_norm");
    assert_text(a.top[0].unified_names[0], "aten::layer_norm");
    assert_int_equal(a.top[0].category, WORK_NORM);
    assert_int_equal(a.categories[WORK_NORM].rows[0].top_rank, 1);
    case_close(&c);
}

static void order_and_numbers(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    op(&c, "aten::mm", "[256,131072],[131072,512]", 0, "Cijk_a", 20, 1089, 1);
    op(&c, "mylib::thing", "[64,64],[]", 30, "thing_kernel", 1110, 500, 2);
    op(&c, "mylib::\\u0001`evil`", "[64,64],[]", 60, "other_kernel", 1611, 400, 3);
    struct analysis a = analyse(&c);
    for (int i = 0; i < a.n_findings; i++) {
        assert_int_equal(a.findings[i].global_rank, i + 1);
        assert_true(i == 0 || a.findings[i].informational ||
                    a.findings[i - 1].impact.high_ms >= a.findings[i].impact.low_ms);
        for (int k = 0; k < i; k++)
            assert_false(str_eq(a.findings[i].id, a.findings[k].id));
    }
    for (int k = 0; k < WORK_CATEGORIES;
         k++) /* claims follow the findings when sorted */
        for (int32_t i = 0; i < a.categories[k].n_rows; i++) {
            const struct work_row *r = &a.categories[k].rows[i];
            const struct finding *f =
                r->claimed_by >= 0 ? &a.findings[r->claimed_by] : NULL;
            bool found = !f;
            for (int x = 0; f && x < f->n_rows; x++)
                found = found || f->rows[x] == r;
            assert_true(found);
        }
    case_close(&c);
}

static struct analysis of_kernels_alone(struct trace_case *c, const char *name)
{
    case_begin(c);
    for (int k = 0; k < 8; k++)
        case_launch(c, name, 1 + 2 * k, 20 + 500 * k, 500, 1 + k);
    return analyse_with(c, library);
}

/* Without operators a kernel's name still tells what it multiplies, and no more. */
static void kernels_alone_are_judged_by_their_names(void **state)
{
    (void)state;
    struct trace_case c;
    struct analysis a = of_kernels_alone(&c, "ampere_sgemm_128x64_tn");
    assert_non_null(of_pattern(&a, "fp32_matrix"));
    assert_true(of_pattern(&a, "fp32_matrix")->impact.high_ms > 0);
    case_close(&c);
    a = of_kernels_alone(&c, "ampere_bf16_s16816gemm_bf16_128x64_tn");
    for (int i = 0; i < a.n_findings; i++)
        assert_false(a.findings[i].tier == TIER_COMPUTE &&
                     a.findings[i].impact.high_ms > 0);
    case_close(&c);
}

/* Eight matmuls of 500 us each, of unknown shape, where TF32 is eight times as fast. */
static void fp32_without_shapes_saves_what_peaks_promise(void **state)
{
    (void)state;
    static struct device_peak of[] = {{S_INIT("matrix_bf16"), 312},
                                      {S_INIT("matrix_tf32"), 156},
                                      {S_INIT("vector_fp32"), 19.5}};
    struct device_spec on = device;
    struct trace_case c;
    on.peaks = of;
    on.n_peaks = 3;
    case_begin(&c);
    for (int k = 0; k < 8; k++)
        case_launch(&c, "ampere_sgemm_128x64_tn", 1 + 2 * k, 20 + 500 * k, 500, 1 + k);
    struct analysis a = analyse_on(&c, library, &on);
    const struct finding *f = of_pattern(&a, "fp32_matrix");
    assert_non_null(f);
    assert_near(f->impact.low_ms, 4 * (1 - 1 / (0.6 * 8)), 0.05);
    assert_near(f->impact.high_ms, 4 * (1 - 1 / (0.8 * 16)), 0.05);
    case_close(&c);
}

/* CDNA multiplies FP32 on its matrix units, which no NVIDIA device does. */
static void fp32_misses_matrix_units_only_where_they_lack_it(void **state)
{
    (void)state;
    static const struct {
        const char *kernel, *arch;
        bool misses;
    } cases[] = {{"ampere_sgemm_128x64_tn", "", true},
                 {"Cijk_Ailk_Bljk_SB_MT128x64x16_MI32x32x2x1_SE", "gfx90a", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trace_case c;
        struct device_spec on = device;
        on.arch = str_of(cases[i].arch);
        case_begin(&c);
        for (int k = 0; k < 8; k++)
            case_launch(&c, cases[i].kernel, 1 + 2 * k, 20 + 500 * k, 500, 1 + k);
        struct analysis a = analyse_on(&c, library, &on);
        const struct finding *f = of_pattern(&a, "fp32_matrix");
        assert_non_null(f);
        assert_int_equal(str_has(f->issue, S("without the matrix units")),
                         cases[i].misses);
        assert_int_equal(str_has(f->issue, S("the matrix units multiply")),
                         !cases[i].misses);
        case_close(&c);
    }
}

/* Two products of a module in fp32, beside those of 16 bits that are in the module
 * around it, in the same one, or fewer. */
static void a_module_left_in_fp32_has_a_name(void **state)
{
    (void)state;
    static const struct {
        int n;
        double at_us;
        const char *title;
    } cases[] = {{3, 400, "Let StableMlp run under autocast: its matmuls are fp32"},
                 {3, 40, "Use autocast for mm: it runs in fp32"},
                 {2, 400, "Use autocast for mm: it runs in fp32"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trace_case c;
        case_begin(&c);
        case_frame(&c, "model.py(3): train", 0, 900);
        case_frame(&c, "nn.Module: Block_0", 1, 890);
        case_frame(&c, "nn.Module: StableMlp_0", 2, 300);
        for (int k = 0; k < 2; k++) {
            case_frame(&c, "nn.Module: Linear_0", 9 + 15 * k, 12);
            case_event(&c, "cpu_op", "aten::mm", 1, 10 + 15 * k, 8,
                       "\"Input Dims\":[[4096,4096],[4096,4096]],"
                       "\"Input type\":[\"float\",\"float\"]");
            case_launch(&c, "volta_sgemm_128x128_nt", 11 + 15 * k, 1000 + 10000.0 * k,
                        2000, k + 1);
        }
        for (int k = 0; k < cases[i].n; k++)
            op(&c, "aten::mm", "[4096,4096],[4096,4096]", cases[i].at_us + 20 * k,
               "volta_fp16_s884gemm_fp16_128x128", 21000 + 1000.0 * k, 900, k + 9);
        struct analysis a = analyse_with(&c, library);
        const struct finding *f = of_pattern(&a, "fp32_matrix");
        assert_non_null(f);
        assert_text(f->title, cases[i].title);
        assert_int_equal(str_has(f->algorithmic, S("3 calls of matmuls in this")),
                         cases[i].n == 3);
        case_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slow_product),
        cmocka_unit_test(good_product_is_no_finding),
        cmocka_unit_test(a_call_is_no_shorter_than_the_shortest_kernels),
        cmocka_unit_test(anomalies_are_left_out),
        cmocka_unit_test(shares_never_exceed_the_whole),
        cmocka_unit_test(unmodelled_work_is_one_line),
        cmocka_unit_test(products_are_ranked_in_their_class),
        cmocka_unit_test(large_products_far_from_the_peak_are_told),
        cmocka_unit_test(products_of_another_bound_are_no_peers),
        cmocka_unit_test(calls_far_longer_than_the_rest),
        cmocka_unit_test(outliers_do_the_same_work),
        cmocka_unit_test(short_calls_are_merged_not_tuned),
        cmocka_unit_test(copies_are_told_of_once),
        cmocka_unit_test(classes_of_a_group),
        cmocka_unit_test(top_operations_have_unlinked_work),
        cmocka_unit_test(top_operations_join_names),
        cmocka_unit_test(order_and_numbers),
        cmocka_unit_test(kernels_alone_are_judged_by_their_names),
        cmocka_unit_test(a_module_left_in_fp32_has_a_name),
        cmocka_unit_test(fp32_misses_matrix_units_only_where_they_lack_it),
        cmocka_unit_test(fp32_without_shapes_saves_what_peaks_promise),
    };
    return cmocka_run_group_tests(tests, open_library, close_library);
}
