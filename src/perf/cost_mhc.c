/* cost_mhc.c - hyper-connections: n residual streams mixed before and after a layer. */
#include "perf/cost.h"

#include "perf/dtype.h"

#include <math.h>

/* m tokens, n streams of c channels; h mixing weights for each of k inputs, the
 * products split in s parts. NaN: not part of the model. */
struct mhc {
    double m, n, c, h, k, s;
    struct str type;
};

static void read_mhc(struct op_args *a, struct mhc *v)
{
    const struct str usual = S("c10::BFloat16");
    struct shape layer = {0}, mix = {0};
    *v = (struct mhc){.h = (double)NAN, .k = (double)NAN, .s = (double)NAN};
    switch (a->model->key) {
    case MODEL_MHC_POST:
        layer = args_shape_rank(a, 1, 2);
        v->n = args_dim(a, 0, 1);
        v->type = args_type_or(a, 1, usual);
        break;
    case MODEL_MHC_PRE_GEMM_SQRSUM:
        layer = args_shape_rank(a, 2, 3);
        mix = args_shape_rank(a, 3, 2);
        v->n = layer.dim[1];
        layer.dim[1] = layer.dim[2];
        v->type = args_type_or(a, 2, usual);
        break;
    case MODEL_MHC_PRE_BIG_FUSE_RMSNORM:
        layer = args_shape_rank(a, 2, 2);
        v->n = args_dim(a, 0, 1);
        v->h = args_dim(a, 6, 0);
        v->s = args_dim(a, 3, 0);
        v->type = args_type_or(a, 7, usual);
        break;
    default:
        layer = args_shape_rank(a, 3, 2);
        mix = args_shape_rank(a, 7, 2);
        v->n = args_dim(a, 2, 1);
        v->type = args_type_or(a, 3, usual);
    }
    v->m = layer.dim[0];
    v->c = layer.dim[1];
    if (mix.rank) {
        v->h = mix.dim[0];
        v->k = mix.dim[1];
        v->s = args_dim(a, 0, 0);
    }
}

static void add_params(struct cost *c, const struct mhc *v)
{
    param_ints(&c->params, {"M", v->m}, {"n", v->n}, {"C", v->c}, {"hc3", v->h});
    if (!isnan(v->k))
        param_int(&c->params, "K", v->k);
    if (!isnan(v->s))
        param_int(&c->params, "split_k", v->s);
    type_param(c, "dtype_in", v->type);
}

void cost_mhc(struct op_args *a, struct cost *c)
{
    struct mhc v;
    read_mhc(a, &v);
    add_params(c, &v);
    double bytes = dtype_bytes(v.type);
    double layer = v.m * v.c * bytes, streams = v.n * layer;
    double mixing = 4 * v.m * v.n + 4 * v.m * v.n * v.n; /* fp32, as are the sums */
    double sums = 4 * v.s * v.m * v.h, squares = 4 * v.s * v.m;
    double weights = 4 * v.h * v.k;
    switch (a->model->key) {
    case MODEL_MHC_POST:
        c->flop = 2 * v.m * v.n * v.c * (v.n + 1);
        c->byte = layer + 2 * streams + mixing;
        break;
    case MODEL_MHC_PRE_GEMM_SQRSUM:
        c->flop = 2 * v.m * v.h * v.k;
        c->byte = streams + weights + sums + squares;
        break;
    case MODEL_MHC_PRE_BIG_FUSE_RMSNORM:
        c->flop = 2 * v.m * v.c * v.n + 5 * v.m * v.c;
        c->byte = streams + sums + v.c * bytes + layer + mixing;
        break;
    default:
        c->flop = 2 * v.m * v.n * v.c * (v.n + 1) + 2 * v.m * v.h * v.k;
        c->byte = layer + 3 * streams + mixing + weights + sums + squares;
    }
}
