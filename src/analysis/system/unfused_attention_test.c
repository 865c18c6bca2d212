#include "unfused_attention.c"

#include "analysis/analysis_run.h"
#include "analysis/model/work_facts.h"
#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct device_peak peaks[] = {{S_INIT("matrix_bf16"), 708}};
static const struct device_spec device = {
    .memory_gb_per_s = 5300, .peaks = peaks, .n_peaks = 1, .file_text = S_INIT("{}")};

static const char *type = "c10::BFloat16"; /* of operands */
static int thread = 1;

static void op(struct trace_case *c, const char *name, const char *dims, double at,
               const char *kernel, double us, int correlation)
{
    char more[300], call[32];
    snprintf(call, sizeof call, "\"correlation\":%d", correlation);
    snprintf(more, sizeof more, "\"Input Dims\":[%s],\"Input type\":[\"%s\",\"%s\"]",
             dims, type, type);
    case_event(c, "cpu_op", name, thread, at, 8, more);
    case_event(c, "cuda_runtime", "hipLaunchKernel", thread, at + 1, 1, call);
    case_kernel(c, kernel, 7, 1000 * at, us, correlation);
}

/* Scores of 2048 x 2048 for 8 heads of 64. Fused: 4 * 8 * 2048^2 * 64 FLOP = 8.59e9, at
 * 708 TFLOPS 12.132 us. */
static void block(struct trace_case *c, double at, int correlation)
{
    op(c, "aten::bmm", "[8,2048,64],[8,64,2048]", at, "Cijk_a", 100, correlation);
    op(c, "aten::mul", "[1,8,2048,2048],[]", at + 10, "elementwise_kernel", 80,
       correlation + 1);
    op(c, "aten::_softmax", "[1,8,2048,2048],[]", at + 20, "softmax_warp", 100,
       correlation + 2);
    op(c, "aten::bmm", "[8,2048,2048],[8,2048,64]", at + 30, "Cijk_b", 120,
       correlation + 3);
}

static struct analysis rows_of(struct trace_case *c, struct tree_index *t)
{
    case_open(c, &device);
    struct analysis a = case_analysis(c);
    *t = tree_index_build(&c->perm, c->tmp, &c->view);
    analysis_rows(&c->perm, c->tmp, &a, t);
    return a;
}

/* Two instances of 400 us. Band at 2048: 40 to 60 %, so 2 * 12.132 / 0.4 = 60.66 us and
 * 40.44 us; at most ten times faster means no less than 80 us: both ends are clamped.
 */
static void shapes_that_fit(void **state)
{
    (void)state;
    struct trace_case c;
    struct tree_index t;
    case_begin(&c);
    block(&c, 0, 1);
    block(&c, 100, 11);
    struct analysis a = rows_of(&c, &t);
    assert_int_equal(a.n_unfused, 1);
    const struct unfused_attention *u = &a.unfused[0];
    assert_false(u->from_tree);
    assert_int_equal(u->instances, 2);
    assert_int_equal(u->n_rows, 4);
    assert_near(u->time_ms, 0.8, 1e-9);
    assert_near(u->d, 64, 0);
    assert_near(u->roofline_ms, 2 * 4 * 8 * 2048.0 * 2048 * 64 / 708e9, 1e-9);
    assert_near(u->conservative_ms, 0.08, 1e-9);
    assert_near(u->optimistic_ms, 0.08, 1e-9);
    assert_near(unfused_speedup_high(u), 10, 1e-9);
    assert_false(u->masked);
    case_close(&c);
}

/* With the gradients of the probabilities and V, of the softmax, of the scale, and of Q
 * and K: 580 us on the thread of autograd, and a product of another size. */
static void the_backward_goes_with_it(void **state)
{
    (void)state;
    struct trace_case c;
    struct tree_index t;
    case_begin(&c);
    out_lit(&c.text, "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":9,\"tid\":2,"
                     "\"args\":{\"name\":\"thread 2 (pt_autograd_0)\"}},\n");
    for (int k = 0; k < 2; k++) {
        block(&c, 100 * k, 1 + 20 * k);
        thread = 2;
        double at = 100 * k + 40;
        int id = 5 + 20 * k;
        op(&c, "aten::bmm", "[8,2048,64],[8,64,2048]", at, "Cijk_a", 100, id);
        op(&c, "aten::bmm", "[8,2048,2048],[8,2048,64]", at + 9, "Cijk_b", 100, id + 1);
        op(&c, "aten::_softmax_backward_data", "[1,8,2048,2048],[1,8,2048,2048]",
           at + 18, "softmax_warp_backward", 100, id + 2);
        op(&c, "aten::mul", "[1,8,2048,2048],[]", at + 27, "elementwise_kernel", 80,
           id + 3);
        op(&c, "aten::bmm", "[8,64,2048],[8,2048,2048]", at + 36, "Cijk_b", 200,
           id + 4);
        op(&c, "aten::bmm", "[8,64,2048],[8,2048,512]", at + 45, "Cijk_b", 200, id + 5);
        thread = 1;
    }
    struct analysis a = rows_of(&c, &t);
    assert_int_equal(a.n_unfused, 1);
    const struct unfused_attention *u = &a.unfused[0];
    assert_int_equal(u->instances, 2);
    assert_int_equal(u->backwards, 2);
    assert_int_equal(u->n_rows, 9);
    assert_near(u->time_ms, 2 * (0.4 + 0.58), 1e-9);
    assert_near(u->roofline_ms, 3.5 * 2 * 4 * 8 * 2048.0 * 2048 * 64 / 708e9, 1e-9);
    case_close(&c);
}

