#include "perf/gemm_kernel.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void expect(struct str name, bool known, int a, int b)
{
    enum gemm_transpose ta = GEMM_UNKNOWN, tb = GEMM_UNKNOWN;
    assert_int_equal(gemm_kernel_transpose(name, &ta, &tb), known);
    assert_int_equal(ta, a);
    assert_int_equal(tb, b);
}

static void tensile(void **state)
{
    (void)state;
    expect(S("Cijk_Alik_Bljk_BBS"), true, GEMM_TRANSPOSED, GEMM_PLAIN);
    expect(S("x_Cijk_Ailk_Bjlk_"), true, GEMM_PLAIN, GEMM_TRANSPOSED);
    expect(S("Cijk_Axyz_Bljk_"), true, GEMM_UNKNOWN, GEMM_PLAIN);
    expect(S("Cijk_Alik_Blj"), false, GEMM_UNKNOWN, GEMM_UNKNOWN); /* cut short */
}

static void cublas(void **state)
{
    (void)state;
    expect(S("nvjet_hsh_128x64_TNT"), true, GEMM_TRANSPOSED, GEMM_PLAIN);
    expect(S("nvjet_T"), false, GEMM_UNKNOWN, GEMM_UNKNOWN);
    expect(S("ampere_sgemm_tn"), false, GEMM_UNKNOWN, GEMM_UNKNOWN);
    expect(S(""), false, GEMM_UNKNOWN, GEMM_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tensile),
        cmocka_unit_test(cublas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
