#include "kernel_name.h"

#include <stdio.h>

#define ANON "(anonymous namespace)"

const char kernel_rms_norm[] =
    "void at::native::" ANON
    "::vectorized_layer_norm_kernel<c10::BFloat16, float, true>"
    "(int, float, c10::BFloat16 const*, c10::BFloat16 const*, c10::BFloat16 const*, "
    "float*, "
    "float*, c10::BFloat16*)";
const char kernel_softmax[] =
    "void at::native::" ANON
    "::cunn_SoftMaxForward<8, c10::BFloat16, float, c10::BFloat16, "
    "at::native::" ANON
    "::SoftMaxForwardEpilogue>(c10::BFloat16*, c10::BFloat16 const*, int)";
const char kernel_log_softmax[] =
    "void at::native::" ANON
    "::cunn_SoftMaxForward<8, c10::BFloat16, float, c10::BFloat16, "
    "at::native::" ANON
    "::LogSoftMaxForwardEpilogue>(c10::BFloat16*, c10::BFloat16 const*, "
    "int)";
const char kernel_log_softmax_backward[] =
    "void at::native::" ANON
    "::cunn_SoftMaxBackward<8, c10::BFloat16, float, c10::BFloat16, "
    "at::native::" ANON
    "::LogSoftMaxBackwardEpilogue>(c10::BFloat16*, c10::BFloat16 const*, "
    "c10::BFloat16 const*, int)";
const char kernel_nll[] =
    "void at::native::" ANON
    "::nll_loss_forward_reduce_cuda_kernel_2d<c10::BFloat16, float, "
    "long>(c10::BFloat16*, c10::BFloat16*, c10::BFloat16 const*, long const*, "
    "c10::BFloat16 "
    "const*, bool, long, long, long, long)";
const char kernel_nll_backward[] =
    "void at::native::" ANON
    "::nll_loss_backward_reduce_cuda_kernel_2d<c10::BFloat16, long>"
    "(c10::BFloat16*, c10::BFloat16 const*, long const*, c10::BFloat16 const*, "
    "c10::BFloat16 "
    "const*, bool, int, int, long, long)";
const char kernel_mean[] =
    "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
    "at::native::MeanOps<"
    "float, float, float, float>, unsigned int, float, 4, 4> "
    ">(at::native::ReduceOp<float, "
    "at::native::MeanOps<float, float, float, float>, unsigned int, float, 4, 4>)";
const char kernel_argmax[] =
    "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<c10::BFloat16, "
    "at::native::ArgMaxOps<float>, unsigned int, long, 4, 4> >(at::native::ReduceOp<"
    "c10::BFloat16, at::native::ArgMaxOps<float>, unsigned int, long, 4, 4>)";
const char kernel_cat[] =
    "void at::native::" ANON "::CatArrayBatchedCopy<at::native::" ANON
    "::OpaqueType<2u>, "
    "unsigned int, 4, 64, 64>(at::native::" ANON "::OpaqueType<2u>*, at::native::" ANON
    "::CatArrInputTensorMetadata<at::native::" ANON
    "::OpaqueType<2u>, unsigned int, 64, "
    "64>, at::native::" ANON "::TensorSizeStride<unsigned int, 4u>, int, unsigned int)";
const char kernel_index_select[] =
    "void at::native::" ANON
    "::indexSelectLargeIndex<c10::BFloat16, long, unsigned int, 2, "
    "2, -2, true>(at::cuda::detail::TensorInfo<c10::BFloat16, unsigned int>, "
    "at::cuda::detail::TensorInfo<c10::BFloat16 const, unsigned int>, "
    "at::cuda::detail::TensorInfo<long const, unsigned int>, int, int, unsigned int, "
    "unsigned int, long)";
const char kernel_bn_statistics[] =
    "void at::native::batch_norm_collect_statistics_kernel<at::native::Var, "
    "c10::BFloat16, "
    "c10::BFloat16, float, int>(at::GenericPackedTensorAccessor<c10::BFloat16 const, "
    "3ul, "
    "at::RestrictPtrTraits, int>, float, float, at::GenericPackedTensorAccessor<float, "
    "1ul, "
    "at::RestrictPtrTraits, int>, at::GenericPackedTensorAccessor<float, 1ul, "
    "at::RestrictPtrTraits, int>)";
