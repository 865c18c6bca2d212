#include "row_facts.c"

#include "analysis/analysis_run.h"
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

static void op(struct trace_case *c, const char *name, const char *args, double at,
               const char *kernel, double us, int correlation)
{
    case_event(c, "cpu_op", name, 1, at, 8, args);
    case_launch(c, kernel, at + 1, 1000 * at + 100, us, correlation);
}

static struct analysis rows_of(struct trace_case *c)
{
    case_open(c, &device);
    struct analysis a = case_analysis(c);
    struct tree_index t = tree_index_build(&c->perm, c->tmp, &c->view);
    analysis_rows(&c->perm, c->tmp, &a, &t);
    return a;
}

#define PAIR(x, y)                                                                     \
    "\"Input Dims\":[" x "," y "],\"Input "                                            \
    "type\":[\"c10::BFloat16\",\"c10::BFloat16\"]"

#define STRIDES(x) ",\"Input Strides\":[" x "," x "],\"Concrete Inputs\":[\"\",\"\"]"

static void dimensions_and_tiles_of_a_product(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    op(&c, "aten::bmm", PAIR("[4,100,64]", "[4,64,200]"), 0, "Cijk_MT64x64x32_GSU4_",
       50, 1);
    struct analysis a = rows_of(&c);
    const struct work_row *r = &a.categories[WORK_GEMM].rows[0];
    assert_near(work_number(r, "B"), 4, 0);
    assert_near(work_number(r, "M"), 100, 0);
    assert_near(work_number(r, "N"), 200, 0);
    assert_near(work_number(r, "K"), 64, 0);
    assert_near(work_number(r, "tiles"), 4 * 2 * 4, 0); /* ceil(100/64) ceil(200/64) */
    assert_near(work_number(r, "wave_eff"), 32.0 / 304, 1e-12);
    assert_near(work_number(r, "split_k"), 1, 0);
    assert_near(work_number(r, "quantized"), 0, 0);
    assert_text(work_text(r, "shape"), "(4,100,64)x(4,64,200)");
    assert_text(r->args, "(4,100,64) bf16, (4,64,200) bf16");
    assert_near(work_number(r, "roofline_ms"), r->efficiency.percent / 100 * r->time_ms,
                1e-12);
    assert_text(r->library, "Tensile");
    assert_true(isnan(work_number(r, "n_q")));
    case_close(&c);
}

/* Of three rows one has no model, two are anomalies, and three vary. */
static void a_category_counts_its_rows(void **state)
{
    (void)state;
    struct arena perm = arena_reserve(1 << 16);
    struct work_row rows[3] = {
        {.efficiency = {.percent = (double)NAN}, .high_variance = true},
        {.efficiency = {.percent = 120, .anomaly = true}, .high_variance = true},
        {.efficiency = {.percent = 130, .anomaly = true}, .high_variance = true}};
    struct category_result of = {.rows = rows, .n_rows = 3};
    struct op_tables tables = {.device = &device};
    struct analysis a = {.tables = &tables};
    struct fact_maker m = {.perm = &perm, .a = &a};
    add_counters(&m, &of);
    assert_near(work_category_number(&of, "missing_perf_model_count"), 1, 0);
    assert_near(work_category_number(&of, "anomaly_count"), 2, 0);
    assert_near(work_category_number(&of, "high_variance_count"), 3, 0);
    assert_near(work_category_number(&of, "peak_maf_tflops"), 708, 0);
    assert_near(work_category_number(&of, "peak_hbm_bw_tbs"), 5.3, 1e-12);
}

