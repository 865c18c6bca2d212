/* The shipped patterns, each against a row that has the symptom and one that has not.
 */
#include "analysis/lua/pattern_host.h"

#include "analysis/library_case.h"
#include "analysis/model/work_facts.h"
#include "base/arena.h"
#include "ops/op_groups.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct bench {
    struct arena perm;
    char *start;
    struct analysis a;
    struct pattern_host *host;
    struct work_row rows[2];
    struct op_group group;
    struct op_call_row first;
    struct kernel_detail kernel;
};

static void bench_open(struct bench *b, enum work_category c)
{
    const char *extensions[] = {"assets/extensions/residual_scale.lua",
                                "assets/extensions/softmax_model.lua"};
    *b = (struct bench){.perm = arena_reserve(64 << 20)};
    b->start = b->perm.at;
    b->host = library_open(&b->perm, extensions, 2);
    b->first.name = S("aten::op");
    b->group.first = &b->first;
    b->kernel = (struct kernel_detail){.name = S("k"), .n = 1, .total_us = 6000};
    b->group.kernels = &b->kernel;
    b->group.n_kernels = 1;
    for (int i = 0; i < 2; i++) {
        b->rows[i] = (struct work_row){.group = &b->group,
                                       .name = b->first.name,
                                       .category = c,
                                       .cov = (double)NAN,
                                       .claimed_by = -1};
        b->rows[i].efficiency = (struct work_efficiency){.percent = (double)NAN,
                                                         .tflop_per_s = (double)NAN,
                                                         .tb_per_s = (double)NAN,
                                                         .flop_per_byte = (double)NAN};
    }
    for (int i = 0; i < WORK_CATEGORIES; i++)
        b->a.categories[i].category = (enum work_category)i;
    b->a.computation_ms = 100;
    b->a.categories[c].rows = b->rows;
    b->a.categories[c].n_rows = 2;
}

static void bench_close(struct bench *b)
{
    pattern_host_close(b->host);
    arena_release(b->start, &b->perm);
}

/* "bound=compute efficiency=23 M=256 gemm_type=regular": fields and facts of row 0. */
static void set_row(struct bench *b, struct work_row *r, const char *key,
                    const char *value)
{
    double v = strtod(value, NULL);
    struct work_efficiency *e = &r->efficiency;
    if (strcmp(key, "bound") == 0)
        e->bound = *value == 'c' ? BOUND_COMPUTE : BOUND_MEMORY;
    else if (strcmp(key, "efficiency") == 0)
        e->percent = v;
    else if (strcmp(key, "ai") == 0)
        e->flop_per_byte = v;
    else if (strcmp(key, "p") == 0)
        r->compute_pct = v;
    else if (strcmp(key, "count") == 0)
        r->count = (int64_t)v;
    else if (strcmp(key, "mean_us") == 0)
        r->mean_us = v;
    else if (strcmp(key, "time_ms") == 0)
        r->time_ms = v;
    else if (strcmp(key, "claimed") == 0)
        r->claimed_by = 0;
    else if (strcmp(key, "name") == 0)
        r->name = str_copy(&b->perm, str_of(value));
    else if (work_row_fact_kind(str_of(key)) == FACT_TEXT)
        work_set(&b->perm, r,
                 FACT(str_c(&b->perm, str_of(key)), str_copy(&b->perm, str_of(value))));
    else if (work_row_fact_kind(str_of(key)) == FACT_NUMBER)
        work_set(&b->perm, r, FACT(str_c(&b->perm, str_of(key)), v));
    else
        fail_msg("no such key: %s", key);
}

static void set_category(struct bench *b, struct category_result *c, const char *key,
                         const char *value)
{
    double v = strtod(value, NULL);
    if (strcmp(key, "pc") == 0)
        c->compute_pct = v;
    else if (strcmp(key, "calls") == 0)
        c->operation_count = (int64_t)v;
    else if (work_category_fact_kind(str_of(key)) == FACT_NUMBER)
        work_set(&b->perm, c, FACT(str_c(&b->perm, str_of(key)), v));
    else
        fail_msg("no such key: %s", key);
}

static void set_trace(struct bench *b, const char *key, const char *value)
{
    const char *kept = str_c(&b->perm, str_of(key));
    if (work_trace_fact_kind(str_of(key)) == FACT_TEXT)
        work_set(&b->perm, &b->a, FACT(kept, str_copy(&b->perm, str_of(value))));
    else if (work_trace_fact_kind(str_of(key)) == FACT_NUMBER)
        work_set(&b->perm, &b->a, FACT(kept, strtod(value, NULL)));
    else
        fail_msg("no such key: %s", key);
}

/* "trace.training=1" is a fact of the trace. */
static void set_all(struct bench *b, enum work_category c, bool category,
                    const char *what)
{
    char text[400], *save, *word;
    snprintf(text, sizeof text, "%s", what);
    for (word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        if (strncmp(word, "trace.", 6) == 0)
            set_trace(b, word + 6, value);
        else if (category)
            set_category(b, &b->a.categories[c], word, value);
        else
            set_row(b, &b->rows[0], word, value);
    }
}

