#include "perf/own/own_attention.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sequences_in_one_tensor),
        cmocka_unit_test(batch_prefill_attends_to_the_listed_pages),
        cmocka_unit_test(backward),
        cmocka_unit_test(paged),
        cmocka_unit_test(flash_attention_3),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
