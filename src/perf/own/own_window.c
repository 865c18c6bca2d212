/* own_window.c - operators with a window: pooling and upsampling. */
#include "perf/own/own_parts.h"

#include <math.h>

static double list_count(struct op_args *a, int i)
{
    struct shape list = args_int_list(a, i);
    return shape_count(&list);
}

/* A number for each of n dimensions, or one for all; none: `otherwise`. */
static struct shape per_dim(struct op_args *a, int i, int n,
                            const struct shape *otherwise)
{
    struct shape s = args_int_list(a, i);
    if (s.rank == 0)
        return *otherwise;
    args_need(a, s.rank == 1 || s.rank == n);
    for (int k = s.rank; s.rank == 1 && k < n && k < SHAPE_DIMS; k++)
        s.dim[k] = s.dim[0];
    s.rank = n;
    return s;
}

static int spatial_dims(struct op_args *a, const struct shape *in)
{
    int n = str_has(a->call->name, S("3d")) ? 3 : 2;
    args_need(a, in->rank > n);
    return n;
}

/* Kernel, stride, padding, then for maxima dilation, and whether to round up. */
static struct shape pooled(struct op_args *a, const struct shape *in, double *window)
{
    struct shape out = *in, zero = {0}, kernel, stride, padding;
    int n = spatial_dims(a, in);
    bool maximum = str_has(a->call->name, S("max_pool"));
    kernel = per_dim(a, 1, n, &zero);
    stride = per_dim(a, 2, n, &kernel);
    padding = per_dim(a, 3, n, &zero);
    bool up = str_eq_nocase(args_concrete_or(a, maximum ? 5 : 4, S("")), S("true"));
    *window = shape_count(&kernel);
    for (int k = 0; k < n && args_ok(a); k++) {
        double *size = &out.dim[in->rank - n + k];
        args_need(a, stride.dim[k] > 0);
        double steps = (*size + 2 * padding.dim[k] - kernel.dim[k]) / stride.dim[k];
        *size = (up ? ceil(steps) : floor(steps)) + 1;
    }
    return out;
}

/* The sizes asked for; each input element is used once. */
static struct shape pooled_to(struct op_args *a, const struct shape *in, double *window)
{
    struct shape out = *in;
    int n = spatial_dims(a, in);
    struct shape size = per_dim(a, 1, n, in);
    for (int k = 0; k < n && args_ok(a); k++)
        out.dim[in->rank - n + k] = size.dim[k];
    double outputs = shape_count(&out);
    *window = outputs > 0 ? shape_count(in) / outputs : 0;
    return out;
}

void own_pool(struct op_args *a, struct cost *c)
{
    struct shape in = args_shape(a, 0);
    struct str name = a->call->name, type = args_type(a, 0);
    double window = 0;
    struct shape out = str_has(name, S("adaptive")) ? pooled_to(a, &in, &window)
                                                    : pooled(a, &in, &window);
    double n = shape_count(&out), place = str_has(name, S("max_pool")) ? 8 : 0;
    param_shape(&c->params, "input_shape", &in);
    param_shape(&c->params, "output_shape", &out);
    own_moved(c, own_size(a, 0), n * (own_bytes(type) + place), n * window, type);
}

/* The gradient of the output, and the places of its maxima, into one of the input. The
 * input itself is not read. */
void own_pool_backward(struct op_args *a, struct cost *c)
{
    struct str name = a->call->name;
    bool maximum = str_has(name, S("max_pool"));
    double grad = own_size(a, 0), in = own_size(a, 1);
    struct shape s = args_shape(a, 0), result = args_shape(a, 1);
    param_shape(&c->params, "input_shape", &result);
    param_shape(&c->params, "output_shape", &s);
    own_moved(c, grad + (maximum ? 8 * shape_count(&s) : 0), in, shape_count(&s),
              args_type(a, 0));
}

/* Elements read, multiplied and added for one of the result. */
static double taps(struct str name)
{
    if (str_has(name, S("nearest")))
        return 1;
    if (str_has(name, S("bicubic")))
        return 16;
    return str_has(name, S("linear1d")) ? 2 : str_has(name, S("trilinear")) ? 8 : 4;
}

/* Two FLOP a tap; the nearest is only copied. */
static double upsample_flop(struct str name, double elements)
{
    double n = taps(name);
    return n > 1 ? 2 * n * elements : 0;
}

/* "[2., 2.]", for each dimension after the channels. */
static struct shape scaled(struct op_args *a, const struct shape *in,
                           struct str factors)
{
    struct shape out = *in;
    double factor;
    args_need(a, str_starts(factors, S("[")) && str_ends(factors, S("]")));
    factors = args_ok(a) ? str_skip(str_head(factors, factors.n - 1), 1) : S("");
    for (int i = 2; i < in->rank; i++) {
        struct str item = str_take(&factors, S(","));
        args_need(a, python_real(item, &factor));
        out.dim[i] = args_ok(a) ? floor(out.dim[i] * factor) : 0;
    }
    return out;
}

/* The sizes asked for; without them the factors, after align_corners where it exists.
 */
static struct shape upsampled(struct op_args *a, const struct shape *in)
{
    struct shape out = *in, size;
    if (!python_int_list(args_concrete(a, 1), &size)) {
        bool aligned =
            str_has(a->call->name, S("linear")) || str_has(a->call->name, S("cubic"));
        return scaled(a, in, str_trim(args_concrete(a, aligned ? 3 : 2)));
    }
    args_need(a, size.rank > 0 && in->rank == size.rank + 2);
    for (int i = 0; i < size.rank && args_ok(a); i++)
        out.dim[i + 2] = size.dim[i];
    return out;
}

void own_upsample(struct op_args *a, struct cost *c)
{
    struct shape in = args_shape(a, 0), out = upsampled(a, &in);
    struct str type = args_type(a, 0);
    double n = shape_count(&out);
    param_shape(&c->params, "input_shape", &in);
    param_shape(&c->params, "output_shape", &out);
    own_moved(c, own_size(a, 0), n * own_bytes(type), upsample_flop(a->call->name, n),
              type);
}

/* (grad_output, output size, input size, ..). */
void own_upsample_backward(struct op_args *a, struct cost *c)
{
    struct shape grad = args_shape(a, 0);
    struct str type = args_type(a, 0);
    double n = list_count(a, 2);
    param_shape(&c->params, "output_shape", &grad);
    param_int(&c->params, "num_input_elems", n);
    own_moved(c, own_size(a, 0), n * own_bytes(type),
              upsample_flop(a->call->name, shape_count(&grad)), type);
}
