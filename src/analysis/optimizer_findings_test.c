/* Optimizers: dense gradients of embeddings, and formulas in many passes. */
#include "analysis/findings_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void step(struct trace_case *c, int k, const char *name, const char *args,
                 const char *kernel, double us)
{
    case_event(c, "cpu_op", name, 1, 30.0 * k, 8, args);
    case_launch(c, kernel, 30.0 * k + 1, 1000 + 10000.0 * k, us, k + 1);
}

enum { WIDTH = 64 };

/* The k-th: a table of `rows` and 8,192 indices, with a gradient of 1 ms to fill. */
static void embedding_at(struct trace_case *c, int k, int rows)
{
    char args[300];
    snprintf(args, sizeof args,
             "\"Input Dims\":[[%d,%d],[8192]],\"Input type\":[\"float\",\"long int\"]",
             rows, WIDTH);
    step(c, k, "aten::embedding", args, "indexSelectLargeIndex", 40);
    snprintf(args, sizeof args,
             "\"Input Dims\":[[8192,%d],[8192],[],[],[]],\"Input type\":[\"float\","
             "\"long int\",\"Scalar\",\"Scalar\",\"Scalar\"]",
             WIDTH);
    double us = 30.0 * k;
    case_event(c, "cpu_op", "aten::embedding_dense_backward", 1, us + 10, 18, args);
    case_launch(c, "FillFunctor<float>", us + 11, 3000 + 10000.0 * k, 1000,
                2 * k + 101);
    case_launch(c, "compute_grad_weight", us + 13, 4000 + 10000.0 * k, 60, 2 * k + 102);
}

static void embedding(struct trace_case *c, int rows)
{
    embedding_at(c, 0, rows);
}

/* `passes` operators of one list of the table and a layer, of 1 ms and the last of 3.
 */
static void update(struct trace_case *c, int rows, int passes, const char *last)
{
    static const char *const names[] = {"aten::_foreach_lerp_", "aten::_foreach_mul_",
                                        "aten::_foreach_sqrt"};
    for (int k = 0; k < passes; k++) {
        char args[200];
        snprintf(args, sizeof args,
                 "\"Input Dims\":[[[%d,%d],[64,64]]],\"Input type\":[\"TensorList\"]",
                 rows, WIDTH);
        step(c, 2 + k, k + 1 < passes ? names[k] : last, args, "multi_tensor_apply",
             k + 1 < passes ? 1000 : 3000);
    }
}

/* Of 100,000 rows a step touches 8.2%; of 32,767 a quarter and more. A table that a
 * matmul multiplies by has a dense gradient, and a small one does not matter. */