const char kernel_bn_update[] =
    "void at::native::" ANON
    "::unrolled_elementwise_kernel_for_multi_outputs<3, at::native::" ANON
    "::batch_norm_update_stats_and_invert(at::Tensor const&, at::Tensor const&, "
    "at::Tensor const&, at::Tensor const&, double, double, "
    "long)::{lambda()#1}::operator()() "
    "const::{lambda()#4}::operator()() const::{lambda(float, float, c10::BFloat16, "
    "c10::BFloat16)#1}, std::array<char*, 7ul> >(int)";
const char kernel_bn_transform[] =
    "void at::native::batch_norm_transform_input_kernel<c10::BFloat16, c10::BFloat16, "
    "float, "
    "true, int>(at::GenericPackedTensorAccessor<c10::BFloat16 const, 3ul, "
    "at::RestrictPtrTraits, int>, at::GenericPackedTensorAccessor<c10::BFloat16, 3ul, "
    "at::RestrictPtrTraits, int>)";
const char kernel_bn_backward[] =
    "void at::native::batch_norm_backward_kernel<c10::BFloat16, c10::BFloat16, float, "
    "int>("
    "at::GenericPackedTensorAccessor<c10::BFloat16 const, 3ul, at::DefaultPtrTraits, "
    "int>, "
    "at::GenericPackedTensorAccessor<c10::BFloat16 const, 3ul, at::DefaultPtrTraits, "
    "int>, "
    "at::GenericPackedTensorAccessor<c10::BFloat16, 3ul, at::DefaultPtrTraits, int>)";
const char kernel_max_pool[] =
    "void at::native::" ANON
    "::max_pool_forward_nchw<c10::BFloat16, int>(int, c10::BFloat16 "
    "const*, long, long, long, int, int, int, int, int, int, int, int, int, int, "
    "c10::BFloat16*, long*)";
const char kernel_max_pool_backward[] =
    "void at::native::" ANON
    "::max_pool_backward_nchw<c10::BFloat16, float>(c10::BFloat16 "
    "const*, long const*, int, long, long, long, int, int, int, int, int, int, int, "
    "int, int, "
    "int, c10::BFloat16*)";
const char kernel_multi_tensor[] =
    "void at::native::" ANON "::multi_tensor_apply_kernel<at::native::" ANON
    "::TensorListMetadata<2>, at::native::" ANON
    "::BinaryOpListAlphaFunctor<c10::BFloat16, "
    "2, 2, 0>, std::plus<float>, float>(at::native::" ANON "::TensorListMetadata<2>, "
    "at::native::" ANON
    "::BinaryOpListAlphaFunctor<c10::BFloat16, 2, 2, 0>, std::plus<float>, "
    "float)";
const char kernel_topk[] = "void vllm::moe::topkGatingSoftmax<4, 128, 4, 16, "
                           "int>(float const*, bool const*, float*, "
                           "int, int*, int*, int, int, int)";

const char *kernel_gemm(char buf[KERNEL_NAME], bool hip, int64_t m, int64_t n,
                        bool b_transposed, int64_t *blocks)
{
    /* The vendor library is column-major: its first tile size runs along n. */
    int tile_n = n >= 2048 ? 256 : n >= 128 ? 128 : n >= 64 ? 64 : 16;
    int tile_m = m >= 2048 ? 256 : m >= 128 ? 128 : m >= 64 ? 64 : 16;
    *blocks = (n + tile_n - 1) / tile_n * ((m + tile_m - 1) / tile_m);
    if (hip)
        snprintf(
            buf, KERNEL_NAME,
            "Cijk_%s_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT%dx%dx64_MI16x16x1_SN_LDSB1_"
            "AFC1_AFEM1_AFEM1_ASEM1_CLR1_CADS0_DTVA0_DTVB0_EPS0_FDSI0_GRPM1_GRVWA8_"
            "GRVWB8_GSUAMB_GLS0_ISA942_IU1_K1_LBSPPA1024_LBSPPB512_LPA16_LPB16_LRVW8_"
            "LWPMn1_MIAV0_MIWT8_4_MO40_PGR2_PLR1_SIA3_SS1_SU32_SUM0_SUS256_TLDS1_VWA8_"
            "VWB4_WSGRA0_WSGRB0_WS64_WG32_8_1",
            b_transposed ? "Alik" : "Ailk", tile_n, tile_m);
    else
        snprintf(buf, KERNEL_NAME, "nvjet_hsh_%dx%d_64x4_2x1_v_bz_coopA_%s", tile_n,
                 tile_m, b_transposed ? "TNN" : "NNN");
    return buf;
}

