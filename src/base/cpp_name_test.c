#include "cpp_name.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

static void expect(const char *name, const char *want)
{
    struct str got = cpp_function_name(str_of(name));
    if (!str_eq(got, str_of(want)))
        fail_msg("%s: %.*s, not %s", name, STRF(got), want);
}

static void functions_of_mangled_names(void **state)
{
    (void)state;
    expect("_ZN5mylib5scaleIfLi4EEvPT_", "scale");
    expect("_Z5scalePfi", "scale");
    expect("_ZL5scalePf", "scale");
    expect("_ZNK5mylib5scaleEv", "scale");
    expect("_ZN2ck12_GLOBAL__N_16kernelIfEEvT_", "kernel"); /* an unnamed namespace */
}

static void what_is_not_one_stays_away(void **state)
{
    (void)state;
    expect("", "");
    expect("_Z", "");
    expect("_ZN", "");
    expect("scale", "");
    expect("_ZN9999999999scale", "");
    expect("_ZN60scale", ""); /* more letters than there are */
    expect("_ZN0E", "");
    expect("_ZNSt6vectorIiE", ""); /* substitutions are not read */
    expect("_ZN5mylib60scale", "mylib");
}

static void functions_return_something(void **state)
{
    static const struct {
        const char *name, *rest;
    } cases[] = {
        {"void at::native::add<4>(int)", "at::native::add<4>(int)"},
        {"std::enable_if<!(false), void>::type internal::gemvx::kernel<int>(P)",
         "internal::gemvx::kernel<int>(P)"},
        {"std::enable_if<true>::value", "std::enable_if<true>::value"},
        {"gemm", "gemm"},
        {"", ""}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_true(
            str_eq(cpp_without_return(str_of(cases[k].name)), str_of(cases[k].rest)));
}

static void kernels_of_cutlass(void **state)
{
    static const struct {
        const char *name, *kernel;
    } cases[] = {
        {"void cutlass::device_kernel<flash::enable_sm90<flash::FlashAttnFwd<2> > >(P)",
         "FlashAttnFwd"},
        {"void cutlass::Kernel2<cutlass_80_gemm>(P)", "cutlass_80_gemm"},
        {"cudaGraphLaunch->void cutlass::device_kernel<GemmUniversal<int> > (Synthetic "
         "Op)",
         "GemmUniversal"},
        {"void cutlass::device_kernel<enable_sm90>", "enable_sm90"},
        {"void cutlass::device_kernel<", ""},
        {"void mine::device_kernel<mine::walk>(P)", ""},
        {"", ""}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_true(
            str_eq(cpp_cutlass_kernel(str_of(cases[k].name)), str_of(cases[k].kernel)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_of_mangled_names),
        cmocka_unit_test(what_is_not_one_stays_away),
        cmocka_unit_test(functions_return_something),
        cmocka_unit_test(kernels_of_cutlass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
