#include "analysis_findings.c"

#include "analysis/finding_events.h"
#include "analysis/library_case.h"
#include "analysis/model/work_facts.h"
#include "analysis/stack/tree_index.h"
#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct device_peak peaks[] = {{S_INIT("matrix_bf16"), 708},
                                     {S_INIT("vector_bf16"), 163}};
static const struct device_spec device = {
    .memory_gb_per_s = 5300, .peaks = peaks, .n_peaks = 2, .compute_units = 304};

static void op(struct trace_case *c, const char *name, const char *dims, double at,
               const char *kernel, double start_us, double us, int correlation)
{
    char more[300];
    snprintf(more, sizeof more,
             "\"Input Dims\":[%s],\"Input type\":[\"c10::BFloat16\",\"c10::BFloat16\"]",
             dims);
    case_event(c, "cpu_op", name, 1, at, 8, more);
    case_launch(c, kernel, at + 1, start_us, us, correlation);
}

static struct analysis analyse_with(struct trace_case *c, struct pattern_host *h)
{
    case_open(c, &device);
    struct tree_index t = tree_index_build(&c->perm, c->tmp, &c->view);
    return analysis_run(
        &c->perm, c->tmp, &c->tables, &t, h,
        (struct analysis_options){.idle_threshold_pct = IDLE_THRESHOLD_PCT});
}

static struct analysis analyse(struct trace_case *c)
{
    return analyse_with(c, NULL);
}

static const struct finding *compute_finding(const struct analysis *a,
                                             const char *op_name)
{
    for (int i = 0; i < a->n_findings; i++)
        if (a->findings[i].tier == TIER_COMPUTE &&
            str_eq(a->findings[i].op, str_of(op_name)))
            return &a->findings[i];
    return NULL;
}

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
    assert_text(f->title, "mm: 1.09 ms at 4.5% of peak compute");
    assert_int_equal(f->title_op, 2);
    assert_text(f->peak, "708 TFLOPS");
    assert_text(f->achieved, "31.55 TFLOPS");
    assert_near(f->impact.low_pct, 100 * (1 - 4.4566 / 60), 1e-2);
    assert_int_equal(f->tier_number, 1);
    assert_int_equal(f->rows[0]->claimed_by, f - a.findings);
    assert_near(work_number(f->rows[0], "tiles"), 4, 0);
    case_close(&c);
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

/* A copy is work of its operator but no computation, and here is most of it. */
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
    assert_true(a.computation_ms < 0.11 && a.rows_ms > 0.99);
    double sum_pct = 0;
    for (int i = 0; i < a.n_by_time; i++)
        sum_pct += a.categories[a.by_time[i]].compute_pct;
    assert_float_equal(sum_pct, 100, 1e-6);
    assert_float_equal(a.categories[WORK_GEMM].compute_pct, 10, 1e-6);
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
    assert_text(f->title, "36.7% of kernel time has no performance model");
    assert_text(f->issue, "36.7% of kernel time, 1.10 ms, has no performance model: "
                          "`ck::moe_gemm` 0.400 ms, `mylib::thing` 0.350 ms, "
                          "`aten::convolution` 0.200 ms, `mylib::bare` 0.150 ms.");
    assert_text(
        f->algorithmic,
        "0.400 ms are replayed by graphs, of which a trace has only kernel "
        "names: trace the step once without graph replay. 0.150 ms lack shapes: "
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
                          "start; the median call takes 100.0 us.")));
    case_close(&c);
}

/* Element-wise work of 5 us a call: starting the kernel is most of it. */
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

/* The library's patterns, without which idle time has no finding. */
static struct arena library_perm;
static char *library_start;
static struct pattern_host *library;

static int open_library(void **state)
{
    (void)state;
    library_perm = arena_reserve(256 << 20);
    library_start = library_perm.at;
    library = library_open(&library_perm, NULL, 0);
    return 0;
}

static int close_library(void **state)
{
    (void)state;
    pattern_host_close(library);
    arena_release(library_start, &library_perm);
    return 0;
}