static bool hits(enum work_category c, const char *id, const char *row,
                 const char *category)
{
    struct bench b;
    bool found = false;
    int n;
    bench_open(&b, c);
    set_all(&b, c, false, row);
    set_all(&b, c, true, category);
    struct pattern_hit *h = pattern_host_row(b.host, &b.perm, &b.a, &b.rows[0], &n);
    for (int i = 0; i < n; i++)
        found |= str_eq(h[i].id, str_of(id));
    h = pattern_host_category(b.host, &b.perm, &b.a, c, &n);
    for (int i = 0; i < n; i++)
        found |= str_eq(h[i].id, str_of(id));
    if (b.a.n_warnings)
        fail_msg("%s: %.*s", id, STRF(b.a.warnings[0].text));
    bench_close(&b);
    return found;
}

/* Symptoms of analysis.md 3.4 to 3.12, on both sides of one threshold each. */
static const struct {
    enum work_category c;
    const char *id, *with, *without, *category, *category_without;
} cases[] = {
    {WORK_GEMM, "tiny_batched_gemm", "B=37632 M=8 N=64 K=64", "B=37632 M=32 N=64 K=64",
     "", ""},
    {WORK_GEMM, "tiny_batched_gemm", "B=1 count=1000 M=8 N=8 K=8",
     "B=1 count=999 M=8 N=8 K=8", "", ""},
    {WORK_GEMM, "tiny_batched_gemm", "B=1000 M=16 N=128 K=128",
     "B=1000 M=16 N=128 K=129", "", ""},
    {WORK_GEMM, "misaligned_gemm",
     "bound=compute efficiency=59 p=1 M=512 N=513 K=512 misaligned=N=513",
     "bound=compute efficiency=59 p=1 M=513 N=512 K=512", "", ""},
    {WORK_GEMM, "misaligned_gemm",
     "bound=compute efficiency=59 p=1 M=512 N=512 K=512 kernel_align=1",
     "bound=compute efficiency=59 p=1 M=512 N=512 K=512 kernel_align=8", "", ""},
    {WORK_GEMM, "misaligned_gemm",
     "bound=compute efficiency=59 p=1 M=513 N=512 K=512 misaligned=M=513",
     "bound=compute efficiency=60 p=1 M=513 N=512 K=512 misaligned=M=513", "", ""},
    {WORK_GEMM, "misaligned_gemm", /* slow for its size, though above 60 % */
     "bound=compute efficiency=70 best_pct=80 p=1 M=512 N=513 K=512 misaligned=N=513",
     "bound=compute efficiency=50 best_pct=51 p=1 M=512 N=513 K=512 misaligned=N=513",
     "", ""},
    {WORK_GEMM, "older_kernel",
     "kernel_generation=80 trace.generation=90 trace.native_kernels=4",
     "kernel_generation=80 trace.generation=90 trace.native_kernels=0", "", ""},
    {WORK_GEMM, "older_kernel",
     "kernel_generation=75 trace.generation=80 trace.native_kernels=4",
     "kernel_generation=80 trace.generation=86 trace.native_kernels=4", "", ""},
    {WORK_GEMM, "fp32_matrix",
     "fp32_kernel=1 mean_us=500 time_ms=20 half_ms=2 tf32_ms=4 trace.matrix_units=1",
     "fp32_kernel=1 mean_us=500 time_ms=20 half_ms=2 tf32_ms=4 trace.matrix_units=0",
     "", ""},
    {WORK_GEMM, "fp32_matrix",
     "fp32_kernel=1 mean_us=20 time_ms=2 trace.matrix_units=1",
     "fp32_kernel=1 mean_us=19 time_ms=2 trace.matrix_units=1", "", ""},
    {WORK_GEMM, "fp32_matrix",
     "fp32_kernel=1 mean_us=20 time_ms=2 half_ms=0.05 trace.matrix_units=1",
     "fp32_kernel=1 mean_us=20 time_ms=2 half_ms=0.049 trace.matrix_units=1", "", ""},
    {WORK_GEMM, "fp32_matrix",
     "fp32_kernel=1 mean_us=500 time_ms=20 bound=memory efficiency=30 "
     "trace.matrix_units=1",
     "fp32_kernel=1 mean_us=500 time_ms=20 bound=memory efficiency=29 "
     "trace.matrix_units=1",
     "", ""},
    {WORK_OTHER, "fp64_kernels", "kernel=up<double,double> time_ms=3",
     "kernel=up<double,double> time_ms=2.9", "", ""},
    {WORK_REDUCE, "fp64_kernels", "kernel=softmax<2,double,double> time_ms=9",
     "kernel=softmax<2,float,double> time_ms=9", "", ""},
    {WORK_ELEMENTWISE, "fp64_kernels", "kernel=compare<double> time_ms=9",
     "kernel=nms<float>(int,double) time_ms=9", "", ""},
    {WORK_ELEMENTWISE, "layout_kernels",
     "kernel=batched_transpose_16x64 transpose_pct=100 time_ms=3",
     "kernel=batched_transpose_16x64 transpose_pct=100 time_ms=3", "convolution_pct=20",
     ""},
    {WORK_ELEMENTWISE, "layout_kernels",
     "kernel=nchwToNhwcKernel transpose_pct=100 time_ms=2.1",
     "kernel=nchwToNhwcKernel transpose_pct=100 time_ms=2", "convolution_pct=20",
     "convolution_pct=20"},
    {WORK_ELEMENTWISE, "layout_kernels", /* but a matrix is transposed */
     "kernel=nhwcToNchwKernel transpose_pct=100 time_ms=3",
     "kernel=transpose_kernel transpose_pct=100 time_ms=3", "convolution_pct=20",
     "convolution_pct=20"},
    {WORK_OTHER, "few_blocks", "blocks=20 sms=84 units=SMs time_ms=6 kernel=k grid=g",
     "blocks=21 sms=84 units=SMs time_ms=6 kernel=k grid=g", "", ""},
    {WORK_CONVOLUTION, "fp32_matrix",
     "fp32_kernel=1 mean_us=500 time_ms=20 kernel=implicit_convolve_sgemm "
     "trace.matrix_units=1",
     "fp32_kernel=1 mean_us=500 time_ms=20 kernel=conv_depthwise2d_forward "
     "trace.matrix_units=1",
     "", ""},
    {WORK_CONVOLUTION, "fp32_matrix",
     "fp32_kernel=1 mean_us=500 time_ms=20 trace.matrix_units=1",
     "mean_us=500 time_ms=20 trace.matrix_units=1", "", ""},
    {WORK_REDUCE, "outlier_calls",
     "outlier_pct=25 outlier_calls=7 outlier_excess_ms=3 median_us=9 p=1 shape=(8,8)",
     "outlier_pct=25 outlier_calls=7 outlier_excess_ms=3 median_us=9 p=1", "", ""},
    {WORK_CONVOLUTION, "native_depthwise",
     "kernel=conv_depthwise2d_backward_kernel p=5", "kernel=igemm_bwd p=5", "", ""},
    {WORK_CONVOLUTION, "native_depthwise", "kernel=conv_depthwise2d_forward_kernel p=5",
     "kernel=conv_depthwise2d_forward_kernel p=4.9", "", ""},
    {WORK_CONVOLUTION, "naive_convolution", "kernel=naive_conv_fwd_nchw p=2",
     "kernel=igemm_fwd_nhwc p=2", "", ""},
    {WORK_CONVOLUTION, "naive_convolution", "kernel=naive_conv_fwd_nchw p=2",
     "kernel=naive_conv_fwd_nchw p=1.9", "", ""},
    {WORK_OTHER, "matrix_decompositions", "name=aten::_linalg_eigh p=5",
     "name=aten::linalg_vector_norm p=5", "", ""},
    {WORK_OTHER, "matrix_decompositions", "name=aten::_linalg_eigh p=5",
     "name=aten::_linalg_eigh p=4.9", "", ""},
    {WORK_GEMM, "matrix_vector", "kernel=gemv2T_kernel p=30",
     "kernel=gemv2T_kernel p=29.9", "", ""},
    {WORK_GEMM, "matrix_vector", "kernel=gemv2T_kernel p=30",
     "kernel=gemv2T_kernel p=30 efficiency=70", "", ""},
    {WORK_GEMM, "matrix_vector", "kernel=gemv2T_kernel p=30",
     "kernel=gemv_int4 p=30 trace.training=0", "", ""},
    {WORK_GEMM, "matrix_vector", "kernel=gemv2T_kernel p=30",
     "kernel=gemv2T_kernel p=30 trace.training=1", "", ""},
    {WORK_ELEMENTWISE, "elementwise_chain",
     "chain_light=1 chain_kernels=3 chain_ops=a,b chain_instances=2 time_ms=1 "
     "chain_ms=4",
     "chain_light=1 chain_kernels=3 chain_ops=a,b chain_instances=2 time_ms=1 "
     "chain_ms=4 compiled=1",
     "", ""},
    {WORK_MOE_FUSED, "moe_unfused_stages", "moe_unfused=1",
     "moe_unfused=1 trace.fused_experts_pct=40", "", ""},
    {WORK_REDUCE, "high_softmax_count", "reduce_class=softmax",
     "reduce_class=softmax trace.fused_attention_pct=9", "softmax_count=100",
     "softmax_count=100"},
    {WORK_GEMM, "few_tiles",
     "bound=compute M=256 N=512 K=131072 tiles=4 compute_units=304",
     "bound=compute M=256 N=512 K=131072 tiles=153 compute_units=304", "", ""},
    {WORK_GEMM, "few_tiles", "bound=compute M=512 N=512 K=8192",
     "bound=compute M=512 N=528 K=8448", "", ""},
    {WORK_GEMM, "skinny_gemm", "bound=memory M=131072 N=32 K=32",
     "bound=memory M=16383 N=32 K=32", "", ""},
    {WORK_GEMM, "skinny_gemm", "bound=memory N=16384 M=64 K=512",
     "bound=memory N=16384 M=65 K=512", "", ""},
    {WORK_GEMM, "layout_copy_in_gemm", "layout_copy_pct=10 layout_copy_ms=3",
     "layout_copy_pct=9.9 layout_copy_ms=3", "", ""},
    {WORK_GEMM, "many_small_gemms", "count=1000 mean_us=9.9", "count=1000 mean_us=10",
     "", ""},
    {WORK_GEMM, "quantized_gemm", "quantized=1", "quantized=0", "", ""},
    {WORK_GEMM, "wave_quantization",
     "bound=compute wave_eff=0.74 p=1 tiles=400 compute_units=304",
     "bound=compute wave_eff=0.74 p=1 tiles=400 compute_units=304 split_k=1", "", ""},
    {WORK_GEMM, "wave_quantization",
     "bound=compute wave_eff=0.42 p=1 efficiency=40 tiles=128 compute_units=304",
     "bound=compute wave_eff=0.42 p=1 efficiency=74 tiles=128 compute_units=304", "",
     ""},
    {WORK_GEMM, "compute_bound_gemm", "bound=compute ai=201 efficiency=59",
     "bound=compute ai=200 efficiency=59", "", ""},
    {WORK_GEMM, "memory_bound_gemm", "bound=memory ai=99 efficiency=59",
     "bound=memory ai=100 efficiency=59", "", ""},
    {WORK_SDPA_FWD, "large_head_dim",
     "d_qk=129 efficiency=49 expected_lo_pct=50 seq=4096",
     "d_qk=129 efficiency=50 expected_lo_pct=50 seq=4096", "", ""},
    {WORK_SDPA_BWD, "large_head_dim",
     "d_qk=80 efficiency=49 expected_lo_pct=50 seq=4096",
     "d_qk=96 efficiency=49 expected_lo_pct=50 seq=4096", "", ""},
    {WORK_SDPA_FWD, "dense_mask",
     "efficiency=30 expected_lo_pct=50 time_criterion=1 seq=4096 dense_mask=1",
     "efficiency=30 expected_lo_pct=50 time_criterion=1 seq=4096 dense_mask=0", "", ""},
    {WORK_SDPA_FWD, "attention_below_band",
     "efficiency=40 expected_lo_pct=50 time_criterion=1 seq=4096",
     "efficiency=40 expected_lo_pct=50 time_criterion=1", "", ""},
    {WORK_SDPA_FWD, "contiguous_copies", "contiguous_copies=3 contiguous_copies_ms=2",
     "contiguous_copies=2 contiguous_copies_ms=2", "", ""},
    {WORK_SDPA_FWD, "kv_cache_overhead", "paged=1 reshape_cache_pct=10.1",
     "paged=1 reshape_cache_pct=10", "", ""},
    {WORK_SDPA_FWD, "short_sequence_attention",
     "seq=128 efficiency=12 expected_lo_pct=5",
     "seq=128 efficiency=4 expected_lo_pct=5", "", ""},
    {WORK_SDPA_FWD, "decode_heavy", "workload=decode_heavy", "workload=mixed", "", ""},
    {WORK_SDPA_FWD, "prefill_heavy", "workload=prefill_heavy", "workload=mixed", "",
     ""},
    {WORK_SDPA_FWD, "gqa_note", "gqa_ratio=4", "gqa_ratio=1", "", ""},
    {WORK_ELEMENTWISE, "elementwise_chain",
     "chain_light=1 chain_kernels=3 chain_ops=a,b chain_instances=2 time_ms=1 "
     "chain_ms=4",
     "chain_light=1 chain_kernels=2 chain_ops=a,b chain_instances=2 time_ms=1 "
     "chain_ms=4",
     "", ""},
    {WORK_ELEMENTWISE, "elementwise_chain",
     "chain_light=1 chain_kernels=3 chain_ops=a,b chain_instances=2 time_ms=1 "
     "chain_ms=5",
     "chain_light=1 chain_kernels=3 chain_ops=a,b chain_instances=2 time_ms=1 "
     "chain_ms=5.1", /* the chain is elsewhere */
     "", ""},
    {WORK_ELEMENTWISE, "non_row_major", "non_row_major=1 efficiency=59 p=1",
     "non_row_major=1 efficiency=59 p=0.9", "", ""},
    {WORK_ELEMENTWISE, "low_baseline",
     "elementwise_class=baseline time_criterion=1 efficiency=49 mean_us=20",
     "elementwise_class=baseline time_criterion=1 efficiency=49 mean_us=19", "", ""},
    {WORK_ELEMENTWISE, "very_low_elementwise",
     "efficiency=29 mean_us=20 p=1 baseline_pct=64", "efficiency=30 mean_us=20 p=1", "",
     ""},
    {WORK_ELEMENTWISE, "high_invocation_count", "same_op_count=1001 same_op_mean_us=9",
     "same_op_count=1001 same_op_mean_us=10", "", ""},
    {WORK_ELEMENTWISE, "dtype_cast_traffic", "dtype_cast=1 p=3", "dtype_cast=1 p=3",
     "cast_pct=3", "cast_pct=2.9"},
    {WORK_ELEMENTWISE, "dtype_cast_traffic", "dtype_cast=1 p=3",
     "dtype_cast=1 p=3 claimed=1", "cast_pct=3", "cast_pct=3"},
    {WORK_REDUCE, "softmax_in_attention", "reduce_class=softmax in_unfused_attention=1",
     "reduce_class=softmax", "", ""},
    {WORK_REDUCE, "loss_softmax", "name=aten::_log_softmax_backward_data p=5",
     "name=aten::_log_softmax_backward_data p=4.9", "", ""},
    {WORK_REDUCE, "loss_softmax", "name=aten::_log_softmax_backward_data p=5",
     "name=aten::_log_softmax p=50", "", ""}, /* of sampling */
    {WORK_REDUCE, "standalone_softmax", "reduce_class=softmax p=5",
     "reduce_class=softmax p=5 in_unfused_attention=1", "", ""},
    {WORK_REDUCE, "standalone_reduction", "reduce_class=sum bottleneck=1",
     "reduce_class=softmax bottleneck=1", "", ""},
    {WORK_REDUCE, "high_softmax_count", "reduce_class=softmax", "reduce_class=softmax",
     "softmax_count=100", "softmax_count=99"},
    {WORK_TRITON, "triton_low_efficiency", "efficiency=29 time_criterion=1",
     "efficiency=30 time_criterion=1", "", ""},
    {WORK_TRITON, "triton_compute_bound", "ai=101 efficiency=59 bottleneck=1",
     "ai=100 efficiency=59 bottleneck=1", "", ""},
    {WORK_TRITON, "triton_memory_bound", "ai=49 efficiency=59 bottleneck=1",
     "ai=50 efficiency=59 bottleneck=1", "", ""},
    {WORK_TRITON, "many_small_fused_kernels", "mean_us=5", "mean_us=5",
     "distinct_kernels=20 calls=500 weighted_mean_us=9.9 pc=2",
     "distinct_kernels=20 calls=499 weighted_mean_us=9.9 pc=2"},
    {WORK_MOE_FUSED, "moe_few_tokens", "tokens_per_expert=0.5", "tokens_per_expert=16",
     "", ""},
    {WORK_MOE_FUSED, "moe_unfused_stages", "moe_unfused=1", "moe_unfused=0", "", ""},
    {WORK_MOE_FUSED, "moe_memory_bound", "bound=memory bottleneck=1",
     "bound=compute bottleneck=1", "", ""},
    {WORK_MOE_FUSED, "moe_compute_bound", "bound=compute bottleneck=1 narrow_weights=1",
     "bound=compute bottleneck=0", "", ""},
    {WORK_MOE_FUSED, "moe_routing_overhead", "moe_class=routing", "moe_class=routing",
     "routing_pct=20 routing_ms=1", "routing_pct=19 routing_ms=1"},
    {WORK_NORM, "norm_below_baseline",
     "efficiency=19 baseline_pct=71 baseline_assumed=0",
     "efficiency=19 baseline_pct=71 baseline_assumed=1", "", ""},
    {WORK_NORM, "norm_low", "bottleneck=1 baseline_pct=60 baseline_assumed=0",
     "bottleneck=1 baseline_pct=71 baseline_assumed=0", "", ""},
    {WORK_NORM, "norm_activation_chain",
     "chain_next=elementwise time_ms=1 chain_ms=2 chain_saving_ms=1", "chain_next=gemm",
     "", ""},
    {WORK_BATCHNORM, "norm_low", "bottleneck=1 baseline_assumed=1 baseline_pct=70",
     "bottleneck=0", "", ""},
    {WORK_BATCHNORM, "cnn_batchnorm_share", "", "", "pc=10 convolution_pct=30",
     "pc=51 convolution_pct=30"},
    {WORK_NORM, "layernorm_to_rms", "norm_type=layer_norm", "norm_type=layer_norm",
     "layer_norm_pct=5", "layer_norm_pct=4.9"},
    /* Half a per cent of 100 ms computation is 0.5 ms. */
    {WORK_CONVOLUTION, "conv_transpose_overhead", "transpose_ms=0.5",
     "transpose_ms=0.5",
     "transpose_overhead_pct=10.1 transpose_ms=0.5 transpose_count=4",
     "transpose_overhead_pct=10.1 transpose_ms=0.5 transpose_count=0"},
    {WORK_CONVOLUTION, "conv_below_expected",
     "conv_class=large main_pct=59 expected_lo_pct=60 time_criterion=1 efficiency=70",
     "conv_class=large main_pct=60 expected_lo_pct=60 time_criterion=1 efficiency=50",
     "", ""},
    {WORK_CONVOLUTION, "depthwise_conv", "conv_class=depthwise", "conv_class=large", "",
     ""},
    {WORK_CONVOLUTION, "pointwise_conv", "conv_class=pointwise bound=memory",
     "conv_class=pointwise bound=compute", "", ""},
    {WORK_CONVOLUTION, "conv_helper_kernels", "helper_pct=10 helper_ms=1",
     "helper_pct=9 helper_ms=1", "", ""},
    {WORK_OTHER, "embedding_index", "subcategory=embedding_index bottleneck=1",
     "subcategory=embedding_index bottleneck=0", "", ""},
    {WORK_OTHER, "cat_traffic", "subcategory=cat_split p=3",
     "subcategory=cat_split p=2.9", "", ""},
    {WORK_OTHER, "cat_traffic", "subcategory=cat_split p=3",
     "subcategory=cat_split p=3 claimed=1", "", ""},
    {WORK_GEMM, "unread_logits", "M=4096 B=1 N=151936 p=1 logits_read=4 logits_ms=1",
     "M=4096 B=1 N=151936 p=1 logits_read=257 logits_ms=1", "", ""},
    {WORK_GEMM, "unread_logits", "M=64 B=1 N=151936 p=1 logits_read=4 logits_ms=1",
     "M=64 B=1 N=151936 p=1 logits_ms=1", "", ""},
    {WORK_GEMM, "fp64_kernels", "kernel=ampere_dgemm_128x64_nn time_ms=3",
     "kernel=ampere_sgemm_128x64_nn time_ms=3", "", ""},
    {WORK_OTHER, "sparse_gradients", "name=aten::_coalesce p=3",
     "name=aten::_coalesce p=2.9", "", ""},
    {WORK_OTHER, "sparse_gradients", "kernel=coalesceValuesKernel p=3",
     "kernel=indexValuesKernel p=3", "", ""},
    {WORK_OTHER, "whole_sort", "subcategory=sort_topk name=aten::sort p=5",
     "subcategory=sort_topk name=aten::topk p=5", "", ""},
    {WORK_OTHER, "dequantised_weights", "name=lib::Dequantize4bit p=3",
     "name=lib::Dequantize4bit p=2.9", "", ""},
    {WORK_OTHER, "dequantised_weights", "name=lib::Dequantize4bit p=3",
     "name=lib::matmul_4bit p=3", "", ""},
    {WORK_OTHER, "scatter_atomics", "kernel=sum_atomicAdd p=6 efficiency=30 time_ms=2",
     "kernel=sum_atomicAdd p=6 efficiency=70 time_ms=2", "", ""},
    {WORK_OTHER, "uncategorised_significant", "p=5 efficiency=30 module=Block",
     "p=4.9 efficiency=30 module=Block", "", ""},
    {WORK_OTHER, "uncategorised_significant", "p=5 efficiency=30", "p=50", "", ""},
    {WORK_OTHER, "possible_miscategorisation", "kernel_label=gemm kernel_label_pct=50",
     "kernel_label=reduce kernel_label_pct=50", "", ""},
    {WORK_OTHER, "scalar_sync", "subcategory=synchronization count=10",
     "subcategory=synchronization count=9", "", ""},
    {WORK_OTHER, "graph_ops", "subcategory=graph", "subcategory=loss", "", ""},
    {WORK_OTHER, "communication_note", "", "", "communication_count=1",
     "communication_count=0"},
    {WORK_REDUCE, "lowering_difference",
     "lowering_kernel=k lowering_pct=60 lowering_shape=s efficiency=30 p=1",
     "lowering_kernel=k lowering_pct=60 lowering_shape=s efficiency=30 p=0.9", "", ""},
    {WORK_TRITON, "general_memory", "bound=memory efficiency=30", "bound=memory", "",
     ""},
    {WORK_TRITON, "general_compute", "bound=compute efficiency=30", "bound=compute", "",
     ""},
    {WORK_OTHER, "unknown_kernel",
     "trace.unmodelled_pct=51 trace.unknown_pct=6 trace.unknown_ms=12 "
     "trace.unknown_kernel=k trace.unknown_grid=g trace.unknown_caller=c "
     "trace.unknown_command=m",
     "trace.unmodelled_pct=50 trace.unknown_pct=6 trace.unknown_ms=12 "
     "trace.unknown_kernel=k trace.unknown_grid=g trace.unknown_caller=c "
     "trace.unknown_command=m",
     "", ""},
    {WORK_OTHER, "unknown_kernel", /* without peaks, one of a quarter of compute */
     "trace.unknown_peaks=1 trace.unmodelled_pct=100 trace.unknown_pct=25 "
     "trace.unknown_ms=12 trace.unknown_kernel=k trace.unknown_grid=g "
     "trace.unknown_caller=c trace.unknown_command=m",
     "trace.unknown_peaks=1 trace.unmodelled_pct=100 trace.unknown_pct=24 "
     "trace.unknown_ms=12 trace.unknown_kernel=k trace.unknown_grid=g "
     "trace.unknown_caller=c trace.unknown_command=m",
     "", ""},
    {WORK_OTHER, "unknown_kernel", /* one that is a quarter of compute */
     "trace.unmodelled_pct=30 trace.unknown_pct=25 trace.unknown_ms=12 "
     "trace.unknown_kernel=k trace.unknown_grid=g trace.unknown_caller=c "
     "trace.unknown_command=m",
     "trace.unmodelled_pct=30 trace.unknown_pct=24 trace.unknown_ms=12 "
     "trace.unknown_kernel=k trace.unknown_grid=g trace.unknown_caller=c "
     "trace.unknown_command=m",
     "", ""},
    {WORK_OTHER, "general_unmodelled", "p=6", "bound=memory efficiency=30", "", ""},
};

