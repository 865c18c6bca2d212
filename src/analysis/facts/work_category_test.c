#include "work_category.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static enum work_category of(const char *base, const char *op, const char *kernel)
{
    struct str k = str_of(kernel);
    return work_category_of(str_of(base), str_of(op), &k, k.n > 0);
}

/* One row for each rule of 2.2 and for the traps named beside them. */
static void rules_in_order(void **state)
{
    (void)state;
    assert_int_equal(of("record_param_comms", "x", ""), WORK_COMMUNICATION);
    assert_int_equal(of("other", "c10d::allreduce_", ""), WORK_COMMUNICATION);
    assert_int_equal(of("other", "x", "ncclDevKernel_AllReduce"), WORK_COMMUNICATION);
    assert_int_equal(of("MoE_unfused", "x", ""), WORK_MOE_FUSED);
    assert_int_equal(of("other", "vllm::rocm_aiter_fused_moe", ""), WORK_MOE_FUSED);
    assert_int_equal(of("NORM_fwd", "aten::batch_norm", ""), WORK_BATCHNORM);
    assert_int_equal(of("NORM_bwd", "aten::cudnn_batch_norm_backward", ""),
                     WORK_BATCHNORM);
    assert_int_equal(of("CONV_fwd", "aten::convolution", ""), WORK_CONVOLUTION);
    assert_int_equal(of("other", "aten::miopen_depthwise_conv2d", ""),
                     WORK_CONVOLUTION);
    assert_int_equal(of("other", "aten::_convert_weight", ""), WORK_OTHER);
    assert_int_equal(of("other", "aten::deconvolve", ""),
                     WORK_OTHER); /* no word begins */
    assert_int_equal(of("SDPA_fwd", "x", ""), WORK_SDPA_FWD);
    assert_int_equal(of("other", "FlashAttnVarlenFunc", "_ZN7ck_tile6kentryI"),
                     WORK_SDPA_FWD);
    assert_int_equal(of("other", "aclnnMm", "x"), WORK_GEMM);
    assert_int_equal(of("other", "aclnnBatchMatMul", ""), WORK_GEMM);
    assert_int_equal(of("other",
                        "aclnnMm->aclnnMm_MatMulCommon_MatMulV2 (Synthetic Op)",
                        "aclnnMm_MatMulCommon_MatMulV2"),
                     WORK_GEMM);
    assert_int_equal(of("other",
                        "aclopCompileAndExecute->trans_TransData_9 (Synthetic Op)",
                        "trans_TransData_9"),
                     WORK_OTHER);
    assert_int_equal(
        of("other", "aclnnCast->aclnnCast_CastAiCpu_Cast (Synthetic Op)", ""),
        WORK_OTHER);
    assert_int_equal(of("other", "aclnnMm->aclnnMm_CastAiCore_Cast (Synthetic Op)", ""),
                     WORK_ELEMENTWISE);
    assert_int_equal(
        of("other", "aclnnMm->aclnnMm_MatMulCommon_MemSet (Synthetic Op)", ""),
        WORK_OTHER);
    assert_int_equal(
        of("other", "aclopCompileAndExecute->ReduceSum7 (Synthetic Op)", ""),
        WORK_REDUCE);
    assert_int_equal(of("other", "aclnnInplaceAddcmul", ""), WORK_ELEMENTWISE);
    assert_int_equal(of("other", "aclnnThresholdBackward", ""), WORK_ELEMENTWISE);
    assert_int_equal(of("other", "aclnnReduceSum", ""), WORK_REDUCE);
    assert_int_equal(of("other", "aclnnLogSoftmax", ""), WORK_REDUCE);
    assert_int_equal(of("other", "aclnnFlashAttentionScore", ""), WORK_SDPA_FWD);
    assert_int_equal(of("other", "aclnnRmsNorm", ""), WORK_NORM);
    assert_int_equal(of("other", "aclnnNLLLoss", ""), WORK_OTHER);
    assert_int_equal(of("other", "flash_attn::_flash_attn_backward", ""),
                     WORK_SDPA_BWD);
    assert_int_equal(of("other", "triton_red_fused_mm_3", ""), WORK_TRITON);
    assert_int_equal(of("other", "aten::addmm", ""), WORK_GEMM);
    assert_int_equal(of("other", "vllm::rocm_unquantized_gemm", ""), WORK_GEMM);
    assert_int_equal(of("other", "aten::_foo_mm", ""), WORK_GEMM);
    assert_int_equal(of("other", "aten::_foo_mmx", ""), WORK_OTHER);
    assert_int_equal(of("RMSNorm", "x", ""), WORK_NORM);
    assert_int_equal(of("other", "aten::_softmax", "softmax_warp_forward"),
                     WORK_REDUCE);
    assert_int_equal(of("other", "aten::_softmax", "x"), WORK_REDUCE);
    assert_int_equal(of("other", "aten::sum_", ""), WORK_REDUCE);
    assert_int_equal(of("other", "aten::summary", ""), WORK_OTHER);
    assert_int_equal(of("elementwise", "aten::add", ""), WORK_ELEMENTWISE);
    assert_int_equal(of("other", "aten::copy_", "Memcpy DtoD"), WORK_COPY);
}

