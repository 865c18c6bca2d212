#include "analysis/system/counters_build.h"

#include "analysis/findings_case.h"
#include "analysis/system/counter_clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* A sample of a counter of the device. */
static void sample(struct trace_case *c, const char *name, double us, double value)
{
    out_printf(
        &c->text,
        "%s{\"ph\":\"C\",\"name\":\"%s\",\"pid\":\"GPU 0 Counters\",\"tid\":\"\","
        "\"ts\":%.3f,\"args\":{\"\":%.3f}}",
        c->n_events++ ? ",\n" : "", name, us, value);
}

static const struct counter_row *row_named(const struct counters *c, const char *name)
{
    for (int32_t k = 0; k < c->n; k++)
        if (str_eq(c->rows[k].name, str_of(name)))
            return &c->rows[k];
    return NULL;
}

/* Kernels from 100 to 200 and from 300 to 400 us. */
static void two_kernels(struct trace_case *c)
{
    case_begin(c);
    case_launch(c, "first", 10, 100, 100, 1);
    case_launch(c, "second", 20, 300, 100, 2);
}

/* 80 % in the first kernel, 40 % in the second, 10 % between them. Of two samples at
 * 300 us the later record counts. */
static void a_value_holds_until_the_next(void **state)
{
    (void)state;
    struct trace_case c;
    two_kernels(&c);
    sample(&c, "SM Active (%)", 300, 99);
    sample(&c, "SM Active (%)", 100, 80);
    sample(&c, "SM Active (%)", 200, 10);
    sample(&c, "SM Active (%)", 300, 40);
    sample(&c, "SM Active (%)", 400, 0);
    struct analysis a = analyse(&c);
    const struct counters *of = a.counters;
    const struct counter_row *r = row_named(of, "SM Active");
    assert_non_null(r);
    assert_int_equal(r->n, 5);
    assert_int_equal(r->role, COUNTER_SM);
    assert_near(r->mean, (80 + 10 + 40) / 3.0, 1e-9);
    assert_near(r->busy_mean, 60, 1e-9);
    assert_near(r->idle_mean, 10, 1e-9);
    assert_near(r->least, 10, 0);
    assert_near(r->most, 80, 0);
    assert_near(r->every_us, 100, 1e-9);
    assert_near(r->bins[0], 80, 1e-9);
    assert_near(r->bins[COUNTER_BINS / 2], 10, 1e-9);
    assert_near(r->bins[COUNTER_BINS - 1], 40, 1e-9);
    assert_near(of->sm_pct, 60, 1e-9);
    assert_near(of->sm_low_pct, 50, 1e-9);
    assert_near(of->filled_pct, 100, 1e-9);
    int64_t known_ns;
    assert_near(counter_sum(&r->series, 0, 150000, &known_ns), 80 * 50000.0, 1e-3);
    assert_int_equal(known_ns, 50000);
    assert_near(counter_sum(&r->series, 600000, 700000, &known_ns), 0, 0);
    assert_int_equal(known_ns, 0);
    case_close(&c);
}

/* A sample that a kernel fills by half says nothing of it. */
static void a_sample_of_kernel_and_idle_time_does_not_count(void **state)
{
    (void)state;
    struct trace_case c;
    two_kernels(&c);
    sample(&c, "SM Active (%)", 100, 80);
    sample(&c, "SM Active (%)", 200, 0);
    sample(&c, "SM Active (%)", 350, 40);
    sample(&c, "SM Active (%)", 450, 0);
    struct analysis a = analyse(&c);
    assert_near(a.counters->sm_pct, 80, 1e-9);
    assert_near(a.counters->filled_pct, 50, 1e-9);
    case_close(&c);
}

/* 200 W, then 400 W, in mW: 0.02 + 0.04 + 0.04 J. */
static void power_adds_up_to_energy(void **state)
{
    (void)state;
    struct trace_case c;
    two_kernels(&c);
    sample(&c, "Power (mW)", 100, 200000);
    sample(&c, "Power (mW)", 200, 400000);
    sample(&c, "Power (mW)", 400, 400000);
    struct analysis a = analyse(&c);
    assert_near(a.counters->energy_j, 0.1, 1e-9);
    assert_near(a.counters->power_w, 0.1 / 300e-6, 1e-3);
    assert_true(isnan(a.counters->step_j) && isnan(a.counters->sm_pct));
    case_close(&c);
}

/* Less than half of the window has samples. */
static void energy_is_not_guessed(void **state)
{
    (void)state;
    struct trace_case c;
    two_kernels(&c);
    sample(&c, "Power (W)", 100, 200);
    sample(&c, "Power (W)", 150, 200);
    struct analysis a = analyse(&c);
    assert_true(isnan(a.counters->energy_j));
    case_close(&c);
}

/* Ten kernels of 100 us at 2,000 MHz, and from 1,000 us on ten of 200 us at 1,000. */
static void a_clock_that_falls_and_what_it_costs(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    for (int k = 0; k < 20; k++)
        op(&c, "aten::mm", "[1024,1024],[1024,1024]", 40 * k, "gemm",
           1000 + (k < 10 ? 100 * k : 1000 + 200 * (k - 10)), k < 10 ? 100 : 200,
           k + 1);
    sample(&c, "SM Clock (MHz)", 1000, 2000);
    sample(&c, "SM Clock (MHz)", 2000, 1000);
    sample(&c, "SM Clock (MHz)", 4000, 1000);
    struct analysis a = analyse(&c);
    const struct counter_clock *o = &a.counters->clock;
    assert_near(o->high_mhz, 2000, 0);
    assert_near(o->low_mhz, 1000, 1e-9);
    assert_near(o->low_pct, 100 * 2000.0 / 3000, 1e-6);
    assert_near(o->from_ms, 1, 1e-9);
    assert_near(o->to_ms, 3, 1e-9);
    assert_near(o->slower, 2, 1e-9);
    assert_false(o->rises);
    case_close(&c);
}

/* Of each kind of kernel, over its own time. */
static void means_by_category_and_kernel(void **state)
{
    (void)state;
    struct trace_case c;
    two_kernels(&c);
    sample(&c, "SM Active (%)", 100, 80);
    sample(&c, "SM Active (%)", 200, 10);
    sample(&c, "SM Active (%)", 300, 40);
    sample(&c, "SM Active (%)", 400, 0);
    struct analysis a = analyse(&c);
    static const int8_t class[] = {0, 1, 0, 0};
    const struct str names[] = {S_INIT("of the first"), S_INIT("of the second")};
    struct counter_lines l =
        counter_lines_of(&c.perm, c.tmp, &c.view, a.counters, class, names, 2);
    assert_int_equal(l.n, 4);
    int found = 0;
    for (int32_t k = 0; k < l.n; k++) {
        bool first = str_has(l.rows[k].name, S("first"));
        found += l.rows[k].part == COUNTER_OF_KERNEL;
        assert_near(l.rows[k].sm_pct, first ? 80 : 40, 1e-9);
        assert_near(l.rows[k].time_ms, 0.1, 1e-9);
        assert_true(isnan(l.rows[k].power_w));
    }
    assert_int_equal(found, 2);
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_holds_until_the_next),
        cmocka_unit_test(a_sample_of_kernel_and_idle_time_does_not_count),
        cmocka_unit_test(power_adds_up_to_energy),
        cmocka_unit_test(energy_is_not_guessed),
        cmocka_unit_test(a_clock_that_falls_and_what_it_costs),
        cmocka_unit_test(means_by_category_and_kernel)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
