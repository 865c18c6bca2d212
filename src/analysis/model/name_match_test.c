#include "name_match.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void parts_in_any_case(void **state)
{
    (void)state;
    assert_true(name_has(S("aten::_Flash_Attention_forward"), "fmha|flash_attention"));
    assert_false(name_has(S("aten::mm"), "fmha|flash"));
    assert_true(name_is(S("GEMM"), "conv|gemm"));
    assert_false(name_is(S("gemm2"), "conv|gemm"));
    assert_true(name_is(S(""), "other|"));
    assert_true(name_begins(S("Triton_poi"), "x|triton"));
    assert_false(name_begins(S("a_triton"), "triton"));
}

static void names_without_their_library(void **state)
{
    (void)state;
    assert_true(str_eq(name_core(S("aten::miopen_convolution")), S("convolution")));
    assert_true(str_eq(name_core(S("aten::native_layer_norm")), S("layer_norm")));
    assert_true(str_eq(name_core(S("aten::_fused_rms_norm")), S("rms_norm")));
    assert_true(
        str_eq(name_core(S("native_")), S("native_"))); /* nothing would be left */
    assert_true(str_eq(name_core(S("___")), S("_")));
    assert_true(str_eq(name_without_namespace(S("a::b::c")), S("c")));
    assert_true(str_eq(name_without_namespace(S("::x")), S("x")));
}

static void device_work_goes_by_its_kernel(void **state)
{
    (void)state;
    static const struct {
        const char *op, *want;
    } known[] = {
        {"aten::mm", "aten::mm"},
        {"a->b", "a->b"},
        {"graph->void ck::moe<int, 2>(x) (Synthetic Op)", "ck::moe"},
        {"Region->triton__0d1d2d (Synthetic Op)", "triton__0d1d2d"},
        {"graph->_ZN5mylib5scaleIfEEvPT_ (Synthetic Op)", "scale"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_true(
            str_eq(name_without_launcher(str_of(known[i].op)), str_of(known[i].want)));
}

static void devices_of_amd(void **state)
{
    (void)state;
    assert_true(name_is_of_amd(S("AMD Instinct MI300X VF")));
    assert_true(name_is_of_amd(S("MI250X")) && name_is_of_amd(S("Radeon RX 7900 XTX")));
    assert_false(name_is_of_amd(S("NVIDIA H100 80GB HBM3")) || name_is_of_amd(S("")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_of_amd), cmocka_unit_test(parts_in_any_case),
        cmocka_unit_test(names_without_their_library),
        cmocka_unit_test(device_work_goes_by_its_kernel)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
