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

#define BOARD(text, gb, units, letter)                                                 \
    &(const struct device_spec)                                                        \
    {                                                                                  \
        .name = S(text), .memory_gb = (gb), .compute_units = (units), .form = (letter) \
    }

static enum device_fit fit_of(const struct device_spec *d, const char *name,
                              double bytes, int units)
{
    return device_fit(d, &(struct traced_device){str_of(name), bytes, units, 0});
}

/* Names and sizes as profilers record them. */
static void sizes_tell_variants_apart(void **state)
{
    (void)state;
    const struct device_spec *small = DEVICE("A100-40GB", 40, 108);
    const struct device_spec *large = DEVICE("A100", 80, 0);
    assert_int_equal(fit_of(small, "NVIDIA A100-SXM4-40GB", 42481549312, 108), FIT_YES);
    assert_int_equal(fit_of(large, "NVIDIA A100-SXM4-40GB", 42481549312, 108),
                     FIT_MEMORY);
    assert_int_equal(fit_of(small, "NVIDIA A100-PG509-200", 42297524224, 108), FIT_YES);
    assert_int_equal(fit_of(large, "NVIDIA A100-SXM4-80GB", 85028765696, 108), FIT_YES);
    assert_int_equal(
        fit_of(DEVICE("V100", 32, 80), "Tesla V100-DGXS-32GB", 34084028416, 80),
        FIT_YES);
    assert_int_equal(
        fit_of(DEVICE("MI300X", 192, 304), "AMD Instinct MI300X VF", 205571227648, 304),
        FIT_YES);
    assert_int_equal(
        fit_of(DEVICE("B300", 270, 148), "NVIDIA B300 SXM6 AC", 287416123392, 148),
        FIT_YES);
}

static void a_name_is_a_whole_word(void **state)
{
    (void)state;
    assert_int_equal(fit_of(DEVICE("B200", 180, 148), "NVIDIA GB200", 0, 0), FIT_NAME);
    assert_int_equal(fit_of(DEVICE("H200", 141, 0), "NVIDIA GH200 144G HBM3e", 0, 0),
                     FIT_NAME);
    assert_int_equal(
        fit_of(DEVICE("RTX 4090", 24, 128), "NVIDIA GeForce RTX 4090", 0, 0), FIT_YES);
    assert_int_equal(fit_of(DEVICE("mi325x@e", 256, 0), "AMD Instinct MI325X", 0, 0),
                     FIT_YES);
    assert_int_equal(fit_of(DEVICE("H100", 80, 0), "AMD Instinct MI300X", 0, 0),
                     FIT_NAME);
}

/* Where the name is blank, memory and compute units tell. */
static void a_blank_name(void **state)
{
    (void)state;
    const struct device_spec *d = DEVICE("MI300X", 192, 304);
    assert_int_equal(fit_of(d, "", 206141652992, 304), FIT_YES);
    assert_int_equal(fit_of(d, " ", 274877906944, 304), FIT_MEMORY);
    assert_int_equal(fit_of(d, "", 206141652992, 228), FIT_NAME);
    assert_int_equal(fit_of(d, "", 0, 304), FIT_UNKNOWN);
    assert_int_equal(fit_of(DEVICE("H100", 80, 0), "", 85028765696, 132), FIT_UNKNOWN);
}