static void each_pattern_knows_its_symptom(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (!hits(cases[i].c, cases[i].id, cases[i].with, cases[i].category))
            fail_msg("%s does not hit: %s %s", cases[i].id, cases[i].with,
                     cases[i].category);
        if (hits(cases[i].c, cases[i].id, cases[i].without, cases[i].category_without))
            fail_msg("%s hits: %s %s", cases[i].id, cases[i].without,
                     cases[i].category_without);
    }
}

/* The table above leaves none out; the two that have no row of their own are named. */
static void every_pattern_has_a_case(void **state)
{
    (void)state;
    struct bench b;
    bench_open(&b, WORK_GEMM);
    for (int i = 0; i < pattern_host_count(b.host); i++) {
        struct pattern_info info = pattern_host_info(b.host, i);
        struct str id = info.id;
        bool found =
            str_eq(id, S("unfused_attention")) ||
            str_eq(id, S("user.residual_scale")) ||
            str_eq(id, S("dense_embedding_gradient")) || /* optimizer_findings_test */
            str_eq(id, S("foreach_optimizer")) ||        /* the same */
            str_eq(id, S("reordered_cache")) ||          /* cache_finding_test */
            str_eq(info.category, S("cpu_idle")) ||      /* idle_findings_test */
            str_eq(info.category, S("multi_kernel")) ||  /* pattern_advice_test */
            str_eq(info.category, S("kernel_fusion"));
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
            found |= str_eq(id, str_of(cases[k].id));
        if (!found)
            fail_msg("no case for %.*s", STRF(id));
    }
    assert_int_equal(pattern_host_faults(b.host), 0);
    bench_close(&b);
}