const char *kernel_gemm_fp32(char buf[KERNEL_NAME], bool hip, bool b_transposed)
{
    if (hip)
        snprintf(buf, KERNEL_NAME,
                 "Cijk_%s_Bljk_S_B_Bias_HA_S_SAV_UserArgs_MT128x128x16_MI16x16x4_SN_"
                 "LDSB0_AFC1_AFEM1_AFEM1_ASEM1_CLR1_CADS0_GRVWA4_GRVWB4_GSUAMB_ISA942_"
                 "IU1_K1_LRVW4_MIAV0_MIWT4_4_PGR2_PLR1_WS64_WG32_8_1",
                 b_transposed ? "Alik" : "Ailk");
    else
        snprintf(buf, KERNEL_NAME,
                 "sm80_xmma_gemm_f32f32_f32f32_f32_%s_n_tilesize128x128x8_stage3_"
                 "warpsize2x2x1_ffma_aligna4_alignc4_execute_kernel__5x_cublas",
                 b_transposed ? "tn" : "nn");
    return buf;
}

const char *kernel_gemm_align1(char buf[KERNEL_NAME], bool b_transposed)
{
    const char *t = b_transposed ? "tn" : "nn";
    snprintf(buf, KERNEL_NAME,
             "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_bf16_128x128_"
             "32x5_%s_align1>(cutlass_80_tensorop_bf16_s16816gemm_bf16_128x128_32x5_%s_"
             "align1::Params)",
             t, t);
    return buf;
}

#define BF "c10::BFloat16"
#define LAMBDA                                                                         \
    "{lambda()#2}::operator()() const::{lambda()#9}::operator()() const::{lambda(" BF  \
    ")#1}"

static const char *const functors[POINT_KINDS] = {
    [POINT_ADD] = "at::native::CUDAFunctor_add<" BF ">",
    [POINT_MUL] = "at::native::BinaryFunctor<" BF ", " BF ", " BF
                  ", at::native::binary_internal::MulFunctor<float> >",
    [POINT_SIGMOID] =
        "at::native::sigmoid_kernel_cuda(at::TensorIteratorBase&)::" LAMBDA,
    [POINT_NEG] = "at::native::neg_kernel_cuda(at::TensorIteratorBase&)::" LAMBDA,
    [POINT_COPY] =
        "at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::" LAMBDA,
    [POINT_CLAMP] =
        "at::native::" ANON "::launch_clamp_scalar(at::TensorIteratorBase&, "
        "c10::Scalar, c10::Scalar, at::native::detail::ClampLimits)::" LAMBDA,
    [POINT_THRESHOLD] =
        "at::native::BinaryFunctor<" BF ", " BF ", " BF ", at::native::" ANON
        "::threshold_kernel_impl<" BF ">(at::TensorIteratorBase&, " BF ", " BF
        ")::{lambda(" BF ", " BF ")#1}>",
    [POINT_FILL] = "at::native::FillFunctor<" BF ">",
    [POINT_ADD_LONG] = "at::native::CUDAFunctorOnSelf_add<long>",
};

const char *kernel_pointwise(char buf[KERNEL_NAME], bool hip, enum pointwise kind,
                             int tensors)
{
    const char *f = functors[kind];
    snprintf(buf, KERNEL_NAME,
             "void at::native::vectorized_elementwise_kernel<%d, %s, std::array<char*, "
             "%dul> "
             ">(int, %s, std::array<char*, %dul>)",
             hip ? 8 : 4, f, tensors, f, tensors);
    return buf;
}

