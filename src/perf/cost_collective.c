/* cost_collective.c - collectives that a library launches as ordinary operators.
 *
 * Bytes are those of local memory; the wire is not counted. */
#include "perf/cost.h"

#include <math.h>

/* The width of an operand, whose type, and strides if asked, are recorded. */
static double typed(struct op_args *a, struct cost *c, int slot, bool strides)
{
    double bytes = args_bytes(a, slot);
    args_need(a, !isnan(bytes));
    param_text(&c->params, "dtype_in", args_type(a, slot));
    if (strides)
        param_value(&c->params, "stride_input", args_strides(a, slot));
    return bytes;
}

/* The sum over ranks, the residual, then the norm of each row. */
void cost_allreduce_rmsnorm(struct op_args *a, struct cost *c)
{
    bool in_place = a->model->key == MODEL_AITER_FUSED_ALLREDUCE_RMSNORM_INPLACE;
    int slot = in_place ? 0 : 2;
    struct shape s = args_shape(a, slot);
    double channels = args_dim(a, in_place ? 2 : 6, 0);
    param_shape(&c->params, "op_shape", &s);
    double e = shape_count(&s), bytes = typed(a, c, slot, true);
    param_int(&c->params, "num_channels", channels);
    args_need(a, channels != 0);
    if (!args_ok(a))
        return;
    c->flop = e + floor(e / channels) * (2 * channels + 2) + 2 * e;
    c->byte = 4 * e * bytes + channels * bytes;
}

void cost_all_reduce(struct op_args *a, struct cost *c)
{
    struct shape s = args_shape(a, 1);
    param_shape(&c->params, "op_shape", &s);
    c->flop = 0;
    c->byte = 2 * shape_count(&s) * typed(a, c, 1, true);
}

void cost_scatter_gather(struct op_args *a, struct cost *c)
{
    struct shape in = args_shape(a, 1), out = args_shape(a, 2);
    param_shape(&c->params, "op_shape", &in);
    param_shape(&c->params, "out_shape", &out);
    c->flop = 0;
    c->byte = (shape_count(&in) + shape_count(&out)) * typed(a, c, 1, true);
}

void cost_gather_into(struct op_args *a, struct cost *c)
{
    struct shape out = args_shape(a, 0), in = args_shape(a, 1);
    param_shape(&c->params, "out_shape", &out);
    param_shape(&c->params, "op_shape", &in);
    c->flop = 0;
    c->byte = (shape_count(&in) + shape_count(&out)) * typed(a, c, 0, false);
}
