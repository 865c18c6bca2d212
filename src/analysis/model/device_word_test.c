#include "analysis/model/device_word.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void is_put(const char *vendor, const char *text, ptrdiff_t at, ptrdiff_t n,
                   const char *wanted)
{
    struct arena a = arena_reserve(1 << 16);
    char *start = a.at;
    struct str put = device_word_put(&a, str_of(text), str_of(vendor), at, n);
    if (!str_eq(put, str_of(wanted)))
        fail_msg("%.*s, not %s", STRF(put), wanted);
    arena_release(start, &a);
}

static void words_of_ours_are_replaced(void **state)
{
    (void)state;
    is_put("Ascend NPU", "The GPU waits; GPU 0 and 2 GPUs do, too: GPU", 0, 0,
           "The NPU waits; NPU 0 and 2 NPUs do, too: NPU");
    is_put("Intel XPU", "GPU", 0, 0, "XPU");
    is_put("Intel XPU", "NCCL waits", 0, 0, "XCCL waits");
    is_put("Ascend NPU", "NCCL and `NCCL_DEBUG`, RCCL", 0, 0,
           "HCCL and `NCCL_DEBUG`, RCCL");
}

static void names_are_not(void **state)
{
    (void)state;
    const char *names = "GPUDirect, `GPU`, MY_GPU, GPU_x and GPUsort";
    is_put("Ascend NPU", names, 0, 0, names);
    is_put("Ascend NPU", "Merge GPU on the GPU", 6, 3, "Merge GPU on the NPU");
    is_put("", "the GPU", 0, 0, "the GPU");
    is_put("MTIA accelerator", "the GPU", 0, 0, "the GPU");
    is_put("NPU", "the GPU", 0, 0, "the GPU"); /* not of this form */
    is_put("NVIDIA A40", "the GPU", 0, 0, "the GPU");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(words_of_ours_are_replaced),
                                       cmocka_unit_test(names_are_not)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
