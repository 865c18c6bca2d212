/* cost_rms_norm.c - root mean square norms of inference libraries, with what they fuse:
 * the sum of the residual before, the rounding to fewer bits after. */
#include "perf/cost.h"

#include "perf/cost_elementwise.h"
#include "perf/dtype.h"

#include <math.h>

struct rms {
    double e, channels, rows, bytes;
};

double rms_norm_flop(double elements, double channels)
{
    return elements / channels * (2 * channels + 2) + 2 * elements;
}

/* Input in one slot, weight in another: its length is the channel count. */
static struct rms read_rms(struct op_args *a, struct cost *c, int input, int weight)
{
    struct shape s = args_shape(a, input);
    struct str type = args_type(a, input);
    struct rms r = {shape_count(&s), args_dim(a, weight, 0), 0, dtype_bytes(type)};
    args_need(a, r.channels != 0 && !isnan(r.bytes));
    r.rows = floor(r.e / (r.channels != 0 ? r.channels : 1));
    unary_params(c, &s, type, (struct str){0}, args_strides(a, input), NULL);
    param_int(&c->params, "num_channels", r.channels);
    param_bool(&c->params, "has_bias", false);
    param_bool(&c->params, "is_affine", true);
    param_bool(&c->params, "is_training", false);
    return r;
}

/* Moves `tensors` of the input's size, and the weight; `sum`: a residual is added. */
static struct rms norm_and_sum(struct op_args *a, struct cost *c, int input, int weight,
                               bool sum, double tensors)
{
    struct rms r = read_rms(a, c, input, weight);
    c->flop = rms_norm_flop(r.e, r.channels) + (sum ? r.e : 0);
    c->byte = tensors * r.e * r.bytes + r.channels * r.bytes;
    return r;
}

/* A one-byte result, and a scale of 4 bytes for each group of a row. */
static void add_quantised(struct cost *c, const struct rms *r, double group)
{
    c->flop += 2 * r->e;
    c->byte += r->e + 4 * r->rows * ceil(r->channels / group);
}

static double group_or_row(double group, const struct rms *r)
{
    return group > 0 ? group : r->channels;
}

static double required_group(struct op_args *a, int i)
{
    double group = args_int(a, i);
    args_need(a, group != 0);
    return group;
}

/* The residual is added first; rows of the result are padded to a multiple. */
static void cost_pad(struct op_args *a, struct cost *c)
{
    struct rms r = norm_and_sum(a, c, 0, 1, true, 2);
    double multiple = args_int(a, 4), padded = r.channels;
    if (multiple > 0)
        padded = ceil(padded / multiple) * multiple;
    c->byte += r.rows * padded * r.bytes + r.rows * r.channels * r.bytes;
}

void cost_rms_norm(struct op_args *a, struct cost *c)
{
    struct rms r;
    switch (a->model->key) {
    case MODEL_AITER_RMS_NORM:
        norm_and_sum(a, c, 0, 1, false, 2);
        break;
    case MODEL_AITER_RMSNORM:
        norm_and_sum(a, c, 1, 2, false, 2);
        break;
    case MODEL_AITER_RMSNORM2D_FWD_WITH_ADD_CK:
        norm_and_sum(a, c, 1, 4, true, 4);
        break;
    case MODEL_AITER_RMSNORM2D_FWD_WITH_DYNAMICQUANT_CK:
        r = norm_and_sum(a, c, 1, 3, false, 1);
        add_quantised(c, &r, r.channels);
        break;
    case MODEL_AITER_RMSNORM_QUANT:
        r = norm_and_sum(a, c, 1, 3, false, 1);
        add_quantised(c, &r, group_or_row(args_int_or(a, 5, 0), &r));
        break;
    case MODEL_VLLM_ROCM_AITER_RMSNORM_FP8_GROUP_QUANT:
        r = norm_and_sum(a, c, 0, 1, false, 1);
        add_quantised(c, &r, required_group(a, 3));
        break;
    case MODEL_VLLM_ROCM_AITER_RMSNORM_WITH_ADD_FP8_GROUP_QUANT:
        r = norm_and_sum(a, c, 0, 2, true, 3);
        add_quantised(c, &r, required_group(a, 4));
        break;
    default:
        cost_pad(a, c);
    }
}

/* A 4-bit result with a scale for each 32; a second, unquantised norm in slot 3 and a
 * residual in slot 6 are optional. */
void cost_rms_norm_mxfp4(struct op_args *a, struct cost *c)
{
    struct rms r = read_rms(a, c, 0, 1);
    struct shape second, residual;
    bool two = shape_read(args_dims(a, 3), &second) && second.rank == 2;
    bool sum = shape_read(args_dims(a, 6), &residual) && residual.rank == 2;
    double base = rms_norm_flop(r.e, r.channels), cols = two ? second.dim[1] : 0;
    c->flop = base + 2 * r.e;
    if (sum)
        c->flop += r.rows * r.channels;
    if (two)
        c->flop += trunc(base * (r.rows * cols) / fmax(r.e, 1));
    c->byte = r.e * r.bytes + r.channels * r.bytes + 0.5 * r.e + floor(r.e / 32);
    if (sum)
        c->byte += 2 * r.e * r.bytes;
    if (two)
        c->byte += 2 * r.rows * cols * r.bytes + cols * r.bytes;
}
