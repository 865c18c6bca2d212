#include "analysis/facts/row_args.h"

#include "analysis/model/name_match.h"
#include "base/out.h"
#include "ops/trace_view.h"
#include "perf/dtype.h"
#include "perf/op_args.h"
#include "perf/perf_model.h"

#include <math.h>
#include <string.h>

static bool is_tensor_type(struct str type)
{
    return type.n > 0 && !name_has(type, "scalar|list|generic|optional");
}

struct row_args row_args_of(struct arena *a, struct call_args c)
{
    struct row_args r = {.n = value_count(c.dims)};
    r.at = arena_new(a, struct row_arg, r.n);
    for (int i = 0; i < r.n; i++) {
        struct row_arg *t = &r.at[i];
        t->type = value_text(value_at(c.types, i));
        t->concrete = value_text(value_at(c.concrete, i));
        int rank = shape_sizes(value_at(c.dims, i), t->dim, ROW_RANK_MAX);
        int strides = shape_sizes(value_at(c.strides, i), t->stride, ROW_RANK_MAX);
        t->has_strides = rank > 0 && strides == rank;
        if (rank > 0 && (i >= value_count(c.types) || is_tensor_type(t->type)))
            t->rank = rank;
    }
    return r;
}

int64_t row_arg_elements(const struct row_arg *t)
{
    double n = t->rank > 0;
    for (int i = 0; i < t->rank; i++)
        n *= (double)t->dim[i];
    return n < 9e18 ? (int64_t)n : INT64_MAX;
}

struct str row_type_word(struct str type)
{
    if (str_eq(type, S("float")))
        return S("fp32");
    if (str_eq(type, S("double")))
        return S("fp64");
    if (str_eq(type, S("c10::Half")))
        return S("fp16");
    if (str_eq(type, S("c10::BFloat16")))
        return S("bf16");
    if (str_has(type, S("Float8")))
        return S("fp8");
    if (str_eq(type, S("unsigned char"))) /* whatever its bits stand for */
        return S("uint8");
    if (str_has(type, S("Float4")))
        return S("fp4");
    return type;
}

double row_type_bytes(struct str type)
{
    return dtype_bytes(type);
}

static void put_shape(struct out *o, const struct row_arg *t)
{
    out_char(o, '(');
    for (int i = 0; i < t->rank; i++) {
        out_i64(o, t->dim[i]);
        if (i + 1 < t->rank || t->rank == 1)
            out_char(o, ',');
    }
    out_char(o, ')');
}

struct str row_args_text(struct arena *a, const struct row_args *args, const char *sep)
{
    struct out o;
    out_memory(&o);
    for (int i = 0; i < args->n; i++) {
        if (args->at[i].rank == 0)
            continue;
        if (o.n > 0)
            out_c(&o, sep);
        put_shape(&o, &args->at[i]);
        struct str type = row_type_word(args->at[i].type);
        if (type.n)
            out_char(&o, ' ');
        out_str(&o, type);
    }
    return out_text(&o, a);
}

struct str row_shapes_text(struct arena *a, const struct row_args *args)
{
    struct out o;
    int n = 0, least = 1;
    out_memory(&o);
    for (int i = 0; i < args->n; i++)
        if (args->at[i].rank > 1)
            least =
                2; /* a vector beside matrices is a bias or a weight: not informative */
    for (int i = 0; i < args->n && n < 3; i++) {
        if (args->at[i].rank < least)
            continue;
        if (n++ > 0)
            out_char(&o, 'x');
        put_shape(&o, &args->at[i]);
    }
    return out_text(&o, a);
}

struct str cost_text(const struct perf_cost *c, const char *key)
{
    for (int i = 0; c && i < c->n_params; i++)
        if (strcmp(c->params[i].key, key) == 0)
            return c->params[i].kind == PERF_NONE ? S("")
                                                  : perf_param_str(&c->params[i]);
    return S("");
}

double cost_number(const struct perf_cost *c, const char *key)
{
    struct str text = cost_text(c, key);
    double v;
    if (str_eq(text, S("True")) || str_eq(text, S("False")))
        return str_eq(text, S("True"));
    return python_real(text, &v) ? v : (double)NAN;
}

int cost_dims(const struct perf_cost *c, const char *key, int64_t dims[ROW_RANK_MAX])
{
    struct str text = cost_text(c, key);
    int n = 0;
    ptrdiff_t i = 0;
    while (i < text.n && n < ROW_RANK_MAX) {
        ptrdiff_t start = i;
        while (i < text.n && text.p[i] >= '0' && text.p[i] <= '9')
            i++;
        if (i > start && str_int((struct str){text.p + start, i - start}, &dims[n]))
            n++;
        i += i == start;
    }
    return n;
}
