/* cost_inference_attention.c - attention of serving engines, over a cache of keys.
 *
 * How much is attended to is not in the shapes: the step's annotation says it. */
#include "perf/cost.h"

#include "perf/dtype.h"
#include "perf/step_annotation.h"

#include <math.h>

struct served {
    double n_q, h_q, n_kv, h_kv, d_qk, d_v;
    struct step_tokens context, generation;
    struct str q_type, kv_type; /* no text: not recorded */
    bool has_kv_type;
    bool windowed; /* a window is recorded */
    double window; /* generated tokens see at most this many; <= 0: all */
    bool bf16;     /* computes in bf16 whatever the operands say */
};

/* Q [n, h, d] in one slot; K and V end in [.., h, d] in the next. */
static void read_plain(struct op_args *a, struct served *v)
{
    enum model_key key = a->model->key;
    struct shape q = args_shape_rank(a, 0, 3), k = args_shape(a, 1);
    v->n_q = q.dim[0];
    v->h_q = q.dim[1];
    v->d_qk = q.dim[2];
    v->n_kv = shape_at(a, &k, k.rank - 3);
    v->h_kv = shape_at(a, &k, k.rank - 2);
    v->d_v = shape_at(a, &k, k.rank - 1);
    v->q_type = args_type(a, 0);
    v->kv_type = args_type_or(a, 1, v->q_type);
    v->has_kv_type = true;
    struct shape third;
    bool wide = key == MODEL_AITER_FMHA_V3_VARLEN_FWD ||
                key == MODEL_AITER_MHA_BATCH_PREFILL ||
                key == MODEL_PSEUDO_MLA_PREFILL_FWD;
    if (wide && shape_read(args_dims(a, 2), &third) && third.rank > 0)
        v->d_v = third.dim[third.rank - 1];
    if (key == MODEL_MLA_TILELANG_SPARSE_FWD)
        v->d_v = 512; /* the latent width; the reference never finds another */
}

static void read_ragged(struct op_args *a, struct served *v)
{
    struct shape q = args_shape_rank(a, 2, 3), k = args_shape(a, 3);
    struct shape values = args_shape(a, 4);
    v->n_q = q.dim[0];
    v->h_q = q.dim[1];
    v->d_qk = q.dim[2];
    v->h_kv = shape_at(a, &k, k.rank - 2);
    v->d_v = shape_at(a, &values, -1);
    v->n_kv = v->context.sk + v->generation.sk;
    v->q_type = args_type(a, 2);
}

static void read_gluon(struct op_args *a, struct served *v)
{
    v->context = (struct step_tokens){0};
    v->n_q = args_dim(a, 0, 0);
    v->h_q = args_dim(a, 0, 1);
    v->d_qk = v->d_v = args_dim(a, 0, 2);
    v->h_kv = args_dim(a, 2, 1);
    v->n_kv = v->generation.sk;
    v->q_type = args_type(a, 0);
    v->kv_type = args_type(a, 2);
    v->has_kv_type = v->windowed = true;
    v->window = args_int_or(a, 19, 0);
}

/* DeepSeek V4: each layer sees a window, and of what is before it either nothing, the
 * best of every 4, or one of every 128 tokens. */
static double v4_window(const struct op_args *a, const struct served *v, bool pro)
{
    double window = args_extra_int_or(a, "v4_window", 128);
    double top = args_extra_int_or(a, "v4_index_topk", pro ? 1024 : 512);
    double requests = v->generation.sq, each = v->generation.sk / requests;
    if (a->model->key == MODEL_PSEUDO_V4_PAGED_DECODE_SWA)
        return window;
    if (a->model->key == MODEL_PSEUDO_V4_PAGED_DECODE_CSA)
        return window + (requests > 0 ? fmin(ceil(each / 4), top) : top);
    return requests > 0 ? window + ceil(each / 128) : 0;
}

static void read_v4(struct op_args *a, struct served *v)
{
    const struct value *name = args_extra(a, "v4_model_name");
    bool pro = str_has_nocase(value_text(name), S("DeepSeek-V4-Pro"));
    double ranks = args_extra_int_or(a, "v4_tp", 1), heads = pro ? 128 : 64;
    struct shape q;
    v->context = (struct step_tokens){0};
    heads = fmax(1, floor(heads / (ranks != 0 ? ranks : 1)));
    v->h_q = args_extra_int_or(a, "v4_H_Q", heads);
    v->d_qk = v->d_v = args_extra_int_or(a, "v4_d_h", 512);
    bool has_q = shape_read(args_dims(a, 0), &q) && q.rank > 0;
    v->n_q = has_q ? q.dim[0] : v->generation.sq;
    v->n_kv = v->generation.sk;
    v->h_kv = 1;
    v->q_type = v->kv_type = S("c10::bfloat16");
    v->has_kv_type = v->windowed = v->bf16 = true;
    v->window = v4_window(a, v, pro);
}

static void shape_params(struct cost *c, const struct served *v)
{
    struct param_list *p = &c->params;
    param_ints(p, {"B", 1}, {"N_Q", v->n_q}, {"H_Q", v->h_q}, {"H_V", v->h_kv},
               {"H_K", v->h_kv}, {"N_KV", v->n_kv}, {"H_KV", v->h_kv},
               {"d_h_qk", v->d_qk}, {"d_h_v", v->d_v});
    param_real(p, "dropout", 0);
    param_bool(p, "causal", false);
    param_bool(p, "flash_impl", true);
}

