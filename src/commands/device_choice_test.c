#include "commands/device_choice.c"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct arena a;

static int set_up(void **state)
{
    (void)state;
    a = arena_reserve(64 << 20);
    return 0;
}

#define assert_text(s, want) assert_string_equal(str_c(&a, (s)), (want))

static void a_name_has_many_spellings(void **state)
{
    (void)state;
    assert_text(plain_name(&a, S("NVIDIA A100 SXM")), "a100");
    assert_text(plain_name(&a, S("AMD MI300X")), "mi300x");
    assert_text(plain_name(&a, S("H100")), "h100");
    assert_text(stem(S("assets/platforms/MI300X.json")), "MI300X");
    assert_text(stem(built_in(&a, "mi300x")), "MI300X");
    assert_text(stem(built_in(&a, "amd MI300X")), "MI300X");
    assert_int_equal(built_in(&a, "nothing").n, 0);
}

static bool chosen(const char *platform, struct device_spec *d, bool *known,
                   struct err *e)
{
    struct options o = {.platform = platform};
    *e = (struct err){0};
    return device_choose(&a, &o, d, known, e);
}

static void a_device_is_built_in_or_none(void **state)
{
    struct device_spec d;
    struct err e;
    bool known;
    (void)state;
    assert_true(chosen("MI300X", &d, &known, &e) && known);
    assert_true(d.memory_gb_per_s == 5300);
    assert_true(chosen("none", &d, &known, &e) && !known);
    assert_true(chosen(NULL, &d, &known, &e) && !known);
    assert_false(chosen("MI300Q", &d, &known, &e));
    assert_int_equal(e.kind, ERR_USAGE);
    assert_false(chosen("MI300X,H100", &d, &known, &e));
    assert_string_equal(e.what,
                        "-p 'MI300X,H100': expected one device; only compare has "
                        "two");
    assert_false(chosen("no/such.json", &d, &known, &e));
    assert_int_equal(e.kind, ERR_INPUT);
}

/* 5.3 TB/s, 700 TFLOPS of 16-bit matrices. */
static void figures_make_a_device(void **state)
{
    struct options o = {.platform = "mine"};
    struct device_spec d;
    struct err e = {0};
    bool known;
    (void)state;
    o.figures = (struct device_figures){.memory_tb_per_s = 5.3, .tflop_per_s = 700};
    assert_true(device_choose(&a, &o, &d, &known, &e) && known);
    assert_text(d.name, "mine");
    assert_true(d.memory_gb_per_s == 5300);
    assert_true(device_peak(&d, S("matrix_bf16")) == 700);
    assert_true(device_peak(&d, S("matrix_fp16")) == 700);
    o.platform = "MI300X"; /* which has figures of its own */
    assert_false(device_choose(&a, &o, &d, &known, &e));
    o.platform = "mine";
    o.figures.tflop_per_s = 0;
    e = (struct err){0};
    assert_false(device_choose(&a, &o, &d, &known, &e));
    assert_string_equal(e.what,
                        "--peak-bw-tbs and --peak-tflops must be given together");
    o.figures.memory_gb = 80;
    e = (struct err){0};
    assert_false(device_choose(&a, &o, &d, &known, &e));
    assert_string_equal(e.what, "--memory-gb requires --peak-bw-tbs and --peak-tflops");
}

static void a_recorded_device_is_found(void **state)
{
    struct traced_device t = {.name = S("NVIDIA A100-SXM4-80GB"), .bytes = 85e9};
    struct device_spec d;
    (void)state;
    assert_true(device_of_trace(&a, &t, &d));
    assert_true(d.memory_gb == 80);
    t.name = S("NVIDIA A100-SXM4-40GB");
    t.bytes = 42.5e9;
    assert_true(device_of_trace(&a, &t, &d));
    assert_true(d.memory_gb == 40);
    t.name = S("Quux 7");
    assert_false(device_of_trace(&a, &t, &d));
    assert_int_equal(device_relative(&t).n, 0);
}

static void alike_are_rates_that_agree(void **state)
{
    struct device_spec x, y;
    struct err e;
    bool known;
    (void)state;
    assert_true(chosen("MI300X", &x, &known, &e) && chosen("H100", &y, &known, &e));
    assert_true(is_alike(&x, &x));
    assert_false(is_alike(&x, &y));
    y = x;
    y.memory_gb_per_s++;
    assert_false(is_alike(&x, &y));
}

static void figures_are_listed_with_their_digits(void **state)
{
    (void)state;
    assert_string_equal(figure(&a, 0), "-");
    assert_string_equal(figure(&a, (double)NAN), "-");
    assert_string_equal(figure(&a, 81.74), "81.7");
    assert_string_equal(figure(&a, 99.94), "99.9");
    assert_string_equal(figure(&a, 99.96), "100");
    assert_string_equal(figure(&a, 1307.4), "1307");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_has_many_spellings),
        cmocka_unit_test(a_device_is_built_in_or_none),
        cmocka_unit_test(figures_make_a_device),
        cmocka_unit_test(a_recorded_device_is_found),
        cmocka_unit_test(alike_are_rates_that_agree),
        cmocka_unit_test(figures_are_listed_with_their_digits),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
