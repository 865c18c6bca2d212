#include "perf/cost_collective.h"

#include "perf/dtype.h"

#include <math.h>

static double width(struct op_args *a, struct str type)
{
    double bytes = dtype_bytes(type);
    args_need(a, !isnan(bytes));
    return bytes;
}

/* The sum over ranks, the residual, then the norm of each row. */
void cost_allreduce_rmsnorm(struct op_args *a, struct cost *c)
{
    bool in_place = a->model->key == MODEL_AITER_FUSED_ALLREDUCE_RMSNORM_INPLACE;
    int slot = in_place ? 0 : 2;
    struct shape s = args_shape(a, slot);
    double channels = args_dim(a, in_place ? 2 : 6, 0);
    struct str type = args_type(a, slot);
    param_shape(&c->params, "op_shape", &s);
    param_text(&c->params, "dtype_in", type);
    param_json(&c->params, "stride_input", args_strides(a, slot));
    param_int(&c->params, "num_channels", channels);
    args_need(a, channels != 0);
    if (!args_ok(a))
        return;
    double e = shape_count(&s), bytes = width(a, type);
    c->flop = e + floor(e / channels) * (2 * channels + 2) + 2 * e;
    c->byte = 4 * e * bytes + channels * bytes;
}

void cost_all_reduce(struct op_args *a, struct cost *c)
{
    struct shape s = args_shape(a, 1);
    struct str type = args_type(a, 1);
    param_shape(&c->params, "op_shape", &s);
    param_text(&c->params, "dtype_in", type);
    param_json(&c->params, "stride_input", args_strides(a, 1));
    c->flop = 0;
    c->byte = 2 * shape_count(&s) * width(a, type);
}

void cost_scatter_gather(struct op_args *a, struct cost *c)
{
    struct shape in = args_shape(a, 1), out = args_shape(a, 2);
    struct str type = args_type(a, 1);
    param_shape(&c->params, "op_shape", &in);
    param_shape(&c->params, "out_shape", &out);
    param_text(&c->params, "dtype_in", type);
    param_json(&c->params, "stride_input", args_strides(a, 1));
    c->flop = 0;
    c->byte = (shape_count(&in) + shape_count(&out)) * width(a, type);
}

void cost_gather_into(struct op_args *a, struct cost *c)
{
    struct shape out = args_shape(a, 0), in = args_shape(a, 1);
    struct str type = args_type(a, 0);
    param_shape(&c->params, "out_shape", &out);
    param_shape(&c->params, "op_shape", &in);
    param_text(&c->params, "dtype_in", type);
    c->flop = 0;
    c->byte = (shape_count(&in) + shape_count(&out)) * width(a, type);
}
