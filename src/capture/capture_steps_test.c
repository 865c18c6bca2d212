#include "capture_steps.c"

#include "analysis/trace_case.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void check(const char *annotation, const char *phase, double context,
                  double generation, double tokens)
{
    struct capture_step s = {0};
    assert_true(capture_read_step(str_of(annotation), &s));
    assert_true(str_eq(s.phase, str_of(phase)));
    assert_true(s.requests[0] == context && s.requests[1] == generation);
    assert_true(s.new_tokens == tokens || (isnan(tokens) && isnan(s.new_tokens)));
}

static void test_forms(void **state)
{
    (void)state;
    check("execute_9_context_1(sq559sk600sqsq3sqsk4)_generation_8(sq8sk800sqsq8sqsk9)",
          "mixed", 1, 8, 567);
    check("execute_context_2(1024)_generation_0(0)", "prefill", 2, 0, 1024);
    check("step[DECODE bs=16]", "decode", 0, 16, 16);
    check("prefill[bs=4 tok=2048]", "prefill", 4, 0, 2048);
}

static void test_others(void **state)
{
    (void)state;
    struct capture_step s = {0};
    assert_true(capture_read_step(S("execute_diffusion_1_256x256"), &s));
    assert_int_equal(s.phase.n, 0);
    assert_false(capture_read_step(S("ProfilerStep#3"), &s));
    assert_false(capture_read_step(S("execute_model"), &s));
    assert_false(capture_read_step(S(""), &s));
}

/* A step ends where the work of the next begins; the last one has no end. */
static void test_device_side(void **state)
{
    (void)state;
    struct capture_step steps[] = {{.start_ns = 0, .end_ns = 10, .number = 1},
                                   {.start_ns = 10, .end_ns = 20, .number = 2},
                                   {.start_ns = 20, .end_ns = 30, .number = 3},
                                   {.start_ns = 30, .end_ns = 40, .number = 4}};
    struct capture c = {.steps = steps, .n_steps = 4};
    assert_int_equal(step_at(&c, 9), 0);
    assert_int_equal(step_at(&c, 40), 4);
    assert_int_equal(step_at(&c, -1), -1);
    move_to_device(&c, (const int64_t[]){5, INT64_MAX, 26, 37, INT64_MAX});
    assert_int_equal(c.n_steps, 2);
    assert_int_equal(c.steps[0].start_ns, 5);
    assert_int_equal(c.steps[0].end_ns, 26);
    assert_int_equal(c.steps[1].number, 3);
}

/* Times of doubles are rounded, so that a step may begin a nanosecond before the end of
 * the one before; another that begins inside it is none. */
static void steps_may_overlap_by_rounding(void **state)
{
    struct trace_case k;
    struct capture c = {0};
    (void)state;
    case_begin(&k);
    case_event(&k, "user_annotation", "ProfilerStep#1", 1, 0, 10.001, "\"Ev Idx\":1");
    case_event(&k, "user_annotation", "ProfilerStep#2", 1, 10, 10, "\"Ev Idx\":1");
    case_event(&k, "user_annotation", "ProfilerStep#3", 1, 12, 5, "\"Ev Idx\":1");
    case_event(&k, "user_annotation", "ProfilerStep#4", 1, 20, 10, "\"Ev Idx\":1");
    case_launch(&k, "gemm", 1, 0, 100, 50);
    case_open(&k, NULL);
    collect(&k.perm, k.tmp, &k.store, &c, true);
    assert_int_equal(c.n_steps, 3);
    assert_int_equal(c.steps[1].number, 2);
    assert_int_equal(c.steps[1].start_ns, c.steps[0].end_ns);
    assert_int_equal(c.steps[2].number, 4);
    case_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_others),
        cmocka_unit_test(test_device_side),
        cmocka_unit_test(steps_may_overlap_by_rounding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
