/* Casts: those of weights go when the weights have the type of the matmuls. */
#include "analysis/findings_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void cast(struct trace_case *c, int k, const char *dims, double us)
{
    char args[200];
    snprintf(args, sizeof args,
             "\"Input Dims\":[%s,%s,[]],\"Input type\":[\"c10::BFloat16\",\"float\","
             "\"Scalar\"]",
             dims, dims);
    case_event(c, "cpu_op", "aten::copy_", 1, 30.0 * k, 8, args);
    case_launch(c, "direct_copy_kernel", 30.0 * k + 1, 1000.0 + 2000.0 * k, us, k + 1);
}

static void casts_of_weights_are_told_from_others(void **state)
{
    (void)state;
    static const struct {
        const char *dims[4];
        int weights;
    } cases[] = {
        {{"[8192,16384]", "[16384,8192]", "[8192,16384]", "[1,8192,16384]"}, 3},
        {{"[8192,16384]", "[16384,8192]", "[1,8192,16384]", "[1,8192,16384]"}, 2},
        {{"[8192,16384]", "[2,4096,16384]", "[1,8192,16384]", "[1,8192,16384]"}, 1},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct trace_case c;
        case_begin(&c);
        for (int i = 0; i < 4; i++)
            cast(&c, i, cases[k].dims[i], 200);
        op(&c, "aten::mm", "[4096,8192],[8192,16384]", 900, "gemm", 9100, 2400, 90);
        struct analysis a = analyse_with(&c, library);
        const struct finding *f = of_pattern(&a, "dtype_cast_traffic");
        assert_int_equal(a.n_warnings, 0);
        assert_non_null(f);
        assert_text(f->title, cases[k].weights > 2
                                  ? "Keep the weights in the type of the matmuls: "
                                    "copy_ casts them"
                                  : "Keep one data type to avoid casts by copy_");
        assert_near(f->impact.low_ms, 0.5 * 0.8 + 0.4 * 0.2 * cases[k].weights, 0.001);
        assert_near(f->impact.high_ms, 0.8, 0.001);
        case_close(&c);
    }
}

/* Autocast in inference: the input of a layer, its weight and its bias in turn, and an
 * addition in fp32 of the input's size. */
static void weights_that_autocast_casts_are_to_be_stored_in_16_bits(void **state)
{
    (void)state;
    static const char *const dims[] = {"[8192,16384]", "[4096,16384]", "[4096]"};
    for (int training = 0; training < 2; training++) {
        struct trace_case c;
        char args[200];
        case_begin(&c);
        case_event(&c, "cpu_op", "aten::linear", 1, 0, 290,
                   "\"Input Dims\":[[8192,16384],[4096,16384],[4096]],"
                   "\"Input type\":[\"float\",\"float\",\"float\"]");
        for (int k = 0; k < 3; k++) {
            case_op(&c, "aten::to", 10 + 30 * k, 20);
            snprintf(args, sizeof args,
                     "\"Input Dims\":[%s,%s,[]],\"Input type\":[\"c10::Half\","
                     "\"float\",\"Scalar\"]",
                     dims[k], dims[k]);
            case_event(&c, "cpu_op", "aten::copy_", 1, 12 + 30 * k, 10, args);
            case_launch(&c, "direct_copy_kernel", 13 + 30 * k, 1000 + 500 * k,
                        k < 2 ? 300 - 100 * k : 10, k + 1);
        }
        op(&c, "aten::mm", "[8192,16384],[16384,4096]", 200, "gemm", 3000, 2400, 90);
        case_event(&c, "cpu_op", "aten::add", 1, 300, 8,
                   "\"Input Dims\":[[8192,16384],[8192,16384]],\"Input type\":["
                   "\"float\",\"float\"]");
        case_launch(&c, "vectorized_elementwise_kernel", 301, 6000, 400, 91);
        if (training)
            op(&c, "autograd::engine::evaluate_function: MmBackward0", "[64,64]", 400,
               "gemm", 7000, 100, 92);
        struct analysis a = analyse_with(&c, library);
        const struct finding *f = of_pattern(&a, "autocast_weights");
        assert_int_equal(a.n_warnings, 0);
        assert_int_equal(f == NULL, training);
        if (f) {
            assert_text(f->issue,
                        "2 casts of weights and biases from fp32 to 16 bits take 0.210 "
                        "ms, those of the layers' inputs 0.300 ms: 15.4% of compute. "
                        "What runs in fp32 between the layers takes 0.400 ms, and "
                        "would move half the bytes.");
            assert_int_equal(f->count, 4);
            assert_near(f->merged_part, 0.75, 1e-9);
            assert_near(f->impact.high_ms, 0.51 + 0.2, 1e-6);
            assert_near(f->impact.low_ms, 0.9 * 0.51 + 0.152,
                        1e-4); /* at 76% of the peak */
        }
        case_close(&c);
    }
}

