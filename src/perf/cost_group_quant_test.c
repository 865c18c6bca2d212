#include "perf/cost_group_quant.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "perf/perf_case.h"

/* 64x32 in 2 bytes: 4096; 2*1024 packed; 64*1 + 32*2 scales. */
static void two_layouts_of_fp4(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"primus::quantize_mxfp4_dual\", \"dims\": [[64, 32]], "
                "\"types\": [\"c10::BFloat16\"]}",
                PERF_FORWARD, 2048, 6272, "vector_bf16");
}

/* 500 in groups of 128: 4 scales of 4 bytes a row; 6*2*500 FLOP; 1000*2 + 1000 + 32. */
static void groups_of_a_row(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"vllm::triton_per_token_group_quant_fp8\", \"dims\": [[2, "
                "500]], \"types\": [\"c10::BFloat16\"], \"concrete\": [\"\", \"128\"]}",
                PERF_FORWARD, 6000, 3032, "vector_bf16");
}

static void unknown_type_fails(void **state)
{
    (void)state;
    expect_status(
        "{\"op\": \"aiter::dynamic_per_tensor_quant\", \"dims\": [[2], [2], "
        "[1]], \"types\": [\"c10::Unknown\", \"float\", \"float\"], \"strides\": "
        "[[1], [1], [1]]}",
        PERF_FORWARD, PERF_FAIL);
}

/* 33x33: 1089 of 2 bytes; twice 545 packed; two blocks for each row and column. */
static void blocks_that_are_not_full(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"primus::quantize_mxfp4_dual\", \"dims\": [[33, 33]], "
                "\"types\": [\"c10::BFloat16\"]}",
                PERF_FORWARD, 1089, 2178 + 1090 + 66 + 66, "vector_bf16");
}

/* 2048 in 2 bytes, packed in 1024, with 64 scales, in the place of each operator: the
 * others hold something else. */
static void the_activation_has_its_place(void **state)
{
    static const struct {
        const char *op;
        int at;
    } ops[] = {{"sglang_profiler::quant_dynamic_mxfp4_quant", 0},
               {"sglang_profiler::fused_mxfp4_quant_fused_flatten_mxfp4_quant", 0},
               {"aiter::fused_dynamic_mx_quant_moe_sort_hip", 2},
               {"aiter::fused_dynamic_mxfp4_quant_moe_sort_hip", 2},
               {"aiter::dynamic_per_group_scaled_quant_fp4", 1}};
    (void)state;
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++) {
        const char *dims[] = {"[7]", "[7]", "[7]"}, *types[] = {"int", "int", "int"};
        char call[512];
        dims[ops[k].at] = "[64, 32]";
        types[ops[k].at] = "c10::BFloat16";
        snprintf(call, sizeof call,
                 "{\"op\": \"%s\", \"dims\": [%s, %s, %s], \"types\": [\"%s\", \"%s\", "
                 "\"%s\"], \"strides\": [[32, 1], [32, 1], [32, 1]]}",
                 ops[k].op, dims[0], dims[1], dims[2], types[0], types[1], types[2]);
        expect_cost(call, PERF_FORWARD, 4096, 4096 + 1024 + 64, "vector_bf16");
    }
}

/* 128 results of a byte, 128 of 2 bytes read, 4 scales of 4: 19/32 FLOP more than two
 * for each. */
static void scaled_groups(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"aiter::dynamic_per_group_scaled_quant\", \"dims\": [[2, "
                "64], [2, 64], [2, 2]], \"types\": [\"fp8\", \"c10::BFloat16\", "
                "\"float\"], \"strides\": [[64, 1], [64, 1], [2, 1]]}",
                PERF_FORWARD, 256 + 76, 128 + 256 + 16, "vector_bf16");
    expect_cost("{\"op\": \"primus_turbo::quantize_fp8_tensorwise\", \"dims\": [[2, "
                "64]], \"types\": [\"c10::BFloat16\"], \"strides\": [[64, 1]]}",
                PERF_FORWARD, 128, 128 * 3, "vector_bf16");
}

/* Ids of 4 bytes and weights of 2, read and written. */
static void shared_experts_are_appended(void **state)
{
    (void)state;
    expect_cost("{\"op\": "
                "\"sglang_profiler::fused_moe_triton_kernels_fused_append_shared_"
                "experts\", \"dims\": [[4, 2], [4, 2]], \"types\": [\"int\", "
                "\"c10::BFloat16\"]}",
                PERF_FORWARD, 8, 2 * (8 * 4 + 8 * 2), "vector_bf16");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_layouts_of_fp4),
        cmocka_unit_test(groups_of_a_row),
        cmocka_unit_test(unknown_type_fails),
        cmocka_unit_test(blocks_that_are_not_full),
        cmocka_unit_test(the_activation_has_its_place),
        cmocka_unit_test(scaled_groups),
        cmocka_unit_test(shared_experts_are_appended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
