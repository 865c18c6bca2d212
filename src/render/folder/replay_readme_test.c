#include "replay_readme.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct arena perm;

static const int64_t matrix[] = {8192, 2432}, dense[] = {2432, 1};

static struct replay_tensor tensors[2] = {
    {.shape = matrix, .strides = dense, .n_dims = 2, .dtype = S_INIT("c10::BFloat16")},
    {.dtype = S_INIT("float")}};

static struct replay_arg args[] = {
    {.name = S_INIT("self"),
     .value = {.kind = REPLAY_TENSOR, .tensors = tensors, .n = 1}},
    {.name = S_INIT("alpha"), .value = {.kind = REPLAY_INT, .i = 1}},
    {.name = S_INIT("other"),
     .value = {.kind = REPLAY_TENSORS, .tensors = tensors, .n = 2}},
    {.name = S_INIT("bias"), .value = {.kind = REPLAY_NULL}},
    {.name = S_INIT("scale"),
     .value = {.kind = REPLAY_TENSOR, .tensors = tensors + 1, .n = 1}},
};

static struct replay_call call_of(double flop)
{
    return (struct replay_call){.args = args,
                                .n_args = 5,
                                .count = 152,
                                .mean_us = 200.0,
                                .min_us = 158.394,
                                .max_us = 217.162,
                                .flop = flop,
                                .byte = (double)NAN};
}

static struct str readme_of(const struct replay_package *p)
{
    struct out o;
    out_memory(&o);
    struct err e = {0};
    assert_true(replay_readme(&o, p, perm, &e));
    struct str text = str_copy(&perm, out_view(&o));
    out_free(&o);
    return text;
}

static void assert_has(struct str text, const char *part)
{
    if (!str_has(text, str_of(part)))
        fail_msg("'%s' is not in\n%.*s", part, (int)(text.n < 3000 ? text.n : 3000),
                 text.p);
}

static void it_says_what_the_package_holds(void **state)
{
    (void)state;
    struct replay_call c = call_of(1e11);
    struct replay_package p = {.op = S("aten::mm"),
                               .device = S("AMD Instinct MI300X"),
                               .calls = &c,
                               .n_calls = 1,
                               .count = 152,
                               .total_us = 30400.0,
                               .share_pct = 47.5};
    struct str text = readme_of(&p);
    assert_true(str_starts(text, S("# Replay package of `aten::mm`\n")));
    assert_has(text, "In the trace, of `AMD Instinct MI300X`: 152 calls of 1 argument "
                     "set, 30.40 ms, 47.5% of all kernel time.");
    assert_has(text,
               "| 1 | `self c10::BFloat16[8192x2432], other 2 x "
               "c10::BFloat16[8192x2432] and alike, scale float[]` | 152 | 200.00 "
               "| 158.39 to 217.16 | 500.000 | \xe2\x80\x94 |");
    assert_has(text, "\n## Run it\n");
    assert_false(str_has(text, S("Not from the trace")));
    assert_false(str_has(text, S("Left out")));
    /* No column of dashes. */
    c.flop = (double)NAN;
    assert_false(str_has(readme_of(&p), S("| TFLOP/s |")));
}

static void it_says_what_is_assumed_and_what_is_left_out(void **state)
{
    (void)state;
    struct replay_call c[] = {call_of(1.0), call_of(1.0)};
    c[1].strides_assumed = c[1].values_assumed = true;
    struct replay_package p = {.op = S("aten::mm"),
                               .calls = c,
                               .n_calls = 2,
                               .n_left_out = 2,
                               .left_out_reason = S("no <b>shapes</b> are recorded")};
    struct str text = readme_of(&p);
    assert_has(text,
               "**Not from the trace.** Strides are not in the trace: every tensor "
               "is contiguous here");
    assert_has(text, "Numbers passed are not in the trace");
    assert_has(text, "**Left out.** 2 argument sets cannot be replayed: no ");
    assert_false(str_has(text, S(" <b>"))); /* escaped, or in a code span */
    c[1].values_assumed = false;
    assert_false(str_has(readme_of(&p), S("Numbers passed")));
}

static void it_is_short_and_names_do_nothing_in_it(void **state)
{
    enum { CALLS = 13 };
    struct replay_call c[CALLS];
    (void)state;
    for (int i = 0; i < CALLS; i++)
        c[i] = call_of(1.0);
    struct replay_package p = {.op = S("aten::mm"),
                               .device = S("`x` | <img src=x>\n# y"),
                               .calls = c,
                               .n_calls = CALLS};
    struct str text = readme_of(&p);
    assert_has(text, "\n| 10 | ");
    assert_false(str_has(text, S("\n| 11 | ")));
    assert_has(text, "\n3 more are in `replay_ir.json`.\n");
    assert_false(str_has(text, S("\n# y")));
    assert_has(text, "``");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_says_what_the_package_holds),
        cmocka_unit_test(it_says_what_is_assumed_and_what_is_left_out),
        cmocka_unit_test(it_is_short_and_names_do_nothing_in_it),
    };
    perm = arena_reserve(1 << 26);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
