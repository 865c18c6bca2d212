#include "efficiency.c"

#include "base/arena.h"
#include "ops/op_groups.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/near_case.h"

static struct device_peak peaks[] = {{S_INIT("matrix_bf16"), 708}};
static const struct device_spec device = {
    .memory_gb_per_s = 5300, .peaks = peaks, .n_peaks = 1, .compute_units = 304};

static struct op_group group(double tflop, double tb, double intensity)
{
    struct op_group g = {.flop_per_byte = intensity, .compute_spec = S("matrix_bf16")};
    g.tflop_per_s = tflop;
    g.tb_per_s = tb;
    g.roofline_pct = (double)NAN;
    return g;
}

/* The ridge is 708 / 5.3 = 133.6 FLOP/byte: 170 is compute-bound, 100 is not. */
static void ridge_decides(void **state)
{
    (void)state;
    struct op_group g = group(70.8, 0.415, 170.4);
    struct work_efficiency e = efficiency_of(&g, WORK_GEMM, &device);
    assert_int_equal(e.bound, BOUND_COMPUTE);
    assert_near(e.percent, 10, 1e-9); /* 70.8 of 708 */
    g = group(53, 0.53, 100);
    e = efficiency_of(&g, WORK_GEMM, &device);
    assert_int_equal(e.bound, BOUND_MEMORY);
    assert_near(e.percent, 10, 1e-9); /* 0.53 of 5.3 */
}

/* Nothing computed, or whole numbers, which have no peak: 2.65 of 5.3 TB/s. */
static void bytes_alone_bind(void **state)
{
    (void)state;
    struct op_group g = group(0, 2.65, 0);
    struct work_efficiency e = efficiency_of(&g, WORK_OTHER, &device);
    assert_int_equal(e.bound, BOUND_MEMORY);
    assert_near(e.percent, 50, 1e-9);
    g = group(1, 2.65, 9.9);
    g.compute_spec = S("");
    e = efficiency_of(&g, WORK_REDUCE, &device);
    assert_int_equal(e.bound, BOUND_MEMORY);
    assert_near(e.percent, 50, 1e-9);
    g = group(30, 2.65, 10);
    g.compute_spec = S("");
    assert_true(isnan(efficiency_of(&g, WORK_REDUCE, &device).percent));
}

static void roofline_of_the_table_wins(void **state)
{
    (void)state;
    struct op_group g = group(70.8, 0.415, 170.4);
    g.bound = BOUND_MEMORY;
    g.roofline_pct = 105;
    struct work_efficiency e = efficiency_of(&g, WORK_GEMM, &device);
    assert_int_equal(e.bound, BOUND_MEMORY);
    assert_near(e.percent, 105, 1e-9);
    assert_true(e.warning);
    assert_false(e.anomaly);
    g.roofline_pct = 110;
    assert_false(efficiency_of(&g, WORK_GEMM, &device).anomaly);
    g.roofline_pct = 110.1;
    assert_true(efficiency_of(&g, WORK_GEMM, &device).anomaly);
    g.roofline_pct = 100;
    assert_false(efficiency_of(&g, WORK_GEMM, &device).warning);
}

static void intensity_alone_tells_what_is_far_from_a_ridge(void **state)
{
    (void)state;
    assert_int_equal(bound_by_intensity(49.9), BOUND_MEMORY);
    assert_int_equal(bound_by_intensity(50), BOUND_NONE);
    assert_int_equal(bound_by_intensity(100), BOUND_NONE);
    assert_int_equal(bound_by_intensity(100.1), BOUND_COMPUTE);
}

static void unknown_peaks(void **state)
{
    (void)state;
    struct op_group g = group(70.8, 0.415, 170.4);
    struct work_efficiency e = efficiency_of(&g, WORK_GEMM, NULL);
    assert_true(isnan(e.percent));
    assert_int_equal(e.bound, BOUND_COMPUTE);
    assert_int_equal(e.source, BOUND_BY_INTENSITY);
    g.compute_spec = S("matrix_fp8"); /* is not judged by the peak of BF16 */
    e = efficiency_of(&g, WORK_GEMM, &device);
    assert_true(e.no_peak && isnan(e.percent));
    g.flop_per_byte = 0.25;
    g.compute_spec = S("vector_fp32"); /* bytes bind, whatever the peak */
    e = efficiency_of(&g, WORK_ELEMENTWISE, &device);
    assert_true(e.no_peak && e.bound == BOUND_MEMORY && isfinite(e.percent));
    g = group((double)NAN, (double)NAN, (double)NAN);
    e = efficiency_of(&g, WORK_OTHER, &device);
    assert_true(isnan(e.percent));
    assert_int_equal(e.bound, BOUND_NONE);
}

