/* workload_cnn.c - training steps of a residual network, one rank of a data-parallel
 * job.
 *
 * p->layers bottleneck blocks in four stages; the blocks of the third are checkpointed,
 * so that their forward pass runs again inside the backward pass, on the thread of
 * autograd. */
#include "conv_ops.h"
#include "data_parallel.h"
#include "host_defects.h"
#include "torch_ops.h"
#include "workload.h"

#include "base/arena.h"

#include <stdlib.h>

enum { CLASSES = 1000, FEATURES = 2048, IMAGE = 224, CHECKPOINTED_STAGE = 2 };

struct block {
    int64_t index, stage;
    struct conv_shape conv[4]; /* 1x1, 3x3, 1x1, and 1x1 of the shortcut */
    bool shortcut, checkpoint;
    struct graph_node conv_node[4], norm_node[4], relu_node[3], add_node;
};

struct training {
    const struct sample_plan *p;
    struct reducer reducer;
    struct block *blocks;
    struct conv_shape stem;
    struct graph_node stem_conv, stem_norm, stem_relu, pool, mean, fc, loss;
};

static int64_t stage_of(int64_t index, int64_t blocks)
{
    int64_t of16 = index * 16 / blocks; /* 3, 4, 6, 3 of 16 */
    return of16 < 3 ? 0 : of16 < 7 ? 1 : of16 < 13 ? 2 : 3;
}

static struct block block_make(const struct sample_plan *p, int64_t i)
{
    int64_t stage = stage_of(i, p->layers);
    int64_t before = i ? stage_of(i - 1, p->layers) : -1;
    bool first = stage != before;
    int64_t mid = 64 << stage, out = 256 << stage;
    int64_t stride = first && stage > 0 ? 1 << (stage - before) : 1;
    int64_t in = !first ? out : stage == 0 ? 64 : 256 << before;
    int64_t h = first && stage > 0 ? 56 >> before : 56 >> stage;
    return (struct block){
        .index = i,
        .stage = stage,
        .shortcut = first,
        .checkpoint = stage == CHECKPOINTED_STAGE,
        .conv = {{p->batch, in, h, mid, 1, 1},
                 {p->batch, mid, h, mid, 3, stride},
                 {p->batch, mid, h / stride, out, 1, 1},
                 {p->batch, in, h, out, 1, stride}},
    };
}

/* With graph == false a recomputation: the nodes of the first pass stay. */
static void block_forward(struct simulator *s, const struct sample_plan *p,
                          struct block *b, bool graph)
{
    struct block local = *b;
    struct map_shape out = conv_output(b->conv[2]);
    sim_module(s, "Bottleneck", b->index);
    sim_python(s, "torchvision/models/resnet.py(143): forward");
    for (int i = 0; i < 3; i++) {
        struct map_shape y = conv_output(b->conv[i]);
        local.conv_node[i] = conv_forward(s, p, 4 * b->index + i, b->conv[i], graph);
        local.norm_node[i] = batch_norm_forward(s, p, 4 * b->index + i, y, graph);
        if (i < 2)
            local.relu_node[i] = relu_forward(s, p, b->index, y, graph);
    }
    if (b->shortcut) {
        local.conv_node[3] = conv_forward(s, p, 4 * b->index + 3, b->conv[3], graph);
        local.norm_node[3] = batch_norm_forward(s, p, 4 * b->index + 3, out, graph);
    }
    local.add_node = residual_forward(s, p, out, graph);
    local.relu_node[2] = relu_forward(s, p, b->index, out, graph);
    sim_end_n(s, 3);
    if (graph)
        *b = local;
}

