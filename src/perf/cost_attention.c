/* cost_attention.c - scaled dot product attention of training frameworks.
 *
 * Softmax, masks and dropout cost nothing here; two bytes an element whatever the type.
 */
#include "perf/cost.h"

#include <math.h>

enum layout { BNHD, BHND, THD };
enum reading { ABSENT, ZERO, REQUIRED, LENIENT, LITERAL, LITERAL_OR_TRUE, LOWER };

/* Where a model finds what it needs. Q, K and V are three slots in a row. */
struct form {
    enum layout layout;
    int q;
    enum reading dropout;
    int dropout_at;
    enum reading causal;
    int causal_at;
    bool flash;     /* Q K' is computed again in the backward */
    bool types;     /* dtype_A_B is recorded, and gives the precision */
    bool strides;   /* q_stride, k_stride and v_stride are recorded, and needed */
    bool gradient;  /* the model is of a backward op */
    int sequences;  /* slot of the cumulative lengths of Q, K's next; 0: one sequence */
    int max_length; /* slot of the greatest length of Q, K's next */
};

#define NO_DTYPE false, false
#define DTYPE    true, false
#define WITH_ALL true, true
#define AITER(q, dropout, causal, gradient)                                            \
    {                                                                                  \
        BNHD, q, LENIENT, dropout, LOWER, causal, true, NO_DTYPE, gradient, 0, 0       \
    }

/* clang-format off */
static const struct form forms[PERF_MODELS] = {
    [MODEL_FLASH_ATTENTION] =
        {BNHD, 0, REQUIRED, 3, LITERAL, 5, true, WITH_ALL, false, 0, 0},
    [MODEL_FLASH_ATTENTION_BACKWARD] =
        {BNHD, 1, LENIENT, 8, LITERAL_OR_TRUE, 10, true, WITH_ALL, true, 0, 0},
    [MODEL_FLASH_ATTENTION_VARLEN_FORWARD] =
        {THD, 0, REQUIRED, 7, LITERAL, 9, true, WITH_ALL, false, 3, 5},
    [MODEL_FLASH_ATTENTION_VARLEN_BACKWARD] =
        {THD, 1, REQUIRED, 13, LITERAL, 15, true, WITH_ALL, true, 9, 11},
    [MODEL_ATEN__SCALED_DOT_PRODUCT_CUDNN_ATTENTION] =
        {BHND, 0, LENIENT, 5, LOWER, 6, false, DTYPE, false, 0, 0},
    [MODEL_ATEN__SCALED_DOT_PRODUCT_EFFICIENT_ATTENTION] =
        {BHND, 0, LENIENT, 5, LOWER, 6, false, DTYPE, false, 0, 0},
    [MODEL_ATEN__SCALED_DOT_PRODUCT_FLASH_ATTENTION] =
        {BHND, 0, LENIENT, 3, LOWER, 4, true, DTYPE, false, 0, 0},
    [MODEL_AITER__FLASH_ATTN_FORWARD] = AITER(0, 3, 5, false),
    [MODEL_AITER__MHA_FWD] = AITER(0, 3, 5, false),
    [MODEL_AITER__FMHA_V3_FWD] = AITER(0, 3, 5, false),
    [MODEL_AITER__FLASH_ATTN_BACKWARD] = AITER(0, 10, 12, true),
    [MODEL_AITER__FMHA_V3_FORWARD] = AITER(1, 4, 6, false),
    [MODEL_AITER__FMHA_V3_BACKWARD] = AITER(1, 7, 9, true),
    [MODEL_AITER__MHA_BWD] = AITER(1, 6, 8, true),
    [MODEL_FLASH_ATTN_V3_FORWARD] =
        {BNHD, 0, ZERO, 0, LOWER, 24, true, NO_DTYPE, false, 0, 0},
    [MODEL_EVOFORMER_ATTENTION] =
        {BNHD, 0, ABSENT, 0, ABSENT, 0, false, DTYPE, false, 0, 0},
};
/* clang-format on */