/* A row of which nothing is known meets none but the one that says so. */
static void nothing_known_is_no_symptom(void **state)
{
    (void)state;
    for (int c = WORK_GEMM; c <= WORK_OTHER; c++) {
        struct bench b;
        int n;
        bench_open(&b, (enum work_category)c);
        struct pattern_hit *h = pattern_host_row(b.host, &b.perm, &b.a, &b.rows[0], &n);
        assert_int_equal(n, 1);
        assert_true(str_eq(h[0].id, S("general_unmodelled")));
        pattern_host_category(b.host, &b.perm, &b.a, (enum work_category)c, &n);
        assert_int_equal(n, 0);
        assert_int_equal(b.a.n_warnings, 0);
        bench_close(&b);
    }
}

static void savings_and_texts(void **state)
{
    (void)state;
    struct bench b;
    int n;
    bench_open(&b, WORK_GEMM);
    set_all(&b, WORK_GEMM, false, "B=37632 M=8 N=64 K=64 count=96 roofline_ms=0.1866");
    struct pattern_hit *h = pattern_host_row(b.host, &b.perm, &b.a, &b.rows[0], &n);
    assert_string_equal(
        str_c(&b.perm, h[0].issue),
        "96 calls compute 37632 matmuls of 8x64 by 64x64, too little work "
        "each for the device.");
    assert_non_null(strstr(str_c(&b.perm, h[0].path_b), "(0.187 ms)"));
    bench_close(&b);

    /* A quarter of the chain's time is a quarter of its saving: 1/4 of 2 ms. */
    bench_open(&b, WORK_ELEMENTWISE);
    set_all(&b, WORK_ELEMENTWISE, false,
            "chain_light=1 chain_kernels=3 chain_ops=a chain_instances=2 time_ms=1 "
            "chain_ms=4 chain_saving_ms=2");
    h = pattern_host_row(b.host, &b.perm, &b.a, &b.rows[0], &n);
    assert_true(h[0].saving_low_ms == 0.4 && h[0].saving_high_ms == 0.5);
    bench_close(&b);

    /* 60% of the peak of TF32 (4 ms) where that is advised too, to 80% of 16 bits' (2).
     */
    for (int tf32 = 0; tf32 < 2; tf32++) {
        bench_open(&b, WORK_GEMM);
        set_all(&b, WORK_GEMM, false,
                "fp32_kernel=1 mean_us=500 time_ms=20 half_ms=2 tf32_ms=4 "
                "trace.matrix_units=1");
        if (tf32)
            set_all(&b, WORK_GEMM, false, "trace.tf32_units=1");
        h = pattern_host_category(b.host, &b.perm, &b.a, WORK_GEMM, &n);
        assert_int_equal(n, 1);
        assert_true(fabs(h[0].saving_low_ms - (20 - (tf32 ? 4 : 2) / 0.6)) < 1e-9);
        assert_true(fabs(h[0].saving_high_ms - (20 - 2 / 0.8)) < 1e-9);
        bench_close(&b);
    }

    /* In fp64: half, or what fp32 leaves of arithmetic at half to 80% of its peak, or
     * the part that it reaches now. */
    static const struct {
        const char *facts;
        double low_ms, high_ms;
    } fp64[] = {
        {"kernel=dgemm name=aten::mm time_ms=20", 8, 10},
        {"kernel=dgemm name=aten::mm time_ms=20 fp32_ms=1 efficiency=88", 18, 18.75},
        {"kernel=dgemm name=aten::mm time_ms=20 fp32_ms=1 efficiency=20", 15, 15}};
    for (size_t k = 0; k < sizeof fp64 / sizeof *fp64; k++) {
        bench_open(&b, WORK_GEMM);
        set_all(&b, WORK_GEMM, false, fp64[k].facts);
        h = pattern_host_category(b.host, &b.perm, &b.a, WORK_GEMM, &n);
        assert_int_equal(n, 1);
        assert_true(fabs(h[0].saving_low_ms - fp64[k].low_ms) < 1e-9);
        assert_true(fabs(h[0].saving_high_ms - fp64[k].high_ms) < 1e-9);
        bench_close(&b);
    }
}