/* What indexes is no elementwise work, whatever its kernels are called. */
static void indices_are_another_kind(void **state)
{
    (void)state;
    assert_int_equal(of("other", "aten::embedding", "index_kernel"), WORK_OTHER);
    assert_int_equal(of("elementwise", "aten::cat", "elementwise_kernel"), WORK_OTHER);
    assert_int_equal(of("other", "aten::scatter_add_", "_scatter_gather_elementwise"),
                     WORK_OTHER);
    assert_int_equal(of("other", "aten::_index_put_impl_", "index_elementwise_kernel"),
                     WORK_OTHER);
    assert_int_equal(of("other", "aten::indexed_add", "index_elementwise_kernel"),
                     WORK_ELEMENTWISE);
}

static void names_of_xla(void **state)
{
    (void)state;
    assert_int_equal(of("other", "cudnn-conv.1", "Cijk_"), WORK_CONVOLUTION);
    assert_int_equal(of("other", "conv_general_dilated", ""), WORK_CONVOLUTION);
    assert_int_equal(of("other", "cublas-gemm.3", "x"), WORK_GEMM);
    assert_int_equal(of("other", "dot_general", "x"), WORK_GEMM);
    assert_int_equal(of("other", "loop_add_fusion.2", "x"), WORK_ELEMENTWISE);
    assert_int_equal(of("other", "input_reduce_fusion", "x"), WORK_REDUCE);
    assert_int_equal(of("other", "loop_invariant", "x"), WORK_OTHER);
}

static enum work_category of_group(struct op_call_row first, const char *kernel)
{
    struct kernel_detail detail = {.name = str_of(kernel)};
    struct op_group g = {.first = &first, .kernels = &detail, .n_kernels = 1};
    return work_category_of_group(&g);
}

/* Copies of the first call do not decide where most calls run a kernel. */
static void most_calls_decide(void **state)
{
    (void)state;
    struct op_call_row first = {.name = S("aten::copy_"), .category = S("elementwise")};
    struct kernel_detail detail = {.name = S("Memcpy HtoD (Pageable -> Device)")};
    struct op_group g = {.first = &first, .kernels = &detail, .n_kernels = 1};
    g.copies = true;
    assert_int_equal(work_category_of_group(&g), WORK_COPY);
    g.computes = true;
    assert_int_equal(work_category_of_group(&g), WORK_ELEMENTWISE);
}

/* A kernel's name decides where no operator names the work, whatever word of another
 * category the launching call or the name contains. */