static void planted_in_block(struct simulator *s, const struct sample_plan *p,
                             const struct block *b)
{
    struct map_shape y = conv_output(b->conv[2]);
    if (plan_planted(p, DEFECT_SLOW_REDUCE)) {
        struct op_arg x = tensor4(F32, (p->batch + 1) / 2, y.c, y.h, y.h);
        sim_python(s, "monitor/activation_stats.py(45): hook");
        ops_mean(s, &x, plan_eff(p, DEFECT_SLOW_REDUCE, 0.02, p->eff.reduce),
                 plan_mark(p, DEFECT_SLOW_REDUCE),
                 mean_roofline_ns(s, x) / p->eff.reduce);
        sim_end(s);
    }
    if (plan_has(p, DEFECT_MANY_SMALL_COPIES)) {
        sim_python(s, "monitor/activation_stats.py(71): export");
        ops_small_copies(s, 14);
        sim_end(s);
    }
    if (plan_has(p, DEFECT_ITEM_SYNC))
        ops_item_and_think(s, 3.5);
    host_allocator(s, p);
}

static void checkpointed_forward(struct simulator *s, const struct sample_plan *p,
                                 struct block *b)
{
    if (!b->checkpoint) {
        block_forward(s, p, b, true);
        return;
    }
    sim_python(s, "torch/utils/checkpoint.py(343): checkpoint");
    sim_python(
        s, "torch/utils/checkpoint.py(1422): _checkpoint_without_reentrant_generator");
    sim_end(s);
    block_forward(s, p, b, true);
    sim_end(s);
}

/* Pooling, classifier and loss: little work, all of it told. */
static void head_forward(struct simulator *s, struct training *t)
{
    const struct sample_plan *p = t->p;
    struct map_shape last = conv_output(t->blocks[p->layers - 1].conv[2]);
    struct op_arg x = tensor4(BF16, last.n, last.c, last.h, last.h);
    struct op_arg pooled = tensor2(BF16, last.n, last.c),
                  y = tensor2(BF16, last.n, CLASSES);
    struct op_arg w = tensor2(BF16, CLASSES, last.c), target = tensor1(I64, last.n);
    struct product g = {0,           last.n,      last.c, CLASSES, PRODUCT_WEIGHT,
                        p->eff.gemm, DEFECT_NONE, 0};
    char name[KERNEL_NAME];
    int64_t blocks;
    sim_module(s, "AdaptiveAvgPool2d", 0);
    t->mean = sim_graph_node(s);
    sim_graph_op(s, "aten::adaptive_avg_pool2d", ARGS(x, scalar_list("[1, 1]")),
                 t->mean);
    sim_graph_flow(s, &t->mean);
    ops_mean(s, &x, p->eff.reduce, DEFECT_NONE, 0);
    sim_end_n(s, 3);
    sim_module(s, "Linear", 0);
    sim_python(s, "torch/nn/modules/linear.py(124): forward");
    sim_op(s, "aten::linear", ARGS(pooled, w, tensor1(BF16, CLASSES)));
    sim_leaf(s, "aten::t", ARGS(w));
    t->fc = sim_graph_node(s);
    sim_graph_op(s, "aten::addmm",
                 ARGS(tensor1(BF16, CLASSES), pooled, tensor_transposed(w), scalar("1"),
                      scalar("1")),
                 t->fc);
    sim_graph_flow(s, &t->fc);
    kernel_gemm(name, s->device->hip, g.m, g.n, true, &blocks);
    sim_launch(s, (struct kernel){.name = name,
                                  .time_ns = product_roofline_ns(s, g) / g.eff,
                                  .api = LAUNCH_MODULE,
                                  .grid = blocks,
                                  .defect = DEFECT_NONE});
    sim_end_n(s, 5);
    sim_python(s, "torch/nn/functional.py(3462): cross_entropy");
    t->loss = sim_graph_node(s);
    sim_graph_op(s, "aten::cross_entropy_loss",
                 ARGS(y, target, absent(), scalar("1"), scalar("-100"), scalar("0.")),
                 t->loss);
    sim_graph_flow(s, &t->loss);
    sim_op(s, "aten::_log_softmax", ARGS(y, scalar("1"), scalar("False")));
    sim_launch(s, (struct kernel){.name = kernel_log_softmax,
                                  .grid = last.n,
                                  .defect = DEFECT_NONE});
    sim_end(s);
    sim_op(s, "aten::nll_loss_forward",
           ARGS(y, target, absent(), scalar("1"), scalar("-100")));
    sim_launch(s, (struct kernel){.name = kernel_nll, .defect = DEFECT_NONE});
    sim_end_n(s, 3);
}

