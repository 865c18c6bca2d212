#include "kernels/kernel_name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void expect(const char *kernel, bool amd, const char *library)
{
    struct str found = kernel_library(str_of(kernel), amd);
    if (!str_eq(found, str_of(library)))
        fail_msg("%s: \"%.*s\", not \"%s\"", kernel, STRF(found), library);
}

static void names_tell_their_library(void **state)
{
    (void)state;
    expect("Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT320x224x64", true,
           "hipBLASLt");
    expect("Cijk_Ailk_Bljk_SB_MT128x64x16", true, "rocBLAS/Tensile");
    expect("triton_poi_fused_add_3", false, "Inductor");
    expect("_matmul_ogs_NNT_bf16xbf16xmxfp4", true, "Triton");
    expect("attn_fwd", true, "AOTriton");
    expect("igemm_fwd_gtcx3_nhwc_bf16_bx0", true, "MIOpen");
    expect("_ZN2ck16tensor_operation6device12_GLOBAL__N_139kernel_grouped", true, "CK");
    expect("void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm>(x)", false,
           "CUTLASS");
    expect("sm90_xmma_gemm_bf16bf16_bf16f32_kernel__5x_cublas", false, "cuBLAS");
    expect("sm80_xmma_dgrad_implicit_gemm_execute_kernel_cudnn_infer", false, "cuDNN");
    expect("nvjet_sm103_tst_32x64_64x16_4x1_v_bz_splitK_TNN", false, "cuBLAS");
    expect("volta_sgemm_128x32_nt", false, "cuBLAS");
    expect("void pytorch_flash::flash_fwd_kernel<T>(x)", false, "FlashAttention");
    expect("fmhaSm100fKernel_QkvBfloat16", false, "TensorRT-LLM");
    expect("ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)", true, "RCCL");
    expect("ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*)", false, "NCCL");
}

static void what_only_wraps_others_comes_behind(void **state)
{
    (void)state;
    expect("void at::native::vectorized_elementwise_kernel<4, F>(int)", true,
           "PyTorch");
    expect("void at_cuda_detail::cub::DeviceReduceKernel<T>(T)", false, "PyTorch");
    expect("void cub::DeviceReduceKernel<T>(T)", false, "CUB");
    expect("void vllm::rotary_embedding_kernel<T>(T)", true, "vLLM");
}

static void others_tell_nothing(void **state)
{
    (void)state;
    expect("my_kernel", true, "");
    expect("_ZN5mylib5scaleIfLi4EEvPT_", true, "");
    expect("", false, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_tell_their_library),
        cmocka_unit_test(what_only_wraps_others_comes_behind),
        cmocka_unit_test(others_tell_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
