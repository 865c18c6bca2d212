#include "perf/device_fit.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define DEVICE(text, gb, units)                                                        \
    &(const struct device_spec)                                                        \
    {                                                                                  \
        .name = S(text), .memory_gb = (gb), .compute_units = (units)                   \
    }

static enum device_fit fit(const struct device_spec *d, const char *name, double bytes,
                           int units)
{
    return device_fit(d, &(struct traced_device){str_of(name), bytes, units});
}

/* Names and sizes as profilers record them. */
static void sizes_tell_variants_apart(void **state)
{
    (void)state;
    const struct device_spec *small = DEVICE("A100-40GB", 40, 108);
    const struct device_spec *large = DEVICE("A100", 80, 0);
    assert_int_equal(fit(small, "NVIDIA A100-SXM4-40GB", 42481549312, 108), FIT_YES);
    assert_int_equal(fit(large, "NVIDIA A100-SXM4-40GB", 42481549312, 108), FIT_MEMORY);
    assert_int_equal(fit(small, "NVIDIA A100-PG509-200", 42297524224, 108), FIT_YES);
    assert_int_equal(fit(large, "NVIDIA A100-SXM4-80GB", 85028765696, 108), FIT_YES);
    assert_int_equal(
        fit(DEVICE("V100", 32, 80), "Tesla V100-DGXS-32GB", 34084028416, 80), FIT_YES);
    assert_int_equal(
        fit(DEVICE("MI300X", 192, 304), "AMD Instinct MI300X VF", 205571227648, 304),
        FIT_YES);
    assert_int_equal(
        fit(DEVICE("B300", 270, 148), "NVIDIA B300 SXM6 AC", 287416123392, 148),
        FIT_YES);
}

static void a_name_is_a_whole_word(void **state)
{
    (void)state;
    assert_int_equal(fit(DEVICE("B200", 180, 148), "NVIDIA GB200", 0, 0), FIT_NAME);
    assert_int_equal(fit(DEVICE("H200", 141, 0), "NVIDIA GH200 144G HBM3e", 0, 0),
                     FIT_NAME);
    assert_int_equal(fit(DEVICE("RTX 4090", 24, 128), "NVIDIA GeForce RTX 4090", 0, 0),
                     FIT_YES);
    assert_int_equal(fit(DEVICE("mi325x@e", 256, 0), "AMD Instinct MI325X", 0, 0),
                     FIT_YES);
    assert_int_equal(fit(DEVICE("H100", 80, 0), "AMD Instinct MI300X", 0, 0), FIT_NAME);
}

/* Where the name is blank, memory and compute units tell. */
static void a_blank_name(void **state)
{
    (void)state;
    const struct device_spec *d = DEVICE("MI300X", 192, 304);
    assert_int_equal(fit(d, "", 206141652992, 304), FIT_YES);
    assert_int_equal(fit(d, " ", 274877906944, 304), FIT_MEMORY);
    assert_int_equal(fit(d, "", 206141652992, 228), FIT_NAME);
    assert_int_equal(fit(d, "", 0, 304), FIT_UNKNOWN);
    assert_int_equal(fit(DEVICE("H100", 80, 0), "", 85028765696, 132), FIT_UNKNOWN);
}

static void variants_share_a_model(void **state)
{
    (void)state;
    assert_true(str_eq(device_model(S("A100-40GB")), S("A100")));
    assert_true(str_eq(device_model(S("MI325X@e")), S("MI325X")));
    assert_true(str_eq(device_model(S("my-own")), S("my-own")));
    assert_true(str_eq(device_model(S("-")), S("-")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_tell_variants_apart),
        cmocka_unit_test(a_name_is_a_whole_word),
        cmocka_unit_test(a_blank_name),
        cmocka_unit_test(variants_share_a_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
