/* workload_llm.c - inference with a decoder: prefill, decode, mixture of experts,
 * healthy.
 *
 * One step is one forward pass over p->batch sequences of p->seq new tokens. A layer is
 * norm, attention, add, norm, feed-forward or experts, add. A server reads prompts in
 * one step of five, and generates in the others. */
#include "hidden_defects.h"
#include "host_defects.h"
#include "torch_ops.h"
#include "workload.h"

#include <inttypes.h>
#include <stdio.h>

enum { LINEARS_OF_LAYER = 8 };

static struct op_arg hidden_states(const struct sample_plan *p)
{
    return tensor3(BF16, p->batch, p->seq, p->hidden);
}

static void views(struct simulator *s, const struct sample_plan *p, int64_t heads)
{
    char dims[64];
    struct op_arg x = tensor3(BF16, p->batch, p->seq, heads * p->head_dim);
    struct op_arg y = tensor4(BF16, p->batch, p->seq, heads, p->head_dim);
    snprintf(dims, sizeof dims, "[%" PRId64 ", %" PRId64 ", -1, %" PRId64 "]", p->batch,
             p->seq, p->head_dim);
    sim_leaf(s, "aten::view", ARGS(x, scalar_list(dims)));
    sim_leaf(s, "aten::transpose", ARGS(y, scalar("1"), scalar("2")));
}

/* rotate_half and its four companions, as a model's source spells them. */
static void rotate_by_hand(struct simulator *s, const struct sample_plan *p,
                           int64_t heads, double ideal_ns)
{
    const enum defect mark = DEFECT_UNFUSED_ELEMENTWISE;
    const double eff = 0.22;
    struct op_arg x = tensor4(BF16, p->batch, heads, p->seq, p->head_dim);
    struct op_arg half = tensor4(BF16, p->batch, heads, p->seq, p->head_dim / 2);
    struct op_arg angle = tensor4(BF16, p->batch, 1, p->seq, p->head_dim);
    struct pointwise_op mul = {"aten::mul", POINT_MUL, eff, mark, -1};
    sim_python(s, "transformers/models/llama/modeling_llama.py(131): rotate_half");
    ops_pointwise(s, mul, ARGS(x, angle));
    ops_pointwise(s, (struct pointwise_op){"aten::neg", POINT_NEG, eff, mark, -1},
                  ARGS(half));
    sim_op(s, "aten::cat", ARGS(tensor_list(), scalar("-1")));
    struct work k = {0, 4 * arg_elements(x), UNIT_VECTOR_BF16};
    sim_launch(s, (struct kernel){.name = kernel_cat,
                                  .time_ns = sim_roofline_ns(s, k) / eff,
                                  .grid = 4096,
                                  .defect = mark,
                                  .ideal_ns = -1});
    sim_end(s);
    ops_pointwise(s, mul, ARGS(x, angle));
    ops_pointwise(s, (struct pointwise_op){"aten::add", POINT_ADD, eff, mark, ideal_ns},
                  ARGS(x, x, scalar("1")));
    sim_end(s);
}

static void rotate(struct simulator *s, const struct sample_plan *p, int64_t heads)
{
    const struct op_arg arg[] = {tensor4(BF16, p->batch, heads, p->seq, p->head_dim),
                                 tensor2(BF16, p->seq, p->head_dim),
                                 tensor2(BF16, p->seq, p->head_dim), scalar("1024")};
    if (plan_has(p, DEFECT_UNFUSED_ELEMENTWISE))
        rotate_by_hand(s, p, heads, triton_roofline_ns(s, arg, 4) / p->eff.triton);
    else
        ops_triton(s, p, "triton_poi_fused_add_cat_mul_neg_3", arg, 4);
}

