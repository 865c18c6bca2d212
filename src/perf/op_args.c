#include "perf/op_args.h"

#include "base/out.h"
#include "base/python_text.h"
#include "perf/dtype.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REAL_BYTES = 64 }; /* of a number to read */

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

int args_n_dims(const struct op_args *a)
{
    return value_count(a->call->args.dims);
}

const struct value *args_dims(const struct op_args *a, int i)
{
    return value_at(a->call->args.dims, i);
}

bool args_has_shape(const struct op_args *a, int i)
{
    return value_count(args_dims(a, i)) > 0;
}

bool shape_read(const struct value *list, struct shape *s)
{
    int n = value_count(list);
    *s = (struct shape){0};
    if (!value_is(list, VALUE_LIST) || n > SHAPE_DIMS)
        return false;
    for (; s->rank < n; s->rank++) {
        const struct value *d = &list->items[s->rank];
        if (!value_is_whole(d) || !isfinite(d->number))
            return false;
        s->dim[s->rank] = d->number;
    }
    return true;
}

int shape_sizes(const struct value *list, int64_t *sizes, int max)
{
    const double MOST = 9007199254740992.0; /* beyond it a double skips */
    struct shape s;
    if (!shape_read(list, &s) || s.rank > max)
        return -1;
    for (int i = 0; i < s.rank; i++) {
        if (!(s.dim[i] >= 0 && s.dim[i] <= MOST))
            return -1;
        sizes[i] = (int64_t)s.dim[i];
    }
    return s.rank;
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

int args_n_types(const struct op_args *a)
{
    return value_count(a->call->args.types);
}

struct str args_type(struct op_args *a, int i)
{
    const struct value *t = value_at(a->call->args.types, i);
    args_need(a, value_is(t, VALUE_TEXT) || value_is(t, VALUE_NULL));
    return value_text(t);
}

struct str args_type_or(const struct op_args *a, int i, struct str otherwise)
{
    const struct value *t = value_at(a->call->args.types, i);
    return t ? value_text(t) : otherwise;
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

const struct value *args_strides(struct op_args *a, int i)
{
    const struct value *s = value_at(a->call->args.strides, i);
    args_need(a, s != NULL || a->call->assume_dense);
    return s;
}

const struct value *args_strides_if(struct op_args *a, int i)
{
    const struct value *all = a->call->args.strides;
    return !all || all->kind == VALUE_NULL ? NULL : args_strides(a, i);
}

const struct value *args_strides_or(const struct op_args *a, int i)
{
    return value_at(a->call->args.strides, i);
}

static struct str text_of(struct arena *perm, const struct value *v)
{
    if (v->kind == VALUE_TEXT)
        return value_text(v);
    struct out o;
    out_memory(&o);
    python_value(&o, v, true);
    return out_text(&o, perm);
}

struct str args_concrete(struct op_args *a, int i)
{
    const struct value *c = value_at(a->call->args.concrete, i);
    args_need(a, c != NULL);
    return c ? text_of(a->perm, c) : S("");
}

struct str args_concrete_or(const struct op_args *a, int i, struct str otherwise)
{
    const struct value *c = value_at(a->call->args.concrete, i);
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
    args_need(a, python_real(args_concrete(a, i), &v));
    return v;
}

double args_real_or(const struct op_args *a, int i, double otherwise)
{
    double v;
    return python_real(args_concrete_or(a, i, S("")), &v) ? v : otherwise;
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

const struct value *args_extra(const struct op_args *a, const char *key)
{
    return value_get(a->call->args.extra, key);
}

double args_extra_int_or(const struct op_args *a, const char *key, double otherwise)
{
    const struct value *v = args_extra(a, key);
    double n;
    if (value_is(v, VALUE_NUMBER))
        return trunc(v->number);
    return python_int(value_text(v), &n) ? n : otherwise;
}

double args_extra_int(struct op_args *a, const char *key)
{
    double v = args_extra_int_or(a, key, (double)NAN);
    args_need(a, !isnan(v));
    return isnan(v) ? 0 : v;
}

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
bool python_real(struct str s, double *v)
{
    char text[REAL_BYTES + 1], *end;
    s = str_trim(s);
    if (s.n == 0 || s.n > REAL_BYTES)
        return false;
    for (ptrdiff_t i = 0; i < s.n; i++)
        if (!s.p[i] || !strchr("0123456789+-.eE", s.p[i]))
            return false;
    memcpy(text, s.p, (size_t)s.n);
    text[s.n] = '\0';
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
        struct str item = str_take(&s, S(","));
        if (list->rank == SHAPE_DIMS || !python_int(item, &list->dim[list->rank]))
            return false;
        list->rank++;
        s = str_trim(s);
    }
    return true;
}
