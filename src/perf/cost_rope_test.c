#include "perf/cost_rope.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perf/perf_case.h"

/* 120 elements. */
static void three_flop_each(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"FusedRoPEFunc\", \"dims\": [[2, 3, 4, 5]], \"types\": "
                "[\"float\"]}",
                PERF_FORWARD, 360, 960, "vector_fp32");
}

/* 8/4 + 4/4 = 3 heads, 2 of 4 turned, 5 tokens: 30 elements. */
static void flat_heads(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"sgl_kernel::rotary_embedding\", \"dims\": [[5], [5, 8], "
                "[5, 4], [], [9, 2]], \"types\": [\"long int\", \"c10::BFloat16\"], "
                "\"concrete\": [\"\", \"\", \"\", \"4\"]}",
                PERF_FORWARD, 90, 120, "vector_bf16");
}

/* T = 2, QH = 3, L = 4, P = 5, KH = 1: 3*(30 + 10); 2*4*9*2 + 2*3*9*2 + 2*9*1 = 144 +
 * 108 + 18. */
static void latent_cache(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"aiter::fused_qk_rope_cat_and_cache_mla\", \"dims\": [[2, "
                "3, 4], [2, 3, 5], [2, 1, 4]], \"types\": [\"c10::BFloat16\", \"\", "
                "\"\", \"\", \"fp8\"]}",
                PERF_FORWARD, 120, 270, "vector_bf16");
}

/* 24 and 12 elements in one call. */
static void two_tensors_at_once(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"aiter::rope_cached_positions_2c_fwd_impl\", \"dims\": [[], "
                "[], [2, 3, 4], [2, 3, 2]], \"types\": [\"c10::BFloat16\"]}",
                PERF_FORWARD, 108, 144, "vector_bf16");
}

/* Without a head size or a cache, the query is one head of 8, all of it turned. */
static void one_head(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"sgl_kernel::rotary_embedding\", \"dims\": [[5], [5, 8], "
                "[5, 4]], \"types\": [\"long int\", \"c10::BFloat16\"]}",
                PERF_FORWARD, 120, 160, "vector_bf16");
}

/* As above with two key heads; and joined, with an output of 8 bits and one. */
static void other_latent_caches(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"aiter::fused_qk_rope_cat_and_cache_mla\", \"dims\": [[2, "
                "3, 4], [2, 3, 5], [2, 2, 4]], \"types\": [\"c10::BFloat16\", \"\", "
                "\"\", \"\", \"fp8\"]}",
                PERF_FORWARD, 150, 180 + 108 + 36, "vector_bf16");
    expect_cost("{\"op\": \"aiter::fused_qk_rope_concat_and_cache_mla\", \"dims\": "
                "[[2, 3, 4], [2, 3, 5], [2, 2, 4]], \"types\": [\"c10::BFloat16\", "
                "\"\", \"\", \"\", \"c10::BFloat16\", \"fp8\"]}",
                PERF_FORWARD, 120, 144 + 54 + 36, "vector_bf16");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_flop_each), cmocka_unit_test(flat_heads),
        cmocka_unit_test(latent_cache),    cmocka_unit_test(two_tensors_at_once),
        cmocka_unit_test(one_head),        cmocka_unit_test(other_latent_caches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
