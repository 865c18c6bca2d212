#include "perf/step_annotation.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void expect(struct str text, struct step_tokens c, struct step_tokens g)
{
    struct step_tokens context, generation;
    assert_true(step_annotation_read(text, &context, &generation));
    assert_true(context.sq == c.sq && context.sk == c.sk);
    assert_true(context.sqsq == c.sqsq && context.sqsk == c.sqsk);
    assert_true(generation.sq == g.sq && generation.sk == g.sk);
    assert_true(generation.sqsq == g.sqsq && generation.sqsk == g.sqsk);
}

static void sums_are_read(void **state)
{
    (void)state;
    expect(S("execute_9_context_1(sq1sk2sqsq3sqsk4)_generation_2(sq5sk6sqsq7sqsk8)"),
           (struct step_tokens){1, 2, 3, 4}, (struct step_tokens){5, 6, 7, 8});
    expect(S("step[MIXED bs=2 c=1 c_sq=1 c_sk=2 c_sqsq=3 g_sq=5]"),
           (struct step_tokens){1, 2, 3, 0}, (struct step_tokens){5, 0, 0, 0});
    expect(S("prefill[bs=2 tok=1 ctx=[7, 6] sqsq=3 sqsk=4 sk=2]"),
           (struct step_tokens){1, 2, 3, 4}, (struct step_tokens){0});
    expect(S("decode[tok=1 sqsq=3 sqsk=4 sk=x]"), (struct step_tokens){0},
           (struct step_tokens){1, 0, 3, 4});
}

static void texts_without_sums_are_not(void **state)
{
    (void)state;
    const char *const texts[] = {"",
                                 "NA",
                                 "execute_context_1(6)_generation_0(0)",
                                 "step[DECODE bs=64]",
                                 "step[DECODE sqsq=1",
                                 "decode[bs=1/2 tok=3]",
                                 " execute_9_context_1(sq1sk2sqsq3sqsk4)",
                                 "step["};
    struct step_tokens c, g;
    for (int i = 0; i < 8; i++)
        assert_false(step_annotation_read(str_of(texts[i]), &c, &g));
}

/* Requests and new tokens of prompts and of generation; -1: not named. */
static void loads(const char *text, enum step_phase phase, double c, double g,
                  double c_tokens, double g_tokens)
{
    const double want[4] = {c, g, c_tokens, g_tokens};
    struct step_load l;
    assert_true(step_load_read(str_of(text), &l));
    assert_int_equal(l.phase, phase);
    const double got[4] = {l.requests[0], l.requests[1], l.tokens[0], l.tokens[1]};
    for (int k = 0; k < 4; k++)
        assert_true(want[k] < 0 ? isnan(got[k]) : got[k] == want[k]);
}

static void engines_name_phases(void **state)
{
    (void)state;
    loads("execute_9_context_1(sq1sk2sqsq3sqsk4)_generation_2(sq5sk6sqsq7sqsk8)",
          PHASE_MIXED, 1, 2, 1, 5);
    loads("execute_16_context_0(sq0sk0sqsq0sqsk0)_generation_16(sq16sk8193sqsq16"
          "sqsk8193)",
          PHASE_DECODE, 0, 16, 0, 16);
    loads("execute_context_2(1024)_generation_0(0)", PHASE_PREFILL, 2, 0, 1024, 0);
    loads("execute_context_0(0)_generation_0(0)", PHASE_NONE, 0, 0, 0, 0);
    loads("execute_new_2_cached_0", PHASE_PREFILL, 2, 0, -1, -1);
    loads("execute_new_2_cached_3", PHASE_MIXED, 2, 3, -1, -1);
    loads("execute_new_0_cached_3", PHASE_RUNNING, 0, 3, -1, -1);
    loads("step[EXTEND bs=2 toks=4096]", PHASE_PREFILL, 2, 0, 4096, 0);
    loads("step[DECODE bs=16]", PHASE_DECODE, 0, 16, 0, 16);
    loads("step[TARGET_VERIFY bs=4]", PHASE_DECODE, 0, 4, 0, -1);
    loads("step[MIXED bs=2]", PHASE_MIXED, -1, -1, -1, -1);
    loads("step[MIXED bs=2 c=1 g=1 c_sq=5 c_sk=8 c_sqsq=25 c_sqsk=40 g_sq=1 g_sk=12 "
          "g_sqsq=1 g_sqsk=12]",
          PHASE_MIXED, 1, 1, 5, 1);
    loads("step[IDLE bs=0]", PHASE_NONE, 0, 0, 0, 0);
    loads("prefill[bs=4 tok=2048]", PHASE_PREFILL, 4, 0, 2048, 0);
    loads("decode[bs=8 tok=8]", PHASE_DECODE, 0, 8, 0, 8);
    loads("[Executor] _forward_step 7: 3 ctx reqs, 5 gen reqs", PHASE_MIXED, 3, 5, -1,
          -1);
    loads("_forward_step 7: 1 ctx reqs, 90 ctx tokens, 0 gen reqs", PHASE_PREFILL, 1, 0,
          90, 0);
}

static void the_context_of_a_decode_is_read(void **state)
{
    (void)state;
    struct step_load l;
    assert_true(step_load_read(S("step[DECODE bs=2 g_sqsq=2 g_sqsk=30 g_sk=30]"), &l));
    assert_true(l.seen[0] == 0 && l.seen[1] == 30 && l.tokens[1] == 2);
    assert_true(step_load_read(S("step[DECODE bs=2]"), &l));
    assert_true(isnan(l.seen[1]));
}

static void other_annotations_have_no_load(void **state)
{
    (void)state;
    const char *const texts[] = {"",
                                 "ProfilerStep#3",
                                 "execute_model",
                                 "step 3",
                                 "prefill",
                                 "execute_new_",
                                 " ctx reqs",
                                 "x ctx reqs, 3 gen reqs",
                                 "execute_1_context_2"};
    struct step_load l;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        assert_false(step_load_read(str_of(texts[k]), &l));
}

static void words(const char *text, enum step_phase phase, bool sure)
{
    bool is_sure = false;
    assert_int_equal(step_phase_of_words(str_of(text), &is_sure), phase);
    if (phase)
        assert_int_equal(is_sure, sure);
}

static void words_name_phases(void **state)
{
    (void)state;
    words("prefill", PHASE_PREFILL, true);
    words("LLM.PrefillStep#2", PHASE_PREFILL, true);
    words("sglang.vlm.language_model_prefill", PHASE_PREFILL, true);
    words("decode_one_token", PHASE_DECODE, true);
    words("Decode step 12", PHASE_DECODE, true);
    words("generate_step", PHASE_DECODE, true);
    words("decode", PHASE_DECODE, false);
    words("process_prompt", PHASE_PREFILL, false);
    words("generate_masks 0 1", PHASE_NONE, false);
    words("vae_decode_step", PHASE_NONE, false);
    words("encode_prompt", PHASE_NONE, false);
    words("prefill_attention", PHASE_NONE, false);
    words("prefill and decode", PHASE_NONE, false);
    words("TransformerDecoder", PHASE_NONE, false);
    words("", PHASE_NONE, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_read),
        cmocka_unit_test(texts_without_sums_are_not),
        cmocka_unit_test(engines_name_phases),
        cmocka_unit_test(the_context_of_a_decode_is_read),
        cmocka_unit_test(other_annotations_have_no_load),
        cmocka_unit_test(words_name_phases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