static void forward(struct simulator *s, struct training *t, int64_t step)
{
    const struct sample_plan *p = t->p;
    struct map_shape y = conv_output(t->stem);
    sim_annotation(s, "DistributedDataParallel.forward");
    sim_module(s, "ResNet", 0);
    sim_python(s, "torchvision/models/resnet.py(266): _forward_impl");
    t->stem_conv = conv_forward(s, p, 4 * p->layers, t->stem, true);
    t->stem_norm = batch_norm_forward(s, p, 4 * p->layers, y, true);
    t->stem_relu = relu_forward(s, p, p->layers, y, true);
    t->pool = max_pool_forward(s, p, y);
    for (int64_t i = 0; i < p->layers; i++) {
        random_seed(&s->random, p->seed, (uint64_t)step, (uint64_t)i + 1);
        t->blocks[i] = block_make(p, i);
        checkpointed_forward(s, p, &t->blocks[i]);
        planted_in_block(s, p, &t->blocks[i]);
    }
    head_forward(s, t);
    sim_end_n(s, 4);
}

static void recompute(struct simulator *s, const struct sample_plan *p, struct block *b)
{
    sim_python(s, "torch/utils/checkpoint.py(1111): unpack_hook");
    sim_python(s, "torch/utils/checkpoint.py(1500): recompute_fn");
    block_forward(s, p, b, false);
    sim_end_n(s, 2);
}

static void block_backward(struct simulator *s, struct training *t, struct block *b)
{
    const struct sample_plan *p = t->p;
    struct map_shape out = conv_output(b->conv[2]);
    relu_backward_begin(s, out, b->relu_node[2]);
    if (b->checkpoint)
        recompute(s, p, b);
    relu_backward_end(s, p, out);
    residual_backward(s, out, b->add_node);
    for (int i = b->shortcut ? 3 : 2; i >= 0; i--) {
        struct map_shape y = conv_output(b->conv[i]);
        if (i < 2) {
            relu_backward_begin(s, y, b->relu_node[i]);
            relu_backward_end(s, p, y);
        }
        batch_norm_backward(s, p, y, b->norm_node[i]);
        reducer_gradient(&t->reducer, s, p, y.c);
        reducer_gradient(&t->reducer, s, p, y.c);
        conv_backward(s, p, b->conv[i], b->conv_node[i], false);
        reducer_gradient(&t->reducer, s, p, conv_weights(b->conv[i]));
    }
}

static void head_backward(struct simulator *s, struct training *t)
{
    const struct sample_plan *p = t->p;
    struct map_shape last = conv_output(t->blocks[p->layers - 1].conv[2]);
    struct op_arg y = tensor2(BF16, last.n, CLASSES);
    struct op_arg x = tensor4(BF16, last.n, last.c, last.h, last.h);
    struct product g = {0, last.n, CLASSES, last.c, 0, p->eff.gemm, DEFECT_NONE, 0};
    struct pointwise_op div = {"aten::div", POINT_MUL, p->eff.elementwise, DEFECT_NONE,
                               0};
    sim_backward_node(s, "NllLossBackward0", t->loss, tensor0(BF16));
    sim_op(s, "aten::nll_loss_backward", ARGS(tensor0(BF16), y));
    sim_launch(s, (struct kernel){.name = kernel_nll_backward, .defect = DEFECT_NONE});
    sim_end(s);
    sim_op(s, "aten::_log_softmax_backward_data",
           ARGS(y, y, scalar("1"), scalar("15")));
    sim_launch(s, (struct kernel){.name = kernel_log_softmax_backward,
                                  .grid = last.n,
                                  .defect = DEFECT_NONE});
    sim_end_n(s, 3);
    sim_backward_node(s, "AddmmBackward0", t->fc, y);
    ops_product(s, g);
    g = (struct product){0, CLASSES, last.n, last.c, 0, p->eff.gemm, DEFECT_NONE, 0};
    ops_product(s, g);
    sim_end_n(s, 2);
    reducer_gradient(&t->reducer, s, p, CLASSES);
    reducer_gradient(&t->reducer, s, p, CLASSES * last.c);
    sim_backward_node(s, "MeanBackward1", t->mean, tensor4(BF16, last.n, last.c, 1, 1));
    ops_pointwise(s, div, ARGS(x, scalar("49")));
    sim_end_n(s, 2);
}