/* A cache that grows token by token, and tensors of like size. */
static void what_grows_is_appended_to(void **state)
{
    (void)state;
    static const struct {
        const char *facts, *title;
        double low_ms;
    } grown[] = {{"largest_part_pct=99", "Append to a preallocated tensor", 9},
                 {"largest_part_pct=50", "Write into a preallocated tensor", 5},
                 {"p=7", "Write into a preallocated tensor", 5}};
    for (size_t k = 0; k < sizeof grown / sizeof *grown; k++) {
        struct bench b;
        int n;
        bench_open(&b, WORK_OTHER);
        set_all(&b, WORK_OTHER, false,
                "subcategory=cat_split name=aten::cat p=7 time_ms=10");
        set_all(&b, WORK_OTHER, false, grown[k].facts);
        struct pattern_hit *h =
            pattern_host_category(b.host, &b.perm, &b.a, WORK_OTHER, &n);
        assert_int_equal(n, 1);
        assert_true(str_has(h[0].title, str_of(grown[k].title)));
        assert_true(fabs(h[0].saving_low_ms - grown[k].low_ms) < 1e-9);
        bench_close(&b);
    }
}

/* What is fused already is to be tuned, not fused. */
static void only_what_is_not_fused_is_fused(void **state)
{
    (void)state;
    static const struct {
        const char *facts, *title;
    } rows[] = {{"name=aten::mul", "Fuse "},
                {"name=aten::_fused_adamw_", "Tune the kernel of "},
                {"name=mylib::mul", "Tune the kernel of "}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct bench b;
        int n;
        bench_open(&b, WORK_ELEMENTWISE);
        set_all(&b, WORK_ELEMENTWISE, false, "efficiency=29 mean_us=20 p=1");
        set_all(&b, WORK_ELEMENTWISE, false, rows[k].facts);
        struct pattern_hit *h = pattern_host_row(b.host, &b.perm, &b.a, &b.rows[0], &n);
        assert_int_equal(n, 1);
        assert_true(str_starts(h[0].title, str_of(rows[k].title)));
        assert_int_equal(h[0].path_a.n > 0, k == 0);
        bench_close(&b);
    }
}

