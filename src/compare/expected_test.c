#include "expected.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct device_peak peaks_ref[] = {{S_INIT("matrix_bf16"), 989.4}};
static struct device_peak peaks_cand[] = {{S_INIT("matrix_bf16"), 708}};
static struct device_spec reference = {
    .name = S_INIT("H100"), .memory_gb_per_s = 3350, .peaks = peaks_ref, .n_peaks = 1};
static struct device_spec candidate = {.name = S_INIT("MI300X"),
                                       .memory_gb_per_s = 5300,
                                       .peaks = peaks_cand,
                                       .n_peaks = 1};

static struct str types; /* of both rows */

static struct expected_ratio expected(enum match_level level,
                                      enum work_category category, double flop,
                                      double byte, int64_t ref_ns, int64_t cand_ns,
                                      const struct device_spec *x,
                                      const struct device_spec *y)
{
    struct capture_row row = {.name = S("aten::op"),
                              .types = types,
                              .category = category,
                              .flop = flop,
                              .byte = byte,
                              .compute_spec = flop > 0 ? S("matrix_bf16") : S("")};
    struct match m = {
        .level = level, .category = category, .n = {1, 1}, .ns = {ref_ns, cand_ns}};
    return expected_of(&m, (const struct capture_row *const[2]){&row, &row},
                       (const struct device_spec *const[2]){x, y});
}

static bool near(double a, double b, double by)
{
    return fabs(a - b) <= by;
}

/* A memory-bound product: the bandwidth ratio; far slower than that. */
static void test_memory_bound(void **state)
{
    (void)state;
    struct expected_ratio x = expected(MATCH_CALL, WORK_GEMM, 3.76e9, 1e9, 490000,
                                       13710000, &reference, &candidate);
    assert_true(near(x.low, 0.632, 0.0005) && x.low == x.high);
    assert_true(near(x.ratio, 27.98, 0.01) && near(x.dev, 44.27, 0.05));
    assert_int_equal(x.class, EXPLAINED_SLOWER);
    assert_string_equal(x.severity.p, "kernel issue very likely");
    assert_true(near(x.goal_ns / 1e6, 0.310, 0.0005));
    assert_true(near(x.saving_ns / 1e6, 13.400, 0.001));
}

/* Bound by compute on one device, by memory on the other; just inside the band. */
static void test_mixed(void **state)
{
    (void)state;
    struct expected_ratio x = expected(MATCH_CALL, WORK_GEMM, 170.7e9, 1e9, 200000,
                                       200000, &reference, &candidate);
    assert_true(near(x.low, 0.2411 / 0.2985, 0.002));
    assert_true(near(x.dev, 1.24, 0.005));
    assert_int_equal(x.class, EXPLAINED_BY_HARDWARE);
    assert_int_equal(x.bound[0], BOUND_MEMORY);
    assert_int_equal(x.bound[1], BOUND_COMPUTE);
}

static void test_compute_bound(void **state)
{
    (void)state;
    struct expected_ratio x = expected(MATCH_CALL, WORK_GEMM, 1e12, 1e9, 1000000,
                                       2900000, &reference, &candidate);
    assert_true(near(x.low, 989.4 / 708, 1e-9));
    assert_string_equal(x.severity.p, "kernel selection or tuning problem likely");
}

/* Without a model: bandwidth for what moves memory, an interval for the rest. */
static void test_without_model(void **state)
{
    (void)state;
    double nan = (double)NAN;
    struct expected_ratio x = expected(MATCH_CALL, WORK_ELEMENTWISE, nan, nan, 100000,
                                       63000, &reference, &candidate);
    assert_true(near(x.low, 0.632, 0.0005) && x.low == x.high);
    x = expected(MATCH_CALL, WORK_OTHER, nan, nan, 100000, 100000, &reference,
                 &candidate);
    assert_true(near(x.low, 0.632, 0.0005) && near(x.high, 1.397, 0.0005));
    assert_true(x.dev == 1);
    x = expected(MATCH_CALL, WORK_OTHER, nan, nan, 100000, 20000, &reference,
                 &candidate);
    assert_int_equal(x.class, EXPLAINED_FASTER);
}

/* Swapped sides swap the classes, and invert ratios. */
static void test_swapped(void **state)
{
    (void)state;
    struct expected_ratio x = expected(MATCH_CALL, WORK_GEMM, 3e9, 1e9, 400000, 900000,
                                       &reference, &candidate);
    struct expected_ratio y = expected(MATCH_CALL, WORK_GEMM, 3e9, 1e9, 900000, 400000,
                                       &candidate, &reference);
    assert_true(near(x.ratio * y.ratio, 1, 1e-12) && near(x.dev * y.dev, 1, 1e-12));
    assert_int_equal(x.class, EXPLAINED_SLOWER);
    assert_int_equal(y.class, EXPLAINED_FASTER);
}

