#include "serving_phases.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void note(struct trace_case *c, const char *name, int thread, double start_us,
                 double dur_us)
{
    case_event(c, "user_annotation", name, thread, start_us, dur_us, "");
}

static struct serving_phases phases_of(struct trace_case *c)
{
    int8_t *of = arena_new(&c->perm, int8_t, c->tables.judged.n);
    const int8_t *category = kernel_class_of_events(&c->perm, &c->tables, of);
    return serving_phases_build(&c->perm, c->tmp, &c->tables, category, 1);
}

static void assert_whole(const struct serving_phases *p, int64_t total_ns)
{
    int64_t sum = 0;
    for (int k = 0; k < STEP_PHASES; k++)
        sum += p->of[k].wall_ns;
    assert_int_equal(sum, total_ns);
}

/* The host is 100 us ahead. A prefill of 200 us, 10 of it idle; two decodes of 40 us,
 * 25 of it idle, 50 us apart; a copy of 5 us between them that no step launched. */
static void steps_are_where_the_device_works(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    note(&c, "step[EXTEND bs=2 toks=4096]", 1, 0, 20);
    case_launch(&c, "gemm", 1, 100, 150, 1);
    case_launch(&c, "attention", 5, 260, 40, 2);
    note(&c, "step[DECODE bs=16]", 1, 30, 10);
    case_launch(&c, "gemm", 31, 310, 10, 3);
    case_launch(&c, "gemv", 32, 345, 5, 4);
    case_copy(&c, "Memcpy DtoH (Device -> Pinned)", 351, 5, 5, 64);
    case_call(&c, "hipMemcpyAsync", 45, 1, 5);
    note(&c, "step[DECODE bs=8]", 1, 50, 10);
    case_launch(&c, "gemm", 51, 360, 10, 6);
    case_launch(&c, "gemv", 52, 395, 5, 7);
    case_open(&c, NULL);
    struct serving_phases p = phases_of(&c);
    const struct phase_totals *prefill = &p.of[PHASE_PREFILL],
                              *decode = &p.of[PHASE_DECODE], *rest = &p.of[PHASE_NONE];
    assert_int_equal(p.source, PHASES_BY_ENGINE);
    assert_int_equal(prefill->n_steps, 1);
    assert_int_equal(prefill->wall_ns, 200000);
    assert_int_equal(prefill->busy_ns, 190000);
    assert_true(prefill->tokens[0].sum == 4096 && prefill->requests[0].sum == 2);
    assert_int_equal(decode->n_steps, 2);
    assert_int_equal(decode->wall_ns, 80000);
    assert_int_equal(decode->busy_ns, 30000);
    assert_int_equal(decode->apart_ns, 50000);
    assert_int_equal(decode->n_apart, 1);
    assert_int_equal(decode->between_ns, 10000);
    assert_int_equal(decode->between_busy_ns, 5000);
    assert_true(decode->requests[1].least == 8 && decode->requests[1].most == 16);
    assert_int_equal(decode->seen[1].n, 0);
    assert_int_equal(rest->busy_ns, 5000);
    assert_whole(&p, c.view.timeline.total_ns);
    assert_int_equal(decode->n_kernels, 2);
    assert_int_equal(decode->kernels[0].total_ns, 20000);
    assert_int_equal(decode->kernels[0].n, 2);
    assert_int_equal(decode->work_ns, 30000);
    assert_int_equal(prefill->category_ns[0] + prefill->category_ns[1], 190000);
    case_close(&c);
}

/* A step that begins a nanosecond before the end of the one before is one of its own:
 * times that are read as doubles are rounded. */
static void rounded_steps_are_all_counted(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    note(&c, "step[DECODE bs=16]", 1, 0, 30.001);
    case_launch(&c, "gemv", 1, 100, 5, 1);
    note(&c, "step[DECODE bs=16]", 1, 30, 30);
    case_launch(&c, "gemv", 31, 130, 5, 2);
    note(&c, "step[DECODE bs=16]", 1, 40, 10); /* another form of the same */
    note(&c, "step[DECODE bs=16]", 1, 60, 30);
    case_launch(&c, "gemv", 61, 160, 5, 3);
    case_open(&c, NULL);
    struct serving_phases p = phases_of(&c);
    assert_int_equal(p.of[PHASE_DECODE].n_steps, 3);
    case_close(&c);
}