/* Every spelling of the specification of names, and its neighbours. */
static void words_of_the_vendor_tell_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *device, *name;
        bool same;
    } pairs[] = {
        {"RTX 3060", "NVIDIA GeForce RTX 3060", true},
        {"RTX3060", "NVIDIA GeForce RTX 3060", true},
        {"RTX 3060", "RTX3060", true},
        {"RTX 3060", "NVIDIA GeForce RTX 3060 Ti", false},
        {"RTX 3060 Ti", "NVIDIA GeForce RTX 3060 Ti", true},
        {"RTX 3060 Ti", "NVIDIA GeForce RTX 3060", false},
        {"RTX 4080", "NVIDIA GeForce RTX 4080 Laptop GPU", false},
        {"RTX 4080", "NVIDIA GeForce RTX 4080 SUPER", false},
        {"RTX4070TiSuper", "NVIDIA GeForce RTX 4070 Ti SUPER", true},
        {"RTX 6000 Ada", "NVIDIA RTX 6000 Ada Generation", true},
        {"RTX 6000 Ada", "Quadro RTX 6000", false},
        {"RTX 6000 Ada", "NVIDIA RTX A6000", false},
        {"RTX PRO 6000", "NVIDIA RTX PRO 6000 Blackwell Workstation Edition", true},
        {"RTX PRO 6000", "NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition",
         false},
        {"A10", "NVIDIA A100-SXM4-80GB", false},
        {"A10", "NVIDIA A10G", false},
        {"A100", "NVIDIA A100 80GB PCIe", true},
        {"V100", "Tesla V100-SXM2-16GB", true},
        {"V100", "Tesla V100S-PCIE-32GB", false},
        {"H100", "NVIDIA H100 80GB HBM3", true},
        {"H100", "NVIDIA H800", false},
        {"GH200", "NVIDIA GH200 480GB", true},
        {"MI350X", "AMD Instinct MI350X", true},
        {"MI250X", "AMD Instinct MI250X / MI250", true},
        {"RX7900XTX", "AMD Radeon RX 7900 XTX", true},
        {"R9700", "AMD Radeon AI PRO R9700", true},
        {"Max1550", "Intel(R) Data Center GPU Max 1550", true},
        {"ArcA770", "Intel(R) Arc(TM) A770 Graphics", true},
        {"Thor", "NVIDIA Thor", true},
        {"RTX 3060", "", false},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct device_words device, name;
        device_words_of(str_of(pairs[i].device), &device);
        device_words_of(str_of(pairs[i].name), &name);
        if (device_words_match(&device, &name) != pairs[i].same)
            fail_msg("%s and %s", pairs[i].device, pairs[i].name);
    }
}

/* Half of a name, or a long one, is cut without harm. */
static void a_hostile_name(void **state)
{
    (void)state;
    static char many[4096];
    struct device_words w;
    for (size_t i = 0; i + 1 < sizeof many; i++)
        many[i] = i % 2 ? 'x' : '-';
    device_words_of(str_of(many), &w);
    assert_int_equal(w.n, DEVICE_WORDS);
    device_words_of(S("\xff\xfe--\x01 99999999999999GB"), &w);
    assert_int_equal(w.n, 1);
}

/* The board decides where memory and name do not. */
static void boards_tell_variants_apart(void **state)
{
    (void)state;
    const struct device_spec *sxm = BOARD("A100", 80, 108, 's');
    const struct device_spec *pcie = BOARD("A100-PCIe-80GB", 80, 108, 'p');
    struct traced_device plain = {S("NVIDIA A100"), 85028765696, 108, 80};
    assert_int_equal(fit_of(sxm, "NVIDIA A100 80GB PCIe", 84987740160, 108), FIT_FORM);
    assert_int_equal(fit_of(pcie, "NVIDIA A100 80GB PCIe", 84987740160, 108), FIT_YES);
    assert_int_equal(fit_of(pcie, "NVIDIA A100-SXM4-80GB", 85028765696, 108), FIT_FORM);
    assert_true(device_likeness(sxm, &plain) > device_likeness(pcie, &plain));
    struct traced_device h100 = {S("NVIDIA H100"), 85028765696, 114, 90};
    assert_true(device_likeness(BOARD("H100-PCIe", 80, 114, 'p'), &h100) >
                device_likeness(BOARD("H100", 80, 132, 's'), &h100));
    assert_true(device_likeness(sxm, &h100) < 0);
    struct traced_device sized = {S("A100-PCIE-40GB"), 0, 0, 0};
    assert_true(device_likeness(BOARD("A100-40GB", 40, 108, 's'), &sized) < 0);
    assert_true(device_likeness(BOARD("A100-PCIe-40GB", 40, 108, 'p'), &sized) > 0);
}