/* A slow product of 1089 us, then a kernel of 5 us: launched at once, or only after the
 * host did something else for 1500 us. */
static void slow_product_and_more(struct trace_case *c, double at_us)
{
    case_begin(c);
    op(c, "aten::mm", "[256,131072],[131072,512]", 0, "Cijk_a", 20, 1089, 1);
    op(c, "mylib::thing", "[64,64],[]", at_us, "thing_kernel",
       at_us > 1109 ? at_us + 9 : 1109, 5, 2);
}

/* The device waits for the host behind the product: mending the product saves nothing
 * before the host is mended. Then it saves what it does in a run without the wait. */
static void kernels_behind_the_host_wait_for_it(void **state)
{
    (void)state;
    struct trace_case c;
    slow_product_and_more(&c, 10);
    struct analysis a = analyse_with(&c, library);
    const struct finding *f = compute_finding(&a, "aten::mm");
    assert_true(f == &a.findings[0]);
    assert_int_equal(f->until, -1);
    assert_int_equal(f->priority, PRIORITY_CRITICAL);
    double low_ms = f->impact.low_ms, high_ms = f->impact.high_ms;
    assert_near(low_ms, f->part_low * 1.089, 1e-5);
    assert_near(high_ms, f->part_high * 1.089, 1e-5);
    assert_true(low_ms > 0.5 && high_ms < 1.089 - 0.048);
    case_close(&c);

    slow_product_and_more(&c, 2609);
    a = analyse_with(&c, library);
    f = compute_finding(&a, "aten::mm");
    assert_int_equal(a.findings[0].tier, TIER_SYSTEM);
    assert_int_equal(a.findings[0].tier_number, 1);
    assert_near(f->impact.high_ms, 0, 0);
    assert_int_equal(f->until, 0);
    assert_near(f->impact_then.low_ms, low_ms, 0.01);
    assert_near(f->impact_then.high_ms, high_ms, 0.01);
    assert_true(str_starts(f->impact.basis, S("once the host keeps up ")));
    case_close(&c);
}

/* From `at` on: three copies of a shape, `copy_us` each, and attention over it. */
static void attention(struct trace_case *c, const char *name, const char *dims,
                      double at, double start_us, double copy_us, int correlation)
{
    char two[80], three[120];
    snprintf(two, sizeof two, "%s,%s", dims, dims);
    snprintf(three, sizeof three, "%s,%s", two, dims);
    case_frame(c, "attention.py(18): run", at, 100);
    for (int k = 0; k < 3; k++) {
        case_frame(c, "<built-in method contiguous of Tensor>", at + 1 + 10 * k, 9);
        op(c, "aten::copy_", two, at + 2 + 10 * k, "elementwise_kernel",
           start_us + copy_us * k, copy_us, correlation + k);
    }
    case_frame(c, "<built-in function attention>", at + 40, 20);
    op(c, name, three, at + 42, "attn", start_us + 3 * copy_us, 60, correlation + 3);
}

static const struct finding *about_copies(const struct analysis *a,
                                          enum work_category category)
{
    for (int i = 0; i < a->n_findings; i++)
        if (a->findings[i].category == category &&
            str_eq(a->findings[i].pattern, S("contiguous_copies")))
            return &a->findings[i];
    return NULL;
}

/* What goes are the copies beside the attention call, ten times as long as the call. */
static void copies_around_attention_go_not_the_attention(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    attention(&c, "aten::_scaled_dot_product_flash_attention", "[2,4,64,32]", 0, 20,
              200, 1);
    struct analysis a = analyse_with(&c, library);
    const struct finding *f = about_copies(&a, WORK_SDPA_FWD);
    assert_non_null(f);
    assert_true(str_starts(f->title, S("Copies around attention: 0.600 ms")));
    assert_true(f->impact.low_ms > 0.4 && f->impact.high_ms > 0.5);
    case_close(&c);
}

static int64_t its_events_ns(struct trace_case *c, const struct analysis *a,
                             const struct finding *f, int32_t *n)
{
    struct device_events e = finding_events(&c->perm, a, f);
    int64_t ns = 0;
    for (int32_t k = 0; k < e.n; k++)
        ns += store_dur_ns(&c->store, e.at[k]);
    *n = e.n;
    return ns;
}