static void attention(struct simulator *s, const struct sample_plan *p, int64_t layer)
{
    int64_t q = p->heads * p->head_dim, kv = p->kv_heads * p->head_dim;
    int64_t linear = layer * LINEARS_OF_LAYER;
    sim_module(s, "LlamaAttention", layer);
    sim_python(s, "transformers/models/llama/modeling_llama.py(231): forward");
    if (p->merged_projections) {
        ops_linear(s, p, linear, p->hidden, q + 2 * kv);
    } else {
        ops_linear(s, p, linear, p->hidden, q);
        ops_linear(s, p, linear + 1, p->hidden, kv);
        ops_linear(s, p, linear + 2, p->hidden, kv);
    }
    views(s, p, p->heads);
    sim_python(
        s, "transformers/models/llama/modeling_llama.py(138): apply_rotary_pos_emb");
    rotate(s, p, p->heads);
    rotate(s, p, p->kv_heads);
    sim_end(s);
    ops_attention(s, p);
    sim_leaf(s, "aten::reshape",
             ARGS(tensor4(BF16, p->batch, p->seq, p->heads, p->head_dim),
                  scalar_list("[-1]")));
    ops_linear(s, p, linear + 3, q, p->hidden);
    sim_end_n(s, 3);
}

static void gated_activation(struct simulator *s, const struct sample_plan *p)
{
    const enum defect mark = DEFECT_UNFUSED_ELEMENTWISE;
    const double eff = 0.22;
    struct op_arg x = tensor3(BF16, p->batch, p->seq, p->ffn);
    const struct op_arg arg[] = {x, x, scalar("1024")};
    if (!plan_has(p, mark)) {
        ops_triton(s, p, "triton_poi_fused_mul_silu_5", arg, 3);
        return;
    }
    double ideal_ns = triton_roofline_ns(s, arg, 3) / p->eff.triton;
    sim_module(s, "SiLU", 0);
    ops_pointwise(
        s, (struct pointwise_op){"aten::sigmoid", POINT_SIGMOID, eff, mark, ideal_ns},
        ARGS(x));
    ops_pointwise(s, (struct pointwise_op){"aten::mul", POINT_MUL, eff, mark, -1},
                  ARGS(x, x));
    sim_end_n(s, 2);
    ops_pointwise(s, (struct pointwise_op){"aten::mul", POINT_MUL, eff, mark, -1},
                  ARGS(x, x));
    ops_pointwise(s, (struct pointwise_op){"aten::copy_", POINT_COPY, eff, mark, -1},
                  ARGS(x, x, scalar("False")));
}

static void feed_forward(struct simulator *s, const struct sample_plan *p,
                         int64_t layer)
{
    int64_t linear = layer * LINEARS_OF_LAYER + 4;
    sim_module(s, "LlamaMLP", layer);
    sim_python(s, "transformers/models/llama/modeling_llama.py(173): forward");
    if (p->merged_projections) {
        ops_linear(s, p, linear, p->hidden, 2 * p->ffn);
    } else {
        ops_linear(s, p, linear, p->hidden, p->ffn);
        ops_linear(s, p, linear + 1, p->hidden, p->ffn);
    }
    gated_activation(s, p);
    ops_linear(s, p, linear + 2, p->ffn, p->hidden);
    sim_end_n(s, 3);
}

/* The two products of `tokens` tokens through their experts, all weights of the experts
 * that are hit read once. */
static double experts_roofline_ns(const struct simulator *s,
                                  const struct sample_plan *p, double tokens)
{
    double k = (double)p->hidden, n = (double)p->expert_ffn, top = (double)p->topk;
    double experts = (double)p->experts, miss = 1, hit;
    for (double left = tokens; left >= 1 && miss > 1e-9; left--)
        miss *= (experts - top) / experts;
    hit = experts * (1 - miss);
    return sim_roofline_ns(s, (struct work){6 * tokens * k * n * top,
                                            2 * (2 * tokens * k + hit * 3 * n * k),
                                            UNIT_MATRIX_BF16});
}

enum { USUAL_MOE_TOKENS = 16384 };

