#include "perf/dtype.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void case_does_not_matter(void **state)
{
    (void)state;
    assert_true(dtype_bytes(S("C10::BFLOAT16")) == 2);
    assert_true(dtype_bytes(S("Scalar")) == 4);
    assert_true(isnan(dtype_bytes(S("bool"))));
    assert_true(isnan(dtype_bytes((struct str){NULL, 0})));
}

/* "float" is not in the table of experts' weights, "Float" is. */
static void experts_have_their_own_names(void **state)
{
    (void)state;
    assert_true(dtype_moe_bytes(S("float"), 1) == 1);
    assert_true(dtype_moe_bytes(S("Float"), 1) == 4);
    assert_true(dtype_moe_bytes(S("FP4"), 1) == 0.5);
}

static void triton_knows_c10_only(void **state)
{
    (void)state;
    assert_true(dtype_triton_bytes(S("c10::Long")) == 8);
    assert_true(dtype_triton_bytes(S("long int")) == 0);
}

static void a_spec_has_the_name_that_platforms_use(void **state)
{
    (void)state;
    assert_true(str_eq(dtype_spec(S("vector_bfloat16")), S("vector_bf16")));
    assert_true(str_eq(dtype_spec(S("vector_float")), S("vector_fp32")));
    assert_true(str_eq(dtype_spec(S("matrix_bf16")), S("matrix_bf16")));
    assert_int_equal(dtype_spec(S("")).n, 0);
}

static void precision_of_integers_is_none(void **state)
{
    (void)state;
    assert_true(str_eq(dtype_precision(S("c10::Half")), S("fp16")));
    assert_true(str_eq(dtype_precision(S("unsigned char")), S("fp8")));
    assert_int_equal(dtype_precision(S("signed char")).n, 0);
}

/* As wide as the bits in the name, or what C++ and PyTorch have of it. */
static void widths_are_those_of_the_types(void **state)
{
    static const struct {
        const char *names;
        double any, moe,
            triton; /* of tensors, of experts' weights, of kernels; -1: no */
    } widths[] = {
        {"double", 8, -1, 0},
        {"long int", 8, -1, 0},
        {"float;int", 4, -1, 0},
        {"c10::Half;c10::BFloat16", 2, 2, 2},
        {"c10::Float8_e4m3fn;c10::Float8_e4m3fnuz", 1, 1, 0},
        {"c10::Float8_e5m2;c10::Float8_e8m0fnu", 1, -1, 0},
        {"unsigned char;signed char", 1, -1, 0},
        {"c10::Float4_e2m1fn_x2", 1, 0.5, 0}, /* two are an element of a tensor */
        {"Float8_e4m3fn;Float8_e4m3fnuz;Float8_e5m2;Float8_e5m2fnuz", -1, 1, 0},
        {"BFloat16;Float16;Half", -1, 2, 0},
        {"Float32", -1, 4, 0},
        {"c10::Float", -1, 4, 4},
        {"c10::Double;c10::Long", -1, -1, 8},
        {"c10::Int", -1, -1, 4},
        {"c10::Byte;c10::Char", -1, -1, 1}};
    (void)state;
    for (size_t k = 0; k < sizeof widths / sizeof *widths; k++)
        for (struct str rest = str_of(widths[k].names); rest.n;) {
            struct str name = str_take(&rest, S(";"));
            double any = dtype_bytes(name);
            if ((isnan(any) ? -1 : any) != widths[k].any ||
                dtype_moe_bytes(name, -1) != widths[k].moe ||
                dtype_triton_bytes(name) != widths[k].triton)
                fail_msg("%.*s", STRF(name));
        }
}

static void types_have_their_units(void **state)
{
    static const char *const units[][2] = {
        {"double", "fp64"},       {"float", "fp32"},
        {"c10::Half", "fp16"},    {"c10::BFloat16", "bf16"},
        {"fp8", "fp8"},           {"c10::Float8_e4m3fn", "fp8"},
        {"fp4", "fp4"},           {"c10::Float8_e4m3fnuz", "fp8"},
        {"mxfp4", "fp4"},         {"c10::Float4_e2m1fn_x2", "fp4"},
        {"long int", ""},         {"int", ""},
        {"c10::Float8_e5m2", ""}, {"nothing", ""}};
    (void)state;
    for (size_t k = 0; k < sizeof units / sizeof *units; k++)
        assert_true(str_eq(dtype_precision(str_of(units[k][0])), str_of(units[k][1])));
    assert_true(str_eq(dtype_spec(S("vector_half")), S("vector_fp16")));
    assert_true(str_eq(dtype_spec(S("vector_double")), S("vector_fp64")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(case_does_not_matter),
        cmocka_unit_test(widths_are_those_of_the_types),
        cmocka_unit_test(types_have_their_units),
        cmocka_unit_test(experts_have_their_own_names),
        cmocka_unit_test(triton_knows_c10_only),
        cmocka_unit_test(precision_of_integers_is_none),
        cmocka_unit_test(a_spec_has_the_name_that_platforms_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
