/* cost_conv.c - convolutions of one to three spatial dimensions, both directions. */
#include "perf/cost.h"

#include "base/arena.h"
#include "perf/dtype.h"

#include <math.h>

struct conv {
    int spatial; /* 1 to 3 */
    struct shape x, w, y;
    struct shape stride, padding, dilation, output_padding;
    bool transposed, bias;
    double groups;
    struct str type[2];
    const struct value *x_strides, *w_strides;
    struct str bias_text; /* as recorded; only its truth matters */
};

static struct shape repeated(int n, double v)
{
    struct shape s = {.rank = n};
    for (int i = 0; i < n; i++)
        s.dim[i] = v;
    return s;
}

/* A list of a number for each spatial dimension, one for all, or nothing. */
static struct shape per_dim(struct op_args *a, int i, int n, double otherwise)
{
    if (args_concrete(a, i).n == 0)
        return repeated(n, otherwise);
    struct shape s = args_int_list(a, i);
    if (s.rank == 1)
        return repeated(n, s.dim[0]);
    args_need(a, s.rank >= n);
    return s;
}

/* Shapes, types and strides of input and weight, in slots x and x + 1. */
static void operands(struct op_args *a, struct conv *v, int x)
{
    v->x = args_shape(a, x);
    v->w = args_shape(a, x + 1);
    v->spatial = v->x.rank - 2;
    args_need(a, v->spatial >= 1 && v->spatial <= 3 && v->w.rank == v->x.rank);
    v->type[0] = args_type(a, x);
    v->type[1] = args_type(a, x + 1);
    args_need(a, str_eq(v->type[0], v->type[1]));
    v->x_strides = args_strides_if(a, x);
    v->w_strides = args_strides_if(a, x + 1);
}

/* A bias is assumed if there are exactly 3 operands; real calls have 9. */
static void read_forward(struct op_args *a, struct conv *v)
{
    operands(a, v, 0);
    v->bias = args_n_dims(a) == 3;
    v->bias_text = python_bool(v->bias);
}

/* Here the slot of the bias sizes is looked at, a list of integers, which has no shape:
 * what is recorded is that empty list itself. */
static void read_backward(struct op_args *a, struct conv *v)
{
    operands(a, v, 1);
    v->bias = args_has_shape(a, 3);
    v->bias_text = v->bias || args_n_dims(a) <= 3 ? python_bool(v->bias) : S("[]");
}

static void read_geometry(struct op_args *a, struct conv *v, int at)
{
    int n = args_ok(a) ? v->spatial : 0;
    v->stride = per_dim(a, at, n, 1);
    v->padding = per_dim(a, at + 1, n, 0);
    v->dilation = per_dim(a, at + 2, n, 1);
    v->transposed = args_literal(a, at + 3);
    v->output_padding = per_dim(a, at + 4, n, 0);
    v->groups = args_int(a, at + 5);
}

/* ConvBias_: one number for stride and one for padding, a bias always. */
static void read_fused(struct op_args *a, struct conv *v)
{
    operands(a, v, 0);
    int n = args_ok(a) ? v->spatial : 0;
    bool no_stride = args_concrete_or(a, 3, S("")).n == 0;
    bool no_padding = args_concrete_or(a, 4, S("")).n == 0;
    v->stride = repeated(n, no_stride ? 1 : args_int(a, 3));
    v->padding = repeated(n, no_padding ? 0 : args_int(a, 4));
    v->dilation = repeated(n, 1);
    v->output_padding = repeated(n, 0);
    v->groups = 1;
    v->bias = true;
    v->bias_text = S("True");
}

/* The fused backward carries no shapes; those of its forward are meant. */
static void read_fused_backward(struct op_args *a, struct conv *v, struct str forward)
{
    const struct op_call *f = a->call->forward;
    args_need(a, f && str_eq(f->name, forward));
    if (!args_ok(a))
        return;
    struct op_args of_forward = {.perm = a->perm, .call = f, .model = a->model};
    read_fused(&of_forward, v);
    a->status = of_forward.status;
}

