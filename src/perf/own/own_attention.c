/* own_attention.c - attention whose lengths are in the call: of several sequences in
 * one tensor, over a paged cache, and the backward operators of frameworks.
 *
 * Many sequences count as equally long, as their lengths are on the device. */
#include "perf/own/own_parts.h"

#include "perf/step_annotation.h"

#include <math.h>

/* Where an operator has its operands. */
struct form {
    const char *names;
    int q;            /* slot of Q; K and V follow */
    int lengths;      /* slot of the cumulative lengths of Q; K's next. 0: none */
    int pages;        /* slot of the list of cached pages; 0: none */
    int causal;       /* slot of the flag; 0: the second of two flags in a row */
    int unknown[2];   /* first and last slot of what makes K's length unknown */
    bool heads_first; /* [batch, heads, length, width]; else length before heads */
    bool gradient;
};

/* clang-format off */
static const struct form forms[] = {
    {"_efficient_attention_forward", 0, 4, 0, 9, {0}, false, false},
    {"_flash_attention_forward", 0, 3, 0, 8, {0}, false, false},
    {"_scaled_dot_product_fused_attention_overrideable", 0, 0, 0, 5, {0}, true, false},
    {"aiter::fmha_v3_varlen_fwd aiter::mha_varlen_fwd", 0, 3, 0, 0, {0}, false, false},
    {"aiter::mha_batch_prefill", 0, 3, 5, 0, {0}, false, false},
    {"_efficient_attention_backward", 1, 6, 0, 14, {0}, false, true},
    {"_flash_attention_backward", 1, 6, 0, 11, {0}, false, true},
    {"_scaled_dot_product_cudnn_attention_backward", 1, 0, 0, 14, {0}, true, true},
    {"_scaled_dot_product_efficient_attention_backward", 1, 0, 0, 11, {0}, true, true},
    {"_scaled_dot_product_flash_attention_backward", 1, 0, 0, 11, {0}, true, true},
    {"flash_attn::_flash_attn_forward", 0, 0, 0, 5, {0}, false, false},
    {"flash_attn::_flash_attn_varlen_forward", 0, 3, 0, 9, {15, 15}, false, false},
    {"_vllm_fa2_C::varlen_fwd", 0, 4, 0, 15, {6, 8}, false, false},
    {"flash_attn_3::fwd flash_attn_3::_flash_attn_forward _vllm_fa3_C::fwd", 0, 7, 0, 24,
     {10, 14}, false, false},
    {"_diffusers_flash_attn_3::_flash_attn_forward", 0, 0, 0, 4, {0}, false, false},
    {"flash_attn_3::bwd", 1, 9, 0, 16, {11, 12}, false, true},
    {"flash_attn_3::_flash_attn_backward", 1, 6, 0, 16, {8, 9}, false, true},
};
/* clang-format on */

static const struct form *form_of(struct str name)
{
    size_t i = 0;
    while (!str_among(own_bare(name), forms[i].names))
        i++;
    return &forms[i];
}

struct tensor {
    double batch, length, heads, width;
};

/* No model has so many heads: a wrapper recorded its own layout, heads before length.
 */
static bool has_heads_first(struct op_args *a, const struct form *f)
{
    enum { MOST_HEADS = 256 };
    struct shape q = args_shape(a, f->q), k = args_shape(a, f->q + 1);
    if (f->heads_first || f->pages || q.rank != 4 || k.rank != 4)
        return f->heads_first;
    return q.dim[2] > MOST_HEADS && k.dim[2] > MOST_HEADS && q.dim[1] <= MOST_HEADS &&
           k.dim[1] >= 1 && fmod(q.dim[1], k.dim[1]) == 0;
}

/* Three dimensions are those of tokens in a row. */
static struct tensor tensor_of(struct op_args *a, int i, bool heads_first)
{
    struct shape s = args_shape(a, i);
    const double *d = s.dim;
    args_need(a, s.rank == 3 || s.rank == 4);
    if (s.rank == 3)
        return (struct tensor){1, d[0], d[1], d[2]};
    if (heads_first)
        return (struct tensor){d[0], d[2], d[1], d[3]};
    return (struct tensor){d[0], d[1], d[2], d[3]};
}

static bool flag(struct str text)
{
    bool yes;
    text = str_trim(text);
    if (str_eq_nocase(text, S("true")) || str_eq_nocase(text, S("false")))
        return str_eq_nocase(text, S("true"));
    return python_truth(text, &yes) && yes;
}

/* Releases put more or fewer numbers before zero_tensors and is_causal. */
static bool second_of_flags(const struct op_args *a)
{
    for (int i = 1; i < value_count(a->call->args.concrete); i++) {
        struct str x = args_concrete_or(a, i - 1, S("")), y = args_concrete_or(a, i, x);
        if ((str_eq_nocase(x, S("true")) || str_eq_nocase(x, S("false"))) &&
            (str_eq_nocase(y, S("true")) || str_eq_nocase(y, S("false"))))
            return flag(y);
    }
    return false;
}

/* The template arguments Is_causal and Is_local of FlashAttention 3, which follow the
 * architecture: "flash::FlashAttnFwdSm90<.., cutlass::arch::Sm90, true, false, ..".
 * Empty if no kernel tells. */