/* An addend with a value for each head is a bias, one for all heads a mask. */
static void a_bias_differs_by_head(void **state)
{
    static const struct {
        const char *dims;
        bool biased, masked;
    } cases[] = {{"[2,4,2048,2048],[1,4,2048,2048],[]", true, false},
                 {"[2,4,2048,2048],[4,1,2048],[]", true, false},
                 {"[2,4,2048,2048],[2,1,2048,2048],[]", false, true},
                 {"[2,4,2048,2048],[2,4,2048,2048],[]", false, false}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct trace_case c;
        struct tree_index t;
        case_begin(&c);
        block(&c, 0, 1);
        op(&c, "aten::add_", cases[k].dims, 45, "elementwise_kernel", 80, 9);
        struct analysis a = rows_of(&c, &t);
        assert_int_equal(a.n_unfused, 1);
        assert_int_equal(a.unfused[0].biased, cases[k].biased);
        assert_int_equal(a.unfused[0].masked, cases[k].masked);
        case_close(&c);
    }
}

/* The fused form keeps fp32, of which this device has units for 81 TFLOPS: 106.0 us at
 * least, at 40 to 60 % of it 265 or 177 us. Without that peak, nobody knows how fast
 * products of 220 of 400 us could be, but what lies between them can go. */
static void fp32_takes_no_flash_kernel_for_16_bits(void **state)
{
    (void)state;
    static struct device_peak own[] = {{S_INIT("matrix_bf16"), 708},
                                       {S_INIT("vector_fp32"), 81}};
    struct trace_case c;
    struct tree_index t;
    type = "float";
    case_begin(&c);
    block(&c, 0, 1);
    struct analysis a = rows_of(&c, &t);
    struct unfused_attention u = a.unfused[0];
    struct device_spec known = {.memory_gb_per_s = 5300, .peaks = own, .n_peaks = 2};
    assert_true(unfused_is_fp32(&u));
    unfused_estimate(&known, &u);
    assert_false(u.assumed);
    assert_near(u.roofline_ms, 4 * 8 * 2048.0 * 2048 * 64 / 81e9, 1e-9);
    assert_near(u.conservative_ms, u.roofline_ms / 0.4, 1e-9);
    assert_near(u.optimistic_ms, u.roofline_ms / 0.6, 1e-9);
    const struct device_spec *both[] = {&device, NULL};
    for (int k = 0; k < 2; k++) {
        unfused_estimate(both[k], &u);
        assert_true(u.assumed);
        assert_near(u.optimistic_ms, 0.22, 1e-9);
        assert_near(u.conservative_ms, 0.31, 1e-9);
    }
    case_close(&c);
    type = "c10::BFloat16";
}

/* With frames, by the order of kernels below one parent. */
static void kernels_under_one_module(void **state)
{
    (void)state;
    struct trace_case c;
    struct tree_index t;
    case_begin(&c);
    case_frame(&c, "nn.Module: Attention_0", 0, 99);
    block(&c, 1, 1);
    struct analysis a = rows_of(&c, &t);
    assert_int_equal(a.n_unfused, 1);
    assert_true(a.unfused[0].from_tree);
    assert_int_equal(a.unfused[0].n_rows, 4);
    assert_near(a.unfused[0].time_ms, 0.4, 1e-9);
    assert_near(work_number(a.unfused[0].softmax, "in_unfused_attention"), 1, 0);
    case_close(&c);
}

