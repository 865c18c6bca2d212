#include "tree_index.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define assert_str(s, lit)                                                             \
    do {                                                                               \
        struct str got_ = (s);                                                         \
        assert_int_equal(got_.n, (ptrdiff_t)sizeof(lit) - 1);                          \
        assert_memory_equal(got_.p, lit, sizeof(lit) - 1);                             \
    } while (0)

/*  train.py(3): main                                  0 .. 100
 *    nn.Module: Net_0                                 1 ..  99
 *      net.py(7): forward                             2 ..  98
 *        nn.Module: Linear_12                        10 ..  40
 *          torch/nn/modules/module.py(9): _call_impl 11 ..  39
 *            <built-in method linear>                12 ..  38
 *              aten::linear                          13 ..  37
 *                aten::addmm                         14 ..  36
 *                  hipLaunchKernel   corr 1          15 ..  16
 *        aten::relu                                  50 ..  60
 *          hipLaunchKernel           corr 2          51 ..  52
 *        aten::view                                  70 ..  71 */
static void net(struct trace_case *c)
{
    case_begin(c);
    case_frame(c, "train.py(3): main", 0, 100);
    case_frame(c, "nn.Module: Net_0", 1, 98);
    case_frame(c, "net.py(7): forward", 2, 96);
    case_frame(c, "nn.Module: Linear_12", 10, 30);
    case_frame(c, "torch/nn/modules/module.py(9): _call_impl", 11, 28);
    case_frame(c, "<built-in method linear>", 12, 26);
    case_op(c, "aten::linear", 13, 24);
    case_op(c, "aten::addmm", 14, 22);
    case_launch(c, "gemm", 15, 200, 30, 1);
    case_op(c, "aten::relu", 50, 10);
    case_launch(c, "relu", 51, 230, 5, 2);
    case_op(c, "aten::view", 70, 1);
    case_open(c, NULL);
}

static void parents_lead_to_the_root(void **state)
{
    (void)state;
    struct trace_case c;
    net(&c);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    int32_t n;
    event_id kernel = case_find(&c, "gemm", 0);
    struct tree_link *up = tree_parents(&c.tmp, &t, kernel, 100, &n);
    assert_int_equal(n, 9); /* the call, two operators, six frames */
    assert_str(up[0].name, "hipLaunchKernel");
    assert_str(up[1].name, "aten::addmm");
    assert_int_equal(up[1].depth, 2);
    assert_str(up[8].name, "train.py(3): main");
    tree_parents(&c.tmp, &t, kernel, 4, &n);
    assert_int_equal(n, 4);
    int modules;
    struct str *m = tree_modules(&c.tmp, &t, kernel, &modules);
    assert_int_equal(modules, 2);
    assert_str(m[0], "Net");
    assert_str(m[1], "Linear");
    /* Built-ins, modules and module.py are passed over. */
    assert_str(tree_launcher_path(&t, kernel), "net.py(7): forward");
    struct str f[8];
    assert_int_equal(tree_launchers(f, 8, &t, kernel), 2);
    assert_str(f[0], "net.py(7): forward");
    assert_str(f[1], "train.py(3): main");
    assert_int_equal(tree_launchers(f, 1, &t, kernel), 1);
    case_close(&c);
}

static void module_names_lose_prefix_and_index(void **state)
{
    (void)state;
    assert_str(tree_module_name(S("nn.Module: ViTLayer_3")), "ViTLayer");
    assert_str(tree_module_name(S("nn.Module: Conv2d_10_2")), "Conv2d_10");
    assert_str(tree_module_name(S("nn.Module: Conv2d")),
               "Conv2d"); /* 2d is not an index */
    assert_str(tree_module_name(S("nn.Module: L3")), "L3");
    assert_str(tree_module_name(S("nn.Module: _3")), "_3");
    assert_str(tree_module_name(S("aten::mm")), "");
}