/* Two sequences of 512 tokens in one tensor: the length is that of one. */
static void lengths_of_packed_sequences(void **state)
{
    (void)state;
    static const struct {
        const char *op, *dims;
        double seq;
    } cases[] = {
        {"aiter::mha_varlen_fwd", "[1024,8,64],[1024,8,64],[1024,8,64],[3],[3]", 512},
        {"aten::_flash_attention_forward",
         "[2,512,8,64],[2,512,8,64],[2,512,8,64],[],[]", 512},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct trace_case c;
        case_begin(&c);
        char args[300];
        snprintf(args, sizeof args,
                 "\"Input Dims\":[%s],\"Input type\":[\"c10::Half\",\"c10::Half\","
                 "\"c10::Half\",\"int\",\"int\"]",
                 cases[k].dims);
        op(&c, cases[k].op, args, 0, "flash_fwd_kernel", 500, 1);
        struct analysis a = rows_of(&c);
        assert_int_equal(a.categories[WORK_SDPA_FWD].n_rows, 1);
        const struct work_row *r = &a.categories[WORK_SDPA_FWD].rows[0];
        assert_near(work_number(r, "seq"), cases[k].seq, 0);
        assert_near(work_number(r, "batch"), 2, 0);
        case_close(&c);
    }
}

/* Without a model: libraries put heads after the length, PyTorch before it. Before the
 * Q of a backward is a gradient; its keys are more. */
