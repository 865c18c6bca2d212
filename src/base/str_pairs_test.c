#include "base/str_pairs.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A part may have the pairs of a text and yet not be in it. */
static void pairs_only_save_looking(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "", "x", "Cijk_GEMM_MT64", "abcab", "bcabc_x", "CK::gemm", "\xff\xfe gemm"};
    static const char *const parts[] = {"",     "gemm", "x",    "cabca", "_gemm_",
                                        "k::g", "\xfe", "mt65", "MT64",  "bca"};
    int held = 0;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
            struct str text = str_of(texts[i]), part = str_of(parts[k]);
            struct str_pairs pairs = str_pairs_of(text);
            assert_int_equal(str_pairs_has(&pairs, part), str_has_nocase(text, part));
            held += str_pairs_has(&pairs, part);
        }
    assert_int_equal(held, 18);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pairs_only_save_looking)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
