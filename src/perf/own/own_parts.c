#include "perf/own/own_parts.h"

#include "perf/dtype.h"
#include "perf/own/kernel_types.h"

#include <math.h>

double own_bytes(struct str type)
{
    static const struct {
        const char *name;
        double bytes;
    } more[] = {{"bool", 1},
                {"short int", 2},
                {"c10::complex<float>", 8},
                {"c10::complex<double>", 16}};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        if (str_eq(type, str_of(more[i].name)))
            return more[i].bytes;
    bool tensor = type.n > 0 && type.p[0] >= 'a' && type.p[0] <= 'z';
    return tensor ? dtype_bytes(type) : (double)NAN;
}

bool own_is_tensor(const struct op_args *a, int i)
{
    struct shape s;
    return shape_read(args_dims(a, i), &s) &&
           !isnan(own_bytes(args_type_or(a, i, S(""))));
}

double own_stored(const struct op_args *a, int i, const struct shape *s)
{
    const struct value *strides = args_strides_or(a, i);
    struct shape stored = *s;
    for (int k = 0; k < s->rank && k < value_count(strides); k++) {
        const struct value *stride = value_at(strides, k);
        if (value_is(stride, VALUE_NUMBER) && stride->number == 0 && s->dim[k] > 1)
            stored.dim[k] = 1;
    }
    return shape_count(&stored);
}

double own_size(struct op_args *a, int i)
{
    struct shape s = args_shape(a, i);
    args_need(a, own_is_tensor(a, i));
    return own_stored(a, i, &s) * own_bytes(args_type_or(a, i, S("")));
}

double own_kernel_bytes(const struct op_call *call)
{
    double bytes = (double)NAN;
    for (int i = 0; i < call->n_kernels && isnan(bytes); i++)
        bytes = kernel_type_bytes(call->kernels[i]);
    return bytes;
}

bool own_in_place(struct str op_name)
{
    return str_ends(op_name, S("_")) && !str_ends(op_name, S("__"));
}

struct str own_bare(struct str op_name)
{
    struct str aten = S("aten::");
    if (!str_starts(op_name, aten))
        return op_name;
    op_name = str_skip(op_name, aten.n);
    return own_in_place(op_name) ? str_head(op_name, op_name.n - 1) : op_name;
}

double own_replaced(struct op_args *a, const struct shape *s, double dim, double n)
{
    if (s->rank == 0)
        return n;
    dim = dim < 0 ? dim + s->rank : dim;
    args_need(a, dim >= 0 && dim < s->rank);
    struct shape out = *s;
    if (args_ok(a))
        out.dim[(int)dim] = n;
    return shape_count(&out);
}

void own_moved(struct cost *c, double read, double written, double flop,
               struct str type)
{
    type_param(c, "dtype", type);
    param_ints(&c->params, {"read_bytes", read}, {"written_bytes", written});
    if (c->precision.n == 0 && flop > 0)
        c->precision = S("fp32"); /* whole numbers, for which no peak is known */
    c->flop = flop;
    c->byte = read + written;
}
