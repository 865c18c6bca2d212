#include "fusion_candidates.c"

#include "analysis/system/fusion_pattern.h"
#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define POINTWISE "void at::native::vectorized_elementwise_kernel<4, f>"

/* One call of a module: n operators, a kernel each, from `at` on. */
static void module_call(struct trace_case *c, const char *module, double at,
                        int *correlation, const char *const *ops,
                        const char *const *kernels, int n)
{
    case_frame(c, module, at, 20.0 * n + 2);
    for (int k = 0; k < n; k++) {
        case_op(c, ops[k], at + 1 + 20 * k, 10);
        case_launch(c, kernels[k], at + 2 + 20 * k, 100000 + at + 20 * k, 5,
                    ++*correlation);
    }
}

static const struct kernel_group *group_of(const struct kernel_groups *g,
                                           const char *place)
{
    for (int32_t k = 0; k < g->n; k++)
        if (str_eq(g->rows[k].place, str_of(place)) && !g->rows[k].is_run)
            return &g->rows[k];
    return NULL;
}

/* A sort inside an operator is one all the same. */
static void sorts_are_passes_of_their_own(void **state)
{
    (void)state;
    static const char *const ops[] = {"aten::zero_", "aten::_index_put_impl_",
                                      "aten::mul"};
    static const struct {
        const char *kernel, *reason;
    } cases[] = {
        {"void at::native::index_elementwise_kernel<128, 4>", ""},
        {"void at::native::indexing_backward_kernel<float, 4>",
         "sorting and selecting need separate passes"},
        {"rocprim::detail::onesweep_iteration_kernel<rocprim::wrapped_radix_sort>",
         "sorting and selecting need separate passes"},
        {"void at::native::tensor_kernel_scan_innermost_dim<float>",
         "sorting and selecting need separate passes"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *const kernels[] = {POINTWISE, cases[k].kernel, POINTWISE};
        struct trace_case c;
        int correlation = 0;
        case_begin(&c);
        module_call(&c, "nn.Module: Net_0", 10, &correlation, ops, kernels, 3);
        case_open(&c, NULL);
        struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
        struct kernel_groups g = kernel_groups_find(&c.perm, c.tmp, &t);
        const struct kernel_group *net = group_of(&g, "Net");
        assert_non_null(net);
        assert_text(net->reason, cases[k].reason);
        case_close(&c);
    }
}

/* Weights that are copied to the device before a matmul are no kernels to fuse; a copy
 * of a value does not matter. */
static void copies_of_the_host_are_not_fused(void **state)
{
    (void)state;
    for (int us = 1; us <= 100; us += 99) {
        struct trace_case c;
        case_begin(&c);
        case_frame(&c, "nn.Module: MLP_0", 0, 90);
        case_op(&c, "aten::copy_", 1, 8);
        case_call(&c, "hipMemcpyAsync", 2, 1, 1);
        case_copy(&c, "Memcpy HtoD (Pageable -> Device)", 1000, us, 1, 1 << 20);
        case_op(&c, "aten::silu", 20, 8);
        case_launch(&c, POINTWISE, 21, 2000, 10, 2);
        case_op(&c, "aten::mul", 30, 8);
        case_launch(&c, POINTWISE, 31, 2010, 10, 3);
        case_open(&c, NULL);
        struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
        struct kernel_groups g = kernel_groups_find(&c.perm, c.tmp, &t);
        assert_text(group_of(&g, "MLP")->reason,
                    us > 1 ? "copies between host and device in between" : "");
        case_close(&c);
    }
}

static void instances_of_one_module_are_one_group(void **state)
{
    (void)state;
    static const char *const ops[] = {"aten::pow", "aten::mean", "aten::mul"};
    static const char *const kernels[] = {POINTWISE, "reduce_kernel<512>", POINTWISE};
    struct trace_case c;
    int correlation = 0;
    case_begin(&c);
    case_frame(&c, "nn.Module: Net_0", 0, 1000);
    module_call(&c, "nn.Module: RMSNorm_0", 10, &correlation, ops, kernels, 3);
    module_call(&c, "nn.Module: RMSNorm_1", 110, &correlation, ops, kernels, 3);
    module_call(&c, "nn.Module: RMSNorm_2", 210, &correlation, ops, kernels, 2);
    case_open(&c, NULL);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    struct kernel_groups g = kernel_groups_find(&c.perm, c.tmp, &t);
    const struct kernel_group *norm = group_of(&g, "RMSNorm");
    assert_non_null(norm);
    assert_int_equal(norm->n_instances, 2); /* the third launches another set */
    assert_int_equal(norm->n_kernels, 3);
    assert_int_equal(norm->labels[1], KERNEL_REDUCE);
    assert_text(norm->ops[0], "pow");
    assert_text(norm->reason, "");
    assert_int_equal(norm->kernels[3], case_find(&c, POINTWISE, 2));
    case_close(&c);
}

static void a_run_of_neighbours_is_a_group(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_frame(&c, "nn.Module: Net_0", 0, 1000);
    case_op(&c, "aten::big", 1, 20); /* two kernels: no part of a run */
    case_launch(&c, "gemm", 2, 2000, 5, 1);
    case_launch(&c, "gemm", 4, 2010, 5, 2);
    case_op(&c, "aten::mul", 30, 5);
    case_launch(&c, POINTWISE, 31, 2020, 5, 3);
    case_op(&c, "aten::view", 40, 5); /* no kernel: does not part neighbours */
    case_op(&c, "aten::add", 50, 5);
    case_launch(&c, POINTWISE, 51, 2030, 5, 4);
    case_open(&c, NULL);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    struct kernel_groups g = kernel_groups_find(&c.perm, c.tmp, &t);
    int runs = 0;
    for (int32_t k = 0; k < g.n; k++)
        if (g.rows[k].is_run) {
            runs++;
            assert_int_equal(g.rows[k].n_kernels, 2);
            assert_text(g.rows[k].place, "Net");
        }
    assert_int_equal(runs, 1);
    case_close(&c);
}

static void reasons_not_to_fuse(void **state)
{
    (void)state;
    static const struct {
        const char *module, *kernels[3];
        int n;
        const char *want;
    } cases[] = {
        {"nn.Module: A_0",
         {"flash_fwd_kernel", POINTWISE},
         2,
         "a kernel in it is fused already"},
        {"nn.Module: B_0",
         {"triton_poi_fused_0", POINTWISE},
         2,
         "generated code, fused by a compiler already"},
        {"nn.Module: O_0",
         {"multi_tensor_apply_kernel", "multi_tensor_apply_kernel"},
         2,
         "its kernels share no tensors"},
        {"nn.Module: C_0", {"Cijk_Ailk", "Cijk_Alik"}, 2, "matrix kernels only"},
        {"nn.Module: D_0",
         {"Cijk_Ailk", "layer_norm_kernel"},
         2,
         "matmuls followed by normalisation only"},
        {"nn.Module: Sequential_0",
         {POINTWISE, POINTWISE},
         2,
         "a container of other modules"},
        {"nn.Module: GPTLayer_0",
         {POINTWISE, POINTWISE},
         2,
         "a container of other modules"},
        {"nn.Module: E_0",
         {"ncclDevKernel", POINTWISE},
         2,
         "fewer than two kernels that could be fused"},
        {"nn.Module: F_0", {"Cijk_Ailk", POINTWISE}, 2, ""}};
    static const char *const ops[] = {"aten::a", "aten::b", "aten::c"};
    struct trace_case c;
    int correlation = 0;
    case_begin(&c);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        module_call(&c, cases[k].module, 100.0 * (double)k, &correlation, ops,
                    cases[k].kernels, cases[k].n);
    case_open(&c, NULL);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    struct kernel_groups g = kernel_groups_find(&c.perm, c.tmp, &t);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char *place = str_c(&c.tmp, tree_module_name(str_of(cases[k].module)));
        assert_text(group_of(&g, place)->reason, cases[k].want);
    }
    case_close(&c);
}