static void subtree_shows_what_leads_to_device_work(void **state)
{
    (void)state;
    struct trace_case c;
    net(&c);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    int32_t n;
    bool truncated;
    event_id forward = case_find(&c, "net.py(7): forward", 0);
    struct tree_node *node =
        tree_subtree(&c.tmp, &t, forward, true, 50, &n, &truncated);
    /* forward, Linear, _call_impl, built-in, linear, addmm, gemm, relu (op), relu: the
     * launch calls give way and aten::view leads nowhere. */
    assert_int_equal(n, 9);
    assert_false(truncated);
    assert_int_equal(node[6].event, case_find(&c, "gemm", 0));
    assert_int_equal(node[6].depth, 6);
    assert_int_equal(node[7].event, case_find(&c, "aten::relu", 0));
    assert_int_equal(node[7].depth, 1);
    assert_int_equal(node[8].depth, 2);
    node = tree_subtree(&c.tmp, &t, forward, false, 50, &n, &truncated);
    assert_int_equal(n, 12); /* two calls and aten::view as well */
    assert_str(store_name(&c.store, node[11].event), "aten::view");
    tree_subtree(&c.tmp, &t, forward, true, 9, &n, &truncated);
    assert_false(truncated);
    tree_subtree(&c.tmp, &t, forward, true, 8, &n, &truncated);
    assert_int_equal(n, 8);
    assert_true(truncated);
    assert_int_equal(tree_gpu_ns(c.tmp, &t, forward), 35000); /* 30 + 5 us */
    case_close(&c);
}

static void siblings_pass_over_wrappers(void **state)
{
    (void)state;
    struct trace_case c;
    net(&c);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    int32_t n;
    /* addmm is alone up to Linear_12, beside which stands relu. */
    event_id *s = tree_siblings(&c.tmp, &t, case_find(&c, "aten::addmm", 0), 10, &n);
    assert_int_equal(n, 1);
    assert_int_equal(s[0], case_find(&c, "aten::relu", 0));
    s = tree_siblings(&c.tmp, &t, case_find(&c, "aten::relu", 0), 10, &n);
    assert_int_equal(n, 1);
    assert_int_equal(s[0], case_find(&c, "nn.Module: Linear_12", 0));
    case_close(&c);
}

static void siblings_are_those_around(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_frame(&c, "nn.Module: Net_0", 0, 1000);
    for (int k = 0; k < 9; k++) {
        case_op(&c, "aten::mul", 10 + 10 * k, 5);
        case_launch(&c, "mul", 11 + 10 * k, 2000 + 10 * k, 5, k + 1);
    }
    case_open(&c, NULL);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    static const struct {
        int of, max, first, n;
    } want[] = {{0, 4, 1, 4}, {4, 4, 2, 4}, {8, 4, 4, 4}, {4, 100, 0, 8}};
    for (size_t k = 0; k < sizeof want / sizeof *want; k++) {
        int32_t n;
        event_id *s = tree_siblings(&c.tmp, &t, case_find(&c, "aten::mul", want[k].of),
                                    want[k].max, &n);
        assert_int_equal(n, want[k].n);
        assert_int_equal(s[0], case_find(&c, "aten::mul", want[k].first));
    }
    case_close(&c);
}

/* Innermost first, as traces of 2021 write it. */
static void text_stacks_stand_in_for_frames(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_event(&c, "Operator", "aten::conv2d", 1, 0, 20,
               "\"Call stack\":\"torch/nn/modules/module.py(8): _call_impl;"
               "resnet.py(40): forward;main.py(1): <module>\"");
    case_op(&c, "aten::cudnn_convolution", 1, 18);
    case_launch(&c, "conv", 2, 100, 10, 1);
    case_open(&c, NULL);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    event_id op = case_find(&c, "aten::cudnn_convolution", 0);
    assert_str(tree_launcher_path(&t, op), "resnet.py(40): forward");
    struct str f[8];
    assert_int_equal(tree_launchers(f, 8, &t, op), 2);
    assert_str(f[1], "main.py(1): <module>");
    assert_str(tree_user_path(&t, op), "resnet.py(40): forward");
    int32_t n;
    struct tree_link *up = tree_parents(&c.tmp, &t, op, 100, &n);
    assert_int_equal(n, 4);
    assert_int_equal(up[0].event, case_find(&c, "aten::conv2d", 0));
    assert_int_equal(up[3].event, -1);
    assert_str(up[3].name, "main.py(1): <module>");
    case_close(&c);
}

/* Of a library's frames the one that its user calls it from; of these alone, the first.
 */