static void token_params(struct cost *c, const struct step_tokens *context,
                         const struct step_tokens *generation)
{
    struct param_list *p = &c->params;
    param_ints(p, {"c_sq", context->sq}, {"c_sk", context->sk},
               {"c_sqsq", context->sqsq}, {"c_sqsk", context->sqsk},
               {"g_sq", generation->sq}, {"g_sk", generation->sk},
               {"g_sqsq", generation->sqsq}, {"g_sqsk", generation->sqsk});
}

static double windowed(const struct served *v, double tokens)
{
    double q = v->generation.sq;
    return v->window > 0 && q != 0 ? fmin(tokens, q * v->window) : tokens;
}

static void set_cost(struct cost *c, const struct served *v)
{
    const struct step_tokens *n = &v->context, *g = &v->generation;
    double both = v->d_qk + v->d_v, bytes = dtype_bytes(v->q_type);
    bytes = isnan(bytes) ? 2 : bytes;
    double kv_bytes = v->has_kv_type ? dtype_bytes(v->kv_type) : bytes;
    kv_bytes = isnan(kv_bytes) ? bytes : kv_bytes;
    double cached = (n->sk - n->sq) + (windowed(v, g->sk) - g->sq);
    c->flop = v->h_q * both * (2 * n->sqsk - n->sqsq) +
              2 * v->h_q * both * windowed(v, g->sqsk);
    c->byte = (n->sq + g->sq) * (v->h_q + v->h_kv) * both * bytes +
              cached * v->h_kv * both * kv_bytes;
}

void cost_inference_attention(struct op_args *a, struct cost *c)
{
    struct served v = {0};
    args_need(a, step_annotation_read(a->call->annotation, &v.context, &v.generation));
    switch (a->model->key) {
    case MODEL_AITER_PAGED_ATTENTION_RAGGED:
        read_ragged(a, &v);
        break;
    case MODEL_PA_DECODE_GLUON:
        read_gluon(a, &v);
        break;
    case MODEL_PSEUDO_V4_PAGED_DECODE_SWA:
    case MODEL_PSEUDO_V4_PAGED_DECODE_CSA:
    case MODEL_PSEUDO_V4_PAGED_DECODE_HCA:
        read_v4(a, &v);
        break;
    default:
        read_plain(a, &v);
    }
    if (v.context.sq == 0 && v.generation.sq == 0)
        args_drop(a);
    if (!args_ok(a))
        return;
    shape_params(c, &v);
    token_params(c, &v.context, &v.generation);
    type_param(c, "dtype_Q", v.q_type);
    if (v.has_kv_type)
        param_text(&c->params, "dtype_KV", v.kv_type);
    if (v.windowed)
        param_int(&c->params, "sliding_window", v.window);
    if (v.bf16)
        c->precision = S("bf16");
    set_cost(c, &v);
}

/* Pairs of query and key are listed, for the prefix in slot 2 and the new in slot 5. */
void cost_sparse_prefill(struct op_args *a, struct cost *c)
{
    struct shape q = args_shape_rank(a, 0, 3);
    double pairs = args_dim(a, 2, 0) + args_dim(a, 5, 0), d = q.dim[2];
    struct served v = {.n_q = q.dim[0],
                       .h_q = q.dim[1],
                       .n_kv = pairs,
                       .h_kv = 1,
                       .d_qk = d,
                       .d_v = d,
                       .q_type = args_type(a, 0),
                       .kv_type = args_type(a, 1)};
    shape_params(c, &v);
    param_int(&c->params, "prefill_pairs", pairs);
    type_param(c, "dtype_Q", v.q_type);
    param_text(&c->params, "dtype_KV", v.kv_type);
    double bytes = args_bytes_or(a, 0, 2), kv_bytes = args_bytes_or(a, 1, bytes);
    c->flop = pairs * v.h_q * 2 * (2 * d);
    c->byte = 2 * v.n_q * v.h_q * d * bytes + pairs * d * kv_bytes;
}

/* A gated delta rule: a state instead of a cache, so that tokens count and not pairs.
 * Half as many key heads as value heads, and 16 bits, are the reference's assumptions.
 */
void cost_gdn_attention(struct op_args *a, struct cost *c)
{
    struct step_tokens context = {0}, generation = {0};
    bool read = step_annotation_read(a->call->annotation, &context, &generation);
    double t = context.sq + generation.sq;
    if (!read || t == 0) {
        args_drop(a);
        return;
    }
    double h_v = args_dim(a, 1, 1), d_v = args_dim(a, 3, 2), h_k = floor(h_v / 2);
    args_need(a, h_k != 0);
    if (!args_ok(a))
        return;
    double d_k = floor(floor((args_dim(a, 0, 1) - h_v * d_v) / 2) / h_k);
    struct param_list *p = &c->params;
    param_ints(p, {"B", 1}, {"N_Q", t}, {"H_Q", h_k}, {"N_KV", 0}, {"H_KV", h_k},
               {"H_V", h_v}, {"H_K", h_k}, {"d_h_qk", d_k}, {"d_h_v", d_v});
    context = (struct step_tokens){context.sq, context.sq, 0, 0};
    generation = (struct step_tokens){generation.sq, generation.sq, 0, 0};
    token_params(c, &context, &generation);
    type_param(c, "dtype_Q", args_type(a, 0));
    c->flop = 7 * t * h_v * d_v * d_k;
    c->byte = t * h_v * (d_k + 2 * d_v + 2) * 2;
}

/* Keys and values, each read once and written once. */
void cost_store_cache(struct op_args *a, struct cost *c)
{
    struct shape s = args_shape(a, 0);
    double n = shape_count(&s);
    param_shape(&c->params, "op_shape", &s);
    param_int(&c->params, "nelems", n);
    type_param(c, "dtype", args_type(a, 0));
    c->flop = 0;
    c->byte = 4 * n * args_bytes_or(a, 0, 2);
}