/* Forward copies take 200 us each, those of the backward pass 150: each finding is
 * about its own three, and neither about attention. */
static void copies_belong_to_their_direction(void **state)
{
    (void)state;
    struct trace_case c;
    int32_t n;
    case_begin(&c);
    attention(&c, "aten::_scaled_dot_product_flash_attention", "[2,4,64,32]", 0, 100,
              200, 1);
    attention(&c, "aten::_scaled_dot_product_flash_attention_backward", "[2,4,128,32]",
              200, 1000, 150, 11);
    struct analysis a = analyse_with(&c, library);
    const struct finding *fwd = about_copies(&a, WORK_SDPA_FWD),
                         *bwd = about_copies(&a, WORK_SDPA_BWD);
    assert_non_null(fwd);
    assert_non_null(bwd);
    assert_int_equal(its_events_ns(&c, &a, fwd, &n), 3 * 200000);
    assert_int_equal(n, 3);
    assert_int_equal(its_events_ns(&c, &a, bwd, &n), 3 * 150000);
    assert_int_equal(n, 3);
    case_close(&c);
}

/* Both at once save at least what the first does, at most the sum. */
static void the_first_findings_together(void **state)
{
    (void)state;
    struct trace_case c;
    slow_product_and_more(&c, 2609);
    struct analysis a = analyse_with(&c, library);
    const struct finding *f = compute_finding(&a, "aten::mm");
    assert_int_equal(a.n_together, 2);
    assert_true(a.together.high_ms >= a.findings[0].impact.high_ms);
    assert_true(a.together.low_ms >= a.findings[0].impact.low_ms);
    assert_true(a.together.high_ms <=
                a.findings[0].impact.high_ms + f->impact_then.high_ms);
    case_close(&c);
}

/* A third of device time has no launch: the replay says little, so the saving stays a
 * share of time. */
static void without_launches_savings_are_shares(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    op(&c, "aten::mm", "[256,131072],[131072,512]", 0, "Cijk_a", 20, 1089, 1);
    case_kernel(&c, "unlinked", 7, 5000, 500, 77);
    struct analysis a = analyse(&c);
    const struct finding *f = compute_finding(&a, "aten::mm");
    assert_false(a.replay.usable);
    assert_true(a.replay.exact);
    assert_true(f->impact.high_ms > 0.9);
    assert_true(
        str_ends(f->impact.basis, S("a share of time, for lack of launch calls")));
    assert_int_equal(a.n_together, 0);
    case_close(&c);
}

/* On request no saving is claimed for the system; its findings keep their place. */
static void savings_of_the_system_are_left_out(void **state)
{
    (void)state;
    struct trace_case c;
    slow_product_and_more(&c, 2609);
    case_open(&c, &device);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    struct analysis a =
        analysis_run(&c.perm, c.tmp, &c.tables, &t, library,
                     (struct analysis_options){.idle_threshold_pct = IDLE_THRESHOLD_PCT,
                                               .no_system_impact = true});
    assert_int_equal(a.findings[0].tier, TIER_SYSTEM);
    assert_true(isnan(a.findings[0].impact.high_ms));
    assert_true(isnan(a.findings[0].impact.low_pct));
    assert_near(compute_finding(&a, "aten::mm")->impact.high_ms, 0, 0);
    case_close(&c);
}

/* A trace without operators: the timeline is told, nothing else. */
static void kernels_alone_give_no_advice(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_launch(&c, "some_kernel", 1, 20, 500, 1);
    struct analysis a = analyse(&c);
    for (int i = 0; i < a.n_findings; i++)
        assert_int_not_equal(a.findings[i].tier, TIER_COMPUTE);
    case_close(&c);
}

