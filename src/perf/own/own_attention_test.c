#include "perf/own/own_attention.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "perf/own/own_case.h"

#define HALVES                                                                         \
    "[\"c10::Half\", \"c10::Half\", \"c10::Half\", \"int\", \"int\", \"int\"]"

/* Two sequences of 4 tokens, 2 heads of 8: 2 * 2 * 16 * (2 * 16) FLOP, half of it below
 * the diagonal. Q, K, V and the result are 128 halves each. */
static void sequences_in_one_tensor(void **state)
{
    (void)state;
    expect_own(
        "{\"op\": \"aiter::mha_varlen_fwd\", \"dims\": [[8, 2, 8], [8, 2, 8], [8, "
        "2, 8], [3], [3], []], \"types\": " HALVES ", \"concrete\": [\"\", \"\", "
        "\"\", \"\", \"\", \"4\", \"4\", \"0\", \"0.\", \"0.3\", \"0.\", "
        "\"False\", \"False\"]}",
        2048, 1024, "matrix_fp16");
    expect_own(
        "{\"op\": \"aiter::mha_varlen_fwd\", \"dims\": [[8, 2, 8], [8, 2, 8], [8, "
        "2, 8], [3], [3], []], \"types\": " HALVES ", \"concrete\": [\"\", \"\", "
        "\"\", \"\", \"\", \"4\", \"4\", \"0.\", \"0.3\", \"False\", \"True\"]}",
        1024, 1024, "matrix_fp16");
}

/* 12 pages of one token each are listed, of a cache of 100; 4 queries at the end of
 * them: 4 * 12 - 4 * 4 / 2 = 40 pairs. */
static void batch_prefill_attends_to_the_listed_pages(void **state)
{
    (void)state;
    expect_own("{\"op\": \"aiter::mha_batch_prefill\", \"dims\": [[4, 2, 8], [100, 1, "
               "8], [100, 1, 8], [2], [2], [12]], \"types\": " HALVES ", \"concrete\": "
               "[\"\", \"\", \"\", \"\", \"\", \"\", \"4\", \"12\", \"0.\", \"0.3\", "
               "\"0.\", \"False\", \"True\"]}",
               2 * 2 * 16 * 40, 2 * (64 + 12 * 16 + 64), "matrix_fp16");
}

#define BACKWARD                                                                       \
    "{\"op\": \"aten::_scaled_dot_product_flash_attention_backward\", \"dims\": [[1, " \
    "2, 4, 8], [1, 2, 4, 8], [1, 2, 4, 8], [1, 2, 4, 8], [1, 2, 4, 8]], \"types\": "   \
    "[\"c10::Half\", \"c10::Half\", \"c10::Half\", \"c10::Half\", \"c10::Half\"], "    \
    "\"concrete\": [\"\", \"\", \"\", \"\", \"\", \"\", \"\", \"\", \"4\", \"4\", "    \
    "\"0.\", \"False\"]}"

/* Five products of 2 * 2 * 16 * 8 FLOP; five tensors of 64 halves in, three out. */
static void backward(void **state)
{
    (void)state;
    expect_own(BACKWARD, 5 * 512, 8 * 128, "matrix_fp16");
}

#define PAGED(annotation)                                                              \
    "{\"op\": \"_C::paged_attention_v1\", \"dims\": [[2, 4, 8], [2, 4, 8], [50, 1, "   \
    "1, "                                                                              \
    "16, 8], [50, 1, 8, 16]], \"types\": [\"c10::Half\", \"c10::Half\", "              \
    "\"c10::Half\", "                                                                  \
    "\"c10::Half\"], \"annotation\": \"" annotation "\"}"

/* 30 cached tokens of one K/V head of 8: 4 * 4 * 8 * 30 FLOP; 2 * 30 * 8 and two times
 * 64 halves. How long the sequences are is only in the annotation. */
static void paged(void **state)
{
    (void)state;
    expect_own(PAGED("execute_2_context_0(sq0sk0sqsq0sqsk0)_generation_2("
                     "sq2sk30sqsq2sqsk30)"),
               3840, 1216, "matrix_fp16");
    expect_own_failure(PAGED("step 3"));
}

#define FLASH3(op, keys, after, concrete, kernel)                                      \
    "{\"op\": \"" op "\", \"dims\": [[2, 4, 2, 8], " keys ", " keys after              \
    "], \"types\": [\"c10::BFloat16\", \"c10::BFloat16\", \"c10::BFloat16\"], "        \
    "\"concrete\": [\"\", \"\", \"\"" concrete "], \"kernels\": [\"" kernel "\"]}"
