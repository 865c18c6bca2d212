#include "layers.c"

#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A block that holds a Linear, which launches one kernel of `us` at its start. */
static void block(struct trace_case *c, const char *name, double at, double us, int k)
{
    char linear[64], args[64];
    snprintf(linear, sizeof linear, "nn.Module: Linear_%d", k);
    snprintf(args, sizeof args, "\"Sequence number\":%d", 100 + k);
    case_frame(c, name, at, 20);
    case_frame(c, linear, at + 1, 15);
    case_event(c, "cpu_op", "aten::linear", 1, at + 2, 10, args);
    case_launch(c, "gemm", at + 3, 1000 + at, us, k);
}

static void backward(struct trace_case *c, double at, double us, int of, int k)
{
    char args[96];
    snprintf(args, sizeof args, "\"Sequence number\":%d,\"Fwd thread id\":1", 100 + of);
    case_event(c, "cpu_op", "autograd::engine::evaluate_function: AddmmBackward0", 2,
               at, 10, args);
    snprintf(args, sizeof args, "\"correlation\":%d", k);
    case_event(c, "cuda_runtime", "cudaLaunchKernel", 2, at + 1, 1, args);
    case_kernel(c, "gemm_dgrad", 7, 3000 + at, us, k);
}

static struct layers find(struct trace_case *c)
{
    case_open(c, NULL);
    struct tree_index t = tree_index_build(&c->perm, c->tmp, &c->view);
    struct analysis a = {.tables = &c->tables};
    return layers_of(&c->perm, c->tmp, &t, &a);
}

/* Blocks of 10, 10 and 16 us forward, the second with 4 us backward, in a Sequential,
 * and a Linear behind them: 45 us in all. Medians of 14; 16 is 14 % off, 10 is 29 %. */
static void blocks_are_layers_with_their_backward(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_frame(&c, "nn.Module: Model_0", 0, 200);
    case_frame(&c, "nn.Module: Sequential_0", 1, 120);
    block(&c, "nn.Module: Block_0", 10, 10, 1);
    block(&c, "nn.Module: Block_1", 40, 10, 2);
    block(&c, "nn.Module: Block_2", 70, 16, 3);
    case_frame(&c, "nn.Module: Linear_9", 150, 10);
    case_launch(&c, "gemm", 151, 1200, 5, 4);
    backward(&c, 300, 4, 2, 5);
    struct layers l = find(&c);
    assert_int_equal(l.n_classes, 1);
    assert_int_equal(l.n, 3);
    assert_true(str_eq(l.classes[0].name, S("Block")));
    assert_true(str_eq(l.rows[1].name, S("Block_1")));
    assert_int_equal(l.rows[0].forward_ns, 10000);
    assert_int_equal(l.rows[1].forward_ns, 10000);
    assert_int_equal(l.rows[1].backward_ns, 4000);
    assert_int_equal(l.rows[1].kernels, 2);
    assert_int_equal(l.rows[2].forward_ns, 16000);
    assert_int_equal(l.classes[0].median_ns, 14000);
    assert_near(l.classes[0].share_pct, 100.0 * 40 / 45, 1e-9);
    assert_true(l.rows[0].off);
    assert_false(l.rows[2].off);
    assert_int_equal(l.classes[0].n_off, 1);
    case_close(&c);
}

/* Classes by their own time; a class inside itself counts once, what is computed again
 * is no call, and memory is that of the deepest module. */