/* Two weights, cast for 100 us each and scaled for 130; and work of another size. To
 * make 8-bit numbers of others, as for activations, is no such cast. */
static void weights_of_8_bits_are_dequantised(void **state)
{
    (void)state;
    static const char *const types[][2] = {{"c10::BFloat16", "signed char"},
                                           {"c10::BFloat16", "float"},
                                           {"c10::Float8_e4m3fn", "float"}};
    for (int k = 0; k < 3; k++) {
        struct trace_case c;
        char args[200];
        case_begin(&c);
        for (int i = 0; i < 2; i++) {
            snprintf(args, sizeof args,
                     "\"Input Dims\":[[8192,16384],[8192,16384],[]],\"Input type\":["
                     "\"%s\",\"%s\",\"Scalar\"]",
                     types[k][0], types[k][1]);
            case_event(&c, "cpu_op", "aten::copy_", 1, 100.0 * i, 8, args);
            case_launch(&c, "direct_copy_kernel", 100.0 * i + 1, 1000.0 + 5000 * i,
                        k ? 200 : 100, 10 + i);
            op(&c, "aten::mul", "[8192,16384],[8192,1]", 100.0 * i + 30, "mul_kernel",
               1200.0 + 5000 * i, 130, 20 + i);
            op(&c, "aten::mm", "[4096,8192],[8192,16384]", 100.0 * i + 60, "gemm",
               1500.0 + 5000 * i, 2400, 40 + i);
        }
        op(&c, "aten::mul", "[4096,16384],[4096,16384]", 800, "mul_kernel", 9000, 100,
           30);
        struct analysis a = analyse_with(&c, library);
        const struct finding *f = of_pattern(&a, "dequantised_by_hand");
        assert_int_equal(a.n_warnings, 0);
        assert_int_equal(f != NULL, k == 0);
        assert_int_equal(of_pattern(&a, "dtype_cast_traffic") != NULL, k > 0);
        if (f) {
            assert_int_equal(f->count, 4);
            assert_near(f->impact.high_ms, 0.46, 0.01);
            assert_near(f->impact.low_ms, 0.23, 0.01); /* of matmuls that compute */
        }
        case_close(&c);
    }
}

/* Three normalisations of fp32 tensors, 100 us each, between casts of 50; or as many of
 * 16 bits, or more casts than they read and give, forward and backward. */