static struct str template_flags(const struct op_call *call)
{
    for (int i = 0; i < call->n_kernels; i++) {
        struct str rest = call->kernels[i];
        if (!str_has(rest, S("flash::FlashAttn")))
            continue;
        str_take(&rest, S("cutlass::arch::Sm"));
        str_take(&rest, S(", "));
        if (rest.n > 0)
            return rest;
    }
    return S("");
}

/* As recorded, else by the kernel; if neither tells, no mask is assumed. */
static bool is_causal(struct op_args *a, const struct form *f, bool *known)
{
    struct str text = str_trim(args_concrete_or(a, f->causal, S("")));
    struct str by_kernel = template_flags(a->call);
    args_need(a, !str_starts(by_kernel, S("false, true"))); /* a sliding window */
    *known = !f->causal || text.n > 0 || by_kernel.n > 0;
    if (!f->causal)
        return second_of_flags(a);
    return text.n > 0 ? flag(text) : str_starts(by_kernel, S("true"));
}

/* Pairs of query and key of one sequence; a mask is aligned to the last of both. */
static double pairs(double q, double k, bool causal)
{
    if (!causal)
        return q * k;
    return k >= q ? q * k - q * q / 2 : k * k / 2;
}

static double sequences_of(struct op_args *a, const struct form *f, double batch)
{
    struct shape s;
    bool listed = f->lengths && shape_read(args_dims(a, f->lengths), &s) && s.rank == 1;
    double n = listed ? s.dim[0] - 1 : batch;
    args_need(a, n > 0);
    return n;
}

/* The backward computes the scores again, and four products more than the forward has:
 * 5 to 2. It reads the result and its gradient besides, and writes three gradients. */
static void set_cost(struct op_args *a, struct cost *c, const struct form *f,
                     const struct tensor *q, const struct tensor *k, double d_v)
{
    double n = sequences_of(a, f, q->batch), bytes = own_bytes(args_type(a, f->q));
    double tokens_q = q->batch * q->length, tokens_k = k->batch * k->length;
    bool known, causal = is_causal(a, f, &known);
    double flop =
        2 * q->heads * (q->width + d_v) * n * pairs(tokens_q / n, tokens_k / n, causal);
    double queries = tokens_q * q->heads * q->width,
           outputs = tokens_q * q->heads * d_v;
    double keys = tokens_k * k->heads * (k->width + d_v);
    param_ints(&c->params, {"B", n}, {"N_Q", round(tokens_q / n)}, {"H_Q", q->heads},
               {"N_KV", round(tokens_k / n)}, {"H_KV", k->heads}, {"d_h_qk", q->width},
               {"d_h_v", d_v});
    if (known)
        param_bool(&c->params, "causal", causal);
    else
        param_text(&c->params, "causal", S("not recorded, False assumed"));
    double read = queries + keys + (f->gradient ? 2 * outputs : 0);
    double written = f->gradient ? queries + keys : outputs;
    own_moved(c, read * bytes, written * bytes, f->gradient ? 2.5 * flop : flop,
              args_type(a, f->q));
}

void own_attention(struct op_args *a, struct cost *c)
{
    const struct form *f = form_of(a->call->name);
    bool heads_first = has_heads_first(a, f);
    struct tensor q = tensor_of(a, f->q, heads_first), k = {0};
    struct shape keys = args_shape(a, f->q + 1), values = args_shape(a, f->q + 2);
    double d_v = shape_at(a, &values, -1);
    if (!f->pages) {
        k = tensor_of(a, f->q + 1, heads_first);
    } else { /* K is the whole cache: what is attended to are the listed pages */
        double page = keys.rank == 4 ? shape_at(a, &keys, 1) : 1;
        k = (struct tensor){1, args_dim(a, f->pages, 0) * page, shape_at(a, &keys, -2),
                            shape_at(a, &keys, -1)};
    }
    for (int i = f->unknown[0]; i > 0 && i <= f->unknown[1]; i++)
        args_need(a, !args_has_shape(a, i));
    args_need(a, k.batch == q.batch && k.width == q.width);
    if (args_ok(a))
        set_cost(a, c, f, &q, &k, d_v);
}

/* Decoding: one token of each sequence [sequences, heads, width] against all cached
 * ones. How many these are is in the step's annotation. */
void own_paged_attention(struct op_args *a, struct cost *c)
{
    bool one_pass = str_ends(a->call->name, S("_v1"));
    int q = one_pass ? 1 : 4;
    struct shape query = args_shape_rank(a, q, 3), keys = args_shape(a, q + 1);
    struct step_tokens context, cached;
    args_need(a, keys.rank >= 4);
    args_need(a, step_annotation_read(a->call->annotation, &context, &cached));
    if (!args_ok(a))
        return;
    double heads = query.dim[1], width = query.dim[2], kv_heads = keys.dim[1];
    double kv_bytes = own_bytes(args_type(a, q + 1));
    param_ints(&c->params, {"B", query.dim[0]}, {"H_Q", heads}, {"N_KV", cached.sk},
               {"H_KV", kv_heads}, {"d_h_qk", width});
    own_moved(c, own_size(a, q) + 2 * cached.sk * kv_heads * width * kv_bytes,
              own_size(a, q), 4 * heads * width * cached.sk, args_type(a, q));
}