static void sparse_gradients_where_few_rows_are_touched(void **state)
{
    (void)state;
    static const struct {
        int rows, outputs;
        bool told;
    } cases[] = {{100000, 0, true},
                 {65536, 0, true},
                 {32767, 0, false},
                 {65535, 0, false},
                 {100000, 100000, false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct trace_case c;
        char dims[60];
        case_begin(&c);
        embedding(&c, cases[k].rows);
        update(&c, cases[k].rows, 4, "aten::_foreach_addcdiv_");
        snprintf(dims, sizeof dims, "[8192,64],[64,%d]", cases[k].outputs);
        if (cases[k].outputs)
            op(&c, "aten::mm", dims, 900, "gemm", 99000, 1000, 90);
        struct analysis a = analyse_with(&c, library);
        assert_int_equal(a.n_warnings, 0);
        const struct finding *f = of_pattern(&a, "dense_embedding_gradient");
        assert_int_equal(f != NULL, cases[k].told);
        if (k == 0) { /* all of filling, and 99.9% of the passes */
            assert_near(f->impact.high_ms, (1 - 8192 / 1e5) * 7, 0.01);
            assert_true(str_has(f->algorithmic, S("4 kernels a step pass over")));
            assert_null(of_pattern(&a, "foreach_optimizer"));
        }
        case_close(&c);
    }
}

/* The fused form counts too, and is not to be fused. */
static void a_fused_optimizer_passes_over_the_table_too(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    embedding(&c, 100000);
    update(&c, 100000, 1, "aten::_fused_adamw_");
    struct analysis a = analyse_with(&c, library);
    const struct finding *f = of_pattern(&a, "dense_embedding_gradient");
    assert_non_null(f);
    assert_near(f->impact.high_ms, (1 - 8192 / 1e5) * 4, 0.01);
    assert_false(str_has(f->algorithmic, S("fused=True")));
    case_close(&c);
}

/* Lists whose sizes are not recorded: of the 3 ms, at the least 28 bytes for each of
 * 6,400,000 elements at 5.3 TB/s are the table's. Without peaks nothing is claimed. */
static void an_optimizer_without_sizes_takes_its_bytes_at_least(void **state)
{
    (void)state;
    for (int known = 0; known < 2; known++) {
        struct trace_case c;
        case_begin(&c);
        embedding(&c, 100000);
        step(&c, 2, "aten::_fused_adamw_",
             "\"Input Dims\":[[]],\"Input type\":[\"float\"]", "multi_tensor_apply",
             3000);
        struct analysis a =
            known ? analyse_with(&c, library) : analyse_on(&c, library, NULL);
        const struct finding *f = of_pattern(&a, "dense_embedding_gradient");
        assert_non_null(f);
        double part = 1 - 8192 / 1e5, least_ms = 6.4e6 * 28 / 5.3e9;
        assert_near(f->impact.high_ms, part * (known ? 4 : 1), 0.01);
        assert_near(f->impact.low_ms, 0.8 * part * (known ? 1 + least_ms : 1), 0.01);
        assert_true(str_has(f->issue, known ? S("to 3.00 ms of the optimizer, whose")
                                            : S("What the optimizer takes for them")));
        assert_true(str_has(f->issue, S("but its gradient passes")) == !known);
        case_close(&c);
    }
}

/* In each of two steps, bags of one table of 200,000 rows, of two of 100,000 and of one
 * of 1,000, whose backward calls are one row: 24,576 of 400,000 rows are touched, and
 * all but 0.25% of the 8 ms fills are theirs. */
static void tables_of_one_width_are_counted(void **state)
{
    (void)state;
    static const int rows[] = {200000, 100000, 100000, 1000};
    struct trace_case c;
    int at = 0;
    case_begin(&c);
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < 8; k++) {
            char args[300];
            if (k < 4)
                snprintf(args, sizeof args,
                         "\"Input Dims\":[[%d,%d],[8192],[8192]],\"Input type\":["
                         "\"float\",\"long int\",\"long int\"]",
                         rows[k], WIDTH);
            else
                snprintf(args, sizeof args,
                         "\"Input Dims\":[[8192,%d],[8192],[8192]],\"Input "
                         "type\":[\"float\",\"long int\",\"long int\"]",
                         WIDTH);
            step(&c, at++,
                 k < 4 ? "aten::_embedding_bag" : "aten::_embedding_bag_dense_backward",
                 args, k < 4 ? "EmbeddingBag_updateOutputKernel" : "FillFunctor<float>",
                 k < 4 ? 40 : 1000);
            if (k >= 4)
                case_launch(&c, "compute_grad_weight_bags", 30.0 * (at - 1) + 4,
                            3000 + 10000.0 * (at - 1), 60, 100 + at);
        }
    struct analysis a = analyse_with(&c, library);
    const struct finding *f = of_pattern(&a, "dense_embedding_gradient");
    assert_non_null(f);
    assert_true(str_has(f->issue, S("of the 400000 rows of its 3 large embeddings")));
    assert_near(f->impact.high_ms, (1 - 2 * 24576 / 4e5) * 8 * 400 / 401, 0.01);
    case_close(&c);
}

/* Three gradients of equal size in each of two steps are of as many tables, unless two
 * such gradients are added. */
static void tables_of_one_size_are_counted_by_updates(void **state)
{
    (void)state;
    for (int added = 0; added < 2; added++) {
        struct trace_case c;
        int at = 0;
        case_begin(&c);
        for (int s = 0; s < 2; s++) {
            for (int k = 0; k < 3; k++)
                embedding_at(&c, at++, 100000);
            if (added)
                step(&c, at++, "aten::add_",
                     "\"Input Dims\":[[100000,64],[100000,64],[]],\"Input type\":["
                     "\"float\",\"float\",\"Scalar\"]",
                     "vectorized_elementwise_kernel", 100);
            step(&c, at++, "aten::_fused_adamw_",
                 "\"Input Dims\":[[]],\"Input type\":[\"float\"]", "multi_tensor_apply",
                 3000);
        }
        struct analysis a = analyse_with(&c, library);
        const struct finding *f = of_pattern(&a, "dense_embedding_gradient");
        assert_non_null(f);
        assert_true(str_has(f->issue, added ? S("the 100000 rows of its embedding")
                                            : S("the 300000 rows of its 3 large emb")));
        case_close(&c);
    }
}