static void casts_of_a_norm_are_told_with_it(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        int casts;
        bool told;
    } cases[] = {{"float", 2, true}, {"c10::Half", 2, false}, {"float", 5, false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct trace_case c;
        char args[200];
        case_begin(&c);
        for (int i = 0; i < 3; i++) {
            double at = 200.0 * i, work = 1000.0 + 600 * i;
            for (int n = 0; n < cases[k].casts; n++) {
                const char *type = n % 2 ? "c10::Half" : "float";
                snprintf(args, sizeof args,
                         "\"Input Dims\":[[4,128,256,256],[4,128,256,256],[]],\"Input "
                         "type\":[\"%s\",\"%s\",\"Scalar\"]",
                         type, n % 2 ? "float" : "c10::Half");
                case_event(&c, "cpu_op", "aten::copy_", 1, at + 20 * n, 8, args);
                case_launch(&c, "direct_copy_kernel", at + 20 * n + 1,
                            work + (n ? 150 + 50 * (n - 1) : 0), 50, c.n_events);
            }
            snprintf(args, sizeof args,
                     "\"Input Dims\":[[4,128,256,256],[128]],\"Input type\":[\"%s\","
                     "\"float\"]",
                     cases[k].type);
            case_event(&c, "cpu_op", "aten::native_group_norm", 1, at + 110, 8, args);
            case_launch(&c, "RowwiseMomentsCUDAKernel", at + 111, work + 50, 100,
                        c.n_events);
        }
        struct analysis a = analyse_with(&c, library);
        const struct finding *f = of_pattern(&a, "casts_around_norm");
        assert_int_equal(a.n_warnings, 0);
        assert_int_equal(f != NULL, cases[k].told);
        assert_int_equal(of_pattern(&a, "dtype_cast_traffic") != NULL, !cases[k].told);
        if (f) {
            assert_text(f->title, "Run group_norm in 16 bits, without the casts "
                                  "to fp32 around it");
            /* The casts, and half of what they wrap. */
            assert_near(f->impact.high_ms, 0.3 + 0.5 * 0.3, 0.01);
            assert_true(str_has(f->issue, S("would move half the bytes")));
        }
        case_close(&c);
    }
}

static void typed_op(struct trace_case *c, const char *name, const char *type,
                     double at, double us)
{
    char args[200];
    snprintf(args, sizeof args,
             "\"Input Dims\":[[4096,8192],[8192,8192]],\"Input type\":[\"%s\",\"%s\"]",
             type, type);
    case_event(c, "cpu_op", name, 1, at, 8, args);
    case_launch(c,
                strcmp(name, "aten::mm") ? "vectorized_elementwise_kernel" : "tf32gemm",
                at + 1, 1000 + 50 * at, us, c->n_events);
}

/* Matmuls of 16 bits for 6 ms, or eight for 1.2; behind them two of fp32 with TF32 for
 * 4 ms, or for 0.1 ms, or as many in a step that trains, and additions of their size.
 * Seven for less than those of fp32 are not most, and eight for 0.9 ms are little. */
static void a_part_in_fp32_is_one_finding(void **state)
{
    (void)state;
    enum { TOLD, LONGER, BRIEF, TRAINS, FEW, LITTLE, CASES };
    for (int k = TOLD; k < CASES; k++) {
        struct trace_case c;
        case_begin(&c);
        int n = k == LONGER || k == LITTLE ? 8 : k == FEW ? 7 : 3;
        double us = k == LONGER ? 150 : k == LITTLE ? 110 : k == FEW ? 500 : 2000;
        for (int i = 0; i < n; i++)
            typed_op(&c, "aten::mm", "c10::Half", 25 * i, us);
        for (int i = 0; i < 2; i++) {
            typed_op(&c, "aten::mm", "float", 200 + 100 * i, k == BRIEF ? 50 : 2000);
            typed_op(&c, "aten::add", "float", 250 + 100 * i, 100);
        }
        if (k == TRAINS)
            case_op(&c, "autograd::engine::evaluate_function: MmBackward0", 500, 30);
        case_launch(&c, "tail", k == TRAINS ? 505 : 600, 40000, 10, 999);
        struct analysis a = analyse_with(&c, library);
        const struct finding *f = of_pattern(&a, "fp32_part");
        assert_int_equal(f != NULL, k == TOLD || k == LONGER);
        if (f) {
            assert_near(f->impact.high_ms, 0.5 * 4.2, 0.02);
            assert_text(f->title,
                        "Run the fp32 part in 16 bits, as the rest of the model");
        }
        case_close(&c);
    }
}