/* Five kinds of calls, one after the other, 24 times; `pace` of a round and a kind. */
static struct analysis rounds(struct trace_case *c, struct pattern_host *h,
                              double (*pace)(int round, int kind))
{
    enum { ROUNDS = 24, KINDS = 5 };
    double at_us = 1000;
    case_begin(c);
    for (int k = 0; k < ROUNDS * KINDS; k++) {
        char dims[60];
        double us = 100 * (1 + k % KINDS) * pace(k / KINDS, k % KINDS);
        snprintf(dims, sizeof dims, "[8192,%d],[%d,1024]", 512 * (1 + k % KINDS),
                 512 * (1 + k % KINDS));
        op(c, "aten::mm", dims, 10 * k, "Cijk_a", at_us, us, k + 1);
        at_us += us;
    }
    return analyse_with(c, h);
}

static double slow_in_the_middle(int round, int kind)
{
    (void)kind;
    return round >= 10 && round < 15 ? 3 : 1;
}

static double slower_and_slower(int round, int kind)
{
    (void)kind;
    return 1 + 0.02 * round;
}

static double one_is_slow(int round, int kind)
{
    return kind == 4 && round >= 10 && round < 15 ? 3 : 1;
}

static const struct finding *pace_of(const struct analysis *a)
{
    for (int i = 0; i < a->n_findings; i++)
        if (str_eq(a->findings[i].op, S("device")))
            return &a->findings[i];
    return NULL;
}

/* 24 rounds of 1500 us, five of them three times as long: 15 ms more. */
static void a_slow_device_is_told_apart(void **state)
{
    (void)state;
    struct trace_case c;
    struct analysis a = rounds(&c, library, slow_in_the_middle);
    const struct finding *f = pace_of(&a);
    assert_ptr_equal(f, &a.findings[0]);
    assert_text(f->pattern, "slow_stretch");
    assert_text(f->title, "All kernels 3 times slower for a while: 15.00 ms");
    assert_near(f->impact.high_ms, 15, 0.01);
    assert_near(f->impact.low_ms, 12, 0.01);
    assert_true(isnan(f->part_high)); /* nothing of it to take away from an event */
    for (int i = 1; i < a.n_findings; i++)
        assert_false(str_eq(a.findings[i].pattern, S("outlier_calls")));
    case_close(&c);

    a = rounds(&c, library, slower_and_slower); /* to 1.46: 8.28 ms more than at 1 */
    f = pace_of(&a);
    assert_non_null(f);
    assert_text(f->pattern, "slowing_device");
    assert_true(f->impact.low_ms <= 8.28 && 8.28 <= f->impact.high_ms);
    case_close(&c);

    a = rounds(&c, library, one_is_slow);
    assert_null(pace_of(&a));
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slow_product),
        cmocka_unit_test(good_product_is_no_finding),
        cmocka_unit_test(anomalies_are_left_out),
        cmocka_unit_test(shares_never_exceed_the_whole),
        cmocka_unit_test(unmodelled_work_is_one_line),
        cmocka_unit_test(products_are_ranked_in_their_class),
        cmocka_unit_test(calls_far_longer_than_the_rest),
        cmocka_unit_test(short_calls_are_merged_not_tuned),
        cmocka_unit_test(copies_are_told_of_once),
        cmocka_unit_test(classes_of_a_group),
        cmocka_unit_test(top_operations_join_names),
        cmocka_unit_test(top_operations_have_unlinked_work),
        cmocka_unit_test(order_and_numbers),
        cmocka_unit_test_setup_teardown(kernels_behind_the_host_wait_for_it,
                                        open_library, close_library),
        cmocka_unit_test(without_launches_savings_are_shares),
        cmocka_unit_test_setup_teardown(copies_around_attention_go_not_the_attention,
                                        open_library, close_library),
        cmocka_unit_test_setup_teardown(copies_belong_to_their_direction, open_library,
                                        close_library),
        cmocka_unit_test_setup_teardown(the_first_findings_together, open_library,
                                        close_library),
        cmocka_unit_test_setup_teardown(savings_of_the_system_are_left_out,
                                        open_library, close_library),
        cmocka_unit_test(kernels_alone_give_no_advice),
        cmocka_unit_test_setup_teardown(a_slow_device_is_told_apart, open_library,
                                        close_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
