#include "analysis/model/kernel_label.h"

#include "analysis/model/name_match.h"
#include "base/name_memo.h"
#include "base/str_pairs.h"

#include <assert.h>

/* Weights: 10 a name that only one thing has, 9 a library's prefix, 8 a word for what
 * it computes, 7 a word that often accompanies another, 6 a general mechanism. */
static const struct rule {
    enum kernel_label label;
    int weight;
    const char *parts;
} rules[] = {
    {KERNEL_COMMUNICATION, 12,
     "nccl|rccl|multimem_|cross_device_reduce|allreduce|all_reduce"},
    {KERNEL_MEMCPY, 11, "memcpy |memcpy(|copybuffer|rocclr_copy"},
    {KERNEL_MEMSET, 11, "memset |memset(|fillbuffer|rocclr_fill"},
    {KERNEL_TRITON_POINTWISE, 5, "triton_poi_"},
    {KERNEL_TRITON_REDUCTION, 5, "triton_red_"},
    {KERNEL_TRITON_PERSISTENT, 5, "triton_per_"},
    {KERNEL_CACHE_STORE, 10, "reshape_and_cache|concat_and_cache"},
    {KERNEL_ATTENTION, 10,
     "fmha|flash_attn|flash_fwd|flash_bwd|attn_fwd|attn_bwd|paged_attention|unified_"
     "attention|attention_2d|attention_3d"},
    {KERNEL_NORMALIZATION, 10, "flashinfernorm"}, /* a library's, of no attention */
    {KERNEL_ATTENTION, 9, "flash|memeffattention"},
    {KERNEL_OPTIMIZER, 9, "multi_tensor_apply|adam|sgd"},
    {KERNEL_MOE_ROUTING, 9,
     "moe_align|moe_sort|moesorting|topk_softmax|topk_sigmoid|grouped_topk|topkgating|"
     "moe_sum|moe_routing|topksoftmax|routingindices|finalizekernel"},
    /* bmm_..._dynB: a number of rows for each expert that only the device knows. */
    {KERNEL_MOE_GEMM, 9, "fmoe|fused_moe|moe_gemm|moegemm|moe_ck|_dynb_"},
    {KERNEL_MOE_GEMM, 7, "moe"},
    {KERNEL_ROTARY, 9, "rotary|rope_"},
    {KERNEL_EMBEDDING, 11, "split_embedding|splitlookup"},
    {KERNEL_EMBEDDING, 9, "embeddingbag|embedding_bag|embedding_dense"},
    {KERNEL_TRANSPOSE, 10,
     "batched_transpose|nchw2nhwc|nhwc2nchw|nchw2cnhw|cnhw2nchw|nchwtonhwc|nhwctonchw"},
    {KERNEL_NORMALIZATION, 9,
     "layer_norm|layernorm|rms_norm|rmsnorm|batch_norm|batchnorm|group_norm|groupnorm|"
     "rowwisemoments|qknorm|qk_norm"},
    {KERNEL_SOFTMAX, 9, "softmax"},
    {KERNEL_CONVOLUTION, 9,
     "igemm_fwd|igemm_bwd|igemm_wrw|winograd|conv2d|conv3d|conv1d|convolution|conv_"
     "depthwise|fprop|dgrad|wgrad|grouped_conv|miopensp3asmconv"},
    {KERNEL_CONVOLUTION, 8, "cudnn|convol"},
    {KERNEL_QUANTIZATION, 8, "quant"},
    {KERNEL_GEMM, 9, "cijk_|wvsplitk|splitkreduce|nvjet|cublas|xmma_gemm"},
    {KERNEL_GEMM, 8, "gemm|matmul|bmm"},
    {KERNEL_TRANSPOSE, 7, "transpose"},
    {KERNEL_REDUCE, 7, "reduce_kernel|devicereduce"},
    {KERNEL_CONVOLUTION, 6, "conv"},
    {KERNEL_GEMM, 6, "cutlass|xmma"},
    {KERNEL_ELEMENTWISE, 7, "elementwise|copy_kernel|catarray|masked_fill"},
    {KERNEL_ELEMENTWISE, 6, "index|gather|scatter|fill|silu|gelu|dropout|act_and_mul"},
};

/* Launch parameters and template arguments say less than the text before them; yet
 * "vectorized_elementwise_kernel<4, CUDAFunctor_add..." must not be misread. */
static bool has_part(const struct str_pairs *name, const char *parts)
{
    for (struct str rest = str_of(parts); rest.n > 0;)
        if (str_pairs_has(name, str_take(&rest, S("|"))))
            return true;
    return false;
}

static uint16_t find_label(struct str name)
{
    struct str_pairs pairs = str_pairs_of(name);
    enum kernel_label best = KERNEL_UNKNOWN;
    int weight = 0;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].weight > weight && has_part(&pairs, rules[i].parts)) {
            best = rules[i].label;
            weight = rules[i].weight;
        }
    return (uint8_t)(weight < 5 ? KERNEL_UNKNOWN : best);
}

enum kernel_label kernel_label_of(struct str name)
{
    static _Thread_local struct name_memo memo;
    return (enum kernel_label)name_memo_ask(&memo, name, find_label);
}

struct str kernel_label_word(enum kernel_label l)
{
    static const struct str words[KERNEL_LABELS] = {
#define X(id, word) S_INIT(word),
        KERNEL_LABELS_LIST(X)
#undef X
    };
    assert(l < KERNEL_LABELS);
    return words[l];
}

bool kernel_label_is_matrix(enum kernel_label l)
{
    return l == KERNEL_GEMM || l == KERNEL_MOE_GEMM;
}

bool kernel_label_is_light(enum kernel_label l)
{
    return l == KERNEL_ELEMENTWISE || l == KERNEL_TRANSPOSE || l == KERNEL_MEMCPY ||
           l == KERNEL_MEMSET || l == KERNEL_TRITON_POINTWISE;
}

enum work_category kernel_label_category(struct str kernel)
{
    switch (kernel_label_of(kernel)) {
    case KERNEL_TRITON_POINTWISE:
    case KERNEL_TRITON_REDUCTION:
    case KERNEL_TRITON_PERSISTENT:
        return WORK_TRITON;
    case KERNEL_GEMM:
        return WORK_GEMM;
    case KERNEL_ATTENTION:
        return name_has(kernel, "backward|bwd") ? WORK_SDPA_BWD : WORK_SDPA_FWD;
    case KERNEL_CACHE_STORE:
        return WORK_SDPA_FWD;
    case KERNEL_MOE_GEMM:
    case KERNEL_MOE_ROUTING:
        return WORK_MOE_FUSED;
    case KERNEL_CONVOLUTION:
        return WORK_CONVOLUTION;
    case KERNEL_NORMALIZATION:
        return name_has(kernel, "batch_norm|batchnorm") ? WORK_BATCHNORM : WORK_NORM;
    case KERNEL_SOFTMAX:
    case KERNEL_REDUCE:
        return WORK_REDUCE;
    case KERNEL_ELEMENTWISE:
    case KERNEL_TRANSPOSE:
    case KERNEL_MEMCPY:
    case KERNEL_MEMSET:
        return WORK_ELEMENTWISE;
    case KERNEL_COMMUNICATION:
        return WORK_COMMUNICATION;
    case KERNEL_EMBEDDING:
    case KERNEL_OPTIMIZER:
    case KERNEL_ROTARY:
    case KERNEL_QUANTIZATION:
        return WORK_OTHER;
    default:
        return name_begins(kernel, "triton") ? WORK_TRITON : WORK_CATEGORIES;
    }
}
