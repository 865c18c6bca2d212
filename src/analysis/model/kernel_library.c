#include "analysis/model/kernel_library.h"

#include "analysis/model/name_match.h"

/* The first that a name has a part of. A library that only wraps another's kernels
 * follows it. */
static const struct library {
    const char *parts;
    struct str name;
} libraries[] = {
    {"aiter", S_INIT("AITER")},
    {"fbgemm|split_embedding|splitlookup", S_INIT("FBGEMM")},
    {"vllm::|wvsplitk|cross_device_reduce", S_INIT("vLLM")},
    {"flashinfer", S_INIT("FlashInfer")},
    {"fmhasm|_sm100f|moe::dev::|tensorrt_llm", S_INIT("TensorRT-LLM")},
    {"pytorch_flash|flash_fwd|flash_bwd|flash_attn|flash::", S_INIT("FlashAttention")},
    {"ck_tile|ck::|_zn2ck|_zn7ck_tile", S_INIT("CK")},
    {"miopen|igemm_|batched_transpose_|subtensorop|op2dtensor|optensor|gcnasm|naive_"
     "conv|"
     "sp3asm",
     S_INIT("MIOpen")},
    {"rocprim", S_INIT("rocPRIM")},
    {"cudnn|xmma_fprop|xmma_dgrad|xmma_wgrad|nchwtonhwc|nhwctonchw|implicit_convolve|"
     "precomputed_convolve",
     S_INIT("cuDNN")},
    {"at::native|at::cuda|at_cuda_detail|c10d::|multi_tensor_apply_kernel",
     S_INIT("PyTorch")},
    {"cub::", S_INIT("CUB")},
    {"cublas|nvjet|xmma_gemm|sgemm|hgemm|dgemm|s16816gemm|s1688gemm|s884gemm|gemmsn_|"
     "splitkreduce|gemvx|gemv2",
     S_INIT("cuBLAS")},
};

static bool is_triton(struct str k)
{
    bool mangled = str_starts(k, S("_Z"));
    return str_starts(k, S("kernel_unified_attention")) ||
           (str_starts(k, S("_")) && !mangled && !str_has(k, S("(")));
}

struct str kernel_library(struct str k, bool amd)
{
    struct str_pairs pairs = str_pairs_of(k);
    if (pairs_have(&pairs, "nccldev|ncclkernel|rccl"))
        return amd ? S("RCCL") : S("NCCL");
    if (str_starts(k, S("Cijk_")))
        return str_has(k, S("_UserArgs_")) ? S("hipBLASLt") : S("rocBLAS/Tensile");
    if (name_begins(k, "triton_"))
        return S("Inductor");
    if (name_begins(k, "attn_fwd|attn_bwd|bwd_kernel_dk_dv|bwd_kernel_dq"))
        return amd ? S("AOTriton") : S("Triton");
    if (pairs_have(&pairs,
                   "cutlass::kernel|kernel_cutlass|cutlass_80|cutlass_75|fmha_cutlass"))
        return S("CUTLASS");
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
        if (pairs_have(&pairs, libraries[i].parts))
            return libraries[i].name;
    return is_triton(k) ? S("Triton") : S("");
}