/* A kernel of 100 us that reads one tensor and writes another, or casts it in place. */
static void pass_of(struct trace_case *c, const char *name, const char *dims,
                    const char *types, double at)
{
    char args[200];
    snprintf(args, sizeof args,
             "\"Input Dims\":[[%s],[%s],[]],\"Input type\":[%s,\"Scalar\"]", dims,
             strcmp(name, "aten::copy_") == 0 ? dims : "", types);
    case_event(c, "cpu_op", name, 1, at, 8, args);
    case_launch(c, "vectorized_elementwise_kernel", at + 1, 1000 + 20 * at, 100,
                c->n_events);
}

/* Activations of 16 bits take six passes to 8 bits before each of two matmuls; or they
 * are scaled and cast in two, or the same passes are made for something else, too; or
 * the second has as many elements in another shape. */
static void quantisation_in_steps_is_one_finding(void **state)
{
    (void)state;
    static const char b16[] = "\"c10::BFloat16\",\"\"", f32[] = "\"float\",\"\"";
    for (int k = 0; k < 5; k++) {
        struct trace_case c;
        case_begin(&c);
        for (int i = 0; i < 2; i++) {
            double at = 100 * i;
            const char *dims = k == 4 && i ? "4096,8192" : "8192,4096";
            if (k != 1) {
                pass_of(&c, "aten::abs", dims, b16, at);
                pass_of(&c, "aten::amax", dims, b16, at + 10);
                pass_of(&c, "aten::copy_", dims, "\"float\",\"c10::BFloat16\"",
                        at + 20);
                pass_of(&c, "aten::clamp", dims, f32, at + 40);
            }
            pass_of(&c, "aten::div", dims, f32, at + 30);
            pass_of(&c, "aten::copy_", dims, "\"c10::Float8_e4m3fn\",\"float\"",
                    at + 50);
            const char *in = k == 2 ? "c10::BFloat16" : "c10::Float8_e4m3fn";
            char args[200];
            snprintf(args, sizeof args,
                     "\"Input Dims\":[[8192,4096],[4096,4096]],\"Input "
                     "type\":[\"%s\",\"%s\"]",
                     in, in);
            case_event(&c, "cpu_op", k == 2 ? "aten::mm" : "aten::_scaled_mm", 1,
                       at + 60, 8, args);
            case_launch(&c, "gemm", at + 61, 1000 + 20 * (at + 60), 600, c.n_events);
        }
        for (int i = 0; k == 3 && i < 3; i++)
            pass_of(&c, "aten::div", "8192,4096", f32, 200 + 10 * i);
        struct analysis a = analyse_with(&c, library);
        const struct finding *f = of_pattern(&a, "quantised_in_steps");
        assert_int_equal(a.n_warnings, 0);
        assert_int_equal(f != NULL, k == 0 || k >= 3);
        if (f) {
            int calls = k == 3 ? 10 : 12; /* what is made more often is not all of it */
            assert_int_equal(f->count, calls);
            /* All but one pass, or two, that reads 16 bits and writes 8. */
            assert_near(f->impact.high_ms, 0.1 * calls - 0.2 * 3 / 5, 0.01);
            assert_near(f->impact.low_ms, 0.9 * (0.1 * calls - 0.2 * 5 / 5), 0.01);
            assert_true(str_starts(f->title, k == 3 ? S("Quantise to 8 bits in one "
                                                        "kernel, not in 5")
                                                    : S("Quantise to 8 bits in one "
                                                        "kernel, not in 6")));
        }
        case_close(&c);
    }
}

/* Without shapes, by their number: six kernels of 100 us for each of four matmuls, of
 * additions half are of something else; or no operator that finds the range. */
