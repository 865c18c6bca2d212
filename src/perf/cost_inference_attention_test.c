#include "perf/cost_inference_attention.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf/perf_case.h"

/* 2*16*(30 - 9) + 2*2*16*7 = 672 + 448; (4*3*16 + (2 + 6)*1*16)*2 bytes. */
static void sums_of_the_step(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"vllm::unified_attention_with_output\", \"dims\": [[4, 2, "
                "8], [4, 1, 8]], \"types\": [\"c10::BFloat16\", \"c10::BFloat16\"], "
                "\"annotation\": "
                "\"execute_4_context_1(sq3sk5sqsq9sqsk15)_generation_1(sq1sk7sqs"
                "q1sqsk7)\"}",
                PERF_FORWARD, 1120, 640, "matrix_bf16");
}

static void empty_step_is_dropped(void **state)
{
    (void)state;
    expect_status("{\"op\": \"vllm::unified_attention_with_output\", \"dims\": [[4, 2, "
                  "8], [4, 1, 8]], \"types\": [\"c10::BFloat16\", \"c10::BFloat16\"], "
                  "\"annotation\": "
                  "\"execute_0_context_0(sq0sk0sqsq0sqsk0)_generation_0(sq0sk0sqsq"
                  "0sqsk0)\"}",
                  PERF_FORWARD, PERF_DROP);
    expect_status("{\"op\": \"vllm::unified_attention_with_output\", \"dims\": [[4, 2, "
                  "8], [4, 1, 8]], \"types\": [\"c10::BFloat16\", \"c10::BFloat16\"], "
                  "\"annotation\": \"NA\"}",
                  PERF_FORWARD, PERF_FAIL);
    expect_status("{\"op\": \"vllm::unified_attention_with_output\", \"dims\": [[4, 2, "
                  "8], [4, 1, 8]], \"types\": [\"c10::BFloat16\", \"c10::BFloat16\"], "
                  "\"annotation\": "
                  "\"execute_4_context_1(sq3sk5sqsq9sqsk15)_generation_1(sq1sk7sqs"
                  "q1sqsk7)\"}",
                  PERF_BACKWARD, PERF_DROP);
}

/* h_v = 4, d_v = 2, h_k = 2, d_k = ((24 - 8)/2)/2 = 4, t = 4: 7*4*4*2*4; 4*4*(4 + 4 +
 * 2)*2 bytes. */
static void gated_delta_rule(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"vllm::gdn_attention_core\", \"dims\": [[4, 24], [4, 4], "
                "[4, 4], [4, 4, 2]], \"types\": [\"c10::BFloat16\"], \"annotation\": "
                "\"execute_4_context_1(sq3sk5sqsq9sqsk15)_generation_1(sq1sk7sqs"
                "q1sqsk7)\"}",
                PERF_FORWARD, 896, 320, "matrix_bf16");
}

/* Two tensors in, two out: 4*32*1 bytes. */
static void cache_moves_four_times(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"sglang::store_cache\", \"dims\": [[4, 8]], \"types\": "
                "[\"fp8\"]}",
                PERF_FORWARD, 0, 128, "vector_fp8");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_the_step),
        cmocka_unit_test(empty_step_is_dropped),
        cmocka_unit_test(gated_delta_rule),
        cmocka_unit_test(cache_moves_four_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
