#include "recomputed.c"

#include "analysis/system/recompute_finding.h"
#include "analysis/trace_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct recomputed_work work_of(struct trace_case *c)
{
    case_open(c, NULL);
    struct tree_index t = tree_index_build(&c->perm, c->tmp, &c->view);
    struct analysis a = case_analysis(c);
    a.recomputed = recomputed_calls(&c->perm, c->tmp, &t);
    struct recomputed_work w = recompute_work(c->tmp, &a);
    case_close(c);
    return w;
}

static double again_ms_of(struct trace_case *c)
{
    return work_of(c).ms;
}

/* A forward kernel of 100 us, and one of 50 in `frame`, around which the backward pass
 * of the reentrant form, if asked for, runs another of 200. */
static double in_frame_ms(const char *frame, bool reentrant)
{
    struct trace_case c;
    case_begin(&c);
    case_launch(&c, "gemm", 5, 10, 100, 1);
    case_frame(&c, frame, 200, 700);
    case_frame(&c, "model.py(8): forward", 210, 100);
    case_launch(&c, "gemm", 220, 230, 50, 2);
    if (reentrant)
        case_op(&c, "autograd::engine::evaluate_function: MmBackward0", 400, 300);
    case_launch(&c, "gemm_backward", 420, 430, 200, 3);
    return again_ms_of(&c);
}

static void only_what_frames_compute_again_counts(void **state)
{
    (void)state;
    assert_near(in_frame_ms("torch/utils/checkpoint.py(282): backward", true), 0.05,
                1e-9);
    assert_near(in_frame_ms("torch/utils/checkpoint.py(1400): recompute_fn", false),
                0.25, 1e-9);
    assert_near(in_frame_ms("torch/utils/checkpoint.py(488): checkpoint", false), 0, 0);
    assert_near(in_frame_ms("mine/checkpoint.py(3): backward", true), 0, 0);
}

static void numbered(struct trace_case *c, const char *name, double at, double us,
                     int sequence)
{
    char more[64];
    snprintf(more, sizeof more, "\"Sequence number\":%d", sequence);
    case_event(c, "cpu_op", name, 1, at, us, more);
}

/* No frames: a forward kernel of 100 us; in a node, of 10 and 20 before and between two
 * that may have numbers of a forward pass (40, 80), and of 160 of the node itself. */
static double in_node_ms(const char *around, bool forward, const char *own, int number)
{
    struct trace_case c;
    case_begin(&c);
    numbered(&c, "aten::mm", 0, 9, 1);
    case_launch(&c, "gemm", 5, 10, 100, 1);
    numbered(&c, around, 200, 700, 1);
    numbered(&c, "MulBackward0", 201, 690, 1);
    case_launch(&c, "reduce", 205, 300, 10, 2);
    if (forward)
        numbered(&c, "aten::gelu", 210, 10, 7);
    case_launch(&c, "gelu", 212, 320, 40, 3);
    case_launch(&c, "copy", 222, 370, 20, 4);
    if (forward)
        numbered(&c, "aten::add", 230, 10, 8);
    case_launch(&c, "add", 232, 400, 80, 5);
    if (number)
        numbered(&c, own, 250, 20, number);
    else
        case_op(&c, own, 250, 20);
    case_launch(&c, "mul", 255, 500, 160, 6);
    return again_ms_of(&c);
}

/* Not where the backward pass is differentiated, nor outside of one. */
static void forward_operators_inside_a_backward_node_count(void **state)
{
    (void)state;
    const char *node = "autograd::engine::evaluate_function: MulBackward0";
    assert_near(in_node_ms(node, true, "aten::mul", 0), 0.14, 1e-9);
    assert_near(in_node_ms(node, false, "aten::mul", 0), 0, 0);
    assert_near(in_node_ms(node, true, "aten::gelu_backward", 0), 0.14, 1e-9);
    assert_near(in_node_ms(node, true, "aten::gelu_backward", 9), 0, 0);
    assert_near(in_node_ms("train_step", true, "aten::mul", 0), 0, 0);
}

/* The reentrant form without numbers: all that its function does itself. */
static void the_function_of_the_reentrant_form_is_known_by_name(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_launch(&c, "gemm", 5, 10, 100, 1);
    case_op(&c, "CheckpointFunctionBackward", 200, 700);
    case_launch(&c, "gemm", 220, 230, 50, 2);
    case_op(&c, "autograd::engine::evaluate_function: MmBackward0", 400, 300);
    case_launch(&c, "gemm_backward", 420, 430, 200, 3);
    assert_near(again_ms_of(&c), 0.05, 1e-9);
}

/* Of 50 us and 30 that are computed again, the matmul: its result can be kept. */
static void matmuls_are_told_from_cheap_work(void **state)
{
    (void)state;
    struct trace_case c;
    case_begin(&c);
    case_op(&c, "CheckpointFunctionBackward", 200, 700);
    case_launch(&c, "gemm", 220, 230, 50, 1);
    case_launch(&c, "gelu", 240, 290, 30, 2);
    struct recomputed_work w = work_of(&c);
    assert_near(w.ms, 0.08, 1e-9);
    assert_near(w.dear_ms, 0.05, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_frames_compute_again_counts),
        cmocka_unit_test(forward_operators_inside_a_backward_node_count),
        cmocka_unit_test(matmuls_are_told_from_cheap_work),
        cmocka_unit_test(the_function_of_the_reentrant_form_is_known_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
