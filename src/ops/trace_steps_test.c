#include "trace_steps.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void mark(struct trace_case *c, int number, double start_us, double dur_us)
{
    char name[32];
    snprintf(name, sizeof name, "ProfilerStep#%d", number);
    case_event(c, "user_annotation", name, 1, start_us, dur_us, "");
}

/* Four steps of 100 us, and one of 37 that is left out. The device keeps up. */
static void a_short_step_is_left_out(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    for (int k = 0; k < 5; k++) {
        mark(&c, 97 + k, 100 * k, k == 4 ? 37 : 100);
        case_launch(&c, "k", 100 * k + 2, 100 * k + 10, 20, 1 + k);
    }
    case_open(&c, NULL);
    const struct trace_steps *t = &c.view.steps;
    assert_int_equal(t->source, STEPS_PROFILER);
    assert_false(t->by_device);
    assert_int_equal(t->n, 5);
    assert_int_equal(t->n_steady, 4);
    assert_int_equal(t->median_ns, 100000);
    assert_int_equal(t->least_ns, 37000);
    assert_true(t->rows[0].steady && !t->rows[4].steady);
    assert_int_equal(t->rows[4].number, 101);
    case_close(&c);
}

/* Marks of a program, each with two kernels; `apart` more follow each, `after` the
 * last.
 */
static enum step_source steps_named(const char *const *names, int n, int apart,
                                    int after)
{
    struct trace_case c;
    int id = 0;
    case_begin(&c);
    for (int k = 0; k < n; k++) {
        case_event(&c, "user_annotation", names[k], 1, 100 * k, 60, "");
        for (int i = 0; i < 2 + apart; i++, id++) {
            char kernel[16]; /* so that no period is found */
            snprintf(kernel, sizeof kernel, "k%d", id);
            case_launch(&c, kernel, 100 * k + 10 + (i < 2 ? i : 50 + i),
                        100 * k + 15 * i, 10, 1 + id);
        }
    }
    for (int i = 0; i < after; i++, id++)
        case_launch(&c, "k", 1000 + 20 * i, 1005 + 20 * i, 10, 1 + id);
    case_open(&c, NULL);
    enum step_source source = c.view.steps.source;
    assert_int_equal(c.view.steps.n, source ? n : 0);
    case_close(&c);
    return source;
}

static void numbered_marks_of_the_program_are_steps(void **state)
{
    static const char *const steps[] = {"denoise_step_9", "denoise_step_10",
                                        "denoise_step_11"},
                             *const passes[] = {"Iteration 1", "Iteration 2",
                                                "Iteration 3"},
                             *const layers[] = {"layer_0", "layer_1", "layer_2"},
                             *const parts[] = {"substep_0", "substep_1", "substep_0"};
    (void)state;
    assert_int_equal(steps_named(steps, 3, 0, 0), STEPS_BY_PROGRAM);
    assert_int_equal(steps_named(passes, 3, 0, 6), STEPS_BY_PROGRAM);
    assert_int_equal(steps_named(steps, 2, 0, 0), STEPS_NONE);
    assert_int_equal(steps_named(steps, 3, 1, 0), STEPS_NONE); /* work between them */
    assert_int_equal(steps_named(steps, 3, 0, 7), STEPS_NONE); /* most is after them */
    assert_int_equal(steps_named(layers, 3, 0, 0), STEPS_NONE);
    assert_int_equal(steps_named(parts, 3, 0, 0), STEPS_NONE); /* begins anew */
}

/* Each step ends 2 ns behind the start of the next, as rounded: none is left out, and
 * they do not overlap. One that begins 3 ns before the end of the last is within it. */
static void rounded_steps_are_side_by_side(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    for (int k = 0; k < 4; k++) {
        mark(&c, k, 100 * k - (k == 3 ? 0.001 : 0), 100.002);
        case_launch(&c, "k", 100 * k + 2, 100 * k + 10, 20, 1 + k);
    }
    case_open(&c, NULL);
    const struct trace_steps *t = &c.view.steps;
    assert_int_equal(t->n, 3);
    assert_int_equal(t->rows[0].dur_ns, 100000);
    assert_int_equal(t->rows[2].dur_ns, 100002);
    case_close(&c);
}

/* The host leaves a step after 20 us, the device needs 100 for each: 90 of work, and 10
 * idle before it. The last begins where the work of the one before ends. */
static void a_host_that_runs_ahead_does_not_shorten_steps(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    for (int k = 0; k < 4; k++) {
        mark(&c, k, 20 * k, 20);
        case_launch(&c, "k", 20 * k + 2, 50 + 100 * k, 90, 1 + k);
    }
    case_open(&c, NULL);
    const struct trace_steps *t = &c.view.steps;
    assert_true(t->by_device);
    assert_int_equal(t->n_steady, 4);
    assert_int_equal(t->median_ns, 100000);
    assert_int_equal(t->rows[0].start_ns, 50000);
    assert_int_equal(t->rows[3].start_ns, 340000);
    assert_int_equal(t->rows[3].dur_ns, 100000);
    case_close(&c);
}

/* The same, and each step first copies its input on a stream of its own, which does not
 * wait for the kernels of the step before: steps take 100 us all the same, not 20. */
static void copies_ahead_begin_no_step(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    for (int k = 0; k < 4; k++) {
        mark(&c, k, 20 * k, 20);
        case_call(&c, "cudaMemcpyAsync", 20 * k + 1, 1, 10 + k);
        char more[60];
        snprintf(more, sizeof more, "\"correlation\":%d,\"stream\":21", 10 + k);
        case_event(&c, "gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 21, 20 * k + 3,
                   5, more);
        case_launch(&c, "k", 20 * k + 8, 50 + 100 * k, 90, 1 + k);
    }
    case_open(&c, NULL);
    const struct trace_steps *t = &c.view.steps;
    assert_true(t->by_device);
    assert_int_equal(t->rows[0].start_ns, 3000);
    assert_int_equal(t->rows[1].start_ns, 150000);
    assert_int_equal(t->median_ns, 100000);
    case_close(&c);
}

