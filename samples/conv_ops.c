#include "conv_ops.h"

#include "torch_ops.h"

#include <inttypes.h>
#include <stdio.h>

static const double LAYOUT_EFF = 0.33;     /* a transpose moves in short runs */
static const double SLOW_NORM_EFF = 0.055; /* the planted batch norm */

static double elements(struct map_shape x)
{
    return (double)(x.n * x.c * x.h * x.h);
}

static struct op_arg map(struct map_shape x)
{
    return tensor4(BF16, x.n, x.c, x.h, x.h);
}

struct map_shape conv_output(struct conv_shape c)
{
    return (struct map_shape){c.n, c.out, c.h / c.stride};
}

int64_t conv_weights(struct conv_shape c)
{
    return c.out * c.c * c.k * c.k;
}

/* times = 1 forward; 2 backward, which computes and moves everything twice. */
static double conv_roofline_ns(const struct simulator *s, struct conv_shape c,
                               double times)
{
    double x = (double)(c.n * c.c * c.h * c.h), y = elements(conv_output(c));
    double taps = (double)(c.c * c.k * c.k);
    return sim_roofline_ns(s,
                           (struct work){times * 2 * y * taps,
                                         times * 2 * (x + (double)conv_weights(c) + y),
                                         UNIT_MATRIX_BF16});
}

static void layout_kernel(struct simulator *s, bool to_channels_last, double count)
{
    struct work k = {0, 4 * count, UNIT_VECTOR_BF16};
    sim_launch(s,
               (struct kernel){.name = kernel_layout(s->device->hip, to_channels_last),
                               .time_ns = sim_roofline_ns(s, k) / LAYOUT_EFF,
                               .api = LAUNCH_MODULE,
                               .grid = (int64_t)(count / 4096) + 1,
                               .defect = DEFECT_CONV_TRANSPOSES});
}

static void conv_kernel(struct simulator *s, char pass, struct conv_shape c,
                        double time_ns)
{
    struct map_shape y = conv_output(c);
    sim_launch(s,
               (struct kernel){.name = kernel_convolution(s->device->hip, pass, c.out),
                               .time_ns = time_ns,
                               .api = LAUNCH_MODULE,
                               .grid = (int64_t)(elements(y) / 16384) + 1,
                               .defect = DEFECT_NONE});
}

struct conv_texts {
    char stride[48], padding[48];
};

static struct conv_texts conv_texts(struct conv_shape c)
{
    struct conv_texts t;
    snprintf(t.stride, sizeof t.stride, "[%" PRId64 ", %" PRId64 "]", c.stride,
             c.stride);
    snprintf(t.padding, sizeof t.padding, "[%" PRId64 ", %" PRId64 "]", c.k / 2,
             c.k / 2);
    return t;
}

/* Layout conversion, the convolution, and back, as the library of the device does it.
 */
static void conv_library_call(struct simulator *s, const struct sample_plan *p,
                              struct conv_shape c, const struct conv_texts *t)
{
    double time_ns = conv_roofline_ns(s, c, 1) / p->eff.conv;
    bool turn = plan_has(p, DEFECT_CONV_TRANSPOSES);
    struct op_arg x = map((struct map_shape){c.n, c.c, c.h});
    sim_op(s, s->device->hip ? "aten::miopen_convolution" : "aten::cudnn_convolution",
           ARGS(x, tensor4(BF16, c.out, c.c, c.k, c.k), absent(),
                scalar_list(t->padding), scalar_list(t->stride), scalar_list("[1, 1]"),
                scalar("1"), scalar("True"), scalar("False")));
    sim_leaf(s, "aten::empty", ARGS(scalar_list("")));
    if (turn)
        layout_kernel(s, true, arg_elements(x));
    conv_kernel(s, 'f', c, time_ns);
    if (turn)
        layout_kernel(s, false, elements(conv_output(c)));
    sim_end(s);
}