static void quantisation_without_shapes_goes_by_counts(void **state)
{
    (void)state;
    static const char *const names[] = {"aten::amax", "aten::div",   "aten::round",
                                        "aten::add",  "aten::clamp", "aten::copy_",
                                        "aten::add",  "aten::add",   "aten::add"};
    for (int finds = 0; finds < 2; finds++) {
        struct trace_case c;
        int n = 0;
        case_begin(&c);
        for (int i = 0; i < 4; i++)
            for (int k = 0; k < 10; k++) {
                const char *name = k == 9 ? "aten::_int_mm" : names[k];
                if (!finds && (k == 0 || k == 2))
                    name = "aten::mul";
                double at = 100 * n;
                case_op(&c, name, at, 8);
                case_launch(&c, k == 9 ? "gemm" : "vectorized_elementwise_kernel",
                            at + 1, 9000 + 700.0 * n, k == 9 ? 600 : 100, n + 1);
                n++;
            }
        struct analysis a = analyse_with(&c, library);
        assert_int_equal(a.n_warnings, 0);
        const struct finding *f = of_pattern(&a, "quantised_in_steps");
        assert_int_equal(f != NULL, finds);
        if (f) { /* five that run once, and two of the four additions */
            assert_near(f->impact.high_ms, 0.95 * 4 * 7 * 0.1, 0.01);
            assert_near(f->impact.low_ms, 0.7 * 4 * 7 * 0.1, 0.01);
            assert_true(str_starts(
                f->title, S("Quantise to 8 bits in one kernel, not in 7 around")));
        }
        case_close(&c);
    }
}

/* Packed 4-bit weights of two sizes, behind another input or before, each unpacked for
 * a matmul that streams them in 60 or 2 us: the rows are one finding, however small,
 * and it takes in these matmuls. */
static void all_dequantised_weights_are_one_finding(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    for (int i = 0; i < 2; i++) {
        double at = 100 * i, on = 1000 + 1000 * i;
        op(&c, "lib::dequantize_4bit",
           i ? "[2097152,1],[65536]" : "[4,16384],[67108864,1]", at,
           "kDequantizeBlockwise", on, i ? 8 : 400, 10 + i);
        op(&c, "aten::mm", i ? "[4,8192],[8192,512]" : "[4,16384],[16384,8192]",
           at + 40, "gemm", on + 500, i ? 2 : 60, 20 + i);
    }
    struct analysis a = analyse_with(&c, library);
    const struct finding *f = of_pattern(&a, "dequantised_weights");
    assert_int_equal(a.n_warnings, 0);
    assert_non_null(f);
    assert_int_equal(f->n_rows, 4);
    assert_true(str_has(f->issue, S("0.408 ms): 2 calls write")));
    assert_near(f->impact.low_ms, 0.7 * 0.408 + (1 - 2 * 4.5 / 16) * 0.062, 0.002);
    assert_near(f->impact.high_ms, 0.408 + (1 - 4.5 / 16) * 0.062, 0.002);
    case_close(&c);
}

/* The gradient of a weight sums over 262,144 rows: what is cast has as many, and is no
 * weight. */
static void what_gradients_sum_over_is_no_weight(void **state)
{
    (void)state;
    for (int rows = 32768; rows <= 262144; rows *= 8) {
        struct trace_case c;
        char dims[100];
        case_begin(&c);
        snprintf(dims, sizeof dims, "[%d,512]", rows);
        for (int i = 0; i < 4; i++)
            cast(&c, i, dims, 200 * rows / 262144.0);
        snprintf(dims, sizeof dims, "[256,%d],[%d,512]", rows, rows);
        op(&c, "aten::mm", dims, 900, "gemm", 9100, 240, 90);
        struct analysis a = analyse_with(&c, library);
        const struct finding *f = of_pattern(&a, "dtype_cast_traffic");
        assert_non_null(f);
        assert_int_equal(str_starts(f->title, S("Keep the weights")), rows == 32768);
        case_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_gradients_sum_over_is_no_weight),
        cmocka_unit_test(weights_that_autocast_casts_are_to_be_stored_in_16_bits),
        cmocka_unit_test(casts_of_weights_are_told_from_others),
        cmocka_unit_test(weights_of_8_bits_are_dequantised),
        cmocka_unit_test(casts_of_a_norm_are_told_with_it),
        cmocka_unit_test(a_part_in_fp32_is_one_finding),
        cmocka_unit_test(quantisation_in_steps_is_one_finding),
        cmocka_unit_test(quantisation_without_shapes_goes_by_counts),
        cmocka_unit_test(all_dequantised_weights_are_one_finding),
    };
    return cmocka_run_group_tests(tests, open_library, close_library);
}
