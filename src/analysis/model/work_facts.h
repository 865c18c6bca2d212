/* work_facts.h - every named quantity of a row that patterns and reports may read.
 *
 * The rows' own fields (time, shares, efficiency, count) are in struct work_row;
 * quantities that only one kind of operator has are facts. A fact that does not apply
 * is absent and reads as NaN or the empty text. Yes and no are 1 and 0. Keys end in
 * their unit: _ms, _us, _pct (0 to 100); dimensions are elements; dims, tiles and
 * counts have no unit.
 *
 * The lists below are complete: work_row_fact_kind() and work_category_fact_kind() know
 * no others. */
#ifndef ANALYSIS_MODEL_WORK_FACTS_H
#define ANALYSIS_MODEL_WORK_FACTS_H

#include "analysis/model/finding.h"

#include <math.h>

/* Facts of a row: X(key, kind, meaning). */
#define WORK_ROW_FACTS_COMMON(X)                                                       \
    X(shape, TEXT, "shapes of the tensors, \"(96,3137,64)x(96,64,3137)\"")             \
    X(dtype, TEXT, "type of the first tensor: fp32, fp16, bf16, fp8, fp4, int8 ...")   \
    X(kernel, TEXT, "name of its longest kernel, by mean")                             \
    X(kernel_short, TEXT, "the same without arguments, at most 75 bytes")              \
    X(module, TEXT, "innermost module class; absent without Python frames")            \
    X(roofline_ms, NUMBER, "least time on this device for all invocations")            \
    X(streaming_ms, NUMBER,                                                            \
      "softmax without a model: least time to read and write it once")                 \
    X(time_criterion, NUMBER, "1: its operator and bound hold enough time to matter")  \
    X(bottleneck, NUMBER, "1: that, and they are below the expected efficiency")       \
    X(expected_lo_pct, NUMBER, "efficiency expected of its kind, lower bound")         \
    X(expected_hi_pct, NUMBER, "upper bound")                                          \
    X(compute_units, NUMBER, "of the device; absent when not known")                   \
    X(same_op_count, NUMBER, "invocations of this operator over all rows")             \
    X(same_op_mean_us, NUMBER, "mean time of one of them")                             \
    X(same_op_pct, NUMBER, "share of compute of them all")                             \
    X(in_unfused_attention, NUMBER, "1: member of an unfused attention block")         \
    X(replayed, NUMBER,                                                                \
      "1: a GPU graph launched it, so its operator and shapes are not known")          \
    X(memcpy_only, NUMBER, "1: all its device work is copies from or to the host")     \
    X(transpose_ms, NUMBER, "layout conversion kernels inside the row")                \
    X(transpose_count, NUMBER, "launches of them")                                     \
    X(transpose_pct, NUMBER, "share of the row's kernel time")                         \
    X(kernel_label, TEXT,                                                              \
      "label with the largest share: gemm, attention, convolution, norm ...")          \
    X(kernel_label_pct, NUMBER, "that share")                                          \
    X(lowering_kernel, TEXT, "faster kernel that serves the same operator elsewhere")  \
    X(lowering_pct, NUMBER, "its efficiency there")                                    \
    X(lowering_shape, TEXT, "the shape it serves")                                     \
    X(chain_ops, TEXT,                                                                 \
      "kernels of the fusion candidate it belongs to: \"pow, mean, mul\"")             \
    X(chain_kernels, NUMBER, "kernels of one instance")                                \
    X(chain_instances, NUMBER, "instances in the trace")                               \
    X(chain_ms, NUMBER, "time of all of them")                                         \
    X(chain_saving_ms, NUMBER, "what one fused kernel would save; absent if unknown")  \
    X(chain_pattern, TEXT, "what the candidate looks like: \"Unfused RMSNorm\" ...")   \
    X(chain_module, TEXT, "module or function it runs in")                             \
    X(chain_slowest, TEXT, "its longest kernel, by operator")                          \
    X(chain_light, NUMBER, "1: only element-wise, reduce and norm kernels in it")      \
    X(chain_next, TEXT, "label of the kernel after this row's, in the candidate")

