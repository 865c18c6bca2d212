#include "perf/cost_elementwise.h"

#include "perf/dtype.h"

#include <math.h>

static const struct str none = {NULL, 0};

void unary_params(struct cost *c, const struct shape *s, struct str in, struct str out,
                  const struct value *in_strides, const struct value *out_strides)
{
    struct str types[] = {in, out};
    param_shape(&c->params, "op_shape", s);
    types_param(c, "dtype_in_out", types, 2);
    param_value(&c->params, "stride_input", in_strides);
    param_value(&c->params, "stride_output", out_strides);
}

void binary_params(struct cost *c, const struct shape *x, const struct shape *y,
                   const struct shape *out, const struct str types[3],
                   const struct value *const strides[3])
{
    param_shape(&c->params, "shape_in1", x);
    param_shape(&c->params, "shape_in2", y);
    if (out)
        param_shape(&c->params, "shape_out", out);
    types_param(c, "dtype_in1_in2_out", types, 3);
    param_value(&c->params, "stride_input1", strides[0]);
    param_value(&c->params, "stride_input2", strides[1]);
    param_value(&c->params, "stride_output", strides[2]);
}

/* A second tensor is taken for the output: so it is with copy_, whose first operand is
 * the destination; with the exponent of pow it is not, and counts as one all the same.
 */
void cost_unary(struct op_args *a, struct cost *c)
{
    struct shape s = args_shape(a, 0);
    struct str in = args_type(a, 0), out = none;
    const struct value *strides = args_strides(a, 0), *out_strides = NULL;
    if (args_has_shape(a, 1)) {
        out = args_type(a, 1);
        out_strides = args_strides(a, 1);
    }
    unary_params(c, &s, in, out, strides, out_strides);
    double n = shape_count(&s), in_bytes = dtype_bytes(in), out_bytes = in_bytes;
    if (out.p)
        out_bytes = dtype_bytes(out);
    c->flop = n;
    c->byte = n * in_bytes + n * out_bytes;
}

bool broadcast(const struct shape *x, const struct shape *y, struct shape *out)
{
    *out = (struct shape){.rank = x->rank > y->rank ? x->rank : y->rank};
    for (int i = 1; i <= out->rank; i++) {
        double dx = i <= x->rank ? x->dim[x->rank - i] : 1;
        double dy = i <= y->rank ? y->dim[y->rank - i] : 1;
        if (dx != dy && dx != 1 && dy != 1)
            return false;
        out->dim[out->rank - i] = dx > dy ? dx : dy;
    }
    return true;
}

/* Without a recorded output type: the wider of both, but next to a scalar the first. */
static double result_bytes(struct str recorded, const struct shape *x,
                           const struct shape *y, double x_bytes, double y_bytes)
{
    if (recorded.p)
        return dtype_bytes(recorded);
    if (x->rank > 0 && y->rank > 0)
        return x_bytes > y_bytes ? x_bytes : y_bytes;
    return x_bytes;
}

void cost_binary(struct op_args *a, struct cost *c)
{
    struct shape x = args_shape(a, 0), y = args_shape(a, 1), out;
    struct str types[] = {args_type(a, 0), args_type(a, 1), none};
    const struct value *strides[] = {args_strides(a, 0), args_strides(a, 1), NULL};
    bool liger = a->model->key == MODEL_LIGER_SILU_MUL_FUNCTION;
    if (!liger && args_has_shape(a, 2)) {
        types[2] = args_type(a, 2);
        strides[2] = args_strides(a, 2);
    }
    args_need(a, broadcast(&x, &y, &out));
    binary_params(c, &x, &y, NULL, types, strides);
    double x_bytes = dtype_bytes(types[0]), y_bytes = dtype_bytes(types[1]);
    double out_bytes = result_bytes(types[2], &x, &y, x_bytes, y_bytes);
    c->flop = shape_count(&out);
    c->byte = shape_count(&x) * x_bytes + shape_count(&y) * y_bytes +
              shape_count(&out) * out_bytes;
}

/* The model reads `in`, writes `out`, with one width for both. */
static void resized(struct op_args *a, struct cost *c, const struct shape *in,
                    const struct shape *out, const struct shape *padding)
{
    struct str type = args_type(a, 0);
    double bytes = dtype_bytes(type);
    args_need(a, !isnan(bytes));
    param_shape(&c->params, "input_shape", in);
    param_shape(&c->params, "output_shape", out);
    if (padding)
        param_shape(&c->params, "padding", padding);
    unary_params(c, out, type, type, args_strides(a, 0), NULL);
    c->flop = shape_count(out);
    c->byte = shape_count(in) * bytes + shape_count(out) * bytes;
}

/* Pairs of paddings, the last dimension first. */
void cost_replication_pad(struct op_args *a, struct cost *c)
{
    struct shape in = args_shape(a, 0), pad = args_int_list(a, 1), out = in;
    args_need(a, pad.rank / 2 <= in.rank);
    for (int j = 0; args_ok(a) && 2 * j + 1 < pad.rank; j++)
        out.dim[in.rank - 1 - j] += pad.dim[2 * j] + pad.dim[2 * j + 1];
    resized(a, c, &in, &out, &pad);
}

/* Fails where the call gives scale factors and no sizes: that text is empty. */
void cost_upsample_nearest(struct op_args *a, struct cost *c)
{
    struct shape in = args_shape(a, 0), size = args_int_list(a, 1);
    args_need(a, in.rank >= 2 && size.rank + 2 <= SHAPE_DIMS);
    struct shape out = {.rank = args_ok(a) ? size.rank + 2 : 0};
    for (int i = 0; i < out.rank; i++)
        out.dim[i] = i < 2 ? in.dim[i] : size.dim[i - 2];
    resized(a, c, &in, &out, NULL);
}

/* Operand 0 is the result, 1 the input, twice as wide: an activation and its factor. */
void cost_act_and_mul(struct op_args *a, struct cost *c)
{
    enum model_key key = a->model->key;
    double per_element = key == MODEL_AITER_GELU_AND_MUL        ? 8
                         : key == MODEL_AITER_GELU_TANH_AND_MUL ? 10
                                                                : 5;
    struct shape s = args_shape(a, 0);
    struct str out = args_type(a, 0), in = args_type(a, 1);
    unary_params(c, &s, in, out, args_strides(a, 1), args_strides(a, 0));
    double n = shape_count(&s), in_bytes = dtype_bytes(in),
           out_bytes = dtype_bytes(out);
    args_need(a, !isnan(in_bytes) && !isnan(out_bytes));
    c->flop = per_element * n;
    c->byte = 2 * n * in_bytes + n * out_bytes;
}

/* Sampling with noise: a division and a maximum, one index of 4 bytes out for each row.
 */
void cost_outer_exponential(struct op_args *a, struct cost *c)
{
    struct shape s = args_shape(a, 1);
    double rows = s.rank > 0 ? s.dim[0] : 1, cols = s.rank > 1 ? s.dim[1] : 1;
    struct str logits = args_type_or(a, 1, S("c10::BFloat16"));
    struct str noise = args_type_or(a, 2, S("float"));
    param_ints(&c->params, {"T", rows}, {"V", cols});
    type_param(c, "dtype_logits", logits);
    param_text(&c->params, "dtype_noise", noise);
    c->flop = 2 * rows * cols;
    c->byte = rows * cols * (dtype_bytes(logits) + dtype_bytes(noise)) + 4 * rows;
}
