#include "perf/cost_attention.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

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

/* A call of 26 operands whose Q, K and V are from slot q on, and those concrete values.
 */
static void call_with(char *to, size_t most, const char *op, const char *type, int q,
                      int dropout_at, int causal_at)
{
    enum { OPERANDS = 26 };
    int n = snprintf(to, most, "{\"op\": \"%s\", \"dims\": [", op);
    for (int k = 0; k < OPERANDS; k++)
        n += snprintf(to + n, most - (size_t)n, "%s%s", k ? ", " : "",
                      k >= q && k < q + 3 ? "[1, 4, 4, 8]" : "[]");
    n += snprintf(to + n, most - (size_t)n, "], \"types\": [");
    for (int k = 0; k < OPERANDS; k++)
        n += snprintf(to + n, most - (size_t)n, "%s\"%s\"", k ? ", " : "", type);
    n += snprintf(to + n, most - (size_t)n, "], \"strides\": [");
    for (int k = 0; k < OPERANDS; k++)
        n += snprintf(to + n, most - (size_t)n, "%s[128, 32, 8, 1]", k ? ", " : "");
    n += snprintf(to + n, most - (size_t)n, "], \"concrete\": [");
    for (int k = 0; k < OPERANDS; k++)
        n += snprintf(to + n, most - (size_t)n, "%s\"%s\"", k ? ", " : "",
                      k == dropout_at  ? "0.5"
                      : k == causal_at ? "True"
                                       : "False");
    snprintf(to + n, most - (size_t)n, "]}");
}

/* Where each operator has its operands and flags, by its signature. */
static void each_operator_has_its_places(void **state)
{
    static const struct {
        const char *op;
        int q, dropout_at, causal_at;
        bool flash;
    } ops[] = {{"flash_attn::_flash_attn_forward", 0, 3, 5, true},
               {"flash_attn::_flash_attn_backward", 1, 8, 10, true},
               {"aten::_scaled_dot_product_cudnn_attention", 0, 5, 6, false},
               {"aten::_scaled_dot_product_efficient_attention", 0, 5, 6, false},
               {"aten::_scaled_dot_product_flash_attention", 0, 3, 4, true},
               {"aiter::_flash_attn_forward", 0, 3, 5, true},
               {"aiter::mha_fwd", 0, 3, 5, true},
               {"aiter::fmha_v3_fwd", 0, 3, 5, true},
               {"aiter::_flash_attn_backward", 0, 10, 12, true},
               {"aiter::wrapper_fmha_v3_fwd", 1, 4, 6, true},
               {"aiter::wrapper_fmha_v3_bwd", 1, 7, 9, true},
               {"aiter::mha_bwd", 1, 6, 8, true},
               {"flash_attn_3::fwd", 0, -1, 24, true}};
    (void)state;
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++) {
        char call[4096], want[80];
        struct perf_case c;
        struct str all = S("");
        call_with(call, sizeof call, ops[k].op, "c10::Half", ops[k].q,
                  ops[k].dropout_at, ops[k].causal_at);
        case_read(&c, call);
        case_evaluate(&c, PERF_FORWARD);
        assert_int_equal(c.cost.status, PERF_OK);
        for (int i = 0; i < c.cost.n_params; i++)
            all = str_printf(&c.arena, "%.*s%s=%.*s ", STRF(all), c.cost.params[i].key,
                             STRF(perf_param_str(&c.cost.params[i])));
        snprintf(want, sizeof want, "dropout=%s causal=True flash_impl=%s ",
                 ops[k].dropout_at < 0 ? "0.0" : "0.5",
                 ops[k].flash ? "True" : "False");
        if (!str_has(all, str_of(want)))
            fail_msg("%s: %.*s", ops[k].op, STRF(all));
        case_free(&c);
    }
}

/* The backward of the first framework knows its width, those of others take two bytes:
 * Q, its gradient and the result, K and V twice. */
static void a_backward_in_four_bytes(void **state)
{
    static const struct {
        const char *op;
        double bytes;
    } ops[] = {{"flash_attn::_flash_attn_backward", 4}, {"aiter::mha_bwd", 2}};
    (void)state;
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++) {
        char call[4096];
        struct perf_case c;
        call_with(call, sizeof call, ops[k].op, "float", 1, k ? 6 : 8, k ? 8 : 10);
        case_read(&c, call);
        case_evaluate(&c, PERF_FORWARD);
        assert_true(c.cost.byte == 7 * 128 * ops[k].bytes);
        case_free(&c);
    }
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
        cmocka_unit_test(each_operator_has_its_places),
        cmocka_unit_test(a_backward_in_four_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
