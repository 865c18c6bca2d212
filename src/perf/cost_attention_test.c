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

/* Values half as wide as queries: Q and its gradient are 64 each, the output 32, keys and
 * values 64 + 32, twice. */
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