/* Both directions of both peaks, and what no peak explains. */
static void test_explanations(void **state)
{
    (void)state;
    const struct device_spec *h = &reference, *m = &candidate;
    struct expected_ratio x =
        expected(MATCH_CALL, WORK_GEMM, 1e9, 1e9, 100000, 65000, h, m);
    assert_string_equal(x.explanation.p, "the target has more memory bandwidth");
    x = expected(MATCH_CALL, WORK_GEMM, 1e12, 1e9, 1000000, 1400000, h, m);
    assert_string_equal(x.explanation.p, "the reference has more peak compute");
    x = expected(MATCH_CALL, WORK_GEMM, 1e12, 1e9, 1400000, 1000000, m, h);
    assert_string_equal(x.explanation.p, "the target has more peak compute");
    x = expected(MATCH_CALL, WORK_GEMM, 1e9, 1e9, 65000, 100000, m, h);
    assert_string_equal(x.explanation.p, "the reference has more memory bandwidth");
    x = expected(MATCH_CALL, WORK_GEMM, 1e9, 1e9, 100000, 300000, h, m);
    assert_string_equal(x.explanation.p, "kernel or software issue on the target");
    x = expected(MATCH_CALL, WORK_GEMM, 1e9, 1e9, 100000, 20000, h, m);
    assert_string_equal(x.explanation.p, "the reference may have an inefficiency");
    x = expected(MATCH_CALL, WORK_GEMM, 170.7e9, 1e9, 200000, 200000, h, m);
    assert_string_equal(x.explanation.p, "close to expectation");
}

static void test_not_rated(void **state)
{
    (void)state;
    struct expected_ratio x =
        expected(MATCH_CALL, WORK_GEMM, 1e9, 1e9, 9000, 90000, &reference, &candidate);
    assert_int_equal(x.class, EXPLAINED_NOT_RATED);
    assert_string_equal(x.reason.p, "launch-latency dominated");
    x = expected(MATCH_DIMS, WORK_GEMM, 1e9, 1e9, 90000, 90000, &reference, &candidate);
    assert_string_equal(x.reason.p, "types of one side are not recorded");
    types = S("('float',)");
    x = expected(MATCH_DIMS, WORK_GEMM, 1e9, 1e9, 90000, 90000, &reference, &candidate);
    assert_string_equal(x.reason.p, "other types");
    x = expected(MATCH_CALL, WORK_GEMM, 1e9, 1e9, 90000, 90000, &reference, NULL);
    assert_string_equal(x.reason.p, "a device is unknown");
    x = expected(MATCH_CALL, WORK_GEMM, 1e9, 1e9, 90000, 99000, &reference, &reference);
    assert_true(x.same_device && x.low == 1);
}

/* Of one device the expected ratio is 1: a quarter longer is explained, four fifths
 * too; five times is the kernel, twice its choice. */
static void test_bounds_of_classes(void **state)
{
    static const struct {
        int64_t cand_ns;
        enum explained class;
        const char *severity;
    } cases[] = {
        {1250000, EXPLAINED_BY_HARDWARE, ""},
        {1251000, EXPLAINED_SLOWER, "unexpected gap"},
        {800000, EXPLAINED_BY_HARDWARE, ""},
        {799000, EXPLAINED_FASTER, ""},
        {1999000, EXPLAINED_SLOWER, "unexpected gap"},
        {2000000, EXPLAINED_SLOWER, "kernel selection or tuning problem likely"},
        {4999000, EXPLAINED_SLOWER, "kernel selection or tuning problem likely"},
        {5000000, EXPLAINED_SLOWER, "kernel issue very likely"}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct expected_ratio x =
            expected(MATCH_CALL, WORK_GEMM, (double)NAN, (double)NAN, 1000000,
                     cases[k].cand_ns, &reference, &reference);
        assert_int_equal(x.class, cases[k].class);
        assert_true(str_eq(x.severity, str_of(cases[k].severity)));
    }
    assert_int_equal(
        expected(MATCH_CALL, WORK_GEMM, 1e9, 1e9, 10000, 10000, &reference, &reference)
            .class,
        EXPLAINED_BY_HARDWARE); /* as long as a launch takes */
}