struct heads {
    double batch, length, heads, width;
};

struct attention {
    double b, n_q, h_q, n_kv, h_kv, d_qk, d_v;
    double dropout;
    bool causal, flash;
    double seqs_q, seqs_kv, max_q, max_kv;
};

static struct heads read_heads(struct op_args *a, int i, enum layout layout)
{
    struct shape s = args_shape_rank(a, i, layout == THD ? 3 : 4);
    const double *d = s.dim;
    if (layout == THD)
        return (struct heads){1, d[0], d[1], d[2]};
    if (layout == BHND)
        return (struct heads){d[0], d[2], d[1], d[3]};
    return (struct heads){d[0], d[1], d[2], d[3]};
}

/* [batch, sequences, residues, heads, width]: attention among the residues. */
static void read_evoformer(struct op_args *a, struct attention *t)
{
    struct shape s = args_shape_rank(a, 0, 5);
    t->b = s.dim[0] * s.dim[1];
    t->n_q = t->n_kv = s.dim[2];
    t->h_q = t->h_kv = s.dim[3];
    t->d_qk = t->d_v = s.dim[4];
}

static void read_qkv(struct op_args *a, const struct form *f, struct attention *t)
{
    struct heads q = read_heads(a, f->q, f->layout);
    struct heads k = read_heads(a, f->q + 1, f->layout);
    struct heads v = read_heads(a, f->q + 2, f->layout);
    args_need(a, q.batch == k.batch && k.batch == v.batch && k.heads == v.heads &&
                     k.length == v.length && q.width == k.width);
    t->b = q.batch;
    t->n_q = q.length;
    t->h_q = q.heads;
    t->n_kv = k.length;
    t->h_kv = k.heads;
    t->d_qk = q.width;
    t->d_v = v.width;
}

static void read_flags(struct op_args *a, const struct form *f, struct attention *t)
{
    if (f->dropout == REQUIRED)
        t->dropout = args_real(a, f->dropout_at);
    else if (f->dropout == LENIENT)
        t->dropout = args_real_or(a, f->dropout_at, 0);
    if (f->causal == LOWER)
        t->causal = args_is_true(a, f->causal_at);
    else if (f->causal == LITERAL_OR_TRUE &&
             args_concrete_or(a, f->causal_at, S("")).n == 0)
        t->causal = true; /* the reference's default, odd as it is */
    else if (f->causal != ABSENT)
        t->causal = args_literal(a, f->causal_at);
    t->flash = f->flash;
}

static void read_sequences(struct op_args *a, const struct form *f, struct attention *t)
{
    if (!f->sequences)
        return;
    t->seqs_q = args_dim(a, f->sequences, 0) - 1;
    t->seqs_kv = args_dim(a, f->sequences + 1, 0) - 1;
    t->max_q = args_real(a, f->max_length);
    t->max_kv = args_real(a, f->max_length + 1);
}

static void add_types(struct op_args *a, struct cost *c)
{
    bool evoformer = a->model->key == MODEL_EVOFORMER_ATTENTION;
    struct str types[] = {args_type(a, 0), evoformer ? S("") : args_type(a, 1)};
    types_param(c, "dtype_A_B", types, evoformer ? 1 : 2);
}

static void add_params(struct op_args *a, const struct form *f,
                       const struct attention *t, struct cost *c)
{
    struct param_list *p = &c->params;
    param_ints(p, {"B", t->b}, {"N_Q", t->n_q}, {"H_Q", t->h_q}, {"N_KV", t->n_kv},
               {"H_KV", t->h_kv}, {"d_h_qk", t->d_qk}, {"d_h_v", t->d_v});
    if (f->strides) {
        param_value(p, "q_stride", args_strides(a, f->q));
        param_value(p, "k_stride", args_strides(a, f->q + 1));
        param_value(p, "v_stride", args_strides(a, f->q + 2));
    }
    if (f->dropout != ABSENT)
        param_real(p, "dropout", t->dropout);
    param_bool(p, "causal", t->causal);
    param_bool(p, "flash_impl", t->flash);
    if (f->types)
        add_types(a, c);
    if (f->sequences) {
        param_ints(p, {"num_seqs_q", t->seqs_q}, {"num_seqs_kv", t->seqs_kv});
        param_real(p, "max_seqlen_q", t->max_q);
        param_real(p, "max_seqlen_kv", t->max_kv);
    }
}