/* Each step is annotated twice, one form within the other. */
static void forms_of_one_step_are_one(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    for (int k = 0; k < 2; k++) {
        note(&c, "step[DECODE bs=4]", 1, 100 * k, 50);
        note(&c,
             "execute_4_context_0(sq0sk0sqsq0sqsk0)_generation_4(sq4sk90sqsq4sqsk9)", 1,
             100 * k, 40);
        case_launch(&c, "gemm", 100 * k + 2, 100 * k + 10, 50, 1 + k);
    }
    case_open(&c, NULL);
    struct serving_phases p = phases_of(&c);
    assert_int_equal(p.of[PHASE_DECODE].n_steps, 2);
    assert_int_equal(p.of[PHASE_DECODE].seen[1].n, 2);
    assert_true(p.of[PHASE_DECODE].seen[1].most == 90);
    case_close(&c);
}

/* What another thread launches meanwhile is not of the step. */
static void other_threads_are_left_out(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    note(&c, "prefill[bs=1 tok=7]", 1, 0, 50);
    case_launch(&c, "gemm", 2, 10, 20, 1);
    case_event(&c, "cuda_runtime", "hipLaunchKernel", 2, 5, 1, "\"correlation\":2");
    case_kernel(&c, "copy", 8, 100, 20, 2);
    case_open(&c, NULL);
    struct serving_phases p = phases_of(&c);
    assert_int_equal(p.of[PHASE_PREFILL].wall_ns, 20000);
    assert_int_equal(p.of[PHASE_NONE].wall_ns, 100000); /* 10 before the first */
    case_close(&c);
}

/* An engine whose marks are on one thread and whose launches are on another. */
static void a_thread_of_marks_alone_is_followed(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    note(&c, "decode[bs=3 tok=3]", 2, 0, 50);
    case_launch(&c, "gemm", 2, 10, 20, 1);
    case_open(&c, NULL);
    assert_int_equal(phases_of(&c).of[PHASE_DECODE].wall_ns, 20000);
    case_close(&c);
}

/* A recording of the device alone has the annotations on its streams. */
static void marks_on_the_device_serve_without_launches(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_event(&c, "gpu_user_annotation", "step[EXTEND bs=1 toks=9]", 7, 0, 30, "");
    case_event(&c, "gpu_user_annotation", "step[EXTEND bs=1 toks=9]", 8, 5, 2, "");
    case_kernel(&c, "gemm", 7, 0, 30, 1);
    case_event(&c, "gpu_user_annotation", "step[DECODE bs=1]", 7, 50, 10, "");
    case_kernel(&c, "gemm", 7, 50, 10, 2);
    case_open(&c, NULL);
    struct serving_phases p = phases_of(&c);
    assert_int_equal(p.of[PHASE_PREFILL].n_steps, 1);
    assert_int_equal(p.of[PHASE_PREFILL].wall_ns, 30000);
    assert_int_equal(p.of[PHASE_DECODE].wall_ns, 10000);
    assert_whole(&p, 60000);
    case_close(&c);
}

/* "decode" counts beside "prefill"; a loop around steps is none. */
static void words_tell_phases(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    note(&c, "prefill", 1, 0, 10);
    case_launch(&c, "gemm", 2, 4, 5, 1);
    note(&c, "decode", 1, 20, 80);
    for (int k = 0; k < 3; k++) {
        note(&c, "decode", 1, 20 + 20 * k, 10);
        case_launch(&c, "gemm", 22 + 20 * k, 24 + 20 * k, 5, 2 + k);
    }
    case_open(&c, NULL);
    struct serving_phases p = phases_of(&c);
    assert_int_equal(p.source, PHASES_BY_WORDS);
    assert_int_equal(p.of[PHASE_PREFILL].n_steps, 1);
    assert_int_equal(p.of[PHASE_DECODE].n_steps, 3);
    case_close(&c);
}

