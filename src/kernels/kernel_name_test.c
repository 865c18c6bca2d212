#include "kernels/kernel_name.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Names as traces have them. */
static const struct {
    const char *name;
    enum kernel_label label;
} cases[] = {
    {"Cijk_Ailk_Bljk_BBS_BH_MT64x128x32_SE", KERNEL_GEMM},
    {"nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_TNT", KERNEL_GEMM},
    {"wvSplitK_hf_sml_", KERNEL_GEMM},
    {"attn_fwd.kd", KERNEL_ATTENTION},
    {"bwd_kernel_fuse.kd", KERNEL_ATTENTION},
    {"bwd_kernel_dk_dv", KERNEL_ATTENTION},
    {"void pytorch_flash::flash_fwd_kernel<...>", KERNEL_ATTENTION},
    {"igemm_fwd_gtcx3_nhwc_bf16_bx0", KERNEL_CONVOLUTION},
    {"miopenSp3AsmConv_v30_3_1_gfx9", KERNEL_CONVOLUTION},
    {"batched_transpose_32x16_half", KERNEL_TRANSPOSE},
    {"void at::native::batch_norm_backward_kernel<c10::BFloat16>",
     KERNEL_NORMALIZATION},
    {"void (anonymous namespace)::fused_qknorm_warp<128l, true>", KERNEL_NORMALIZATION},
    {"void at::native::(anonymous namespace)::cunn_SoftMaxForward<8>", KERNEL_SOFTMAX},
    {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp>", KERNEL_REDUCE},
    {"void at::native::vectorized_elementwise_kernel<4>", KERNEL_ELEMENTWISE},
    {"reshape_and_cache_flash_kernel", KERNEL_CACHE_STORE},
    {"rotary_embedding_kernel", KERNEL_ROTARY},
    {"void marlin::Marlin<__nv_bfloat16, 1125899906909960l, 256, 4>(int4 const*)",
     KERNEL_GEMM},
    {"void gptq_marlin::Marlin<half, 4l, 256, 1, 8, 8>", KERNEL_GEMM},
    {"void marlin_moe_wna16::Marlin<__nv_bfloat16, 4l>", KERNEL_MOE_GEMM},
    {"void marlin::gptq_marlin_repack_kernel<256, 4, false>", KERNEL_UNKNOWN},
    {"void vllm::awq::gemm_forward_4bit_cuda_m16nXk32<128>", KERNEL_GEMM},
    {"void machete::kernel<machete::MacheteCollective, quant>", KERNEL_GEMM},
    {"ck::kernel_moe_gemm", KERNEL_MOE_GEMM},
    {"moe_align_block_size_kernel", KERNEL_MOE_ROUTING},
    {"void moe::dev::finalize::finalizeKernel<moe::dev::finalize::KernelParams>",
     KERNEL_MOE_ROUTING},
    {"aiter::topksoftmax_4x128x8_bf16", KERNEL_MOE_ROUTING},
    {"void moe::dev::routing::routingCustom::routingIndicesDynBlockKernel<>",
     KERNEL_MOE_ROUTING},
    {"bmm_Bfloat16_Bfloat16Bfloat16_Fp32_t128x8x128u2_s6_swiGlu_dynB_sm100f",
     KERNEL_MOE_GEMM},
    {"bmm_Bfloat16_Bfloat16Bfloat16_Fp32_t128x8x128", KERNEL_GEMM},
    {"kernel_cutlass_kernel_flashinfernormkernelsfused_add_rmsnormFusedAddRMSNorm",
     KERNEL_NORMALIZATION},
    {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL", KERNEL_COMMUNICATION},
    {"Memcpy DtoD (Device -> Device)", KERNEL_MEMCPY},
    {"triton_poi_fused_add_3", KERNEL_TRITON_POINTWISE},
    {"triton_red_fused_mean_1", KERNEL_TRITON_REDUCTION},
    {"split_embedding_codegen_forward_unweighted_kernel", KERNEL_EMBEDDING},
    {"multi_tensor_apply_kernel<TensorListMetadata<2>>", KERNEL_OPTIMIZER},
    {"multimem_all_reduce_kernel", KERNEL_COMMUNICATION},
    {"void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>", KERNEL_COMMUNICATION},
    {"ampere_bf16_s16816_cutlass_64x64", KERNEL_GEMM},
    {"fmha_cutlassF_bf16_aligned", KERNEL_ATTENTION},
    {"cudnn_generated_fort_native_sdpa_sm100_fprop_f16_128x128x128", KERNEL_ATTENTION},
    {"_ZN5aiter27pa_bf16_noquant_gqa8_1tg_4wE", KERNEL_ATTENTION},
    {"aiter::mla_dec_stage1_bf16_a16w16_subQ16_mqa16", KERNEL_ATTENTION},
    {"aiter::dynamic_per_token_scaled_quant_kernel<__hip_bfloat16>",
     KERNEL_QUANTIZATION},
    {"act_and_mul_kernel", KERNEL_ELEMENTWISE},
    {"void gemv2T_kernel_val<int, int, float, float, float, 128>", KERNEL_GEMM},
    {"void flashinfer::sampling::TopKTopPSamplingFromProbKernel<1024>", KERNEL_UNKNOWN},
    {"void flashinfer::BatchDecodeWithPagedKVCacheKernel<>", KERNEL_ATTENTION},
    {"void deep_ep::internode::dispatch<false, 4>", KERNEL_COMMUNICATION},
    {"triton_red_fused_all_reduce_wait_tensor_3", KERNEL_TRITON_REDUCTION},
    {"", KERNEL_UNKNOWN},
    {"my_kernel", KERNEL_UNKNOWN},
};

/* The type of what is multiplied, whatever sums and results have. */
static void precisions_of_traces(void **state)
{
    static const struct {
        const char *name;
        enum kernel_precision precision;
    } names[] = {
        {"ampere_sgemm_128x64_nt", PRECISION_FP32},
        {"volta_scudnn_128x64_relu_interior_nn_v1", PRECISION_FP32},
        {"sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize32x32x8_ffma", PRECISION_FP32},
        {"cutlass_80_simt_sgemm_128x32_8x5_nn_align1", PRECISION_FP32},
        {"fmha_cutlassF_f32_aligned_64x64_rf_sm80(Params)", PRECISION_FP32},
        {"Cijk_Ailk_Bljk_SB_MT128x64x16_MI32x32x2x1_SE", PRECISION_FP32},
        {"Cijk_Alik_Bljk_S_B_Bias_HA_S_SAV_UserArgs_MT64x16x64", PRECISION_FP32},
        {"igemm_fwd_gtcx_nhwc_fp32_bx0_ex1_bt128x128x16_wt32x32x2", PRECISION_FP32},
        {"igemm_fwd_gtcx3_nchw_bf16_bx0_ex1_bt128x128x32_wt32x32x8", PRECISION_BF16},
        {"sm80_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize64x64x32", PRECISION_TF32},
        {"cutlass_80_tensorop_s1688gemm_128x128_16x5_nn_align4", PRECISION_TF32},
        {"turing_fp16_s1688gemm_fp16_128x128_ldg8_nn", PRECISION_FP16},
        {"volta_h884gemm_64x128_ldg8_nn", PRECISION_FP16},
        {"ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_64x3_tn", PRECISION_FP16},
        {"Cijk_Ailk_Bjlk_HHS_BH_MT256x256x32_MI32x32x8x1", PRECISION_FP16},
        {"ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_tn", PRECISION_BF16},
        {"nvjet_tst_192x192_64x4_1x2_h_bz_coopB_TNT", PRECISION_BF16},
        {"nvjet_sm100_hsh_128x64_64x6_2x1_v_bz_TNN", PRECISION_FP16},
        {"Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT256x256x64", PRECISION_BF16},
        {"sm90_xmma_gemm_e4m3bf16_e4m3f32_f32_tn_n", PRECISION_FP8},
        {"fmha_cutlassB_bf16_aligned_128x64_k64_sm80", PRECISION_BF16},
        {"cutlass_80_tensorop_d884gemm_64x32_16x3_nn_align1", PRECISION_FP64},
        {"my_kernel", PRECISION_UNKNOWN},
    };
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct kernel_name got = kernel_name_of(str_of(names[i].name));
        if (got.precision != names[i].precision)
            fail_msg("%s is %s", names[i].name,
                     kernel_precision_word((enum kernel_precision)got.precision).p);
    }
}

static void what_communicates(void **state)
{
    static const char *const yes[] = {
        "void deep_ep::intranode::dispatch<8, 768>",
        "ep::internode::combine",
        "nvshmemi_transfer_rma",
        "void multimem_all_gather_kernel",
        "void c10d::symmetric_memory::one_shot_all_reduce_kernel<float>",
        "mscclpp::allreduce6",
        "ncclDevKernel_Generic_4(ncclDevKernelArgsStorage)",
        "ncclSymDevKernel_AllGather_LL",
        "void aiter::reduce_scatter_cross_device_store<>",
        "twoShotAllReduceKernel<half, 8>"};
    static const char *const no[] = {"triton_poi_fused_add_all_gather_into_tensor_3",
                                     "void at::native::reduce_kernel<512>",
                                     "nchwToNhwcKernel", "one_hot_kernel"};
    (void)state;
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        if (!kernel_has(str_of(yes[i]), MARK_COMMUNICATES))
            fail_msg("%s communicates", yes[i]);
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        if (kernel_has(str_of(no[i]), MARK_COMMUNICATES))
            fail_msg("%s computes", no[i]);
}

static void names_of_traces(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum kernel_label got = kernel_label_of(str_of(cases[i].name));
        if (got != cases[i].label)
            fail_msg("%s is %s", cases[i].name, kernel_label_word(got).p);
    }
}