static void modules_are_told_by_class(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_frame(&c, "nn.Module: Model_0", 0, 400);
    case_launch(&c, "own", 1, 900, 3, 9);
    case_frame(&c, "nn.Module: Sequential_0", 5, 300);
    block(&c, "nn.Module: Block_0", 10, 10, 1);
    case_frame(&c, "nn.Module: Block_1", 40, 60);
    block(&c, "nn.Module: Block_2", 50, 16, 3);
    block(&c, "nn.Module: Block_0", 150, 10, 4);
    case_event(&c, "cpu_op", "autograd::engine::evaluate_function: CheckpointBackward",
               2, 500, 90, "");
    case_event(&c, "python_function", "nn.Module: Block_0", 2, 501, 80, "");
    case_open(&c, NULL);
    struct tree_index t = tree_index_build(&c.perm, c.tmp, &c.view);
    struct memory_owner owners[] = {{.module = S("Linear"), .bytes = 5},
                                    {.module = S("Linear"), .bytes = 6},
                                    {.bytes = 100}};
    struct memory_peak peak = {.owners = owners, .n_owners = 3};
    struct analysis a = {.tables = &c.tables, .memory = &peak};
    struct modules m = layers_of(&c.perm, c.tmp, &t, &a).modules;
    static const struct module_row want[] = {
        {S_INIT("Linear"), 3, 3, 36000, 36000, 0, 11},
        {S_INIT("Model"), 1, 1, 39000, 3000, 0, 0},
        {S_INIT("Block"), 3, 4, 36000, 0, 0, 0}};
    assert_int_equal(m.n, 3);
    for (int k = 0; k < 3; k++) {
        assert_true(str_eq(m.rows[k].name, want[k].name));
        assert_int_equal(m.rows[k].instances, want[k].instances);
        assert_int_equal(m.rows[k].calls, want[k].calls);
        assert_int_equal(m.rows[k].below_ns, want[k].below_ns);
        assert_int_equal(m.rows[k].own_ns, want[k].own_ns);
        assert_near(m.rows[k].bytes, want[k].bytes, 1e-9);
    }
    assert_near(m.rows[1].share_pct, 100, 1e-9);
    case_close(&c);
}

/* Two blocks are none, and three that hold nothing are operators. */
static void few_or_flat_modules_are_none(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    block(&c, "nn.Module: Block_0", 10, 10, 1);
    block(&c, "nn.Module: Block_1", 40, 10, 2);
    for (int k = 0; k < 4; k++) {
        char name[40];
        snprintf(name, sizeof name, "nn.Module: ReLU_%d", k);
        case_frame(&c, name, 100 + 10 * k, 5);
        case_launch(&c, "relu", 101 + 10 * k, 1100 + 10 * k, 5, 10 + k);
    }
    assert_int_equal(find(&c).n, 0);
    case_close(&c);
}

/* A call in each of two steps; of one, kernels of 5 us with 7 us between them. */
static void calls_and_idle_time_are_counted(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    for (int step = 0; step < 2; step++)
        for (int k = 0; k < 3; k++) {
            char name[40];
            double at = 200 * step + 40 * k;
            snprintf(name, sizeof name, "nn.Module: Block_%d", k);
            block(&c, name, at, 5, 10 * step + k + 1);
            if (step == 0 && k == 0)
                case_launch(&c, "late", at + 17, 1012, 5, 50);
        }
    struct layers l = find(&c);
    assert_int_equal(l.n, 3);
    assert_int_equal(l.rows[0].calls, 2);
    assert_int_equal(l.rows[0].kernels, 3);
    assert_int_equal(l.rows[0].idle_ns, 7000);
    assert_int_equal(l.rows[1].idle_ns, 0);
    case_close(&c);
}

/* Checkpointing runs the blocks again in the backward pass, the last one first, on a
 * thread that the tree has before that of the forward pass. */
static void layers_are_in_the_order_of_the_forward_pass(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    for (int k = 2; k >= 0; k--) {
        char name[40], linear[40];
        double at = 600 - 100 * k;
        snprintf(name, sizeof name, "nn.Module: Block_%d", k);
        snprintf(linear, sizeof linear, "nn.Module: Linear_%d", k);
        case_event(&c, "cpu_op",
                   "autograd::engine::evaluate_function: CheckpointBackward", 0, at, 90,
                   "");
        case_event(&c, "python_function", name, 0, at + 1, 80, "");
        case_event(&c, "python_function", linear, 0, at + 2, 70, "");
    }
    for (int k = 0; k < 3; k++) {
        char name[40];
        snprintf(name, sizeof name, "nn.Module: Block_%d", k);
        block(&c, name, 10 + 40 * k, 5 + k, k);
    }
    struct layers l = find(&c);
    assert_int_equal(l.n, 3);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(l.rows[k].name.p[l.rows[k].name.n - 1], '0' + k);
        assert_int_equal(l.rows[k].calls, 1);
        assert_int_equal(l.rows[k].forward_ns, 1000 * (5 + k));
    }
    case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_layers_with_their_backward),
        cmocka_unit_test(modules_are_told_by_class),
        cmocka_unit_test(few_or_flat_modules_are_none),
        cmocka_unit_test(calls_and_idle_time_are_counted),
        cmocka_unit_test(layers_are_in_the_order_of_the_forward_pass)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
