/* cost_moe.c - the two products of a mixture of experts, together or apart.
 *
 * Routing is taken to be uniform: of e experts, k drawn for each of m tokens touch
 * e (1 - ((e - k) / e)^m) on average, and only their weights are read. */
#include "perf/cost.h"

#include "perf/dtype.h"

#include <math.h>

/* Tokens m, hidden size k, size between the products n, experts e, top of them. */
struct moe {
    double m, k, n, e, top;
    bool gated;
    struct str in, weight, out; /* types; no text: not recorded */
    bool has_gate, has_weight;
    double in_bytes, weight_bytes, out_bytes;
};

enum stage { UP, DOWN, FUSED };

static double active_experts(const struct moe *v)
{
    return v->e * (1 - pow((v->e - v->top) / v->e, v->m));
}

static void set_types(struct moe *v, struct str in, struct str weight, struct str out)
{
    v->in = in;
    v->weight = weight;
    v->out = out;
    v->in_bytes = dtype_moe_bytes(in, 2);
    v->weight_bytes = dtype_moe_bytes(weight, 1);
    v->out_bytes = out.p ? dtype_moe_bytes(out, 2) : v->in_bytes;
    v->has_weight = true;
}

static void finish(struct cost *c, const struct moe *v, enum stage stage,
                   struct str precision)
{
    struct param_list *p = &c->params;
    param_ints(p, {"num_tokens", v->m}, {"hidden_dim", v->k}, {"inter_dim", v->n},
               {"num_experts", v->e}, {"topk", v->top});
    if (v->has_gate)
        param_bool(p, "gated", v->gated);
    param_text(p, "input_dtype", v->in);
    if (v->has_weight)
        param_text(p, "weight_dtype", v->weight);
    if (v->out.p)
        param_text(p, "output_dtype", v->out);
    c->precision = precision;

    double gate = v->gated ? 2 : 1, product = 2 * v->m * v->k * v->n * v->top;
    double weights = active_experts(v) * v->n * v->k * v->weight_bytes;
    double tokens = v->m * v->k, between = v->m * v->n * v->top;
    if (stage == UP) {
        c->flop = product * gate;
        c->byte = tokens * v->in_bytes + weights * gate + between * v->out_bytes;
    } else if (stage == DOWN) {
        c->flop = product;
        c->byte = between * v->in_bytes + weights + tokens * v->out_bytes;
    } else { /* the sum over the experts of a token is counted here only */
        c->flop = product * gate + product + tokens * (2 * v->top - 1);
        c->byte =
            tokens * v->in_bytes + weights * gate + weights + tokens * v->out_bytes;
    }
}

/* Packed weights are narrower than the tokens: how many values share an element. */
static double packing(struct op_args *a, double k, double columns)
{
    args_need(a, columns != 0);
    return columns != 0 ? floor(k / columns) : 0;
}

/* Weights [e, rows, k] and [e, k, n] in slots w and w + 1; twice n rows mean a gate. */
static void read_whole(struct op_args *a, struct moe *v, int w)
{
    struct shape w1 = args_shape_rank(a, w, 3), w2 = args_shape_rank(a, w + 1, 3);
    v->m = args_dim(a, 0, 0);
    v->e = w1.dim[0];
    v->k = w2.dim[1];
    v->n = w2.dim[2] * packing(a, v->k, w1.dim[2]);
    v->gated = w1.dim[1] == 2 * v->n;
    v->has_gate = true;
}

/* Also the stages of FlyDSL, which are recorded with the arguments of the whole. */
void cost_moe_whole(struct op_args *a, struct cost *c)
{
    struct moe v = {0};
    enum model_key key = a->model->key;
    if (key == MODEL_MOE_AITER_FUSED_BLOCKSCALE) {
        read_whole(a, &v, 2);
        v.top = args_int(a, 8);
        set_types(&v, args_type(a, 1), args_type(a, 2), args_type(a, 0));
        bool spelt = str_eq(v.in, S("fp8")) || str_eq(v.in, S("bf16"));
        finish(c, &v, FUSED, spelt ? S("fp8") : dtype_precision(v.in));
        return;
    }
    bool fly = key != MODEL_MOE_AITER_FUSED_1STAGE;
    read_whole(a, &v, 1);
    v.top = args_dim(a, 3, 1);
    set_types(&v, args_type(a, 0), args_type(a, 1), (struct str){0});
    enum stage stage = key == MODEL_MOE_FLYDSL_STAGE1   ? UP
                       : key == MODEL_MOE_FLYDSL_STAGE2 ? DOWN
                                                        : FUSED;
    finish(c, &v, stage, dtype_precision(fly ? v.weight : v.in));
}

void cost_moe_cktile(struct op_args *a, struct cost *c)
{
    bool up = a->model->key == MODEL_MOE_AITER_UNFUSED_UP;
    struct shape in = args_shape_rank(a, 0, up ? 2 : 3);
    struct moe v = {.m = in.dim[0], .e = args_dim(a, 1, 0)};
    if (up) {
        struct shape out = args_shape_rank(a, 2, 3);
        v.k = in.dim[1];
        v.top = out.dim[1];
        v.n = out.dim[2];
        v.gated = args_dim(a, 1, 1) == 2 * v.n;
        v.has_gate = true;
    } else {
        v.top = in.dim[1];
        v.n = in.dim[2];
        v.k = args_dim(a, 1, 1);
    }
    set_types(&v, args_type(a, 0), args_type(a, 1), args_type(a, 2));
    finish(c, &v, up ? UP : DOWN, dtype_precision(v.in));
}

