#include "kernel_label.c"

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
    {"act_and_mul_kernel", KERNEL_ELEMENTWISE},
    {"", KERNEL_UNKNOWN},
    {"my_kernel", KERNEL_UNKNOWN},
};

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
    (void)state;
    assert_true(kernel_label_is_light(KERNEL_ELEMENTWISE));
    assert_false(kernel_label_is_light(KERNEL_GEMM));
    assert_false(kernel_label_is_light(KERNEL_NORMALIZATION));
    assert_true(kernel_label_is_matrix(KERNEL_MOE_GEMM));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_of_traces),
                                       cmocka_unit_test(what_may_stand_between)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
