#include "fusion_pattern.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct fusion_pattern of(const char *place, int n, const char *const *ops,
                                const enum kernel_label *labels)
{
    static struct str texts[8];
    static enum kernel_label copy[8];
    for (int k = 0; k < n; k++) {
        texts[k] = str_of(ops[k]);
        copy[k] = labels ? labels[k] : KERNEL_ELEMENTWISE;
    }
    struct kernel_group g = {
        .place = str_of(place), .n_kernels = n, .labels = copy, .ops = texts};
    return fusion_pattern_of(&g);
}

static void compositions_and_hints(void **state)
{
    (void)state;
    static const struct {
        const char *place, *ops[8];
        int n;
        const char *want;
        enum confidence confidence;
    } cases[] = {
        {"LlamaRMSNorm",
         {"to", "pow", "mean", "add", "rsqrt", "mul", "to", "mul"},
         8,
         "Unfused RMSNorm",
         CONFIDENCE_HIGH},
        {"Foo",
         {"copy_", "pow", "mean", "add_", "rsqrt", "mul_"},
         6,
         "Unfused RMSNorm",
         CONFIDENCE_MEDIUM},
        {"MyLayerNorm",
         {"mean", "sub", "pow", "mean", "sqrt", "div"},
         6,
         "Unfused LayerNorm",
         CONFIDENCE_HIGH},
        {"FrozenBatchNorm2d", {"mul", "add"}, 2, "Unfused BatchNorm", CONFIDENCE_HIGH},
        {"Affine", {"mul", "add"}, 2, "", CONFIDENCE_LOW},
        {"rotate",
         {"mul", "neg", "cat", "mul", "add"},
         5,
         "Unfused rotary embedding",
         CONFIDENCE_MEDIUM},
        {"SwiGLU", {"silu", "mul"}, 2, "Unfused gated activation", CONFIDENCE_HIGH},
        {"QuickGELU", {"mul", "sigmoid", "mul"}, 3, "Unfused GELU", CONFIDENCE_HIGH},
        {"Foo", {"div", "exp", "sub"}, 3, "Elementwise chain", CONFIDENCE_MEDIUM},
        {"mul_ to addcdiv_",
         {"mul_", "lerp_", "mul_", "addcmul_", "sqrt", "div", "add_", "addcdiv_"},
         8,
         "Unfused optimizer",
         CONFIDENCE_MEDIUM},
        {"Foo",
         {"copy_", "_log_softmax", "nll_loss_forward"},
         3,
         "Unfused cross entropy",
         CONFIDENCE_MEDIUM},
        {"Foo",
         {"nll_loss_backward", "_log_softmax_backward_data", "copy_"},
         3,
         "Unfused cross entropy",
         CONFIDENCE_MEDIUM},
        {"Foo", {"_log_softmax", "nll_loss_forward"}, 2, "", CONFIDENCE_LOW},
        {"Foo", {"div", "exp"}, 2, "", CONFIDENCE_LOW}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct fusion_pattern p = of(cases[k].place, cases[k].n, cases[k].ops, NULL);
        assert_text(p.name, cases[k].want);
        assert_int_equal(p.confidence, cases[k].confidence);
    }
}

static void products_have_epilogues(void **state)
{
    (void)state;
    static const char *const ops[] = {"mm", "add", "relu", "mul"};
    static const enum kernel_label labels[] = {KERNEL_GEMM, KERNEL_ELEMENTWISE,
                                               KERNEL_ELEMENTWISE, KERNEL_ELEMENTWISE};
    assert_text(of("Linear", 3, ops, labels).name, "Matmul epilogue");
    assert_text(of("Linear", 4, ops, labels).name, ""); /* three kernels behind it */
    static const char *const block[] = {"bmm", "mul", "_softmax", "bmm"};
    static const enum kernel_label attention[] = {KERNEL_GEMM, KERNEL_ELEMENTWISE,
                                                  KERNEL_SOFTMAX, KERNEL_GEMM};
    struct fusion_pattern p = of("SelfAttention", 4, block, attention);
    assert_text(p.name, "Unfused attention");
    assert_int_equal(p.confidence, CONFIDENCE_HIGH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compositions_and_hints),
        cmocka_unit_test(products_have_epilogues),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