static void kernels_name_what_no_operator_names(void **state)
{
    (void)state;
    struct op_call_row unlinked = {
        .name = S("k"), .category = S("other"), .unlinked = true};
    static const struct {
        const char *kernel;
        enum work_category is;
    } cases[] = {
        {"Cijk_Ailk_Bljk", WORK_GEMM},
        {"flash_fwd_kernel", WORK_SDPA_FWD},
        {"fmha_bwd_dot_do_o", WORK_SDPA_BWD},
        {"cudnn_generated_fort_native_sdpa_sm90_flash_bprop_wgmma_f16", WORK_SDPA_BWD},
        {"aiter::pa_bf16_noquant_gqa4_1tg_4w_kernel", WORK_SDPA_FWD},
        {"fused_moe_kernel", WORK_MOE_FUSED},
        {"rms_norm_kernel", WORK_NORM},
        {"act_and_mul_kernel", WORK_ELEMENTWISE},
        {"Memcpy DtoD (Device -> Device)", WORK_COPY},
        {"triton_per_fused_native_layer_norm_3", WORK_TRITON},
        {"multimem_all_gather", WORK_COMMUNICATION},
        {"SplitLookupKernel", WORK_OTHER},
        {"multi_tensor_apply_kernel", WORK_OTHER},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(of_group(unlinked, cases[i].kernel), cases[i].is);
    struct op_call_row graph = {
        .name = S("cudaGraphLaunch->multimem_all_reduce (Synthetic Op)"),
        .category = S("other"),
        .synthetic = true};
    assert_int_equal(of_group(unlinked, "aclnnMm_MatMulCommon_MatMulV2"), WORK_GEMM);
    assert_int_equal(of_group(unlinked, "aclnnMm_MatMulCommon_MemSet"), WORK_OTHER);
    assert_int_equal(of_group(unlinked, "Conv2DBackpropFilter6_MemSet"), WORK_OTHER);
    assert_int_equal(of_group(graph, "Memset (Unknown)"), WORK_COPY);
    assert_int_equal(of_group(graph, "nvjet_tst_64x8"), WORK_GEMM);
    struct op_call_row region = {.name = S("Torch-Compiled Region: 0/0"),
                                 .category = S("other")};
    assert_int_equal(of_group(region, "attn_fwd"), WORK_SDPA_FWD);
    assert_int_equal(of_group(graph, "vllm::reshape_and_cache_flash_kernel"),
                     WORK_OTHER);
    struct op_call_row op = {.name = S("aten::mm"), .category = S("GEMM")};
    assert_int_equal(of_group(op, "reduce_kernel"), WORK_GEMM);
    struct op_call_row embedding = {.name = S("aten::embedding"),
                                    .category = S("other")};
    assert_int_equal(of_group(embedding, "index_kernel"), WORK_OTHER);
}

/* An operator of attention that only fills its output, or stores keys and values. */
static void what_attends_to_nothing_is_no_attention(void **state)
{
    (void)state;
    struct op_call_row op = {.name = S("vllm::unified_attention_with_output"),
                             .category = S("InferenceAttention")};
    assert_int_equal(of_group(op, "vectorized_elementwise_kernel<8, FillFunctor>"),
                     WORK_ELEMENTWISE);
    assert_int_equal(of_group(op, "reshape_and_cache_flash_kernel"), WORK_OTHER);
    assert_int_equal(of_group(op, "kernel_unified_attention_2d"), WORK_SDPA_FWD);
    assert_int_equal(of_group(op, "mystery"), WORK_SDPA_FWD);
}

/* Of an extension's operator the kernel with most of its time, not the first. */
static void the_longest_kernel_decides(void **state)
{
    (void)state;
    struct op_call_row op = {.name = S("mylib::block"), .category = S("other")};
    struct kernel_detail kernels[] = {
        {.name = S("rms_norm_kernel"), .total_us = 1},
        {.name = S("ampere_sgemm_64x64_nn"), .total_us = 9}};
    struct op_group g = {.first = &op, .kernels = kernels, .n_kernels = 2};
    assert_int_equal(work_category_of_group(&g), WORK_GEMM);
    kernels[0].total_us = 10;
    assert_int_equal(work_category_of_group(&g), WORK_NORM);
}

static void split_is_not_concatenation(void **state)
{
    (void)state;
    static const struct {
        const char *op, *is;
    } cases[] = {
        {"aten::cat", "cat_split"},
        {"aten::split_with_sizes", "cat_split"},
        {"fbgemm::split_embedding_codegen_lookup_sgd_function", "embedding_index"},
        {"SplitLookupKernel", "embedding_index"},
        {"aclopCompileAndExecute->trans_TransData_9 (Synthetic Op)", "layout"},
        {"aclnnCast->aclnnCast_CastAiCpu_Cast (Synthetic Op)", "ai_cpu"},
        {"aclnnMm->aclnnMm_MatMulCommon_MemSet (Synthetic Op)", "memory"},
        {"aten::allocate", "miscellaneous"},
        {"hipGraphLaunch->multi_tensor_apply_kernel (Synthetic Op)", "optimizer"},
        {"hipGraphLaunch->mystery (Synthetic Op)", "graph"},
        {"cudaLaunchKernel->mystery (Synthetic Op)", "miscellaneous"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_true(
            str_eq(other_subcategory(str_of(cases[i].op)), str_of(cases[i].is)));
}

/* One kernel that does not communicate is enough to be something else. */
static void all_kernels_must_communicate(void **state)
{
    (void)state;
    struct str k[] = {S("ncclDevKernel"), S("elementwise_kernel")};
    assert_int_equal(work_category_of(S("other"), S("x"), k, 2), WORK_OTHER);
    assert_int_equal(work_category_of(S("other"), S("x"), k, 1), WORK_COMMUNICATION);
}

static void kinds(void **state)
{
    (void)state;
    assert_true(str_eq(elementwise_class(S("aten::add_")), S("baseline")));
    assert_true(str_eq(elementwise_class(S("aten::_to_copy")), S("cast")));
    assert_true(str_eq(elementwise_class(S("aten::masked_fill_")), S("mask")));
    assert_true(str_eq(elementwise_class(S("aten::addcmul")), S("other")));
    assert_true(str_eq(reduce_class(S("aten::amax"), S("")), S("max")));
    assert_true(str_eq(reduce_class(S("x"), S("cunn_SoftMaxForward")), S("softmax")));
    assert_true(str_eq(triton_class(S("triton_per_fused_x")), S("persistent")));
    assert_true(str_eq(moe_class(S("moe_align_block")), S("routing")));
    assert_true(str_eq(moe_class(S("ck_moe_stage1")), S("expert")));
    assert_true(
        str_eq(norm_type(S("aten::native_group_norm_backward")), S("group_norm")));
    assert_true(
        str_eq(other_subcategory(S("aten::index_select")), S("embedding_index")));
    assert_true(str_eq(other_subcategory(S("aten::_local_scalar_dense")),
                       S("synchronization")));
    assert_true(str_eq(other_subcategory(S("aten::zzz")), S("miscellaneous")));
}

static void libraries(void **state)
{
    (void)state;
    struct str k = S("Cijk_Ailk_Bljk_BBS_MT128x128x32");
    assert_true(str_eq(work_library(S("aten::mm"), &k, 1), S("Tensile")));
    assert_true(str_eq(work_library(S("vllm::rocm_aiter_x"), &k, 1), S("AITER")));
    assert_int_equal(work_library(S("aten::mm"), NULL, 0).n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(most_calls_decide),
        cmocka_unit_test(kernels_name_what_no_operator_names),
        cmocka_unit_test(what_attends_to_nothing_is_no_attention),
        cmocka_unit_test(the_longest_kernel_decides),
        cmocka_unit_test(split_is_not_concatenation),
        cmocka_unit_test(rules_in_order),
        cmocka_unit_test(indices_are_another_kind),
        cmocka_unit_test(names_of_xla),
        cmocka_unit_test(all_kernels_must_communicate),
        cmocka_unit_test(kinds),
        cmocka_unit_test(libraries)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