static void savings_of_few_blocks(void **state)
{
    (void)state;
    struct bench b;
    struct pattern_hit *h;
    int n;
    /* Ten of 100 SMs: a tenth of 8 ms is left at best, of memory's pace four tenths. */
    bench_open(&b, WORK_OTHER);
    set_all(&b, WORK_OTHER, false,
            "blocks=10 sms=100 units=SMs time_ms=8 kernel=k grid=g");
    h = pattern_host_category(b.host, &b.perm, &b.a, WORK_OTHER, &n);
    assert_int_equal(n, 1);
    assert_true(fabs(h[0].saving_low_ms - 4.8) < 1e-9 &&
                fabs(h[0].saving_high_ms - 7.2) < 1e-9);
    bench_close(&b);

    /* Calls of 8 us take little longer than a launch: two to four are to be one. */
    bench_open(&b, WORK_OTHER);
    set_all(&b, WORK_OTHER, false,
            "blocks=10 sms=100 units=SMs time_ms=8 count=1000 kernel=k grid=g");
    h = pattern_host_category(b.host, &b.perm, &b.a, WORK_OTHER, &n);
    assert_int_equal(n, 1);
    assert_true(h[0].saving_low_ms == 4 && h[0].saving_high_ms == 6);
    assert_string_equal(str_c(&b.perm, h[0].title),
                        "Merge or fuse the calls of k, each of at most 10 blocks");
    bench_close(&b);

    bench_open(&b, WORK_CONVOLUTION);
    set_all(&b, WORK_CONVOLUTION, false, "transpose_ms=4.215");
    set_all(&b, WORK_CONVOLUTION, true,
            "transpose_overhead_pct=41.9 transpose_ms=4.215 transpose_count=4");
    h = pattern_host_category(b.host, &b.perm, &b.a, WORK_CONVOLUTION, &n);
    assert_int_equal(n, 1);
    assert_true(h[0].n_rows == 1 && h[0].rows[0] == &b.rows[0]);
    assert_true(fabs(h[0].saving_low_ms - 3.372) < 1e-12 &&
                h[0].saving_high_ms == 4.215);
    assert_string_equal(str_c(&b.perm, h[0].issue),
                        "Layout conversions take 41.9% of convolution time (4.22 ms).");
    bench_close(&b);
}