void cost_moe_ck(struct op_args *a, struct cost *c)
{
    bool up = a->model->key == MODEL_MOE_AITER_CK_STAGE1;
    struct shape w1 = args_shape(a, 1);
    double columns = shape_at(a, &w1, -1);
    struct moe v = {.m = args_dim(a, 0, 0), .e = args_dim(a, 2, 0)};
    v.k = args_dim(a, 2, 1);
    if (up) {
        v.n = args_dim(a, 2, 2) * packing(a, v.k, columns);
        v.top = args_dim(a, 6, 1);
        v.gated = shape_at(a, &w1, 1) == 2 * v.n;
        v.has_gate = true;
    } else {
        struct shape in = args_shape_rank(a, 0, 3);
        v.top = in.dim[1];
        v.n = in.dim[2] * packing(a, v.k, columns);
    }
    set_types(&v, args_type(a, 0), args_type(a, up ? 1 : 2), (struct str){0});
    finish(c, &v, up ? UP : DOWN, dtype_precision(v.in));
}

/* The kernel's name says how the weights are packed; nothing else does. */
static struct str kernel_weight(struct op_args *a)
{
    args_need(a, a->call->n_kernels > 0);
    struct str name = a->call->n_kernels > 0 ? a->call->kernels[0] : S("");
    if (str_has_nocase(name, S("fp4")))
        return S("FP4");
    if (str_has_nocase(name, S("fp8")) || str_has_nocase(name, S("e4m3")))
        return S("FP8");
    return S("");
}

/* The size between the products is in no argument, and taken to be the hidden size. */
void cost_moe_triton(struct op_args *a, struct cost *c)
{
    bool up = a->model->key == MODEL_MOE_TRITON_UNFUSED_UP;
    const struct value *gated = args_extra(a, "MoE GEMM gated");
    args_need(a, gated != NULL && args_n_types(a) >= 2);
    struct shape in = args_shape_rank(a, 0, 2);
    struct moe v = {.m = in.dim[0],
                    .k = in.dim[1],
                    .n = in.dim[1],
                    .e = args_dim(a, 1, 1),
                    .top = args_extra_int(a, "MoE topk"),
                    .gated = value_truth(gated),
                    .has_gate = true};
    set_types(&v, args_type(a, 0), kernel_weight(a), (struct str){0});
    args_need(a, v.weight.n > 0 && !isnan(dtype_moe_bytes(v.in, (double)NAN)));
    finish(c, &v, up ? UP : DOWN, dtype_precision(v.weight));
}

/* Four-bit weights, two to an element. */
void cost_moe_gptq(struct op_args *a, struct cost *c)
{
    bool up = a->model->key == MODEL_MOE_GPTQ_AWQ_UP;
    const struct value *gated = args_extra(a, "MoE GEMM gated");
    struct shape in = args_shape_rank(a, 0, 2);
    struct moe v = {
        .m = in.dim[0], .k = in.dim[1], .top = args_extra_int(a, "MoE topk")};
    if (up) {
        v.gated = !gated || value_truth(gated);
        v.has_gate = true;
        v.e = args_dim(a, 1, 0);
        v.n = args_dim(a, 1, 1);
        v.n = v.gated ? floor(v.n / 2) : v.n;
    } else {
        v.e = args_dim(a, 2, 0);
        v.n = 2 * args_dim(a, 2, 2);
    }
    set_types(&v, args_type(a, 0), S(""), (struct str){0});
    v.weight_bytes = 0.5;
    v.has_weight = false;
    finish(c, &v, up ? UP : DOWN, dtype_precision(v.in));
}

/* One product of tokens with weights [e, n, k]; slot 8 holds the chosen experts. */
void cost_moe_invoke(struct op_args *a, struct cost *c)
{
    args_need(a, args_n_dims(a) >= 9);
    struct shape w = args_shape_rank(a, 1, 3), ids = args_shape_rank(a, 8, 2);
    double work = ids.dim[0] * ids.dim[1], n = w.dim[1], k = w.dim[2];
    struct moe v = {.m = ids.dim[0], .e = w.dim[0], .top = ids.dim[1]};
    struct str in = args_type(a, 0), weight = args_type(a, 1);
    struct str out = args_type_or(a, 3, S(""));
    out = out.n ? out : in;
    param_ints(&c->params, {"m_work", work}, {"num_tokens", v.m}, {"topk", v.top},
               {"N", n}, {"K", k}, {"num_experts", v.e});
    param_text(&c->params, "input_dtype", in);
    type_param(c, "weight_dtype", weight);
    param_text(&c->params, "output_dtype", out);
    double active = v.e == 0 ? 0 : active_experts(&v);
    c->flop = 2 * work * n * k;
    c->byte = work * k * dtype_moe_bytes(in, 2) +
              active * n * k * dtype_moe_bytes(weight, 1) +
              work * n * dtype_moe_bytes(out, 2);
}