/* Products in FP32 without matrix units for it run on the vector units. */
static void a_type_has_its_own_peak(void **state)
{
    (void)state;
    struct device_peak two[] = {{S_INIT("matrix_bf16"), 312},
                                {S_INIT("vector_fp32"), 19.5}},
                       sheet[] = {{S_INIT("matrix_fp8"), 1000}};
    const struct device_spec a100 = {.memory_gb_per_s = 2039,
                                     .peaks = two,
                                     .n_peaks = 2,
                                     .sheet = sheet,
                                     .n_sheet = 1,
                                     .kind = PEAKS_ACHIEVABLE};
    struct op_group g = group(15.6, 0.05, 312);
    g.compute_spec = S("matrix_fp32");
    struct work_efficiency e = efficiency_of(&g, WORK_GEMM, &a100);
    assert_near(e.peak_tflop_per_s, 19.5, 1e-9);
    assert_near(e.percent, 80, 1e-9);
    assert_true(isnan(efficiency_at(e, WORK_GEMM, 0).percent));
    assert_true(efficiency_at(e, WORK_GEMM, 0).no_peak);
    assert_true(efficiency_at(e, WORK_GEMM, 10).anomaly);
    assert_near(efficiency_at(e, WORK_GEMM, 156).percent, 10, 1e-9);
    assert_near(device_type_peak(&a100, S("matrix_fp8")), 1000, 1e-9);
    assert_near(device_type_peak(&a100, S("matrix_fp4")), 0, 1e-9);
}

static void memory_only_kinds_need_bytes_alone(void **state)
{
    (void)state;
    struct op_group g = group((double)NAN, 2.65, (double)NAN);
    assert_near(efficiency_of(&g, WORK_REDUCE, &device).percent, 50, 1e-9);
    assert_true(isnan(efficiency_of(&g, WORK_OTHER, &device).percent));
    assert_true(isnan(efficiency_of(&g, WORK_REDUCE, NULL).percent));
    /* 5.3e6 bytes in 2 us are 2.65 TB/s. */
    struct work_efficiency e = efficiency_of_bytes(5.3e6, 2.12e7, 2, &device);
    assert_near(e.percent, 50, 1e-9);
    assert_near(e.tflop_per_s, 10.6, 1e-9);
    assert_near(e.flop_per_byte, 4, 1e-9);
}

static void is_expected(struct expectation x, double enough, double lo, double hi)
{
    assert_near(x.enough, enough, 1e-9);
    assert_near(x.lo, lo, 1e-9);
    assert_near(x.hi, hi, 1e-9);
}

/* The bands of the specification, on both sides of each length; of a backward, lower by
 * three tenths. */
static void bands_of_attention(void **state)
{
    static const double bands[][3] = {{511, 5, 15},   {512, 8, 20},   {1023, 8, 20},
                                      {1024, 20, 40}, {2047, 20, 40}, {2048, 40, 60},
                                      {4095, 40, 60}, {4096, 50, 70}};
    (void)state;
    for (size_t k = 0; k < sizeof bands / sizeof *bands; k++) {
        double n = bands[k][0], lo = bands[k][1], hi = bands[k][2];
        is_expected(expectation_of_attention(n, false, false), lo, lo, hi);
        is_expected(expectation_of_attention(n, false, true), 0.7 * lo, 0.7 * lo, hi);
        is_expected(expectation_of_attention(n, true, false), 40, 40, 70);
    }
    is_expected(expectation_of_attention((double)NAN, false, false), 40, 40, 70);
}

static void bands_of_other_categories(void **state)
{
    (void)state;
    is_expected(expectation_of_convolution(S("depthwise")), 40, 30, 50);
    is_expected(expectation_of_convolution(S("pointwise")), 40, 40, 60);
    is_expected(expectation_of_convolution(S("large")), 40, 60, 80);
    is_expected(expectation_of_convolution(S("other")), 40, 50, 70);
    is_expected(expectation_of(WORK_ELEMENTWISE), 40, 70, 80);
    is_expected(expectation_of(WORK_NORM), 40, 50, 70);
    is_expected(expectation_of(WORK_BATCHNORM), 40, 50, 70);
    is_expected(expectation_of(WORK_REDUCE), 40, 50, 70);
    is_expected(expectation_of(WORK_GEMM), 40, 60, 80);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ridge_decides),
        cmocka_unit_test(bytes_alone_bind),
        cmocka_unit_test(roofline_of_the_table_wins),
        cmocka_unit_test(intensity_alone_tells_what_is_far_from_a_ridge),
        cmocka_unit_test(unknown_peaks),
        cmocka_unit_test(a_type_has_its_own_peak),
        cmocka_unit_test(memory_only_kinds_need_bytes_alone),
        cmocka_unit_test(bands_of_attention),
        cmocka_unit_test(bands_of_other_categories),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
