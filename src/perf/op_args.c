#include "perf/op_args.h"

#include "base/arena.h"
#include "base/out.h"
#include "perf/dtype.h"
#include "perf/param_list.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>

static const struct str none = {NULL, 0};

bool args_ok(const struct op_args *a)
{
    return a->status == PERF_OK;
}

void args_fail(struct op_args *a)
{
    if (a->status == PERF_OK)
        a->status = PERF_FAIL;
}

void args_drop(struct op_args *a)
{
    if (a->status == PERF_OK)
        a->status = PERF_DROP;
}

void args_need(struct op_args *a, bool condition)
{
    if (!condition)
        args_fail(a);
}

static int length(const cJSON *list)
{
    return cJSON_IsArray(list) ? cJSON_GetArraySize(list) : 0;
}

static const cJSON *element(const cJSON *list, int i)
{
    return cJSON_IsArray(list) && i >= 0 ? cJSON_GetArrayItem(list, i) : NULL;
}

/* -- shapes -- */

int args_n_dims(const struct op_args *a)
{
    return length(a->call->dims);
}

const cJSON *args_dims(const struct op_args *a, int i)
{
    return element(a->call->dims, i);
}

bool args_has_shape(const struct op_args *a, int i)
{
    return length(args_dims(a, i)) > 0;
}

bool shape_read(const cJSON *list, struct shape *s)
{
    *s = (struct shape){0};
    if (!cJSON_IsArray(list))
        return false;
    for (const cJSON *d = list->child; d; d = d->next) {
        bool whole = cJSON_IsNumber(d) && isfinite(d->valuedouble) &&
                     d->valuedouble == floor(d->valuedouble);
        if (!whole || s->rank == SHAPE_DIMS)
            return false;
        s->dim[s->rank++] = d->valuedouble;
    }
    return true;
}

struct shape args_shape(struct op_args *a, int i)
{
    struct shape s;
    args_need(a, shape_read(args_dims(a, i), &s));
    return s;
}

struct shape args_shape_rank(struct op_args *a, int i, int rank)
{
    struct shape s = args_shape(a, i);
    args_need(a, s.rank == rank);
    return s;
}

double shape_at(struct op_args *a, const struct shape *s, int i)
{
    if (i < 0)
        i += s->rank;
    bool there = i >= 0 && i < s->rank;
    args_need(a, there);
    return there ? s->dim[i] : 0;
}

double shape_count(const struct shape *s)
{
    double n = 1;
    for (int i = 0; i < s->rank; i++)
        n *= s->dim[i];
    return n;
}

double args_dim(struct op_args *a, int i, int j)
{
    struct shape s = args_shape(a, i);
    return shape_at(a, &s, j);
}

/* -- types and strides -- */

int args_n_types(const struct op_args *a)
{
    return length(a->call->types);
}

struct str args_type(struct op_args *a, int i)
{
    const cJSON *t = element(a->call->types, i);
    args_need(a, cJSON_IsString(t) || cJSON_IsNull(t));
    return cJSON_IsString(t) ? str_of(t->valuestring) : none;
}

struct str args_type_or(const struct op_args *a, int i, struct str otherwise)
{
    const cJSON *t = element(a->call->types, i);
    return cJSON_IsString(t) ? str_of(t->valuestring) : t ? none : otherwise;
}

double args_bytes(struct op_args *a, int i)
{
    return dtype_bytes(args_type(a, i));
}

double args_bytes_or(const struct op_args *a, int i, double otherwise)
{
    double bytes = dtype_bytes(args_type_or(a, i, none));
    return isnan(bytes) ? otherwise : bytes;
}

const cJSON *args_strides(struct op_args *a, int i)
{
    const cJSON *s = element(a->call->strides, i);
    args_need(a, s != NULL);
    return s;
}

const cJSON *args_strides_if(struct op_args *a, int i)
{
    bool absent = !a->call->strides || cJSON_IsNull(a->call->strides);
    return absent ? NULL : args_strides(a, i);
}

const cJSON *args_strides_or(const struct op_args *a, int i)
{
    return element(a->call->strides, i);
}

/* -- concrete inputs: texts, though a later profiler might record the values -- */

static struct str text_of(struct arena *perm, const cJSON *v)
{
    if (cJSON_IsString(v))
        return str_of(v->valuestring);
    struct out o;
    out_memory(&o);
    python_json(&o, v);
    return out_text(&o, perm);
}

int64_t args_n_concrete(const struct op_args *a)
{
    return length(a->call->concrete);
}

struct str args_concrete(struct op_args *a, int i)
{
    const cJSON *c = element(a->call->concrete, i);
    args_need(a, c != NULL);
    return c ? text_of(a->perm, c) : S("");
}