static void what_may_stand_between(void **state)
{
    static const enum kernel_label light[] = {KERNEL_ELEMENTWISE, KERNEL_TRANSPOSE,
                                              KERNEL_TRITON_POINTWISE, KERNEL_MEMCPY,
                                              KERNEL_MEMSET};
    int n = 0;
    (void)state;
    for (int l = 0; l < KERNEL_LABELS; l++) {
        enum kernel_label label = (enum kernel_label)l;
        n += kernel_label_is_light(label);
        assert_int_equal(kernel_label_is_matrix(label),
                         l == KERNEL_GEMM || l == KERNEL_MOE_GEMM);
        assert_int_equal(kernel_label_is_copy(label),
                         l == KERNEL_MEMCPY || l == KERNEL_MEMSET);
    }
    assert_int_equal(n, 5);
    for (int k = 0; k < 5; k++)
        assert_true(kernel_label_is_light(light[k]));
}

/* "sm90" and the like first, then the names of architectures; 50 to 199 are such. */
static void generations_and_libraries(void **state)
{
    static const struct {
        const char *name;
        int generation;
        const char *library, *on_amd;
    } names[] = {
        {"cutlass_80_wmma_tensorop_bf16_s161616gemm", 80, "CUTLASS", "CUTLASS"},
        {"void cutlass::device_kernel<flash_fwd_sm90>", 90, "FlashAttention", NULL},
        {"sm120_gemm", 120, NULL, NULL},
        {"sm49_gemm", 0, NULL, NULL},
        {"sm199_gemm", 199, NULL, NULL},
        {"sm200_gemm", 0, NULL, NULL},
        {"ampere_sgemm_128x64_tn", 80, NULL, NULL},
        {"volta_sgemm_128x64_tn", 70, NULL, NULL},
        {"turing_fp16_s884gemm", 75, NULL, NULL},
        {"maxwell_scudnn_128x64", 50, NULL, NULL},
        {"nvjet_hsh_128x256_64x4", 90, "cuBLAS", "cuBLAS"},
        {"ncclDevKernel_AllReduce_Sum_f32", 0, "NCCL", "RCCL"},
        {"Cijk_Ailk_Bljk_BBS_BH_UserArgs_MT64", 0, "hipBLASLt", "hipBLASLt"},
        {"Cijk_Ailk_Bljk_BBS_BH_MT64x64", 0, "rocBLAS/Tensile", NULL},
        {"triton_poi_fused_add_0", 0, "Inductor", "Inductor"},
        {"_paged_decode", 0, "Triton", "Triton"}, /* a function of Python */
        {"_Z4gemmPf", 0, "", ""},                 /* mangled */
        {"_launch(float*)", 0, "", ""},
        {"my_kernel", 0, "", ""}};
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        struct str name = str_of(names[k].name);
        if (kernel_name_of(name).generation != names[k].generation)
            fail_msg("%s: %d", names[k].name, kernel_name_of(name).generation);
        for (int amd = 0; amd < 2; amd++) {
            const char *want = amd ? names[k].on_amd : names[k].library;
            struct str got = kernel_library(name, amd);
            if (want && !str_eq(got, str_of(want)))
                fail_msg("%s: %.*s", names[k].name, STRF(got));
        }
    }
    assert_int_equal(kernel_number_behind(S("x_tile128x64"), S("tile")), 128);
    assert_int_equal(kernel_number_behind(S("x_tile12345"), S("tile")), 1234);
    assert_int_equal(kernel_number_behind(S("x_tile"), S("tile")), 0);
    assert_int_equal(kernel_number_behind(S("x90"), S("tile")), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_traces), cmocka_unit_test(precisions_of_traces),
        cmocka_unit_test(what_communicates), cmocka_unit_test(what_may_stand_between),
        cmocka_unit_test(generations_and_libraries)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
