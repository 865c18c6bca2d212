/* Work that is done again, or done for each of many where once would do. */
#include "analysis/findings_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const char *const flash = "flash_fwd_kernel";

static int add(struct trace_case *c, const char *name, const char *dims,
               const char *kernel, double us, int n)
{
    op(c, name, dims, 20 * n, kernel, 10000 + 3000 * n, us, n + 1);
    return n + 1;
}

/* Attention, three matmuls and a sum over all tokens in each of `steps` steps, of 4
 * sequences that grow by `by` tokens a step. */
static struct analysis grow(struct trace_case *c, int steps, int by, bool trains)
{
    case_begin(c);
    int n = 0;
    for (int i = 0; i < steps; i++) {
        int length = 700 + by * i;
        char dims[200];
        snprintf(dims, sizeof dims, "[4,%d,8,64],[4,%d,8,64],[4,%d,8,64]", length,
                 length, length);
        n = add(c, "aten::_flash_attention_forward", dims, flash, 100, n);
        snprintf(dims, sizeof dims, "[%d,512],[512,512]", 4 * length);
        for (int k = 0; k < 3; k++)
            n = add(c, "aten::mm", dims, "gemm", 1000, n);
        snprintf(dims, sizeof dims, "[%d,512],[%d,512]", 4 * length, 4 * length);
        n = add(c, "aten::add", dims, "vectorized_elementwise_kernel", 500, n);
    }
    if (trains)
        case_op(c, "autograd::engine::evaluate_function: MmBackward0", 20 * n, 8);
    if (trains)
        case_launch(c, "gemm", 20 * n + 1, 10000 + 3000 * n, 1000, n + 1);
    return analyse_with(c, library);
}

