#include "analysis/system/module_passes.h"

#include "analysis/findings_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Writes one trace: where it is on the host and on the device, and how often it
 * launched. */
struct writer {
    struct trace_case c;
    double host, gpu;
    int n;
};

static void launch(struct writer *w, const char *kernel, double us)
{
    case_launch(&w->c, kernel, w->host, w->gpu > w->host ? w->gpu : w->host + 5, us,
                ++w->n);
    w->host += 10;
    w->gpu = (w->gpu > w->host - 5 ? w->gpu : w->host - 5) + us;
}

/* A pass of a module over `kernels` kernels of 4 us, launched every 10 us. */
static void pass(struct writer *w, const char *module, int kernels)
{
    char frame[60];
    snprintf(frame, sizeof frame, "nn.Module: %s", module);
    double start = w->host;
    w->host += 2;
    for (int k = 0; k < kernels; k++)
        launch(w, k % 2 ? "norm" : "gemm", 4);
    case_frame(&w->c, frame, start, w->host - start);
    w->host += 1;
}

/* "PPs PPs": passes of 20 kernels, or of 22 ("L"), and three kernels of a sampler. */
static struct repeated_passes passes_in(struct writer *w, const char *what)
{
    *w = (struct writer){.host = 10};
    case_begin(&w->c);
    double start = 0;
    bool wrapped = *what == 'W';
    for (; *what; what++) {
        if (*what == 'P' || *what == 'L')
            pass(w, "DiT_0", *what == 'P' ? 20 : 22);
        for (int k = 0; *what == 's' && k < 3; k++)
            launch(w, "sub", 2);
    }
    if (wrapped)
        case_frame(&w->c, "nn.Module: Pipeline_0", start, w->host);
    case_open(&w->c, &device);
    struct tree_index t = tree_index_build(&w->c.perm, w->c.tmp, &w->c.view);
    return repeated_passes_find(w->c.tmp, &t);
}

static void passes_without_anything_between_are_found(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        int passes;
    } cases[] = {{"PPsPPsPPs", 2}, {"PPPsPPPs", 3},
                 {"WPPsPPs", 2}, /* inside a module of their own */
                 {"PsPsPsPs", 0},  {"PPsPPPsPP", 0},
                 {"PLsPLs", 0}, /* not the same work */
                 {"PPPPPP", 0}, /* nothing shows that they do not feed each other */
                 {"PPs", 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct writer w;
        struct repeated_passes r = passes_in(&w, cases[k].what);
        if (r.passes != cases[k].passes)
            fail_msg("%s: %d", cases[k].what, r.passes);
        if (r.passes)
            assert_true(str_eq(r.module, S("DiT")));
        case_close(&w.c);
    }
}

/* 6 passes of 20 launches each, on a device that waits for them. */
static void passes_become_a_batch(void **state)
{
    (void)state;
    struct writer w;
    passes_in(&w, "PPsPPsPPs");
    struct tree_index t = tree_index_build(&w.c.perm, w.c.tmp, &w.c.view);
    struct analysis a = analysis_run(
        &w.c.perm, w.c.tmp, &w.c.tables, &t, library,
        (struct analysis_options){.idle_threshold_pct = IDLE_THRESHOLD_PCT});
    const struct finding *f = of_pattern(&a, "repeated_passes");
    assert_non_null(f);
    assert_text(f->title, "Run the 2 passes of DiT as one batch");
    assert_near(f->impact.low_ms, 0.5 * 6 * 0.202, 0.01);
    case_close(&w.c);
}

/* A step: an encoder, then a model, whose operators autograd records as `numbers` says;
 * then the backward pass. */
static void step(struct writer *w, bool encoder_learns, const char *encoder)
{
    char frame[60], number[60];
    for (int m = 0; m < 2; m++) {
        double start = w->host;
        snprintf(frame, sizeof frame, "nn.Module: %s", m ? "UNet_0" : encoder);
        w->host += 2;
        for (int k = 0; k < 3; k++) {
            snprintf(number, sizeof number, "\"Sequence number\":%d", 900 + w->n);
            case_event(&w->c, "cpu_op", "aten::mm", 1, w->host - 1, 9,
                       m || encoder_learns ? number : "\"k\":1");
            launch(w, "gemm", 100);
        }
        case_frame(&w->c, frame, start, w->host - start);
        w->host += 1;
    }
    int learns = encoder_learns ? 6 : 3, first = w->n - learns;
    for (int k = 0; k < learns; k++) {
        snprintf(number, sizeof number, "\"Sequence number\":%d,\"Fwd thread id\":1",
                 900 + first + learns - 1 - k);
        case_event(&w->c, "cpu_op", "autograd::engine::evaluate_function: MmBackward0",
                   2, w->host - 1, 9, number);
        char call[60];
        snprintf(call, sizeof call, "\"correlation\":%d", ++w->n + 1000);
        case_event(&w->c, "cuda_runtime", "cudaLaunchKernel", 2, w->host, 1, call);
        case_kernel(&w->c, "gemm", 7, w->gpu, 200, w->n + 1000);
        w->gpu += 200;
        w->host += 10;
    }
    w->n += 10;
}

static void what_no_gradient_passes_is_frozen(void **state)
{
    (void)state;
    static const struct {
        bool learns, later;
        const char *around;
        int calls;
        const char *in; /* between its first operators */
    } cases[] = {{false, false, "train.py(9): run", 3, NULL},
                 {true, false, "train.py(9): run", 0, NULL},
                 /* evaluated now, trained in the last step */
                 {false, true, "train.py(9): run", 0, NULL},
                 /* trained where the backward pass runs it again */
                 {false, false, "torch/utils/checkpoint.py(488): checkpoint", 0, NULL},
                 {false, false, "train.py(9): run", 3, "aten::view"},
                 /* augmentation: another result each time */
                 {false, false, "train.py(9): run", 0, "aten::rand"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct writer w = {.host = 10};
        case_begin(&w.c);
        for (int i = 0; i < 3; i++)
            step(&w, cases[k].learns || (cases[k].later && i == 2), "Encoder_0");
        case_frame(&w.c, cases[k].around, 5, w.host);
        if (cases[k].in)
            case_op(&w.c, cases[k].in, 20.1, 0.8);
        struct analysis a = analyse_with(&w.c, library);
        struct tree_index t = tree_index_build(&w.c.perm, w.c.tmp, &w.c.view);
        struct arena tmp = w.c.tmp;
        struct frozen_modules m = frozen_modules_find(&w.c.perm, tmp, &t);
        if (m.n != cases[k].calls)
            fail_msg("case %zu: %d", k, (int)m.n);
        const struct finding *f = of_pattern(&a, "frozen_modules");
        assert_int_equal(f != NULL, cases[k].calls > 0);
        if (f) {
            assert_text(f->title, "Precompute what the frozen Encoder gives");
            assert_near(f->time_ms, 0.9, 1e-6);
            assert_int_equal(f->n_gpu, 9);
            assert_in_range((int)(1000 * f->impact.high_ms), 850, 910);
        }
        case_close(&w.c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_without_anything_between_are_found),
        cmocka_unit_test(passes_become_a_batch),
        cmocka_unit_test(what_no_gradient_passes_is_frozen),
    };
    return cmocka_run_group_tests(tests, open_library, close_library);
}