static void what_is_not_sure_is_not_said(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    note(&c, "decode", 1, 0, 10);
    note(&c, "generate_masks 0 1", 1, 20, 10);
    note(&c, "step[IDLE bs=0]", 1, 40, 10);
    case_launch(&c, "gemm", 2, 4, 5, 1);
    case_launch(&c, "gemm", 42, 44, 5, 2);
    case_open(&c, NULL);
    assert_int_equal(phases_of(&c).source, PHASES_NOT_TOLD);
    case_close(&c);
}

/* A forward pass of two layers that attend to `keys` and to `others`, and a kernel of
 * 5 us. */
static void forward_of(struct trace_case *c, double at_us, int tokens, int keys,
                       int others, int id)
{
    char dims[200];
    snprintf(dims, sizeof dims, "\"Input Dims\":[[1000,64],[2,%d]]", tokens);
    case_event(c, "cpu_op", "aten::embedding", 1, at_us, 2, dims);
    snprintf(dims, sizeof dims, "\"Input Dims\":[[512,64],[1,%d]]", tokens);
    case_event(c, "cpu_op", "aten::embedding", 1, at_us + 2, 2, dims);
    for (int layer = 0; layer < 2; layer++) {
        snprintf(dims, sizeof dims, "\"Input Dims\":[[2,8,%d,64],[2,8,%d,64]]", tokens,
                 layer ? others : keys);
        case_event(c, "cpu_op", "aten::scaled_dot_product_attention", 1,
                   at_us + 5 + 2 * layer, 2, dims);
    }
    case_launch(c, "gemm", at_us + 10, at_us + 12, 5, id);
}

static void forward(struct trace_case *c, double at_us, int tokens, int keys, int id)
{
    forward_of(c, at_us, tokens, keys, keys, id);
}

static struct serving_phases phases_of_forwards(const int (*passes)[2], int n)
{
    struct trace_case c;
    case_begin(&c);
    for (int k = 0; k < n; k++)
        forward(&c, 20 * k, passes[k][0], passes[k][1], 1 + k);
    case_open(&c, NULL);
    struct serving_phases p = phases_of(&c);
    case_close(&c);
    return p;
}

static void a_generate_loop_is_seen(void **state)
{
    (void)state;
    const int loop[][2] = {{7, 7}, {1, 8}, {1, 9}, {1, 10}};
    struct serving_phases p = phases_of_forwards(loop, 4);
    assert_int_equal(p.source, PHASES_BY_OPERATORS);
    assert_int_equal(p.of[PHASE_PREFILL].n_steps, 1);
    assert_true(p.of[PHASE_PREFILL].tokens[0].sum == 14);
    assert_int_equal(p.of[PHASE_DECODE].n_steps, 3);
    assert_true(p.of[PHASE_DECODE].requests[1].most == 2);
    assert_true(p.of[PHASE_DECODE].seen[1].most == 20);
    assert_int_equal(p.of[PHASE_DECODE].wall_ns, 15000);
}

static void a_cache_of_fixed_length_is_seen(void **state)
{
    (void)state;
    const int loop[][2] = {{7, 32}, {1, 32}, {1, 32}};
    struct serving_phases p = phases_of_forwards(loop, 3);
    assert_int_equal(p.of[PHASE_PREFILL].n_steps, 1);
    assert_int_equal(p.of[PHASE_DECODE].n_steps, 2);
    assert_int_equal(p.of[PHASE_DECODE].seen[1].n, 0);
}

static void a_loop_without_its_prompt_is_seen(void **state)
{
    (void)state;
    const int loop[][2] = {{1, 8}, {1, 9}, {1, 10}};
    struct serving_phases p = phases_of_forwards(loop, 3);
    assert_int_equal(p.of[PHASE_PREFILL].n_steps, 0);
    assert_int_equal(p.of[PHASE_DECODE].n_steps, 3);
}