/* Half of the square below the diagonal; the reference has no answer for a rectangle,
 * and neither have we: the shape does not tell which corner the mask is aligned to. */
static double causal_share(struct op_args *a, const struct attention *t, double n_q,
                           double n_kv, double flop)
{
    args_need(a, !t->causal || n_q == n_kv);
    return t->causal ? flop / 2 : flop;
}

static double flop_forward(struct op_args *a, const struct attention *t, double n_q,
                           double n_kv)
{
    double flop = 2 * t->b * t->h_q * n_q * n_kv * (t->d_qk + t->d_v);
    return causal_share(a, t, n_q, n_kv, flop);
}

/* dV and dP, dQ and dK, Q K' again when it was not kept, and the sums of dV and dK over
 * the query heads that share a K/V head. */
static double flop_backward(struct op_args *a, const struct attention *t, double n_q,
                            double n_kv)
{
    args_need(a, t->h_kv != 0);
    double scores = 2 * t->b * t->h_q * n_q * n_kv * t->d_qk;
    double values = 2 * t->b * t->h_q * n_q * n_kv * t->d_v;
    double group = floor(t->h_q / (t->h_kv != 0 ? t->h_kv : 1));
    double sums = (group - 1) * t->b * n_kv * (t->d_v + t->d_qk);
    double flop = (t->flash ? scores : 0) + 2 * values + 2 * scores + sums;
    return causal_share(a, t, n_q, n_kv, flop);
}

/* Many sequences in one: the longest, and the others as if they were equal. */
static double flop_of(struct op_args *a, const struct form *f,
                      const struct attention *t, bool gradient)
{
    double (*flop)(struct op_args *, const struct attention *, double, double) =
        gradient ? flop_backward : flop_forward;
    if (!f->sequences)
        return flop(a, t, t->n_q, t->n_kv);
    double longest = flop(a, t, t->max_q, t->max_kv);
    double rest_q = t->seqs_q - 1, rest_kv = t->seqs_kv - 1;
    if (rest_q <= 0)
        return longest;
    args_need(a, rest_kv != 0);
    return longest + rest_q * flop(a, t, floor((t->n_q - t->max_q) / rest_q),
                                   floor((t->n_kv - t->max_kv) / rest_kv));
}

static double byte_of(struct op_args *a, const struct attention *t, bool gradient)
{
    double both = t->d_qk + t->d_v;
    double query = t->b * t->n_q * t->h_q, key = t->b * t->n_kv * t->h_kv;
    if (!gradient)
        return (query * both + key * both) * 2;
    double bytes = 2;
    if (a->model->key == MODEL_FLASH_ATTENTION_BACKWARD) {
        bytes = args_bytes(a, 0);
        args_need(a, !isnan(bytes));
    }
    return (2 * query * t->d_qk + query * t->d_v + 2 * key * both) * bytes;
}

void cost_attention(struct op_args *a, struct cost *c)
{
    const struct form *f = &forms[a->model->key];
    struct attention t = {0};
    if (a->model->key == MODEL_EVOFORMER_ATTENTION)
        read_evoformer(a, &t);
    else
        read_qkv(a, f, &t);
    read_flags(a, f, &t);
    read_sequences(a, f, &t);
    add_params(a, f, &t, c);
    bool gradient = f->gradient || a->backward;
    c->flop = flop_of(a, f, &t, gradient);
    c->byte = byte_of(a, &t, gradient);
}
