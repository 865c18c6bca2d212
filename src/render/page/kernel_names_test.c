#include "render/page/kernel_names.c"

#include "base/arena_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct report report_of(const char *const *names, int n)
{
    struct report r = {.kernels = arena_new(&a, struct report_kernel, n),
                       .n_kernels = n};
    for (int i = 0; i < n; i++)
        r.kernels[i].name = str_of(names[i]);
    return r;
}

static void expect(const char *const *names, const char *const *want, int n)
{
    struct report r = report_of(names, n);
    struct arena tmp = arena_first_half(&a);
    const struct str *shown = kernel_names(&a, tmp, &r);
    for (int i = 0; i < n; i++)
        assert_text(shown[i], want[i]);
}

#define FUNCTOR(width, type)                                                           \
    "void at::native::vectorized_elementwise_kernel<" width                            \
    ", at::native::CUDAFunctor_add<" type ">, std::array<char*, 3ul> >(int)"

static void what_differs_follows_what_is_shared(void **state)
{
    (void)state;
    static const char *const names[] = {FUNCTOR("4", "float"), FUNCTOR("8", "float"),
                                        FUNCTOR("8", "c10::BFloat16"), "attn_fwd"};
    static const char *const want[] = {
        "vectorized_elementwise_kernel<CUDAFunctor_add> 4 float",
        "vectorized_elementwise_kernel<CUDAFunctor_add> 8 float",
        "vectorized_elementwise_kernel<CUDAFunctor_add> 8 c10 BFloat16", "attn_fwd"};
    expect(names, want, 4);
}

static void equal_names_stay_equal(void **state)
{
    (void)state; /* one kernel, launched by two operations */
    static const char *const names[] = {"void f<int>(int)", "void f<int>(int)",
                                        "void f<long>(long)"};
    static const char *const want[] = {"f int", "f int", "f long"};
    expect(names, want, 3);
}

static void parts_of_variants_count(void **state)
{
    (void)state;
    static const char *const names[] = {
        "Cijk_Alik_Bljk_BBS_MT128x96x128_SN_LDSB1_WGM8",
        "Cijk_Alik_Bljk_BBS_MT128x96x128_SN_LDSB0_WGM8"};
    static const char *const want[] = {"Cijk_Alik_Bljk MT128x96x128 LDSB1",
                                       "Cijk_Alik_Bljk MT128x96x128 LDSB0"};
    expect(names, want, 2);
}

static void what_has_no_words_is_numbered(void **state)
{
    (void)state;
    static const char *const names[] = {
        "_ZN2ck4gemmILi64EEEvv", "_ZN2ck4gemmILi32EEEvv", "_ZN2ck4gemmILi64EEEvv"};
    static const char *const want[] = {"gemm", "gemm #2", "gemm"};
    expect(names, want, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_differs_follows_what_is_shared, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(equal_names_stay_equal, set_up, tear_down),
        cmocka_unit_test_setup_teardown(parts_of_variants_count, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_has_no_words_is_numbered, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
