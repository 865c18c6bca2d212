#include "perf/cost_attention.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf/perf_case.h"

/* 2*1*2*4*4*16 = 1024 FLOP; (4*2*16 twice) of 2 bytes. */
static void forward(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"aten::_scaled_dot_product_flash_attention\", \"dims\": "
                "[[1, 2, 4, 8], [1, 2, 4, 8], [1, 2, 4, 8]], \"types\": "
                "[\"c10::BFloat16\", \"c10::BFloat16\", \"c10::BFloat16\"], "
                "\"concrete\": [\"\", \"\", \"\", \"0.\", \"False\"]}",
                PERF_FORWARD, 1024, 512, "matrix_bf16");
}

static void causal_is_half(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"aten::_scaled_dot_product_flash_attention\", \"dims\": "
                "[[1, 2, 4, 8], [1, 2, 4, 8], [1, 2, 4, 8]], \"types\": "
                "[\"c10::BFloat16\", \"c10::BFloat16\", \"c10::BFloat16\"], "
                "\"concrete\": [\"\", \"\", \"\", \"0.\", \"true\"]}",
                PERF_FORWARD, 512, 512, "matrix_bf16");
}

static void causal_rectangle_fails(void **state)
{
    (void)state;
    expect_status("{\"op\": \"aten::_scaled_dot_product_flash_attention\", \"dims\": "
                  "[[1, 2, 4, 8], [1, 2, 5, 8], [1, 2, 5, 8]], \"types\": "
                  "[\"c10::BFloat16\", \"c10::BFloat16\", \"c10::BFloat16\"], "
                  "\"concrete\": [\"\", \"\", \"\", \"0.\", \"True\"]}",
                  PERF_FORWARD, PERF_FAIL);
}

/* R = Rv = 2*2*4*4*8 = 512: 5 of them. Bytes (2*64 + 64 + 2*8*16)*2. */
static void backward_recomputes(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"aten::_scaled_dot_product_flash_attention\", \"dims\": "
                "[[1, 2, 4, 8], [1, 2, 4, 8], [1, 2, 4, 8]], \"types\": "
                "[\"c10::BFloat16\", \"c10::BFloat16\", \"c10::BFloat16\"], "
                "\"concrete\": [\"\", \"\", \"\", \"0.\", \"False\"]}",
                PERF_BACKWARD, 2560, 896, "matrix_bf16");
}

/* Values half as wide as queries: Q and its gradient are 64 each, the output 32, keys
 * and values 64 + 32, twice. */
static void backward_of_narrow_values(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"aten::_scaled_dot_product_flash_attention\", \"dims\": "
                "[[1, 2, 4, 8], [1, 2, 4, 8], [1, 2, 4, 4]], \"types\": "
                "[\"c10::BFloat16\", \"c10::BFloat16\", \"c10::BFloat16\"], "
                "\"concrete\": [\"\", \"\", \"\", \"0.\", \"False\"]}",
                PERF_BACKWARD, 3 * 512 + 2 * 256, (2 * 64 + 32 + 2 * 96) * 2,
                "matrix_bf16");
}

/* 4 query heads on 2: g - 1 = 1 sum of 4*16; 5*2*4*4*4*8. */
static void shared_heads_add_sums(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"aten::_scaled_dot_product_flash_attention\", \"dims\": "
                "[[1, 4, 4, 8], [1, 2, 4, 8], [1, 2, 4, 8]], \"types\": "
                "[\"c10::BFloat16\", \"c10::BFloat16\", \"c10::BFloat16\"], "
                "\"concrete\": [\"\", \"\", \"\", \"0.\", \"False\"]}",
                PERF_BACKWARD, 5120 + 64, (2 * 128 + 128 + 2 * 128) * 2, "matrix_bf16");
}

/* Longest 4 of 10 tokens, 3 others as 2 each: 64*(16 + 3*4). */
static void packed_sequences(void **state)
{
    (void)state;
    expect_cost(
        "{\"op\": \"flash_attn::_flash_attn_varlen_forward\", \"dims\": "
        "[[10, 2, 8], [10, 2, 8], [10, 2, 8], [5], [5]], \"types\": "
        "[\"c10::BFloat16\", \"c10::BFloat16\", \"c10::BFloat16\"], "
        "\"strides\": [[16, 8, 1], [16, 8, 1], [16, 8, 1]], \"concrete\": "
        "[\"\", \"\", \"\", \"\", \"\", \"4\", \"4\", \"0.\", \"\", \"False\"]}",
        PERF_FORWARD, 1792, 1280, "matrix_bf16");
}