static void what_one_operator_launches_stays(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_frame(&c, "nn.Module: GroupNorm_0", 0, 100);
    case_op(&c, "aten::native_group_norm", 1, 50);
    case_launch(&c, "RowwiseMomentsCUDAKernel", 2, 2000, 5, 1);
    case_launch(&c, POINTWISE, 4, 2010, 5, 2);
    case_open(&c, NULL);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    struct kernel_groups g = kernel_groups_find(&c.perm, c.tmp, &t);
    assert_text(group_of(&g, "GroupNorm")->reason,
                "the kernels of one library operator");
    case_close(&c);
}

/* The library needs the whole batch; what else runs in the module is its counter. An
 * activation behind it could be fused. */
static void a_batch_norm_and_its_counter_stay(void **state)
{
    (void)state;
    for (int more = 0; more < 2; more++) {
        struct trace_case c;
        case_begin(&c);
        case_frame(&c, "nn.Module: BatchNorm2d_0", 0, 100);
        case_op(&c, "aten::add_", 1, 10);
        case_launch(&c, POINTWISE, 2, 2000, 5, 1);
        case_op(&c, "aten::native_batch_norm", 21, 40);
        case_launch(&c, "batch_norm_collect_statistics", 22, 2010, 5, 2);
        case_launch(&c, "batch_norm_transform_input", 24, 2020, 5, 3);
        if (more) {
            case_op(&c, "aten::relu_", 71, 10);
            case_launch(&c, POINTWISE, 72, 2030, 5, 4);
        }
        case_open(&c, NULL);
        struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
        struct kernel_groups g = kernel_groups_find(&c.perm, c.tmp, &t);
        assert_text(group_of(&g, "BatchNorm2d")->reason,
                    more ? ""
                         : "the kernels of one batch norm, and its counter of batches");
        case_close(&c);
    }
}

