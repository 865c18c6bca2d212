#include "compare/selection.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Steps of 100 ns, one after another, steady but the first. */
static struct capture_step *numbered(struct capture_step *steps, int n)
{
    for (int i = 0; i < n; i++)
        steps[i] = (struct capture_step){.start_ns = 100 * i,
                                         .end_ns = 100 * i + 100,
                                         .number = 10 + i,
                                         .steady = i > 0,
                                         .kept = true};
    return steps;
}

static bool choose(const char *steps, const struct capture *a, const struct capture *b,
                   struct selection *s)
{
    struct arena perm = arena_reserve(1 << 20), tmp = arena_reserve(1 << 26);
    struct err e = {0};
    struct step_choice choice;
    const struct capture *of[] = {a, b};
    assert_true(step_choice_read(steps, &choice, &e));
    return selection_make(&perm, tmp, of, &choice, s, &e);
}

static void choices_are_read(void **state)
{
    struct err e = {0};
    struct step_choice c;
    (void)state;
    assert_true(step_choice_read("3-7,4-8", &c, &e));
    assert_int_equal(c.asked, STEPS_NUMBERED);
    assert_int_equal(c.to[0], 7);
    assert_int_equal(c.from[1], 4);
    assert_true(step_choice_read("5", &c, &e));
    assert_true(c.from[1] == 5 && c.to[1] == 5);
    static const char *const bad[] = {"", "7-3", "-1", "3-", "three", "3,4-", "3,"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        e = (struct err){0};
        assert_false(step_choice_read(bad[i], &c, &e));
        assert_int_equal(e.kind, ERR_USAGE);
    }
}

static void as_many_steady_steps_as_both_have(void **state)
{
    struct capture_step a[5], b[3];
    struct capture x = {.steps = numbered(a, 5), .n_steps = 5};
    struct capture y = {.steps = numbered(b, 3), .n_steps = 3};
    struct selection s;
    (void)state;
    assert_true(choose("paired", &x, &y, &s));
    assert_int_equal(s.n_steps, 2);
    assert_int_equal(s.spans[0][0].start_ns, 100); /* the first warms up */
    assert_int_equal(s.n_spans[0], 2);
    assert_int_equal(s.n_left_out[0], 3);
    assert_int_equal(s.n_left_out[1], 1);
    assert_false(s.by_load);
    assert_true(isnan(s.tokens[0]));
}

static void without_steps_the_windows(void **state)
{
    struct capture_step a[3];
    struct capture x = {
        .steps = numbered(a, 3), .n_steps = 3, .start_ns = -7, .end_ns = 400};
    struct capture y = {.start_ns = 50, .end_ns = 150};
    struct selection s;
    (void)state;
    assert_true(choose("paired", &x, &y, &s));
    assert_int_equal(s.n_steps, 0);
    assert_int_equal(selection_window_ns(s.spans[0], s.n_spans[0]), 407);
    assert_int_equal(selection_window_ns(s.spans[1], s.n_spans[1]), 100);
    assert_true(choose("all", &x, &x, &s));
    assert_int_equal(selection_window_ns(s.spans[0], s.n_spans[0]), 407);
}

static void steps_of_the_same_work_in_another_order(void **state)
{
    struct capture_row rows[] = {{.name = S("mm"), .dims = S("[8]")},
                                 {.name = S("mm"), .dims = S("[16]")},
                                 {.name = S("mm"), .dims = S("[99]")}};
    struct capture_event at[2][3];
    struct capture_step steps[2][4];
    static const int32_t work[2][3] = {{0, 1, 2}, {1, 0, 0}}; /* of steps 1 to 3 */
    struct capture c[2];
    struct selection s;
    (void)state;
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < 3; i++)
            at[side][i] = (struct capture_event){.start_ns = 100 * i + 110,
                                                 .end_ns = 100 * i + 150,
                                                 .row = work[side][i],
                                                 .begins = true};
        c[side] = (struct capture){.steps = numbered(steps[side], 4),
                                   .n_steps = 4,
                                   .rows = rows,
                                   .n_rows = 3,
                                   .events = at[side],
                                   .n_events = 3};
    }
    assert_true(choose("paired", &c[0], &c[1], &s));
    assert_int_equal(s.n_steps, 2); /* the longest of the one has none of its kind */
    assert_int_equal(s.spans[0][0].start_ns, 100);
    assert_int_equal(s.spans[0][1].start_ns, 200);
    assert_int_equal(s.spans[1][0].start_ns, 100);
    assert_int_equal(s.n_left_out[0], 2);
}

