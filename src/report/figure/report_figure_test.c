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
    assert_int_equal(figure_slot_of(S("sdpa_bwd")), SLOT_BACKWARD);
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

/* No two categories that a page shows side by side have one letter. */
static void letters_of_categories_are_apart(void **state)
{
    (void)state;
    static const struct {
        struct str category, label, letter;
    } known[] = {
        {S_INIT("convolution"), S_INIT("Convolution"), S_INIT("C")},
        {S_INIT("moe_fused"), S_INIT("MoE Fused"), S_INIT("M")},
        {S_INIT("other"), S_INIT("Other"), S_INIT("O")},
        {S_INIT("cpu_idle"), S_INIT("CPU/Idle Analysis"), S_INIT("I")},
        {S_INIT("multi_kernel"), S_INIT("Multi-Kernel Issues"), S_INIT("K")},
        {S_INIT("kernel_fusion"), S_INIT("Kernel Fusion Opportunities"), S_INIT("F")},
        {S_INIT("crossentropy_fwd"), S_INIT("CrossEntropy_fwd"), S_INIT("Cr")},
        {S_INIT("inference"), S_INIT("InferenceAttention"), S_INIT("In")},
        {S_INIT("ssm_fwd"), S_INIT("SSM_fwd"), S_INIT("S")},
        {S_INIT("graph"), S_INIT("graph"), S_INIT("O")}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_true(str_eq(figure_category_letter(known[i].category, known[i].label),
                           known[i].letter));
    assert_true(str_eq(figure_category_letter(S("x"), S("C\xc3\xa9")), S("C")));
    assert_true(str_eq(figure_category_letter(S("x"), S("")), S("O")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(categories_have_their_slot),
        cmocka_unit_test(names_and_letters_are_apart),
        cmocka_unit_test(letters_of_categories_are_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
