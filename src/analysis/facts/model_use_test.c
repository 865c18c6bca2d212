#include "analysis/facts/model_use.c"

#include "analysis/findings_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* 2 * 1024^3 FLOP each. */
static const char SQUARE[] = "[1024,1024],[1024,1024]";
static const double SQUARE_TFLOP = 2.147483648e-3;

/* Two products in a window of 1,000 us, then one kernel without a model. */
static struct model_use products(const struct device_spec *on, double bare_us)
{
    struct trace_case c;
    case_begin(&c);
    op(&c, "aten::mm", SQUARE, 0, "gemm", 100, 40, 1);
    op(&c, "aten::mm", SQUARE, 20, "gemm", 200, 60, 2);
    op(&c, "mine::strange", "[8],[8]", 40, "strange", 1100 - bare_us, bare_us, 3);
    struct analysis a = analyse_on(&c, NULL, on);
    struct model_use m = model_use_of(&c.perm, &a);
    assert_near(a.total_ms, 1, 1e-9);
    assert_true(!on || str_eq(m.type, S("bf16"))); /* lent by the trace */
    case_close(&c);
    return m;
}

static void flop_of_a_window_against_the_peak(void **state)
{
    (void)state;
    struct model_use m = products(&device, 25);
    assert_near(m.tflop, 2 * SQUARE_TFLOP, 1e-12);
    assert_near(m.tflop_per_s, 2 * SQUARE_TFLOP / 1e-3, 1e-6);
    assert_near(m.mfu_pct, 100 * 2 * SQUARE_TFLOP / 1e-3 / 708, 1e-9);
    assert_near(m.covered_pct, 80, 1e-9);
    assert_true(isnan(m.hfu_pct) && !m.lower_bound && m.n_steps == 0);
    assert_near(m.type_pct, 100, 1e-9);
}

static void little_coverage_is_a_lower_bound(void **state)
{
    (void)state;
    struct model_use m = products(&device, 300);
    assert_near(m.covered_pct, 25, 1e-9);
    assert_true(m.lower_bound);
}

/* Of an achievable peak and the data sheet's, the latter counts. */
static void the_peak_is_that_of_the_data_sheet(void **state)
{
    (void)state;
    static struct device_peak sheet[] = {{S_INIT("matrix_bf16"), 1307}};
    struct device_spec d = device;
    d.kind = PEAKS_ACHIEVABLE;
    d.sheet = sheet;
    d.n_sheet = 1;
    struct model_use m = products(&d, 25);
    assert_near(m.peak_tflop_per_s, 1307, 0);
    assert_near(m.mfu_pct, 100 * 2 * SQUARE_TFLOP / 1e-3 / 1307, 1e-9);
}

/* 1,024 TFLOP/s, with 708 achievable: of a sheet's 1,000 that is within the error of
 * clocks, of 900 or of no sheet it is wrong. */
static void only_what_the_data_sheet_rules_out_is_wrong(void **state)
{
    (void)state;
    static const double tflops[] = {1000, 900, 0};
    for (int k = 0; k < 3; k++) {
        struct device_peak sheet[] = {{S("matrix_bf16"), tflops[k]}};
        struct device_spec d = device;
        struct trace_case c;
        d.kind = PEAKS_ACHIEVABLE;
        d.sheet = sheet;
        d.n_sheet = tflops[k] > 0;
        case_begin(&c);
        op(&c, "aten::mm", "[4096,4096],[4096,4096]", 0, "gemm", 100,
           2 * 4096.0 * 4096 * 4096 / 1.024e9, 1);
        op(&c, "aten::mm", SQUARE, 20, "gemm", 600, 60, 2);
        struct analysis a = analyse_on(&c, NULL, &d);
        assert_near(model_use_of(&c.perm, &a).tflop,
                    SQUARE_TFLOP + (k == 0 ? 2 * 4096.0 * 4096 * 4096 / 1e12 : 0),
                    1e-9);
        case_close(&c);
    }
}

/* Two convolutions whose strides are not recorded, and gradients of their weights, of
 * 2 * 8 * 64^3 * 32^2 * 9 FLOP each. */
static struct model_use convolved(const char *kernel, int gradients)
{
    struct trace_case c;
    case_begin(&c);
    for (int k = 0; k < 2; k++)
        op(&c, "aten::convolution", "[8,64,64,64],[64,64,3,3]", 20 * k, "scudnn",
           100 + 300 * k, 250, 2 * k + 1);
    for (int k = 0; k < gradients; k++) {
        double at = 100 + 30 * k;
        case_event(&c, "cpu_op", "aten::cudnn_convolution_backward", 1, at, 20,
                   "\"Input Dims\":[[8,64,64,64],[8,64,64,64],[64,64,3,3]],\"Input "
                   "type\":[\"c10::BFloat16\",\"c10::BFloat16\",\"c10::BFloat16\"]");
        op(&c, "aten::cudnn_convolution_backward_weight",
           "[],[8,64,64,64],[8,64,64,64]", at + 5, kernel, 700 + 250 * k, 200,
           2 * k + 2);
    }
    struct analysis a = analyse(&c);
    struct model_use m = model_use_of(&c.perm, &a);
    case_close(&c);
    return m;
}

