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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_bound),  cmocka_unit_test(test_mixed),
        cmocka_unit_test(test_compute_bound), cmocka_unit_test(test_without_model),
        cmocka_unit_test(test_swapped),       cmocka_unit_test(test_not_rated),
        cmocka_unit_test(test_explanations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