/* A softmax whose neighbours are not scores and values: a classifier, a router. */
static void other_products_are_no_attention(void **state)
{
    (void)state;
    struct trace_case c;
    struct tree_index t;
    case_begin(&c);
    case_frame(&c, "nn.Module: Gate_0", 0, 99);
    op(&c, "aten::bmm", "[8,2048,64],[8,64,2000]", 1, "Cijk_a", 100, 1);
    op(&c, "aten::_softmax", "[1,8,2048,2048],[]", 10, "softmax_warp", 100, 2);
    op(&c, "aten::bmm", "[8,2048,2048],[8,2048,64]", 20, "Cijk_b", 120, 3);
    struct analysis a = rows_of(&c, &t);
    assert_int_equal(a.n_unfused, 0);
    case_close(&c);
}

/* A norm between product and softmax: not what a fused call does. */
static void heavy_kernels_between(void **state)
{
    (void)state;
    struct trace_case c;
    struct tree_index t;
    case_begin(&c);
    case_frame(&c, "nn.Module: Attention_0", 0, 99);
    op(&c, "aten::bmm", "[8,2048,64],[8,64,2048]", 1, "Cijk_a", 100, 1);
    op(&c, "aten::foo", "[7],[]", 10, "layer_norm_kernel", 10, 2);
    op(&c, "aten::_softmax", "[1,8,2048,2048],[]", 20, "softmax_warp", 100, 3);
    op(&c, "aten::bmm", "[8,2048,99],[8,99,64]", 30, "Cijk_b", 120, 4);
    struct analysis a = rows_of(&c, &t);
    assert_int_equal(a.n_unfused, 0);
    case_close(&c);
}

/* Two layers in a graph, of which a trace has only the order of kernels. */
static struct analysis in_a_graph(struct trace_case *c, const char *between)
{
    static const char *const names[] = {
        "ampere_sgemm_64x64_tn", NULL, "softmax_warp_forward", "ampere_sgemm_64x64_nn"};
    case_begin(c);
    case_call(c, "cudaGraphLaunch", 1, 5, 1);
    for (int i = 0; i < 8; i++)
        case_kernel(c, names[i % 4] ? names[i % 4] : between, 7, 100 + 60 * i, 50, 1);
    struct tree_index t;
    return rows_of(c, &t);
}

static void kernels_in_the_order_of_attention(void **state)
{
    (void)state;
    struct trace_case c;
    struct analysis a = in_a_graph(&c, "vectorized_elementwise_kernel");
    assert_int_equal(a.n_unfused, 1);
    assert_int_equal(a.unfused[0].instances, 2);
    assert_near(a.unfused[0].time_ms, 0.4, 1e-9);
    assert_int_equal(a.unfused[0].n_rows, 4);
    case_close(&c);
    a = in_a_graph(&c, "layer_norm_kernel"); /* a product, then something else */
    assert_int_equal(a.n_unfused, 0);
    case_close(&c);
}

/* A mask with one head's shape may be causal: the optimistic end takes half the work.
 * 10 us blocks would be below the roofline, so these are long: 100 times the time. */
static void a_mask_halves_the_work(void **state)
{
    (void)state;
    struct unfused_attention u = {.b = 8,
                                  .n_q = 2048,
                                  .n_kv = 2048,
                                  .d = 64,
                                  .instances = 1,
                                  .time_ms = 0.1,
                                  .masked = true};
    struct work_row g = {.category = WORK_GEMM};
    g.efficiency.peak_tflop_per_s = 708;
    struct work_row *rows[] = {&g};
    u.rows = rows;
    u.n_rows = 1;
    unfused_estimate(&device, &u);
    double roof = 4 * 8 * 2048.0 * 2048 * 64 / 708e9; /* 0.012133 ms */
    assert_near(u.conservative_ms, roof / 0.4, 1e-9);
    assert_near(u.optimistic_ms, roof / 2 / 0.6, 1e-9); /* 9.9 times: not clamped */
}

/* 8 heads of 128 queries by 256 keys: 2 * 8 * 2 * 64 * (128 + 256) bytes take longer
 * than 67 MFLOP, and twice that backward. */
static void short_sequences_wait_for_memory(void **state)
{
    (void)state;
    struct work_row g = {.category = WORK_GEMM};
    struct work_row *rows[] = {&g};
    struct unfused_attention u = {.b = 8,
                                  .n_q = 128,
                                  .n_kv = 256,
                                  .d = 64,
                                  .instances = 3,
                                  .backwards = 5,
                                  .time_ms = 0.001,
                                  .rows = rows,
                                  .n_rows = 1};
    g.efficiency.peak_tflop_per_s = 708;
    unfused_estimate(&device, &u);
    assert_near(u.roofline_ms, (3 + 2 * 5) * 2 * 8 * 2 * 64 * 384 / 5300e6, 1e-12);
    assert_near(u.conservative_ms, 0.001, 1e-12); /* no slower than it is */
    struct device_spec still = device;
    still.memory_gb_per_s = 0;
    unfused_estimate(&still, &u);
    assert_true(u.assumed);
}

