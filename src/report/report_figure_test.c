#include "report_figure.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void categories_have_their_slot(void **state)
{
    (void)state;
    assert_int_equal(figure_slot_of(S("gemm")), SLOT_GEMM);
    assert_int_equal(figure_slot_of(S("GEMM")), SLOT_GEMM);
    assert_int_equal(figure_slot_of(S("sdpa_bwd")), SLOT_ATTENTION);
    assert_int_equal(figure_slot_of(S("moe_fused")), SLOT_MOE);
    assert_int_equal(figure_slot_of(S("norm")), SLOT_NORM);
    assert_int_equal(figure_slot_of(S("batchnorm")), SLOT_NORM);
    assert_int_equal(figure_slot_of(S("triton")), SLOT_GENERATED);
    assert_int_equal(figure_slot_of(S("CONV_fwd")), SLOT_CONVOLUTION);
    assert_int_equal(figure_slot_of(S("communication")), SLOT_COMMUNICATION);
    assert_int_equal(figure_slot_of(S("other")), SLOT_OTHER);
    assert_int_equal(figure_slot_of(S("ge")), SLOT_OTHER);
    assert_int_equal(figure_slot_of(S("")), SLOT_OTHER);
}

/* Names go into class names and themes; letters tell marks apart without colour. */
static void names_and_letters_are_apart(void **state)
{
    (void)state;
    for (int i = 0; i < FIGURE_SLOTS; i++) {
        struct str name = figure_slot_name((enum figure_slot)i);
        struct str letter = figure_slot_letter((enum figure_slot)i);
        assert_true(name.n > 0);
        for (ptrdiff_t k = 0; k < name.n; k++)
            assert_true(name.p[k] >= 'a' && name.p[k] <= 'z');
        for (int k = 0; k < i; k++) {
            assert_false(str_eq(name, figure_slot_name((enum figure_slot)k)));
            if (letter.n > 0)
                assert_false(str_eq(letter, figure_slot_letter((enum figure_slot)k)));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(categories_have_their_slot),
        cmocka_unit_test(names_and_letters_are_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