#define WORK_ROW_FACTS_GEMM(X)                                                         \
    X(B, NUMBER, "independent products")                                               \
    X(M, NUMBER, "rows of the result")                                                 \
    X(N, NUMBER, "columns of the result")                                              \
    X(K, NUMBER, "length of the reduction")                                            \
    X(quantized, NUMBER, "1: operands of 8 bits or fewer")                             \
    X(gemm_type, TEXT, "regular, quantized")                                           \
    X(tile_m, NUMBER, "macro tile along N of the framework (column-major library)")    \
    X(tile_n, NUMBER, "macro tile along M of the framework")                           \
    X(tile_depth, NUMBER, "its depth along K")                                         \
    X(tiles, NUMBER, "output tiles, all products")                                     \
    X(tile_eff, NUMBER, "useful part of the tiles, 0 to 1")                            \
    X(wave_eff, NUMBER, "useful part of the last wave, 0 to 1; needs compute_units")   \
    X(dim_eff, NUMBER, "product of both")                                              \
    X(split_k, NUMBER, "1: the kernel's name says that the reduction is split")        \
    X(transposes, TEXT,                                                                \
      "operands read transposed, by the kernel's name: \"A\", \"AB\"")                 \
    X(layout_copy_ms, NUMBER, "transpose and copy kernels inside the row")             \
    X(layout_copy_pct, NUMBER, "share of the row's kernel time")

#define WORK_ROW_FACTS_ATTENTION(X)                                                    \
    X(flash, NUMBER, "1: fused implementation, by the operator's name")                \
    X(paged, NUMBER, "1: reads a paged key-value cache")                               \
    X(attention_type, TEXT, "paged, flash, standard")                                  \
    X(direction, TEXT, "fwd, bwd")                                                     \
    X(batch, NUMBER, "sequences")                                                      \
    X(n_q, NUMBER, "query length")                                                     \
    X(n_kv, NUMBER, "key length")                                                      \
    X(h_q, NUMBER, "query heads")                                                      \
    X(h_kv, NUMBER, "key heads")                                                       \
    X(d_qk, NUMBER, "head size of queries and keys")                                   \
    X(d_v, NUMBER, "head size of values")                                              \
    X(causal, NUMBER, "1: half of the products")                                       \
    X(seq, NUMBER, "the longer of n_q and n_kv")                                       \
    X(decode, NUMBER, "1: n_q <= 16 < n_kv, judged against bandwidth")                 \
    X(gqa_ratio, NUMBER, "h_q div h_kv")                                               \
    X(attention_pattern, TEXT, "MHA, GQA")                                             \
    X(ctx_tokens, NUMBER, "prefill tokens of the call")                                \
    X(gen_tokens, NUMBER, "decode tokens of the call")                                 \
    X(ctx_ratio, NUMBER, "prefill part of both, 0 to 1")                               \
    X(workload, TEXT, "prefill_heavy, decode_heavy, mixed")                            \
    X(reshape_cache_pct, NUMBER, "share of kernels that store the cache")              \
    X(paged_attention_pct, NUMBER, "share of paged attention kernels")                 \
    X(fwd_kernel_pct, NUMBER, "share of other attention kernels")                      \
    X(other_kernel_pct, NUMBER, "share of the rest")                                   \
    X(contiguous_copies, NUMBER, "copies of Q, K, V or their shapes beside one call")  \
    X(contiguous_copies_ms, NUMBER, "their time, all invocations")

#define WORK_ROW_FACTS_ELEMENTWISE(X)                                                  \
    X(elementwise_class, TEXT,                                                         \
      "baseline, arithmetic, activation, cast, math, mask, other")                     \
    X(non_row_major, NUMBER, "1: a full-shape operand is not row-major contiguous")    \
    X(transposed_operands, TEXT, "which: \"operand 2\", \"operands 1 and 2\"")         \
    X(beside_attention, NUMBER, "1: a copy that prepares the operands of attention")   \
    X(dtype_cast, NUMBER, "1: copy between different types")                           \
    X(baseline_pct, NUMBER, "in-trace baseline, % of peak bandwidth (norm rows too)")  \
    X(baseline_assumed, NUMBER, "1: no row qualifies, 70 % assumed (norm rows too)")

#define WORK_ROW_FACTS_REDUCE(X)                                                       \
    X(reduce_class, TEXT, "softmax, sum, mean, max, min, other")

#define WORK_ROW_FACTS_TRITON(X)                                                       \
    X(triton_class, TEXT, "pointwise, reduction, persistent, template, other")         \
    X(triton_ops, TEXT, "operator list in the kernel's name")

#define WORK_ROW_FACTS_MOE(X)                                                          \
    X(moe_class, TEXT, "routing, expert, fused")                                       \
    X(tokens, NUMBER, "tokens of a call")                                              \
    X(experts, NUMBER, "experts on this device")                                       \
    X(topk, NUMBER, "experts of a token")                                              \
    X(tokens_per_expert, NUMBER, "tokens topk / experts")                              \
    X(narrow_weights, NUMBER, "1: weights of 4 bits")                                  \
    X(moe_unfused, NUMBER,                                                             \
      "1: base category MoE_unfused, or two expert products in a row")