static void a_users_path_is_no_librarys(void **state)
{
    (void)state;
    static const struct {
        const char *outer, *inner, *says;
    } cases[] = {
        {"train.py(101): save_state", "torch/storage.py(180): cpu",
         "train.py(101): save_state"},
        {"torch/serialization.py(943): save", "torch/storage.py(180): cpu",
         "torch/storage.py(180): cpu"},
        {"data.py(22): encode", "transformers/tokenization_utils_fast.py(5): encode",
         "data.py(22): encode"},
        {"data.py(22): encode", "transformers/models/bert/modeling_bert.py(5): forward",
         "transformers/models/bert/modeling_bert.py(5): forward"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct trace_case c;
        case_begin(&c);
        case_frame(&c, cases[k].outer, 0, 100);
        case_frame(&c, cases[k].inner, 1, 90);
        case_op(&c, "aten::copy_", 2, 80);
        case_launch(&c, "copy", 3, 100, 10, 1);
        case_open(&c, NULL);
        struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
        event_id op = case_find(&c, "aten::copy_", 0);
        assert_true(str_eq(tree_launcher_path(&t, op), str_of(cases[k].inner)));
        assert_true(str_eq(tree_user_path(&t, op), str_of(cases[k].says)));
        case_close(&c);
    }
}

static void backward_takes_modules_of_forward(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_frame(&c, "nn.Module: Net_0", 0, 50);
    case_event(&c, "cpu_op", "aten::mm", 1, 10, 10, "\"Sequence number\":5");
    case_event(&c, "cpu_op", "autograd::engine::evaluate_function: MmBackward0", 2, 60,
               20, "\"Sequence number\":5");
    case_event(&c, "cpu_op", "aten::mm_bwd", 2, 62, 10, "");
    case_event(&c, "cuda_runtime", "hipLaunchKernel", 2, 63, 1, "\"correlation\":1");
    case_kernel(&c, "gemm", 7, 100, 10, 1);
    case_open(&c, NULL);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    int n;
    struct str *m = tree_modules(&c.tmp, &t, case_find(&c, "aten::mm_bwd", 0), &n);
    assert_int_equal(n, 1);
    assert_str(m[0], "Net");
    case_close(&c);
}

/* aten::mm ends after the frame in which it began, so only the tree of operators has
 * it. */
static void work_of_a_crossing_operator_is_kept(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_op(&c, "aten::outer", 0, 100);
    case_frame(&c, "a.py(1): f", 10, 20);
    case_op(&c, "aten::mm", 20, 40);
    case_launch(&c, "gemm", 22, 200, 10, 1);
    case_open(&c, NULL);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    event_id mm = case_find(&c, "aten::mm", 0);
    assert_int_equal(tree_rank(&t.frames, mm), -1);
    assert_int_equal(tree_above(&t, mm), case_find(&c, "aten::outer", 0));
    assert_int_equal(tree_gpu_ns(c.tmp, &t, mm), 10000);
    assert_int_equal(tree_gpu_ns(c.tmp, &t, case_find(&c, "aten::outer", 0)), 10000);
    int32_t n;
    bool truncated;
    tree_subtree(&c.tmp, &t, mm, true, 10, &n, &truncated);
    assert_int_equal(n, 2);
    case_close(&c);
}

static void a_million_levels_are_a_loop(void **state)
{
    (void)state;
    enum { DEEP = 1000000 };
    struct trace_case c;
    case_begin(&c);
    for (int k = 0; k < DEEP; k++)
        case_frame(&c, "f.py(1): f", k, 3 * DEEP - 2 * k);
    case_op(&c, "aten::mm", DEEP, 10);
    case_launch(&c, "gemm", DEEP + 1, 4 * DEEP, 10, 1);
    case_open(&c, NULL);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    event_id mm = case_find(&c, "aten::mm", 0);
    int32_t n;
    bool truncated;
    tree_parents(&c.tmp, &t, mm, INT32_MAX, &n);
    assert_int_equal(n, DEEP);
    struct tree_node *node = tree_subtree(&c.tmp, &t, case_find(&c, "f.py(1): f", 0),
                                          true, 2 * DEEP, &n, &truncated);
    assert_int_equal(n, DEEP + 2);
    assert_int_equal(node[n - 1].depth, DEEP + 1);
    tree_siblings(&c.tmp, &t, mm, 10, &n);
    assert_int_equal(n, 0);
    assert_int_equal(tree_module_of(&t, mm), -1);
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_users_path_is_no_librarys),
        cmocka_unit_test(parents_lead_to_the_root),
        cmocka_unit_test(module_names_lose_prefix_and_index),
        cmocka_unit_test(subtree_shows_what_leads_to_device_work),
        cmocka_unit_test(siblings_pass_over_wrappers),
        cmocka_unit_test(siblings_are_those_around),
        cmocka_unit_test(text_stacks_stand_in_for_frames),
        cmocka_unit_test(backward_takes_modules_of_forward),
        cmocka_unit_test(work_of_a_crossing_operator_is_kept),
        cmocka_unit_test(a_million_levels_are_a_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
