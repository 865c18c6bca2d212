#include "perf/own/kernel_types.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void the_first_type_counts(void **state)
{
    (void)state;
    assert_true(kernel_type_bytes(S("m<TensorListMetadata<2>, "
                                    "BinaryOpListAlphaFunctor<c10::BFloat16, 2, 2, 0>, "
                                    "std::plus<float>, float>")) == 2);
    assert_true(kernel_type_bytes(S("Copy_contig<at::native::OpaqueType<8u>, int>")) ==
                8);
    assert_true(kernel_type_bytes(S("f<double, float>")) == 8);
    assert_true(kernel_type_bytes(S("f<unsigned char>")) == 1);
}

static void each_type_has_its_width(void **state)
{
    static const struct {
        const char *kernel;
        double bytes;
    } cases[] = {{"f<c10::Half>", 2}, {"f<c10::BFloat16>", 2},
                 {"f<float>", 4},     {"f<double>", 8},
                 {"f<long>", 8},      {"f<int>", 4},
                 {"f<bool>", 1},      {"f<signed char>", 1},
                 {"f<short>", 2},     {"f<at::native::OpaqueType<16u>>", 16}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_true(kernel_type_bytes(str_of(cases[k].kernel)) == cases[k].bytes);
}

static void a_name_without_one(void **state)
{
    (void)state;
    assert_true(isnan(kernel_type_bytes(S("triton_poi_fused_add"))));
    assert_true(isnan(kernel_type_bytes(S("f<2, 3>"))));
    assert_true(isnan(kernel_type_bytes(S("OpaqueType<"))));
    assert_true(isnan(kernel_type_bytes(S("<"))));
    assert_true(isnan(kernel_type_bytes(S(""))));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_first_type_counts),
                                       cmocka_unit_test(each_type_has_its_width),
                                       cmocka_unit_test(a_name_without_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