static void a_missing_cache_is_named(void **state)
{
    (void)state;
    static const struct {
        int steps, by;
        bool trains, told;
    } cases[] = {{4, 1, false, true},
                 {4, 2, false, false}, /* other batches, not one more token */
                 {2, 1, false, false},
                 {4, 0, false, false},
                 {4, 1, true, false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct trace_case c;
        struct analysis a = grow(&c, cases[k].steps, cases[k].by, cases[k].trains);
        assert_int_equal(a.n_warnings, 0);
        const struct finding *f = of_pattern(&a, "repeated_context");
        if ((f != NULL) != cases[k].told)
            fail_msg("case %zu: %d", k, f != NULL);
        if (k == 0) {
            assert_text(f->title, "Use a KV cache: each token runs over all 703 again");
            /* of 12 ms, 2 and 0.4, and the weights */
            assert_in_range(1000 * f->impact.high_ms, 14001, 14400);
        }
        case_close(&c);
    }
}

/* In each of 4 steps 2 queries of a sequence read 1500 keys, which `made` matmuls make:
 * in each step or in one. `encodes`: an encoder of as many tokens runs before. */
static struct analysis read_keys(struct trace_case *c, int made, int encodes)
{
    case_begin(c);
    int n = 0;
    for (int i = 0; i < encodes; i++) {
        n = add(c, "aten::_flash_attention_forward",
                "[4,1500,8,64],[4,1500,8,64],[4,1500,8,64]", flash, 100, n);
        for (int k = 0; k < 4; k++)
            n = add(c, "aten::mm", "[6000,512],[512,512]", "gemm", 1000, n);
    }
    for (int i = 0; i < made; i++)
        n = add(c, "aten::mm", "[6000,512],[512,512]", "gemm", 1000, n);
    for (int i = 0; i < 4; i++)
        n = add(c, "aten::_flash_attention_forward",
                "[4,2,8,64],[4,1500,8,64],[4,1500,8,64]", flash, 100, n);
    return analyse_with(c, library);
}

static void keys_that_stay_are_to_be_kept(void **state)
{
    (void)state;
    static const struct {
        int made, encodes;
        bool told;
    } cases[] = {{8, 0, true}, {8, 2, true}, {2, 0, false}, {2, 4, false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct trace_case c;
        struct analysis a = read_keys(&c, cases[k].made, cases[k].encodes);
        assert_int_equal(a.n_warnings, 0);
        const struct finding *f = of_pattern(&a, "repeated_context");
        if ((f != NULL) != cases[k].told)
            fail_msg("case %zu: %d", k, f != NULL);
        if (f)
            assert_text(
                f->title,
                "Keep the keys and values of the 1500 positions: each step makes "
                "them again");
        if (k < 2)
            assert_near(f->impact.high_ms, 8, 0.01);
        case_close(&c);
    }
}

/* In each of 4 steps, 8 heads of keys and values are copied for `repeats` queries each
 * before attention of 32 heads. */
static void keys_of_shared_heads_are_not_copied(void **state)
{
    (void)state;
    static const struct {
        const char *copy;
        bool told;
    } cases[] = {{"[4,8,4,1500,64],[4,8,4,1500,64],[]", true},
                 {"[4,1500,8,4,64],[4,1500,8,4,64],[]", false}, /* another layout */
                 {"[4,32,1500,64],[4,32,1500,64],[]", false},
                 {"[4,8,3,1500,64],[4,8,3,1500,64],[]", false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct trace_case c;
        case_begin(&c);
        int n = 0;
        for (int i = 0; i < 4; i++) {
            for (int of = 0; of < 2; of++)
                n = add(&c, "aten::copy_", cases[k].copy, "direct_copy_kernel", 20, n);
            n = add(&c, "aten::_flash_attention_forward",
                    "[4,32,1,64],[4,32,1500,64],[4,32,1500,64]", flash, 100, n);
        }
        struct analysis a = analyse_with(&c, library);
        assert_int_equal(a.n_warnings, 0);
        const struct finding *f = of_pattern(&a, "repeated_heads");
        if ((f != NULL) != cases[k].told)
            fail_msg("case %zu: %d", k, f != NULL);
        if (f) { /* faster than a copy that reads all of it: it is expanded */
            assert_text(f->title, "Pass keys and values to attention as they are: each "
                                  "head is copied 4 times");
            assert_near(f->impact.low_ms, 0.9 * 8 * 0.02 + 0.6 * 0.75 * 4 * 0.1, 0.001);
            assert_near(f->impact.high_ms, 8 * 0.02 + 0.75 * 4 * 0.1, 0.001);
        }
        case_close(&c);
    }
}

/* Three kernels of an edge's row for each of 4 layers, besides 4 ms. */
static void edges_are_summed_by_a_sparse_matmul(void **state)
{
    (void)state;
    static const struct {
        const char *sum, *between;
        bool told;
    } cases[] = {{"[100000,64],[],[1000000,64],[1000000,64]", "aten::mul", true},
                 {"[100000,64],[],[1000000,64],[1000000,64]", "aten::relu", false},
                 {"[100000,64],[],[900000,64],[900000,64]", "aten::mul", false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct trace_case c;
        case_begin(&c);
        int n = 0;
        for (int i = 0; i < 4; i++) {
            n = add(&c, "aten::index_select", "[100000,64],[],[1000000]", "indexSelect",
                    300, n);
            n = add(&c, cases[k].between, "[1000000,64],[1000000,1]",
                    "elementwise_kernel", 70, n);
            n = add(&c, "aten::scatter_add_", cases[k].sum, "scatter_add", 100, n);
        }
        n = add(&c, "aten::mm", "[512,512],[512,512]", "gemm", 2500, n);
        struct analysis a = analyse_with(&c, library);
        assert_int_equal(a.n_warnings, 0);
        const struct finding *f = of_pattern(&a, "message_passing");
        if ((f != NULL) != cases[k].told)
            fail_msg("case %zu: %s", k, f ? str_c(&c.perm, f->issue) : "");
        if (f) {
            double pass_ms = 4 * 64e6 * 2 / 5300e9 * 1e3;
            assert_near(f->impact.low_ms, 1.88 - pass_ms / 0.6, 0.01);
            assert_near(f->impact.high_ms, 1.88 - 0.3 * pass_ms, 0.01);
            assert_int_equal(f->count, 12);
        }
        case_close(&c);
    }
}

/* The gradient of `table[i]` sorts 2 million indices: in training, by those kernels. */
static void gradients_of_indexing_sort(void **state)
{
    (void)state;
    static const struct {
        const char *above, *name, *kernel, *pattern;
    } cases[] = {{"", "aten::_index_put_impl_", "indexing_backward_kernel",
                  "sorted_index_gradient"},
                 {"aten::index_add_", "aten::_index_put_impl_",
                  "indexing_backward_kernel", "deterministic_sums"},
                 {"aten::scatter_add_", "aten::_index_put_impl_",
                  "indexing_backward_kernel", "deterministic_sums"},
                 {"UnsafeIndexBackward0", "aten::_index_put_impl_",
                  "indexing_backward_kernel", "deterministic_sums"},
                 {"", "aten::_index_put_impl_", "index_elementwise_kernel", ""},
                 {"", "aten::index_copy_", "indexing_backward_kernel", ""}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct trace_case c;
        case_begin(&c);
        case_op(&c, "autograd::engine::evaluate_function: IndexBackward0", 0, 30);
        if (*cases[k].above)
            case_op(&c, cases[k].above, 0.5, 20);
        op(&c, cases[k].name, "[4096,64],[],[100000,64]", 1, cases[k].kernel, 1000,
           2000, 1);
        op(&c, "aten::mm", "[512,512],[512,512]", 40, "gemm", 4000, 2500, 2);
        struct analysis a = analyse_with(&c, library);
        assert_int_equal(a.n_warnings, 0);
        static const char *const both[] = {"sorted_index_gradient",
                                           "deterministic_sums"};
        for (int b = 0; b < 2; b++)
            assert_int_equal(of_pattern(&a, both[b]) != NULL,
                             strcmp(both[b], cases[k].pattern) == 0);
        case_close(&c);
    }
}

/* Two filters, each on inputs of two sizes; the first call of each tries 4 kernels of
 * 1 ms before the one that stays, of 0.5 ms. */
static struct analysis search(struct trace_case *c, const char *second_size, int tries)
{
    case_begin(c);
    int n = 0;
    for (int i = 0; i < 16; i++) {
        char args[300];
        int side = i / 4 % 2 ? 3 : 5;
        snprintf(args, sizeof args,
                 "\"Input Dims\":[[8,64,%s],[64,64,%d,%d],[],[],[],[],[],[],[]],"
                 "\"Input type\":[\"c10::BFloat16\",\"c10::BFloat16\"],"
                 "\"Concrete Inputs\":[\"\",\"\",\"\",\"[1, 1]\",\"[1, 1]\","
                 "\"[1, 1]\",\"False\",\"[0, 0]\",\"1\"]",
                 i < 8 ? "56,56" : second_size, side, side);
        case_event(c, "cpu_op", "aten::convolution", 1, 100 * i, 90, args);
        for (int k = 0; i % 4 == 0 && k < tries; k++, n++) {
            char kernel[40];
            snprintf(kernel, sizeof kernel, "implicit_gemm_%d", k);
            case_launch(c, kernel, 100 * i + 1 + 2 * k, 10000 + 3000 * n, 1000, n + 1);
        }
        case_launch(c, "implicit_gemm", 100 * i + 50, 10000 + 3000 * n, 500, n + 1);
        n++;
    }
    return analyse_with(c, library);
}

static void each_size_is_searched_for(void **state)
{
    (void)state;
    static const struct {
        const char *second_size;
        int tries;
        bool told;
    } cases[] = {{"64,64", 4, true}, {"56,56", 4, false}, {"64,64", 2, false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct trace_case c;
        struct analysis a = search(&c, cases[k].second_size, cases[k].tries);
        assert_int_equal(a.n_warnings, 0);
        const struct finding *f = of_pattern(&a, "searched_for_each_size");
        if ((f != NULL) != cases[k].told)
            fail_msg("case %zu: %d", k, f != NULL);
        if (f)
            assert_near(f->impact.high_ms, 16, 0.1);
        case_close(&c);
    }
}

/* The first call of a size tries four kernels of 1 ms. The host waits for each and
 * takes 0.3 ms until the next: in calls of its own, or where it times them, to load it.
 */
static struct analysis search_and_wait(struct trace_case *c, bool timed)
{
    int n = 0;
    case_begin(c);
    for (int i = 0, at = 100; i < 16; i++) {
        char args[300];
        int tries = i % 4 ? 0 : 4, us = tries * 1320 + 90;
        snprintf(args, sizeof args,
                 "\"Input Dims\":[[8,64,%d,56],[64,64,3,3],[],[],[],[],[],[],[]],"
                 "\"Input type\":[\"c10::BFloat16\",\"c10::BFloat16\"],"
                 "\"Concrete Inputs\":[\"\",\"\",\"\",\"[1, 1]\",\"[1, 1]\","
                 "\"[1, 1]\",\"False\",\"[0, 0]\",\"1\"]",
                 56 + i / 4);
        case_event(c, "cpu_op", i < 8 ? "aten::convolution" : "aten::cudnn_convolution",
                   1, at, us, args);
        for (int k = 0; k < tries; k++) {
            char kernel[40];
            double on = at + 5 + 1320 * k;
            snprintf(kernel, sizeof kernel, "implicit_gemm_%d", timed ? k / 2 : k);
            case_launch(c, kernel, on, on + 5, 1000, ++n);
            case_call(c, "cudaEventSynchronize", on + 4, 1006, 0);
            if (timed) {
                case_call(c, "cudaEventElapsedTime", on + 1011, 2, 0);
                case_call(c, "cuModuleLoadData", on + 1014, 300, 0);
            }
        }
        case_launch(c, "implicit_gemm", at + us - 60, at + us - 50, timed ? 100 : 500,
                    ++n);
        at += us + 600;
    }
    return analyse_with(c, library);
}

/* 16 trials go, and where they are timed the idle time behind all but the last of four;
 * then 1.6 ms that are chosen otherwise may take half as long again. */
static void waits_of_a_search_go_with_it(void **state)
{
    (void)state;
    for (int timed = 0; timed < 2; timed++) {
        struct trace_case c;
        struct analysis a = search_and_wait(&c, timed);
        const struct finding *f = of_pattern(&a, "searched_for_each_size");
        assert_non_null(f);
        assert_true(str_has(f->issue, S("The GPU is idle for")));
        assert_non_null(f->between);
        for (int k = 0; k < a.n_findings; k++)
            if (a.findings[k].idle && !a.findings[k].recording)
                fail_msg("%d: %.*s", timed, STRF(a.findings[k].title));
        assert_in_range(1000 * f->impact.high_ms, timed ? 19500 : 16000,
                        timed ? 20500 : 17000);
        if (timed)
            assert_true(str_has(f->issue, S("up to 3 kernels"))); /* two, each twice */
        if (timed)
            assert_near(f->part_low / f->part_high, 0.95, 0.001);
        else
            assert_near(f->part_low / f->part_high, 0.9, 1e-9);
        for (int k = 0; k < f->n_rows; k++)
            assert_ptr_equal(&a.findings[f->rows[k]->claimed_by], f);
        case_close(&c);
    }
}

/* A kernel of which one call runs more than the others is tried too. */
static void the_kernel_that_stays_was_tried_too(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    int n = 0;
    for (int i = 0; i < 16; i++) {
        char args[300];
        snprintf(args, sizeof args,
                 "\"Input Dims\":[[8,64,%d,56],[64,64,3,3],[],[],[],[],[],[],[]],"
                 "\"Input type\":[\"c10::BFloat16\",\"c10::BFloat16\"],"
                 "\"Concrete Inputs\":[\"\",\"\",\"\",\"[1, 1]\",\"[1, 1]\","
                 "\"[1, 1]\",\"False\",\"[0, 0]\",\"1\"]",
                 56 + i / 4);
        case_event(&c, "cpu_op", "aten::convolution", 1, 100 * i, 90, args);
        for (int k = i % 4 ? 4 : 0; k < 5; k++, n++) {
            char kernel[40];
            snprintf(kernel, sizeof kernel, "implicit_gemm_%d", k % 4);
            case_launch(&c, kernel, 100 * i + 1 + 2 * k, 10000 + 1000 * n, 1000, n + 1);
        }
    }
    struct analysis a = analyse_with(&c, library);
    const struct finding *f = of_pattern(&a, "searched_for_each_size");
    assert_non_null(f);
    assert_near(f->impact.high_ms, 16, 0.1);
    case_close(&c);
}

/* No call is the second of its size: each runs four kernels of 1 ms twice, and the one
 * that stays; or two that split and convert, as any call may. Where they are timed,
 * too, four are four. */
static void sizes_that_do_not_recur_are_searched_for(void **state)
{
    (void)state;
    static const struct {
        const char *kernel;
        bool told;
    } cases[] = {
        {"implicit_gemm", true}, {"nchw_to_nhwc", false}, {"implicit_gemm", true}};
    for (int w = 0; w < 3; w++) {
        struct trace_case c;
        case_begin(&c);
        for (int i = 0, n = 0; i < 6; i++) {
            char args[200], tried[40];
            snprintf(args, sizeof args,
                     "\"Input Dims\":[[8,64,%d,56],[64,64,3,3]],"
                     "\"Input type\":[\"c10::BFloat16\",\"c10::BFloat16\"]",
                     56 + i);
            case_event(&c, "cpu_op", "aten::cudnn_convolution", 1, 100 * i, 90, args);
            for (int k = 0; k < 9; k++, n++) {
                snprintf(tried, sizeof tried, "%s_%d", k < 8 ? cases[w].kernel : "gemm",
                         k / 2);
                case_launch(&c, tried, 100 * i + 1 + 2 * k, 10000 + 1000 * n, 1000,
                            n + 1);
                if (w == 2 && k < 8)
                    case_call(&c, "cudaEventElapsedTime", 100 * i + 2 + 2 * k, 1, 0);
            }
        }
        struct analysis a = analyse_with(&c, library);
        const struct finding *f = of_pattern(&a, "searched_for_each_size");
        assert_int_equal(f != NULL, cases[w].told);
        if (f)
            assert_near(f->impact.high_ms, 6 * 8, 0.1);
        if (f && w == 2)
            assert_true(str_has(f->issue, S("up to 5 kernels")));
        case_close(&c);
    }
}

/* 20 calls in fp32, forward and backward, in kernels that unfold; or beside twice as
 * much in others, whose type may change. */
static void a_library_that_is_off_is_switched_on(void **state)
{
    (void)state;
    for (int others = 0; others < 2; others++) {
        struct trace_case c;
        case_begin(&c);
        int n = 0;
        for (int i = 0; i < 20; i++) {
            n = add(&c, "aten::_slow_conv2d_forward", "[8,64,56,56],[64,64,3,3]",
                    "im2col_kernel", 100, n);
            n = add(&c, "aten::convolution_backward",
                    "[8,64,56,56],[8,64,56,56],[64,64,3,3]", "col2im_kernel", 100, n);
            if (others)
                n = add(&c, "aten::cudnn_convolution", "[8,64,56,56],[64,64,3,3]",
                        "scudnn_128x64_relu", 400, n);
        }
        struct analysis a = analyse_with(&c, library);
        const struct finding *f = of_pattern(&a, "unfolded_convolution");
        assert_non_null(f);
        assert_near(f->impact.high_ms, (others ? 0.97 : 0.8) * 4, 0.01);
        assert_true(str_starts(
            f->title, others ? S("Replace the convolution that multiplies")
                             : S("Switch the convolution library on: convolutions")));
        assert_null(of_pattern(&a, "fp32_matrix"));
        case_close(&c);
    }
}

/* The length is named, and the next one without large factors. */
static void prime_lengths_are_padded(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    op(&c, "aten::_fft_r2c", "[8,16381]", 0, "multi_bluestein_fft", 1000, 2000, 1);
    op(&c, "aten::mm", "[512,512],[512,512]", 40, "gemm", 4000, 2500, 2);
    struct analysis a = analyse_with(&c, library);
    const struct finding *f = of_pattern(&a, "prime_transform");
    assert_non_null(f);
    assert_text(f->title, "Pad the Fourier transforms of 16381 to 16384");
    assert_near(f->impact.high_ms, 0.85 * 2, 0.01);
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_missing_cache_is_named),
        cmocka_unit_test(keys_that_stay_are_to_be_kept),
        cmocka_unit_test(keys_of_shared_heads_are_not_copied),
        cmocka_unit_test(edges_are_summed_by_a_sparse_matmul),
        cmocka_unit_test(gradients_of_indexing_sort),
        cmocka_unit_test(each_size_is_searched_for),
        cmocka_unit_test(waits_of_a_search_go_with_it),
        cmocka_unit_test(the_kernel_that_stays_was_tried_too),
        cmocka_unit_test(sizes_that_do_not_recur_are_searched_for),
        cmocka_unit_test(a_library_that_is_off_is_switched_on),
        cmocka_unit_test(prime_lengths_are_padded),
    };
    return cmocka_run_group_tests(tests, open_library, close_library);
}