/* The host waits 500 us in the third of four steps: the gap behind it is that step's,
 * and not that of the last. */
static void a_long_gap_is_of_the_step_before_it(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    for (int k = 0; k < 4; k++) {
        double late = k == 3 ? 500 : 0;
        mark(&c, k, 20 * k + late, k == 2 ? 520 : 20);
        case_launch(&c, "k", 20 * k + 2 + late, 50 + 100 * k + late, 90, 1 + k);
    }
    case_open(&c, NULL);
    const struct trace_steps *t = &c.view.steps;
    assert_true(t->by_device);
    assert_int_equal(t->n_steady, 3);
    assert_int_equal(t->median_ns, 100000);
    assert_int_equal(t->rows[2].dur_ns, 600000);
    assert_int_equal(t->rows[3].dur_ns, 100000);
    case_close(&c);
}

static void uneven_steps_are_not_steady(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    double at = 0;
    for (int k = 0; k < 4; k++) {
        mark(&c, k, at, 100 << k);
        case_launch(&c, "k", at + 2, at + 10, 20, 1 + k);
        at += 100 << k;
    }
    case_open(&c, NULL);
    assert_int_equal(c.view.steps.n, 4);
    assert_int_equal(c.view.steps.n_steady, 0);
    assert_int_equal(c.view.steps.median_ns, 300000);
    case_close(&c);
}

static void an_engine_annotates_steps(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    for (int k = 0; k < 3; k++) {
        case_event(&c, "user_annotation", "step[DECODE bs=16]", 1, 50 * k, 50, "");
        case_event(&c, "user_annotation", "inner", 1, 50 * k + 1, 10, "");
        case_launch(&c, "k", 50 * k + 2, 50 * k + 10, 20, 1 + k);
    }
    case_open(&c, NULL);
    assert_int_equal(c.view.steps.source, STEPS_ENGINE);
    assert_int_equal(c.view.steps.n, 3);
    assert_int_equal(c.view.steps.rows[0].number, -1);
    case_close(&c);
}

/* `rounds` times "head", three layers of two kernels, "loss"; each 10 us after the last
 * began. */
static void add_rounds(struct trace_case *c, int rounds)
{
    static const char *const one[] = {"head", "gemm", "act", "gemm",
                                      "act",  "gemm", "act", "loss"};
    int at = 0;
    for (int k = 0; k < rounds; k++)
        for (size_t i = 0; i < sizeof one / sizeof *one; i++, at++)
            case_launch(c, one[i], 10 * at, 10 * at + 2, 5, 1 + at);
}

static void kernels_that_recur_are_steps(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    add_rounds(&c, 5);
    case_open(&c, NULL);
    const struct trace_steps *t = &c.view.steps;
    assert_int_equal(t->source, STEPS_PERIOD);
    assert_int_equal(t->period, 8);
    assert_int_equal(t->n, 4);
    assert_int_equal(t->n_steady, 4);
    assert_int_equal(t->median_ns, 80000);
    case_close(&c);
}

/* The layers of a single pass recur, but what comes before and after them does not. */
static void layers_are_no_steps(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_launch(&c, "embedding", 0, 2, 5, 1000);
    for (int k = 0; k < 24; k++)
        case_launch(&c, k % 2 ? "act" : "gemm", 10 + 10 * k, 12 + 10 * k, 5, 1 + k);
    case_launch(&c, "argmax", 500, 502, 5, 1001);
    case_open(&c, NULL);
    assert_int_equal(c.view.steps.source, STEPS_NONE);
    assert_int_equal(c.view.steps.n, 0);
    case_close(&c);
}

/* The layers of a decoder within graph launches; `graphs`: one for each layer. */
static void add_graph_layers(struct trace_case *c, bool each)
{
    enum { LAYERS = 8, LAUNCHES = 6 };
    case_begin(c);
    for (int k = 0; k < LAUNCHES * LAYERS; k++) {
        int launch = each ? k : k / LAYERS;
        if (each || k % LAYERS == 0)
            case_call(c, "cudaGraphLaunch", 20 * k, 1, 1 + launch);
        case_kernel(c, "gemm", 7, 20 * k + 2, 5, 1 + launch);
        case_kernel(c, "act", 7, 20 * k + 8, 5, 1 + launch);
    }
    case_open(c, NULL);
}

static void layers_of_a_graph_are_no_steps(void **state)
{
    (void)state;
    struct trace_case c;
    add_graph_layers(&c, false);
    assert_int_equal(c.view.steps.source, STEPS_NONE);
    case_close(&c);
    add_graph_layers(&c, true);
    assert_int_equal(c.view.steps.source, STEPS_PERIOD);
    assert_int_equal(c.view.steps.period, 2);
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_short_step_is_left_out),
        cmocka_unit_test(numbered_marks_of_the_program_are_steps),
        cmocka_unit_test(rounded_steps_are_side_by_side),
        cmocka_unit_test(a_host_that_runs_ahead_does_not_shorten_steps),
        cmocka_unit_test(copies_ahead_begin_no_step),
        cmocka_unit_test(a_long_gap_is_of_the_step_before_it),
        cmocka_unit_test(uneven_steps_are_not_steady),
        cmocka_unit_test(an_engine_annotates_steps),
        cmocka_unit_test(kernels_that_recur_are_steps),
        cmocka_unit_test(layers_are_no_steps),
        cmocka_unit_test(layers_of_a_graph_are_no_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