const char *kernel_attention(bool hip, int64_t head_dim)
{
    if (hip)
        return "attn_fwd";
    return head_dim == 64
               ? "void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, "
                 "128, 128, "
                 "4, false, false, cutlass::bfloat16_t>, false, true, false, false, "
                 "true, "
                 "true, false, false>(pytorch_flash::Flash_fwd_params)"
               : "void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<128, "
                 "128, 64, "
                 "4, false, false, cutlass::bfloat16_t>, false, true, false, false, "
                 "true, "
                 "true, false, false>(pytorch_flash::Flash_fwd_params)";
}

const char *kernel_convolution(bool hip, char pass, int64_t out_channels)
{
    bool wide = out_channels >= 256;
    if (hip && pass == 'f')
        return wide ? "igemm_fwd_gtcx3_nchw_bf16_bx0_ex1_bt128x128x32_wt32x32x8_ws1x1_"
                      "wr2x2_"
                      "ta1x8x2x1_1x4x1x64_tb1x8x2x1_1x4x1x64_gkgs"
                    : "igemm_fwd_gtcx3_nchw_bf16_bx0_ex1_bt64x128x32_wt32x32x8_ws1x1_"
                      "wr2x1_"
                      "ta1x8x1x1_1x4x1x64_tb1x8x2x1_1x4x1x64_gkgs";
    if (hip && pass == 'b')
        return "igemm_bwd_gtcx3_nchw_bf16_bx0_ex1_bt128x128x32_wt32x32x8_ws1x1_wr2x2_"
               "ta1x8x2x1_1x4x1x64_tb1x8x1x2_1x4x1x64_mh_gkgs";
    if (hip)
        return "igemm_wrw_gtcx3_nchw_bf16_bx0_ex1_bt64x64x64_wt32x32x8_ws1x1_wr1x1_"
               "ta1x4x1x4_1x16x1x16_tb1x4x1x4_1x16x1x16_gkgs";
    if (pass == 'f')
        return wide
                   ? "sm90_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nchwckrs_nchw_"
                     "tilesize128x256x64_warpgroupsize2x1x1_g1_execute_segment_k_off_"
                     "kernel_"
                     "_5x_cudnn"
                   : "sm90_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nchwckrs_nchw_"
                     "tilesize128x64x64_warpgroupsize1x1x1_g1_execute_segment_k_off_"
                     "kernel__"
                     "5x_cudnn";
    return pass == 'b'
               ? "sm90_xmma_dgrad_implicit_gemm_bf16bf16_bf16f32_f32_nchwckrs_nchw_"
                 "tilesize128x128x64_warpgroupsize1x1x1_g1_execute_segment_k_off_"
                 "kernel__5x_cudnn"
               : "sm90_xmma_wgrad_implicit_gemm_bf16bf16_bf16f32_f32_nchwckrs_nchw_"
                 "tilesize128x128x64_warpgroupsize1x1x1_g1_execute_segment_k_off_"
                 "kernel__5x_cudnn";
}

const char *kernel_layout(bool hip, bool to_channels_last)
{
    if (hip)
        return to_channels_last ? "batched_transpose_32x32_half"
                                : "batched_transpose_16x32_half";
    return to_channels_last
               ? "void cudnn::engines_precompiled::nchwToNhwcKernel<__nv_bfloat16, "
                 "__nv_bfloat16, float, false, true, (cudnnKernelDataType_t)0>("
                 "cudnn::engines_precompiled::nchw2nhwc_params_t<float>, __nv_bfloat16 "
                 "const*, __nv_bfloat16*)"
               : "void cudnn::engines_precompiled::nhwcToNchwKernel<__nv_bfloat16, "
                 "__nv_bfloat16, float, true, false, (cudnnKernelDataType_t)0>("
                 "cudnn::engines_precompiled::nhwc2nchw_params_t<float>, __nv_bfloat16 "
                 "const*, __nv_bfloat16*)";
}

const char *kernel_all_reduce(bool hip)
{
    return hip ? "ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>)"
               : "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<"
                 "4096ul>)";
}

const char *kernel_moe(bool hip)
{
    return hip ? "_ZN5aiter45fmoe_bf16_blockscaleFp8_g1u1_vs_silu_1tg_32x256E"
               : "fused_moe_kernel";
}
