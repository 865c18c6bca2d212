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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_read),
        cmocka_unit_test(texts_without_sums_are_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
