#include "matrix_facts.c"

#include "analysis/analysis_run.h"
#include "analysis/model/work_facts.h"
#include "analysis/stack/tree_index.h"
#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct device_peak peaks[] = {{S_INIT("matrix_bf16"), 312},
                                     {S_INIT("matrix_tf32"), 156},
                                     {S_INIT("vector_fp32"), 19.5},
                                     {S_INIT("matrix_fp64"), 9.7}};
static const struct device_spec device = {
    .memory_gb_per_s = 2000, .peaks = peaks, .n_peaks = 4};

static void what_names_say(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int generation, align;
    } cases[] = {{"sm80_xmma_gemm_f16f16", 80, 0},
                 {"ampere_sgemm_32x32_sliced1x4_tn", 80, 0},
                 {"volta_sgemm_128x32_nt", 70, 0},
                 {"cutlass_80_wmma_tensorop_bf16_s161616gemm_tn_align2", 80, 2},
                 {"cutlass_80_simt_sgemm_128x32_8x5_nn_align1", 80, 0},
                 {"nvjet_hsh_256x256_64x4_2x1", 90, 0},
                 {"Cijk_Alik_Bljk_BBS_MT256x256x64", 0, 0},
                 {"small_kernel", 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(kernel_name_of(str_of(cases[i].name)).generation,
                         cases[i].generation);
        assert_int_equal(kernel_alignment(str_of(cases[i].name)), cases[i].align);
    }
    assert_near(matrix_peak_tf32(&device, 80), 156, 0);
    assert_near(matrix_peak_tf32(&device, 70), 156, 0);
    struct device_spec half_only = device;
    half_only.n_peaks = 1;
    assert_near(matrix_peak_tf32(&half_only, 80), 156, 0);
    assert_near(matrix_peak_tf32(&half_only, 70), 0, 0);
    assert_near(matrix_peak_tf32(&half_only, (double)NAN), 0, 0); /* MI250X */
    assert_near(matrix_peak_half(NULL), 0, 0);
}

/* One product of 1024 x K by K x 1024 on a kernel. */
static struct analysis product_on(struct trace_case *c, const struct device_spec *on,
                                  const char *type, int k, const char *kernel)
{
    char args[200];
    snprintf(args, sizeof args,
             "\"Input Dims\":[[1024,%d],[%d,1024]],\"Input type\":[\"%s\",\"%s\"],"
             "\"Input Strides\":[[%d,1],[1024,1]]",
             k, k, type, type, k);
    case_begin(c);
    case_event(c, "cpu_op", "aten::mm", 1, 0, 8, args);
    case_launch(c, kernel, 1, 100, 500, 1);
    case_open(c, on);
    struct analysis a = case_analysis(c);
    struct tree_index t = tree_index_build(&c->perm, c->tmp, &c->view);
    analysis_rows(&c->perm, c->tmp, &a, &t);
    return a;
}

static struct analysis product(struct trace_case *c, const char *type, int k,
                               const char *kernel)
{
    return product_on(c, &device, type, k, kernel);
}

