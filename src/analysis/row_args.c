#include "analysis/row_args.h"

#include "analysis/name_match.h"
#include "base/out.h"
#include "perf/dtype.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- arguments
 * ------------------------------------------------------------------------ */

static cJSON *parse(const struct event_store *s, name_id id)
{
    struct str text = pool_text(&s->names, id);
    return text.n > 0 ? cJSON_ParseWithLength(text.p, (size_t)text.n) : NULL;
}

/* Sizes of [4, 512, 8, 8]; 0 for a list of lists, a negative or a huge number. */
static int sizes_of(const cJSON *list, int64_t to[ROW_RANK_MAX])
{
    const double MOST = 9e15;
    int n = 0;
    const cJSON *x;
    if (!cJSON_IsArray(list))
        return 0;
    cJSON_ArrayForEach(x, list)
    {
        if (n == ROW_RANK_MAX || !cJSON_IsNumber(x) || !(x->valuedouble >= 0) ||
            x->valuedouble > MOST)
            return 0;
        to[n++] = (int64_t)x->valuedouble;
    }
    return n;
}

static bool is_tensor_type(struct str type)
{
    return type.n > 0 && !name_has(type, "scalar|list|generic|optional");
}

static struct str text_of(struct arena *a, const cJSON *x)
{
    return cJSON_IsString(x) ? str_copy(a, str_of(x->valuestring)) : S("");
}

static void fill_types(struct arena *a, struct row_args *r, const cJSON *types,
                       const cJSON *concrete)
{
    const cJSON *t = types ? types->child : NULL;
    for (int i = 0; i < r->n && t; i++, t = t->next) {
        r->at[i].type = text_of(a, t);
        if (!is_tensor_type(r->at[i].type))
            r->at[i].rank = 0;
    }
    const cJSON *c = concrete ? concrete->child : NULL;
    for (int i = 0; i < r->n && c; i++, c = c->next)
        r->at[i].concrete = text_of(a, c);
}

struct row_args row_args_of(struct arena *a, const struct event_store *s,
                            const struct op_group *g)
{
    struct row_args r = {NULL, 0};
    if (!g->texts)
        return r;
    cJSON *dims = parse(s, g->texts->dims), *types = parse(s, g->texts->types);
    cJSON *strides = parse(s, g->texts->strides),
          *concrete = parse(s, g->texts->concrete);
    r.at = arena_new(a, struct row_arg, cJSON_GetArraySize(dims));
    const cJSON *d, *st = strides ? strides->child : NULL;
    cJSON_ArrayForEach(d, dims)
    {
        struct row_arg *t = &r.at[r.n++];
        t->rank = sizes_of(d, t->dim);
        t->has_strides = st && t->rank > 0 && sizes_of(st, t->stride) == t->rank;
        st = st ? st->next : NULL;
    }
    fill_types(a, &r, types, concrete);
    cJSON_Delete(dims);
    cJSON_Delete(types);
    cJSON_Delete(strides);
    cJSON_Delete(concrete);
    return r;
}

int64_t row_arg_elements(const struct row_arg *t)
{
    double n = t->rank > 0;
    for (int i = 0; i < t->rank; i++)
        n *= (double)t->dim[i];
    return n < 9e18 ? (int64_t)n : INT64_MAX;
}

bool row_arg_contiguous(const struct row_arg *t)
{
    double expect = 1;
    for (int i = t->rank - 1; t->has_strides && i >= 0; i--) {
        if (t->dim[i] > 1 && (double)t->stride[i] != expect)
            return false;
        expect *= (double)t->dim[i];
    }
    return true;
}

bool row_arg_same_shape(const struct row_arg *x, const struct row_arg *y)
{
    return x->rank == y->rank &&
           memcmp(x->dim, y->dim, (size_t)x->rank * sizeof *x->dim) == 0;
}

/* ---- types
 * ---------------------------------------------------------------------------- */

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
    if (str_has(type, S("Float8")) || str_eq(type, S("unsigned char")))
        return S("fp8");
    if (str_has(type, S("Float4")))
        return S("fp4");
    return type;
}

double row_type_bytes(struct str type)
{
    return dtype_bytes(type);
}

/* ---- text
 * ------------------------------------------------------------------------------ */

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

struct str row_shape_text(struct arena *a, const struct row_arg *t)
{
    struct out o;
    out_memory(&o);
    put_shape(&o, t);
    return out_text(&o, a);
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
        out_char(&o, ' ');
        out_str(&o, row_type_word(args->at[i].type));
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
                2; /* a vector beside matrices is a bias or a weight: it says nothing */
    for (int i = 0; i < args->n && n < 3; i++) {
        if (args->at[i].rank < least)
            continue;
        if (n++ > 0)
            out_char(&o, 'x');
        put_shape(&o, &args->at[i]);
    }
    return out_text(&o, a);
}

/* ---- parameters
 * ---------------------------------------------------------------------- */

struct str cost_text(const struct perf_cost *c, const char *key)
{
    for (int i = 0; c && i < c->n_params; i++)
        if (strcmp(c->params[i].key, key) == 0)
            return c->params[i].kind == PERF_NONE ? S("") : c->params[i].text;
    return S("");
}

double cost_number(const struct perf_cost *c, const char *key)
{
    struct str text = cost_text(c, key);
    char buf[40], *end;
    if (str_eq(text, S("True")) || str_eq(text, S("False")))
        return str_eq(text, S("True"));
    if (text.n == 0 || text.n >= (ptrdiff_t)sizeof buf)
        return (double)NAN;
    memcpy(buf, text.p, (size_t)text.n);
    buf[text.n] = 0;
    double v = strtod(buf, &end);
    return end == buf + text.n ? v : (double)NAN;
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