/* FP16 stands for BF16 where a device has none; what is not known has no ratio. */
static void test_ratios_of_devices(void **state)
{
    static struct device_peak half[] = {{S_INIT("matrix_fp16"), 125}};
    static const struct device_spec v100 = {
        .name = S_INIT("V100"), .memory_gb_per_s = 900, .peaks = half, .n_peaks = 1};
    static const struct device_spec unknown = {.name = S_INIT("X")};
    const struct device_spec *const d[2] = {&v100, &reference},
                                    *none[2] = {&v100, NULL},
                                    *const x[2] = {&v100, &unknown},
                                    *const y[2] = {&unknown, &v100};
    (void)state;
    assert_true(near(expected_compute_ratio(d, S("matrix_bf16")), 125 / 989.4, 1e-9));
    assert_true(isnan(expected_compute_ratio(d, S("matrix_fp8"))));
    assert_true(near(expected_memory_ratio(d), 900.0 / 3350, 1e-9));
    assert_true(isnan(expected_memory_ratio(none)) && isnan(expected_memory_ratio(x)) &&
                isnan(expected_memory_ratio(y)) &&
                isnan(expected_compute_ratio(none, S("matrix_bf16"))));
}

/* Of little arithmetic the bytes bind, whatever the peak, but not on matrix units. */
static void test_least_without_a_peak(void **state)
{
    static const struct {
        const char *spec;
        double flop;
        bool known;
    } cases[] = {{"vector_int32", 9.9e9, true},
                 {"vector_int32", 10e9, false},
                 {"matrix_int4", 1e9, false},
                 {"vector_int32", 0, false}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const struct capture_row r = {
            .flop = cases[k].flop, .byte = 1e9, .compute_spec = str_of(cases[k].spec)};
        enum roofline_bound bound;
        double us = expected_least_us(&reference, &r, &bound);
        assert_int_equal(bound, cases[k].known ? BOUND_MEMORY : BOUND_NONE);
        assert_true(cases[k].known ? near(us, 1e6 / 3350, 1e-6) : isnan(us));
    }
}

/* Without a model: what moves memory, by category or name; of kernels that are others
 * on each side, all that does not multiply. */
static void test_what_moves_memory(void **state)
{
    static const struct {
        enum match_level level;
        enum work_category category;
        const char *name;
        bool memory;
    } cases[] = {{MATCH_CALL, WORK_REDUCE, "x", true},
                 {MATCH_CALL, WORK_NORM, "x", true},
                 {MATCH_CALL, WORK_BATCHNORM, "x", true},
                 {MATCH_CALL, WORK_OTHER, "aten::copy_", true},
                 {MATCH_CALL, WORK_OTHER, "aten::cat", true},
                 {MATCH_CALL, WORK_OTHER, "aten::index", true},
                 {MATCH_CALL, WORK_OTHER, "aten::_softmax", true},
                 {MATCH_CALL, WORK_OTHER, "x", false},
                 {MATCH_CALL, WORK_GEMM, "x", false},
                 {MATCH_CATEGORY, WORK_OTHER, "x", true},
                 {MATCH_CATEGORY, WORK_GEMM, "x", false},
                 {MATCH_CATEGORY, WORK_SDPA_FWD, "x", false},
                 {MATCH_CATEGORY, WORK_SDPA_BWD, "x", false},
                 {MATCH_CATEGORY, WORK_MOE_FUSED, "x", false},
                 {MATCH_CATEGORY, WORK_CONVOLUTION, "x", false}};
    const struct device_spec *const d[2] = {&reference, &candidate};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const struct capture_row r = {.name = str_of(cases[k].name)};
        const struct match m = {.level = cases[k].level, .category = cases[k].category};
        struct expected_ratio x = {0};
        expect_by_kind(&x, &m, &r, d);
        assert_true(near(x.low, 3350.0 / 5300, 1e-9));
        assert_true(near(x.high, cases[k].memory ? 3350.0 / 5300 : 989.4 / 708, 1e-9));
    }
}

/* Only work of both sides that computes. */
static void test_rows_that_are_not_rated(void **state)
{
    const struct capture_row r = {0}, copy = {.part = DEVICE_COPY};
    const struct match m = {.level = MATCH_CALL};
    const struct device_spec *const d[2] = {&reference, &candidate};
    const double long_ns[2] = {1e6, 1e6};
    const struct capture_row *const pairs[][2] = {
        {&r, NULL}, {NULL, &r}, {&copy, &r}, {&r, &copy}, {&r, &r}};
    (void)state;
    for (int k = 0; k < 5; k++) {
        struct str why = why_not_rated(&m, pairs[k], d, long_ns);
        assert_true(str_eq(why, k < 2   ? S("on one side only")
                                : k < 4 ? S("not derivable from these figures")
                                        : S("")));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_bound),
        cmocka_unit_test(test_mixed),
        cmocka_unit_test(test_compute_bound),
        cmocka_unit_test(test_without_model),
        cmocka_unit_test(test_swapped),
        cmocka_unit_test(test_not_rated),
        cmocka_unit_test(test_explanations),
        cmocka_unit_test(test_bounds_of_classes),
        cmocka_unit_test(test_ratios_of_devices),
        cmocka_unit_test(test_least_without_a_peak),
        cmocka_unit_test(test_what_moves_memory),
        cmocka_unit_test(test_rows_that_are_not_rated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
