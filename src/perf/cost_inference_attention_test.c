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

#define STEP                                                                           \
    "\"annotation\": "                                                                 \
    "\"execute_4_context_1(sq3sk5sqsq9sqsk15)_generation_1(sq1sk7sqsq1sqsk7)\"}"
#define HALF "\"c10::BFloat16\""

/* As above, of head sizes 8 and d_v: 2 * (8 + d_v) * (21 + 14) FLOP; (4 * 3 + 8) *
 * (8 + d_v) values, of which the 8 cached ones are as wide as the cache. */
static void each_form_has_its_own_places(void **state)
{
    static const struct {
        const char *call;
        double flop, byte;
    } cases[] = {
        {"{\"op\": \"vllm::unified_attention_with_output\", \"dims\": [[4, 2, 8], [4, "
         "1, "
         "8]], \"types\": [" HALF ", \"c10::Float8_e4m3fn\"], " STEP,
         1120, 4 * 3 * 16 * 2 + 8 * 16},
        {"{\"op\": \"pseudo_mla_prefill_fwd\", \"dims\": [[4, 2, 8], [4, 1, 8], [4, 1, "
         "4]], \"types\": [" HALF ", " HALF "], " STEP,
         2 * 12 * 35, 20 * 12 * 2},
        {"{\"op\": \"sglang_profiler::attention_paged_attention_ragged\", \"dims\": "
         "[[], "
         "[], [4, 2, 8], [9, 1, 8], [9, 1, 6]], \"types\": [\"\", \"\", " HALF
         "], " STEP,
         2 * 14 * 35, 20 * 14 * 2},
        {"{\"op\": \"sglang_profiler::tilelang_kernel_tilelang_sparse_fwd\", \"dims\": "
         "[[4, 2, 8], [4, 1, 8]], \"types\": [" HALF ", " HALF "], " STEP,
         2 * 520 * 35, 20 * 520 * 2},
        /* 16 pairs of 2 heads of 8: queries in and out, keys of 8 bits once a pair */
        {"{\"op\": \"aiter::pa_sparse_prefill_opus_fwd\", \"dims\": [[4, 2, 8], [9, "
         "8], "
         "[10], [], [], [6]], \"types\": [" HALF ", \"c10::Float8_e4m3fn\"]}",
         16 * 2 * 2 * 16, 2 * 4 * 2 * 8 * 2 + 16 * 8}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        expect_cost(cases[k].call, PERF_FORWARD, cases[k].flop, cases[k].byte,
                    "matrix_bf16");
}

#define GLUON(window)                                                                  \
    "{\"op\": \"aiter::pa_decode_gluon\", \"dims\": [[1, 2, 8], [], [3, 1, 9]], "      \
    "\"types\": [" HALF ", \"\", " HALF "], \"concrete\": [\"\", \"\", \"\", \"\", "   \
    "\"\", \"\", \"\", \"\", \"\", \"\", \"\", \"\", \"\", \"\", \"\", \"\", \"\", "   \
    "\"\", "                                                                           \
    "\"\", \"" window "\"], " STEP

/* Of 7 cached tokens a window of 4 is seen: 2 * 2 * 16 * 4; (3 + 3) * 16 values. */
static void a_window_bounds_what_is_seen(void **state)
{
    (void)state;
    expect_cost(GLUON("4"), PERF_FORWARD, 256, 192, "matrix_bf16");
    expect_cost(GLUON("0"), PERF_FORWARD, 448, 288, "matrix_bf16");
    expect_cost(GLUON("9"), PERF_FORWARD, 448, 288, "matrix_bf16");
}

#define V4(kind, extra)                                                                \
    "{\"op\": \"pseudo_v4_paged_decode_" kind "\", \"dims\": [[2, 64, 512]], "         \
    "\"types\": [" HALF "], \"extra\": {" extra "}, \"annotation\": "                  \
    "\"execute_2_context_0(sq0sk0sqsq0sqsk0)_generation_2(sq2sk16000sqsq2sqsk16000)"   \
    "\"}"
#define V4_PARAMS(heads, window)                                                       \
    "B=1 N_Q=2 H_Q=" heads " H_V=1 H_K=1 N_KV=16000 H_KV=1 d_h_qk=512 d_h_v=512 "      \
    "dropout=0.0 causal=False flash_impl=True c_sq=0 c_sk=0 c_sqsq=0 c_sqsk=0 g_sq=2 " \
    "g_sk=16000 g_sqsq=2 g_sqsk=16000 dtype_Q=c10::bfloat16 "                          \
    "dtype_KV=c10::bfloat16 sliding_window=" window

/* Two requests of 8000 tokens: a window of 128, and 512 (of the large model 1024) of
 * every fourth, or one of every 128. Its heads are parted over ranks. */
static void layers_of_v4_see_a_window_and_more(void **state)
{
    (void)state;
    expect_params(V4("swa", ""), V4_PARAMS("64", "128"));
    expect_params(V4("csa", ""), V4_PARAMS("64", "640"));
    expect_params(V4("hca", ""), V4_PARAMS("64", "191"));
    expect_params(V4("csa", "\"v4_index_topk\": 3000"), V4_PARAMS("64", "2128"));
    expect_params(V4("csa", "\"v4_model_name\": \"DeepSeek-V4-Pro\", \"v4_tp\": 8"),
                  V4_PARAMS("16", "1152"));
    expect_params(V4("swa", "\"v4_window\": 64, \"v4_H_Q\": 5"), V4_PARAMS("5", "64"));
    expect_cost(V4("swa", ""), PERF_FORWARD, 2.0 * 64 * 1024 * 256,
                2 * 65 * 1024 * 2 + 254 * 1024 * 2, "matrix_bf16");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_the_step),
        cmocka_unit_test(empty_step_is_dropped),
        cmocka_unit_test(gated_delta_rule),
        cmocka_unit_test(cache_moves_four_times),
        cmocka_unit_test(each_form_has_its_own_places),
        cmocka_unit_test(a_window_bounds_what_is_seen),
        cmocka_unit_test(layers_of_v4_see_a_window_and_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