/* Dense gradients of a table of 4 million elements would be passed over each step. */
static void a_large_table_keeps_its_sparse_gradients(void **state)
{
    (void)state;
    for (int large = 0; large < 2; large++) {
        struct trace_case c;
        char args[300];
        case_begin(&c);
        snprintf(args, sizeof args,
                 "\"Input Dims\":[[%d,64]],\"Input type\":[\"float\"]",
                 large ? 65536 : 65535);
        step(&c, 1, "aten::_coalesce", args, "coalesceValuesKernel", 1000);
        struct analysis a = analyse_with(&c, library);
        const struct finding *f = of_pattern(&a, "sparse_gradients");
        assert_non_null(f);
        assert_int_equal(!str_has(f->title, S("sparse=False")), large);
        assert_int_equal(!str_has(f->algorithmic, S("sparse=False")), large);
        case_close(&c);
    }
}

/* Adam in four passes of 6 ms, of which one would take 3.5; in three, or of another
 * formula, nothing is known. */
static void passes_over_one_list_are_to_be_one(void **state)
{
    (void)state;
    static const struct {
        int passes;
        const char *last;
        bool told;
    } cases[] = {{4, "aten::_foreach_addcdiv_", true},
                 {3, "aten::_foreach_addcdiv_", false},
                 {4, "aten::_foreach_add_", false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct trace_case c;
        case_begin(&c);
        update(&c, 100000, cases[k].passes, cases[k].last);
        struct analysis a = analyse_with(&c, library);
        const struct finding *f = of_pattern(&a, "foreach_optimizer");
        assert_int_equal(f != NULL, cases[k].told);
        if (f)
            assert_near(f->impact.high_ms, 6 - 3.5, 0.01);
        case_close(&c);
    }
}

/* The host takes 20 us for each of 300 kernels of 12 us. No peaks are known, so fusion
 * has no finding: the fused form ends the gaps, 2.4 ms, and leaves a third of the 3.6
 * ms of kernels. */
static void a_late_optimizer_saves_its_kernels_too(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    op(&c, "aten::mm", "[512,512],[512,512]", 0, "gemm", 20, 900, 1000);
    case_event(&c, "user_annotation", "Optimizer.step#Adam.step", 1, 950, 6100,
               "\"k\":1");
    for (int k = 0; k < 300; k++) {
        char args[80];
        snprintf(args, sizeof args,
                 "\"Input Dims\":[[%d,64]],\"Input type\":[\"float\"]", 1000 + k);
        case_event(&c, "cpu_op", k % 2 ? "aten::mul_" : "aten::add_", 1, 960 + 20.0 * k,
                   18, args);
        case_launch(&c, "vectorized_elementwise_kernel", 962 + 20.0 * k, 966 + 20.0 * k,
                    12, k + 1);
    }
    struct analysis a = analyse_on(&c, library, NULL);
    const struct finding *f = of_pattern(&a, "host_bound_optimizer");
    assert_non_null(f);
    assert_int_equal(f->about, ABOUT_OPTIMIZER);
    assert_near(f->time_ms, 2.4 + 3.6, 0.1);
    assert_true(f->impact.high_ms > 2.4 + 0.6 * 3.6);
    assert_true(f->impact.high_ms < 2.4 + 0.7 * 3.6);
    assert_true(f->impact.low_ms > 2.4 && f->impact.low_ms < f->impact.high_ms);
    case_close(&c);
}

/* Sixty parameters in four operators each, with late launches: fusion tells of the
 * chains, and takes the idle time along. The kernels are not told once more. */
static void an_optimizer_is_told_once(void **state)
{
    (void)state;
    static const char *const formula[] = {"aten::mul_", "aten::addcmul_", "aten::sqrt",
                                          "aten::addcdiv_"};
    struct trace_case c;
    case_begin(&c);
    op(&c, "aten::mm", "[512,512],[512,512]", 0, "gemm", 20, 900, 1000);
    case_event(&c, "user_annotation", "Optimizer.step#Adam.step", 1, 950, 4900,
               "\"k\":1");
    for (int k = 0; k < 240; k++) {
        char args[120];
        snprintf(args, sizeof args,
                 "\"Input Dims\":[[%d,64],[%d,64],[%d,64]],\"Input type\":[\"float\","
                 "\"float\",\"float\"]",
                 1000 + k / 4, 1000 + k / 4, 1000 + k / 4);
        case_event(&c, "cpu_op", formula[k % 4], 1, 960 + 20.0 * k, 18, args);
        case_launch(&c, "vectorized_elementwise_kernel", 962 + 20.0 * k, 966 + 20.0 * k,
                    12, k + 1);
    }
    struct analysis a = analyse_with(&c, library);
    const struct finding *f = of_pattern(&a, "Unfused optimizer");
    assert_non_null(f);
    assert_text(f->title,
                "Use the fused form of Adam.step: it runs operator by operator");
    assert_non_null(f->between);
    assert_null(of_pattern(&a, "optimizer_loop"));
    case_close(&c);
}

/* The device is busy with 120 kernels of 5 us, a fifth of the run, whose operators have
 * no shapes. Of list operators, or of a few, nothing is said. */
static void a_loop_over_parameters_is_told_without_shapes(void **state)
{
    (void)state;
    static const struct {
        const char *annotation;
        int kernels, an_operator;
        bool told;
    } cases[] = {{"Optimizer.step#Lamb.step", 120, 1, true},
                 {"Optimizer.step#AdamW.step", 120, 1, true},
                 {"Optimizer.step#Lamb.step", 120, 4, false},
                 {"Optimizer.step#Lamb.step", 90, 1, false},
                 {"update_ema", 120, 1, false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct trace_case c;
        case_begin(&c);
        case_launch(&c, "gemm", 20, 30, 2400, 1000);
        case_event(&c, "user_annotation", cases[k].annotation, 1, 90, 2300, "\"k\":1");
        for (int i = 0; i < cases[k].kernels; i++) {
            if (i % cases[k].an_operator == 0)
                case_op(&c, "aten::mul_", 100 + 15.0 * i, 14.0 * cases[k].an_operator);
            case_launch(&c, "vectorized_elementwise_kernel", 101 + 15.0 * i,
                        2430 + 5.0 * i, 5, i + 1);
        }
        struct analysis a = analyse_with(&c, library);
        const struct finding *f = of_pattern(&a, "optimizer_loop");
        assert_int_equal(f != NULL, cases[k].told);
        if (f) {
            bool adam = str_has(f->title, S("AdamW"));
            assert_true(str_has(f->title, S(": each step launches 120 kernels")));
            assert_int_equal(str_has(f->algorithmic, S("Pass `fused=True`")), adam);
            assert_near(f->time_ms, 0.6, 1e-9);
            assert_near(f->impact.low_ms, 0.5 * 0.6, 0.01);
            assert_near(f->impact.high_ms, 0.9 * 0.6, 0.01);
        }
        case_close(&c);
    }
}

/* Forty fills of 20 us in a run of 8.8 ms, launched long before the device reaches
 * them; 0.8 ms are gone with them. Of four, which take less than 1%, nothing is said,
 * nor of fills that another annotation has. */
static void gradients_are_freed_not_zeroed(void **state)
{
    (void)state;
    static const struct {
        const char *annotation;
        int fills;
        bool told;
    } cases[] = {{"Optimizer.zero_grad#AdamW.zero_grad", 40, true},
                 {"Optimizer.zero_grad#AdamW.zero_grad", 4, false},
                 {"make_masks", 40, false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct trace_case c;
        case_begin(&c);
        op(&c, "aten::mm", "[512,512],[512,512]", 0, "gemm", 20, 4000, 1000);
        case_event(&c, "user_annotation", cases[k].annotation, 1, 90, 1700, "\"k\":1");
        for (int i = 0; i < cases[k].fills; i++) {
            case_event(&c, "cpu_op", "aten::zero_", 1, 100 + 20.0 * i, 18,
                       "\"Input Dims\":[[1024,64]],\"Input type\":[\"float\"]");
            case_launch(&c, "FillFunctor<float>", 102 + 20.0 * i, 4020 + 20.0 * i, 20,
                        i + 1);
        }
        op(&c, "aten::mm", "[512,512],[512,512]", 1900, "gemm",
           4020 + 20.0 * cases[k].fills, 4000, 1001);
        struct analysis a = analyse_with(&c, library);
        const struct finding *f = of_pattern(&a, "zeroed_gradients");
        assert_int_equal(f != NULL, cases[k].told);
        if (f) {
            assert_int_equal(f->count, 40);
            assert_near(f->time_ms, 0.8, 1e-9);
            assert_near(f->impact.high_ms, 0.8, 0.01);
        }
        case_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_late_optimizer_saves_its_kernels_too),
        cmocka_unit_test(sparse_gradients_where_few_rows_are_touched),
        cmocka_unit_test(a_fused_optimizer_passes_over_the_table_too),
        cmocka_unit_test(an_optimizer_without_sizes_takes_its_bytes_at_least),
        cmocka_unit_test(tables_of_one_width_are_counted),
        cmocka_unit_test(tables_of_one_size_are_counted_by_updates),
        cmocka_unit_test(a_large_table_keeps_its_sparse_gradients),
        cmocka_unit_test(passes_over_one_list_are_to_be_one),
        cmocka_unit_test(an_optimizer_is_told_once),
        cmocka_unit_test(a_loop_over_parameters_is_told_without_shapes),
        cmocka_unit_test(gradients_are_freed_not_zeroed),
    };
    return cmocka_run_group_tests(tests, open_library, close_library);
}