/* Unnamed: units and memory of a 3090, of a later generation. */
static void a_generation_is_no_other(void **state)
{
    (void)state;
    struct device_spec ampere = {.name = S("RTX 3090"),
                                 .memory_gb = 24,
                                 .compute_units = 82,
                                 .arch = S("sm_86")};
    struct traced_device unnamed = {S("NVIDIA Graphics Device"), 25300000000, 82, 120};
    assert_int_equal(device_fit(&ampere, &unnamed), FIT_NAME);
    assert_false(device_is_named(&unnamed));
    unnamed.generation = 86;
    assert_int_equal(device_fit(&ampere, &unnamed), FIT_YES);
    unnamed.generation = (double)NAN;
    assert_int_equal(device_fit(&ampere, &unnamed), FIT_YES);
    struct traced_device named = {S("NVIDIA GeForce RTX 3090"), 25300000000, 82, 120};
    assert_true(device_is_named(&named));
}

/* ECC takes a sixteenth: a T4 has 14.6 GiB of 16. */
static void ecc_is_no_other_size(void **state)
{
    (void)state;
    assert_int_equal(fit_of(DEVICE("T4", 16, 40), "Tesla T4", 15655829504, 40),
                     FIT_YES);
    assert_int_equal(fit_of(DEVICE("A10G", 24, 80), "NVIDIA A10G", 23677181952, 80),
                     FIT_YES);
    assert_int_equal(fit_of(DEVICE("RTX 3080 12GB", 12, 70), "NVIDIA GeForce RTX 3080",
                            10501423104, 68),
                     FIT_MEMORY);
}

/* One name for all of a vendor's: what else is recorded tells. */
static void a_name_of_no_device(void **state)
{
    (void)state;
    struct device_spec d = {.name = S("MI300X"),
                            .memory_gb = 192,
                            .compute_units = 304,
                            .arch = S("gfx942")};
    assert_int_equal(fit_of(&d, "AMD Radeon Graphics", 206141652992, 304), FIT_YES);
    assert_int_equal(fit_of(&d, "AMD Radeon Graphics", 0, 0), FIT_UNKNOWN);
    assert_int_equal(fit_of(&d, "gfx942", 206141652992, 304), FIT_YES);
    assert_int_equal(fit_of(&d, "gfx90a", 206141652992, 304), FIT_NAME);
    assert_int_equal(fit_of(DEVICE("custom device", 0, 0), "NVIDIA A100", 0, 0),
                     FIT_UNKNOWN);
}

static void a_relative_begins_alike(void **state)
{
    (void)state;
    static const struct {
        const char *device, *name;
        bool near;
    } pairs[] = {
        {"RTX4090", "NVIDIA GeForce RTX 4090 D", true},
        {"A100", "NVIDIA A100X", true},
        {"A10", "NVIDIA A100X", false},
        {"A100", "NVIDIA A100-SXM-64GB", true},
        {"RTX4080", "NVIDIA GeForce RTX 4080 Laptop GPU", false},
        {"H100", "Some GPU 9", false},
        {"H100", "", false},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct device_words device, name;
        device_words_of(str_of(pairs[i].device), &device);
        device_words_of(str_of(pairs[i].name), &name);
        if (device_words_near(&device, &name) != pairs[i].near)
            fail_msg("%s and %s", pairs[i].device, pairs[i].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_tell_variants_apart),
        cmocka_unit_test(a_name_is_a_whole_word),
        cmocka_unit_test(a_blank_name),
        cmocka_unit_test(words_of_the_vendor_tell_nothing),
        cmocka_unit_test(a_hostile_name),
        cmocka_unit_test(boards_tell_variants_apart),
        cmocka_unit_test(ecc_is_no_other_size),
        cmocka_unit_test(a_generation_is_no_other),
        cmocka_unit_test(a_name_of_no_device),
        cmocka_unit_test(a_relative_begins_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