static void lengths_without_a_model(void **state)
{
    (void)state;
    static const struct {
        const char *op, *q, *k;
    } cases[] = {
        {"flash_attn::_flash_attn_backward", "[1,512,32,64]", "[1,768,8,64]"},
        {"aten::_scaled_dot_product_unknown_attention_backward", "[1,32,512,64]",
         "[1,8,768,64]"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct trace_case c;
        case_begin(&c);
        char args[300];
        snprintf(args, sizeof args,
                 "\"Input Dims\":[%s,%s,%s,%s],\"Input type\":[\"c10::Half\","
                 "\"c10::Half\",\"c10::Half\",\"c10::Half\"]",
                 cases[k].q, cases[k].q, cases[k].k, cases[k].k);
        op(&c, cases[k].op, args, 0, "flash_bwd_kernel", 500, 1);
        struct analysis a = rows_of(&c);
        assert_int_equal(a.categories[WORK_SDPA_BWD].n_rows, 1);
        const struct work_row *r = &a.categories[WORK_SDPA_BWD].rows[0];
        assert_near(work_number(r, "n_q"), 512, 0);
        assert_near(work_number(r, "n_kv"), 768, 0);
        case_close(&c);
    }
}

/* aten::mul of 2^24 bf16: 3 * 2^25 bytes in 25 us are 4.0265 TB/s; aten::add_ in 10 us
 * is launch-sized and counts in the plain mean alone: 10.07 TB/s is above what is
 * believed. */
static void baseline_of_simple_streams(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    op(&c, "aten::mul", PAIR("[4096,4096]", "[4096,4096]") STRIDES("[4096,1]"), 0,
       "elementwise_kernel", 25, 1);
    op(&c, "aten::add_", PAIR("[1024,1024]", "[1024,1024]") STRIDES("[1024,1]"), 20,
       "elementwise_kernel", 10, 2);
    struct analysis a = rows_of(&c);
    const struct category_result *e = &a.categories[WORK_ELEMENTWISE];
    double mul = 3 * 33554432.0 / 25e-6 / 1e12;
    assert_near(work_category_number(e, "baseline_tbs"), mul, 1e-6);
    assert_near(work_category_number(e, "baseline_pct"), 100 * mul / 5.3, 1e-4);
    assert_near(work_category_number(e, "baseline_assumed"), 0, 0);
    double add = 3 * 2097152.0 / 10e-6 / 1e12;
    assert_near(work_category_number(e, "baseline_tbs_simple"), (mul + add) / 2, 1e-6);
    case_close(&c);
}

/* Strides that grow are another order; those of an expanded operand are none. */
static void orders_of_operands(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    op(&c, "aten::add",
       PAIR("[64,128]", "[64,128]") ",\"Input Strides\":[[128,1],[1,64]]", 0,
       "elementwise_kernel", 25, 1);
    op(&c, "aten::mul",
       PAIR("[64,128]", "[64,128]") ",\"Input Strides\":[[128,1],[0,1]]", 20,
       "elementwise_kernel", 24, 2);
    struct analysis a = rows_of(&c);
    const struct work_row *r = a.categories[WORK_ELEMENTWISE].rows;
    assert_near(work_number(&r[0], "non_row_major"), 1, 0);
    assert_text(work_text(&r[0], "transposed_operands"), "operand 2");
    assert_near(work_number(&r[1], "non_row_major"), 0, 0);
    case_close(&c);
}

/* A cache that grows by one of 100 tokens, and two halves. */
static void what_a_concatenation_copies(void **state)
{
    (void)state;
    static const struct {
        const char *dims;
        double pct; /* of the largest part */
    } cases[] = {{"[[[16,8,99,128],[16,8,1,128]],[]]", 99},
                 {"[[[16,8,50,128],[16,8,50,128]],[]]", 50},
                 {"[[[16,8,99,128]],[]]", (double)NAN},
                 {"[[[0],[0]],[]]", (double)NAN}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct trace_case c;
        char args[200];
        snprintf(args, sizeof args,
                 "\"Input Dims\":%s,\"Input type\":[\"TensorList\",\"Scalar\"]",
                 cases[k].dims);
        case_begin(&c);
        case_event(&c, "cpu_op", "aten::cat", 1, 0, 10, args);
        case_launch(&c, "CatArrayBatchedCopy", 1, 20, 30, 1);
        struct analysis a = rows_of(&c);
        double pct = work_number(&a.categories[WORK_OTHER].rows[0], "largest_part_pct");
        assert_true(isnan(cases[k].pct) ? isnan(pct) : fabs(pct - cases[k].pct) < 1e-9);
        case_close(&c);
    }
}

/* Without shapes, the operator that was called tells; a library's own does not. */
static void a_layout_is_of_the_dimensions_in_a_name(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int rank;
    } cases[] = {{"aten::conv1d", 1},
                 {"aten::conv_transpose1d", 1},
                 {"aten::conv2d", 2},
                 {"aten::conv3d", 3},
                 {"aten::convolution", 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct trace_case c;
        case_begin(&c);
        case_op(&c, cases[k].name, 0, 60);
        case_op(&c, "aten::_convolution", 1, 50);
        case_event(&c, "cpu_op", "aten::miopen_convolution", 1, 2, 40, "\"k\":1");
        case_launch(&c, "batched_transpose_32x32_half", 3, 1000, 40, 1);
        case_launch(&c, "igemm_fwd_gtcx2_nhwc_fp16", 9, 1100, 80, 2);
        struct analysis a = rows_of(&c);
        const struct category_result *of = &a.categories[WORK_CONVOLUTION];
        assert_near(work_category_number(of, "conv_layout_rank"), cases[k].rank, 0);
        case_close(&c);
    }
}

/* Eight convolutions, the first three or the last: kernels of 40 and 30 us are timed,
 * and one of 20 us stays. Somebody else's timing belongs to no call. */
static void what_a_search_tries(void **state)
{
    (void)state;
    for (int last = 0; last < 2; last++) {
        struct trace_case c;
        case_begin(&c);
        for (int i = 0, n = 0; i < 8; i++) {
            double at = 100 * i;
            case_event(&c, "cpu_op", "aten::cudnn_convolution", 1, at, 80,
                       "\"External id\":1");
            if (last ? i == 7 : i < 3) {
                case_launch(&c, "implicit_gemm_a", at + 1, 1000 + 10 * at, 40, ++n);
                case_call(&c, "cudaEventElapsedTime", at + 10, 1, 0);
                case_launch(&c, "implicit_gemm_b", at + 20, 1050 + 10 * at, 30, ++n);
                case_call(&c, "cudaEventElapsedTime", at + 30, 1, 0);
            }
            case_launch(&c, "implicit_gemm_a", at + 50, 1100 + 10 * at, 20, ++n);
            case_call(&c, "cudaEventElapsedTime", at + 90, 1, 0);
        }
        struct analysis a = rows_of(&c);
        const struct category_result *of = &a.categories[WORK_CONVOLUTION];
        assert_int_equal(of->n_rows, 1);
        assert_near(work_number(&of->rows[0], "trial_calls"), last ? 1 : 3, 0);
        assert_near(work_number(&of->rows[0], "trials_ms"), last ? 0.07 : 0.21, 1e-9);
        assert_near(work_category_number(of, "search_goes_on"), last, 0);
        case_close(&c);
    }
}

/* PyTorch's operator alone, and below one of FSDP's. */
static void what_a_wrapper_concatenates(void **state)
{
    (void)state;
    for (int wrapped = 0; wrapped < 2; wrapped++) {
        struct trace_case c;
        case_begin(&c);
        case_op(&c, wrapped ? "fsdp::chunk_cat" : "aten::stack", 0, 12);
        case_op(&c, "aten::_chunk_cat", 1, 10);
        case_launch(&c, "chunk_cat_cuda_kernel", 2, 30, 30, 1);
        struct analysis a = rows_of(&c);
        const struct work_row *r = &a.categories[WORK_OTHER].rows[0];
        assert_text(work_text(r, "subcategory"), "cat_split");
        assert_near(work_number(r, "of_wrapper"), wrapped, 0);
        case_close(&c);
    }
}

/* cuDNN's operator does not say how it attends; its kernel does. */
static void flash_attention_by_its_kernel(void **state)
{
    (void)state;
    static const char *const kernels[] = {
        "cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7",
        "sm90_xmma_gemm_bf16", "attn_fwd"};
    for (int k = 0; k < 3; k++) {
        struct trace_case c;
        case_begin(&c);
        op(&c, "aten::_scaled_dot_product_cudnn_attention",
           PAIR("[1,32,8192,128]", "[1,8,8192,128]"), 0, kernels[k], 500, 1);
        struct analysis a = rows_of(&c);
        const struct category_result *sdpa = &a.categories[WORK_SDPA_FWD];
        assert_near(work_number(&sdpa->rows[0], "flash"), k != 1, 0);
        assert_near(work_category_number(sdpa, "flash_attention_detected"), k != 1, 0);
        case_close(&c);
    }
}

/* 2 of 10 us in a call of both. Alone, as while a graph is captured, the store attends
 * to nothing, and no model of attention judges it. */
static void storing_the_cache_beside_attention(void **state)
{
    (void)state;
    for (int both = 0; both < 2; both++) {
        struct trace_case c;
        case_begin(&c);
        case_event(&c, "cpu_op", "vllm::unified_attention_with_output", 1, 0, 20,
                   "\"Input Dims\":[[4,28,128]],\"Input type\":[\"c10::BFloat16\"]");
        case_launch(&c, "vllm::reshape_and_cache_flash_kernel<bf16>", 1, 30, 2, 1);
        if (both)
            case_launch(&c, "flash::flash_fwd_splitkv_kernel<128>", 4, 40, 8, 2);
        struct analysis a = rows_of(&c);
        assert_int_equal(a.categories[WORK_SDPA_FWD].n_rows, both);
        if (both) {
            const struct work_row *r = &a.categories[WORK_SDPA_FWD].rows[0];
            assert_near(work_number(r, "reshape_cache_pct"), 20, 1e-9);
        } else {
            const struct work_row *r = &a.categories[WORK_OTHER].rows[0];
            assert_text(work_text(r, "subcategory"), "kv_cache");
            assert_true(isnan(r->efficiency.percent) && isnan(r->efficiency.tb_per_s));
        }
        case_close(&c);
    }
}

/* 12 us of 60 us are conversions, 6 us a fill. */
static void conversions_in_a_convolution(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_event(&c, "cpu_op", "aten::convolution", 1, 0, 40,
               "\"Input Dims\":[[8,64,56,56],[64,64,3,3],[],[],[],[],[],[],[]],\"Input "
               "type\":[\"c10::BFloat16\",\"c10::BFloat16\",\"\",\"ScalarList\","
               "\"ScalarList\",\"ScalarList\",\"Scalar\",\"ScalarList\",\"Scalar\"],"
               "\"Concrete Inputs\":[\"\",\"\",\"\",\"[1, 1]\",\"[1, 1]\",\"[1, "
               "1]\",\"False\",\"[0, 0]\",\"1\"]");
    case_launch(&c, "batched_transpose_32x16_half", 1, 100, 12, 1);
    case_launch(&c, "SubTensorOpWithScalar1d", 3, 112, 6, 2);
    case_launch(&c, "igemm_fwd_gtcx3_nhwc_bf16", 5, 118, 42, 3);
    struct analysis a = rows_of(&c);
    const struct category_result *k = &a.categories[WORK_CONVOLUTION];
    const struct work_row *r = &k->rows[0];
    assert_near(work_number(r, "transpose_ms"), 0.012, 1e-12);
    assert_near(work_number(r, "transpose_pct"), 20, 1e-9);
    assert_near(work_number(r, "helper_pct"), 10, 1e-9);
    assert_near(work_number(r, "main_ms"), 0.042, 1e-12);
    assert_near(work_number(r, "main_pct"), r->efficiency.percent * 60 / 48, 1e-9);
    assert_text(work_text(r, "conv_class"), "standard");
    assert_text(work_text(r, "filter_shape"), "(64, 64, 3, 3)");
    assert_near(work_category_number(k, "transpose_overhead_pct"), 20, 1e-9);
    assert_near(work_category_number(k, "transpose_count"), 1, 0);
    assert_near(work_number(r, "expected_lo_pct"), 50, 0);
    case_close(&c);
}

/* 16 tokens, two experts each, 64 experts: half a token an expert. */
static void tokens_of_experts(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    op(&c, "mylib::fused_moe",
       "\"Input Dims\":[[16,4096],[64,22016,4096],[64,4096,11008],[16,2]],\"Input "
       "type\":[\"c10::BFloat16\",\"c10::BFloat16\",\"c10::BFloat16\",\"float\"]",
       0, "fused_moe_kernel", 280, 1);
    struct analysis a = rows_of(&c);
    const struct work_row *r = &a.categories[WORK_MOE_FUSED].rows[0];
    assert_near(work_number(r, "tokens_per_expert"), 0.5, 0);
    assert_text(work_text(r, "moe_class"), "fused");
    case_close(&c);
}

/* A norm without a model: 2 * 2^20 * 2 bytes and four vectors of 1024 floats in 10 us.
 */
static void norm_without_a_model(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    op(&c, "mylib::my_layer_norm", PAIR("[1024,1024]", "[1024]"), 0, "ln_kernel", 10,
       1);
    struct analysis a = rows_of(&c);
    const struct work_row *r = &a.categories[WORK_NORM].rows[0];
    assert_near(work_number(r, "fallback_model"), 1, 0);
    assert_near(r->efficiency.percent, 100 * (4194304.0 + 16384) / 10e-6 / 5.3e12,
                1e-9);
    assert_near(work_number(r, "baseline_pct"), 70, 1e-9);
    assert_near(work_number(r, "baseline_assumed"), 1, 0);
    case_close(&c);
}

/* Three calls of one operator with two shapes: facts of the operator are the sums. */
static void sums_over_an_operator(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    op(&c, "aten::mul", PAIR("[64,64]", "[64,64]") STRIDES("[64,1]"), 0,
       "elementwise_kernel", 30, 1);
    op(&c, "aten::mul", PAIR("[64,64]", "[64,64]") STRIDES("[64,1]"), 10,
       "elementwise_kernel", 30, 2);
    op(&c, "aten::mul", PAIR("[32,64]", "[32,64]") STRIDES("[64,1]"), 20,
       "elementwise_kernel", 15, 3);
    struct analysis a = rows_of(&c);
    const struct work_row *r = a.categories[WORK_ELEMENTWISE].rows;
    assert_int_equal(a.categories[WORK_ELEMENTWISE].n_rows, 2);
    for (int i = 0; i < 2; i++) {
        assert_near(work_number(&r[i], "same_op_count"), 3, 0);
        assert_near(work_number(&r[i], "same_op_mean_us"), 25, 1e-9);
        assert_near(work_number(&r[i], "same_op_pct"), 100, 1e-9);
        assert_near(work_number(&r[i], "bottleneck"), 1, 0);
    }
    case_close(&c);
}

/* `few` calls of 600 us that copy from the host, in a frame of their own, and `n` of 2
 * us on the device, without shapes. */
static struct analysis copies_of(struct trace_case *c, int few, int n)
{
    case_begin(c);
    case_frame(c, "train.py(884): train_step", 0, 10.0 * (few + n) + 20);
    for (int k = 0; k < few + n; k++) {
        double at = 10 * (k + 1);
        if (k == few)
            case_frame(c, "model_ema.py(124): _update", at - 1, 10.0 * n + 2);
        case_op(c, "aten::copy_", at, 8);
        case_call(c, "cudaMemcpyAsync", at + 1, 2, k + 1);
        if (k < few)
            case_copy(c, "Memcpy HtoD (Pinned -> Device)", 10000 + 1000 * k, 600, k + 1,
                      8000);
        else
            case_kernel(c, "direct_copy_kernel_cuda", 7, 100000 + 10 * k, 2, k + 1);
    }
    return rows_of(c);
}

static const struct work_row *copy_row(const struct analysis *a)
{
    for (int k = 0; k < WORK_CATEGORIES; k++)
        for (int32_t i = 0; i < a->categories[k].n_rows; i++)
            if (str_eq(a->categories[k].rows[i].name, S("aten::copy_")))
                return &a->categories[k].rows[i];
    return NULL;
}

static void few_copies_from_the_host_are_in_no_mean(void **state)
{
    (void)state;
    static const struct {
        int few, n;
        double count, mean_us;
    } cases[] = {
        {2, 40, 40, 2}, {30, 20, 50, (30 * 600 + 20 * 2) / 50.0}, {0, 9, 9, 2}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct trace_case c;
        struct analysis a = copies_of(&c, cases[k].few, cases[k].n);
        const struct work_row *r = copy_row(&a);
        assert_non_null(r);
        assert_near(work_number(r, "same_op_count"), cases[k].count, 0);
        assert_near(work_number(r, "same_op_mean_us"), cases[k].mean_us, 1e-9);
        case_close(&c);
    }
}

/* The caller of most calls, not of the first; without most, of the first. */
static void a_row_is_called_from_where_most_calls_are(void **state)
{
    (void)state;
    static const struct {
        int few, n;
        const char *path;
    } cases[] = {{2, 40, "model_ema.py(124): _update"},
                 {30, 20, "train.py(884): train_step"},
                 {2, 4, "train.py(884): train_step"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct trace_case c;
        struct analysis a = copies_of(&c, cases[k].few, cases[k].n);
        const struct work_row *r = copy_row(&a);
        assert_non_null(r);
        assert_text(r->launcher_path, cases[k].path);
        case_close(&c);
    }
}

#define QKV                                                                            \
    "\"Input Dims\":[[2,4,64,32],[2,4,64,32],[2,4,64,32]],\"Input type\":"             \
    "[\"c10::BFloat16\",\"c10::BFloat16\",\"c10::BFloat16\"]"

/* Three copies before an attention call, each in the frame of a built-in method, as
 * Python calls them. */
static void copies_around_attention(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_frame(&c, "attention.py(18): forward", 0, 100);
    for (int k = 0; k < 3; k++) {
        case_frame(&c, "<built-in method contiguous of Tensor>", 1 + 10 * k, 9);
        op(&c, "aten::copy_", PAIR("[2,4,64,32]", "[2,4,64,32]") STRIDES("[1,1,1,1]"),
           2 + 10 * k, "elementwise_kernel", 20, k + 1);
    }
    case_frame(&c, "<built-in function scaled_dot_product_attention>", 40, 20);
    case_event(&c, "cpu_op", "aten::_scaled_dot_product_flash_attention", 1, 42, 8,
               QKV);
    case_launch(&c, "attn_fwd", 43, 90000, 100, 9);
    struct analysis a = rows_of(&c);
    const struct work_row *attention = &a.categories[WORK_SDPA_FWD].rows[0];
    assert_near(work_number(attention, "contiguous_copies"), 3, 0);
    assert_near(work_number(attention, "contiguous_copies_ms"), 0.060, 1e-9);
    const struct work_row *copy = &a.categories[WORK_ELEMENTWISE].rows[0];
    assert_near(work_number(copy, "beside_attention"), 1, 0);
    case_close(&c);
}

/* What a graph replays says so, and nothing else does. A launch that holds work of two
 * categories is of both. */
static void work_of_a_graph(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_call(&c, "hipGraphLaunch", 10, 5, 1);
    case_kernel(&c, "Cijk_MT64x64x32", 7, 100, 60, 1);
    case_kernel(&c, "softmax_kernel", 7, 160, 40, 1);
    op(&c, "aten::mul", PAIR("[64,64]", "[64,64]") STRIDES("[64,1]"), 20,
       "elementwise_kernel", 15, 3);
    struct analysis a = rows_of(&c);
    assert_near(work_number(&a.categories[WORK_GEMM].rows[0], "replayed"), 1, 0);
    assert_true(
        isnan(work_number(&a.categories[WORK_ELEMENTWISE].rows[0], "replayed")));
    assert_text(a.top[0].name, "hipGraphLaunch");
    assert_true(a.top[0].mixed && a.top[0].category == WORK_GEMM);
    assert_false(a.top[1].mixed);
    case_close(&c);
}

static void keys_are_a_fixed_set(void **state)
{
    (void)state;
    assert_int_equal(work_row_fact_kind(S("M")), FACT_NUMBER);
    assert_int_equal(work_row_fact_kind(S("shape")), FACT_TEXT);
    assert_int_equal(work_row_fact_kind(S("shapes")), FACT_NONE);
    assert_int_equal(work_category_fact_kind(S("softmax_count")), FACT_NUMBER);
    assert_int_equal(work_category_fact_kind(S("M")), FACT_NONE);
    struct arena perm = arena_reserve(1 << 20);
    struct work_row r = {0};
    work_set(&perm, &r, FACT("M", (double)NAN));
    assert_int_equal(r.n_facts, 0);
    work_set(&perm, &r, FACT("M", 1), FACT("M", 2));
    assert_int_equal(r.n_facts, 1);
    assert_near(work_number(&r, "M"), 2, 0);
}

/* What matters: more than 5 % of the category, though less than counts alone; and below
 * what is enough, of rows of one operator and bound together. */
static void a_bottleneck_has_time_and_is_slow(void **state)
{
    static const struct {
        double category_ms, roof_ms, enough_ms;
        bool criterion, bottleneck;
    } cases[] = {{199, 3, 4, true, true},
                 {201, 3, 4, false, false},
                 {199, 4, 4, true, false},
                 {0, 3, 4, false, false}};
    struct arena a = arena_reserve(1 << 20);
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct work_row r = {.efficiency = {.percent = 30, .bound = BOUND_MEMORY}};
        const struct category_result c = {.category = WORK_GEMM,
                                          .time_ms = cases[k].category_ms};
        struct op_sum s = {.count = 4, .ms = 10};
        s.by_bound[BOUND_MEMORY][1].ms = 10;
        s.by_bound[BOUND_MEMORY][1].roof_ms = cases[k].roof_ms;
        s.by_bound[BOUND_MEMORY][1].enough_ms = cases[k].enough_ms;
        set_sums(&a, &c, &r, &s);
        assert_int_equal(work_number(&r, "time_criterion"), cases[k].criterion);
        assert_int_equal(work_number(&r, "bottleneck"), cases[k].bottleneck);
        assert_near(work_number(&r, "same_op_mean_us"), 2500, 1e-9);
    }
}

/* A row that another of its operator, type and ranks beats by 20 points on a kernel of
 * another family. */
static void a_far_better_kernel_is_a_lowering(void **state)
{
    static const struct {
        double compute_pct, other_pct;
        const char *kernel, *dtype, *name;
        bool anomaly, found;
    } cases[] = {{1, 60, "fast_9", "fp16", "aten::mm", false, true},
                 {0.9, 60, "fast_9", "fp16", "aten::mm", false, false},
                 {1, 59.9, "fast_9", "fp16", "aten::mm", false, false},
                 {1, 60, "slow_77", "fp16", "aten::mm", false, false},
                 {1, 60, "fast_9", "fp32", "aten::mm", false, false},
                 {1, 60, "fast_9", "fp16", "aten::bmm", false, false},
                 {1, 160, "fast_9", "fp16", "aten::mm", true, false}};
    struct arena a = arena_reserve(1 << 20);
    struct op_group group = {0};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct work_row rows[2] = {{.group = &group,
                                    .name = S("aten::mm"),
                                    .compute_pct = cases[k].compute_pct,
                                    .efficiency.percent = 40},
                                   {.group = &group,
                                    .name = str_of(cases[k].name),
                                    .efficiency = {.percent = cases[k].other_pct,
                                                   .anomaly = cases[k].anomaly}}};
        struct fact_maker m = {.perm = &a, .tmp = arena_reserve(1 << 20)};
        struct category_result c = {.rows = rows, .n_rows = 2};
        work_set(&a, &rows[0], FACT("kernel", S("slow_64x64")),
                 FACT("dtype", S("fp16")));
        work_set(&a, &rows[1], FACT("kernel", str_of(cases[k].kernel)),
                 FACT("dtype", str_of(cases[k].dtype)),
                 FACT("kernel_short", S("other")));
        add_lowering(&m, &c, 0);
        assert_int_equal(work_text(&rows[0], "lowering_kernel").n > 0, cases[k].found);
        assert_true(!cases[k].found || work_number(&rows[0], "lowering_pct") == 60);
    }
    assert_true(str_eq(base_name(S("gemm_9x<2>")), S("gemm_")));
    assert_true(str_eq(base_name(S("gemm<2>")), S("gemm")));
    assert_true(str_eq(base_name(S("gemm")), S("gemm")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dimensions_and_tiles_of_a_product),
        cmocka_unit_test(a_category_counts_its_rows),
        cmocka_unit_test(lengths_of_packed_sequences),
        cmocka_unit_test(lengths_without_a_model),
        cmocka_unit_test(baseline_of_simple_streams),
        cmocka_unit_test(orders_of_operands),
        cmocka_unit_test(a_layout_is_of_the_dimensions_in_a_name),
        cmocka_unit_test(what_a_search_tries),
        cmocka_unit_test(what_a_concatenation_copies),
        cmocka_unit_test(what_a_wrapper_concatenates),
        cmocka_unit_test(flash_attention_by_its_kernel),
        cmocka_unit_test(storing_the_cache_beside_attention),
        cmocka_unit_test(conversions_in_a_convolution),
        cmocka_unit_test(tokens_of_experts),
        cmocka_unit_test(norm_without_a_model),
        cmocka_unit_test(sums_over_an_operator),
        cmocka_unit_test(few_copies_from_the_host_are_in_no_mean),
        cmocka_unit_test(a_row_is_called_from_where_most_calls_are),
        cmocka_unit_test(copies_around_attention),
        cmocka_unit_test(work_of_a_graph),
        cmocka_unit_test(a_bottleneck_has_time_and_is_slow),
        cmocka_unit_test(a_far_better_kernel_is_a_lowering),
        cmocka_unit_test(keys_are_a_fixed_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