#define SM90(flags)                                                                    \
    "void cutlass::device_kernel<flash::FlashAttnFwdSm90<flash::CollectiveMainloop"    \
    "FwdSm90<2, 128, cutlass::bfloat16_t, float, cutlass::arch::Sm90, " flags ">>>"
#define NINE  ", \"\", \"\", \"\", \"\", \"\", \"\", \"\", \"\", \"\""
#define PAGES ", [], [], [], [], [], [], [], [], [], [], [], [2, 3]"

/* 2 * 2 * 2 heads * 2 sequences of 4 x 4 pairs of width 8: 2048; of 4 x 6: 3072. A mask
 * of four queries at the end of six keys: 4 * 6 - 4 * 4 / 2 = 16 pairs. Whether there
 * is one is in an argument (the 25th), else in the kernel's name. */
static void flash_attention_3(void **state)
{
    (void)state;
    expect_own(FLASH3("flash_attn_3::fwd", "[2, 4, 2, 8]", "", "", "x"), 2048, 1024,
               "matrix_bf16");
    expect_own(FLASH3("flash_attn_3::_flash_attn_forward", "[2, 6, 2, 8]", "", "",
                      SM90("false, false")),
               3072, 1280, "matrix_bf16");
    expect_own(FLASH3("flash_attn_3::fwd", "[2, 6, 2, 8]", "", "", SM90("true, false")),
               2048, 1280, "matrix_bf16");
    expect_own(FLASH3("flash_attn_3::fwd", "[2, 6, 2, 8]", "",
                      NINE NINE ", \"\", \"\", \"\", \"True\"", "x"),
               2048, 1280, "matrix_bf16");
    expect_own(FLASH3("_diffusers_flash_attn_3::_flash_attn_forward", "[2, 6, 2, 8]",
                      "", ", \"\", \"True\"", "x"),
               2048, 1280, "matrix_bf16");
    expect_own_failure(FLASH3("flash_attn_3::fwd", "[2, 6, 2, 8]", "", "",
                              SM90("false, true"))); /* a window */
    expect_own_failure(
        FLASH3("_vllm_fa3_C::fwd", "[2, 6, 2, 8]", PAGES, "", "x")); /* pages */
}

#define WRAPPED(q, k)                                                                  \
    "{\"op\": \"flash_attn_3::bwd\", \"dims\": [" q ", " q ", " k ", " k ", " q        \
    "], \"types\": [\"c10::Half\", \"c10::Half\", \"c10::Half\", \"c10::Half\", "      \
    "\"c10::Half\"], \"concrete\": [\"\", \"\", \"\", \"\", \"\"]}"

/* 4 query heads and 2 of keys, 512 tokens of width 8, in the library's layout and with
 * heads before the length: 2.5 * 2 * 4 * 16 * 512 * 512 FLOP both times. */
static void heads_recorded_before_the_length(void **state)
{
    (void)state;
    double flop = 2.5 * 2 * 4 * 16 * 512 * 512, byte = 2 * 512 * 8 * (4 * 4 + 4 * 2);
    expect_own(WRAPPED("[1, 512, 4, 8]", "[1, 512, 2, 8]"), flop, byte, "matrix_fp16");
    expect_own(WRAPPED("[1, 4, 512, 8]", "[1, 2, 512, 8]"), flop, byte, "matrix_fp16");
    /* Four queries of 200 heads are no sequence of 200. */
    expect_own(WRAPPED("[1, 4, 200, 8]", "[1, 4, 200, 8]"), 2.5 * 2 * 200 * 16 * 16,
               2.0 * 8 * 4 * 200 * 8, "matrix_fp16");
}

/* A call of 26 operands whose Q, K and V are from slot q on, with cumulative lengths of
 * two sequences at `lengths` and a flag at `causal`; what is in slot `other` is a
 * tensor too. */