static void experts(struct simulator *s, const struct sample_plan *p, int64_t layer)
{
    int64_t tokens = p->batch * p->seq;
    bool hip = s->device->hip;
    struct op_arg x = tensor2(BF16, tokens, p->hidden);
    struct op_arg logits = tensor2(F32, tokens, p->experts);
    struct op_arg top = tensor2(F32, tokens, p->topk),
                  ids = tensor2(I32, tokens, p->topk);
    double usual_ns = experts_roofline_ns(s, p, USUAL_MOE_TOKENS) / USUAL_MOE_TOKENS;
    sim_module(s, "Qwen3MoeSparseMoeBlock", layer);
    sim_python(s, "vllm/model_executor/models/qwen3_moe.py(156): forward");
    ops_linear(s, p, layer * LINEARS_OF_LAYER + 4, p->hidden, p->experts);
    sim_module(s, "FusedMoE", layer);
    sim_op(s, "_moe_C::topk_softmax", ARGS(top, ids, ids, logits));
    struct work route = {6 * arg_elements(logits), 4 * arg_elements(logits),
                         UNIT_VECTOR_FP32};
    sim_launch(s, (struct kernel){.name = kernel_topk,
                                  .time_ns = sim_roofline_ns(s, route) / p->eff.reduce,
                                  .grid = tokens / 16 + 1,
                                  .defect = DEFECT_NONE});
    sim_end(s);
    sim_op(s, ops_moe_name(hip),
           ARGS(x, tensor3(BF16, p->experts, 2 * p->expert_ffn, p->hidden),
                tensor3(BF16, p->experts, p->hidden, p->expert_ffn), top));
    sim_launch(s, (struct kernel){.name = kernel_moe(hip),
                                  .time_ns = experts_roofline_ns(s, p, (double)tokens) /
                                             p->eff.moe,
                                  .api = LAUNCH_TRITON,
                                  .grid = p->experts * 8,
                                  .defect = plan_mark(p, DEFECT_MOE_FEW_TOKENS),
                                  .ideal_ns = (double)tokens * usual_ns / p->eff.moe});
    sim_end_n(s, 6);
}

/* `count` products at a small fraction of the roofline; fixed, at the usual one. */
static void slow_products(struct simulator *s, const struct sample_plan *p,
                          struct product g, int count, const char *frame)
{
    enum defect d = g.defect;
    if (!plan_planted(p, d))
        return;
    g.ideal_ns = product_roofline_ns(s, g) / p->eff.gemm;
    g.eff = plan_eff(p, d, g.eff, p->eff.gemm);
    g.defect = plan_mark(p, d);
    sim_python(s, "%s", frame);
    for (int i = 0; i < count; i++)
        ops_product(s, g);
    sim_end(s);
}

/* Steps nobody should have added to a layer: the defects that are operators of their
 * own. */
static void planted_products(struct simulator *s, const struct sample_plan *p)
{
    int64_t tokens = p->batch * p->seq;
    int64_t b = tokens * 16 > 16384 ? tokens * 16 : 16384;
    int64_t m = tokens * 32 > 16384 ? tokens * 32 : 16384;
    struct product tiny = {b, 8, 64, 8, PRODUCT_WEIGHT, 0.018, DEFECT_TINY_BATCHED_GEMM,
                           0};
    struct product skinny = {0, m, 128, 64, PRODUCT_WEIGHT, 0.03, DEFECT_SKINNY_GEMM,
                             0};
    struct product few = {0, 512, 131072, 512, 0, 0.04, DEFECT_FEW_TILES_GEMM, 0};
    slow_products(s, p, tiny, 1, "model/temporal_mixer.py(57): forward");
    slow_products(s, p, skinny, 3, "model/head_gate.py(33): forward");
    slow_products(s, p, few, 1, "model/covariance.py(21): update");
}

static struct product fp32_product(const struct sample_plan *p)
{
    return (struct product){.m = p->batch * p->seq,
                            .k = p->hidden,
                            .n = p->hidden,
                            .form = plan_has(p, DEFECT_FP32_GEMM)
                                        ? PRODUCT_WEIGHT | PRODUCT_FP32
                                        : PRODUCT_WEIGHT,
                            .eff = p->eff.gemm,
                            .defect = plan_mark(p, DEFECT_FP32_GEMM)};
}