#define WORK_ROW_FACTS_NORM(X)                                                         \
    X(norm_type, TEXT,                                                                 \
      "batch_norm, layer_norm, group_norm, instance_norm, rms_norm, other_norm")       \
    X(fallback_model, NUMBER, "1: bytes from shapes, the report has no model for it")

#define WORK_ROW_FACTS_CONV(X)                                                         \
    X(conv_class, TEXT, "transposed, depthwise, pointwise, large, standard")           \
    X(conv_rank, NUMBER, "1, 2 or 3 spatial dimensions")                               \
    X(dilated, NUMBER, "1: dilation above 1")                                          \
    X(asymmetric, NUMBER, "1: filter sides differ")                                    \
    X(groups, NUMBER, "")                                                              \
    X(input_shape, TEXT, "(32, 3, 224, 224)")                                          \
    X(filter_shape, TEXT, "(64, 3, 7, 7)")                                             \
    X(main_ms, NUMBER, "kernels that are neither conversion nor helper")               \
    X(main_pct, NUMBER, "efficiency of the row without its conversions")               \
    X(helper_ms, NUMBER, "fill and cast kernels")                                      \
    X(helper_pct, NUMBER, "share of the row's kernel time")

#define WORK_ROW_FACTS_OTHER(X)                                                        \
    X(subcategory, TEXT,                                                               \
      "communication, graph, memory, synchronization, embedding_index, cat_split, "    \
      "sort_topk, optimizer, sampling, loss, pooling, miscellaneous")

#define WORK_ROW_FACTS_LIST(X)                                                         \
    WORK_ROW_FACTS_COMMON(X)                                                           \
    WORK_ROW_FACTS_GEMM(X)                                                             \
    WORK_ROW_FACTS_ATTENTION(X)                                                        \
    WORK_ROW_FACTS_ELEMENTWISE(X)                                                      \
    WORK_ROW_FACTS_REDUCE(X)                                                           \
    WORK_ROW_FACTS_TRITON(X)                                                           \
    WORK_ROW_FACTS_MOE(X)                                                              \
    WORK_ROW_FACTS_NORM(X)                                                             \
    WORK_ROW_FACTS_CONV(X)                                                             \
    WORK_ROW_FACTS_OTHER(X)