static void backward(struct simulator *s, struct training *t, int64_t step)
{
    const struct sample_plan *p = t->p;
    struct map_shape y = conv_output(t->stem);
    sim_python(s, "torch/_tensor.py(570): backward");
    sim_python(s, "torch/autograd/graph.py(815): _engine_run_backward");
    sim_switch(s, HOST_AUTOGRAD);
    head_backward(s, t);
    for (int64_t i = p->layers; i-- > 0;) {
        random_seed(&s->random, p->seed, (uint64_t)step, (uint64_t)(p->layers + i) + 1);
        block_backward(s, t, &t->blocks[i]);
    }
    max_pool_backward(s, p, y, t->pool);
    relu_backward_begin(s, y, t->stem_relu);
    relu_backward_end(s, p, y);
    batch_norm_backward(s, p, y, t->stem_norm);
    reducer_gradient(&t->reducer, s, p, 2 * y.c);
    conv_backward(s, p, t->stem, t->stem_conv, true);
    reducer_gradient(&t->reducer, s, p, conv_weights(t->stem));
    reducer_finish(&t->reducer, s, p);
    sim_switch(s, HOST_MAIN);
    sim_end_n(s, 2);
}

static int64_t parameters(const struct training *t)
{
    int64_t n = conv_weights(t->stem) + CLASSES * FEATURES;
    for (int64_t i = 0; i < t->p->layers; i++)
        for (int k = 0; k < (t->blocks[i].shortcut ? 4 : 3); k++)
            n += conv_weights(t->blocks[i].conv[k]) + 2 * t->blocks[i].conv[k].out;
    return n;
}

static void optimise(struct simulator *s, const struct training *t)
{
    static const char *const ops[] = {"aten::_foreach_mul_", "aten::_foreach_add_",
                                      "aten::_foreach_add_"};
    const struct sample_plan *p = t->p;
    struct work k = {0, 6 * (double)parameters(t), UNIT_VECTOR_BF16};
    sim_python(s, "torch/optim/optimizer.py(473): wrapper");
    sim_annotation(s, "Optimizer.step#SGD.step");
    sim_python(s, "torch/optim/sgd.py(103): step");
    sim_python(s, "torch/optim/sgd.py(82): _init_group");
    sim_end(s);
    sim_python(s, "torch/optim/sgd.py(246): sgd");
    for (int i = 0; i < 3; i++) {
        sim_op(s, ops[i], ARGS(tensor_list(), tensor_list(), scalar("-0.1")));
        for (int part = 0; part < 4; part++)
            sim_launch(s, (struct kernel){.name = kernel_multi_tensor,
                                          .time_ns = sim_roofline_ns(s, k) / 4 /
                                                     p->eff.elementwise,
                                          .grid = 320,
                                          .block = 512,
                                          .defect = DEFECT_NONE});
        sim_end(s);
    }
    sim_end_n(s, 4);
}

void cnn_step(struct simulator *s, const struct sample_plan *p, int64_t step)
{
    struct training t = {.p = p, .stem = {p->batch, 3, IMAGE, 64, 7, 2}};
    double before_ns = 400e3; /* the data loader: about 3 % of a step */
    t.blocks = calloc((size_t)p->layers, sizeof *t.blocks);
    if (!t.blocks)
        arena_full();
    if (step > 0)
        before_ns = 0.03 / (double)step * s->work_ns;
    sim_python(s, "train_ddp.py(92): train_epoch");
    sim_python(s, "torch/utils/data/dataloader.py(701): __next__");
    sim_think(s, before_ns * p->host_scale);
    host_preprocessing(s, p);
    sim_end(s);
    ops_batch_copies(s, p);
    forward(s, &t, step);
    backward(s, &t, step);
    reducer_average(&t.reducer, s, p);
    optimise(s, &t);
    ops_item(s); /* the loss, for the log */
    sim_end(s);
    free(t.blocks);
}
