#include "work_traits.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void names_that_say_it(void **state)
{
    (void)state;
    static const char *const
        attention[] = {"attn_fwd", "fmhaSm100fKernel_Qkv",
                       "void pytorch_flash::flash_fwd_kernel<",
                       "paged_attention_ll4mi_reduce_kernel"},
        *const experts[] = {"void ck::kernel_moe_gemm<ck::Gridwise",
                            "_matmul_ogs_NNT_bf16xbf16_swiglu", "bmm_E2m1_swiGlu_dynB"},
        *const compiled[] = {"Torch-Compiled Region: 0/0", "triton_poi_fused_add_0",
                             "triton__0d1d2d",
                             "torch/_inductor/output_code.py(5): call"},
        *const none[] = {"reshape_and_cache_flash_kernel", "bmm_Bfloat16_Fp32_t128x8",
                         "fused_add_rmsnorm", "torch/_dynamo/eval_frame.py(801): _fn",
                         "moe::dev::routing::routingIndices"};
    for (int k = 0; k < 4; k++)
        assert_true(kernel_has(str_of(attention[k]), MARK_FUSED_ATTENTION) &&
                    kernel_has(str_of(compiled[k]), MARK_COMPILED));
    for (int k = 0; k < 3; k++)
        assert_true(kernel_has(str_of(experts[k]), MARK_FUSED_EXPERTS));
    for (int k = 0; k < 5; k++)
        assert_false(kernel_has(str_of(none[k]), MARK_FUSED_ATTENTION) ||
                     kernel_has(str_of(none[k]), MARK_FUSED_EXPERTS) ||
                     kernel_has(str_of(none[k]), MARK_COMPILED));
}

/* A compiled region of 0..100 us on thread 1; a launch inside it, one behind it, one at
 * the same time on another thread, and one inside the backward pass; then a graph and
 * two copies. */
static void code_around_the_launch(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_op(&c, "Torch-Compiled Region: 0/0", 0, 100);
    case_launch(&c, "gemm", 50, 1000, 10, 1);
    case_launch(&c, "gemm", 101, 1020, 20, 2);
    case_event(&c, "cuda_runtime", "cudaLaunchKernel", 2, 50, 1, "\"correlation\":3");
    case_kernel(&c, "gemm", 7, 1040, 40, 3);
    case_op(&c, "autograd::engine::evaluate_function: MmBackward0", 200, 100);
    case_launch(&c, "attn_bwd", 250, 1100, 80, 4);
    case_call(&c, "cudaGraphLaunch", 400, 5, 5);
    case_kernel(&c, "triton_poi_fused_add_0", 7, 1200, 160, 5);
    case_call(&c, "cudaMemcpyAsync", 410, 5, 6);
    case_copy(&c, "Memcpy HtoD (Pageable -> Device)", 1400, 5, 6, 8);
    case_call(&c, "cudaMemcpyAsync", 420, 5, 7);
    case_copy(&c, "Memcpy DtoH (Device -> Pinned)", 1410, 5, 7, 8);
    case_open(&c, NULL);
    const struct work_traits *w = &c.tables.traits;
    static const uint8_t want[] = {TRAIT_COMPILED, 0, 0};
    for (int k = 0; k < 3; k++)
        assert_int_equal(w->of[case_find(&c, "gemm", k)], want[k]);
    assert_int_equal(w->of[case_find(&c, "attn_bwd", 0)],
                     TRAIT_BACKWARD | TRAIT_ATTENTION);
    assert_int_equal(w->of[case_find(&c, "triton_poi_fused_add_0", 0)],
                     TRAIT_COMPILED | TRAIT_REPLAYED);
    assert_int_equal(w->kernel_ns, 310000);
    assert_int_equal(w->compiled_ns, 170000);
    assert_int_equal(w->replayed_ns, 160000);
    assert_int_equal(w->attention_ns, 80000);
    assert_int_equal(w->n_kernels, 5);
    assert_int_equal(w->n_launches, 7);
    assert_int_equal(w->n_pinned, 1);
    assert_int_equal(w->n_pageable, 1);
    assert_true(w->training);
    case_close(&c);
}

/* Two calls of one shape repeat, a third has another shape. */
static void shapes_that_repeat(void **state)
{
    (void)state;
    static const char *const dims[] = {"[4,4]", "[4,4]", "[8,8]"};
    struct trace_case c;
    case_begin(&c);
    for (int k = 0; k < 3; k++) {
        char args[64];
        snprintf(args, sizeof args, "\"Input Dims\":[%s]", dims[k]);
        case_event(&c, "cpu_op", "aten::relu", 1, 100 * k, 50, args);
        case_launch(&c, "relu", 100 * k + 10, 1000 + 100 * k, 10, k + 1);
    }
    case_open(&c, NULL);
    assert_int_equal(c.tables.traits.repeated_ns, 20000);
    assert_false(c.tables.traits.training || c.tables.traits.has_strides);
    case_close(&c);
}

/* A hook on a gradient runs between two nodes; what comes long after them is no part of
 * that pass. */
static void hooks_between_nodes_are_of_the_backward_pass(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_op(&c, "autograd::engine::evaluate_function: MmBackward0", 0, 100);
    case_launch(&c, "hook", 120, 130, 10, 1);
    case_op(&c, "autograd::engine::evaluate_function: MmBackward0", 150, 100);
    case_launch(&c, "after", 300, 310, 10, 2);
    case_op(&c, "autograd::engine::evaluate_function: MmBackward0", 400, 100);
    case_open(&c, NULL);
    const struct work_traits *w = &c.tables.traits;
    assert_int_equal(w->of[case_find(&c, "hook", 0)], TRAIT_BACKWARD);
    assert_int_equal(w->of[case_find(&c, "after", 0)], 0);
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_that_say_it), cmocka_unit_test(code_around_the_launch),
        cmocka_unit_test(shapes_that_repeat),
        cmocka_unit_test(hooks_between_nodes_are_of_the_backward_pass)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
