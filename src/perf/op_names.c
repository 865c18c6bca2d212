#include "perf/op_names.h"

#include "base/name_memo.h"
#include "perf/cost.h"

/* Rows of 3.1 to 3.16 of the operator table, then names with only a category. */
/* clang-format off */
#define MODEL(key, id, category, backward_category, sheet, unit, backward, function, ...) \
    {MODEL_##key, NULL, {__VA_ARGS__}},
static const struct op_names rows[] = {
#include "perf/models.def"
    {-1, "CrossEntropy_bwd", {"CrossEntropyFunctionBackward"}},
    {-1, "SSM_bwd",
     {"DaoAILab::_causal_conv1d_bwd_cpp", "MambaSplitConv1dScanCombinedFnBackward"}},
    {-1, "SDPA_bwd",
     {"FlashAttnFuncBackward", "FusedAttnFuncBackward",
      "aten::_efficient_attention_backward",
      "aten::_scaled_dot_product_cudnn_attention_backward",
      "aten::_scaled_dot_product_efficient_attention_backward",
      "aten::_scaled_dot_product_flash_attention_backward"}},
    {-1, "RoPE_bwd", {"FusedRoPEFuncBackward"}},
    {-1, "MoE_comm_bwd",
     {"MoECombineBackward", "MoEDispatchBackward", "TokenPermuteMaskMapBackward",
      "_OperationFuserAutogradFunctionBackward"}},
    {-1, "MoE_comm_fwd",
     {"TokenPermuteMaskMap", "_OperationFuserAutogradFunction"}},
    {-1, "InferenceAttention",
     {"_C_cache_ops::concat_and_cache_mla", "_C_cache_ops::reshape_and_cache_flash",
      "aiter::get_mla_metadata_v1", "aiter::indexer_score_topk",
      "aiter::v4_attention_with_output->_swa_write_kernel (Synthetic Op)",
      "aiter::v4_attention_with_output->_update_compressor_states_kernel (Synthetic Op)",
      "aiter::v4_attention_with_output->fused_compress_attn_D128_RD64_R4_OVL_SS8_KB32_Q_ue8m0_psh_rmsbf16_pf_flydsl (Synthetic Op)",
      "aiter::v4_attention_with_output->fused_compress_attn_D512_RD64_R4_OVL_SS8_KB32_rmsbf16_pf_flydsl (Synthetic Op)",
      "aiter::v4_attention_with_output->hca_compress_forward_D512_R128_NW4_SL256_S128_flydsl (Synthetic Op)",
      "aiter::v4_attention_with_output->hca_compress_forward_D512_R128_NW8_SL128_S128_flydsl (Synthetic Op)",
      "hipModuleLaunchKernel->kv_indices_generate_kernel (Synthetic Op)"}},
    {-1, "MoE_aux",
     {"_moe_C::moe_align_block_size",
      "aiter::fused_moe_->_fused_dynamic_mxfp4_quant_moe_sort_kernel (Synthetic Op)",
      "aiter::grouped_topk", "aiter::moe_align_block_size", "aiter::moe_fused_gate",
      "aiter::moe_sorting_opus_fwd", "aiter::moe_sum", "aiter::topk_sigmoid",
      "aiter::topk_softmax", "aiter::topk_softmax_asm"}},
    {-1, "CustomCollective",
     {"aiter::allgather_lastdim<std::bfloat16_t, 2>(aiter::RankData*, aiter::RankSignals, aiter::Signal*, std::bfloat16_t*, int, int, int) (Synthetic Op)",
      "aiter::allgather_lastdim<std::bfloat16_t, 4>(aiter::RankData*, aiter::RankSignals, aiter::Signal*, std::bfloat16_t*, int, int, int) (Synthetic Op)"}},
    {-1, "FusedRoPE",
     {"aiter::unified_attention_with_output_base->_fused_qk_rope_reshape_and_cache_kernel (Synthetic Op)",
      "aiter::v4_attention_with_output->_inverse_rope_gptj_kernel (Synthetic Op)",
      "aiter::v4_attention_with_output->hca_norm_rope_scatter_D512_RD64_R128_KB1_rmsbf16_flydsl (Synthetic Op)",
      "aiter::v4_attention_with_output->qk_norm_rope_H32_D512_RD64_flydsl (Synthetic Op)",
      "aiter::v4_attention_with_output->qk_norm_rope_H64_D512_RD64_flydsl (Synthetic Op)"}},
    {-1, "SDPA_fwd", {"aten::_efficient_attention_forward"}},
    {-1, "CONV_fwd",
     {"aten::cudnn_convolution", "aten::miopen_convolution"}},
};
#undef MODEL
/* clang-format on */

enum { ROWS = sizeof rows / sizeof *rows };

enum { NOT_LISTED = UINT16_MAX };

static bool has_name(const struct op_names *row, struct str name)
{
    for (int i = 0; i < OP_NAMES_MAX && row->names[i]; i++)
        if (str_eq(name, str_of(row->names[i])))
            return true;
    return false;
}

static uint64_t find_row(struct str name)
{
    for (int i = 0; i < ROWS; i++)
        if (has_name(&rows[i], name))
            return (uint64_t)i;
    return NOT_LISTED;
}

const struct op_names *op_names_find(struct str name)
{
    static struct name_memo memo;
    uint64_t row = name_memo_ask(&memo, name, find_row);
    return row == NOT_LISTED ? NULL : &rows[row];
}