struct graph_node conv_forward(struct simulator *s, const struct sample_plan *p,
                               int64_t instance, struct conv_shape c, bool graph)
{
    struct conv_texts t = conv_texts(c);
    struct op_arg x = map((struct map_shape){c.n, c.c, c.h});
    struct op_arg w = tensor4(BF16, c.out, c.c, c.k, c.k);
    sim_module(s, "Conv2d", instance);
    sim_python(s, "torch/nn/modules/conv.py(553): forward");
    sim_python(s, "torch/nn/modules/conv.py(536): _conv_forward");
    sim_python(s, "<built-in method conv2d of type object at 0x7f4f7dff0640>");
    struct graph_node node = sim_graph_node(s);
    sim_graph_op(s, "aten::conv2d",
                 ARGS(x, w, absent(), scalar_list(t.stride), scalar_list(t.padding),
                      scalar_list("[1, 1]"), scalar("1")),
                 node);
    sim_graph_op(s, "aten::convolution",
                 ARGS(x, w, absent(), scalar_list(t.stride), scalar_list(t.padding),
                      scalar_list("[1, 1]"), scalar("False"), scalar_list("[0, 0]"),
                      scalar("1")),
                 node);
    if (graph)
        sim_graph_flow(s, &node);
    sim_op(s, "aten::_convolution",
           ARGS(x, w, absent(), scalar_list(t.stride), scalar_list(t.padding),
                scalar_list("[1, 1]"), scalar("False"), scalar_list("[0, 0]"),
                scalar("1"), scalar("False"), scalar("False"), scalar("True"),
                scalar("True")));
    conv_library_call(s, p, c, &t);
    sim_end_n(s, 8);
    return node;
}

void conv_backward(struct simulator *s, const struct sample_plan *p,
                   struct conv_shape c, struct graph_node node, bool stem)
{
    struct conv_texts t = conv_texts(c);
    struct map_shape y = conv_output(c);
    struct op_arg x = map((struct map_shape){c.n, c.c, c.h});
    double time_ns = conv_roofline_ns(s, c, 2) / p->eff.conv;
    bool turn = plan_has(p, DEFECT_CONV_TRANSPOSES);
    sim_backward_node(s, "ConvolutionBackward0", node, map(y));
    sim_op(s, "aten::convolution_backward",
           ARGS(map(y), x, tensor4(BF16, c.out, c.c, c.k, c.k), scalar_list("[0]"),
                scalar_list(t.stride), scalar_list(t.padding), scalar_list("[1, 1]"),
                scalar("False"), scalar_list("[0, 0]"), scalar("1"),
                scalar_list(stem ? "[False, True, False]" : "[True, True, False]")));
    if (turn) {
        layout_kernel(s, true, elements(y));
        layout_kernel(s, true, arg_elements(x));
    }
    if (!stem) {
        conv_kernel(s, 'b', c, time_ns / 2);
        if (turn)
            layout_kernel(s, false, arg_elements(x));
    }
    conv_kernel(s, 'w', c, stem ? time_ns : time_ns / 2);
    sim_end_n(s, 3);
}

static double norm_eff(const struct sample_plan *p)
{
    return plan_eff(p, DEFECT_SLOW_BATCH_NORM, SLOW_NORM_EFF, p->eff.batch_norm);
}

/* One kernel of a batch norm that takes `share` of its time; the first one shows what
 * the whole would ideally take. */
static void norm_kernel(struct simulator *s, const struct sample_plan *p,
                        const char *name, int64_t channels, double roofline_ns,
                        double share, bool first)
{
    sim_launch(
        s, (struct kernel){.name = name,
                           .time_ns = share * roofline_ns / norm_eff(p),
                           .grid = channels,
                           .block = 512,
                           .defect = plan_mark(p, DEFECT_SLOW_BATCH_NORM),
                           .ideal_ns = first ? roofline_ns / p->eff.batch_norm : -1});
}