/* One pass; passes over batches; an encoder before a decoder; a recurrence. */
static void other_passes_are_not_phases(void **state)
{
    (void)state;
    const int one[][2] = {{7, 7}}, batches[][2] = {{7, 7}, {7, 7}, {7, 7}},
              seq2seq[][2] = {{7, 7}, {1, 1}, {1, 2}},
              alone[][2] = {{1, 1}, {1, 1}, {1, 1}, {1, 1}},
              short_one[][2] = {{7, 7}, {1, 8}};
    assert_int_equal(phases_of_forwards(one, 1).source, PHASES_NOT_TOLD);
    assert_int_equal(phases_of_forwards(batches, 3).source, PHASES_NOT_TOLD);
    assert_int_equal(phases_of_forwards(seq2seq, 3).source, PHASES_NOT_TOLD);
    assert_int_equal(phases_of_forwards(alone, 4).source, PHASES_NOT_TOLD);
    assert_int_equal(phases_of_forwards(short_one, 2).source, PHASES_NOT_TOLD);
}

/* As one whose second layer attends to something else, of five tokens. */
static void layers_of_different_keys_are_no_loop(void **state)
{
    struct trace_case c;
    (void)state;
    case_begin(&c);
    for (int k = 0; k < 4; k++)
        forward_of(&c, 20 * k, k ? 1 : 7, 7 + k, 5, 1 + k);
    case_open(&c, NULL);
    assert_int_equal(phases_of(&c).source, PHASES_NOT_TOLD);
    case_close(&c);
}

static void operators_are_finer_than_words(void **state)
{
    (void)state;
    const int loop[][2] = {{7, 7}, {1, 8}, {1, 9}, {1, 10}};
    struct trace_case c;
    case_begin(&c);
    note(&c, "prefill", 1, 0, 15);
    note(&c, "decode", 1, 18, 60);
    for (int k = 0; k < 4; k++)
        forward(&c, 20 * k, loop[k][0], loop[k][1], 1 + k);
    case_open(&c, NULL);
    struct serving_phases p = phases_of(&c);
    assert_int_equal(p.source, PHASES_BY_OPERATORS);
    assert_int_equal(p.of[PHASE_DECODE].n_steps, 3);
    case_close(&c);
}

/* The last pass of a loop does not reach into what follows it. */
static void a_loop_ends(void **state)
{
    (void)state;
    const int loop[][2] = {{7, 7}, {1, 8}, {1, 9}};
    struct trace_case c;
    case_begin(&c);
    for (int k = 0; k < 3; k++)
        forward(&c, 20 * k, loop[k][0], loop[k][1], 1 + k);
    case_launch(&c, "other", 90, 92, 5, 9);
    case_open(&c, NULL);
    struct serving_phases p = phases_of(&c);
    assert_int_equal(p.of[PHASE_DECODE].wall_ns, 10000);
    assert_int_equal(p.of[PHASE_NONE].busy_ns, 5000);
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_where_the_device_works),
        cmocka_unit_test(rounded_steps_are_all_counted),
        cmocka_unit_test(forms_of_one_step_are_one),
        cmocka_unit_test(other_threads_are_left_out),
        cmocka_unit_test(a_thread_of_marks_alone_is_followed),
        cmocka_unit_test(marks_on_the_device_serve_without_launches),
        cmocka_unit_test(words_tell_phases),
        cmocka_unit_test(what_is_not_sure_is_not_said),
        cmocka_unit_test(a_generate_loop_is_seen),
        cmocka_unit_test(a_cache_of_fixed_length_is_seen),
        cmocka_unit_test(a_loop_without_its_prompt_is_seen),
        cmocka_unit_test(other_passes_are_not_phases),
        cmocka_unit_test(layers_of_different_keys_are_no_loop),
        cmocka_unit_test(operators_are_finer_than_words),
        cmocka_unit_test(a_loop_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