static void call_with(char *to, size_t most, const char *op, int q, int lengths,
                      int causal, int other)
{
    enum { OPERANDS = 26 };
    int n = snprintf(to, most, "{\"op\": \"%s\", \"dims\": [", op);
    for (int k = 0; k < OPERANDS; k++)
        n += snprintf(to + n, most - (size_t)n, "%s%s", k ? ", " : "",
                      k >= q && k < q + 3 ? lengths ? "[8, 2, 8]" : "[1, 4, 2, 8]"
                      : lengths && (k == lengths || k == lengths + 1) ? "[3]"
                      : k == other                                    ? "[7]"
                                                                      : "[]");
    n += snprintf(to + n, most - (size_t)n, "], \"types\": [");
    for (int k = 0; k < OPERANDS; k++)
        n += snprintf(to + n, most - (size_t)n, "%s\"c10::Half\"", k ? ", " : "");
    n += snprintf(to + n, most - (size_t)n, "], \"concrete\": [");
    for (int k = 0; k < OPERANDS; k++)
        n += snprintf(to + n, most - (size_t)n, "%s\"%s\"", k ? ", " : "",
                      k == causal ? "True" : "False");
    snprintf(to + n, most - (size_t)n, "]}");
}

/* By the operators' signatures. Two sequences of 4 tokens and 2 heads of 8 have 2 * 2 *
 * 16 * 32 / 2 FLOP below the diagonal, one of 4 half of that, or where heads come
 * first, of 2 tokens and 4 heads, a quarter; a backward has 2.5 times as many. */
static void each_operator_has_its_places(void **state)
{
    static const struct {
        const char *op;
        int q, lengths, causal;
        double flop;
        int unknown[2];
    } ops[] = {
        {"aten::_efficient_attention_forward", 0, 4, 9, 1024, {0}},
        {"aten::_flash_attention_forward", 0, 3, 8, 1024, {0}},
        {"aten::_scaled_dot_product_fused_attention_overrideable", 0, 0, 5, 256, {0}},
        {"aten::_efficient_attention_backward", 1, 6, 14, 2560, {0}},
        {"aten::_flash_attention_backward", 1, 6, 11, 2560, {0}},
        {"aten::_scaled_dot_product_cudnn_attention_backward", 1, 0, 14, 640, {0}},
        {"aten::_scaled_dot_product_efficient_attention_backward", 1, 0, 11, 640, {0}},
        {"aten::_scaled_dot_product_flash_attention_backward", 1, 0, 11, 640, {0}},
        {"_vllm_fa2_C::varlen_fwd", 0, 4, 15, 1024, {6, 8}},
        {"flash_attn_3::fwd", 0, 7, 24, 1024, {10, 14}},
        {"flash_attn_3::_flash_attn_forward", 0, 7, 24, 1024, {10, 14}},
        {"_vllm_fa3_C::fwd", 0, 7, 24, 1024, {10, 14}},
        {"_diffusers_flash_attn_3::_flash_attn_forward", 0, 0, 4, 512, {0}},
        {"flash_attn_3::bwd", 1, 9, 16, 2560, {11, 12}},
        {"flash_attn_3::_flash_attn_backward", 1, 6, 16, 2560, {8, 9}},
        {"flash_attn::_flash_attn_forward", 0, 0, 5, 512, {0}},
        {"flash_attn::_flash_attn_varlen_forward", 0, 3, 9, 1024, {15, 15}}};
    (void)state;
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++) {
        bool back = ops[k].flop > 2000 || ops[k].flop == 640;
        double elements =
            ops[k].lengths ? 128 : 64; /* of Q, K, V and the result each */
        char call[4096];
        call_with(call, sizeof call, ops[k].op, ops[k].q, ops[k].lengths, ops[k].causal,
                  -1);
        expect_own(call, ops[k].flop, (back ? 8 : 4) * elements * 2, "matrix_fp16");
        for (int i = 0; i < 26 && ops[k].unknown[0]; i++) {
            bool known = i < ops[k].unknown[0] || i > ops[k].unknown[1];
            if (known && i != ops[k].unknown[0] - 1 && i != ops[k].unknown[1] + 1)
                continue;
            bool taken = i == ops[k].lengths || i == ops[k].lengths + 1;
            call_with(call, sizeof call, ops[k].op, ops[k].q, ops[k].lengths,
                      ops[k].causal, taken ? -1 : i);
            if (known)
                expect_own(call, ops[k].flop, (back ? 8 : 4) * elements * 2,
                           "matrix_fp16");
            else
                expect_own_failure(call);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sequences_in_one_tensor),
        cmocka_unit_test(batch_prefill_attends_to_the_listed_pages),
        cmocka_unit_test(backward),
        cmocka_unit_test(paged),
        cmocka_unit_test(flash_attention_3),
        cmocka_unit_test(heads_recorded_before_the_length),
        cmocka_unit_test(each_operator_has_its_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