static void read_conv(struct op_args *a, struct conv *v)
{
    switch (a->model->key) {
    case MODEL_ATEN_CONV:
        read_forward(a, v);
        read_geometry(a, v, 3);
        break;
    case MODEL_ATEN_CONV_BWD:
        read_backward(a, v);
        read_geometry(a, v, 4);
        break;
    case MODEL_CONVBIAS_BACKWARD:
        read_fused_backward(a, v, S("ConvBias_"));
        break;
    case MODEL_CONVBIASRELU_BACKWARD:
        read_fused_backward(a, v, S("ConvBiasReLU_"));
        break;
    default:
        read_fused(a, v);
    }
}

/* Along one dimension; a forward size is truncated, as by Python's int(), not floored.
 */
static double output_size(struct op_args *a, const struct conv *v, int i)
{
    double in = v->x.dim[2 + i], k = v->w.dim[2 + i], s = v->stride.dim[i];
    double p = v->padding.dim[i], d = v->dilation.dim[i];
    if (v->transposed)
        return (in - 1) * s - 2 * p + d * (k - 1) + v->output_padding.dim[i] + 1;
    args_need(a, s != 0);
    return trunc((in + 2 * p - d * (k - 1) - 1) / s + 1);
}

static void output_shape(struct op_args *a, struct conv *v)
{
    v->y = v->x;
    v->y.dim[1] = v->w.dim[v->transposed ? 1 : 0];
    for (int i = 0; i < v->spatial; i++)
        v->y.dim[2 + i] = output_size(a, v, i);
}

static void add_params(struct cost *c, const struct conv *v)
{
    static const char *const rank[] = {"conv1d", "conv2d", "conv3d"};
    struct param_list *p = &c->params;
    param_text(p, "convNd", str_of(rank[v->spatial - 1]));
    param_shape(p, "input_shape", &v->x);
    param_shape(p, "filter_shape", &v->w);
    types_param(c, "dtype_input_weight", v->type, 2);
    param_value(p, "input_stride", v->x_strides);
    param_value(p, "weight_stride", v->w_strides);
    param_python(p, "bias", v->bias_text);
    param_shape(p, "stride", &v->stride);
    param_shape(p, "padding", &v->padding);
    param_shape(p, "dilation", &v->dilation);
    param_bool(p, "transposed_conv", v->transposed);
    param_shape(p, "output_padding", &v->output_padding);
    param_int(p, "groups", v->groups);
}

/* Elements of all but the first `skip` dimensions. */
static double count_from(const struct shape *s, int skip)
{
    double n = 1;
    for (int i = skip; i < s->rank; i++)
        n *= s->dim[i];
    return n;
}

/* Each weight meets each output (or, transposed, input) element once. The weights have
 * channels / groups already, so that groups need no factor. */
void cost_conv(struct op_args *a, struct cost *c)
{
    struct conv v = {0};
    read_conv(a, &v);
    if (!args_ok(a))
        return;
    output_shape(a, &v);
    add_params(c, &v);

    enum model_key key = a->model->key;
    bool gradient = a->backward || key == MODEL_ATEN_CONV_BWD ||
                    key == MODEL_CONVBIAS_BACKWARD ||
                    key == MODEL_CONVBIASRELU_BACKWARD;
    double x = shape_count(&v.x), w = shape_count(&v.w), y = shape_count(&v.y);
    double bytes = dtype_bytes(v.type[0]), bias = v.bias ? 1 : 0;
    double product = 2 * (v.transposed ? x : y) * count_from(&v.w, 1);
    if (gradient) {
        double places = count_from(v.transposed ? &v.x : &v.y, 2);
        c->flop = product + 2 * w * v.x.dim[0] * places + bias * y;
        /* The reference forgets the width of the bias terms. */
        c->byte = 2 * (x + w + y) * bytes + bias * (y + v.y.dim[1]);
    } else {
        c->flop = product + bias * y;
        c->byte = (x + w + y + bias * v.y.dim[1]) * bytes;
    }
}