static void the_band_is_that_of_the_longer_side(void **state)
{
    (void)state;
    static const struct {
        double n_q, n_kv, lo, hi;
    } cases[] = {{63, 1, 2, 10}, {1, 63, 2, 10}, {2048, 1, 40, 60}, {1, 2048, 40, 60}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct unfused_attention u = {
            .n_q = cases[k].n_q, .n_kv = cases[k].n_kv, .d = (double)NAN};
        unfused_estimate(&device, &u);
        assert_near(u.band_lo_pct, cases[k].lo, 0);
        assert_near(u.band_hi_pct, cases[k].hi, 0);
    }
    struct unfused_attention u = {.n_q = 64, .d = (double)NAN};
    unfused_estimate(&device, &u);
    assert_true(u.band_lo_pct > 2);
}

/* Of an fp32 product that runs on fp32 units the faster of these, else TF32's. */
static void a_fused_kernel_has_the_units_of_the_products(void **state)
{
    (void)state;
    static struct device_peak all[] = {{S_INIT("matrix_bf16"), 708},
                                       {S_INIT("matrix_tf32"), 350},
                                       {S_INIT("matrix_fp32"), 90},
                                       {S_INIT("vector_fp32"), 81}};
    const struct device_spec d = {.memory_gb_per_s = 5300, .peaks = all, .n_peaks = 4};
    static const struct {
        const char *dtype;
        double fp32_kernel, own, peak;
    } cases[] = {{"fp32", 1, 0, 90},   {"fp32", 1, 500, 90}, {"bf16", 0, 500, 500},
                 {"bf16", 0, 0, 708},  {"fp64", 0, 0, 0},    {"fp64", 0, 40, 40},
                 {"fp32", 0, 40, 350}, {"", 0, 0, 708}};
    struct arena a = arena_reserve(1 << 20);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct work_row g = {.efficiency.peak_tflop_per_s = cases[k].own};
        work_set(&a, &g, FACT("dtype", str_of(cases[k].dtype)));
        work_set(&a, &g, FACT("fp32_kernel", cases[k].fp32_kernel));
        assert_near(own_peak(&d, &g), cases[k].peak, 0);
    }
}

/* Scores of 100 queries by 200 keys in 8 heads: Q K^T sums over the head, P V over the
 * keys; either way round. */
static void products_are_known_by_their_sizes(void **state)
{
    (void)state;
    static const struct {
        double b, m, n, k, of_scores, of_values; /* head sizes; 0: none */
    } cases[] = {{8, 100, 200, 64, 64, 0},   {8, 200, 100, 64, 64, 0},
                 {8, 100, 64, 200, 0, 64},   {8, 64, 100, 200, 0, 64},
                 {7, 100, 200, 64, 0, 0},    {7, 100, 64, 200, 0, 0},
                 {8, 100, 200, 512, 512, 0}, {8, 100, 200, 513, 0, 0},
                 {8, 100, 512, 200, 0, 512}, {8, 100, 513, 200, 0, 0},
                 {8, 100, 64, 100, 0, 0},    {8, 200, 64, 200, 0, 0}};
    const struct scores s = {8, 100, 200};
    struct arena a = arena_reserve(1 << 20);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct work_row g = {.category = WORK_GEMM};
        work_set(&a, &g, FACT("B", cases[k].b));
        work_set(&a, &g, FACT("M", cases[k].m));
        work_set(&a, &g, FACT("N", cases[k].n));
        work_set(&a, &g, FACT("K", cases[k].k));
        double of_scores = head_of_scores_product(&g, &s),
               of_values = head_of_value_product(&g, &s);
        assert_near(isnan(of_scores) ? 0 : of_scores, cases[k].of_scores, 0);
        assert_near(isnan(of_values) ? 0 : of_values, cases[k].of_values, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_that_fit),
        cmocka_unit_test(the_backward_goes_with_it),
        cmocka_unit_test(a_bias_differs_by_head),
        cmocka_unit_test(kernels_under_one_module),
        cmocka_unit_test(fp32_takes_no_flash_kernel_for_16_bits),
        cmocka_unit_test(other_products_are_no_attention),
        cmocka_unit_test(heavy_kernels_between),
        cmocka_unit_test(kernels_in_the_order_of_attention),
        cmocka_unit_test(a_mask_halves_the_work),
        cmocka_unit_test(short_sequences_wait_for_memory),
        cmocka_unit_test(the_band_is_that_of_the_longer_side),
        cmocka_unit_test(a_fused_kernel_has_the_units_of_the_products),
        cmocka_unit_test(products_are_known_by_their_sizes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
