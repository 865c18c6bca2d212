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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(case_does_not_matter),
        cmocka_unit_test(experts_have_their_own_names),
        cmocka_unit_test(triton_knows_c10_only),
        cmocka_unit_test(precision_of_integers_is_none),
        cmocka_unit_test(a_spec_has_the_name_that_platforms_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