/* Three batches of heads of 8: 2*3*2*5*5*16; 3*5*2*16*2 elements of 2 bytes. */
static void batches_multiply(void **state)
{
    (void)state;
    expect_cost(
        "{\"op\": \"flash_attn::_flash_attn_forward\", \"dims\": [[3, 5, 2, 8], [3, 5, "
        "2, 8], [3, 5, 2, 8]], \"types\": [\"c10::BFloat16\", \"c10::BFloat16\", "
        "\"c10::BFloat16\"], \"strides\": [[80, 16, 8, 1], [80, 16, 8, 1], [80, 16, 8, "
        "1]], \"concrete\": [\"\", \"\", \"\", \"0.25\", \"\", \"False\"]}",
        PERF_FORWARD, 4800, 1920, "matrix_bf16");
    expect_params(
        "{\"op\": \"flash_attn::_flash_attn_forward\", \"dims\": [[3, 5, 2, 8], [3, 5, "
        "2, 8], [3, 5, 2, 8]], \"types\": [\"c10::BFloat16\", \"c10::BFloat16\", "
        "\"c10::BFloat16\"], \"strides\": [[80, 16, 8, 1], [80, 16, 8, 1], [80, 16, 8, "
        "1]], \"concrete\": [\"\", \"\", \"\", \"0.25\", \"\", \"False\"]}",
        "B=3 N_Q=5 H_Q=2 N_KV=5 H_KV=2 d_h_qk=8 d_h_v=8 q_stride=(80, 16, 8, 1) "
        "k_stride=(80, 16, 8, 1) v_stride=(80, 16, 8, 1) dropout=0.25 causal=False "
        "flash_impl=True dtype_A_B=('c10::BFloat16', 'c10::BFloat16')");
    expect_cost("{\"op\": \"aten::_scaled_dot_product_flash_attention\", \"dims\": "
                "[[3, 2, 4, 8], [3, 2, 4, 8], [3, 2, 4, 8]], \"types\": "
                "[\"c10::BFloat16\", \"c10::BFloat16\", \"c10::BFloat16\"], "
                "\"concrete\": [\"\", \"\", \"\", \"0.\", \"False\"]}",
                PERF_FORWARD, 3072, 1536, "matrix_bf16");
    expect_cost("{\"op\": \"aten::_scaled_dot_product_flash_attention\", \"dims\": "
                "[[3, 2, 4, 8], [3, 2, 4, 8], [3, 2, 4, 8]], \"types\": "
                "[\"c10::BFloat16\", \"c10::BFloat16\", \"c10::BFloat16\"], "
                "\"concrete\": [\"\", \"\", \"\", \"0.\", \"False\"]}",
                PERF_BACKWARD, 7680, 2688, "matrix_bf16");
    /* 4 query heads on 2, without flash: 4 of 2*3*4*4*4*8 and 3 sums of 64 */
    expect_cost("{\"op\": \"aten::_scaled_dot_product_efficient_attention\", \"dims\": "
                "[[3, 4, 4, 8], [3, 2, 4, 8], [3, 2, 4, 8]], \"types\": "
                "[\"c10::BFloat16\", \"c10::BFloat16\", \"c10::BFloat16\"], "
                "\"concrete\": [\"\", \"\", \"\", \"\", \"\", \"0.\", \"False\"]}",
                PERF_BACKWARD, 4 * 3072 + 3 * 64, (2 * 384 + 384 + 2 * 384) * 2,
                "matrix_bf16");
}

/* Of a backward pass that says nothing of a mask, the reference takes one. */
static void a_backward_without_a_word_is_causal(void **state)
{
    (void)state;
    expect_cost(
        "{\"op\": \"flash_attn::_flash_attn_backward\", \"dims\": [[3, 5, 2, 8], [3, "
        "5, 2, 8], [3, 5, 2, 8], [3, 5, 2, 8]], \"types\": [\"c10::BFloat16\", "
        "\"c10::BFloat16\", \"c10::BFloat16\", \"c10::BFloat16\"], \"strides\": [[80, "
        "16, 8, 1], [80, 16, 8, 1], [80, 16, 8, 1], [80, 16, 8, 1]], \"concrete\": "
        "[\"\", \"\", \"\", \"\", \"\", \"\", \"\", \"\", \"0.\", \"\", \"False\"]}",
        PERF_FORWARD, 12000, (2 * 240 + 240 + 2 * 480) * 2, "matrix_bf16");
    expect_cost(
        "{\"op\": \"flash_attn::_flash_attn_backward\", \"dims\": [[3, 5, 2, 8], [3, "
        "5, 2, 8], [3, 5, 2, 8], [3, 5, 2, 8]], \"types\": [\"c10::BFloat16\", "
        "\"c10::BFloat16\", \"c10::BFloat16\", \"c10::BFloat16\"], \"strides\": [[80, "
        "16, 8, 1], [80, 16, 8, 1], [80, 16, 8, 1], [80, 16, 8, 1]], \"concrete\": "
        "[\"\", \"\", \"\", \"\", \"\", \"\", \"\", \"\", \"0.\", \"\", \"\"]}",
        PERF_FORWARD, 6000, (2 * 240 + 240 + 2 * 480) * 2, "matrix_bf16");
}

/* Two batches of 3 sequences of 5 residues: 2*6*4*5*5*16; 6*5*4*16*2 elements. */
static void residues_attend_in_each_sequence(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"EvoformerAttention\", \"dims\": [[2, 3, 5, 4, 8]], "
                "\"types\": [\"c10::BFloat16\"]}",
                PERF_FORWARD, 19200, 7680, "matrix_bf16");
    expect_params("{\"op\": \"EvoformerAttention\", \"dims\": [[2, 3, 5, 4, 8]], "
                  "\"types\": [\"c10::BFloat16\"]}",
                  "B=6 N_Q=5 H_Q=4 N_KV=5 H_KV=4 d_h_qk=8 d_h_v=8 causal=False "
                  "flash_impl=False dtype_A_B=('c10::BFloat16',)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forward),
        cmocka_unit_test(causal_is_half),
        cmocka_unit_test(causal_rectangle_fails),
        cmocka_unit_test(backward_recomputes),
        cmocka_unit_test(backward_of_narrow_values),
        cmocka_unit_test(shared_heads_add_sums),
        cmocka_unit_test(packed_sequences),
        cmocka_unit_test(batches_multiply),
        cmocka_unit_test(a_backward_without_a_word_is_causal),
        cmocka_unit_test(residues_attend_in_each_sequence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