struct graph_node batch_norm_forward(struct simulator *s, const struct sample_plan *p,
                                     int64_t instance, struct map_shape x, bool graph)
{
    double e = elements(x), c = (double)x.c;
    double roof_ns = sim_roofline_ns(
        s, (struct work){6 * c + 5 * e, 4 * e + 12 * c, UNIT_VECTOR_BF16});
    struct op_arg per = tensor1(BF16, x.c);
    struct pointwise_op count = {"aten::add_", POINT_ADD_LONG, 1, DEFECT_NONE, 0};
    sim_module(s, "BatchNorm2d", instance);
    sim_python(s, "torch/nn/modules/batchnorm.py(159): forward");
    ops_pointwise(s, count, ARGS(tensor0(I64), tensor0(I64), scalar("1")));
    sim_python(s, "torch/nn/functional.py(2791): batch_norm");
    struct graph_node node = sim_graph_node(s);
    sim_graph_op(s, "aten::batch_norm",
                 ARGS(map(x), per, per, per, per, scalar("True"),
                      scalar("0.10000000000000001"), scalar("1.0000000000000001e-05"),
                      scalar("True")),
                 node);
    sim_graph_op(s, "aten::_batch_norm_impl_index",
                 ARGS(map(x), per, per, per, per, scalar("True"),
                      scalar("0.10000000000000001"), scalar("1.0000000000000001e-05"),
                      scalar("True")),
                 node);
    sim_graph_op(s, "aten::native_batch_norm",
                 ARGS(map(x), per, per, per, per, scalar("True"),
                      scalar("0.10000000000000001"), scalar("1.0000000000000001e-05")),
                 node);
    if (graph)
        sim_graph_flow(s, &node);
    sim_leaf(s, "aten::empty_like",
             ARGS(map(x), absent(), absent(), absent(), absent(), absent()));
    norm_kernel(s, p, kernel_bn_statistics, x.c, roof_ns, 0.42, true);
    norm_kernel(s, p, kernel_bn_update, x.c, roof_ns, 0.01, false);
    norm_kernel(s, p, kernel_bn_transform, x.c, roof_ns, 0.57, false);
    sim_end_n(s, 7);
    return node;
}

void batch_norm_backward(struct simulator *s, const struct sample_plan *p,
                         struct map_shape x, struct graph_node node)
{
    double e = elements(x), c = (double)x.c;
    double roof_ns =
        sim_roofline_ns(s, (struct work){9 * e, 6 * e + 8 * c, UNIT_VECTOR_BF16});
    struct op_arg per = tensor1(BF16, x.c), stat = tensor1(F32, x.c);
    sim_backward_node(s, "NativeBatchNormBackward0", node, map(x));
    sim_op(s, "aten::native_batch_norm_backward",
           ARGS(map(x), map(x), per, per, per, stat, stat, scalar("True"),
                scalar("1.0000000000000001e-05"), scalar_list("[True, True, True]")));
    sim_leaf(s, "aten::empty_like",
             ARGS(map(x), absent(), absent(), absent(), absent(), absent()));
    norm_kernel(s, p, kernel_bn_backward, x.c, roof_ns, 1, true);
    sim_end_n(s, 3);
}

struct graph_node relu_forward(struct simulator *s, const struct sample_plan *p,
                               int64_t instance, struct map_shape x, bool graph)
{
    struct pointwise_op op = {"aten::clamp_min_", POINT_CLAMP, p->eff.elementwise,
                              DEFECT_NONE, 0};
    sim_module(s, "ReLU", instance);
    sim_python(s, "torch/nn/modules/activation.py(132): forward");
    sim_python(s, "torch/nn/functional.py(1693): relu");
    struct graph_node node = sim_graph_node(s);
    sim_graph_op(s, "aten::relu_", ARGS(map(x)), node);
    if (graph)
        sim_graph_flow(s, &node);
    ops_pointwise(s, op, ARGS(map(x), scalar("0")));
    sim_end_n(s, 5);
    return node;
}