static void gradients_tell_what_convolutions_take(void **state)
{
    (void)state;
    const double TFLOP = 2 * 8 * 64.0 * 64 * 64 * 64 * 9 / 1e12;
    struct model_use m = convolved("wgrad_engine", 2);
    assert_near(m.tflop, 4 * TFLOP, 1e-9);
    assert_near(m.covered_pct, 100, 1e-9);
    assert_true(!m.lower_bound);
    /* However few products Winograd's algorithm makes. */
    assert_near(convolved("winograd_wgrad4x4", 2).tflop, 4 * TFLOP, 1e-9);
    m = convolved("wgrad_engine", 1); /* of which one? */
    assert_near(m.tflop, TFLOP, 1e-9);
    assert_true(m.lower_bound);
}

static void nothing_is_said_without_a_peak(void **state)
{
    (void)state;
    assert_true(isnan(products(NULL, 25).used_pct));
}

/* Steps of 200, 200 and 500 us: the third is uneven, and its products do not count. */
static void uneven_steps_do_not_count(void **state)
{
    (void)state;
    static const double starts[] = {1000, 1200, 1400, 1600, 2100};
    struct trace_case c;
    case_begin(&c);
    for (int k = 0; k < 4; k++) {
        char name[32];
        double at = starts[k];
        snprintf(name, sizeof name, "ProfilerStep#%d", k + 3);
        case_event(&c, "user_annotation", name, 1, at, starts[k + 1] - at, "");
        op(&c, "aten::mm", SQUARE, at + 1, "gemm", at + 20, 50, 2 * k + 1);
        if (k == 3)
            op(&c, "aten::mm", SQUARE, at + 10, "gemm", at + 400, 50, 2 * k + 2);
    }
    struct analysis a = analyse_with(&c, NULL);
    struct model_use m = model_use_of(&c.perm, &a);
    assert_int_equal(m.n_steps, 3);
    assert_near(m.time_ms, 0.2, 1e-9);
    assert_near(m.tflop, SQUARE_TFLOP, 1e-12);
    assert_int_equal(m.n, 4);
    assert_true(m.steps[0].number == 3 && m.steps[0].steady && !m.steps[3].steady);
    assert_near(m.steps[0].mfu_pct, 100 * SQUARE_TFLOP / 0.2e-3 / 708, 1e-9);
    assert_near(m.steps[3].tflop, 2 * SQUARE_TFLOP, 1e-12);
    assert_near(m.steps[3].time_ms, 0.5, 1e-9);
    assert_near(m.mfu_pct, m.steps[1].mfu_pct, 1e-9);
    assert_true(isnan(m.steps[0].hfu_pct));
    case_close(&c);
}

/* Of 100 us, 40 are computed in the forward pass and 40 again. */
static void recomputation_is_in_hfu_alone(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    op(&c, "aten::mm", SQUARE, 1, "gemm", 100, 40, 1);
    case_frame(&c, "torch/utils/checkpoint.py(1400): recompute_fn", 20, 15);
    op(&c, "aten::mm", SQUARE, 21, "gemm", 160, 40, 2);
    struct analysis a = analyse_with(&c, NULL);
    struct model_use m = model_use_of(&c.perm, &a);
    assert_near(m.mfu_pct, 100 * SQUARE_TFLOP / 0.1e-3 / 708, 1e-9);
    assert_near(m.hfu_pct, 2 * m.mfu_pct, 1e-9);
    assert_near(m.hfu_pct, m.used_pct, 0);
    case_close(&c);
}

/* 4 TFLOP twice and 2 again twice, at a peak of 1000 TFLOP/s, in a step of 8 ms on two
 * devices, which could do 16. */
static void a_step_uses_all_devices(void **state)
{
    (void)state;
    struct trace_step row = {.dur_ns = 8000000, .number = -1};
    struct trace_view view = {.steps = {.rows = &row, .n = 1}};
    struct op_tables tables = {.view = &view};
    struct step_use s = {0};
    const struct using u = {.t = &tables, .steps = &s};
    for (int k = 0; k < 2; k++) {
        add_to_step(&s, 4e12, 1000, false);
        add_to_step(&s, 2e12, 1000, true);
    }
    struct model_use_step m = of_step(&u, 0, 2, true);
    assert_int_equal(m.number, 1);
    assert_near(m.tflop, 8, 1e-9);
    assert_near(m.tflop_per_s, 1000, 1e-9);
    assert_near(m.mfu_pct, 50, 1e-9);
    assert_near(m.hfu_pct, 75, 1e-9);
    assert_true(isnan(of_step(&u, 0, 2, false).hfu_pct));
}

static void categories_that_multiply(void **state)
{
    (void)state;
    for (int c = 0; c < WORK_CATEGORIES; c++)
        assert_int_equal(multiplies((enum work_category)c),
                         c == WORK_GEMM || c == WORK_SDPA_FWD || c == WORK_SDPA_BWD ||
                             c == WORK_MOE_FUSED || c == WORK_CONVOLUTION);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flop_of_a_window_against_the_peak),
        cmocka_unit_test(little_coverage_is_a_lower_bound),
        cmocka_unit_test(the_peak_is_that_of_the_data_sheet),
        cmocka_unit_test(gradients_tell_what_convolutions_take),
        cmocka_unit_test(nothing_is_said_without_a_peak),
        cmocka_unit_test(only_what_the_data_sheet_rules_out_is_wrong),
        cmocka_unit_test(uneven_steps_do_not_count),
        cmocka_unit_test(a_step_uses_all_devices),
        cmocka_unit_test(categories_that_multiply),
        cmocka_unit_test(recomputation_is_in_hfu_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