/* Mistakes whose work stays when they are fixed. */
static void planted_precision(struct simulator *s, const struct sample_plan *p)
{
    if (plan_planted(p, DEFECT_FP32_GEMM)) {
        struct product g = fp32_product(p), ideal = g;
        ideal.form = PRODUCT_WEIGHT;
        g.ideal_ns = product_roofline_ns(s, ideal) / p->eff.gemm;
        sim_python(s, "model/router_head.py(48): forward");
        for (int i = 0; i < 2; i++)
            ops_product(s, g);
        sim_end(s);
    }
    if (plan_planted(p, DEFECT_ALIGN1_GEMM)) {
        bool odd = plan_has(p, DEFECT_ALIGN1_GEMM);
        struct product g = {.m = p->batch * p->seq,
                            .k = p->hidden,
                            .n = 10008,
                            .form = PRODUCT_WEIGHT,
                            .eff = p->eff.gemm};
        g.ideal_ns = product_roofline_ns(s, g) / p->eff.gemm;
        g.n = odd ? 10001 : 10008;
        g.form |= odd ? PRODUCT_ALIGN1 : 0;
        g.eff = odd ? 0.28 : p->eff.gemm;
        g.defect = plan_mark(p, DEFECT_ALIGN1_GEMM);
        sim_python(s, "model/score_head.py(27): forward");
        ops_product(s, g);
        sim_end(s);
    }
}

static void planted_reductions(struct simulator *s, const struct sample_plan *p)
{
    if (plan_planted(p, DEFECT_SLOW_SOFTMAX)) {
        struct op_arg x = tensor4(BF16, p->batch, p->heads, p->seq, 256);
        sim_python(s, "model/memory_gate.py(64): forward");
        ops_softmax(s, &x, plan_eff(p, DEFECT_SLOW_SOFTMAX, 0.02, p->eff.softmax),
                    plan_mark(p, DEFECT_SLOW_SOFTMAX),
                    softmax_roofline_ns(s, x) / p->eff.softmax);
        sim_end(s);
    }
    if (plan_planted(p, DEFECT_SLOW_REDUCE)) {
        struct op_arg x = tensor3(F32, p->batch, p->seq, p->hidden);
        sim_python(s, "monitor/activation_stats.py(45): hook");
        for (int i = 0; i < 2; i++)
            ops_mean(s, &x, plan_eff(p, DEFECT_SLOW_REDUCE, 0.02, p->eff.reduce),
                     plan_mark(p, DEFECT_SLOW_REDUCE),
                     mean_roofline_ns(s, x) / p->eff.reduce);
        sim_end(s);
    }
    if (plan_planted(p, DEFECT_SLOW_SMALL_KERNELS)) {
        struct op_arg x = tensor4(BF16, p->batch, p->heads, p->seq, 256);
        double ideal_ns = softmax_roofline_ns(s, x) / p->eff.softmax;
        sim_python(s, "model/memory_gate.py(64): forward");
        ops_softmax(s, &x, plan_eff(p, DEFECT_SLOW_SMALL_KERNELS, 0.05, p->eff.softmax),
                    plan_mark(p, DEFECT_SLOW_SMALL_KERNELS), ideal_ns);
        sim_end(s);
    }
    if (plan_has(p, DEFECT_MANY_SMALL_COPIES)) {
        sim_python(s, "monitor/activation_stats.py(71): export");
        ops_small_copies(s, p->kind == KIND_LLM_DECODE ? 3 : 14);
        sim_end(s);
    }
}

static void add_residual(struct simulator *s, const struct sample_plan *p)
{
    struct op_arg x = hidden_states(p);
    ops_pointwise(s,
                  (struct pointwise_op){"aten::add", POINT_ADD, p->eff.elementwise,
                                        DEFECT_NONE, 0},
                  ARGS(x, x, scalar("1")));
}

/* Of a layer of the default sizes on the default device, 5.4 and 4.4 %. */
#define BRIEF_NS      450e3
#define BRIEF_NEAR_NS 365e3

