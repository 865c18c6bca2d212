/* cost_reduce.c - sums, extrema, norms and scans over the elements of one tensor. */
#include "perf/cost.h"

#include "perf/dtype.h"

static struct str kind_of(struct str name)
{
    static const char *const kinds[] = {"mean", "max", "min", "norm"};
    for (int i = 0; i < 4; i++)
        if (str_has(name, str_of(kinds[i])))
            return str_of(kinds[i]);
    return S("sum");
}

/* What is reduced over, when recorded as values: a list, or an integer, the last one. A
 * boolean after it is keepdim. Traces record texts, in which the reference sees
 * nothing. */
static const struct value *reduced_dims(const struct value *concrete)
{
    const struct value *found = NULL, *v;
    for (int i = 1; (v = value_at(concrete, i)); i++)
        if (value_is(v, VALUE_LIST) ||
            (value_is(v, VALUE_NUMBER) && !value_is(found, VALUE_LIST)))
            found = v;
    return found;
}

static double count_kept(const struct shape *in, const struct value *dims)
{
    struct shape kept = *in;
    bool list = value_is(dims, VALUE_LIST);
    for (int i = 0; i < (list ? dims->n : 1); i++) {
        const struct value *v = list ? &dims->items[i] : dims;
        double d = value_is(v, VALUE_NUMBER) ? v->number : -1e9;
        d = d < 0 ? d + in->rank : d;
        if (d >= 0 && d < in->rank)
            kept.dim[(int)d] = 1;
    }
    return shape_count(&kept);
}

/* Without a readable list of dims the whole tensor becomes one element. */
static double output_count(const struct op_args *a, const struct shape *in)
{
    struct str name = a->call->name;
    if (str_has(name, S("cumsum")) || str_has(name, S("cumprod")))
        return shape_count(in);
    const struct value *dims = reduced_dims(a->call->args.concrete);
    return dims ? count_kept(in, dims) : 1;
}

static struct str output_type(const struct op_args *a)
{
    const struct value *t = args_extra(a, "Output type");
    return value_text(value_is(t, VALUE_LIST) ? value_at(t, 0) : t);
}

void cost_reduce(struct op_args *a, struct cost *c)
{
    struct str types[2] = {{NULL, 0}, {NULL, 0}};
    double in = 0, out = 0;
    if (args_n_dims(a) > 0) {
        struct shape s = args_shape(a, 0);
        in = shape_count(&s);
        out = output_count(a, &s);
        types[0] = args_type(a, 0);
        types[1] = output_type(a);
    }
    param_ints(&c->params, {"num_input_elems", in}, {"num_output_elems", out});
    types_param(c, "dtype_in_out", types, 2);
    if (args_n_dims(a) > 0) /* the reference leaves early without operands */
        param_text(&c->params, "reduce_type", kind_of(a->call->name));
    c->flop = in;
    c->byte = in * dtype_bytes(types[0]) + out * dtype_bytes(types[types[1].p ? 1 : 0]);
}