/* The same additions in an optimizer's step and elsewhere. */
static void what_an_optimizer_launches_is_known(void **state)
{
    (void)state;
    for (int in = 0; in < 2; in++) {
        struct trace_case c;
        case_begin(&c);
        case_op(&c, in ? "Optimizer.step#SGD.step" : "update", 0, 100);
        case_op(&c, "aten::mul_", 1, 10);
        case_launch(&c, POINTWISE, 2, 2000, 5, 1);
        case_op(&c, "aten::add_", 21, 10);
        case_launch(&c, POINTWISE, 22, 2010, 5, 2);
        case_op(&c, "aten::add_", 41, 10);
        case_launch(&c, POINTWISE, 42, 2020, 5, 3);
        case_open(&c, NULL);
        struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
        struct kernel_groups g = kernel_groups_find(&c.perm, c.tmp, &t);
        assert_true(g.n > 0);
        assert_int_equal(fusion_pattern_of(&g.rows[0]).kind,
                         in ? FUSION_OF_OPTIMIZER : FUSION_OF_CHAIN);
        case_close(&c);
    }
}

static void attention_is_cut_out(void **state)
{
    (void)state;
    static const enum kernel_label labels[] = {
        KERNEL_GEMM,        KERNEL_GEMM, KERNEL_ELEMENTWISE, KERNEL_SOFTMAX,
        KERNEL_ELEMENTWISE, KERNEL_GEMM, KERNEL_GEMM};
    int first, last;
    assert_true(attention_span(labels, 7, &first, &last));
    assert_int_equal(first, 1);
    assert_int_equal(last, 5);
    assert_false(attention_span(labels, 5, &first, &last));     /* no product behind */
    assert_false(attention_span(labels + 2, 5, &first, &last)); /* none before */
    static const enum kernel_label reduced[] = {KERNEL_GEMM, KERNEL_REDUCE,
                                                KERNEL_SOFTMAX, KERNEL_GEMM};
    assert_false(attention_span(reduced, 4, &first, &last));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_of_the_host_are_not_fused),
        cmocka_unit_test(instances_of_one_module_are_one_group),
        cmocka_unit_test(sorts_are_passes_of_their_own),
        cmocka_unit_test(a_run_of_neighbours_is_a_group),
        cmocka_unit_test(reasons_not_to_fuse),
        cmocka_unit_test(what_one_operator_launches_stays),
        cmocka_unit_test(a_batch_norm_and_its_counter_stay),
        cmocka_unit_test(what_an_optimizer_launches_is_known),
        cmocka_unit_test(attention_is_cut_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