/* A variable to be set, NCCL_DEBUG, is no prose. */
static bool prose_says(struct str text, struct str word)
{
    for (ptrdiff_t k = 0; k + word.n < text.n; k++)
        if (str_has_nocase(str_head(str_skip(text, k), word.n), word) &&
            text.p[k + word.n] != '_')
            return true;
    return false;
}

/* analysis.md 6.6: words that prose of ours must not have. Comments are prose, too. */
static void no_vendor_words_and_no_unseen_causes(void **state)
{
    (void)state;
    static const char *const words[] = {
        "CUDA",       "HIP ",     "NCCL",          "RCCL",    "cuBLAS",    "hipBLAS",
        "rocBLAS",    "CUTLASS",  "Tensile",       "cuDNN",   "MIOpen",    "nsight",
        "rocprof",    "Inductor", "bank conflict", "coalesc", "occupancy", "cache hit",
        "cache miss", "spill",    "divergence"};
    struct arena a = arena_reserve(4 << 20);
    char *start = a.at;
    for (int i = 0; i < LIBRARY_FILES; i++) {
        struct str path = str_printf(&a, "assets/patterns/%s.lua", library_names[i]);
        struct str text = library_file(&a, str_c(&a, path));
        for (size_t w = 0; w < sizeof words / sizeof *words; w++)
            if (prose_says(text, str_of(words[w])))
                fail_msg("%s says %s", library_names[i], words[w]);
    }
    arena_release(start, &a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_grows_is_appended_to),
        cmocka_unit_test(each_pattern_knows_its_symptom),
        cmocka_unit_test(every_pattern_has_a_case),
        cmocka_unit_test(nothing_known_is_no_symptom),
        cmocka_unit_test(savings_and_texts),
        cmocka_unit_test(only_what_is_not_fused_is_fused),
        cmocka_unit_test(savings_of_few_blocks),
        cmocka_unit_test(no_vendor_words_and_no_unseen_causes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