/* An eighth of a layer or so, in blocks for a hundredth of the device. */
static void planted_blocks(struct simulator *s, const struct sample_plan *p)
{
    bool brief = plan_planted(p, DEFECT_FEW_BLOCKS_BRIEF);
    enum defect d = brief ? DEFECT_FEW_BLOCKS_BRIEF : DEFECT_FEW_BLOCKS;
    if (!plan_planted(p, d))
        return;
    struct op_arg x = hidden_states(p);
    double time_ns = p->kind == KIND_LLM_DECODE ? 200e3 : 1e6;
    if (brief)
        time_ns = plan_near(p, d) ? BRIEF_NEAR_NS : BRIEF_NS;
    int units = s->device->compute_units,
        grid = plan_near(p, d) && !brief ? units / 4 : 1;
    double ideal_ns = time_ns * grid / units;
    sim_python(s, "model/walk.py(18): forward");
    sim_op(s, "fastwalk::step", ARGS(x, x));
    sim_launch(s, (struct kernel){.name = "walk_step_kernel(float*, float const*, int)",
                                  .time_ns = plan_has(p, d) ? time_ns : ideal_ns,
                                  .grid = plan_has(p, d) ? grid : units,
                                  .defect = plan_mark(p, d),
                                  .ideal_ns = ideal_ns});
    sim_end_n(s, 2);
}

static void planted_work(struct simulator *s, const struct sample_plan *p)
{
    planted_products(s, p);
    planted_blocks(s, p);
    planted_precision(s, p);
    planted_reductions(s, p);
    host_allocator(s, p);
    hidden_wait(s, p);
}

static void compiled_product(struct simulator *s, const struct sample_plan *p,
                             int64_t k, int64_t n)
{
    ops_product(s, (struct product){.m = p->batch * p->seq,
                                    .k = k,
                                    .n = n,
                                    .form = PRODUCT_WEIGHT,
                                    .eff = p->eff.gemm,
                                    .defect = DEFECT_NONE});
}

/* The same layer as a compiler leaves it: library calls for products and attention,
 * generated kernels for the rest. */
static void compiled_layer(struct simulator *s, const struct sample_plan *p)
{
    struct op_arg x = hidden_states(p), wide = tensor3(BF16, p->batch, p->seq, p->ffn);
    struct op_arg q = tensor4(BF16, p->batch, p->heads, p->seq, p->head_dim);
    int64_t width = p->heads * p->head_dim;
    s->tally[DEFECT_COMPILED].count++;
    sim_python(s, "torch/_dynamo/eval_frame.py(736): _fn");
    sim_op(s, "Torch-Compiled Region: 0/0", NULL, 0);
    sim_python(s, "torch/_functorch/_aot_autograd/runtime_wrappers.py(320): "
                  "runtime_wrapper");
    sim_op(s, "CompiledFunction", ARGS(x));
    sim_annotation(s, "## Call CompiledFxGraph f5kz2q7tnyxqk3u4 ##");
    ops_triton(s, p, "triton_red_fused__to_copy_add_mean_mul_pow_rsqrt_0",
               ARGS(x, x, scalar("1024")));
    for (int i = 0; i < 3; i++)
        compiled_product(s, p, p->hidden, width);
    ops_triton(s, p, "triton_poi_fused_add_cat_mul_neg_3", ARGS(q, scalar("1024")));
    ops_attention(s, p);
    compiled_product(s, p, width, p->hidden);
    ops_triton(s, p, "triton_red_fused_add_mean_mul_pow_rsqrt_4",
               ARGS(x, x, scalar("1024")));
    for (int i = 0; i < 2; i++)
        compiled_product(s, p, p->hidden, p->ffn);
    ops_triton(s, p, "triton_poi_fused_mul_silu_5", ARGS(wide, wide, scalar("1024")));
    compiled_product(s, p, p->ffn, p->hidden);
    planted_work(s, p);
    sim_end_n(s, 5);
}

static void decoder_layer(struct simulator *s, const struct sample_plan *p,
                          int64_t step, int64_t layer)
{
    random_seed(&s->random, p->seed, (uint64_t)step, (uint64_t)layer + 1);
    if (plan_has(p, DEFECT_COMPILED)) {
        compiled_layer(s, p);
        return;
    }
    sim_module(s, "LlamaDecoderLayer", layer);
    sim_python(s, "transformers/models/llama/modeling_llama.py(289): forward");
    ops_rms_norm(s, p, 2 * layer);
    attention(s, p, layer);
    add_residual(s, p);
    if (plan_has(p, DEFECT_ITEM_SYNC))
        ops_item_and_think(s, 1.3);
    ops_rms_norm(s, p, 2 * layer + 1);
    if (p->kind == KIND_MOE)
        experts(s, p, layer);
    else
        feed_forward(s, p, layer);
    add_residual(s, p);
    planted_work(s, p);
    if (plan_has(p, DEFECT_ITEM_SYNC))
        ops_item_and_think(s, 1.3);
    sim_end_n(s, 3);
}