/* Whether the device could do better is known of what its kernels are compiled for. */
static void fp32_is_told_without_a_device(void **state)
{
    (void)state;
    static const struct {
        const char *kernel;
        bool fp32, tf32;
    } cases[] = {{"ampere_sgemm_128x64_nn", true, true},
                 {"volta_sgemm_128x64_nn", true, false},
                 {"maxwell_sgemm_128x64_nn", false, false},
                 {"ampere_fp16_s16816gemm_fp16_64x64_nn", false, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trace_case c;
        struct analysis a = product_on(&c, NULL, "", 1024, cases[i].kernel);
        const struct work_row *r = &a.categories[WORK_GEMM].rows[0];
        assert_int_equal(work_number(r, "fp32_kernel") == 1, cases[i].fp32);
        assert_int_equal(matrix_units_of(&a).tf32, cases[i].tf32);
        case_close(&c);
    }
}

static void fp32_only_without_narrow_kernels(void **state)
{
    (void)state;
    static const struct {
        const char *type, *kernel;
        bool fp32;
    } cases[] = {{"float", "sm80_xmma_gemm_f32f32_f32f32_f32_tn", true},
                 {"float", "sm80_xmma_gemm_f32f32_tf32f32_f32_tn", false},
                 {"c10::BFloat16", "ampere_bf16_s16816gemm", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trace_case c;
        struct analysis a = product(&c, cases[i].type, 1024, cases[i].kernel);
        const struct work_row *r = &a.categories[WORK_GEMM].rows[0];
        assert_int_equal(work_number(r, "fp32_kernel") == 1, cases[i].fp32);
        if (cases[i].fp32) { /* 2 * 1024^3 FLOP at 312 TFLOPS: 6.88 us */
            assert_near(work_number(r, "half_ms"), 0.00688, 1e-5);
            assert_near(work_number(r, "tf32_ms"), 0.01377, 1e-5);
        }
        case_close(&c);
    }
}

/* 2 * 1024^3 FLOP at the 19.5 TFLOPS that fp32 has: 110 us; unknown of other types, and
 * where memory is the limit. */
static void double_precision_knows_what_single_takes(void **state)
{
    (void)state;
    static const struct {
        const char *type, *kernel;
        int k;
        double ms;
    } cases[] = {{"double", "ampere_dgemm_128x64", 1024, 0.1101},
                 {"double", "ampere_dgemm_128x64", 1, (double)NAN},
                 {"float", "ampere_sgemm_128x64", 1024, (double)NAN}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trace_case c;
        struct analysis a = product(&c, cases[i].type, cases[i].k, cases[i].kernel);
        double ms = work_number(&a.categories[WORK_GEMM].rows[0], "fp32_ms");
        if (isnan(cases[i].ms))
            assert_true(isnan(ms));
        else
            assert_near(ms, cases[i].ms, 1e-3);
        case_close(&c);
    }
}

/* A kernel for TF32 is judged by the peak of TF32, one for FP32 by that of FP32. */
static void tf32_kernels_have_their_own_peak(void **state)
{
    (void)state;
    struct trace_case c;
    double pct[2];
    for (int k = 0; k < 2; k++) {
        struct analysis a = product(&c, "float", 4096,
                                    k ? "sm80_xmma_gemm_f32f32_tf32f32_f32_tn"
                                      : "sm80_xmma_gemm_f32f32_f32f32_f32_tn");
        const struct work_row *r = &a.categories[WORK_GEMM].rows[0];
        assert_int_equal(r->efficiency.by_tf32, k);
        assert_near(work_number(r, "kernel_generation"), 80, 0);
        pct[k] = r->efficiency.percent;
        case_close(&c);
    }
    assert_near(pct[0], 8 * pct[1], 1e-9);
}

/* K=1023 is the line of A, not of B. */
static void lines_off_sixteen_bytes(void **state)
{
    (void)state;
    struct trace_case c;
    struct analysis a = product(&c, "c10::BFloat16", 1023, "gemm");
    assert_text(work_text(&a.categories[WORK_GEMM].rows[0], "misaligned"), "K=1023");
    case_close(&c);
    a = product(&c, "c10::BFloat16", 1024, "gemm");
    assert_text(work_text(&a.categories[WORK_GEMM].rows[0], "misaligned"), "");
    case_close(&c);
}

/* Compute-bound rows of the same peak; two at most, the first of which is ranked. */
struct rank_case {
    struct arena perm;
    struct op_group groups[2];
    struct work_row rows[2];
    struct category_result of;
};

static void ranked(struct rank_case *c, int k, double pct, double gflop, double m,
                   double n, double deep, double batch)
{
    struct arena *a = &c->perm;
    c->groups[k] = (struct op_group){.gflop = gflop, .compute_spec = S("matrix_bf16")};
    c->rows[k] = (struct work_row){.group = &c->groups[k], .time_ms = 10 + k};
    c->rows[k].efficiency =
        (struct work_efficiency){.percent = pct, .bound = BOUND_COMPUTE};
    work_set(a, &c->rows[k], FACT("M", m), FACT("N", n), FACT("K", deep),
             FACT("B", batch), FACT("shape", k ? S("second") : S("first")));
}

static const struct work_row *rank(struct rank_case *c, int n)
{
    struct fact_maker m = {.perm = &c->perm, .compute_units = 80};
    c->of = (struct category_result){.rows = c->rows, .n_rows = n};
    matrix_facts_rank(&m, &c->of);
    return &c->rows[0];
}

/* Peers do up to four times as much or as little, by the same bound and peak. */
static void the_best_of_like_work_tells_what_is_possible(void **state)
{
    static const struct {
        double gflop, pct;
        bool peer;
    } cases[] = {{25, 75, true},     {24.9, 75, false}, {400, 75, true},
                 {400.1, 75, false}, {100, 75, true},   {100, (double)NAN, false}};
    (void)state;
    struct rank_case c = {.perm = arena_reserve(1 << 20)};
    char *start = c.perm.at;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ranked(&c, 0, 50, 100, 512, 512, 512, 1);
        ranked(&c, 1, cases[k].pct, cases[k].gflop, 512, 512, 512, 1);
        const struct work_row *r = rank(&c, 2);
        assert_int_equal(isnan(work_number(r, "best_pct")), !cases[k].peer);
        if (!cases[k].peer)
            continue;
        assert_near(work_number(r, "best_pct"), 75, 0);
        assert_near(work_number(r, "gap_ms"), 10.0 / 3, 1e-9);
        assert_near(work_number(r, "expected_lo_pct"), 67.5, 1e-9);
        assert_near(work_number(r, "expected_hi_pct"), 75, 0);
        assert_true(str_eq(work_text(r, "best_shape"), S("second")));
        assert_near(work_number(&c.rows[1], "gap_ms"), 0, 1e-9); /* it is the best */
        assert_true(str_eq(work_text(&c.rows[1], "best_shape"), S("second")));
    }
    ranked(&c, 0, 50, 100, 512, 512, 512, 1);
    ranked(&c, 1, 75, 100, 512, 512, 512, 1);
    c.groups[1].compute_spec = S("matrix_fp8");
    assert_true(isnan(work_number(rank(&c, 2), "best_pct")));
    ranked(&c, 1, 75, 100, 512, 512, 512, 1);
    c.rows[1].efficiency.bound = BOUND_MEMORY;
    assert_true(isnan(work_number(rank(&c, 2), "best_pct")));
    arena_release(start, &c.perm);
}

/* A matmul of 80 tiles of 128 x 128, as deep, fills 80 units: a smaller one tells what
 * it could reach; where none does, all are slow. */
static void what_fills_the_device_is_judged_by_less(void **state)
{
    static const struct {
        double m, n, deep, batch;
        bool fills;
    } sizes[] = {{1280, 1024, 128, 1, true},  {1279, 1024, 128, 1, false},
                 {1280, 1024, 127, 1, false}, {10240, 128, 999, 1, true},
                 {10400, 127, 999, 1, false}, {640, 1024, 128, 2, true}};
    (void)state;
    struct rank_case c = {.perm = arena_reserve(1 << 20)};
    char *start = c.perm.at;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        ranked(&c, 0, 20, 100, sizes[k].m, sizes[k].n, sizes[k].deep, sizes[k].batch);
        assert_int_equal(work_number(rank(&c, 1), "all_slow") == 1, sizes[k].fills);
    }
    /* Of an unknown device, 128 units. */
    struct fact_maker unknown = {.compute_units = 0};
    for (int more = 0; more < 2; more++) {
        ranked(&c, 0, 20, 100, 2047 + more, 1024, 128, 1);
        assert_int_equal(fills(&unknown, &c.rows[0]), more);
    }
    static const struct {
        double gflop, side, pct;
        bool best, slow;
    } others[] = {{10, 128, 60, true, false},
                  {10, 129, 60, false, false},
                  {10, 128, 39, false, true},
                  {10, 128, 40, true, false},
                  {900, 128, 60, false, false}};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        ranked(&c, 0, 20, 100, 1280, 1024, 128, 1);
        ranked(&c, 1, others[k].pct, others[k].gflop, 999, 999, others[k].side, 1);
        const struct work_row *r = rank(&c, 2);
        assert_int_equal(work_number(r, "all_slow") == 1, others[k].slow);
        assert_int_equal(work_number(r, "best_pct") == others[k].pct, others[k].best);
    }
    arena_release(start, &c.perm);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_names_say),
        cmocka_unit_test(fp32_only_without_narrow_kernels),
        cmocka_unit_test(double_precision_knows_what_single_takes),
        cmocka_unit_test(fp32_is_told_without_a_device),
        cmocka_unit_test(tf32_kernels_have_their_own_peak),
        cmocka_unit_test(lines_off_sixteen_bytes),
        cmocka_unit_test(the_best_of_like_work_tells_what_is_possible),
        cmocka_unit_test(what_fills_the_device_is_judged_by_less),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
