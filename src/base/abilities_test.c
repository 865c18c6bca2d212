#include "base/abilities.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* What records a device's work is called after the device, in PyTorch's profiler. */
static void a_vendor_has_an_activity_of_its_own(void **state)
{
    static const struct {
        const char *vendor, *device;
        bool is_torch;
    } cases[] = {{"", "ProfilerActivity.CUDA", true},
                 {"Google TPU", "ProfilerActivity.CUDA", true},
                 {"Intel XPU", "ProfilerActivity.XPU", true},
                 {"Gaudi HPU", "ProfilerActivity.HPU", true},
                 {"Ascend NPU", "torch_npu.profiler.ProfilerActivity.NPU", false}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const struct source_abilities *of =
            abilities_on(&torch_abilities, str_of(cases[k].vendor));
        assert_true(str_eq(of->device, str_of(cases[k].device)));
        assert_true(of->is_torch == cases[k].is_torch);
        assert_ptr_equal(abilities_of(abilities_on(NULL, str_of(cases[k].vendor))), of);
    }
}

static void other_profilers_stay(void **state)
{
    (void)state;
    assert_ptr_equal(abilities_on(&jax_abilities, S("Intel XPU")), &jax_abilities);
    assert_ptr_equal(abilities_on(&nsys_abilities, S("")), &nsys_abilities);
}

/* Whether a program is PyTorch's is a question only where nothing says so. */
static void a_program_of_pytorch_is_known(void **state)
{
    (void)state;
    assert_true(str_eq(rocprof_abilities.sizes, S("torch.profiler")));
    assert_true(str_eq(rocprof_abilities.native->sizes,
                       S("torch.profiler, if the program is PyTorch's")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_vendor_has_an_activity_of_its_own),
        cmocka_unit_test(other_profilers_stay),
        cmocka_unit_test(a_program_of_pytorch_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