/* The last hidden state of each sequence to the next token, which the host reads. */
static void sample_token(struct simulator *s, const struct sample_plan *p)
{
    struct sample_plan last = *p;
    last.seq = 1;
    ops_rms_norm(s, p, 2 * p->layers);
    ops_linear(s, &last, p->layers * LINEARS_OF_LAYER, p->hidden, p->vocab);
    ops_argmax(s, p);
    ops_item(s);
}

enum { SERVING_ROUND = 5 };

/* What one step of a server does, and how it annotates that. */
static struct sample_plan serving_step(struct simulator *s, const struct sample_plan *p,
                                       int64_t step)
{
    struct sample_plan now = *p;
    int64_t generated = step % SERVING_ROUND;
    now.kind = generated ? KIND_LLM_DECODE : KIND_LLM_PREFILL;
    now.seq = generated ? 1 : p->seq;
    now.kv_len = p->seq + generated;
    if (generated)
        sim_annotation(s, "step[DECODE bs=%" PRId64 "]", p->batch);
    else
        sim_annotation(s, "step[EXTEND bs=%" PRId64 " toks=%" PRId64 "]", p->batch,
                       p->batch * p->seq);
    return now;
}

/* What has been computed so far goes on on the next device. */
static void go_to_peer(struct simulator *s, const struct sample_plan *p)
{
    sim_stream_wait(s, STREAM_PEER, STREAM_MAIN);
    s->on_peer = true;
    sim_copy(s, (struct copy){.direction = COPY_P2P,
                              .bytes = 2 * p->batch * p->seq * p->hidden,
                              .defect = DEFECT_NONE});
}

/* The model, from the ids of the tokens to those of the next ones. */
static void forward(struct simulator *s, const struct sample_plan *p, int64_t step)
{
    sim_module(s, "LlamaForCausalLM", 0);
    sim_python(s, "transformers/models/llama/modeling_llama.py(452): forward");
    ops_embedding(s, p);
    enum defect form = plan_has(p, DEFECT_SILENT_GRAPHS)    ? DEFECT_SILENT_GRAPHS
                       : plan_has(p, DEFECT_PARTIAL_GRAPHS) ? DEFECT_PARTIAL_GRAPHS
                                                            : DEFECT_GPU_GRAPH;
    bool graph = plan_has(p, form);
    if (graph) {
        s->tally[form].count++;
        sim_python(s, "torch/cuda/graphs.py(88): replay");
        sim_replay_begin(s, 12e3 * (double)p->layers);
    }
    int64_t split = p->second == SECOND_UNEVEN ? p->layers * 3 / 4 : p->layers / 2;
    for (int64_t i = 0; i < p->layers; i++) {
        if (p->second && i == split)
            go_to_peer(s, p);
        s->silent = hidden_layer(p, step, i);
        decoder_layer(s, p, step, i);
    }
    s->on_peer &= p->second == SECOND_TURNS;
    if (graph) {
        sim_replay_end(s);
        sim_end(s);
    }
    sample_token(s, p);
    s->on_peer = false;
    sim_end_n(s, 3);
}

void llm_step(struct simulator *s, const struct sample_plan *p, int64_t step)
{
    /* Between steps a server schedules, detokenises, answers: about 3 % of a step. */
    double before_ns = 400e3;
    if (step > 0)
        before_ns = 0.035 / (double)step * s->work_ns;
    sim_python(s, "serving/engine.py(310): step");
    host_preprocessing(s, p);
    host_pause(s, p, step);
    host_sampler(s, p);
    host_input_loop(s, p);
    host_cpu_attention(s, p);
    sim_python(s, "serving/scheduler.py(141): schedule");
    sim_think(s, before_ns * p->host_scale);
    sim_end(s);
    if (p->kind == KIND_SERVING) {
        struct sample_plan now = serving_step(s, p, step);
        forward(s, &now, step);
        sim_end(s);
    } else {
        forward(s, p, step);
    }
    sim_end(s);
}