struct str args_concrete_or(const struct op_args *a, int i, struct str otherwise)
{
    const cJSON *c = element(a->call->concrete, i);
    return c ? text_of(a->perm, c) : otherwise;
}

double args_int(struct op_args *a, int i)
{
    double v = 0;
    args_need(a, python_int(args_concrete(a, i), &v));
    return v;
}

double args_int_or(const struct op_args *a, int i, double otherwise)
{
    double v;
    return python_int(args_concrete_or(a, i, S("")), &v) ? v : otherwise;
}

double args_real(struct op_args *a, int i)
{
    double v = 0;
    args_need(a, python_real(a->perm, args_concrete(a, i), &v));
    return v;
}

double args_real_or(const struct op_args *a, int i, double otherwise)
{
    double v;
    return python_real(a->perm, args_concrete_or(a, i, S("")), &v) ? v : otherwise;
}

bool args_literal(struct op_args *a, int i)
{
    bool v = false;
    args_need(a, python_truth(args_concrete(a, i), &v));
    return v;
}

bool args_is_true(struct op_args *a, int i)
{
    return str_eq_nocase(args_concrete(a, i), S("true"));
}

struct shape args_int_list(struct op_args *a, int i)
{
    struct shape list = {0};
    args_need(a, python_int_list(args_concrete(a, i), &list));
    return list;
}

/* -- other args -- */

const cJSON *args_extra(const struct op_args *a, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(a->call->extra, key);
}

double args_extra_int_or(const struct op_args *a, const char *key, double otherwise)
{
    const cJSON *v = args_extra(a, key);
    double n;
    if (cJSON_IsNumber(v))
        return trunc(v->valuedouble);
    return cJSON_IsString(v) && python_int(str_of(v->valuestring), &n) ? n : otherwise;
}

double args_extra_int(struct op_args *a, const char *key)
{
    double v = args_extra_int_or(a, key, (double)NAN);
    args_need(a, !isnan(v));
    return isnan(v) ? 0 : v;
}

bool json_truth(const cJSON *v)
{
    if (cJSON_IsString(v))
        return v->valuestring[0] != '\0';
    if (cJSON_IsNumber(v))
        return v->valuedouble != 0;
    return cJSON_IsTrue(v) || ((cJSON_IsArray(v) || cJSON_IsObject(v)) && v->child);
}

/* -- Python's texts -- */

bool python_int(struct str s, double *v)
{
    s = str_trim(s);
    bool minus = s.n > 0 && s.p[0] == '-';
    if (s.n > 0 && (s.p[0] == '-' || s.p[0] == '+'))
        s = str_skip(s, 1);
    double n = 0;
    for (ptrdiff_t i = 0; i < s.n; i++) {
        if (s.p[i] < '0' || s.p[i] > '9')
            return false;
        n = 10 * n + (s.p[i] - '0');
    }
    if (s.n == 0 || !isfinite(n))
        return false;
    *v = minus ? -n : n;
    return true;
}

/* strtod would also take hexadecimal and nan(...), which Python does not. */
bool python_real(struct arena *scratch, struct str s, double *v)
{
    s = str_trim(s);
    if (s.n == 0 || s.n > 64)
        return false;
    for (ptrdiff_t i = 0; i < s.n; i++)
        if (!str_has(S("0123456789+-.eE"), (struct str){s.p + i, 1}))
            return false;
    struct arena local = *scratch;
    char *text = str_c(&local, s), *end;
    *v = strtod(text, &end);
    return end == text + s.n && isfinite(*v);
}

bool python_truth(struct str literal, bool *v)
{
    double n;
    literal = str_trim(literal);
    bool yes = str_eq(literal, S("True"));
    if (yes || str_eq(literal, S("False")) || str_eq(literal, S("None"))) {
        *v = yes;
        return true;
    }
    if (!python_int(literal, &n))
        return false;
    *v = n != 0;
    return true;
}

bool python_int_list(struct str s, struct shape *list)
{
    *list = (struct shape){0};
    s = str_trim(s);
    bool square = str_starts(s, S("[")) && str_ends(s, S("]"));
    bool round = str_starts(s, S("(")) && str_ends(s, S(")"));
    if (s.n < 2 || !(square || round))
        return false;
    s = str_trim((struct str){s.p + 1, s.n - 2});
    while (s.n > 0) {
        ptrdiff_t comma = str_find(s, S(","));
        struct str item = comma < 0 ? s : str_head(s, comma);
        if (list->rank == SHAPE_DIMS || !python_int(item, &list->dim[list->rank]))
            return false;
        list->rank++;
        s = comma < 0 ? S("") : str_trim(str_skip(s, comma + 1));
    }
    return true;
}