void relu_backward_begin(struct simulator *s, struct map_shape x,
                         struct graph_node node)
{
    sim_backward_node(s, "ReluBackward0", node, map(x));
}

void relu_backward_end(struct simulator *s, const struct sample_plan *p,
                       struct map_shape x)
{
    struct pointwise_op op = {"aten::threshold_backward", POINT_THRESHOLD,
                              p->eff.elementwise, DEFECT_NONE, 0};
    ops_pointwise(s, op, ARGS(map(x), map(x), scalar("0")));
    sim_end_n(s, 2);
}

struct graph_node residual_forward(struct simulator *s, const struct sample_plan *p,
                                   struct map_shape x, bool graph)
{
    char name[KERNEL_NAME];
    struct work k = {elements(x), 6 * elements(x), UNIT_VECTOR_BF16};
    struct graph_node node = sim_graph_node(s);
    sim_graph_op(s, "aten::add_", ARGS(map(x), map(x), scalar("1")), node);
    if (graph)
        sim_graph_flow(s, &node);
    sim_launch(
        s, (struct kernel){.name = kernel_pointwise(name, s->device->hip, POINT_ADD, 3),
                           .time_ns = sim_roofline_ns(s, k) / p->eff.elementwise,
                           .grid = (int64_t)(elements(x) / 2048) + 1,
                           .defect = DEFECT_NONE});
    sim_end(s);
    return node;
}

void residual_backward(struct simulator *s, struct map_shape x, struct graph_node node)
{
    sim_backward_node(s, "AddBackward0", node, map(x));
    sim_end_n(s, 2);
}

/* x is the input; the output has half its height and width, and 64-bit indices. */
static void pool_kernel(struct simulator *s, const struct sample_plan *p,
                        const char *name, struct map_shape x)
{
    double bytes = 2 * elements(x) * (1 + 0.25) + 8 * elements(x) * 0.25;
    struct work k = {elements(x), bytes, UNIT_VECTOR_BF16};
    sim_launch(s, (struct kernel){.name = name,
                                  .time_ns = sim_roofline_ns(s, k) / p->eff.elementwise,
                                  .grid = (int64_t)(elements(x) / 1024) + 1,
                                  .defect = DEFECT_NONE});
}

struct graph_node max_pool_forward(struct simulator *s, const struct sample_plan *p,
                                   struct map_shape x)
{
    sim_module(s, "MaxPool2d", 0);
    sim_python(s, "torch/nn/modules/pooling.py(213): forward");
    struct graph_node node = sim_graph_node(s);
    sim_graph_op(s, "aten::max_pool2d",
                 ARGS(map(x), scalar_list("[3, 3]"), scalar_list("[2, 2]"),
                      scalar_list("[1, 1]"), scalar_list("[1, 1]"), scalar("False")),
                 node);
    sim_graph_op(s, "aten::max_pool2d_with_indices",
                 ARGS(map(x), scalar_list("[3, 3]"), scalar_list("[2, 2]"),
                      scalar_list("[1, 1]"), scalar_list("[1, 1]"), scalar("False")),
                 node);
    sim_graph_flow(s, &node);
    pool_kernel(s, p, kernel_max_pool, x);
    sim_end_n(s, 5);
    return node;
}

void max_pool_backward(struct simulator *s, const struct sample_plan *p,
                       struct map_shape x, struct graph_node node)
{
    struct map_shape y = {x.n, x.c, x.h / 2};
    sim_backward_node(s, "MaxPool2DWithIndicesBackward0", node, map(y));
    sim_op(s, "aten::max_pool2d_with_indices_backward",
           ARGS(map(y), map(x), scalar_list("[3, 3]"), scalar_list("[2, 2]"),
                scalar_list("[1, 1]"), scalar_list("[1, 1]"), scalar("False"),
                tensor4(I64, y.n, y.c, y.h, y.h)));
    pool_kernel(s, p, kernel_max_pool_backward, x);
    sim_end_n(s, 3);
}
