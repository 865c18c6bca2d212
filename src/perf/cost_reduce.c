#include "perf/cost_reduce.h"

#include "perf/dtype.h"

#include <cjson/cJSON.h>
#include <math.h>

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
static const cJSON *reduced_dims(const cJSON *concrete)
{
    const cJSON *found = NULL;
    if (!cJSON_IsArray(concrete) || !concrete->child)
        return NULL;
    for (const cJSON *v = concrete->child->next; v; v = v->next)
        if (cJSON_IsArray(v) || (cJSON_IsNumber(v) && !cJSON_IsArray(found)))
            found = v;
    return found;
}

static double count_kept(const struct shape *in, const cJSON *dims)
{
    struct shape kept = *in;
    for (const cJSON *v = cJSON_IsArray(dims) ? dims->child : dims; v;
         v = cJSON_IsArray(dims) ? v->next : NULL) {
        double d = cJSON_IsNumber(v) ? v->valuedouble : -1e9;
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
    const cJSON *dims = reduced_dims(a->call->concrete);
    return dims ? count_kept(in, dims) : 1;
}

static struct str output_type(const struct op_args *a)
{
    const cJSON *t = args_extra(a, "Output type");
    if (cJSON_IsArray(t))
        t = t->child;
    return cJSON_IsString(t) ? str_of(t->valuestring) : (struct str){0};
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
    param_int(&c->params, "num_input_elems", in);
    param_int(&c->params, "num_output_elems", out);
    param_texts(&c->params, "dtype_in_out", types, 2);
    if (args_n_dims(a) > 0) /* the reference leaves early without operands */
        param_text(&c->params, "reduce_type", kind_of(a->call->name));
    c->precision = dtype_precision(types[0]);
    c->flop = in;
    c->byte = in * dtype_bytes(types[0]) + out * dtype_bytes(types[types[1].p ? 1 : 0]);
}
