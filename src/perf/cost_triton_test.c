#include "perf/cost_triton.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "perf/perf_case.h"

/* silu 4 and mul 1 on 8 elements; two tensors of 16 bytes and 16 more. */
static void pointwise(void **state)
{
    (void)state;
    expect_cost(
        "{\"op\": \"triton_poi_fused_mul_silu_0\", \"dims\": [[8], [8]], "
        "\"types\": [\"c10::BFloat16\", \"c10::BFloat16\"], \"concrete\": [\"\", "
        "\"\", \"8\"]}",
        PERF_FORWARD, 40, 48, "vector_bfloat16");
}

/* 1*4*2; no extra write. */
static void reduction_has_two_sizes(void **state)
{
    (void)state;
    expect_cost(
        "{\"op\": \"triton_red_fused_sum_1\", \"dims\": [[8], [8]], \"types\": "
        "[\"c10::BFloat16\", \"c10::BFloat16\"], \"concrete\": [\"\", \"\", \"4\", "
        "\"2\"]}",
        PERF_FORWARD, 8, 32, "vector_bfloat16");
}

/* A body that starts with "_" keeps it; "native_layer_norm" is one word, though "norm"
 * ends it. */
static void words_are_longest_from_the_right(void **state)
{
    (void)state;
    expect_params("{\"op\": \"triton_poi_fused__to_copy_add_native_layer_norm_7\", "
                  "\"dims\": [[8], [8]], \"types\": [\"c10::BFloat16\", "
                  "\"c10::BFloat16\"], \"concrete\": [\"\", \"\", \"8\"]}",
                  "fused_ops=aten._to_copy, aten.add, aten.native_layer_norm "
                  "xnumel=8 rnumel=1");
}

static void one_unknown_word_empties_all(void **state)
{
    (void)state;
    expect_params(
        "{\"op\": \"triton_poi_fused_nosuchop_add_1\", \"dims\": [[8], [8]], "
        "\"types\": [\"c10::BFloat16\", \"c10::BFloat16\"], \"concrete\": [\"\", "
        "\"\", \"8\"]}",
        "fused_ops= xnumel=8 rnumel=1");
    expect_params(
        "{\"op\": \"triton_poi_0\", \"dims\": [[8], [8]], \"types\": "
        "[\"c10::BFloat16\", \"c10::BFloat16\"], \"concrete\": [\"\", \"\", \"8\"]}",
        "fused_ops= xnumel=8 rnumel=1");
}

static void float_weighs_nothing(void **state)
{
    (void)state;
    expect_cost("{\"op\": \"triton_poi_fused_neg_0\", \"dims\": [[8], [8]], \"types\": "
                "[\"float\", \"float\"], \"concrete\": [\"\", \"\", \"8\"]}",
                PERF_FORWARD, 8, 0, "");
}

/* What each operator counts for an element in the reference. */
static void operators_have_their_costs(void **state)
{
    static const struct {
        const char *ops;
        double flop;
    } costs[] = {{"add sub mul div relu mean sum abs neg ne eq lt gt", 1},
                 {"pow sqrt rsqrt var reciprocal", 2},
                 {"exp log tanh sigmoid silu", 4},
                 {"gelu", 8},
                 {"clone", 0}};
    (void)state;
    for (size_t k = 0; k < sizeof costs / sizeof *costs; k++)
        for (struct str rest = str_of(costs[k].ops); rest.n;) {
            struct str op = str_take(&rest, S(" "));
            char call[256];
            snprintf(call, sizeof call,
                     "{\"op\": \"triton_poi_fused_%.*s_0\", \"dims\": [[8]], "
                     "\"types\": [\"c10::BFloat16\"], \"concrete\": [\"\", \"8\"]}",
                     STRF(op));
            expect_cost(call, PERF_FORWARD, 8 * costs[k].flop, 32, "vector_bfloat16");
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pointwise),
        cmocka_unit_test(reduction_has_two_sizes),
        cmocka_unit_test(words_are_longest_from_the_right),
        cmocka_unit_test(one_unknown_word_empties_all),
        cmocka_unit_test(float_weighs_nothing),
        cmocka_unit_test(operators_have_their_costs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