static void serving_steps_pair_by_phase_and_load(void **state)
{
    struct capture_step a[3], b[3];
    static const double tokens[2][3] = {{500, 10, 100}, {90, 480, 10}};
    static const bool decode[2][3] = {{false, true, false}, {false, false, true}};
    struct capture x = {.steps = numbered(a, 3), .n_steps = 3};
    struct capture y = {.steps = numbered(b, 3), .n_steps = 3};
    struct selection s;
    (void)state;
    for (int i = 0; i < 3; i++) {
        a[i].steady = b[i].steady = true;
        a[i].phase = decode[0][i] ? S("decode") : S("prefill");
        b[i].phase = decode[1][i] ? S("decode") : S("prefill");
        a[i].new_tokens = tokens[0][i];
        b[i].new_tokens = tokens[1][i];
        a[i].seen_tokens = b[i].seen_tokens = (double)NAN;
    }
    b[1].steady = false; /* what 500 tokens would pair with */
    assert_true(choose("paired", &x, &y, &s));
    assert_true(s.by_load);
    assert_int_equal(s.n_steps, 2);
    assert_true(s.tokens[0] == 55 && s.tokens[1] == 50);
    assert_true(s.load_pct == 10);
    assert_int_equal(s.n_left_out[0], 1);
    assert_int_equal(s.spans[0][0].start_ns, 100); /* in order, however they pair */
}

static void numbers_are_those_of_the_steps(void **state)
{
    struct capture_step a[4], b[4];
    struct capture x = {.steps = numbered(a, 4), .n_steps = 4};
    struct capture y = {.steps = numbered(b, 4), .n_steps = 4};
    struct selection s;
    (void)state;
    assert_true(choose("11-12,12-13", &x, &y, &s));
    assert_int_equal(s.n_steps, 2);
    assert_int_equal(s.spans[0][0].start_ns, 100);
    assert_int_equal(s.spans[1][0].start_ns, 200);
    assert_false(choose("20", &x, &y, &s));
    assert_false(choose("11-12,12", &x, &y, &s)); /* not as many of both */
}

static void figures_are_of_what_lies_in_the_spans(void **state)
{
    struct arena perm = arena_reserve(1 << 20);
    struct capture_row rows[] = {{.n_calls = 9, .n_events = 9, .kernel_ns = 900},
                                 {.n_calls = 0}};
    struct capture_event at[] = {{90, 130, {0}, 0, 0, true},   /* 30 inside */
                                 {150, 160, {0}, 0, 0, false}, /* of the same call */
                                 {200, 200, {0}, 1, 0, true},  /* at the very end */
                                 {300, 400, {0}, 1, 0, true}};
    struct capture c = {
        .rows = rows, .n_rows = 2, .events = at, .n_events = 4, .end_ns = 200};
    struct step_span span = {100, 200};
    (void)state;
    struct row_figures *f = selection_figures(&perm, &c, &span, 1);
    assert_int_equal(f[0].ns, 40);
    assert_int_equal(f[0].n_events, 2);
    assert_int_equal(f[0].n_calls, 1);
    assert_int_equal(f[1].ns, 0);
    assert_int_equal(f[1].n_events, 1);
    c.n_events = 0; /* a capture of sums alone */
    f = selection_figures(&perm, &c, &span, 1);
    assert_int_equal(f[0].ns, 900);
    assert_int_equal(f[0].n_calls, 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choices_are_read),
        cmocka_unit_test(as_many_steady_steps_as_both_have),
        cmocka_unit_test(without_steps_the_windows),
        cmocka_unit_test(steps_of_the_same_work_in_another_order),
        cmocka_unit_test(serving_steps_pair_by_phase_and_load),
        cmocka_unit_test(numbers_are_those_of_the_steps),
        cmocka_unit_test(figures_are_of_what_lies_in_the_spans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