/* Facts of a category (category_result.facts): the category_specific of its metrics. */
#define WORK_CATEGORY_FACTS_LIST(X)                                                    \
    X(missing_perf_model_count, NUMBER, "rows without a model")                        \
    X(anomaly_count, NUMBER, "rows above 110 % of peak")                               \
    X(high_variance_count, NUMBER, "rows whose timings vary strongly")                 \
    X(peak_maf_tflops, NUMBER, "matrix_bf16 peak of the device")                       \
    X(peak_hbm_bw_tbs, NUMBER, "its memory bandwidth")                                 \
    X(quantized_count, NUMBER, "gemm: rows")                                           \
    X(flash_attention_count, NUMBER, "sdpa: rows")                                     \
    X(paged_attention_count, NUMBER, "sdpa: rows")                                     \
    X(flash_attention_detected, NUMBER, "sdpa: 1 or 0")                                \
    X(paged_attention_detected, NUMBER, "sdpa: 1 or 0")                                \
    X(has_perf_model_count, NUMBER, "sdpa: rows with a model")                         \
    X(reshape_cache_pct, NUMBER, "sdpa: mean share over rows, as are the next three")  \
    X(paged_attention_pct, NUMBER, "")                                                 \
    X(fwd_kernel_pct, NUMBER, "")                                                      \
    X(other_kernel_pct, NUMBER, "")                                                    \
    X(ctx_tokens, NUMBER, "sdpa: over all calls")                                      \
    X(gen_tokens, NUMBER, "sdpa: over all calls")                                      \
    X(ctx_ratio, NUMBER, "sdpa: prefill part of both, 0 to 1")                         \
    X(workload, TEXT, "sdpa: prefill_heavy, decode_heavy, mixed")                      \
    X(unfused_blocks, NUMBER, "gemm, reduce, sdpa: unfused attention blocks found")    \
    X(baseline_tbs_simple, NUMBER, "elementwise: plain mean of the baseline rows")     \
    X(baseline_tbs, NUMBER,                                                            \
      "elementwise: weighted by time, launch-sized rows left out")                     \
    X(baseline_pct, NUMBER, "elementwise, norms: the same as % of peak bandwidth")     \
    X(baseline_assumed, NUMBER, "elementwise, norms: 1: none qualifies, 70 % assumed") \
    X(cast_pct, NUMBER, "elementwise: copies between types, share of compute")         \
    X(softmax_count, NUMBER, "reduce: invocations")                                    \
    X(pointwise_count, NUMBER, "triton: rows, as are the next four")                   \
    X(reduction_count, NUMBER, "")                                                     \
    X(persistent_count, NUMBER, "")                                                    \
    X(template_count, NUMBER, "")                                                      \
    X(other_count, NUMBER, "")                                                         \
    X(compute_bound_count, NUMBER, "triton: rows above 100 FLOP/byte")                 \
    X(memory_bound_count, NUMBER, "triton: rows below 50 FLOP/byte")                   \
    X(distinct_kernels, NUMBER, "triton: kernel names")                                \
    X(weighted_mean_us, NUMBER, "triton: kernel time, weighted by time")               \
    X(routing_ms, NUMBER, "moe: time of routing rows")                                 \
    X(routing_pct, NUMBER, "moe: share of the category")                               \
    X(expert_ms, NUMBER, "moe")                                                        \
    X(fused_ms, NUMBER, "moe")                                                         \
    X(batch_norm_pct, NUMBER, "norms: share of compute, as are the next five")         \
    X(layer_norm_pct, NUMBER, "")                                                      \
    X(group_norm_pct, NUMBER, "")                                                      \
    X(instance_norm_pct, NUMBER, "")                                                   \
    X(rms_norm_pct, NUMBER, "")                                                        \
    X(other_norm_pct, NUMBER, "")                                                      \
    X(convolution_pct, NUMBER, "norms: share of compute of convolutions")              \
    X(transpose_overhead_pct, NUMBER, "convolution: share of its kernel time")         \
    X(transpose_ms, NUMBER, "convolution")                                             \
    X(transpose_count, NUMBER, "convolution: launches")                                \
    X(helper_ms, NUMBER, "convolution: fill and cast kernels")                         \
    X(communication_count, NUMBER, "other: rows, as are all _count below")             \
    X(communication_ms, NUMBER, "")                                                    \
    X(communication_ops, TEXT, "other: names of skipped communication rows")           \
    COUNT_AND_MS(X, graph)                                                             \
    COUNT_AND_MS(X, memory)                                                            \
    COUNT_AND_MS(X, synchronization)                                                   \
    COUNT_AND_MS(X, embedding_index)                                                   \
    COUNT_AND_MS(X, cat_split)                                                         \
    X(cat_split_pct, NUMBER, "other: share of compute")                                \
    COUNT_AND_MS(X, sort_topk)                                                         \
    COUNT_AND_MS(X, optimizer)                                                         \
    COUNT_AND_MS(X, sampling)                                                          \
    COUNT_AND_MS(X, loss)                                                              \
    COUNT_AND_MS(X, pooling)                                                           \
    COUNT_AND_MS(X, miscellaneous)

#define COUNT_AND_MS(X, kind) X(kind##_count, NUMBER, "") X(kind##_ms, NUMBER, "")

enum fact_kind { FACT_NONE, FACT_NUMBER, FACT_TEXT };

/* The type of a key of a row, or of a category; FACT_NONE: no such key. */
enum fact_kind work_row_fact_kind(struct str key);
enum fact_kind work_category_fact_kind(struct str key);

/* A fact by key: NaN or the empty text if absent. */
double work_number(const struct work_row *r, const char *key);
struct str work_text(const struct work_row *r, const char *key);

/* The same of a category. */
double work_category_number(const struct category_result *c, const char *key);

/* Set or replace facts of a row or of a category. Texts are lent; NaN and the empty
 * text set nothing.
 *
 *     work_set(perm, r, FACT("tile_m", t.m), FACT("gemm_type", S("regular"))) */
#define work_set(perm, to, ...)                                                        \
    _Generic((to), struct work_row *                                                   \
             : work_row_set, struct category_result *                                  \
             : work_category_set)(                                                     \
        (perm), (to), (const struct work_fact[]){__VA_ARGS__},                         \
        (int)(sizeof((const struct work_fact[]){__VA_ARGS__}) /                        \
              sizeof(struct work_fact)))

#define FACT(key, value)                                                               \
    _Generic((value), struct str                                                       \
             : work_fact_text, default                                                 \
             : work_fact_number)(key, value)

static inline struct work_fact work_fact_number(const char *key, double number)
{
    return (struct work_fact){key, number, S("")};
}

static inline struct work_fact work_fact_text(const char *key, struct str text)
{
    return (struct work_fact){key, (double)NAN, text};
}

void work_row_set(struct arena *perm, struct work_row *r, const struct work_fact *facts,
                  int n);
void work_category_set(struct arena *perm, struct category_result *c,
                       const struct work_fact *facts, int n);

#endif
