/* cost_ssm.c - state space models: the short convolution before, and the scan; and the
 * loss at the end, which has no family to share a file with. */
#include "perf/cost.h"

#include "perf/dtype.h"

#include <math.h>

void cost_causal_conv1d(struct op_args *a, struct cost *c)
{
    struct shape s = args_shape_rank(a, 0, 3);
    double batch = s.dim[0], channels = s.dim[1], length = s.dim[2];
    double k = args_dim(a, 1, 1);
    bool bias = args_has_shape(a, 2);
    param_ints(&c->params, {"batch", batch}, {"channels", channels},
               {"seq_len", length}, {"kernel_size", k});
    param_bool(&c->params, "has_bias", bias);
    c->precision = dtype_precision(args_type_or(a, 0, S("")));
    c->flop = 2 * batch * channels * length * k;
    c->byte = (2 * batch * channels * length + channels * k + (bias ? channels : 0)) *
              args_bytes_or(a, 0, 2);
}

struct mamba {
    double b, t, h, p, g, n, chunk;
    double d_inner, d_conv, conv_channels, combined;
};

/* The state size follows from the width of the joint projection, which holds gate and
 * input (d_inner each), B and C (g n each) and a step for each head. */
static void read_mamba(struct op_args *a, struct mamba *m)
{
    struct shape s = args_shape_rank(a, 0, 3), conv = args_shape_rank(a, 1, 2);
    *m = (struct mamba){.b = s.dim[0],
                        .t = s.dim[1],
                        .combined = s.dim[2],
                        .conv_channels = conv.dim[0],
                        .d_conv = conv.dim[1],
                        .h = args_dim(a, 3, 0),
                        .chunk = args_int_or(a, 6, 128),
                        .p = args_int_or(a, 15, 64),
                        .g = args_int_or(a, 16, 1)};
    m->d_inner = m->h * m->p;
    double states = m->combined - 2 * m->d_inner - m->h;
    bool whole = m->g > 0 && states > 0 && fmod(states, 2 * m->g) == 0;
    args_need(a, whole);
    m->n = whole ? states / (2 * m->g) : 0;
}

static void mamba_params(struct cost *c, const struct mamba *m)
{
    struct param_list *p = &c->params;
    param_ints(p, {"B", m->b}, {"T", m->t}, {"H", m->h}, {"P", m->p}, {"G", m->g},
               {"N", m->n}, {"C", m->chunk}, {"d_inner", m->d_inner},
               {"d_conv", m->d_conv}, {"conv_channels", m->conv_channels},
               {"combined_dim", m->combined});
}

/* The convolution, C B' inside a chunk, its product with the input, and the states. */
void cost_mamba(struct op_args *a, struct cost *c)
{
    struct mamba m;
    read_mamba(a, &m);
    mamba_params(c, &m);
    double tokens = m.b * m.t, bytes = args_bytes_or(a, 0, 2);
    c->precision = dtype_precision(args_type_or(a, 0, S("")));
    c->flop = 2 * tokens * m.conv_channels * m.d_conv +
              2 * tokens * m.g * m.chunk * m.n + 2 * tokens * m.h * m.chunk * m.p +
              4 * tokens * m.h * m.n * m.p;
    c->byte = (tokens * m.combined + m.conv_channels * m.d_conv + m.conv_channels +
               tokens * m.d_inner) *
                  bytes +
              m.h * (args_bytes_or(a, 3, 4) + args_bytes_or(a, 4, 4) +
                     args_bytes_or(a, 5, bytes));
}

/* The logits once; a label of 8 bytes and a loss of 4 for each row. */
void cost_cross_entropy(struct op_args *a, struct cost *c)
{
    struct shape s = args_shape(a, 0);
    double batch = shape_at(a, &s, 0), vocabulary = shape_at(a, &s, -1);
    param_ints(&c->params, {"batch", batch}, {"vocab_size", vocabulary});
    param_shape(&c->params, "logits_shape", &s);
    c->precision = dtype_precision(args_type_or(a, 0, S("")));
    c->flop = 5 * batch * vocabulary;
    c->byte = shape_count(&s) * args_bytes_or(a, 0, 2) + 8 * batch + 4 * batch;
}
